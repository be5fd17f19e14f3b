/* A set of nonnegative numbers, with which draws find repeated numbers.
 *
 * It is a hash table with open addressing, in 2^bits numbers of the caller's, at most half of which are in use.
 */

#ifndef PYSTRAT_HASH_SET_H
#define PYSTRAT_HASH_SET_H

#include <stdint.h>
#include <string.h>

#include "hashing.h"
#include "random.h"

/* The bits of a table for up to `count` numbers, from 1 to 2^52. */
static inline int hash_set_bits(int64_t count) { return (int)bits_below(2 * (uint64_t)count); }

static inline void empty_hash_set(int64_t *table, int bits) {
  memset(table, 0xFF, sizeof(int64_t) << bits); /* -1 everywhere, which marks free slots */
}

/* Add a number; return 1 if it is new, else 0. */
static inline int add_to_hash_set(int64_t *table, int bits, int64_t number) {
  uint64_t last = (UINT64_C(1) << bits) - 1;
  uint64_t slot = slot_of(number, 64 - bits);
  while (table[slot] >= 0) {
    if (table[slot] == number) return 0;
    slot = (slot + 1) & last;
  }
  table[slot] = number;
  return 1;
}

#endif
