/* Normal numbers from uniform ones: the quantile of the normal distribution.
 *
 * This is algorithm AS 241 (M. J. Wichura, 1988), with the coefficients and steps of Python's statistics.NormalDist, so
 * that its numbers are the same to the last bit.
 */

#pragma once

#include <cmath>
#include <cstdint>

#include "../core/numbers.hpp"

namespace pystrat {

/* The value of a polynomial of degree 7, by Horner's rule, from the highest power on. */
inline double polynomial(const double *coefficients, double variable) {
  double value = coefficients[0];
  for (int i = 1; i < 8; i++) value = rounded_product(value, variable) + coefficients[i];
  return value;
}

/* The quantile of the standard normal distribution at a probability above 0 and below 1. */
inline double standard_quantile(double probability) {
  /* A numerator and a denominator near the middle, further away, and far away. */
  static const double coefficients[3][2][8] = {
      {{2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4, 4.5921953931549871457e+4,
        1.3731693765509461125e+4, 1.9715909503065514427e+3, 1.3314166789178437745e+2, 3.3871328727963666080e+0},
       {5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
        5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1.0}},
      {{7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e+0,
        3.64784832476320460504e+0, 5.76949722146069140550e+0, 4.63033784615654529590e+0, 1.42343711074968357734e+0},
       {1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
        6.89767334985100004550e-1, 1.67638483018380384940e+0, 2.05319162663775882187e+0, 1.0}},
      {{2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
        2.96560571828504891230e-1, 1.78482653991729133580e+0, 5.46378491116411436990e+0, 6.65790464350110377720e+0},
       {2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
        1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0}},
  };
  double from_middle = probability - 0.5, r = 0.180625 - rounded_product(from_middle, from_middle);
  int part = 0;
  if (std::fabs(from_middle) > 0.425) {
    r = std::sqrt(-std::log(from_middle <= 0 ? probability : 1 - probability));
    part = r <= 5 ? 1 : 2;
    r -= part == 1 ? 1.6 : 5;
  }
  double numerator = polynomial(coefficients[part][0], r), denominator = polynomial(coefficients[part][1], r);
  if (part == 0) return rounded_product(numerator, from_middle) / denominator;
  return (from_middle < 0 ? -numerator : numerator) / denominator;
}

/* Turn uniform numbers from 0 to below 1 into normal ones with a mean and a standard deviation.
 *
 * The quantile of 0 is infinite, so numbers below 2^-54 count as 2^-54.
 */
inline void make_normal(int64_t count, double mean, double deviation, double *numbers) {
  for (int64_t i = 0; i < count; i++) {
    double probability = numbers[i] < 0x1p-54 ? 0x1p-54 : numbers[i];
    numbers[i] = mean + rounded_product(standard_quantile(probability), deviation);
  }
}

}  // namespace pystrat
