# cython: language_level=3
"""Declarations for other kernels that draw from a stream."""

cimport pystrat._core as core


cdef class RandomStream:
    cdef core.Generator generator
