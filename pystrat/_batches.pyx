# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The batches of a finished epoch: as lists of Python ints, each made when it is requested, and every n-th of them."""

import numpy as np

from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.long cimport PyLong_FromLong
from cpython.ref cimport Py_INCREF

from libc.stdint cimport int32_t, int64_t, uint8_t

cdef extern from "batches.h" nogil:
    int64_t part_length(int64_t n_batches, int64_t first, int64_t step)
    bint batch_is_within(const int64_t *offsets, int64_t batch, int64_t n_rows)
    int64_t fill_part_offsets(
        const int64_t *offsets, int64_t n_batches, int64_t n_rows, int64_t first, int64_t step, int64_t *part_offsets
    )
    void copy_part(
        const void *rows, size_t item_size, const int64_t *offsets, int64_t first, int64_t step,
        const int64_t *part_offsets, int64_t begin, int64_t end, void *part_rows
    )


cdef check_batch(const int64_t[::1] offsets, Py_ssize_t batch, Py_ssize_t n_rows):
    """Raise IndexError if the offsets of a batch lie outside the rows."""
    if not batch_is_within(&offsets[0], batch, n_rows):
        begin, end = offsets[batch], offsets[batch + 1]
        raise IndexError(f"batch {batch} has the offsets {begin} and {end} in {n_rows} rows")


cdef class BatchLists:
    """An iterator over the batches first, first + step, ... of an epoch.

    It yields ``rows[offsets[b]:offsets[b + 1]].tolist()`` for each of these batches, without intermediate arrays.

    Parameters
    ----------
    rows : numpy.ndarray of int32, shape (number of rows,)
        Row positions, batch after batch; contiguous.
    offsets : numpy.ndarray of int64, shape (number of batches + 1,)
        Where each batch begins, and where the last one ends; contiguous.
    first, step : int
        The first batch, not negative, and the step, positive.

    Raises
    ------
    IndexError
        At a batch whose offsets are outside the rows.
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
        check_batch(self.offsets, self.batch, self.rows.shape[0])
        cdef int64_t begin = self.offsets[self.batch]
        cdef Py_ssize_t place, size = self.offsets[self.batch + 1] - begin
        cdef list batch = PyList_New(size)
        cdef object row
        for place in range(size):
            row = PyLong_FromLong(self.rows[begin + place])
            Py_INCREF(row)  # the list keeps its own reference
            PyList_SET_ITEM(batch, place, row)
        self.batch += self.step
        return batch


def gather_part(
    const uint8_t[::1] rows, Py_ssize_t item_size, const int64_t[::1] offsets, Py_ssize_t first, Py_ssize_t step
):
    """Copy the batches first, first + step, ... of an epoch into a new array.

    Parameters
    ----------
    rows : numpy.ndarray of uint8, shape (number of rows * item_size,)
        The bytes of the row positions, batch after batch; contiguous.
    item_size : int
        The number of bytes of a row position.
    offsets : numpy.ndarray of int64, shape (number of batches + 1,)
        Where each batch begins, in rows, and where the last one ends; contiguous.
    first, step : int
        The first batch, not negative, and the step, positive.

    Returns
    -------
    tuple of numpy.ndarray
        The bytes and the offsets of these batches.

    Raises
    ------
    IndexError
        At a batch whose offsets are outside the rows.
    """
    cdef int64_t n_batches = offsets.shape[0] - 1
    cdef int64_t n_rows = rows.shape[0] // item_size
    cdef int64_t length = part_length(n_batches, first, step)
    part_offsets = np.empty(length + 1, dtype=np.int64)
    cdef int64_t[::1] ends = part_offsets
    cdef int64_t outside
    with nogil:
        outside = fill_part_offsets(&offsets[0], n_batches, n_rows, first, step, &ends[0])
    if outside >= 0:
        check_batch(offsets, outside, n_rows)
    part_rows = np.empty(ends[length] * item_size, dtype=np.uint8)
    cdef uint8_t[::1] out = part_rows
    with nogil:
        copy_part(&rows[0], item_size, &offsets[0], first, step, &ends[0], 0, length, &out[0])
    return part_rows, part_offsets
