/* A set of nonnegative numbers, with which draws find repeated numbers. It is a hash table with open addressing. */

#pragma once

#include <vector>

#include "generator.hpp"

namespace pystrat {

class HashSet {
 public:
  /* Become empty, with room for up to `count` numbers, from 1 to 2^52: at most half of the table is in use. */
  void reset(int64_t count) {
    bits = bits_below(2 * count);
    table.assign(size_t(1) << bits, FREE);
  }

  /* Add a number; return whether it is new. */
  bool add(int64_t number) {
    uint64_t mixed = static_cast<uint64_t>(number) ^ static_cast<uint64_t>(number) >> 32;
    uint64_t slot = (mixed * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - bits); /* 2^64 divided by the golden ratio */
    while (table[slot] != FREE) {
      if (table[slot] == number) return false;
      slot = (slot + 1) & (table.size() - 1);
    }
    table[slot] = number;
    return true;
  }

 private:
  static constexpr int64_t FREE = -1;
  std::vector<int64_t> table;
  uint32_t bits = 0;
};

}  // namespace pystrat
