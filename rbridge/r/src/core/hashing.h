/* The first slot to try in a hash table, and hashes of text. */

#ifndef PYSTRAT_HASHING_H
#define PYSTRAT_HASHING_H

#include <stdint.h>

/* The slot of a value in a table of 2^(64 - shift): the upper bits of its hash. The shift is from 0 to 63. */
static inline uint64_t slot_of(int64_t value, int shift) {
  uint64_t bits = (uint64_t)value;
  bits ^= bits >> 32;
  return (bits * UINT64_C(0x9E3779B97F4A7C15)) >> shift; /* 2^64 divided by the golden ratio */
}

/* A hash of bytes: that of G. Fowler, L. C. Noll and K.-P. Vo (FNV-1a). */
static inline uint64_t hash_of_bytes(const uint8_t *bytes, int64_t size) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (int64_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
  return hash;
}

#endif
