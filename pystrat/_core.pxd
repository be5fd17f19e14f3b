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
    ctypedef struct Kind:
        int64_t instance_bytes
        boolean (*plan)(const Parts *request, Host *host)
        boolean (*prepare)(void *self, const Parts *recipe, uint32_t seed, Host *host)
        int64_t (*count_batches)(const void *self, uint32_t epoch)
    const Kind *find_kind(const char *name)
    boolean draw_epoch(const Kind *kind, void *self, uint32_t seed, uint32_t epoch, Host *host)

cdef extern from "functions/functions.h" nogil:
    ctypedef struct Function:
        boolean (*call)(const Parts *request, Host *host)
    const Function *find_function(const char *name)

cdef extern from "permutation.h" nogil:
    void fill_in_order(int32_t *pool, uint32_t n_rows)
    void take_rows(Generator *generator, int32_t *pool, uint32_t left, uint32_t size, int32_t *rows)

cdef extern from "stream.h" nogil:
    void save_generator(const Generator *generator, uint32_t *words)
    bint restore_generator(Generator *generator, const uint32_t *words)
    void draw_numbers(Generator *generator, uint64_t limit, int64_t count, int64_t *numbers)
    void draw_uniforms(Generator *generator, int64_t count, double *uniforms)

cdef extern from "shards.h" nogil:
    ctypedef struct ShardCells:
        int64_t n_cells
        int64_t n_batches
        const int64_t *counts
        const int64_t *begins
    ctypedef struct ShardOffsets:
        int64_t batch
        int64_t extra
        int64_t place
    ctypedef struct ShardsProgress:
        pass
    uint32_t shard_seed(uint32_t seed, uint32_t epoch, uint32_t n_shards, uint32_t shard)
    void count_shard_rows(const ShardCells *cells, int64_t begin, int64_t end, int64_t *whole, int64_t *offsets)
    void add_up_shard_rows(int64_t whole, int64_t end, ShardOffsets *progress, int64_t *offsets)
    void begin_shard_layout(ShardsProgress *progress)
    bint fill_shard_layout(
        const ShardCells *cells, int64_t wanted, ShardsProgress *progress, int64_t *next_places, int32_t *layout
    )
    int64_t shard_rows(const ShardCells *cells, int64_t first_cell, int64_t n_strata)
    void fill_shard_cursors(
        const ShardCells *cells, int64_t first_cell, int64_t n_strata, int64_t first_row, int64_t *cursors
    )

cdef extern from "groups_together.h" nogil:
    ctypedef struct GroupedRows:
        int64_t n_strata
        int64_t n_groups
        int64_t n_batches
        int64_t minimum
        const int32_t *sizes
        const int32_t *strata_of
        int64_t n_found
        int32_t *found
        int64_t *n_first
        int64_t *n_other
        int32_t *line
        int32_t *next_places
        int32_t *batch_of
    ctypedef struct GroupDealing:
        int64_t n_batches
        int64_t dealt
        int32_t *held
        int32_t *totals
        int32_t *heap
    void find_groups(const int32_t *order, const int32_t *groups, int64_t begin, int64_t end, GroupedRows *grouped)
    void begin_line(const GroupedRows *grouped, int64_t *firsts, int64_t *others)
    void line_up_groups(GroupedRows *grouped, int64_t begin, int64_t end, int64_t *firsts, int64_t *others)
    void begin_dealing_groups(GroupDealing *dealing)
    void deal_groups(GroupedRows *grouped, GroupDealing *dealing, int64_t end)
    void fill_group_offsets(const GroupDealing *dealing, int64_t *offsets)
    void place_groups(GroupedRows *grouped, int64_t begin, int64_t end, int64_t *next_free)
    void write_grouped_rows(
        const int32_t *order,
        const int32_t *groups,
        int32_t first_row,
        int64_t begin,
        int64_t end,
        GroupedRows *grouped,
        int32_t *rows,
    )

cdef extern from "groups_apart.h" nogil:
    ctypedef struct GraphSide:
        int64_t n_labels
        const int32_t *labels
        const int32_t *counts
        int64_t n_vertices
        int64_t room
        int32_t *ranks
        int32_t *rests
        int32_t *wholes
        int32_t *vertices
        int32_t *edges
        uint64_t *free_colors
        int32_t *first_words
    ctypedef struct RowGraph:
        int64_t n_batches
        int64_t n_edges
        int64_t n_found
        GraphSide sides[2]
        int64_t n_colored
        int32_t *colors
        int64_t *sizes
    ctypedef struct Equalizing:
        int64_t giver
        int64_t taker
        int32_t vertex
    int64_t most_vertices(const int32_t *counts, int64_t n_labels, int64_t n_batches)
    int64_t color_words(int64_t n_batches)
    void cut_into_blocks(const int32_t *order, int64_t begin, int64_t end, RowGraph *graph)
    void free_all_colors(GraphSide *side, int64_t n_batches, int64_t begin, int64_t end)
    bint color_edges(RowGraph *graph, int64_t wanted)
    bint equalize_sizes(RowGraph *graph, int64_t wanted, Equalizing *progress)
    void deal_in_turn(
        const int32_t *order, int64_t begin, int64_t end, int64_t *begins, int32_t *next_places, RowGraph *graph
    )
    void sort_by_stratum(
        const int32_t *order,
        const RowGraph *graph,
        int64_t begin,
        int64_t end,
        int64_t *n_done,
        int64_t *next_places,
        int32_t *rows,
        int32_t *batches,
    )
    void write_rows_apart(
        const int32_t *rows,
        const int32_t *batches,
        int32_t first_row,
        int64_t begin,
        int64_t end,
        int64_t *next_free,
        int32_t *written,
    )

cdef extern from "scatter.h" nogil:
    uint32_t scatter_permutation_uint8(
        Generator *generator,
        int32_t *pool,
        uint32_t left,
        uint32_t wanted,
        const uint8_t *codes,
        int64_t *cursors,
        const int32_t *layout,
        int32_t first_row,
        int32_t *rows,
    )
    uint32_t scatter_permutation_int32(
        Generator *generator,
        int32_t *pool,
        uint32_t left,
        uint32_t wanted,
        const int32_t *codes,
        int64_t *cursors,
        const int32_t *layout,
        int32_t first_row,
        int32_t *rows,
    )
    void scatter_in_order_uint8(
        uint32_t begin,
        uint32_t end,
        const uint8_t *codes,
        int64_t *cursors,
        const int32_t *layout,
        int32_t first_row,
        int32_t *rows,
    )
    void scatter_in_order_int32(
        uint32_t begin,
        uint32_t end,
        const int32_t *codes,
        int64_t *cursors,
        const int32_t *layout,
        int32_t first_row,
        int32_t *rows,
    )

cdef extern from "numbering.h" nogil:
    ctypedef struct NumberTable:
        int32_t *slots
        int64_t *distinct
        int64_t found
        int bits
    ctypedef struct NumberSorting:
        const int64_t *values
        int64_t n_rows
        int32_t *rows
        int32_t *before
        int64_t *codes
        int64_t *distinct
        int64_t found
    void begin_numbers(NumberTable *table)
    bint is_flooded(const NumberTable *table, int64_t n_rows)
    void clear_slots(NumberTable *table)
    bint enter_known(NumberTable *table, int64_t at_most)
    void begin_sorting(NumberSorting *sorting)
    bint number_by_sorting(NumberSorting *sorting, int64_t at_most)
    int64_t number_rows(NumberTable *table, const int64_t *values, int64_t begin, int64_t end, int64_t *codes)
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

cdef extern from "sum_tree.h" nogil:
    ctypedef struct SumTree:
        double *sums
        double *least
        int64_t n_rows
        int64_t n_positive
        int64_t begins[12]
    int64_t sum_tree_length(int64_t n_rows)
    int64_t sum_tree_least_length(int64_t n_rows)
    void init_sum_tree(SumTree *tree, int64_t n_rows, double *sums, double *least, int64_t n_positive)
    double total_of(const SumTree *tree)
    bint overflows(const SumTree *tree)
    double least_weight_of(const SumTree *tree)
    int64_t first_wrong_weight(const double *weights, int64_t begin, int64_t end)
    int64_t first_outside(const int64_t *rows, int64_t begin, int64_t end, int64_t limit)
    void fill_rows(SumTree *tree, const double *weights, int64_t begin, int64_t end)
    void clear_rows(SumTree *tree, int64_t begin, int64_t end)
    void update_rows(
        SumTree *tree, const int64_t *rows, const double *weights, int64_t begin, int64_t end, double *previous
    )
    void undo_updates(SumTree *tree, const int64_t *rows, const double *previous, int64_t begin, int64_t end)
    void find_rows(const SumTree *tree, double scale, double *values, int64_t count, int32_t *rows)

cdef extern from "hash_set.h" nogil:
    int hash_set_bits(int64_t count)

cdef extern from "weighted.h" nogil:
    ctypedef struct DistinctDraw:
        int64_t size
        int32_t *rows
        int64_t *table
        int64_t *removed
        double *weights
    void draw_by_weight(const SumTree *tree, Generator *generator, int64_t count, int32_t *rows)
    void draw_from_slices(
        const SumTree *tree, Generator *generator, int64_t size, int64_t begin, int64_t end, int32_t *rows
    )
    void begin_distinct(DistinctDraw *draw)
    void put_back(SumTree *tree, DistinctDraw *draw)
    bint draw_distinct(SumTree *tree, Generator *generator, DistinctDraw *draw, int64_t at_most)

cdef extern from "ranking.h" nogil:
    ctypedef struct Ranking:
        int64_t n_ranked
    int64_t ranking_length(int64_t capacity)
    int64_t ranking_blocks(int64_t capacity)
    void init_ranking(
        Ranking *ranking, int64_t capacity, double *keys, int32_t *rows, int32_t *begins, int64_t n_ranked,
        int64_t n_blocks
    )
    void begin_ranking(Ranking *ranking, int64_t n_ranked)
    void fill_ranking(Ranking *ranking, const int32_t *order, int64_t begin, int64_t end)
    void set_keys(Ranking *ranking, const int64_t *rows, const double *keys, int64_t begin, int64_t end)
    void ranks_to_rows(const Ranking *ranking, int32_t *ranks, int64_t count)
    int64_t rank_of_row(const Ranking *ranking, int32_t row)
    void weigh_ranks(int64_t first, int64_t count, double alpha, double *weights)

cdef extern from "powers.h" nogil:
    void raise_all(const double *numbers, int64_t count, double exponent, double *powers)

cdef extern from "grouping.h" nogil:
    void begin_groups(int64_t n_groups, int64_t *offsets, int64_t *cursors)
    void place_members(const int64_t *groups, int64_t begin, int64_t end, int64_t *cursors, int64_t *order)

cdef extern from "multilabel.h" nogil:
    ctypedef struct LabeledRows:
        const uint8_t *sets
        const int64_t *counts
        int64_t n_rows
        int64_t n_sets
        int64_t n_labels
        int64_t n_batches
        int64_t minimum
    ctypedef struct Assignment:
        LabeledRows given
        int64_t *members
        int32_t *batches
        int64_t *held
        int64_t *keys
    int64_t assignment_length(const LabeledRows *given)
    void begin_assignment(Assignment *assignment, int64_t *numbers)
    bint assign_rows(Assignment *assignment, int64_t at_most)
    void note_batches(
        const int64_t *members, const int32_t *batches, int64_t begin, int64_t end, int32_t *of_rows, int64_t *offsets
    )
    void place_in_batches(
        const int32_t *of_rows,
        const int32_t *order,
        int64_t begin,
        int64_t end,
        int32_t first_row,
        int64_t *cursors,
        int32_t *rows,
    )


cdef extern from "largest_count.h" nogil:
    enum: LARGEST_COUNT

cdef extern from "subsets.h" nogil:
    ctypedef struct SubsetScratch:
        int32_t *pool
        uint32_t *places
        int64_t *table
        int64_t n_pool
        int64_t n_places
        int64_t n_table
    void enlarge_subset_scratch(SubsetScratch *scratch, int64_t limit, int64_t count)

cdef extern from "prefetch.h" nogil:
    enum: BLOCK_SIZE

cdef extern from "hashing.h" nogil:
    uint64_t hash_of_bytes(const uint8_t *bytes, int64_t size)

cdef extern from "epoch_subset.h" nogil:
    void draw_rows(Generator *generator, uint32_t n_rows, int32_t first_row, int64_t count, int32_t *rows)

cdef extern from "perplexity.h" nogil:
    ctypedef struct Reports:
        int64_t n_seen
        int32_t most
        int32_t mode
        int32_t n_mode
        int64_t n_above
        double squares
    void find_all_perplexities(const double *losses, int64_t begin, int64_t end, double *perplexities)
    void store_perplexities(
        const int32_t *rows, const double *perplexities, int32_t first_row, int64_t count, double *reported
    )
    double add_differences(const double *reported, double initial, int64_t begin, int64_t end, double sum)
    void count_reports(const double *reported, int64_t begin, int64_t end, Reports *reports)
    int mode_table_bits(const Reports *reports)
    void find_mode(
        const double *reported, int64_t begin, int64_t end, uint64_t *table, int bits, Reports *reports
    )
    void add_squares(const double *reported, int64_t begin, int64_t end, Reports *reports)
    double ceiling_of(const Reports *reports, double spreads)
    void add_weights(
        const double *reported, double initial, double ceiling, double weight_above, int64_t begin, int64_t end,
        double *sums
    )
    void draw_by_sums(
        Generator *generator, const double *sums, int64_t n_rows, int32_t first_row, int64_t count, int32_t *rows
    )

cdef extern from "mixture.h" nogil:
    ctypedef struct Mixture:
        int64_t n_files
        const int64_t *lines
        const int64_t *drawn
        const int64_t *kept
        SubsetScratch *scratch
    int64_t rest_of_passes(int64_t lines, int64_t drawn)
    ctypedef struct MixtureProgress:
        int64_t file
        int64_t taken
        int64_t first
    int64_t take_lines(Generator *generator, const Mixture *mixture, MixtureProgress *progress, int64_t *block)

cdef extern from "length_batches.h" nogil:
    ctypedef struct LengthLimits:
        int64_t window
        int64_t most_rows
        int64_t most_tokens
    ctypedef struct SortProgress:
        pass
    ctypedef struct CutProgress:
        int64_t place
        int64_t begin
        int64_t n_batches
    ctypedef struct SplitProgress:
        int64_t least
        int64_t most
        int64_t batch
        int64_t n_parts
    bint sort_by_length(
        const int32_t *lengths,
        int64_t n_rows,
        int64_t window,
        int32_t longest,
        int64_t wanted,
        SortProgress *progress,
        int32_t *order,
        int32_t *spare,
    )
    void cut_by_length(
        const int32_t *lengths,
        const int32_t *order,
        int64_t end,
        const LengthLimits *limits,
        CutProgress *progress,
        int64_t *offsets,
    )
    bint find_largest_part(
        const int64_t *offsets, int64_t n_batches, int64_t wanted_parts, int64_t wanted, SplitProgress *progress
    )
    void split_batches(
        const int64_t *offsets, int64_t n_batches, int64_t most_rows, int64_t n_parts, int64_t *parts
    )
    void arrange_batches(
        const int32_t *order,
        const int64_t *offsets,
        const int32_t *shuffled,
        int64_t begin,
        int64_t end,
        int64_t *epoch_offsets,
        int32_t *places,
    )

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
