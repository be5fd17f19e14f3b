/* Golden vectors of stratified batches. A case is:
 *
 *   the strata of golden_strata.h, with the rows that an epoch takes of each
 *   n_batches; 1 if the rows are dealt evenly, else 0; 1 if they are shuffled, else 0; 1 if the batches are, else 0;
 *   the seed
 *   the list of the batches' sizes
 *   n_epochs, then for each its number, the list of its permutation and that of its rows
 */

#include "dealt_recipes.h"
#include "epochs.h"
#include "kind_stratified.c"

/* Read an epoch and compare it. */
static void check_epoch(
    DealtRecipe *recipe, const int64_t *sizes, int64_t n_batches, bool is_permuted, int64_t n_rows
) {
  uint32_t epoch = (uint32_t)next_number();
  int32_t *order = new_array(n_rows, sizeof *order);
  draw_order(n_rows, epoch_seed(recipe->instance.seed, epoch), order);
  check_rows(order, n_rows, 0);
  free(order);
  int64_t n_left[2] = {0, 0}; /* batches, of another size than the first one and of the same */
  for (int64_t batch = 0; batch < n_batches; batch++) n_left[sizes[batch] == sizes[0]] += 1;
  PlainHost host = drawn_epoch(recipe, epoch, epoch % 2);
  const Given *rows = given_as(&host, "rows");
  const int64_t *offsets = given_as(&host, "offsets")->values;
  for (int64_t batch = 0; batch < n_batches; batch++) {
    int64_t size = offsets[batch + 1] - offsets[batch];
    CHECK(is_permuted || size == sizes[batch]);
    n_left[size == sizes[0]] -= 1;
  }
  CHECK(n_left[0] == 0 && n_left[1] == 0);
  check_rows(rows->values, rows->count, epoch % 2);
  free_host(&host);
}

static void check_case(void) {
  Strata strata = read_strata();
  int64_t n_taken;
  int64_t *taken = read_taken(&strata, &n_taken);
  DealtRecipe recipe = {.n_parts = 0};
  int64_t n_batches = next_number();
  add_strata(&recipe, &strata, n_batches);
  add_flag(&recipe, "even", next_number());
  add_flag(&recipe, "shuffle", next_number());
  bool is_permuted = next_number() == 1;
  double *numbers = new_array(strata.n_strata, sizeof *numbers);
  bool takes_again = false;
  for (int64_t stratum = 0; stratum < strata.n_strata; stratum++) {
    numbers[stratum] = (double)taken[stratum];
    takes_again = takes_again || taken[stratum] != strata.counts[stratum];
  }
  if (takes_again) add_part(&recipe, "taken", DOUBLES, strata.n_strata, numbers);
  uint32_t seed = (uint32_t)next_number();
  prepare(&recipe, &stratified_kind, seed);
  PlainHost first = drawn_epoch(&recipe, 0, 0);
  const int64_t *offsets = given_as(&first, "offsets")->values;
  check_sizes(offsets, n_batches);
  int64_t *sizes = new_array(n_batches, sizeof *sizes);
  for (int64_t batch = 0; batch < n_batches; batch++) sizes[batch] = offsets[batch + 1] - offsets[batch];
  if (is_permuted) {
    free_instance(&recipe.instance);
    add_flag(&recipe, "permuted", 1);
    prepare(&recipe, &stratified_kind, seed);
  }
  int64_t n_epochs = next_number();
  for (int64_t epoch = 0; epoch < n_epochs; epoch++) {
    check_epoch(&recipe, sizes, n_batches, is_permuted, strata.n_rows);
  }
  free_host(&first);
  free_recipe(&recipe);
  free_strata(&strata);
  free(taken);
  free(numbers);
  free(sizes);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
