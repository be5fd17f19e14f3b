/* Numbers in ascending order. */

#ifndef PYSTRAT_SORTING_H
#define PYSTRAT_SORTING_H

#include "host.h"

enum { MOST_DIGIT_BITS = 11 };

/* Sort numbers below 2^bits, digit by digit; return where they are, in `numbers` or in `other`, or NULL. */
static inline int64_t *sort_naturals(int64_t *numbers, int64_t *other, int64_t count, int64_t bits, Host *host) {
  int64_t n_digits = (bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
  for (int64_t digit = 0; digit < n_digits; digit++) {
    int64_t shift = digit * bits / n_digits, mask = (INT64_C(1) << ((digit + 1) * bits / n_digits - shift)) - 1;
    int64_t places[(1 << MOST_DIGIT_BITS) + 1] = {0};
    for (int64_t i = 0; i < count; i++) places[(numbers[i] >> shift & mask) + 1] += 1;
    for (int64_t value = 0; value < mask; value++) places[value + 1] += places[value];
    for (int64_t begin = 0, end; begin < count; begin = end) {
      end = smaller(begin + GO_ON_ROWS, count);
      for (int64_t i = begin; i < end; i++) other[places[numbers[i] >> shift & mask]++] = numbers[i];
      if (!host->go_on(host)) return NULL;
    }
    int64_t *sorted = other;
    other = numbers;
    numbers = sorted;
  }
  return numbers;
}

#endif
