/* Golden vectors of downsampled batches. A case is:
 *
 *   the strata of golden_strata.h, with the rows that an epoch takes of each
 *   n_batches; 1 if strata are walked, else 0; the seed
 *   n_epochs and their numbers
 *   the list of the rows of all epochs, and that of their offsets
 */

#include "dealt_recipes.h"
#include "kind_downsampled.c"

static void check_epochs(DealtRecipe *recipe, int64_t n_taken, int64_t n_offsets) {
  int64_t n_epochs = next_number();
  int32_t *rows = new_array(n_epochs * n_taken, sizeof *rows);
  int64_t *offsets = new_array(n_epochs * n_offsets, sizeof *offsets);
  for (int64_t i = 0; i < n_epochs; i++) {
    PlainHost host = drawn_epoch(recipe, (uint32_t)next_number(), 0);
    CHECK_EQUAL(given_as(&host, "rows")->count, n_taken);
    memcpy(rows + i * n_taken, given_as(&host, "rows")->values, (size_t)n_taken * sizeof *rows);
    memcpy(offsets + i * n_offsets, given_as(&host, "offsets")->values, (size_t)n_offsets * sizeof *offsets);
    free_host(&host);
  }
  check_rows(rows, n_epochs * n_taken, 0);
  check_list(offsets, n_epochs * n_offsets);
  free(rows);
  free(offsets);
}

static void check_case(void) {
  Strata strata = read_strata();
  int64_t n_taken;
  int64_t *taken = read_taken(&strata, &n_taken);
  DealtRecipe recipe = {.n_parts = 0};
  int64_t n_batches = next_number();
  add_strata(&recipe, &strata, n_batches);
  add_flag(&recipe, "in_turn", next_number());
  double *kept = new_array(strata.n_strata, sizeof *kept);
  for (int64_t stratum = 0; stratum < strata.n_strata; stratum++) kept[stratum] = (double)taken[stratum];
  add_part(&recipe, "kept", DOUBLES, strata.n_strata, kept);
  prepare(&recipe, &downsampled_kind, (uint32_t)next_number());
  check_epochs(&recipe, n_taken, n_batches + 1);
  free_recipe(&recipe);
  free_strata(&strata);
  free(taken);
  free(kept);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
