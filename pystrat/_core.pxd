# cython: language_level=3
"""Declarations of the C core, rbridge/r/src/core, for the kernels. Each header documents its functions."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    STEP = 1 << 18  # rows between two checks for signals


cdef inline int hear_signals() except -1 nogil:
    """Check for signals; raise what a signal handler raises, such as KeyboardInterrupt."""
    with gil:
        return PyErr_CheckSignals()


cdef inline int64_t step_end(int64_t begin, int64_t end) except -1 nogil:
    """Return the end of the step from `begin` towards `end`; check for signals between two steps."""
    if begin > 0:
        hear_signals()
    return min(begin + <int64_t>STEP, end)


cdef extern from "<stdbool.h>" nogil:
    ctypedef bint boolean "bool"

cdef extern from "host.h" nogil:
    ctypedef enum Life:
        FOR_THE_CALL
        FOR_THE_INSTANCE
    ctypedef enum PartType:
        BYTES
        INTEGERS
        DOUBLES
        TEXT
        TEXTS
        LONGS
        LARGE
        FLAG
        FRACTION
        NOTHING
        OTHER
    ctypedef struct Refusal:
        const char *parameter
        const char *where
        const char *shown
        int64_t place
        const char *long_got
        char *got
        char *requirement
        char *advice
        int64_t stratum
        boolean is_type
    ctypedef struct Host:
        void *context
        int32_t first_row
        int64_t most_rows
        void *(*memory)(Host *host, Life life, int64_t bytes)
        void *(*vector)(Host *host, const char *name, PartType type, int64_t count)
        boolean (*number)(Host *host, const char *name, double value)
        boolean (*flag)(Host *host, const char *name, boolean value)
        boolean (*keep)(Host *host, const char *name)
        boolean (*go_on)(Host *host)
        Refusal refusal
        char *warning
        const char *warnings

cdef extern from "recipe.h" nogil:
    ctypedef struct Part:
        const char *name
        PartType type
        boolean is_named
        boolean is_single
        int64_t length
        const void *values
        const Part *items
    ctypedef struct Parts:
        const Part *parts
        int64_t n_parts
        boolean is_recipe

cdef extern from "random.h" nogil:
    enum: STATE_SIZE
    ctypedef struct Generator:
        uint32_t state[624]
        uint32_t outputs[624]
        uint32_t position
    void seed_generator(Generator *generator, uint32_t seed)

cdef extern from "kinds/kinds.h" nogil:
    ctypedef struct Feedback:
        boolean (*begin)(const void *self, const Parts *given, Host *host) noexcept
        boolean (*draw_more)(
            const void *self, const Parts *state, const Parts *wanted, Generator *generator, Host *host
        ) noexcept
        boolean (*tell)(const void *self, const Parts *state, const char *method, const Parts *told, Host *host) noexcept
        boolean (*ask)(const void *self, const Parts *state, const char *name, const Parts *asked, Host *host) noexcept
    ctypedef struct Kind:
        int64_t instance_bytes
        boolean (*plan)(const Parts *request, Host *host) noexcept nogil
        boolean (*prepare)(void *self, const Parts *recipe, uint32_t seed, Host *host) noexcept nogil
        int64_t (*count_batches)(const void *self, uint32_t epoch)
        const Feedback *feedback
    const Kind *find_kind(const char *name)
    boolean identify_recipe(const Kind *kind, const void *self, const Parts *recipe, uint32_t seed, Host *host)
    boolean draw_epoch(const Kind *kind, void *self, uint32_t seed, uint32_t epoch, Host *host)

cdef extern from "functions/functions.h" nogil:
    ctypedef struct Function:
        boolean (*call)(const Parts *request, Host *host) noexcept nogil
    const Function *find_function(const char *name)

cdef extern from "permutation.h" nogil:
    void fill_in_order(int32_t *pool, uint32_t n_rows)
    void take_rows(Generator *generator, int32_t *pool, uint32_t left, uint32_t size, int32_t *rows)

cdef extern from "stream.h" nogil:
    void save_generator(const Generator *generator, uint32_t *words)
    bint restore_generator(Generator *generator, const uint32_t *words)

cdef extern from "numbering.h" nogil:
    void compact_codes(
        const int64_t *wide,
        int64_t begin,
        int64_t end,
        int64_t n_codes,
        int code_bytes,
        void *codes,
        int64_t *counts,
    )

cdef extern from "batches.h" nogil:
    int64_t part_length(int64_t n_batches, int64_t first, int64_t step)
    bint batch_is_within(const int64_t *offsets, int64_t batch, int64_t n_rows)
    int64_t fill_part_offsets(
        const int64_t *offsets,
        int64_t n_batches,
        int64_t n_rows,
        int64_t first,
        int64_t step,
        int64_t *part_offsets,
    )
    void copy_part(
        const void *rows,
        size_t item_size,
        const int64_t *offsets,
        int64_t first,
        int64_t step,
        const int64_t *part_offsets,
        int64_t begin,
        int64_t end,
        void *part_rows,
    )


cdef extern from "largest_numbers.h" nogil:
    enum: LARGEST_COUNT

cdef extern from "prefetch.h" nogil:
    enum: BLOCK_SIZE

cdef extern from "hashing.h" nogil:
    uint64_t hash_of_bytes(const uint8_t *bytes, int64_t size)

cdef extern from "words.h" nogil:
    ctypedef struct LineWords:
        int32_t words
        bint has_begun
    void count_words(const uint8_t *block, int64_t size, LineWords *line, int32_t *counts)

cdef extern from "lua_pattern.h" nogil:
    enum: LUA_STEPS
    ctypedef enum LuaAnswer:
        LUA_GOES_ON
        LUA_FOUND
        LUA_NOT_FOUND
        LUA_TOO_MANY_STEPS
    ctypedef struct LuaReader:
        char *reason
    ctypedef struct LuaPattern:
        pass
    ctypedef struct LuaSearch:
        pass
    bint read_lua_pattern(const uint8_t *bytes, int64_t length, LuaReader *reader, LuaPattern *pattern)
    int64_t lua_memory(const LuaPattern *pattern, int64_t length)
    void begin_lua_search(
        LuaSearch *search, const LuaPattern *pattern, const uint8_t *text, int64_t length, int64_t *memory
    )
    LuaAnswer continue_lua_search(LuaSearch *search)

cdef extern from "line_index.h" nogil:
    enum: INDEX_HEAD_SIZE
    enum: INDEX_NUMBER_SIZE
    enum: TEXT_END_SIZE
    ctypedef struct IndexHead:
        int64_t size
        int64_t modified
        uint64_t inode
        int64_t n_lines
        uint64_t text_hash
        uint64_t number_hash
    ctypedef struct IndexCheck:
        int64_t count
        int64_t last
        uint64_t hash
    void write_index_head(const IndexHead *head, uint8_t *bytes)
    bint read_index_head(const uint8_t *bytes, int64_t index_size, IndexHead *head)
    IndexCheck new_index_check()
    void check_index_numbers(const uint8_t *bytes, int64_t count, IndexCheck *check)
    bint index_is_whole(const IndexHead *head, const IndexCheck *check)
    int64_t count_line_ends(const uint8_t *block, int64_t size)
    int64_t find_line_begins(const uint8_t *block, int64_t size, int64_t read, int64_t *begins)
