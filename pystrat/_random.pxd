# cython: language_level=3
"""What other kernels need to draw from a stream."""

from pystrat._core cimport Generator


cdef class RandomStream:
    cdef Generator generator
