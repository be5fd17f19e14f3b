/* A number of rows as a multiple of another one, in exact numbers: floor(multiplier * rows + 1/2).
 *
 * A multiplier is the decimal number of 15 digits that is shown; or a fraction that no such number equals, which a
 * request has as a text of "multiplier_ratio": its numerator and denominator in hexadecimal digits with '/' between
 * them. The text is empty for a decimal number.
 */

#ifndef PYSTRAT_MULTIPLIER_H
#define PYSTRAT_MULTIPLIER_H

#include "decimal.h"
#include "recipe.h"

enum {
  DECIMAL_WORDS = 40, /* the 32-bit digits of 10^338 and less, with some to spare */
  DECIMAL_PLACES = 14
};

/* Read a number that is not whole, or whole; it must be finite and above 0. */
static inline bool read_above_zero(const Parts *parts, const char *name, double *number, Host *host) {
  Part part = find_part(parts, name);
  bool is_number = is_one_number(&part, number);
  if (part.type == FRACTION) *number = *(const double *)part.values;
  if (is_number && *number > 0 && isfinite(*number)) return true;
  if (parts->is_recipe) return refuse_part(host, name, "a finite number above 0");
  host->refusal.is_type = !is_number;
  return refuse(host, name, NULL, "be a finite number above 0");
}

/* Find the multiple of `rows`, from 1 to 2^31 - 1; UINT64_MAX if it has more than 64 bits. `item` is that of a
 * multiplier that is one of several, from 1; else 0.
 */
static inline bool find_multiple(
    const Parts *request, double multiplier, int64_t item, int64_t rows, uint64_t *multiple, Host *host
) {
  Part ratios = find_part(request, "multiplier_ratio");
  int64_t place = item > 0 ? item - 1 : 0;
  const char *text = are_texts(&ratios) && place < ratios.length ? text_at(&ratios, place) : "";
  int64_t words = DECIMAL_WORDS + (int64_t)strlen(text) / 8;
  uint32_t *digits = host->memory(host, FOR_THE_CALL, 3 * words * (int64_t)sizeof *digits);
  if (digits == NULL) return false;
  Natural number = {digits, 0}, divisor = {digits + words, 0}, rest = {digits + 2 * words, 0};
  if (text[0] != '\0') {
    text = read_digits(text, 16, &number);
    if (*text == '/') read_digits(text + 1, 16, &divisor);
  } else {
    char decimal[NUMBER];
    snprintf(decimal, NUMBER, "%.*e", DECIMAL_PLACES, multiplier);
    const char *places = read_digits(read_digits(decimal, 10, &number) + 1, 10, &number);
    long exponent = strtol(places + 1, NULL, 10) - DECIMAL_PLACES;
    set_natural(&divisor, 1);
    multiply_by_tens(exponent > 0 ? &number : &divisor, exponent > 0 ? exponent : -exponent);
  }
  if (divisor.length == 0) return refuse(host, "multiplier", NULL, "be a fraction");
  multiply_and_add(&number, 2 * (uint32_t)rows, 0);
  add_natural(&number, &divisor);
  multiply_and_add(&divisor, 2, 0);
  *multiple = divide(&number, 0, &divisor, &rest);
  return true;
}

/* Find the rows that a multiplier keeps, at least 1. */
static inline bool read_kept(
    const Parts *request, double multiplier, int64_t item, int64_t rows, uint64_t *kept, Host *host
) {
  if (!find_multiple(request, multiplier, item, rows, kept, host)) return false;
  if (*kept > 0) return true;
  refuse(host, "multiplier", NULL, "keep at least 1 row: be at least 0.5 / %lld", (long long)rows);
  host->refusal.place = item;
  return false;
}

#endif
