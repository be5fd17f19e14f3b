"""The C core, rbridge/r/src/core, as the kernels call it. Each header documents its functions."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

cdef extern from "prefetch.h" nogil:
    enum: BLOCK_SIZE
    void prefetch(const void *object)

cdef extern from "random.h" nogil:
    enum: STATE_SIZE
    ctypedef struct Generator:
        uint32_t state[624]
        uint32_t outputs[624]
        uint32_t position
    void seed_generator(Generator *generator, uint32_t seed)
    void temper(Generator *generator)
    double next_uniform(Generator *generator)
    uint32_t bits_below(uint64_t limit)
    uint64_t index_below(Generator *generator, uint64_t limit, uint32_t bits)
    void draw_indices(
        Generator *generator, uint32_t limit, uint32_t step, uint32_t bits, uint32_t wanted, uint32_t *indices
    )

cdef extern from "permutation.h" nogil:
    void fill_in_order(int32_t *pool, uint32_t n_rows)
    uint32_t next_indices(
        Generator *generator, const int32_t *pool, uint32_t left, uint32_t wanted, uint32_t *indices
    )
    int32_t take_row(int32_t *pool, uint32_t index, uint32_t last)
    void take_rows(Generator *generator, int32_t *pool, uint32_t left, uint32_t size, int32_t *rows)
    void draw_subset(
        Generator *generator, int32_t *pool, uint32_t left, uint32_t size, uint32_t *places, int32_t *rows
    )
