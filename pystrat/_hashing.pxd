"""Where tables of hashes, for the compiled loops, look for a number first."""

from libc.stdint cimport int64_t, uint64_t


cdef inline uint64_t slot_of(int64_t value, int shift) noexcept nogil:
    """Return the upper ``64 - shift`` bits of a value's hash: its slot in a table of ``2^(64 - shift)`` slots."""
    cdef uint64_t bits = <uint64_t>value
    bits ^= bits >> 32
    return (bits * <uint64_t>0x9E3779B97F4A7C15) >> shift  # 2^64 over the golden ratio
