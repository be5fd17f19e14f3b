/* Natural numbers of any size, for quotients that must be exact.
 *
 * A number is an array of the caller's with 32-bit digits, lowest first, and its length, without leading zeros; 0 has
 * no digits. Each function documents the room that its result needs.
 */

#ifndef PYSTRAT_NATURALS_H
#define PYSTRAT_NATURALS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  uint32_t *digits;
  int64_t length;
} Natural;

/* Multiply a number by a factor and add another one, in place. It needs room for one more digit. */
static inline void multiply_and_add(Natural *number, uint32_t factor, uint32_t added) {
  uint64_t carry = added;
  for (int64_t i = 0; i < number->length; i++) {
    carry += (uint64_t)number->digits[i] * factor;
    number->digits[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry > 0) number->digits[number->length++] = (uint32_t)carry;
  while (number->length > 0 && number->digits[number->length - 1] == 0) number->length -= 1;
}

/* Set a number of at most 2 digits. */
static inline void set_natural(Natural *number, uint64_t value) {
  number->length = 0;
  multiply_and_add(number, 0, (uint32_t)(value >> 32));
  if (number->length == 0) {
    multiply_and_add(number, 0, (uint32_t)value);
  } else {
    number->digits[1] = number->digits[0];
    number->digits[0] = (uint32_t)value;
    number->length = 2;
  }
}

/* Add a number to another one. It needs room for one digit more than the longer one has. */
static inline void add_natural(Natural *sum, const Natural *added) {
  uint64_t carry = 0;
  for (int64_t i = 0; i < added->length || carry > 0; i++) {
    if (i == sum->length) sum->digits[sum->length++] = 0;
    carry += sum->digits[i];
    if (i < added->length) carry += added->digits[i];
    sum->digits[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

/* Multiply two numbers. The product must not be one of them, and needs room for the digits of both. */
static inline void multiply(const Natural *factor, const Natural *other, Natural *product) {
  product->length = factor->length > 0 && other->length > 0 ? factor->length + other->length : 0;
  if (product->length == 0) return;
  memset(product->digits, 0, (size_t)product->length * sizeof(uint32_t));
  for (int64_t i = 0; i < factor->length; i++) {
    uint64_t carry = 0;
    for (int64_t j = 0; j < other->length; j++) {
      carry += (uint64_t)factor->digits[i] * other->digits[j] + product->digits[i + j];
      product->digits[i + j] = (uint32_t)carry;
      carry >>= 32;
    }
    product->digits[i + other->length] = (uint32_t)carry;
  }
  if (product->digits[product->length - 1] == 0) product->length -= 1;
}

/* Whether a number is below another one. */
static inline bool is_below(const Natural *number, const Natural *other) {
  if (number->length != other->length) return number->length < other->length;
  for (int64_t i = number->length - 1; i >= 0; i--) {
    if (number->digits[i] != other->digits[i]) return number->digits[i] < other->digits[i];
  }
  return false;
}

/* Subtract a number from one that is not below it. */
static inline void subtract(Natural *number, const Natural *subtracted) {
  uint64_t borrow = 0;
  for (int64_t i = 0; i < number->length; i++) {
    uint64_t taken = borrow + (i < subtracted->length ? subtracted->digits[i] : 0);
    borrow = number->digits[i] < taken;
    number->digits[i] = (uint32_t)(number->digits[i] - taken);
  }
  while (number->length > 0 && number->digits[number->length - 1] == 0) number->length -= 1;
}

/* The number of bits of a number. */
static inline int64_t bits_of(const Natural *number) {
  int64_t bits = 32 * number->length;
  if (bits == 0) return 0;
  for (uint32_t digit = number->digits[number->length - 1]; digit < 0x80000000u; digit <<= 1) bits -= 1;
  return bits;
}

/* Divide a number, times 2^shift, by one that is not 0; return the quotient, rounded down, if it is below 2^64, else
 * UINT64_MAX. `rest` becomes the remainder, and needs room for one digit more than the divisor has.
 */
static inline uint64_t divide(const Natural *number, int64_t shift, const Natural *divisor, Natural *rest) {
  uint64_t quotient = 0;
  bool is_large = false;
  rest->length = 0;
  for (int64_t bit = bits_of(number) - 1; bit >= -shift; bit--) {
    uint32_t next = bit < 0 ? 0 : number->digits[bit / 32] >> (bit % 32) & 1;
    multiply_and_add(rest, 2, next);
    is_large = is_large || quotient >> 63 != 0;
    quotient <<= 1;
    if (is_below(rest, divisor)) continue;
    subtract(rest, divisor);
    quotient |= 1;
  }
  return is_large ? UINT64_MAX : quotient;
}

/* The quotient of a number and one that is not 0, rounded up, with the room that divide() needs. */
static inline uint64_t divide_up(const Natural *number, const Natural *divisor, Natural *rest) {
  uint64_t quotient = divide(number, 0, divisor, rest);
  return quotient + (rest->length > 0 && quotient < UINT64_MAX);
}

/* The double that is nearest to the quotient of a number and one that is not 0, with the room that divide() needs. It
 * is below 2^56; quotients below 2^-1022 may be off by one unit in the last place.
 */
static inline double nearest_share(const Natural *number, const Natural *divisor, Natural *rest) {
  if (number->length == 0) return 0;
  int64_t shift = 56 + bits_of(divisor) - bits_of(number);
  uint64_t quotient = divide(number, shift, divisor, rest); /* 56 or 57 bits; a double takes the upper 53 */
  if (rest->length > 0) quotient |= 1;
  return ldexp((double)quotient, shift > 2000 ? -2000 : (int)-shift);
}

#endif
