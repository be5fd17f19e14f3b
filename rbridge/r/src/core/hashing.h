/* The first slot to try in a hash table. */

#ifndef PYSTRAT_HASHING_H
#define PYSTRAT_HASHING_H

#include <stdint.h>

/* The slot of a value in a table of 2^(64 - shift): the upper bits of its hash. The shift is from 0 to 63. */
static inline uint64_t slot_of(int64_t value, int shift) {
  uint64_t bits = (uint64_t)value;
  bits ^= bits >> 32;
  return (bits * UINT64_C(0x9E3779B97F4A7C15)) >> shift; /* 2^64 divided by the golden ratio */
}

#endif
