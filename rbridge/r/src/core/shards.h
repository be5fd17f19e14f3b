/* The rows of the shards that a process holds, dealt to batches in turn.
 *
 * A cell is the rows of one stratum in one shard. Its row of rank i, from 0, is in batch (begin + i) modulo n_batches,
 * where `begin` is the batch after that of the last row before the cell; earlier cells may be in shards of other
 * processes. Each shard is shuffled separately, with its own seed, so that the batches over all processes do not depend
 * on which process holds which shard. Within a batch, rows are ordered by shard, then by stratum, then by rank.
 *
 * A layout is that of plan.h, cell after cell, shard by shard: the place of each row in the epoch of this process. Long
 * work is done in steps. A process has fewer than 2^31 rows, and all shards together have fewer than 2^53.
 */

#ifndef PYSTRAT_SHARDS_H
#define PYSTRAT_SHARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "turns.h"
#include "random.h"

/* The cells of a process, shard by shard. The caller owns the arrays. */
typedef struct {
  int64_t n_cells;
  int64_t n_batches;     /* from 1 to 2^31 - 1 */
  const int64_t *counts; /* n_cells numbers: the rows of each cell */
  const int64_t *begins; /* n_cells numbers: the batch of the first row, from 0 to n_batches - 1 */
} ShardCells;

/* Where the next step on a layout of shards begins. */
typedef struct {
  int64_t cell;
  bool has_begun; /* with this cell */
  LayoutProgress of_cell;
} ShardsProgress;

/* The seed of a shard in an epoch; `epoch * n_shards + shard` is below 2^31 - 1, so that all seeds differ. */
static inline uint32_t shard_seed(uint32_t seed, uint32_t epoch, uint32_t n_shards, uint32_t shard) {
  return epoch_seed(seed, epoch * n_shards + shard);
}

/* The last epoch that this allows for so many shards, from 1 to 2^31 - 1. */
static inline int64_t last_shard_epoch(int64_t n_shards) { return INT64_C(2147483647) / n_shards - 1; }

/* Count the rows of the cells from `begin` to before `end`.
 *
 * Add to `whole` the number of their rows that every batch has. Further rows are counted in `offsets`, n_batches + 1
 * numbers that are zero at first: add to offsets[b] how many more of them batch b has than batch b - 1.
 */
static inline void count_shard_rows(
    const ShardCells *cells, int64_t begin, int64_t end, int64_t *whole, int64_t *offsets
) {
  for (int64_t cell = begin; cell < end; cell++) {
    int64_t first = cells->begins[cell];
    int64_t over = cells->counts[cell] % cells->n_batches;
    *whole += cells->counts[cell] / cells->n_batches;
    offsets[first] += 1;
    if (over >= cells->n_batches - first) {
      offsets[0] += 1;
      offsets[over - (cells->n_batches - first)] -= 1;
    } else {
      offsets[first + over] -= 1;
    }
  }
}

/* Where the next step on offsets begins; all zero at first. */
typedef struct {
  int64_t batch;
  int64_t extra; /* rows of the batch before beyond `whole` */
  int64_t place; /* where the batch begins */
} ShardOffsets;

/* Turn the result of count_shard_rows() into the offsets of the batches before `end`, at most n_batches + 1. */
static inline void add_up_shard_rows(int64_t whole, int64_t end, ShardOffsets *progress, int64_t *offsets) {
  for (; progress->batch < end; progress->batch++) {
    progress->extra += offsets[progress->batch];
    offsets[progress->batch] = progress->place;
    progress->place += whole + progress->extra;
  }
}

/* Begin a layout of shards. */
static inline void begin_shard_layout(ShardsProgress *progress) { *progress = (ShardsProgress){.cell = 0}; }

/* Fill the layout, in steps; return whether it is finished. `next_places` has n_batches numbers: at first the offsets,
 * then the first free place of each batch. A step fills at most `wanted` places of at most `wanted` cells.
 */
static inline bool fill_shard_layout(
    const ShardCells *cells, int64_t wanted, ShardsProgress *progress, int64_t *next_places, int32_t *layout
) {
  LayoutProgress *of_cell = &progress->of_cell;
  while (progress->cell < cells->n_cells && wanted > 0) {
    int64_t count = cells->counts[progress->cell];
    if (!progress->has_begun) {
      of_cell->batch = cells->begins[progress->cell];
      of_cell->rank = 0;
      progress->has_begun = true;
    }
    int64_t end = wanted < count - of_cell->rank ? of_cell->rank + wanted : count;
    int64_t filled = end - of_cell->rank;
    lay_out_evenly(cells->n_batches, end, of_cell, next_places, layout);
    of_cell->rank = end;
    of_cell->index += filled;
    wanted -= filled + 1;
    if (end == count) {
      progress->cell += 1;
      progress->has_begun = false;
    }
  }
  return progress->cell == cells->n_cells;
}

/* The number of rows of the shard whose first cell is `first_cell`. */
static inline int64_t shard_rows(const ShardCells *cells, int64_t first_cell, int64_t n_strata) {
  int64_t rows = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) rows += cells->counts[first_cell + stratum];
  return rows;
}

/* Fill `cursors`, of n_strata numbers: where in the layout the strata of a shard begin. The first cell of the shard is
 * `first_cell`, and its first row is `first_row`.
 */
static inline void fill_shard_cursors(
    const ShardCells *cells, int64_t first_cell, int64_t n_strata, int64_t first_row, int64_t *cursors
) {
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    cursors[stratum] = first_row;
    first_row += cells->counts[first_cell + stratum];
  }
}

#endif
