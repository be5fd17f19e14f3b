# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bindings of the core's sum tree (sum_tree.h, weighted.h) for numpy arrays: rows drawn by weights that change.

A call holds the GIL, so that it is a single step for other threads, which may read the weights, except while a signal
handler runs. If the handler raises an error, the weights are restored to those before the call.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

cimport pystrat._core as core
from pystrat._random cimport RandomStream

cdef enum:
    LINE = 8  # numbers in a cache line

# The return values of `WeightTree.fill` and `WeightTree.update`, unless it is the position of a wrong weight.
cdef enum:
    DONE = -1
    OVERFLOW = -2


cdef class WeightTree:
    """A sum tree over the weights of `capacity` rows, initially all zero.

    The caller checks the limits of sizes; weights are checked here.

    Parameters
    ----------
    capacity : int
        From 1 to 2^31 - 1.
    minimum : bool
        Whether to track the smallest positive weight as well.
    """

    cdef core.SumTree tree
    cdef readonly object leaves  # the weights, an array of shape (capacity,); changed only by `update`
    cdef readonly object memory  # all numbers, beginning with the root; `leaves` is a part of it
    cdef readonly object least_memory  # like `memory`, without the leaves; None unless the minimum is tracked

    def __init__(self, Py_ssize_t capacity, bint minimum=False):
        cdef int64_t least_length = core.sum_tree_least_length(capacity)
        cdef double *least = NULL
        self.memory = aligned(core.sum_tree_length(capacity), 0)
        cdef double[::1] numbers = self.memory
        cdef double[::1] least_numbers
        if minimum and least_length:
            self.least_memory = aligned(least_length, INFINITY)
            least_numbers = self.least_memory
            least = &least_numbers[0]
        core.init_sum_tree(&self.tree, capacity, &numbers[0], least, 0)
        self.leaves = self.memory[self.tree.begins[0] : self.tree.begins[0] + capacity]

    @property
    def capacity(self):
        """The largest number of rows."""
        return self.tree.n_rows

    @property
    def n_positive(self):
        """The number of positive weights."""
        return self.tree.n_positive

    @property
    def total(self):
        """The sum of the weights, as stored in the tree."""
        return core.total_of(&self.tree)

    @property
    def minimum(self):
        """The smallest positive weight; infinity if there is none."""
        return core.least_weight_of(&self.tree)

    def fill(self, double[::1] weights not None):
        """Set the weights of the first rows, all of which are zero; return what `update` returns."""
        cdef int64_t count = weights.shape[0], done = 0, end
        cdef int64_t wrong = first_wrong(weights)
        if wrong >= 0:
            return wrong
        try:
            while done < count:
                end = core.step_end(done, count)
                core.fill_rows(&self.tree, &weights[0], done, end)
                done = end
        except BaseException:
            core.clear_rows(&self.tree, 0, done)
            raise
        if core.overflows(&self.tree):
            core.clear_rows(&self.tree, 0, count)
            return OVERFLOW
        return DONE

    def update(self, int64_t[::1] rows not None, double[::1] weights not None):
        """Set the weights of rows, which are all within the capacity; for repeated rows, the last one counts.

        Returns -1, or the position of the first weight that is negative, infinite or NaN, or -2 if the total would
        overflow. In the last two cases nothing changes.
        """
        cdef int64_t count = rows.shape[0], done = 0, end
        cdef int64_t wrong = first_wrong(weights)
        if wrong >= 0 or count == 0:
            return wrong
        cdef double[::1] previous = np.empty(count)
        try:
            while done < count:
                end = core.step_end(done, count)
                core.update_rows(&self.tree, &rows[0], &weights[0], done, end, &previous[0])
                done = end
        except BaseException:
            core.undo_updates(&self.tree, &rows[0], &previous[0], 0, done)
            raise
        if core.overflows(&self.tree):
            core.undo_updates(&self.tree, &rows[0], &previous[0], 0, count)
            return OVERFLOW
        return DONE

    def rows_at(self, values):
        """Return the row in whose share of the total each value of a float64 array lies, as an int32 array."""
        found = np.empty(len(values), dtype=np.int32)
        cdef double[::1] left = np.array(values, dtype=np.float64)
        cdef int32_t[::1] out = found
        if len(found):
            core.find_rows(&self.tree, 1, &left[0], left.shape[0], &out[0])
        return found

    def sample(self, RandomStream stream not None, Py_ssize_t size, Py_ssize_t count, bint sliced=False):
        """Draw `count` times `size` rows with replacement, with two outputs of the generator each.

        With `sliced`, one row is drawn from each of `size` equal slices of the total, in order. At least one weight is
        positive. Returns int32 of shape (count * size,).
        """
        drawn = np.empty((count, size), dtype=np.int32).reshape(-1)  # numpy refuses a product that would overflow
        cdef int32_t[::1] rows = drawn
        if rows.shape[0] == 0:
            return drawn
        cdef int64_t done = 0, end
        while done < rows.shape[0]:
            end = core.step_end(done, rows.shape[0])
            if sliced:
                core.draw_from_slices(&self.tree, &stream.generator, size, done, end, &rows[0])
            else:
                core.draw_by_weight(&self.tree, &stream.generator, end - done, &rows[done])
            done = end
        return drawn

    def sample_without_replacement(self, RandomStream stream not None, Py_ssize_t size, Py_ssize_t count):
        """Draw `count` times `size` different rows, each by its share of what the previous rows have left.

        `size` is at most the number of positive weights. Returns int32 of shape (count * size,).
        """
        drawn = np.empty((count, size), dtype=np.int32).reshape(-1)  # numpy refuses a product that would overflow
        if size == 0 or count == 0:
            return drawn
        cdef int32_t[::1] rows = drawn
        cdef int64_t[::1] table = np.empty(1 << core.hash_set_bits(size), dtype=np.int64)
        cdef int64_t[::1] removed = np.empty(size, dtype=np.int64)
        cdef double[::1] weights = np.empty(size)
        cdef core.DistinctDraw draw
        cdef Py_ssize_t i
        draw.size, draw.table, draw.removed, draw.weights = size, &table[0], &removed[0], &weights[0]
        for i in range(count):
            draw.rows = &rows[i * size]
            core.begin_distinct(&draw)
            try:
                while not core.draw_distinct(&self.tree, &stream.generator, &draw, core.STEP):
                    core.hear_signals()
            except BaseException:
                core.put_back(&self.tree, &draw)
                raise
        return drawn


def first_outside(int64_t[::1] rows not None, int64_t limit):
    """Return the position of the first row that is not from 0 to limit - 1, or -1."""
    cdef int64_t found = DONE, done = 0, end
    while done < rows.shape[0] and found < 0:
        end = core.step_end(done, rows.shape[0])
        found = core.first_outside(&rows[0], done, end, limit)
        done = end
    return found


cdef int64_t first_wrong(double[::1] weights) except? -3:
    """Return the position of the first weight that is negative, infinite or NaN, or -1."""
    cdef int64_t found = DONE, done = 0, end
    while done < weights.shape[0] and found < 0:
        end = core.step_end(done, weights.shape[0])
        found = core.first_wrong_weight(&weights[0], done, end)
        done = end
    return found


cdef object aligned(int64_t size, double value):
    """Return an array that is aligned to a cache line."""
    memory = np.zeros(size + LINE)
    cdef size_t address = memory.ctypes.data
    cdef size_t shift = (LINE - address // sizeof(double) % LINE) % LINE
    array = memory[shift : shift + size]
    if value != 0:
        array[:] = value
    return array
