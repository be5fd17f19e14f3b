/* Golden vectors of downsampled batches. A case is:
 *
 *   n_rows, n_strata, then the stratum of each row
 *   the rows that an epoch takes of each stratum; n_batches; 1 if strata are walked, else 0; the seed
 *   n_epochs and their numbers
 *   the list of the rows of all epochs, and that of their offsets
 */

#include <string.h>

#include "golden.h"
#include "passes.h"
#include "permutation.h"
#include "plan.h"
#include "random.h"
#include "scatter.h"

typedef struct {
  int64_t n_rows, n_strata, n_batches, n_taken;
  int32_t *codes;     /* of each row */
  int64_t *available; /* the rows of each stratum */
  int64_t *taken;     /* those that an epoch takes */
  int64_t *offsets;   /* n_batches + 1 */
  bool is_walked;
  uint32_t seed;
} Case;

static void read_case(Case *c) {
  c->n_rows = read_number();
  c->n_strata = read_number();
  c->codes = new_array(c->n_rows, sizeof *c->codes);
  c->available = new_array(c->n_strata, sizeof *c->available);
  c->taken = new_array(c->n_strata, sizeof *c->taken);
  memset(c->available, 0, (size_t)c->n_strata * sizeof *c->available);
  for (int64_t row = 0; row < c->n_rows; row++) {
    c->codes[row] = (int32_t)read_number();
    c->available[c->codes[row]] += 1;
  }
  c->n_taken = 0;
  for (int64_t stratum = 0; stratum < c->n_strata; stratum++) {
    c->taken[stratum] = read_number();
    c->n_taken += c->taken[stratum];
  }
  c->n_batches = read_number();
  c->is_walked = read_number() != 0;
  c->seed = (uint32_t)read_number();
  c->offsets = new_array(c->n_batches + 1, sizeof *c->offsets);
  fill_even_offsets(c->n_taken, c->n_batches, 0, c->n_batches + 1, c->offsets);
}

static void free_case(Case *c) {
  free(c->codes);
  free(c->available);
  free(c->taken);
  free(c->offsets);
}

/* Draw the order of all rows by a seed. */
static void draw_order(int64_t n_rows, uint32_t seed, int32_t *order) {
  int32_t *pool = new_array(n_rows, sizeof *pool);
  Generator generator;
  seed_generator(&generator, seed);
  fill_in_order(pool, (uint32_t)n_rows);
  take_rows(&generator, pool, (uint32_t)n_rows, (uint32_t)n_rows, order);
  free(pool);
}

/* Give the rows that an epoch leaves out the number of strata as their code: of each stratum, taken in the order of
 * epoch 0 and in turn, those after the rows that the epoch takes.
 */
static void leave_rows_out(const Case *c, int64_t epoch, int32_t *codes) {
  int32_t *order = new_array(c->n_rows, sizeof *order);
  int64_t *places = new_array(c->n_strata, sizeof *places);
  memset(places, 0, (size_t)c->n_strata * sizeof *places);
  draw_order(c->n_rows, epoch_seed(c->seed, 0), order);
  for (int64_t i = 0; i < c->n_rows; i++) {
    int32_t stratum = c->codes[order[i]];
    int64_t size = c->available[stratum];
    int64_t taken = c->taken[stratum];
    int64_t begin = epoch * taken % size;
    int64_t place = places[stratum]++;
    if ((place - begin + size) % size >= taken) codes[order[i]] = (int32_t)c->n_strata;
  }
  free(order);
  free(places);
}

/* Fill the layout of an epoch. If strata are walked, its codes leave out the rows that it does not take. */
static void fill_layouts(const Case *c, int32_t *layout) {
  int64_t *next_places = new_array(c->n_batches, sizeof *next_places);
  memcpy(next_places, c->offsets, (size_t)c->n_batches * sizeof *next_places);
  LayoutProgress progress = {0};
  if (c->is_walked) {
    while (!fill_passes_layout(
        c->taken, c->available, c->n_strata, c->n_batches, c->n_rows, 1000, &progress, next_places, layout
    )) {
      continue;
    }
  } else {
    while (!fill_layout(c->taken, c->n_strata, c->n_batches, 1, c->n_rows, 1000, &progress, next_places, layout)) {
      continue;
    }
    SpreadProgress spread;
    begin_spread(c->taken, c->available, c->n_strata, &spread);
    while (!spread_layout(c->taken, c->available, 1000, &spread, layout)) continue;
  }
  free(next_places);
}

/* Draw an epoch: the rows of the batches, then the others. */
static void draw_epoch(const Case *c, int64_t epoch, int32_t *rows) {
  int32_t *codes = new_array(c->n_rows, sizeof *codes);
  int32_t *layout = new_array(c->n_rows, sizeof *layout);
  int32_t *pool = new_array(c->n_rows, sizeof *pool);
  int64_t *cursors = new_array(c->n_strata + 1, sizeof *cursors);
  memcpy(codes, c->codes, (size_t)c->n_rows * sizeof *codes);
  if (c->is_walked) leave_rows_out(c, epoch, codes);
  cursors[0] = 0;
  for (int64_t stratum = 0; stratum < c->n_strata; stratum++) {
    cursors[stratum + 1] = cursors[stratum] + (c->is_walked ? c->taken[stratum] : c->available[stratum]);
  }
  fill_layouts(c, layout);
  Generator generator;
  seed_generator(&generator, epoch_seed(c->seed, (uint32_t)epoch));
  fill_in_order(pool, (uint32_t)c->n_rows);
  uint32_t left = (uint32_t)c->n_rows;
  while (left > 0) {
    left = scatter_permutation_int32(&generator, pool, left, 700, codes, cursors, layout, 0, rows);
  }
  free(codes);
  free(layout);
  free(pool);
  free(cursors);
}

static void check_epochs(const Case *c) {
  int64_t n_epochs = read_number();
  int64_t n_offsets = c->n_batches + 1;
  int32_t *drawn = new_array(c->n_rows, sizeof *drawn);
  int32_t *rows = new_array(n_epochs * c->n_taken, sizeof *rows);
  int64_t *offsets = new_array(n_epochs * n_offsets, sizeof *offsets);
  for (int64_t i = 0; i < n_epochs; i++) {
    draw_epoch(c, read_number(), drawn);
    memcpy(rows + i * c->n_taken, drawn, (size_t)c->n_taken * sizeof *rows);
    memcpy(offsets + i * n_offsets, c->offsets, (size_t)n_offsets * sizeof *offsets);
  }
  check_rows(rows, n_epochs * c->n_taken, 0);
  check_list(offsets, n_epochs * n_offsets);
  free(drawn);
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
