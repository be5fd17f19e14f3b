/* Golden vectors of downsampled batches. A case is:
 *
 *   the strata of golden_strata.h, with the rows that an epoch takes of each
 *   n_batches; 1 if strata are walked, else 0; the seed
 *   n_epochs and their numbers
 *   the list of the rows of all epochs, and that of their offsets
 */

#include <string.h>

#include "epochs.h"
#include "golden.h"
#include "golden_strata.h"
#include "plan.h"
#include "taken_epochs.h"

typedef struct {
  Strata strata;
  int64_t n_batches, n_taken;
  int64_t *taken;   /* the rows of each stratum that an epoch takes */
  int64_t *offsets; /* n_batches + 1 */
  bool is_walked;
  uint32_t seed;
} Case;

static void read_case(Case *c) {
  c->strata = read_strata();
  c->taken = read_taken(&c->strata, &c->n_taken);
  c->n_batches = read_number();
  c->is_walked = read_number() != 0;
  c->seed = (uint32_t)read_number();
  c->offsets = new_array(c->n_batches + 1, sizeof *c->offsets);
  fill_even_offsets(c->n_taken, c->n_batches, 0, c->n_batches + 1, c->offsets);
}

static void free_case(Case *c) {
  free_strata(&c->strata);
  free(c->taken);
  free(c->offsets);
}

/* Draw an epoch that takes the rows of each stratum in turn. */
static void draw_walked(const Case *c, int64_t epoch, int32_t *rows) {
  TakenEpochs epochs = new_taken_epochs(&c->strata, c->taken, c->offsets, c->n_batches, true, c->seed);
  Entries entries = new_entries(&epochs, epoch);
  draw_taken(&epochs, &entries, epoch_seed(c->seed, (uint32_t)epoch), 4, 0, 700, rows);
  free_entries(&entries);
  free_taken_epochs(&epochs);
}

/* Draw an epoch that takes the first rows of each stratum in its order. */
static void draw_first(const Case *c, int64_t epoch, int32_t *rows) {
  const Strata *strata = &c->strata;
  int32_t *layout = new_array(strata->n_rows, sizeof *layout);
  int32_t *drawn = new_array(strata->n_rows, sizeof *drawn);
  int64_t *starts = new_array(strata->n_strata + 1, sizeof *starts);
  lay_out_rows(c->taken, strata->n_strata, c->n_batches, true, strata->n_rows, c->offsets, layout);
  SpreadProgress spread;
  begin_spread(c->taken, strata->counts, strata->n_strata, &spread);
  while (!spread_layout(c->taken, strata->counts, 1000, &spread, layout)) continue;
  fill_starts(strata->counts, strata->n_strata, starts);
  Scatter scatter = {strata->n_rows, strata->n_strata, strata->codes, starts, layout, true};
  scatter_rows(&scatter, epoch_seed(c->seed, (uint32_t)epoch), 4, 0, 700, drawn);
  memcpy(rows, drawn, (size_t)c->n_taken * sizeof *rows);
  free(layout);
  free(drawn);
  free(starts);
}

static void check_epochs(const Case *c) {
  int64_t n_epochs = read_number();
  int64_t n_offsets = c->n_batches + 1;
  int32_t *rows = new_array(n_epochs * c->n_taken, sizeof *rows);
  int64_t *offsets = new_array(n_epochs * n_offsets, sizeof *offsets);
  for (int64_t i = 0; i < n_epochs; i++) {
    (c->is_walked ? draw_walked : draw_first)(c, read_number(), rows + i * c->n_taken);
    memcpy(offsets + i * n_offsets, c->offsets, (size_t)n_offsets * sizeof *offsets);
  }
  check_rows(rows, n_epochs * c->n_taken, 0);
  check_list(offsets, n_epochs * n_offsets);
  free(rows);
  free(offsets);
}

static void check_case(void) {
  Case c;
  read_case(&c);
  check_epochs(&c);
  free_case(&c);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
