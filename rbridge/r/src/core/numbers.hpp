/* The largest numbers, as in pystrat/core/limits.py and R/base_checks.R, and products that are rounded. */

#pragma once

#include <cstdint>

namespace pystrat {

/* Of rows, draws, batches, codes or repeats, which R and Python number in 32 bits. */
constexpr int32_t LARGEST_COUNT = 2147483647;
constexpr int32_t LARGEST_SEED = 2147483646; /* seeds are remainders modulo the next number, a prime */
constexpr int32_t LARGEST_EPOCH = 6700000;   /* R's doubles hold the products of epochs and their step exactly */
constexpr int32_t SAMPLE_EPOCH = LARGEST_EPOCH + 1; /* its stream has what samplers draw outside epochs */
constexpr double LARGEST_EXACT = 9007199254740992;  /* doubles hold all integers up to it */

/* A number of at least 1 as an integer; one that exceeds all counts as the next one. */
inline int64_t limited(double number) {
  return number <= LARGEST_COUNT ? static_cast<int64_t>(number) : int64_t(1) + LARGEST_COUNT;
}

/* No result depends on whether a compiler contracts a product and a sum. */
inline double rounded_product(double factor, double other) {
  volatile double product = factor * other;
  return product;
}

}  // namespace pystrat
