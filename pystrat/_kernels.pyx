# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled inner loops of the stratified sampler: the layout of an epoch and the scatter of R's permutation into it.

Every loop over rows runs without the interpreter's lock.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from pystrat._generator cimport BLOCK_SIZE, Generator, next_rows, prefetch, seed_generator

ctypedef fused code_type:
    uint8_t
    uint16_t
    int32_t


cdef void scatter_rows(
    const int32_t *rows, uint32_t count, code_type *codes, int64_t *cursors, const int32_t *layout, int32_t *out
) noexcept nogil:
    """Put rows where the layout wants the next row of their stratum."""
    cdef int32_t places[BLOCK_SIZE]
    cdef uint32_t i
    cdef code_type code
    for i in range(count):
        prefetch(&codes[rows[i]])
    for i in range(count):
        code = codes[rows[i]]
        places[i] = layout[cursors[code]]
        cursors[code] += 1
        prefetch(&out[places[i]])
    for i in range(count):
        out[places[i]] = rows[i]


def scatter_permutation(
    uint32_t seed, code_type[::1] codes, int64_t[::1] cursors, const int32_t[::1] layout, int32_t[::1] out
):
    """Scatter the permutation of `seed` into an epoch, without ever writing the permutation down.

    Parameters
    ----------
    seed
        The seed of the epoch's permutation.
    codes
        Shape (n,). The stratum of each row, from 0.
    cursors
        Shape (number of strata,). Where the ranks of each stratum begin in the layout; used up.
    layout, out
        Shape (n,). ``out[layout[cursors[s] + rank]]`` becomes the row of that rank in stratum s.
    """
    cdef int32_t[::1] pool = np.arange(codes.shape[0], dtype=np.int32)
    cdef uint32_t left = <uint32_t>codes.shape[0]
    cdef int32_t rows[BLOCK_SIZE]
    cdef Generator generator
    cdef uint32_t count
    with nogil:
        seed_generator(&generator, seed)
        while left > 0:
            count = next_rows(&generator, &pool[0], left, rows)
            scatter_rows(rows, count, &codes[0], &cursors[0], &layout[0], &out[0])
            left -= count


def scatter_in_order(code_type[::1] codes, int64_t[::1] cursors, const int32_t[::1] layout, int32_t[::1] out):
    """Scatter the rows in dataset order; the parameters are those of `scatter_permutation`."""
    cdef Py_ssize_t row
    with nogil:
        for row in range(codes.shape[0]):
            out[layout[cursors[codes[row]]]] = <int32_t>row
            cursors[codes[row]] += 1


def count_codes(code_type[::1] codes, int64_t[::1] counts):
    """Add to `counts` how often each code occurs."""
    cdef Py_ssize_t row
    with nogil:
        for row in range(codes.shape[0]):
            counts[codes[row]] += 1


def batch_sizes(const int64_t[::1] counts, bint even, int64_t[::1] sizes):
    """Add to `sizes`, one entry a batch, how many rows each batch holds."""
    cdef int64_t n_batches = sizes.shape[0]
    cdef int64_t n_rows = 0
    cdef int64_t before, upto, batch
    cdef Py_ssize_t stratum
    with nogil:
        for stratum in range(counts.shape[0]):
            n_rows += counts[stratum]
            if even:
                continue
            before = 0
            for batch in range(n_batches):
                upto = (batch + 1) * counts[stratum] // n_batches
                sizes[batch] += upto - before
                before = upto
        if even:
            for batch in range(n_batches):
                sizes[batch] = n_rows // n_batches + (batch < n_rows % n_batches)


def fill_layout(const int64_t[::1] counts, bint even, int64_t[::1] free, int32_t[::1] layout):
    """Say for every stratum and rank, in that order, which place of the epoch the row takes.

    Parameters
    ----------
    counts
        Shape (number of strata,). Rows of each stratum.
    even
        Deal the rows round robin; else the proportional rule, batch = ceil(rank * n_batches / count).
    free
        Shape (n_batches,). The first place of each batch; moved on as places are taken.
    layout
        Shape (sum of counts,). The result.
    """
    cdef int64_t n_batches = free.shape[0]
    cdef int64_t place = 0
    cdef int64_t rank, count, batch
    cdef Py_ssize_t stratum
    with nogil:
        for stratum in range(counts.shape[0]):
            count = counts[stratum]
            for rank in range(1, count + 1):
                if even:
                    batch = place % n_batches
                else:
                    batch = (rank * n_batches + count - 1) // count - 1
                layout[place] = <int32_t>free[batch]
                free[batch] += 1
                place += 1
