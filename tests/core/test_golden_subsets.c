/* Golden vectors of batches of a few strata. A case is:
 *
 *   the strata of golden_strata.h, with the rows of each
 *   n_batches; the seed; the fewest and the most rows of each stratum in a batch that holds it
 *   n_epochs, then for each its number; for each stratum its blocks, the rows that the epoch takes of it, and how many
 *   all earlier epochs have taken; the list of the batches' sizes and that of the rows
 *
 * The rows of a stratum are taken in turn, in its order of epoch 0.
 */

#include "block_dealing.h"
#include "epochs.h"
#include "golden.h"
#include "golden_strata.h"

typedef struct {
  Strata strata;
  int64_t n_batches;
  uint32_t seed;
  int64_t *fewest, *most; /* n_strata */
} Case;

/* What an epoch takes. */
typedef struct {
  uint32_t number;
  int64_t *n_blocks, *taken, *before; /* n_strata */
} Part;

static void read_case(Case *c) {
  c->strata = read_strata();
  int64_t n_strata = c->strata.n_strata;
  check_counts(&c->strata);
  c->n_batches = read_number();
  c->seed = (uint32_t)read_number();
  c->fewest = new_array(n_strata, sizeof *c->fewest);
  c->most = new_array(n_strata, sizeof *c->most);
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    c->fewest[stratum] = read_number();
    c->most[stratum] = read_number();
  }
}

static void free_case(Case *c) {
  free_strata(&c->strata);
  free(c->fewest);
  free(c->most);
}

static Part read_part(int64_t n_strata) {
  Part part = {.number = (uint32_t)read_number()};
  part.n_blocks = new_array(n_strata, sizeof *part.n_blocks);
  part.taken = new_array(n_strata, sizeof *part.taken);
  part.before = new_array(n_strata, sizeof *part.before);
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    part.n_blocks[stratum] = read_number();
    part.taken[stratum] = read_number();
    part.before[stratum] = read_number();
  }
  return part;
}

static void free_part(Part *part) {
  free(part->n_blocks);
  free(part->taken);
  free(part->before);
}

/* Check the sizes of the blocks of each stratum. */
static void check_blocks(const Case *c, const Part *part) {
  for (int64_t stratum = 0; stratum < c->strata.n_strata; stratum++) {
    int64_t taken = part->taken[stratum], n_blocks = part->n_blocks[stratum];
    if (n_blocks == 0) continue;
    CHECK_EQUAL(block_begin(taken, n_blocks, 1), c->most[stratum]);
    CHECK_EQUAL(taken - block_begin(taken, n_blocks, n_blocks - 1), c->fewest[stratum]);
  }
}

/* Fill the stratum of each row, n_strata for rows that the epoch leaves out. */
static void fill_codes(const Case *c, const Part *part, int32_t *codes) {
  const Strata *strata = &c->strata;
  int32_t *fixed = new_array(strata->n_rows, sizeof *fixed);
  int64_t *ranks = new_zeros(strata->n_codes);
  draw_order(strata->n_rows, epoch_seed(c->seed, 0), fixed);
  for (int64_t i = 0; i < strata->n_rows; i++) {
    int64_t stratum = strata->codes[fixed[i]];
    codes[fixed[i]] = (int32_t)strata->n_strata;
    if (stratum == strata->n_strata) continue;
    int64_t count = strata->counts[stratum];
    int64_t turn = (ranks[stratum]++ + count - part->before[stratum] % count) % count;
    if (turn < part->taken[stratum]) codes[fixed[i]] = (int32_t)stratum;
  }
  free(fixed);
  free(ranks);
}

/* Draw the rows of an epoch, counted from first_row, and its offsets, in steps of size `wanted`; return how many there
 * are.
 */
static int64_t draw_part(
    const Case *c, const Part *part, int32_t first_row, int64_t wanted, int64_t *offsets, int32_t *rows
) {
  int64_t n_rows = c->strata.n_rows;
  int32_t *order = new_array(n_rows, sizeof *order);
  int32_t *codes = new_array(n_rows, sizeof *codes);
  draw_order(n_rows, epoch_seed(c->seed, part->number), order);
  fill_codes(c, part, codes);
  Blocks blocks = new_blocks(part->taken, part->n_blocks, c->strata.n_strata, c->n_batches);
  gather_in_steps(order, codes, first_row, n_rows, wanted, &blocks);
  deal_in_steps(wanted, &blocks);
  write_in_steps(&blocks, wanted, offsets, rows);
  free_blocks(&blocks);
  free(order);
  free(codes);
  return offsets[c->n_batches];
}

/* Read an epoch and compare it; then draw it in steps, for both first rows. */
static void check_epoch(const Case *c) {
  Part part = read_part(c->strata.n_strata);
  check_blocks(c, &part);
  int64_t *offsets = new_array(c->n_batches + 1, sizeof *offsets);
  int32_t *rows = new_array(c->strata.n_rows, sizeof *rows);
  int32_t *again = new_array(c->strata.n_rows, sizeof *again);
  int64_t n_taken = draw_part(c, &part, 0, INT64_MAX, offsets, rows);
  check_sizes(offsets, c->n_batches);
  check_rows(rows, n_taken, 0);
  for (int32_t first_row = 0; first_row <= 1; first_row++) {
    CHECK_EQUAL(draw_part(c, &part, first_row, 7, offsets, again), n_taken);
    for (int64_t i = 0; i < n_taken; i++) CHECK_EQUAL(again[i] - first_row, rows[i]);
  }
  free_part(&part);
  free(offsets);
  free(rows);
  free(again);
}

static void check_case(void) {
  Case c;
  read_case(&c);
  int64_t n_epochs = read_number();
  for (int64_t epoch = 0; epoch < n_epochs; epoch++) check_epoch(&c);
  free_case(&c);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
