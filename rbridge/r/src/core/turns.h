/* Rows that are dealt to batches in turn, stratum after stratum. */

#ifndef PYSTRAT_TURNS_H
#define PYSTRAT_TURNS_H

#include <stdbool.h>
#include <stdint.h>

/* How far a layout is filled; initially all zero. */
typedef struct {
  int64_t rank;  /* of a stratum, from 0 */
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

#endif
