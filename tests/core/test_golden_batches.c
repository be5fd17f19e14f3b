/* Golden vectors of stratified batches. A case is:
 *
 *   n_rows, then the label of each row, -1 if the row is dropped
 *   n_strata, then the rows of each
 *   n_batches; 1 if the rows are dealt evenly, else 0; 1 if they are shuffled, else 0; the seed
 *   the list of the batches' sizes
 *   n_epochs, then for each its number, the list of its permutation and that of its rows
 */

#include <string.h>

#include "by_width.h"
#include "golden.h"
#include "numbering.h"
#include "permutation.h"
#include "plan.h"
#include "random.h"

typedef struct {
  int64_t n_rows, n_strata, n_codes, n_batches;
  int64_t *codes;   /* of each row; the last of n_codes if rows are dropped */
  int64_t *counts;  /* n_codes */
  int64_t *starts;  /* n_codes + 1 */
  int64_t *offsets; /* n_batches + 1 */
  int32_t *layout;  /* n_rows */
  int shuffled;
  uint32_t seed;
} Case;

/* Number the labels that are not dropped; return how many there are. */
static int64_t number_labels(const int64_t *labels, int64_t n_rows, int64_t *codes) {
  int64_t *kept = new_array(n_rows, sizeof *kept);
  int64_t *numbers = new_array(n_rows, sizeof *numbers);
  int64_t n_kept = 0;
  for (int64_t row = 0; row < n_rows; row++) {
    if (labels[row] >= 0) kept[n_kept++] = labels[row];
  }
  enum { BITS = 12 };
  NumberTable table = {
      .slots = new_array(1 << BITS, sizeof *table.slots),
      .distinct = new_array(1 << (BITS - 1), sizeof *table.distinct),
      .bits = BITS,
  };
  begin_numbers(&table);
  clear_slots(&table);
  CHECK_EQUAL(number_rows(&table, kept, 0, n_kept, numbers), n_kept);
  n_kept = 0;
  for (int64_t row = 0; row < n_rows; row++) codes[row] = labels[row] >= 0 ? numbers[n_kept++] : -1;
  free(kept);
  free(numbers);
  free(table.slots);
  free(table.distinct);
  return table.found;
}

/* Read the labels of a case, number them in steps of 1,000 rows, and compare the counts. */
static void read_strata(Case *c) {
  c->n_rows = read_number();
  int64_t *labels = new_array(c->n_rows, sizeof *labels);
  int dropped = 0;
  for (int64_t row = 0; row < c->n_rows; row++) {
    labels[row] = read_number();
    if (labels[row] < 0) dropped = 1;
  }
  c->codes = new_array(c->n_rows, sizeof *c->codes);
  c->n_strata = number_labels(labels, c->n_rows, c->codes);
  free(labels);
  c->n_codes = c->n_strata + dropped;
  c->counts = new_array(c->n_codes, sizeof *c->counts);
  memset(c->counts, 0, (size_t)c->n_codes * sizeof *c->counts);
  int32_t *compact = new_array(c->n_rows, sizeof *compact);
  for (int64_t begin = 0; begin < c->n_rows; begin += 1000) {
    int64_t end = begin + 1000 < c->n_rows ? begin + 1000 : c->n_rows;
    compact_codes(c->codes, begin, end, c->n_codes, 4, compact, c->counts);
  }
  for (int64_t row = 0; row < c->n_rows; row++) c->codes[row] = compact[row];
  free(compact);
  CHECK_EQUAL(c->n_strata, read_number());
  for (int64_t stratum = 0; stratum < c->n_strata; stratum++) CHECK_EQUAL(c->counts[stratum], read_number());
}

/* Read what the plan is made of, make it, and compare the sizes of its batches. */
static void read_plan(Case *c) {
  c->n_batches = read_number();
  int even = read_number() != 0;
  c->shuffled = read_number() != 0;
  c->seed = (uint32_t)read_number();
  c->starts = new_array(c->n_codes + 1, sizeof *c->starts);
  c->offsets = new_array(c->n_batches + 1, sizeof *c->offsets);
  c->layout = new_array(c->n_rows, sizeof *c->layout);
  fill_starts(c->counts, c->n_codes, c->starts);
  int64_t n_kept = c->starts[c->n_strata];
  memset(c->offsets, 0, (size_t)(c->n_batches + 1) * sizeof *c->offsets);
  if (even) {
    fill_even_offsets(n_kept, c->n_batches, 0, c->n_batches + 1, c->offsets);
  } else {
    OffsetsProgress progress = {0};
    while (!fill_proportional_offsets(c->counts, c->n_strata, c->n_batches, 100, &progress, c->offsets)) continue;
  }
  int64_t *next_places = new_array(c->n_batches, sizeof *next_places);
  memcpy(next_places, c->offsets, (size_t)c->n_batches * sizeof *next_places);
  LayoutProgress progress = {0};
  while (!fill_layout(
      c->counts, c->n_strata, c->n_batches, even, c->n_rows, 1000, &progress, next_places, c->layout
  )) {
    continue;
  }
  free(next_places);
  check_sizes(c->offsets, c->n_batches);
}

/* Fill the rows of an epoch: codes of a width, rows from 0 or 1, in steps. */
static void fill_epoch(const Case *c, uint32_t seed, int code_bytes, int32_t first_row, uint32_t step, int32_t *rows) {
  void *codes = new_array(c->n_rows, (size_t)code_bytes);
  int64_t *counts = new_array(c->n_codes, sizeof *counts);
  int64_t *cursors = new_array(c->n_codes, sizeof *cursors);
  memset(counts, 0, (size_t)c->n_codes * sizeof *counts);
  compact_codes(c->codes, 0, c->n_rows, c->n_codes, code_bytes, codes, counts);
  memcpy(cursors, c->starts, (size_t)c->n_codes * sizeof *cursors);
  Epoch epoch = {code_bytes, codes, cursors, c->layout, first_row, rows};
  uint32_t n_rows = (uint32_t)c->n_rows;
  if (c->shuffled) {
    int32_t *pool = new_array(n_rows, sizeof *pool);
    Generator generator;
    seed_generator(&generator, seed);
    fill_in_order(pool, n_rows);
    for (uint32_t left = n_rows; left > 0;) left = scatter_permutation(&epoch, &generator, pool, left, step);
    free(pool);
  } else {
    for (uint32_t begin = 0; begin < n_rows;) {
      uint32_t end = n_rows - begin > step ? begin + step : n_rows;
      scatter_in_order(&epoch, begin, end);
      begin = end;
    }
  }
  free(codes);
  free(counts);
  free(cursors);
}

/* Read an epoch and compare it; then draw it in steps, for every width of codes that holds them and both first rows. */
static void check_epoch(const Case *c) {
  uint32_t seed = epoch_seed(c->seed, (uint32_t)read_number());
  int64_t n_kept = c->starts[c->n_strata];
  int32_t *rows = new_array(c->n_rows, sizeof *rows);
  int32_t *pool = new_array(c->n_rows, sizeof *pool);
  Generator generator;
  seed_generator(&generator, seed);
  fill_in_order(pool, (uint32_t)c->n_rows);
  take_rows(&generator, pool, (uint32_t)c->n_rows, (uint32_t)c->n_rows, rows);
  check_rows(rows, c->n_rows, 0);

  fill_epoch(c, seed, 4, 1, UINT32_MAX, rows);
  check_rows(rows, n_kept, 1);
  int32_t *again = new_array(c->n_rows, sizeof *again);
  for (int code_bytes = c->n_codes <= 256 ? 1 : 2; code_bytes <= 4; code_bytes *= 2) {
    for (int32_t first_row = 0; first_row <= 1; first_row++) {
      fill_epoch(c, seed, code_bytes, first_row, 700, again);
      for (int64_t i = 0; i < c->n_rows; i++) CHECK_EQUAL(again[i] - first_row, rows[i] - 1);
    }
  }
  free(again);
  free(rows);
  free(pool);
}

static void check_case(void) {
  Case c;
  read_strata(&c);
  read_plan(&c);
  int64_t n_epochs = read_number();
  for (int64_t epoch = 0; epoch < n_epochs; epoch++) check_epoch(&c);
  free(c.codes);
  free(c.counts);
  free(c.starts);
  free(c.offsets);
  free(c.layout);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
