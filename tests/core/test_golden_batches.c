/* Golden vectors of stratified batches whose epochs take every row once. A case is:
 *
 *   the strata of golden_strata.h, with the rows of each
 *   n_batches; 1 if the rows are dealt evenly, else 0; 1 if they are shuffled, else 0; the seed
 *   the list of the batches' sizes
 *   n_epochs, then for each its number, the list of its permutation and that of its rows
 */

#include "epochs.h"
#include "golden.h"
#include "golden_strata.h"
#include "plan.h"

typedef struct {
  Strata strata;
  int64_t n_batches;
  int64_t *starts;  /* n_codes + 1 */
  int64_t *offsets; /* n_batches + 1 */
  int32_t *layout;  /* n_rows */
  bool is_shuffled;
  uint32_t seed;
} Case;

/* Fill the offsets and the layout, in steps. */
static void lay_out(Case *c, bool even) {
  const Strata *strata = &c->strata;
  int64_t n_batches = c->n_batches;
  fill_starts(strata->counts, strata->n_codes, c->starts);
  if (even) {
    fill_even_offsets(c->starts[strata->n_strata], n_batches, 0, n_batches + 1, c->offsets);
  } else {
    OffsetsProgress progress = {0};
    while (!fill_proportional_offsets(strata->counts, strata->n_strata, n_batches, 100, &progress, c->offsets)) {
      continue;
    }
  }
  lay_out_rows(strata->counts, strata->n_strata, n_batches, even, strata->n_rows, c->offsets, c->layout);
}

static void read_case(Case *c) {
  c->strata = read_strata();
  check_counts(&c->strata);
  c->n_batches = read_number();
  bool even = read_number() != 0;
  c->is_shuffled = read_number() != 0;
  c->seed = (uint32_t)read_number();
  c->starts = new_array(c->strata.n_codes + 1, sizeof *c->starts);
  c->offsets = new_zeros(c->n_batches + 1);
  c->layout = new_array(c->strata.n_rows, sizeof *c->layout);
  lay_out(c, even);
}

static void free_case(Case *c) {
  free_strata(&c->strata);
  free(c->starts);
  free(c->offsets);
  free(c->layout);
}

/* Read an epoch and compare it; then draw it in steps, for every width of codes that holds them and both first rows. */
static void check_epoch(const Case *c) {
  uint32_t seed = epoch_seed(c->seed, (uint32_t)read_number());
  int64_t n_rows = c->strata.n_rows;
  int32_t *rows = new_array(n_rows, sizeof *rows);
  draw_order(n_rows, seed, rows);
  check_rows(rows, n_rows, 0);

  Scatter scatter = {n_rows, c->strata.n_codes, c->strata.codes, c->starts, c->layout, c->is_shuffled};
  scatter_rows(&scatter, seed, 4, 1, UINT32_MAX, rows);
  check_rows(rows, c->starts[c->strata.n_strata], 1);
  int32_t *again = new_array(n_rows, sizeof *again);
  for (int code_bytes = scatter.n_codes <= 256 ? 1 : 2; code_bytes <= 4; code_bytes *= 2) {
    for (int32_t first_row = 0; first_row <= 1; first_row++) {
      scatter_rows(&scatter, seed, code_bytes, first_row, 700, again);
      for (int64_t i = 0; i < n_rows; i++) CHECK_EQUAL(again[i] - first_row, rows[i] - 1);
    }
  }
  free(again);
  free(rows);
}

static void check_case(void) {
  Case c;
  read_case(&c);
  check_sizes(c.offsets, c.n_batches);
  int64_t n_epochs = read_number();
  for (int64_t epoch = 0; epoch < n_epochs; epoch++) check_epoch(&c);
  free_case(&c);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
