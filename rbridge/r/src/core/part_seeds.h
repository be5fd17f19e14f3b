/* Seeds of samplers that shuffle several parts of the data in an epoch, each by itself. The permutations of all epochs
 * are numbered, and each number has the seed of the epoch of this number.
 */

#ifndef PYSTRAT_PART_SEEDS_H
#define PYSTRAT_PART_SEEDS_H

#include "random.h"
#include "recipe.h"

/* The seed of a part of `n_parts`; epoch * n_parts + part is below 2^31 - 1, so that all seeds differ. */
static inline uint32_t part_seed(uint32_t seed, uint32_t epoch, int64_t n_parts, int64_t part) {
  return epoch_seed(seed, (uint32_t)(epoch * n_parts + part));
}

/* The last epoch that has seeds for so many parts, at most 2^31 - 1; -1 if there is none. */
static inline int64_t last_part_epoch(int64_t n_parts) {
  return smaller(LARGEST_EPOCH, LARGEST_COUNT / n_parts - 1);
}

static inline bool check_part_epoch(uint32_t epoch, int64_t n_parts, Host *host) {
  int64_t last = last_part_epoch(n_parts);
  if ((int64_t)epoch <= last) return true;
  char got[NUMBER];
  return refuse(host, "epoch", show_number(epoch, got), "be an integer from 0 to %lld", (long long)last);
}

#endif
