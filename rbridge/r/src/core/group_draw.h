/* Numbers drawn within groups, in steps of size `wanted`; the size of the steps does not change the result. */

#ifndef PYSTRAT_GROUP_DRAW_H
#define PYSTRAT_GROUP_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "subsets.h"

/* Numbers drawn within groups: for each group in turn, counts[g] of firsts[g], ..., firsts[g] + limits[g] - 1.
 *
 * A limit is from 1 to 2^52, and at least the count if it is drawn without replacement. The caller sets the fields up
 * to `scratch`, and the others to 0.
 */
typedef struct {
  const int64_t *firsts;
  const int64_t *limits;
  const int64_t *counts;
  int64_t n_groups;
  SubsetScratch *scratch; /* for draws without replacement, enough for all groups; NULL for draws with replacement */
  int64_t group;          /* the next group */
  int64_t n_drawn;        /* numbers of this group that are drawn */
  int64_t n_done;         /* numbers of all groups that are drawn */
} GroupDraw;

/* Draw at most `wanted` further numbers into their places in `drawn`; return whether all are drawn. */
static inline bool draw_in_groups(GroupDraw *draw, Generator *generator, int64_t wanted, int64_t *drawn) {
  while (draw->group < draw->n_groups && wanted > 0) {
    int64_t first = draw->firsts[draw->group];
    int64_t limit = draw->limits[draw->group];
    int64_t count = draw->counts[draw->group];
    int64_t begin = draw->n_drawn;
    int64_t end = wanted < count - begin ? begin + wanted : count;
    int64_t *places = drawn + draw->n_done;
    if (draw->scratch == NULL) {
      if (begin < end) draw_indices_within(generator, first, limit, end - begin, places);
    } else {
      draw_subset_within(generator, draw->scratch, first, limit, count, begin, end, places);
    }
    wanted -= end - begin;
    draw->n_done += end - begin;
    draw->n_drawn = end < count ? end : 0;
    draw->group += end == count;
  }
  return draw->group == draw->n_groups;
}

#endif
