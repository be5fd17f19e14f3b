/* Decimal numbers as they are written, exactly. */

#ifndef PYSTRAT_DECIMAL_H
#define PYSTRAT_DECIMAL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "naturals.h"

/* digits / 10^n_decimals */
typedef struct {
  Natural digits;
  int64_t n_decimals; /* from 0 on */
} Decimal;

/* Multiply a number by 10 so many times. */
static inline void multiply_by_tens(Natural *number, int64_t times) {
  for (int64_t i = 0; i < times; i++) multiply_and_add(number, 10, 0);
}

/* Append the digits of a text to a number; return where they end. */
static inline const char *read_digits(const char *text, uint32_t base, Natural *number) {
  static const char digits[] = "0123456789abcdef";
  for (; *text != '\0'; text++) {
    const char *digit = strchr(digits, *text);
    if (digit == NULL || digit >= digits + base) break;
    multiply_and_add(number, base, (uint32_t)(digit - digits));
  }
  return text;
}

/* Read digits, possibly with a point and an exponent of ten, into a number that is 0; return whether there is nothing
 * else. The digits need room for those of the text, and for as many more as the exponent adds.
 */
static inline bool read_decimal(const char *text, Decimal *decimal) {
  const char *end = read_digits(text, 10, &decimal->digits);
  decimal->n_decimals = 0;
  if (*end == '.') {
    text = end + 1;
    end = read_digits(text, 10, &decimal->digits);
    decimal->n_decimals = end - text;
  }
  if (*end == 'e') {
    char *behind;
    long exponent = strtol(end + 1, &behind, 10);
    if (exponent < -400 || exponent > 400) return false;
    end = behind;
    decimal->n_decimals -= exponent;
  }
  if (decimal->n_decimals < 0) {
    multiply_by_tens(&decimal->digits, -decimal->n_decimals);
    decimal->n_decimals = 0;
  }
  return *end == '\0';
}

/* Write the shortest decimal number that represents a finite double, into `shown` of NUMBER bytes; return it. */
static inline const char *show_shortest(double number, char *shown) {
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(shown, NUMBER, "%#.*g", digits, number);
    if (strtod(shown, NULL) == number) break;
    /* Doubles above a power of 2 have twice the distance of those below: the next decimal number may represent it. */
    char *last = shown + strcspn(shown, "e") - 1;
    if (*last == '.') last--;
    if (*last == '9') continue; /* the next one has fewer digits */
    *last += 1;
    if (strtod(shown, NULL) == number) break;
  }
  return shown;
}

/* Write a double as one, so that 1.0 is not the integer 1. */
static inline const char *show_double(double number, char *shown) {
  if (isnan(number)) {
    snprintf(shown, NUMBER, "nan");
  } else if (isinf(number)) {
    snprintf(shown, NUMBER, number > 0 ? "inf" : "-inf");
  } else if (floor(number) == number && fabs(number) < 1e16) {
    snprintf(shown, NUMBER, "%.1f", number);
  } else {
    show_shortest(number, shown);
  }
  return shown;
}

#endif
