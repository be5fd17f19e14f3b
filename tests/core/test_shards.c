/* shards.h against the rule, told row by row: random shards of a process, in steps of several sizes. */

#include <string.h>

#include "check.h"
#include "shards.h"

enum { MOST_CELLS = 12, MOST_BATCHES = 9 };

/* Find the offsets by the core in steps of so much work. */
static void find_offsets(const ShardCells *cells, int64_t wanted, int64_t *offsets) {
  int64_t whole = 0;
  memset(offsets, 0, (size_t)(cells->n_batches + 1) * sizeof *offsets);
  for (int64_t begin = 0; begin < cells->n_cells;) {
    int64_t end = wanted < cells->n_cells - begin ? begin + wanted : cells->n_cells;
    count_shard_rows(cells, begin, end, &whole, offsets);
    begin = end;
  }
  ShardOffsets progress = {0};
  while (progress.batch <= cells->n_batches) {
    int64_t left = cells->n_batches + 1 - progress.batch;
    add_up_shard_rows(whole, progress.batch + (wanted < left ? wanted : left), &progress, offsets);
  }
}

/* See that each batch begins where the rows of the batches before it end, and that each row has the next place of its
 * batch.
 */
static void check_layout(const ShardCells *cells, const int64_t *offsets, const int32_t *layout) {
  int64_t begin = 0;
  for (int64_t batch = 0; batch < cells->n_batches; batch++) {
    CHECK_EQUAL(offsets[batch], begin);
    int64_t index = 0;
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
      for (int64_t rank = 0; rank < cells->counts[cell]; rank++) {
        if ((cells->begins[cell] + rank) % cells->n_batches == batch) CHECK_EQUAL(layout[index], begin++);
        index += 1;
      }
    }
  }
  CHECK_EQUAL(offsets[cells->n_batches], begin);
}

static void test_any_shards(void) {
  static const int64_t steps[] = {1, 3, INT64_MAX};
  uint64_t state = 1;
  for (int trial = 0; trial < 20000; trial++) {
    ShardCells cells = {.n_cells = 1 + some_number(&state, MOST_CELLS)};
    cells.n_batches = 1 + some_number(&state, MOST_BATCHES);
    int64_t counts[MOST_CELLS], begins[MOST_CELLS];
    int64_t n_rows = 0;
    for (int64_t cell = 0; cell < cells.n_cells; cell++) {
      counts[cell] = some_number(&state, 3) == 0 ? 0 : some_number(&state, 25);
      begins[cell] = some_number(&state, cells.n_batches);
      n_rows += counts[cell];
    }
    cells.counts = counts;
    cells.begins = begins;
    int64_t *offsets = new_array(cells.n_batches + 1, sizeof *offsets);
    int64_t *next_places = new_array(cells.n_batches, sizeof *next_places);
    int32_t *layout = new_array(n_rows, sizeof *layout);
    find_offsets(&cells, steps[trial % 3], offsets);
    memcpy(next_places, offsets, (size_t)cells.n_batches * sizeof *offsets);
    ShardsProgress progress;
    begin_shard_layout(&progress);
    while (!fill_shard_layout(&cells, steps[trial % 3], &progress, next_places, layout)) continue;
    check_layout(&cells, offsets, layout);
    free(offsets);
    free(next_places);
    free(layout);
  }
}

static void test_cursors(void) {
  static const int64_t counts[] = {3, 0, 2, 0, 4, 1};
  ShardCells cells = {.n_cells = 6, .counts = counts};
  int64_t cursors[3];
  CHECK_EQUAL(shard_rows(&cells, 0, 3), 5);
  CHECK_EQUAL(shard_rows(&cells, 3, 3), 5);
  fill_shard_cursors(&cells, 3, 3, 5, cursors);
  CHECK_EQUAL(cursors[0], 5);
  CHECK_EQUAL(cursors[1], 5);
  CHECK_EQUAL(cursors[2], 9);
}

/* One shard has the seeds of the epochs; the last epoch of many has seeds of its own, too. */
static void test_seeds(void) {
  for (uint32_t epoch = 0; epoch < 100; epoch++) CHECK_EQUAL(shard_seed(7, epoch, 1, 0), epoch_seed(7, epoch));
  CHECK_EQUAL(last_shard_epoch(1), INT64_C(2147483646));
  CHECK_EQUAL(last_shard_epoch(100000), 21473);
  CHECK_EQUAL(last_shard_epoch(2147483647), 0);
  uint32_t last = shard_seed(2147483646u, 21473, 100000, 99999);
  uint64_t number = UINT64_C(21473) * 100000 + 99999;
  CHECK_EQUAL(last, (2147483646u + (UINT64_C(1327217885) * number) % 2147483647u) % 2147483647u);
}

int main(void) {
  test_any_shards();
  test_cursors();
  test_seeds();
  return 0;
}
