/* Powers of numbers, by the pow() of the C library.
 *
 * Both languages have powers of their own, which may differ from it in the last bits: numpy's loops on processors with
 * wide vectors, and R's operator, which squares by a multiplication.
 */

#ifndef PYSTRAT_POWERS_H
#define PYSTRAT_POWERS_H

#include <math.h>
#include <stdint.h>

/* Write numbers[i]^exponent for each of `count` numbers; `powers` may be `numbers`. */
static inline void raise_all(const double *numbers, int64_t count, double exponent, double *powers) {
  for (int64_t i = 0; i < count; i++) powers[i] = pow(numbers[i], exponent);
}

#endif
