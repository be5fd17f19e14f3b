/* The set of numbers: each is new exactly once, also in a table that is half full. */

#include <stdlib.h>

#include "check.h"
#include "hash_set.h"

static void numbers_are_new_once(int64_t count, int64_t step) {
  int bits = hash_set_bits(count);
  int64_t *table = malloc(sizeof(int64_t) << bits);
  CHECK((INT64_C(1) << bits) >= 2 * count);
  for (int round = 0; round < 2; round++) {
    empty_hash_set(table, bits);
    for (int64_t i = 0; i < count; i++) CHECK(add_to_hash_set(table, bits, i * step) == 1);
    for (int64_t i = 0; i < count; i++) CHECK(add_to_hash_set(table, bits, i * step) == 0);
  }
  free(table);
}

int main(void) {
  const int64_t counts[] = {1, 2, 3, 31, 32, 33, 1000};
  const int64_t steps[] = {1, 7, INT64_C(1) << 20, INT64_C(1) << 40};
  for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
    for (size_t j = 0; j < sizeof(steps) / sizeof(steps[0]); j++) numbers_are_new_once(counts[i], steps[j]);
  }
  return 0;
}
