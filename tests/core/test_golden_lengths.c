/* The golden vectors of batches by length, through the kind. A case is n and the length of each row; sample, seed and
 * epoch; the limits of the window, of rows and of tokens, and the number of replicas, 0 for each that is not given;
 * whether the steps of the replicas are balanced; the lists of the rows and of the sizes of the batches.
 */

#include "cutting.h"
#include "golden.h"
#include "kind_epoch_subset.c"
#include "plain_host.h"

enum { N_PARTS = 9 };

static void add_limit(Part *parts, int64_t *n_parts, const char *name, double *number) {
  *number = (double)next_number();
  if (*number > 0) parts[(*n_parts)++] = (Part){.name = name, .type = DOUBLES, .length = 1, .values = number};
}

static void check_case(void) {
  Part parts[N_PARTS];
  double n = (double)next_number(), sample, limits[4];
  int32_t *lengths = new_array((int64_t)n, sizeof *lengths);
  for (int64_t row = 0; row < (int64_t)n; row++) lengths[row] = (int32_t)next_number();
  sample = (double)next_number();
  uint32_t seed = (uint32_t)next_number(), epoch = (uint32_t)next_number();
  int64_t n_parts = 0;
  parts[n_parts++] = (Part){.name = "n_rows", .type = DOUBLES, .length = 1, .values = &n};
  parts[n_parts++] = (Part){.name = "sample", .type = DOUBLES, .length = 1, .values = &sample};
  parts[n_parts++] = (Part){.name = "lengths", .type = INTEGERS, .length = (int64_t)n, .values = lengths};
  parts[n_parts++] = (Part){.name = "method", .type = TEXT, .length = 1, .values = "uniform"};
  static const char *const names[] = {"window", "batch_size", "max_tokens", "num_replicas"};
  for (int i = 0; i < 4; i++) add_limit(parts, &n_parts, names[i], &limits[i]);
  int32_t is_balanced = (int32_t)next_number();
  double in_recipe = is_balanced;
  Part balance = {.name = "balance_replicas", .type = FLAG, .length = 1, .values = &is_balanced};
  if (is_balanced) parts[n_parts++] = balance;
  Parts request = {.parts = parts, .n_parts = n_parts};
  PlainHost planning = new_host(&request, NULL, 0, -1);
  CHECK(epoch_subset_kind.plan(&request, &planning.host));
  request.is_recipe = true;
  if (is_balanced) {
    parts[n_parts - 1].type = DOUBLES;
    parts[n_parts - 1].values = &in_recipe;
  }
  PlainInstance instance = new_instance(&epoch_subset_kind, seed);
  PlainHost drawing = new_host(&request, &instance.memory, 0, -1);
  CHECK(instance.kind->prepare(instance.self, &request, seed, &drawing.host));
  CHECK(draw_epoch(instance.kind, instance.self, seed, epoch, &drawing.host));
  const Given *rows = given_as(&drawing, "rows"), *offsets = given_as(&drawing, "offsets");
  int64_t n_batches = offsets->count - 1, known = instance.kind->count_batches(instance.self, epoch);
  CHECK(known == 0 || known == n_batches);
  int64_t *sizes = new_array(n_batches, sizeof *sizes);
  const int64_t *offset = offsets->values;
  for (int64_t i = 0; i < n_batches; i++) sizes[i] = offset[i + 1] - offset[i];
  check_rows(rows->values, rows->count, 0);
  check_list(sizes, n_batches);
  free(sizes);
  free(lengths);
  free_host(&planning);
  free_host(&drawing);
  free_instance(&instance);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
