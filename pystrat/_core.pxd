# cython: language_level=3
"""Declarations of the C core, rbridge/r/src/core, and checks for signals. Each header documents its functions.

What only one kernel uses is declared there.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint32_t

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
    ctypedef enum Life: FOR_THE_CALL
    ctypedef enum PartType: BYTES, INTEGERS, DOUBLES, TEXT, TEXTS, LONGS, LARGE, FLAG, FRACTION, NOTHING, OTHER
    ctypedef struct Refusal:
        const char *parameter
        const char *where
        const char *shown
        const char *long_got
        char *got
        char *requirement
        char *advice
        int64_t place, stratum
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
        boolean is_named, is_single
        int64_t length
        const void *values
        const Part *items
    ctypedef struct Parts:
        const Part *parts
        int64_t n_parts
        boolean is_recipe

cdef extern from "random.h" nogil:
    ctypedef struct Generator:
        pass

cdef extern from "kinds.h" nogil:
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

cdef extern from "functions.h" nogil:
    ctypedef struct Function:
        boolean (*call)(const Parts *request, Host *host) noexcept nogil
    const Function *find_function(const char *name)
