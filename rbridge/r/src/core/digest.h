/* A digest of named vectors, 64 bits: equal vectors have equal digests, on every machine and in every language.
 *
 * It guards against mistakes and not against forgery: whoever may write a state may also copy a digest.
 */

#ifndef PYSTRAT_DIGEST_H
#define PYSTRAT_DIGEST_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  uint64_t hash;
} Digest;

/* Add 8 bytes. For a given word, each hash has another successor; for a given hash, each word has another one. */
static inline void digest_word(Digest *digest, uint64_t word) {
  uint64_t hash = (digest->hash ^ word) * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 divided by the golden ratio */
  hash ^= hash >> 32;
  hash *= UINT64_C(0xD6E8FEB86659FD93); /* the multiplier of P. Evensen's rrmxmx */
  digest->hash = hash ^ hash >> 29;
}

/* Add a number by its value: the same in all types, -0 as 0, and all NaN as one. */
static inline void digest_number(Digest *digest, double number) {
  uint64_t word = UINT64_C(0x7FF8000000000000);
  number += 0.0; /* -0 becomes 0 */
  if (!isnan(number)) memcpy(&word, &number, sizeof word);
  digest_word(digest, word);
}

/* Add bytes and their number, on machines of any byte order. */
static inline void digest_bytes(Digest *digest, const uint8_t *bytes, int64_t size) {
  digest_word(digest, (uint64_t)size);
  for (int64_t begin = 0; begin < size; begin += 8) {
    uint64_t word = 0;
    int64_t end = begin + 8 < size ? begin + 8 : size;
    for (int64_t i = begin; i < end; i++) word |= (uint64_t)bytes[i] << 8 * (i - begin);
    digest_word(digest, word);
  }
}

#endif
