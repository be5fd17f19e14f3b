/* Places sorted by group. */

#ifndef PYSTRAT_GROUPING_H
#define PYSTRAT_GROUPING_H

#include <stdint.h>

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

#endif
