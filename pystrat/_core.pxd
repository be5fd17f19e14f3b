"""The C core, rbridge/r/src/core, as the kernels call it. Each header documents its functions."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

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

cdef extern from "stream.h" nogil:
    void save_generator(const Generator *generator, uint32_t *words)
    bint restore_generator(Generator *generator, const uint32_t *words)
    void draw_numbers(Generator *generator, uint64_t limit, int64_t count, int64_t *numbers)
    void draw_uniforms(Generator *generator, int64_t count, double *uniforms)
    void draw_subsets(
        Generator *generator,
        int32_t *pool,
        uint32_t n_rows,
        uint32_t size,
        int64_t count,
        uint32_t *places,
        int32_t *rows,
    )

cdef extern from "plan.h" nogil:
    ctypedef struct OffsetsProgress:
        int64_t stratum
        int64_t batch
        int64_t before
        int64_t over
    ctypedef struct LayoutProgress:
        int64_t stratum
        int64_t rank
        int64_t index
        int64_t batch
        int64_t over
    void fill_even_offsets(int64_t n_rows, int64_t n_batches, int64_t begin, int64_t end, int64_t *offsets)
    bint fill_proportional_offsets(
        const int64_t *counts,
        int64_t n_strata,
        int64_t n_batches,
        int64_t wanted,
        OffsetsProgress *progress,
        int64_t *offsets,
    )
    bint fill_layout(
        const int64_t *counts,
        int64_t n_strata,
        int64_t n_batches,
        bint even,
        int64_t n_places,
        int64_t wanted,
        LayoutProgress *progress,
        int64_t *next_places,
        int32_t *layout,
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
    uint32_t scatter_permutation_uint16(
        Generator *generator,
        int32_t *pool,
        uint32_t left,
        uint32_t wanted,
        const uint16_t *codes,
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
    void scatter_in_order_uint16(
        uint32_t begin,
        uint32_t end,
        const uint16_t *codes,
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

cdef extern from "hashing.h" nogil:
    uint64_t slot_of(int64_t value, int shift)

cdef extern from "numbering.h" nogil:
    ctypedef struct NumberTable:
        int32_t *slots
        int64_t *distinct
        int64_t found
        int bits
    void enter_known(NumberTable *table)
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
