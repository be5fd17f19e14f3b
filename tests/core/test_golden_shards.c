/* Golden vectors of sharded batches: each epoch is laid out and drawn, and compared row by row. */

#include <string.h>

#include "golden.h"
#include "permutation.h"
#include "scatter.h"
#include "shards.h"

enum { MOST_SHARDS = 8, MOST_ROWS = 200, MOST_CELLS = 32 };

/* A case, and the process whose batches it has. */
typedef struct {
  ShardCells cells;
  int64_t n_strata;
  int64_t n_shards;
  int64_t n_own;
  int64_t n_rows;
  bool shuffled;
  uint32_t seed;
  uint32_t epoch;
  int64_t shards[MOST_SHARDS];
  int64_t counts[MOST_CELLS];
  int64_t begins[MOST_CELLS];
  int32_t codes[MOST_ROWS];
} Case;

static void read_case(Case *c) {
  memset(c, 0, sizeof *c);
  c->n_strata = next_number();
  c->cells.n_batches = next_number();
  c->n_shards = next_number();
  c->seed = (uint32_t)next_number();
  c->epoch = (uint32_t)next_number();
  c->shuffled = next_number() != 0;
  c->n_own = next_number();
  CHECK(c->n_own <= MOST_SHARDS && c->n_own * c->n_strata <= MOST_CELLS);
  for (int64_t shard = 0; shard < c->n_own; shard++) {
    c->shards[shard] = next_number();
    int64_t size = next_number();
    CHECK(c->n_rows + size <= MOST_ROWS);
    for (int64_t row = 0; row < size; row++) {
      int64_t code = next_number();
      c->codes[c->n_rows++] = (int32_t)code;
      c->counts[shard * c->n_strata + code] += 1;
    }
  }
  c->cells.n_cells = c->n_own * c->n_strata;
  for (int64_t cell = 0; cell < c->cells.n_cells; cell++) c->begins[cell] = next_number();
  c->cells.counts = c->counts;
  c->cells.begins = c->begins;
}

/* Draw the epoch into `rows`, by a layout of the rows of all shards of the process. */
static void draw(const Case *c, const int32_t *layout, int32_t *rows) {
  int32_t pool[MOST_ROWS];
  int64_t cursors[MOST_CELLS];
  int64_t first_row = 0;
  for (int64_t shard = 0; shard < c->n_own; shard++) {
    int64_t first_cell = shard * c->n_strata;
    uint32_t size = (uint32_t)shard_rows(&c->cells, first_cell, c->n_strata);
    const int32_t *codes = c->codes + first_row;
    fill_shard_cursors(&c->cells, first_cell, c->n_strata, first_row, cursors);
    if (c->shuffled) {
      Generator generator;
      seed_generator(&generator, shard_seed(c->seed, c->epoch, (uint32_t)c->n_shards, (uint32_t)c->shards[shard]));
      fill_in_order(pool, size);
      scatter_permutation_int32(&generator, pool, size, size, codes, cursors, layout, (int32_t)first_row, rows);
    } else {
      scatter_in_order_int32(0, size, codes, cursors, layout, (int32_t)first_row, rows);
    }
    first_row += size;
  }
}

static void check_epoch(const Case *c) {
  int64_t *offsets = new_zeros(c->cells.n_batches + 1);
  int64_t *next_places = new_array(c->cells.n_batches, sizeof *next_places);
  int32_t *layout = new_array(c->n_rows, sizeof *layout);
  int32_t *rows = new_array(c->n_rows, sizeof *rows);
  int64_t whole = 0;
  count_shard_rows(&c->cells, 0, c->cells.n_cells, &whole, offsets);
  ShardOffsets adding = {0};
  add_up_shard_rows(whole, c->cells.n_batches + 1, &adding, offsets);
  memcpy(next_places, offsets, (size_t)c->cells.n_batches * sizeof *offsets);
  ShardsProgress progress;
  begin_shard_layout(&progress);
  while (!fill_shard_layout(&c->cells, 2, &progress, next_places, layout)) continue;
  draw(c, layout, rows);
  for (int64_t batch = 0; batch < c->cells.n_batches; batch++) {
    CHECK_EQUAL(offsets[batch + 1] - offsets[batch], next_number());
    for (int64_t i = offsets[batch]; i < offsets[batch + 1]; i++) CHECK_EQUAL(rows[i], next_number());
  }
  free(offsets);
  free(next_places);
  free(layout);
  free(rows);
}

static void check_case(void) {
  Case c;
  read_case(&c);
  check_epoch(&c);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
