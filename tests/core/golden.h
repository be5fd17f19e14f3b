/* Shared by the programs that check golden vectors. Standard input has the number of cases, then the cases, as
 * integers; golden_numbers.py writes them. The number goes to standard output once all cases have been met.
 *
 * A double is the integer with the same bits. A list is its length; how many numbers of its beginning follow, and
 * these; how many of its end, and these; and its checksum, the sum of (i * x_i) mod (2^31 - 1), i from 1.
 */

#ifndef PYSTRAT_GOLDEN_H
#define PYSTRAT_GOLDEN_H

#include <string.h>

#include "check.h"

static inline int64_t next_number(void) {
  int64_t number;
  CHECK_EQUAL(scanf("%" SCNd64, &number), 1);
  return number;
}

static inline double read_double(void) {
  int64_t bits = next_number();
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

static inline void check_list(const int64_t *values, int64_t length) {
  CHECK_EQUAL(length, next_number());
  int64_t n_head = next_number();
  CHECK(n_head <= length);
  for (int64_t i = 0; i < n_head; i++) CHECK_EQUAL(values[i], next_number());
  int64_t n_tail = next_number();
  CHECK(n_tail <= length);
  for (int64_t i = length - n_tail; i < length; i++) CHECK_EQUAL(values[i], next_number());
  int64_t checksum = 0;
  for (int64_t i = 0; i < length; i++) checksum = (checksum + (i + 1) * values[i]) % 2147483647;
  CHECK_EQUAL(checksum, next_number());
}

/* Compare rows that count from first_row with a list that counts from 0. */
static inline void check_rows(const int32_t *rows, int64_t length, int32_t first_row) {
  int64_t *wide = new_array(length, sizeof *wide);
  for (int64_t i = 0; i < length; i++) wide[i] = rows[i] - first_row;
  check_list(wide, length);
  free(wide);
}

/* Compare the sizes of batches, from their n_batches + 1 offsets, with a list. */
static inline void check_sizes(const int64_t *offsets, int64_t n_batches) {
  int64_t *sizes = new_array(n_batches, sizeof *sizes);
  for (int64_t batch = 0; batch < n_batches; batch++) sizes[batch] = offsets[batch + 1] - offsets[batch];
  check_list(sizes, n_batches);
  free(sizes);
}

/* Check all cases; nothing may follow them. */
static inline void check_cases(void (*check_case)(void)) {
  int64_t n_cases = next_number();
  for (int64_t i = 0; i < n_cases; i++) check_case();
  int64_t beyond;
  CHECK_EQUAL(scanf("%" SCNd64, &beyond), EOF);
  printf("%" PRId64 "\n", n_cases);
}

#endif
