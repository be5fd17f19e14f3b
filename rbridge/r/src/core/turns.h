/* Rows that are dealt to batches in turn, stratum after stratum. */

#ifndef PYSTRAT_TURNS_H
#define PYSTRAT_TURNS_H

#include "host.h"

/* Fill `starts`, n_strata + 1 numbers: where in a layout the ranks of each stratum begin, and where the last end. */
static inline void fill_starts(const int64_t *counts, int64_t n_strata, int64_t *starts) {
  starts[0] = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) starts[stratum + 1] = starts[stratum] + counts[stratum];
}

/* Fill n_batches + 1 offsets by the even rule: the first batches have one row more than the others. */
static inline void fill_even_offsets(int64_t n_rows, int64_t n_batches, int64_t *offsets) {
  int64_t size = n_rows / n_batches, larger = n_rows % n_batches;
  for (int64_t batch = 0; batch <= n_batches; batch++) offsets[batch] = batch * size + smaller(batch, larger);
}

/* Lay out `count` ranks of a stratum by the even rule, from `*batch` on, which becomes the batch of the next rank. */
static inline bool lay_out_evenly(
    int64_t count, int64_t n_batches, int64_t *batch, int64_t *next_places, int32_t *layout, int64_t *since, Host *host
) {
  for (int64_t begin = 0; begin < count; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, count), next = *batch;
    for (int64_t rank = begin; rank < end; rank++) {
      layout[rank] = (int32_t)next_places[next]++;
      next = next + 1 < n_batches ? next + 1 : 0;
    }
    *batch = next;
    if (!may_go_on(since, end - begin, host)) return false;
  }
  return true;
}

#endif
