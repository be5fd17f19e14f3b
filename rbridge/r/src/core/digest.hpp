/* A digest of named vectors, 64 bits: equal vectors have equal digests, on every machine and in every language.
 *
 * It guards against mistakes and not against forgery: whoever may write a state may also copy a digest.
 */

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace pystrat {

struct Digest {
  uint64_t hash = 0;

  /* Add 8 bytes. For a given word, each hash has another successor; for a given hash, each word has another one. */
  void add_word(uint64_t word) {
    uint64_t mixed = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 divided by the golden ratio */
    mixed ^= mixed >> 32;
    mixed *= UINT64_C(0xD6E8FEB86659FD93); /* the multiplier of P. Evensen's rrmxmx */
    hash = mixed ^ mixed >> 29;
  }

  /* Add a number by its value: the same in all types, -0 as 0, and all NaN as one. */
  void add_number(double number) {
    uint64_t word = UINT64_C(0x7FF8000000000000);
    number += 0.0; /* -0 becomes 0 */
    if (!std::isnan(number)) std::memcpy(&word, &number, sizeof word);
    add_word(word);
  }

  /* Add bytes and their number, on machines of any byte order. */
  void add_bytes(const uint8_t *bytes, int64_t size) {
    add_word(static_cast<uint64_t>(size));
    for (int64_t begin = 0; begin < size; begin += 8) {
      uint64_t word = 0;
      int64_t end = std::min(begin + 8, size);
      for (int64_t i = begin; i < end; i++) word |= static_cast<uint64_t>(bytes[i]) << 8 * (i - begin);
      add_word(word);
    }
  }
};

}  // namespace pystrat
