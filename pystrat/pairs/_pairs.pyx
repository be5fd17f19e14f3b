# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The cells of a table that are no positives: drawn directly, whatever their share, and never drawn again.

A cell is ``row * columns + column``. The free cells, those that are no positives, have ranks 0, 1, ... in the order of
their numbers. In front of the j-th positive, counted from 0 in sorted order, lie ``positive[j] - j`` free cells. So the
free cell of rank u is ``u + j``, where j is the number of positives with ``positive[j] - j <= u``. A table of buckets of
ranks tells between which two values j lies: a search looks at one or two positives on average where they are spread
evenly, and at the binary logarithm of their number where they lie in blocks.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

from pystrat._core cimport BLOCK_SIZE, bits_below, draw_subset, index_below, prefetch
from pystrat._core cimport slot_of
from pystrat._random cimport RandomStream


cdef class FreeCells:
    """The free cells of a table, by rank.

    Parameters
    ----------
    positives : numpy.ndarray of int64, shape (number of positives,)
        The cells that are not free: sorted, all different, below `n_cells`. At most 2^31 - 1. Kept, not copied.
    n_cells : int
        From 1 to 2^52.

    Attributes
    ----------
    count : int
        The number of free cells.
    nbytes : int
        The memory of the buckets, at most 2 bytes a positive and 8 more.
    """

    cdef const int64_t[::1] positives
    cdef int32_t[::1] buckets  # how many positives have all their free cells in front of the bucket
    cdef uint32_t shift        # a bucket has 2^shift ranks
    cdef readonly int64_t count

    def __init__(self, const int64_t[::1] positives not None, int64_t n_cells):
        cdef int64_t n_positives = positives.shape[0]
        self.positives = positives
        self.count = n_cells - n_positives
        self.shift = 0
        while (self.count >> self.shift) > n_positives // 2:
            self.shift += 1
        cdef int64_t n_buckets = (self.count >> self.shift) + 1
        self.buckets = np.empty(n_buckets + 1, dtype=np.int32)
        cdef int64_t bucket = 0
        cdef int64_t j
        with nogil:
            for j in range(n_positives):
                while bucket <= n_buckets and bucket <= (positives[j] - j) >> self.shift:
                    self.buckets[bucket] = <int32_t>j
                    bucket += 1
            while bucket <= n_buckets:
                self.buckets[bucket] = <int32_t>n_positives
                bucket += 1

    @property
    def nbytes(self):
        return self.buckets.nbytes

    def cells(self, int64_t[::1] ranks not None):
        """Turn ranks, from 0 to ``count - 1``, into cells, in place."""
        cdef Py_ssize_t begin, i
        cdef Py_ssize_t end = 0
        cdef int64_t first[BLOCK_SIZE]
        cdef int64_t rank, low, high, middle
        with nogil:
            while end < ranks.shape[0]:
                begin = end
                end = min(begin + BLOCK_SIZE, ranks.shape[0])
                for i in range(begin, end):
                    prefetch(&self.buckets[ranks[i] >> self.shift])
                for i in range(begin, end):
                    first[i - begin] = self.buckets[ranks[i] >> self.shift]
                    prefetch(&self.positives[first[i - begin]])
                for i in range(begin, end):
                    rank = ranks[i]
                    low = first[i - begin]
                    high = self.buckets[(rank >> self.shift) + 1]
                    while high - low > 8:
                        middle = (low + high) >> 1
                        if self.positives[middle] - middle <= rank:
                            low = middle + 1
                        else:
                            high = middle
                    while low < high and self.positives[low] - low <= rank:
                        low += 1
                    ranks[i] = rank + low


# R's sample.int() without replacement draws anew what repeats where there is more to draw from, else from a pool.
cdef int64_t HASHED_FROM = 10000000
cdef int64_t LARGEST_POOL = 2147483647


cdef int64_t count_places(
    const int64_t[::1] firsts, const int64_t[::1] limits, const int64_t[::1] counts, bint distinct
) except -1:
    """Return the sum of the counts; refuse what would be written beyond it, or drawn from nothing."""
    cdef int64_t n_places = 0
    cdef Py_ssize_t group
    if firsts.shape[0] != counts.shape[0] or limits.shape[0] != counts.shape[0]:
        raise ValueError("firsts, limits and counts must have one length")
    for group in range(counts.shape[0]):
        if counts[group] < 0 or counts[group] > LARGEST_POOL - n_places:
            raise ValueError("counts must be at least 0, and 2^31 - 1 in all at most")
        if counts[group] > 0 and limits[group] < (counts[group] if distinct else 1):
            raise ValueError("limits must be as large as what is drawn within them")
        n_places += counts[group]
    return n_places


cdef inline bint is_hashed(int64_t limit, int64_t count) noexcept nogil:
    return limit > LARGEST_POOL or (limit > HASHED_FROM and 2 * count <= limit)


cdef inline uint32_t table_bits(int64_t count) noexcept nogil:
    """Return the binary logarithm of the size of a table that `count` numbers fill by half at most."""
    return bits_below(2 * count)


cdef void first_distinct(
    RandomStream stream, int64_t limit, int64_t count, int64_t *table, int64_t *drawn
) noexcept nogil:
    """Draw until there are `count` different numbers below `limit`, in the order of drawing.

    `table` has room for ``2^table_bits(count)`` numbers.
    """
    cdef uint32_t bits = bits_below(limit)
    cdef int shift = 64 - table_bits(count)
    cdef int64_t last = (<int64_t>1 << table_bits(count)) - 1
    cdef int64_t number, place
    cdef int64_t found = 0
    memset(table, 255, (last + 1) * sizeof(int64_t))  # -1 in each place, which is free
    while found < count:
        number = <int64_t>index_below(&stream.generator, limit, bits)
        place = <int64_t>slot_of(number, shift)
        while table[place] >= 0 and table[place] != number:
            place = (place + 1) & last
        if table[place] < 0:
            table[place] = number
            drawn[found] = number
            found += 1


def indices_within(
    RandomStream stream not None,
    const int64_t[::1] firsts not None,
    const int64_t[::1] limits not None,
    const int64_t[::1] counts not None,
):
    """Draw for each group in turn ``counts[g]`` of the numbers ``firsts[g] .. firsts[g] + limits[g] - 1``.

    With replacement: R's ``sample.int(limits[g], counts[g], replace = TRUE)``. A limit is at least 1 where its count is.
    The result is int64 of shape (sum of counts,). What does not fit that is refused.
    """
    drawn = np.empty(count_places(firsts, limits, counts, False), dtype=np.int64)
    cdef int64_t[::1] out = drawn
    cdef Py_ssize_t place = 0
    cdef Py_ssize_t group
    cdef int64_t i
    cdef uint32_t bits
    with nogil:
        for group in range(counts.shape[0]):
            bits = bits_below(limits[group])
            for i in range(counts[group]):
                out[place] = firsts[group] + <int64_t>index_below(&stream.generator, limits[group], bits)
                place += 1
    return drawn


def subsets_within(
    RandomStream stream not None,
    const int64_t[::1] firsts not None,
    const int64_t[::1] limits not None,
    const int64_t[::1] counts not None,
):
    """Draw as `indices_within` does, without replacement: R's ``sample.int(limits[g], counts[g])``.

    A count is at most its limit. A limit above 10^7 of which at most half is drawn, or above 2^31 - 1, takes memory for
    what is drawn only, any other 4 bytes for each number below it.
    """
    drawn = np.empty(count_places(firsts, limits, counts, True), dtype=np.int64)
    cdef int64_t[::1] out = drawn
    if drawn.size == 0:
        return drawn
    cdef int64_t largest_pool = 1
    cdef int64_t largest_count = 1
    cdef int64_t largest_table = 1
    cdef Py_ssize_t group
    for group in range(counts.shape[0]):
        if is_hashed(limits[group], counts[group]):
            largest_table = max(largest_table, <int64_t>1 << table_bits(counts[group]))
        elif counts[group]:
            largest_pool = max(largest_pool, limits[group])
            largest_count = max(largest_count, counts[group])
    cdef int32_t[::1] pool = np.arange(largest_pool, dtype=np.int32)
    cdef int32_t[::1] rows = np.empty(largest_count, dtype=np.int32)
    cdef uint32_t[::1] places = np.empty(largest_count, dtype=np.uint32)
    cdef int64_t[::1] table = np.empty(largest_table, dtype=np.int64)
    cdef Py_ssize_t place = 0
    cdef int64_t i
    with nogil:
        for group in range(counts.shape[0]):
            if counts[group] == 0:
                continue
            if is_hashed(limits[group], counts[group]):
                first_distinct(stream, limits[group], counts[group], &table[0], &out[place])
                for i in range(counts[group]):
                    out[place + i] += firsts[group]
            else:
                draw_subset(
                    &stream.generator, &pool[0], <uint32_t>limits[group], <uint32_t>counts[group], &places[0], &rows[0]
                )
                for i in range(counts[group]):
                    out[place + i] = firsts[group] + rows[i]
            place += counts[group]
    return drawn


def find_cells(const int64_t[::1] positives not None, const int64_t[::1] starts not None, int64_t n_columns,
               const int64_t[::1] cells not None):
    """Tell which cells are positives.

    Parameters
    ----------
    positives
        Shape (number of positives,). Sorted cells.
    starts
        Shape (number of rows of the table + 1,). Where the positives of each row begin.
    n_columns
        Columns of the table.
    cells
        Shape (n,).

    Returns
    -------
    numpy.ndarray of bool, shape (n,)
    """
    found = np.empty(cells.shape[0], dtype=np.bool_)
    cdef uint8_t[::1] out = found.view(np.uint8)
    cdef Py_ssize_t begin, i
    cdef Py_ssize_t end = 0
    cdef int64_t rows[BLOCK_SIZE]
    cdef int64_t low, high, middle
    with nogil:
        while end < cells.shape[0]:
            begin = end
            end = min(begin + BLOCK_SIZE, cells.shape[0])
            for i in range(begin, end):
                rows[i - begin] = cells[i] // n_columns
                prefetch(&starts[rows[i - begin]])
            for i in range(begin, end):
                low = starts[rows[i - begin]]
                high = starts[rows[i - begin] + 1]
                prefetch(&positives[(low + high) >> 1])
            for i in range(begin, end):
                low = starts[rows[i - begin]]
                high = starts[rows[i - begin] + 1]
                while low < high:
                    middle = (low + high) >> 1
                    if positives[middle] < cells[i]:
                        low = middle + 1
                    else:
                        high = middle
                out[i] = low < positives.shape[0] and positives[low] == cells[i]
    return found


def deal_pairs(
    const int32_t[::1] order not None,
    const int64_t[::1] positives not None,
    const int64_t[::1] negatives not None,
    const int64_t[::1] offsets not None,
    int64_t[::1] numbers not None,
):
    """Deal positives and negatives to the batches in turn, the positives first, and write down their pair numbers.

    The number of a pair is twice its cell, and one more where it is a positive.

    Parameters
    ----------
    order
        Shape (n,). A permutation of 0 .. n - 1; a row is a positive, or, beyond these, a negative.
    positives, negatives
        Cells; n in all.
    offsets
        Shape (number of batches + 1,). Where each batch begins; sizes differ by at most 1, the larger ones first.
    numbers
        Shape (n,). The result.
    """
    cdef int64_t n_positives = positives.shape[0]
    cdef int64_t n_batches = offsets.shape[0] - 1
    if not order.shape[0] == n_positives + negatives.shape[0] == numbers.shape[0]:
        raise ValueError("order and numbers must have one place for each positive and negative")
    if n_batches < 1 or offsets[0] != 0 or offsets[n_batches] != order.shape[0]:
        raise ValueError("offsets must begin at 0 and end at the number of pairs")
    # The next place of a positive and of a negative, as a batch and a place in it.
    cdef int64_t batches[2]
    cdef int64_t places[2]
    batches[1], places[1] = 0, 0
    batches[0], places[0] = n_positives % n_batches, n_positives // n_batches
    cdef Py_ssize_t begin, i
    cdef Py_ssize_t end = 0
    cdef int64_t number
    cdef int label
    with nogil:
        while end < order.shape[0]:
            begin = end
            end = min(begin + BLOCK_SIZE, order.shape[0])
            for i in range(begin, end):
                if order[i] < n_positives:
                    prefetch(&positives[order[i]])
                else:
                    prefetch(&negatives[order[i] - n_positives])
            for i in range(begin, end):
                label = order[i] < n_positives
                number = 2 * positives[order[i]] + 1 if label else 2 * negatives[order[i] - n_positives]
                numbers[offsets[batches[label]] + places[label]] = number
                batches[label] += 1
                if batches[label] == n_batches:
                    batches[label] = 0
                    places[label] += 1
