# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The batches of a finished epoch as lists of Python ints, each made when it is asked for."""

from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.long cimport PyLong_FromLong
from cpython.ref cimport Py_INCREF

from libc.stdint cimport int32_t, int64_t


cdef class BatchLists:
    """An iterator over the batches first, first + step, ... of an epoch.

    It gives what ``rows[offsets[b]:offsets[b + 1]].tolist()`` gives for each of these batches, without the arrays in
    between.

    Parameters
    ----------
    rows : numpy.ndarray of int32, shape (number of rows,)
        Row positions, batch after batch; contiguous.
    offsets : numpy.ndarray of int64, shape (number of batches + 1,)
        Where each batch begins, and where the last one ends; contiguous.
    first, step : int
        Which batches; not negative, and the step positive.

    Raises
    ------
    IndexError
        At a batch whose offsets lie outside the rows.
    """

    cdef const int32_t[::1] rows
    cdef const int64_t[::1] offsets
    cdef Py_ssize_t batch, step

    def __init__(self, const int32_t[::1] rows, const int64_t[::1] offsets, Py_ssize_t first, Py_ssize_t step):
        self.rows = rows
        self.offsets = offsets
        self.batch = first
        self.step = step

    def __iter__(self):
        return self

    def __next__(self):
        if self.batch >= self.offsets.shape[0] - 1:
            raise StopIteration
        cdef int64_t begin = self.offsets[self.batch]
        cdef int64_t end = self.offsets[self.batch + 1]
        if not 0 <= begin <= end <= self.rows.shape[0]:
            raise IndexError(f"batch {self.batch} has the offsets {begin} and {end} in {self.rows.shape[0]} rows")
        cdef Py_ssize_t place, size = end - begin
        cdef list batch = PyList_New(size)
        cdef object row
        for place in range(size):
            row = PyLong_FromLong(self.rows[begin + place])
            Py_INCREF(row)  # the list keeps a reference of its own
            PyList_SET_ITEM(batch, place, row)
        self.batch += self.step
        return batch
