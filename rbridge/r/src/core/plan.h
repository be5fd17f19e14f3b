/* The batches of each stratum, from its number of rows: where in the epoch each batch begins, and each row goes.
 *
 * With B batches, the proportional rule puts the row of rank i (from 1) of a stratum of n rows into batch ceil(i * B /
 * n), from 1. The even rule deals the rows to the batches in turn, stratum after stratum. In both cases, the rows of a
 * batch are ordered by stratum, then rank. The divisions add up quotients and remainders, so that no product can exceed
 * 64 bits.
 *
 * The number of batches is at least 1, no count is negative, and their sum is below 2^63 (2^31 for a layout).
 */

#ifndef PYSTRAT_PLAN_H
#define PYSTRAT_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "host.h"
#include "turns.h"

/* Add the rows of a stratum to the offsets by the proportional rule. */
static inline bool add_proportional_offsets(int64_t count, int64_t n_batches, int64_t *offsets, Host *host) {
  int64_t step = count / n_batches, step_over = count % n_batches;
  int64_t before = 0, over = 0; /* batch * count / n_batches, rounded down, and the remainder of this division */
  for (int64_t begin = 1; begin <= n_batches; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_batches + 1);
    for (int64_t batch = begin; batch < end; batch++) {
      before += step;
      over += step_over;
      if (over >= n_batches) {
        over -= n_batches;
        before += 1;
      }
      offsets[batch] += before;
    }
    if (end - begin == GO_ON_ROWS && !host->go_on(host)) return false;
  }
  return true;
}

/* Fill n_batches + 1 offsets by one of the rules. */
static inline bool fill_offsets(
    const int64_t *counts, int64_t n_strata, int64_t n_batches, bool even, int64_t *offsets, Host *host
) {
  int64_t n_rows = 0, since = 0;
  if (even) {
    for (int64_t stratum = 0; stratum < n_strata; stratum++) n_rows += counts[stratum];
    fill_even_offsets(n_rows, n_batches, offsets);
    return true;
  }
  memset(offsets, 0, (size_t)(n_batches + 1) * sizeof *offsets);
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    if (!add_proportional_offsets(counts[stratum], n_batches, offsets, host)) return false;
    if (!may_go_on(&since, n_batches, host)) return false;
  }
  return true;
}

/* Lay out the ranks of a stratum by the proportional rule. */
static inline bool lay_out_proportionally(
    int64_t count, int64_t n_batches, int64_t *next_places, int32_t *layout, int64_t *since, Host *host
) {
  if (count == 0) return true;
  int64_t step = n_batches / count, step_over = n_batches % count;
  int64_t batch = (n_batches - 1) / count, over = (n_batches - 1) % count;
  for (int64_t begin = 0; begin < count; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, count);
    for (int64_t rank = begin; rank < end; rank++) {
      layout[rank] = (int32_t)next_places[batch]++;
      batch += step;
      over += step_over;
      if (over >= count) {
        over -= count;
        batch += 1;
      }
    }
    if (!may_go_on(since, end - begin, host)) return false;
  }
  return true;
}

/* Fill the layout: the place in the epoch of every stratum and rank, in this order, from 0.
 *
 * It has n_places numbers, at least the sum of the counts; those beyond it are their own places, for rows that are in
 * no batch. `next_places` has n_batches numbers: at first the offsets, then the ends of the batches.
 */
static inline bool fill_layout(
    const int64_t *counts, int64_t n_strata, int64_t n_batches, bool even, int64_t n_places, int64_t *next_places,
    int32_t *layout, Host *host
) {
  int64_t batch = 0, place = 0, since = 0;
  for (int64_t stratum = 0; stratum < n_strata; place += counts[stratum++]) {
    bool goes_on =
        even ? lay_out_evenly(counts[stratum], n_batches, &batch, next_places, layout + place, &since, host)
             : lay_out_proportionally(counts[stratum], n_batches, next_places, layout + place, &since, host);
    if (!goes_on) return false;
  }
  for (; place < n_places; place++) layout[place] = (int32_t)place;
  return true;
}

/* Make room in a layout of the rows that an epoch takes for those that it leaves out, which go behind the epoch, the
 * last one of the first stratum last.
 *
 * An epoch takes the first taken[s] ranks of the available[s] rows of stratum s. The layout, with as many places as
 * there are rows, has the taken ones at first.
 */
static inline bool spread_layout(
    const int64_t *taken, const int64_t *available, int64_t n_strata, int32_t *layout, Host *host
) {
  int64_t begin = 0, from = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    begin += available[stratum];
    from += taken[stratum];
  }
  int64_t behind = begin, since = 0;
  /* Backwards from the last stratum, so that no place is overwritten before it has been moved. */
  for (int64_t stratum = n_strata - 1; stratum >= 0; stratum--) {
    int64_t kept = taken[stratum], count = available[stratum];
    begin -= count;
    from -= kept;
    int32_t *places = layout + begin;
    for (int64_t rank = kept; rank < count; rank++) places[rank] = (int32_t)(behind - 1 - (rank - kept));
    memmove(places, layout + from, (size_t)kept * sizeof(int32_t));
    behind -= count - kept;
    if (!may_go_on(&since, count, host)) return false;
  }
  return true;
}

#endif
