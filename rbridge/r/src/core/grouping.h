/* Places sorted by group, and running sums within groups. */

#ifndef PYSTRAT_GROUPING_H
#define PYSTRAT_GROUPING_H

#include <stdint.h>

/* Count the members of each group: add 1 to offsets[group + 1] for each of groups[begin], ..., groups[end - 1]. */
static inline void count_members(const int64_t *groups, int64_t begin, int64_t end, int64_t *offsets) {
  for (int64_t i = begin; i < end; i++) offsets[groups[i] + 1]++;
}

/* Turn counts of members into the offsets at which the groups begin: n_groups + 1 numbers, the first of which is 0.
 *
 * `cursors` gets the first n_groups of them.
 */
static inline void begin_groups(int64_t n_groups, int64_t *offsets, int64_t *cursors) {
  for (int64_t group = 0; group < n_groups; group++) {
    cursors[group] = offsets[group];
    offsets[group + 1] += offsets[group];
  }
}

/* Put the places from `begin` to end - 1 into `order`, each at the cursor of its group. */
static inline void place_members(
    const int64_t *groups, int64_t begin, int64_t end, int64_t *cursors, int64_t *order
) {
  for (int64_t i = begin; i < end; i++) order[cursors[groups[i]]++] = i;
}

/* Sum weights from left to right, separately in each of the groups from `begin` to end - 1. */
static inline void cumulate(
    const double *weights, const int64_t *offsets, int64_t begin, int64_t end, double *sums
) {
  for (int64_t group = begin; group < end; group++) {
    double total = 0;
    for (int64_t i = offsets[group]; i < offsets[group + 1]; i++) {
      total += weights[i];
      sums[i] = total;
    }
  }
}

#endif
