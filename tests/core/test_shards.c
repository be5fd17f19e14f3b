/* shards.h against the rule, told row by row: random tables, and the cells of some of their shards. */

#include "counts_table.h"
#include "part_seeds.h"
#include "plain_host.h"
#include "shards.h"
#include "sorting.h"

enum { MOST_SHARDS = 4, MOST_STRATA = 3, MOST_CELLS = MOST_SHARDS * MOST_STRATA, MOST_OF_CELL = 25 };

/* Deal the rows of all cells one by one; fill the batch in which each cell begins. */
static void deal_rows(const ShardsPlan *plan, int64_t *begins) {
  int64_t n_shards = plan->table.n_parts, n_strata = plan->table.n_strata, batch = 0;
  for (int64_t turn = 0; turn < n_shards * n_strata; turn++) {
    int64_t cell = plan->is_local ? turn : turn % n_shards * n_strata + turn / n_shards;
    begins[cell] = batch;
    for (int64_t rank = 0; rank < plan->table.counts[cell]; rank++) batch = (batch + 1) % plan->n_batches;
  }
}

/* Check that each batch begins where the rows of the batches before it end, and that each row has the next place of its
 * batch; return the fewest rows of a batch.
 */
static int64_t check_layout(const ShardCells *cells, const int64_t *offsets, const int32_t *layout) {
  int64_t begin = 0, fewest = INT64_MAX;
  for (int64_t batch = 0; batch < cells->n_batches; batch++) {
    CHECK_EQUAL(offsets[batch], begin);
    int64_t index = 0;
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
      for (int64_t rank = 0; rank < cells->counts[cell]; rank++) {
        if ((cells->begins[cell] + rank) % cells->n_batches == batch) CHECK_EQUAL(layout[index], begin++);
        index += 1;
      }
    }
    fewest = smaller(fewest, begin - offsets[batch]);
  }
  CHECK_EQUAL(offsets[cells->n_batches], begin);
  return fewest;
}

static void check_cells(const ShardCells *cells, Host *host) {
  int64_t n_rows = 0, fewest = -1;
  for (int64_t cell = 0; cell < cells->n_cells; cell++) n_rows += cells->counts[cell];
  const int64_t *offsets = find_shard_offsets(cells, FOR_THE_CALL, host);
  int64_t *next_places = new_array(cells->n_batches, sizeof *next_places);
  int32_t *layout = new_array(n_rows, sizeof *layout);
  memcpy(next_places, offsets, (size_t)cells->n_batches * sizeof *offsets);
  CHECK(lay_out_shards(cells, next_places, layout, host) && find_fewest(cells, &fewest, host));
  CHECK_EQUAL(check_layout(cells, offsets, layout), fewest);
  free(next_places);
  free(layout);
}

static void test_any_shards(void) {
  uint64_t state = 1;
  for (int trial = 0; trial < 10000; trial++) {
    double table[MOST_CELLS], shards[MOST_SHARDS], minimum = 1;
    int64_t n_shards = 1 + some_number(&state, MOST_SHARDS), n_strata = 1 + some_number(&state, MOST_STRATA);
    int64_t n_own = 1 + some_number(&state, n_shards), guaranteed, begins[MOST_CELLS];
    double n_strata_given = (double)n_strata;
    bool is_local = some_number(&state, 2) == 0;
    for (int64_t cell = 0; cell < n_shards * n_strata; cell++) {
      table[cell] = (double)(is_local || some_number(&state, 3) > 0 ? 1 + some_number(&state, MOST_OF_CELL) : 0);
    }
    for (int64_t place = 0; place < n_own; place++) shards[place] = (double)((place + trial) % n_shards);
    Part parts[] = {
        {.name = "min_samples_per_stratum", .type = DOUBLES, .length = 1, .values = &minimum},
        {.name = "scope", .type = TEXT, .length = 1, .values = is_local ? "local" : "global"},
        {.name = "table", .type = DOUBLES, .length = n_shards * n_strata, .values = table},
        {.name = "n_strata", .type = DOUBLES, .length = 1, .values = &n_strata_given},
        {.name = "shards", .type = DOUBLES, .length = n_own, .values = shards},
    };
    Parts request = {.parts = parts, .n_parts = LENGTH(parts)};
    PlainHost host = new_host(&request, NULL, 0, -1);
    ShardsPlan plan = {.n_batches = 0};
    ShardCells cells = {.n_cells = 0};
    if (plan_shards(&request, &plan, &guaranteed, &host.host)) {
      CHECK(guaranteed >= 1 && find_own_cells(&request, &plan, &cells, &host.host));
      deal_rows(&plan, begins);
      for (int64_t cell = 0; cell < cells.n_cells; cell++) {
        CHECK_EQUAL(cells.begins[cell], begins[(int64_t)shards[cell / n_strata] * n_strata + cell % n_strata]);
      }
      check_cells(&cells, &host.host);
    } else {
      check_failure(&host);
    }
    free_host(&host);
  }
}

/* One part has the seeds of the epochs; the last epoch of many has seeds of its own, too. */
static void test_seeds(void) {
  for (uint32_t epoch = 0; epoch < 100; epoch++) CHECK_EQUAL(part_seed(7, epoch, 1, 0), epoch_seed(7, epoch));
  CHECK_EQUAL(last_part_epoch(1), 6700000);
  CHECK_EQUAL(last_part_epoch(100000), 21473);
  CHECK_EQUAL(last_part_epoch(2147483647), 0);
  CHECK_EQUAL(last_part_epoch(2147483648), -1);
  uint32_t last = part_seed(2147483646u, 21473, 100000, 99999);
  uint64_t number = UINT64_C(21473) * 100000 + 99999;
  CHECK_EQUAL(last, (2147483646u + (UINT64_C(1327217885) * number) % 2147483647u) % 2147483647u);
}

static void test_sorting(void) {
  uint64_t state = 1;
  for (int trial = 0; trial < 300; trial++) {
    int64_t numbers[200], count = some_number(&state, 101), bits = some_number(&state, 54), sum = 0;
    for (int64_t i = 0; i < count; i++) sum += numbers[i] = some_number(&state, INT64_C(1) << bits);
    PlainHost host = new_host(NULL, NULL, 0, -1);
    const int64_t *sorted = sort_naturals(numbers, numbers + count, count, bits, &host.host);
    for (int64_t i = 0; i < count; i++) {
      CHECK(i == 0 || sorted[i - 1] <= sorted[i]);
      sum -= sorted[i];
    }
    CHECK_EQUAL(sum, 0);
  }
}

int main(void) {
  test_sorting();
  test_any_shards();
  test_seeds();
  return 0;
}
