/* Products that are rounded, so that no result depends on whether a compiler contracts a product and a sum. */

#ifndef PYSTRAT_ROUNDING_H
#define PYSTRAT_ROUNDING_H

static inline double rounded_product(double factor, double other) {
  volatile double product = factor * other;
  return product;
}

#endif
