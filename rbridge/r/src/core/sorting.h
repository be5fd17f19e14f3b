/* Numbers in ascending order, and places in the order of their numbers. */

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

/* Sort the places 0, ..., count - 1 by their numbers, which are below 2^bits; places of equal numbers stay in order.
 *
 * `places` and `other` have room for `count`. Return where the sorted places are, in one of both, or NULL.
 */
static inline int32_t *sort_places(
    const int64_t *numbers, int32_t *places, int32_t *other, int64_t count, int64_t bits, Host *host
) {
  for (int64_t place = 0; place < count; place++) places[place] = (int32_t)place;
  for (int64_t shift = 0; shift < bits; shift += MOST_DIGIT_BITS) {
    int64_t mask = (INT64_C(1) << MOST_DIGIT_BITS) - 1, begins[(1 << MOST_DIGIT_BITS) + 1] = {0};
    for (int64_t i = 0; i < count; i++) begins[(numbers[i] >> shift & mask) + 1] += 1;
    for (int64_t value = 0; value < mask; value++) begins[value + 1] += begins[value];
    for (int64_t begin = 0, end; begin < count; begin = end) {
      end = smaller(begin + GO_ON_ROWS, count);
      for (int64_t i = begin; i < end; i++) other[begins[numbers[places[i]] >> shift & mask]++] = places[i];
      if (!host->go_on(host)) return NULL;
    }
    int32_t *sorted = other;
    other = places;
    places = sorted;
  }
  return places;
}

#endif
