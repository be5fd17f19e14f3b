# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled inner loops of the stratified sampler: the layout of an epoch and the scatter of R's permutation into it.

Every loop over rows runs without the interpreter's lock.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from pystrat._core cimport BLOCK_SIZE, Generator, next_indices, prefetch, seed_generator, take_row
from pystrat._hashing cimport slot_of

ctypedef fused code_type:
    uint8_t
    uint16_t
    int32_t


cdef enum:
    LINE = 16  # int32 places in a line of the cache, of the usual 64 bytes


cdef void scatter_block(
    int32_t *pool,
    uint32_t left,
    const uint32_t *indices,
    uint32_t count,
    code_type *codes,
    int64_t *cursors,
    const int32_t *layout,
    int32_t *out,
) noexcept nogil:
    """Take the rows at `indices` out of the pool, and put each where the layout wants the next row of its stratum.

    What a row needs next is on its way while the other rows of the block are seen to. The layout is read in order, but
    in as many places as there are strata, more than the machine itself looks ahead in.
    """
    cdef int32_t rows[BLOCK_SIZE]
    cdef int32_t places[BLOCK_SIZE]
    cdef uint32_t i
    cdef int64_t cursor
    cdef code_type code
    for i in range(count):
        rows[i] = take_row(pool, indices[i], left - 1 - i)
        prefetch(&codes[rows[i]])
    for i in range(count):
        code = codes[rows[i]]
        cursor = cursors[code]
        cursors[code] = cursor + 1
        places[i] = layout[cursor]
        prefetch(&layout[cursor + LINE])  # beyond the end too: nothing is read there
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
    cdef uint32_t indices[BLOCK_SIZE]
    cdef Generator generator
    cdef uint32_t count
    with nogil:
        seed_generator(&generator, seed)
        while left > 0:
            count = next_indices(&generator, &pool[0], left, left, indices)
            scatter_block(&pool[0], left, indices, count, &codes[0], &cursors[0], &layout[0], &out[0])
            left -= count


def scatter_in_order(code_type[::1] codes, int64_t[::1] cursors, const int32_t[::1] layout, int32_t[::1] out):
    """Scatter the rows in dataset order; the parameters are those of `scatter_permutation`."""
    cdef Py_ssize_t row
    with nogil:
        for row in range(codes.shape[0]):
            out[layout[cursors[codes[row]]]] = <int32_t>row
            cursors[codes[row]] += 1


cdef Py_ssize_t number_rows(
    const int64_t[::1] values,
    int64_t[::1] codes,
    Py_ssize_t row,
    int32_t[::1] slots,
    int shift,
    int64_t[::1] distinct,
    Py_ssize_t *found,
) noexcept nogil:
    """Number the rows from `row` on until `distinct` is full; return the first row that is left."""
    cdef uint64_t last = <uint64_t>slots.shape[0] - 1
    cdef uint64_t slot
    cdef int64_t value
    cdef int32_t number
    while row < values.shape[0]:
        value = values[row]
        slot = slot_of(value, shift)
        number = slots[slot]
        while number >= 0 and distinct[number] != value:
            slot = (slot + 1) & last
            number = slots[slot]
        if number < 0:
            if found[0] == distinct.shape[0]:
                break
            number = <int32_t>found[0]
            slots[slot] = number
            distinct[number] = value
            found[0] += 1
        codes[row] = number
        row += 1
    return row


def number_integers(const int64_t[::1] values, int64_t[::1] codes):
    """Number integers in order of first appearance, by a table of hashes that begins small and is never over half full.

    Parameters
    ----------
    values
        Shape (n,), n below 2^31.
    codes
        Shape (n,). The result, the number of each value.

    Returns
    -------
    numpy.ndarray of int64
        The distinct values, in the order of their numbers.
    """
    cdef int bits = 10
    cdef int32_t[::1] slots
    cdef int64_t[::1] distinct = np.empty(0, dtype=np.int64)
    cdef Py_ssize_t row = 0
    cdef Py_ssize_t found = 0
    cdef Py_ssize_t known
    cdef uint64_t slot
    while True:
        slots = np.full(1 << bits, -1, dtype=np.int32)
        distinct = np.concatenate([distinct, np.empty((1 << (bits - 1)) - found, dtype=np.int64)])
        with nogil:
            for known in range(found):
                slot = slot_of(distinct[known], 64 - bits)
                while slots[slot] >= 0:
                    slot = (slot + 1) & (<uint64_t>slots.shape[0] - 1)
                slots[slot] = <int32_t>known
            row = number_rows(values, codes, row, slots, 64 - bits, distinct, &found)
        if row == values.shape[0]:
            return np.array(distinct[:found])
        bits += 2


def compact_codes(const int64_t[::1] wide, code_type[::1] codes, int64_t[::1] counts):
    """Store codes in a smaller type, and add to `counts` how often each occurs.

    Parameters
    ----------
    wide
        Shape (n,). Codes from 0; a negative one stands for a dropped row, whose code becomes the last one.
    codes
        Shape (n,). The result.
    counts
        Shape (number of codes,). Added to.
    """
    cdef int64_t last = counts.shape[0] - 1
    cdef int64_t code
    cdef Py_ssize_t row
    with nogil:
        for row in range(wide.shape[0]):
            code = wide[row] if wide[row] >= 0 else last
            codes[row] = <code_type>code
            counts[code] += 1


def fill_offsets(const int64_t[::1] counts, bint even, int64_t[::1] offsets):
    """Say where each batch begins in the epoch, and where the last one ends.

    Parameters
    ----------
    counts
        Shape (number of strata,). Rows of each stratum.
    even
        Whether the rows are dealt round robin; else by the proportional rule.
    offsets
        Shape (n_batches + 1,). The result; zeros before.
    """
    cdef int64_t n_batches = offsets.shape[0] - 1
    cdef int64_t n_rows = 0
    cdef int64_t batch, upto, over, step, step_over
    cdef Py_ssize_t stratum
    with nogil:
        for stratum in range(counts.shape[0]):
            n_rows += counts[stratum]
            if even:
                continue
            # upto is batch * count // n_batches and over the remainder, without a division for every batch.
            step = counts[stratum] // n_batches
            step_over = counts[stratum] % n_batches
            upto = 0
            over = 0
            for batch in range(1, n_batches + 1):
                upto += step
                over += step_over
                if over >= n_batches:
                    over -= n_batches
                    upto += 1
                offsets[batch] += upto
        if even:
            for batch in range(1, n_batches + 1):
                offsets[batch] = offsets[batch - 1] + n_rows // n_batches + (batch <= n_rows % n_batches)


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
        Shape (n,), n at least the sum of counts. The result; a place beyond that sum is its own.
    """
    cdef int64_t n_batches = free.shape[0]
    cdef int64_t place = 0
    cdef int64_t batch = 0
    cdef int64_t rank, count, over, step, step_over
    cdef Py_ssize_t stratum
    with nogil:
        for stratum in range(counts.shape[0]):
            count = counts[stratum]
            if even:
                for rank in range(count):
                    layout[place] = <int32_t>free[batch]
                    free[batch] += 1
                    place += 1
                    batch = batch + 1 if batch + 1 < n_batches else 0
                continue
            # batch, from 0, is (rank * n_batches - 1) // count and over the remainder, without a division for every row.
            step = n_batches // count
            step_over = n_batches % count
            batch = (n_batches - 1) // count
            over = (n_batches - 1) % count
            for rank in range(count):
                layout[place] = <int32_t>free[batch]
                free[batch] += 1
                place += 1
                batch += step
                over += step_over
                if over >= count:
                    over -= count
                    batch += 1
        while place < layout.shape[0]:
            layout[place] = <int32_t>place
            place += 1
