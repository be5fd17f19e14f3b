/* Golden vectors of epochs that take the rows of some stratum less or more often than once: shares, balance, repeats
 * and batches of one size. A case is:
 *
 *   the strata of golden_strata.h, with the rows that an epoch takes of each
 *   n_batches; 1 if the rows are shuffled, else 0; the seed
 *   the list of the batches' sizes
 *   n_epochs, then for each its number, the list of its permutation and that of its rows
 */

#include "epochs.h"
#include "golden.h"
#include "golden_strata.h"
#include "taken_epochs.h"

/* Read an epoch and compare it; then draw it in steps, for every width of codes that holds them and both first rows. */
static void check_epoch(const TakenEpochs *epochs) {
  int64_t epoch = read_number(), n_rows = epochs->strata->n_rows;
  uint32_t seed = epoch_seed(epochs->seed, (uint32_t)epoch);
  int32_t *order = new_array(n_rows, sizeof *order);
  draw_order(n_rows, seed, order);
  check_rows(order, n_rows, 0);
  Entries entries = new_entries(epochs, epoch);
  int32_t *rows = new_array(entries.n_taken, sizeof *rows);
  int32_t *again = new_array(entries.n_taken, sizeof *again);
  draw_taken(epochs, &entries, seed, 4, 1, UINT32_MAX, rows);
  check_rows(rows, entries.n_taken, 1);
  for (int code_bytes = entries.n_passes < 256 ? 1 : 2; code_bytes <= 4; code_bytes *= 2) {
    for (int32_t first_row = 0; first_row <= 1; first_row++) {
      draw_taken(epochs, &entries, seed, code_bytes, first_row, 700, again);
      for (int64_t i = 0; i < entries.n_taken; i++) CHECK_EQUAL(again[i] - first_row, rows[i] - 1);
    }
  }
  free_entries(&entries);
  free(order);
  free(rows);
  free(again);
}

static void check_case(void) {
  Strata strata = read_strata();
  int64_t n_taken;
  int64_t *taken = read_taken(&strata, &n_taken);
  int64_t n_batches = read_number();
  bool is_shuffled = read_number() != 0;
  uint32_t seed = (uint32_t)read_number();
  int64_t *offsets = new_array(n_batches + 1, sizeof *offsets);
  fill_even_offsets(n_taken, n_batches, 0, n_batches + 1, offsets);
  check_sizes(offsets, n_batches);
  TakenEpochs epochs = new_taken_epochs(&strata, taken, offsets, n_batches, is_shuffled, seed);
  int64_t n_epochs = read_number();
  for (int64_t epoch = 0; epoch < n_epochs; epoch++) check_epoch(&epochs);
  free_taken_epochs(&epochs);
  free_strata(&strata);
  free(taken);
  free(offsets);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
