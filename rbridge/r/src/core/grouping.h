/* Places sorted by group. */

#ifndef PYSTRAT_GROUPING_H
#define PYSTRAT_GROUPING_H

#include <stdint.h>

/* Count the members of each group: add 1 to offsets[group + 1] for the group of each place. */
static inline void count_members(const int64_t *groups, int64_t count, int64_t *offsets) {
  for (int64_t i = 0; i < count; i++) offsets[groups[i] + 1]++;
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

/* Put the places into `order`, each at the cursor of its group. */
static inline void place_members(const int64_t *groups, int64_t count, int64_t *cursors, int64_t *order) {
  for (int64_t i = 0; i < count; i++) order[cursors[groups[i]]++] = i;
}

#endif
