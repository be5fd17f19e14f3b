# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The sum tree: drawing rows by weight, with weights that change.

The leaves are the weights, eight to a node, padded with zeros; a node's eight numbers fill a line of the cache, and
their sum is one of the eight numbers of a node of the level above, up to a single node. A sum is always computed anew
from its eight parts, in one order, so that a tree is bit for bit the one that would be built from its leaves.
"""

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t

from pystrat._core cimport Generator, next_uniform, prefetch
from pystrat._random cimport RandomStream

cdef enum:
    FAN = 8
    MAX_LEVELS = 12  # 8^11 exceeds 2^31
    GROUP = 32       # descents side by side, so that their memory is on its way before it is needed

# What `WeightTree.update` and `WeightTree.sample` return where they did nothing; else it is the place of what is wrong.
cdef enum:
    DONE = -1
    OVERFLOW = -2


cdef inline double sum_of(const double *parts) noexcept nogil:
    return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]))


cdef inline double least_of(const double *parts) noexcept nogil:
    cdef double least = parts[0]
    cdef int i
    for i in range(1, FAN):
        least = parts[i] if parts[i] < least else least
    return least


cdef inline double least_positive_of(const double *parts) noexcept nogil:
    cdef double least = INFINITY
    cdef int i
    for i in range(FAN):
        least = parts[i] if 0 < parts[i] < least else least
    return least


cdef inline Py_ssize_t child_at(const double *parts, double *value) noexcept nogil:
    """Return the child in which a value lies, and leave in `value` how far.

    The sums run from left to right, so that a value in front of a running sum lies in a child that is not zero. Only
    one beyond all seven of them, by rounding, may meet a zero in the last child, and is given to the one before.
    """
    cdef double at = value[0]
    # Variables of their own, and no loop, keep the compiler from reading in pairs what was just written one by one.
    cdef double sum1 = parts[0]
    cdef double sum2 = sum1 + parts[1]
    cdef double sum3 = sum2 + parts[2]
    cdef double sum4 = sum3 + parts[3]
    cdef double sum5 = sum4 + parts[4]
    cdef double sum6 = sum5 + parts[5]
    cdef double sum7 = sum6 + parts[6]
    cdef double before[FAN]
    cdef Py_ssize_t child = (
        (at >= sum1) + (at >= sum2) + (at >= sum3) + (at >= sum4) + (at >= sum5) + (at >= sum6) + (at >= sum7)
    )
    before[0], before[1], before[2], before[3] = 0, sum1, sum2, sum3
    before[4], before[5], before[6], before[7] = sum4, sum5, sum6, sum7
    while parts[child] == 0 and child > 0:
        child -= 1
    value[0] = at - before[child]
    return child


cdef class WeightTree:
    """A sum tree over the weights of `capacity` rows, at first all zero.

    The limits of sizes are the caller's to check; weights and rows are checked here.

    Parameters
    ----------
    capacity : int
        From 1 to 2^31 - 1.
    minimum : bool
        Whether to keep, too, the least positive weight.
    """

    cdef readonly Py_ssize_t capacity
    cdef readonly Py_ssize_t n_positive
    cdef readonly object leaves  # the weights, an array of shape (capacity,); to be changed by `update` only
    cdef readonly object memory  # all numbers, the root's first; `leaves` is a part of it
    cdef readonly object least_memory  # as `memory`, without the leaves; None where the minimum needs none
    cdef double *nodes
    cdef double *least  # as `nodes`, of `least_memory`
    cdef Py_ssize_t n_levels
    cdef Py_ssize_t begins[MAX_LEVELS]  # where the numbers of a level begin; level 0 are the leaves, which come last
    cdef Py_ssize_t sizes[MAX_LEVELS]   # how many they are, without the padding

    def __init__(self, Py_ssize_t capacity, bint minimum=False):
        cdef Py_ssize_t level, size = capacity, begin = 0
        self.capacity = capacity
        self.n_levels = 0
        while True:
            self.sizes[self.n_levels] = size
            self.n_levels += 1
            size = (size + FAN - 1) // FAN
            if size == 1:
                break
        for level in reversed(range(self.n_levels)):
            self.begins[level] = begin
            begin += (self.sizes[level] + FAN - 1) // FAN * FAN
        self.memory = aligned(begin, 0.0)
        cdef double[::1] numbers = self.memory
        self.nodes = &numbers[0]
        self.leaves = self.memory[self.begins[0] : self.begins[0] + capacity]
        self.least = NULL
        if minimum and self.n_levels > 1:
            self.least_memory = aligned(self.begins[0], INFINITY)
            numbers = self.least_memory
            self.least = &numbers[0]

    @property
    def total(self):
        """The sum of the weights, as the tree has it."""
        return sum_of(self.nodes)

    @property
    def minimum(self):
        """The least positive weight; infinity where there is none."""
        return least_of(self.least) if self.least != NULL else least_positive_of(self.nodes)

    def fill(self, double[::1] weights not None):
        """Set the weights of the first rows; return -1, or what `update` returns, and then all weights are zero."""
        cdef double *leaf = self.nodes + self.begins[0]
        cdef Py_ssize_t i, wrong = first_wrong_weight(weights)
        if wrong >= 0:
            return wrong
        self.n_positive = 0
        for i in range(weights.shape[0]):
            leaf[i] = weights[i] + 0.0  # no -0
            self.n_positive += leaf[i] > 0
        self._refresh_all()
        if sum_of(self.nodes) > DBL_MAX:
            for i in range(weights.shape[0]):
                leaf[i] = 0
            self.n_positive = 0
            self._refresh_all()
            return OVERFLOW
        return DONE

    def update(self, int64_t[::1] rows not None, double[::1] weights not None):
        """Set the weights of rows, which are all within the capacity; of repeated ones the last counts.

        Returns -1; or the place of the first weight that is negative, infinite or NaN; or -2 where the total would
        overflow. In both cases nothing has changed.
        """
        cdef double *leaf = self.nodes + self.begins[0]
        cdef Py_ssize_t count = rows.shape[0]
        cdef Py_ssize_t i, wrong = first_wrong_weight(weights)
        if wrong >= 0 or count == 0:
            return wrong
        cdef double[::1] previous = np.empty(count)
        for i in range(count):
            prefetch(leaf + rows[i])
        for i in range(count):
            previous[i] = leaf[rows[i]]
            leaf[rows[i]] = weights[i] + 0.0
            self.n_positive += (weights[i] > 0) - (previous[i] > 0)
        self._refresh(&rows[0], count)
        if sum_of(self.nodes) > DBL_MAX:
            for i in reversed(range(count)):
                self.n_positive += (previous[i] > 0) - (leaf[rows[i]] > 0)
                leaf[rows[i]] = previous[i]
            self._refresh(&rows[0], count)
            return OVERFLOW
        return DONE

    def rows_at(self, values):
        """Return the row in whose share of the total each of the values lies, a float64 array; int32 array."""
        found = np.empty(len(values), dtype=np.int32)
        cdef double[::1] left = np.array(values, dtype=np.float64)
        cdef int32_t[::1] out = found
        if len(found):
            self._descend(&left[0], &out[0], left.shape[0])
        return found

    def sample(self, RandomStream stream not None, Py_ssize_t size, Py_ssize_t count, bint sliced=False):
        """Draw `count` times `size` rows with replacement, by two outputs of the generator each.

        With `sliced`, one row from each of `size` equal slices of the total, in their order. Some weight is positive.
        Returns int32 of shape (count * size,).
        """
        drawn = np.empty((count, size), dtype=np.int32).reshape(-1)  # numpy refuses a product that would wrap
        cdef int32_t[::1] rows = drawn
        cdef double values[GROUP]
        cdef double total = sum_of(self.nodes)
        cdef Py_ssize_t done = 0, all_rows = drawn.shape[0], wanted, i
        while done < all_rows:
            wanted = min(<Py_ssize_t>GROUP, all_rows - done)
            for i in range(wanted):
                values[i] = next_uniform(&stream.generator)
            if sliced:
                for i in range(wanted):
                    values[i] = (<double>((done + i) % size) + values[i]) / <double>size
            for i in range(wanted):
                values[i] *= total
            self._descend(values, &rows[done], wanted)
            done += wanted
        return drawn

    def sample_without_replacement(self, RandomStream stream not None, Py_ssize_t size, Py_ssize_t count):
        """Draw `count` times `size` different rows, each by its share of what the rows before it have left.

        `size` is at most the number of positive weights. Returns int32 of shape (count * size,).
        """
        drawn = np.empty((count, size), dtype=np.int32).reshape(-1)  # numpy refuses a product that would wrap
        if size == 0 or count == 0:
            return drawn
        cdef int32_t[::1] rows = drawn
        cdef uint64_t mask = 4
        while mask < 4 * <uint64_t>size:
            mask *= 2
        cdef int32_t[::1] table = np.full(mask, -1, dtype=np.int32)
        cdef double[::1] weights
        cdef int64_t[::1] removed
        cdef Py_ssize_t i, found
        for i in range(count):
            found = self._without_repeats(&stream.generator, &rows[i * size], size, &table[0], mask - 1)
            if found < size:
                weights = np.empty(size)
                removed = np.empty(size, dtype=np.int64)
                self._go_on_by_removal(
                    &stream.generator, &rows[i * size], found, size, &weights[0], &removed[0]
                )
        return drawn

    cdef Py_ssize_t _without_repeats(
        self, Generator *generator, int32_t *rows, Py_ssize_t size, int32_t *table, uint64_t mask
    ) noexcept nogil:
        """Draw with replacement, 2 `size` times at most, and drop what repeats; return how many rows that gave."""
        cdef double values[GROUP]
        cdef double total = sum_of(self.nodes)
        cdef Py_ssize_t drawn = 0, tries = 0, wanted, i
        cdef int32_t row
        while drawn < size and tries < 2 * size:
            wanted = min(<Py_ssize_t>GROUP, size - drawn, 2 * size - tries)
            for i in range(wanted):
                values[i] = next_uniform(generator) * total
            self._descend(values, rows + drawn, wanted)
            tries += wanted
            for i in range(drawn, drawn + wanted):
                row = rows[i]
                if add_to_table(table, mask, row):
                    rows[drawn] = row
                    drawn += 1
        for i in range(drawn):
            empty_table(table, mask, rows[i])
        return drawn

    cdef void _go_on_by_removal(
        self, Generator *generator, int32_t *rows, Py_ssize_t drawn, Py_ssize_t size, double *weights, int64_t *removed
    ) noexcept nogil:
        """Draw the rest of the rows from the tree without those drawn before, and restore it."""
        cdef double *leaf = self.nodes + self.begins[0]
        cdef double value
        cdef Py_ssize_t i
        for i in range(drawn):
            removed[i] = rows[i]
            weights[i] = leaf[rows[i]]
            leaf[rows[i]] = 0
        self._refresh(removed, drawn)
        for i in range(drawn, size):
            value = next_uniform(generator) * sum_of(self.nodes)
            self._descend(&value, &rows[i], 1)
            removed[i] = rows[i]
            weights[i] = leaf[rows[i]]
            leaf[rows[i]] = 0
            self._refresh(&removed[i], 1)
        for i in range(size):
            leaf[rows[i]] = weights[i]
        self._refresh(removed, size)

    cdef void _descend(self, double *values, int32_t *rows, Py_ssize_t count) noexcept nogil:
        """Find the rows in whose shares the values lie; the values are used up."""
        cdef Py_ssize_t places[GROUP]
        cdef Py_ssize_t first = 0
        cdef Py_ssize_t wanted, level, i
        cdef const double *numbers
        while first < count:
            wanted = min(<Py_ssize_t>GROUP, count - first)
            for i in range(wanted):
                places[i] = 0
            for level in range(self.n_levels - 1, 0, -1):
                numbers = self.nodes + self.begins[level]
                for i in range(wanted):
                    places[i] = places[i] * FAN + child_at(numbers + places[i] * FAN, &values[first + i])
                    prefetch(self.nodes + self.begins[level - 1] + places[i] * FAN)
            numbers = self.nodes + self.begins[0]
            for i in range(wanted):
                rows[first + i] = <int32_t>(
                    places[i] * FAN + child_at(numbers + places[i] * FAN, &values[first + i])
                )
            first += wanted

    cdef void _refresh(self, const int64_t *rows, Py_ssize_t count) noexcept nogil:
        """Compute the sums above some rows, level by level."""
        cdef Py_ssize_t level, i
        cdef int64_t node, last
        cdef int shift = 0
        for level in range(1, self.n_levels):
            shift += 3
            if self.sizes[level] <= count:
                self._refresh_level(level)
                continue
            last = -1
            for i in range(count):
                node = rows[i] >> shift
                if node != last:
                    self._refresh_node(level, node)
                last = node

    cdef void _refresh_all(self) noexcept nogil:
        cdef Py_ssize_t level
        for level in range(1, self.n_levels):
            self._refresh_level(level)

    cdef void _refresh_level(self, Py_ssize_t level) noexcept nogil:
        cdef Py_ssize_t node
        for node in range(self.sizes[level]):
            self._refresh_node(level, node)

    cdef inline void _refresh_node(self, Py_ssize_t level, Py_ssize_t node) noexcept nogil:
        cdef Py_ssize_t below = self.begins[level - 1] + node * FAN
        self.nodes[self.begins[level] + node] = sum_of(self.nodes + below)
        if self.least == NULL:
            return
        if level == 1:
            self.least[self.begins[1] + node] = least_positive_of(self.nodes + below)
        else:
            self.least[self.begins[level] + node] = least_of(self.least + below)


def first_outside(int64_t[::1] rows not None, int64_t limit):
    """Return the place of the first row that is not from 0 to limit - 1, or -1."""
    cdef Py_ssize_t i
    for i in range(rows.shape[0]):
        if not 0 <= rows[i] < limit:
            return i
    return DONE


cdef Py_ssize_t first_wrong_weight(double[::1] weights) noexcept nogil:
    """Return the place of the first weight that is negative, infinite or NaN, or -1."""
    cdef Py_ssize_t i
    for i in range(weights.shape[0]):
        if not 0 <= weights[i] <= DBL_MAX:
            return i
    return DONE


cdef inline uint64_t slot_of(int32_t row) noexcept nogil:
    return (<uint64_t>row * <uint64_t>0x9E3779B97F4A7C15) >> 32


cdef inline bint add_to_table(int32_t *table, uint64_t mask, int32_t row) noexcept nogil:
    """Add a row to a table of places with open addressing, at most a quarter of which are taken; tell whether it is new."""
    cdef uint64_t slot = slot_of(row) & mask
    while table[slot] != -1:
        if table[slot] == row:
            return False
        slot = (slot + 1) & mask
    table[slot] = row
    return True


cdef inline void empty_table(int32_t *table, uint64_t mask, int32_t row) noexcept nogil:
    """Empty the places where this row, and whatever else it went past, may stand."""
    cdef uint64_t slot = slot_of(row) & mask
    while table[slot] != -1:
        table[slot] = -1
        slot = (slot + 1) & mask


cdef object aligned(Py_ssize_t size, double value):
    """Return an array that begins with a line of the cache."""
    memory = np.zeros(size + FAN)
    cdef size_t address = memory.ctypes.data
    cdef size_t shift = (FAN - address // sizeof(double) % FAN) % FAN
    array = memory[shift : shift + size]
    if value != 0:
        array[:] = value
    return array
