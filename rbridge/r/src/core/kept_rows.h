/* How many rows a multiplier keeps, in exact numbers. */

#ifndef PYSTRAT_KEPT_ROWS_H
#define PYSTRAT_KEPT_ROWS_H

#include <stdlib.h>

#include "request.h"

/* Return floor(multiplier * minority + 1/2), where the multiplier is the decimal number of 15 digits that is shown. */
static inline double decimal_multiple(double multiplier, int64_t minority) {
  enum { N_DIGITS = 15 };
  char shown[SENTENCE];
  int digits[N_DIGITS], n_digits = 0;
  snprintf(shown, SENTENCE, "%.14e", multiplier);
  const char *at = shown;
  for (; *at != 'e'; at++) {
    if (*at >= '0' && *at <= '9') digits[n_digits++] = *at - '0';
  }
  long n_whole = strtol(at + 1, NULL, 10) + 1;
  if (n_whole > N_DIGITS) return INFINITY;
  double whole = 0;
  for (int place = 0; place < n_whole; place++) whole = 10 * whole + digits[place];
  /* Multiplication by hand, from the last decimal on: `carry` is what the decimals add. */
  int64_t carry = 0, decimal = 0;
  for (long place = N_DIGITS - 1; place >= n_whole; place--) {
    int64_t product = (place < 0 ? 0 : digits[place]) * minority + carry;
    decimal = product % 10;
    carry = product / 10;
  }
  return whole * (double)minority + (double)(carry + (decimal >= 5));
}

/* Return the same for a fraction, whose terms are below 2^53; its denominator is at most 2^32. */
static inline double fractional_multiple(double numerator, double denominator, int64_t minority) {
  uint64_t by = (uint64_t)denominator, whole = (uint64_t)numerator / by, rest = (uint64_t)numerator % by;
  uint64_t half = rest * (uint64_t)minority; /* below 2^63 */
  return (double)whole * (double)minority + (double)(half / by + (2 * (half % by) >= by));
}

/* Find the rows that the multiplier, or its item, keeps of `count` rows; refuse to keep none. */
static inline bool keep_multiple(
    const Parts *request, double multiplier, int64_t item, int64_t minority, int64_t count, int64_t *kept, Host *host
) {
  Part terms = find_part(request, "multiplier_terms");
  const double *term = terms.values;
  int64_t place = item > 0 ? 2 * (item - 1) : 0;
  bool is_fraction = terms.type == DOUBLES && place + 1 < terms.length && term[place + 1] >= 1 &&
                     term[place + 1] <= 4294967296.0 && term[place] >= 0 && term[place] < 9007199254740992.0;
  double wanted = is_fraction ? fractional_multiple(term[place], term[place + 1], minority)
                              : decimal_multiple(multiplier, minority);
  *kept = wanted < (double)count ? (int64_t)wanted : count;
  if (wanted >= 1) return true;
  refuse(host, "multiplier", NULL, "keep at least 1 row: be at least 0.5 / %lld", (long long)minority);
  host->refusal.place = item;
  return false;
}

#endif
