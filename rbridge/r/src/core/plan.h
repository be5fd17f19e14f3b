/* The batches of each stratum, from its number of rows: where in the epoch each batch begins, and each row goes.
 *
 * With B batches, the proportional rule puts the row of rank i (from 1) of a stratum of n rows into batch ceil(i * B /
 * n), from 1. The even rule deals the rows to the batches in turn, stratum after stratum. In both cases, the rows of a
 * batch are ordered by stratum, then rank. The divisions add up quotients and remainders, so that no product can exceed
 * 64 bits.
 *
 * Long work is done in steps of size `wanted`; a struct of the caller's stores the progress. The number of batches is
 * at least 1, no count is negative, and their sum is below 2^63 (2^31 for a layout).
 */

#ifndef PYSTRAT_PLAN_H
#define PYSTRAT_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The beginning of the next step on offsets; initially all zero. */
typedef struct {
  int64_t stratum;
  int64_t batch;  /* the number of batches of this stratum that are done */
  int64_t before; /* rows of this stratum in them: batch * count / n_batches, rounded down */
  int64_t over;   /* the remainder of this division */
} OffsetsProgress;

/* The beginning of the next step on a layout; initially all zero. */
typedef struct {
  int64_t stratum;
  int64_t rank;  /* from 0 */
  int64_t index; /* the place of this stratum and rank in the layout */
  int64_t batch; /* the batch of this stratum and rank, from 0 */
  int64_t over;  /* by the proportional rule, the remainder of the division that gave the batch */
} LayoutProgress;

/* Fill `starts`, n_strata + 1 numbers: where in a layout the ranks of each stratum begin, and where the last end. */
static inline void fill_starts(const int64_t *counts, int64_t n_strata, int64_t *starts) {
  starts[0] = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) starts[stratum + 1] = starts[stratum] + counts[stratum];
}

/* Fill offsets[begin], ..., offsets[end - 1] by the even rule: the first batches have one row more than the others.
 *
 * offsets[b] is where batch b begins in the epoch; b is at most n_batches, for the end of the last batch.
 */
static inline void fill_even_offsets(int64_t n_rows, int64_t n_batches, int64_t begin, int64_t end, int64_t *offsets) {
  int64_t size = n_rows / n_batches;
  int64_t larger = n_rows % n_batches;
  for (int64_t batch = begin; batch < end; batch++) offsets[batch] = batch * size + (batch < larger ? batch : larger);
}

/* Fill the offsets by the proportional rule, in steps; return whether they are finished.
 *
 * `offsets` has n_batches + 1 numbers, all zero before the first step. A step does `wanted` batches of a stratum, at
 * least 1; all steps together do n_strata * n_batches.
 */
static inline bool fill_proportional_offsets(
    const int64_t *counts, int64_t n_strata, int64_t n_batches, int64_t wanted, OffsetsProgress *progress,
    int64_t *offsets
) {
  while (progress->stratum < n_strata && wanted > 0) {
    int64_t step = counts[progress->stratum] / n_batches;
    int64_t step_over = counts[progress->stratum] % n_batches;
    int64_t before = progress->before;
    int64_t over = progress->over;
    int64_t begin = progress->batch;
    int64_t end = wanted < n_batches - begin ? begin + wanted : n_batches;
    for (int64_t batch = begin + 1; batch <= end; batch++) {
      before += step;
      over += step_over;
      if (over >= n_batches) {
        over -= n_batches;
        before += 1;
      }
      offsets[batch] += before;
    }
    wanted -= end - begin;
    if (end == n_batches) {
      *progress = (OffsetsProgress){.stratum = progress->stratum + 1};
    } else {
      progress->batch = end;
      progress->before = before;
      progress->over = over;
    }
  }
  return progress->stratum == n_strata;
}

/* Lay out the ranks of a stratum from progress->rank to before `end` by the proportional rule. */
static inline void lay_out_proportionally(
    int64_t count, int64_t n_batches, int64_t end, LayoutProgress *progress, int64_t *next_places, int32_t *layout
) {
  int64_t step = n_batches / count;
  int64_t step_over = n_batches % count;
  if (progress->rank == 0) {
    progress->batch = (n_batches - 1) / count;
    progress->over = (n_batches - 1) % count;
  }
  int64_t batch = progress->batch;
  int64_t over = progress->over;
  int64_t index = progress->index;
  for (int64_t rank = progress->rank; rank < end; rank++) {
    layout[index++] = (int32_t)next_places[batch]++;
    batch += step;
    over += step_over;
    if (over >= count) {
      over -= count;
      batch += 1;
    }
  }
  progress->batch = batch;
  progress->over = over;
}

/* Lay out the ranks of a stratum from progress->rank to before `end` by the even rule. */
static inline void lay_out_evenly(
    int64_t n_batches, int64_t end, LayoutProgress *progress, int64_t *next_places, int32_t *layout
) {
  int64_t batch = progress->batch;
  int64_t index = progress->index;
  for (int64_t rank = progress->rank; rank < end; rank++) {
    layout[index++] = (int32_t)next_places[batch]++;
    batch = batch + 1 < n_batches ? batch + 1 : 0;
  }
  progress->batch = batch;
}

/* Fill the layout, in steps; return whether it is finished.
 *
 * The layout has the place in the epoch of every stratum and rank, in this order, from 0. It has n_places numbers, at
 * least the sum of the counts; those beyond it are their own places, for rows that are in no batch. `next_places` has
 * n_batches numbers: initially the offsets, then the first free place of each batch. A step fills `wanted` places, at
 * least 1.
 */
static inline bool fill_layout(
    const int64_t *counts, int64_t n_strata, int64_t n_batches, bool even, int64_t n_places, int64_t wanted,
    LayoutProgress *progress, int64_t *next_places, int32_t *layout
) {
  while (progress->stratum < n_strata && wanted > 0) {
    int64_t count = counts[progress->stratum];
    int64_t end = wanted < count - progress->rank ? progress->rank + wanted : count;
    int64_t filled = end - progress->rank;
    if (even) {
      lay_out_evenly(n_batches, end, progress, next_places, layout);
    } else if (filled > 0) {
      lay_out_proportionally(count, n_batches, end, progress, next_places, layout);
    }
    wanted -= filled;
    progress->index += filled;
    progress->rank = end < count ? end : 0;
    progress->stratum += end == count;
  }
  for (; progress->stratum == n_strata && progress->index < n_places && wanted > 0; wanted--) {
    layout[progress->index] = (int32_t)progress->index;
    progress->index += 1;
  }
  return progress->stratum == n_strata && progress->index == n_places;
}

/* The beginning of the next step on spreading a layout. */
typedef struct {
  int64_t stratum; /* the number of strata, from the first one, that are not finished */
  int64_t rank;    /* the number of ranks of the last of them that are not at their place */
  int64_t begin;   /* the beginning of its ranks in the layout of all rows */
  int64_t from;    /* their beginning in the layout of the taken rows */
  int64_t behind;  /* the end of the places of the left-out ranks of these strata, largest place first */
} SpreadProgress;

/* Go to the last of the first n_strata strata. */
static inline void begin_spread_of(
    const int64_t *taken, const int64_t *available, int64_t n_strata, SpreadProgress *progress
) {
  progress->stratum = n_strata;
  if (n_strata == 0) return;
  progress->rank = available[n_strata - 1];
  progress->begin -= available[n_strata - 1];
  progress->from -= taken[n_strata - 1];
}

/* Begin to spread a layout. */
static inline void begin_spread(
    const int64_t *taken, const int64_t *available, int64_t n_strata, SpreadProgress *progress
) {
  progress->begin = progress->from = progress->rank = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    progress->begin += available[stratum];
    progress->from += taken[stratum];
  }
  progress->behind = progress->begin;
  begin_spread_of(taken, available, n_strata, progress);
}

/* Make room in a layout of the rows that an epoch takes for those that it leaves out, which go after the epoch, in
 * steps; return whether it is finished.
 *
 * An epoch takes the first taken[s] ranks of the available[s] rows of stratum s. The layout, with as many places as
 * there are rows, contains the taken ones. A step handles `wanted` places, at least 1.
 */
static inline bool spread_layout(
    const int64_t *taken, const int64_t *available, int64_t wanted, SpreadProgress *progress, int32_t *layout
) {
  /* Backwards from the last rank of the last stratum, so that no place is overwritten before it has been moved. */
  while (progress->stratum > 0 && wanted > 0) {
    int64_t stratum = progress->stratum - 1;
    int64_t kept = taken[stratum];
    int64_t end = progress->rank;
    int64_t begin = wanted < end ? end - wanted : 0;
    int64_t kept_end = end < kept ? end : kept;
    int32_t *places = layout + progress->begin;
    for (int64_t rank = begin > kept ? begin : kept; rank < end; rank++) {
      places[rank] = (int32_t)(progress->behind - 1 - (rank - kept));
    }
    if (begin < kept_end) {
      memmove(places + begin, layout + progress->from + begin, (size_t)(kept_end - begin) * sizeof(int32_t));
    }
    wanted -= end - begin;
    progress->rank = begin;
    if (begin > 0) return false;
    progress->behind -= available[stratum] - kept;
    begin_spread_of(taken, available, stratum, progress);
  }
  return progress->stratum == 0;
}

#endif
