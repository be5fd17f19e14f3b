# cython: language_level=3
# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Streams of R's generator, for samplers that draw more than one permutation an epoch."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from pystrat._generator cimport Generator, index_below, next_rows, next_uniform, seed_generator


cdef class RandomStream:
    """What follows R's ``set.seed(seed)``, drawn in whole arrays.

    Drawing in several calls gives what one call for all of it gives. The limits are the caller's to check.

    Parameters
    ----------
    seed : int
        From 0 to 2^31 - 1.
    """

    cdef Generator generator

    def __init__(self, uint32_t seed):
        seed_generator(&self.generator, seed)

    def indices(self, uint64_t limit, Py_ssize_t count):
        """Draw with replacement from 0 .. limit - 1: R's ``sample.int(limit, count, replace = TRUE) - 1``.

        `limit` is from 1 to 2^53; the result is int64 of shape (count,).
        """
        drawn = np.empty(count, dtype=np.int64)
        cdef int64_t[::1] out = drawn
        cdef Py_ssize_t i
        with nogil:
            for i in range(count):
                out[i] = <int64_t>index_below(&self.generator, limit)
        return drawn

    def uniforms(self, Py_ssize_t count):
        """Draw multiples of 2^-53 in [0, 1), two outputs of the generator each; float64 of shape (count,)."""
        drawn = np.empty(count, dtype=np.float64)
        cdef double[::1] out = drawn
        cdef Py_ssize_t i
        with nogil:
            for i in range(count):
                out[i] = next_uniform(&self.generator)
        return drawn

    def permutation(self, uint32_t n_rows):
        """Draw without replacement: R's ``sample.int(n_rows) - 1``, int32 of shape (n_rows,), at most 2^31 - 1."""
        order = np.empty(n_rows, dtype=np.int32)
        if n_rows == 0:
            return order
        cdef int32_t[::1] pool = np.arange(n_rows, dtype=np.int32)
        cdef int32_t[::1] out = order
        cdef uint32_t left = n_rows
        cdef Py_ssize_t done = 0
        cdef uint32_t count
        with nogil:
            while left > 0:
                count = next_rows(&self.generator, &pool[0], left, &out[done])
                done += count
                left -= count
        return order
