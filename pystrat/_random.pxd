# cython: language_level=3
"""Declarations for other kernels that draw from a stream."""

from libc.stdint cimport int32_t, uint32_t

cimport pystrat._core as core


cdef class RandomStream:
    cdef core.Generator generator


cdef inline int take_rows(
    core.Generator *generator, int32_t *pool, uint32_t left, uint32_t size, int32_t *rows
) except -1 nogil:
    """Take rows out of a pool as the core does, and check for signals."""
    cdef uint32_t done = 0, end
    while done < size:
        end = <uint32_t>core.step_end(done, size)
        core.take_rows(generator, pool, left - done, end - done, &rows[done])
        done = end
    return 0
