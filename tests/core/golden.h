/* Shared by the programs that read golden vectors on standard input, as integers.
 *
 * A list is its length; how many numbers of its beginning follow, and these; how many of its end, and these; and its
 * checksum, the sum of (i * x_i) mod (2^31 - 1), i from 1.
 */

#ifndef PYSTRAT_GOLDEN_H
#define PYSTRAT_GOLDEN_H

#include "check.h"

static inline int64_t read_number(void) {
  int64_t number;
  CHECK_EQUAL(scanf("%" SCNd64, &number), 1);
  return number;
}

static inline void check_list(const int64_t *values, int64_t length) {
  CHECK_EQUAL(length, read_number());
  int64_t n_head = read_number();
  CHECK(n_head <= length);
  for (int64_t i = 0; i < n_head; i++) CHECK_EQUAL(values[i], read_number());
  int64_t n_tail = read_number();
  CHECK(n_tail <= length);
  for (int64_t i = length - n_tail; i < length; i++) CHECK_EQUAL(values[i], read_number());
  int64_t checksum = 0;
  for (int64_t i = 0; i < length; i++) checksum = (checksum + (i + 1) * values[i]) % 2147483647;
  CHECK_EQUAL(checksum, read_number());
}

#endif
