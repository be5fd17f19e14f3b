/* The functions of the core, by small plans that were counted by hand, and requests that they refuse. */

#include "batch_numbers.h"
#include "functions/batch_plan.h"
#include "functions/functions.h"
#include "functions/pair_counts.h"
#include "plain_host.h"

static PlainHost called(const char *name, Part *parts, int64_t n_parts, bool succeeds) {
  Parts request = {.parts = parts, .n_parts = n_parts};
  PlainHost host = new_host(&request, NULL, 0, -1);
  CHECK(find_function(name)->call(&request, &host.host) == succeeds);
  if (!succeeds) check_failure(&host);
  return host;
}

static void test_offsets_and_composition(void) {
  double counts[] = {3, 5}, n_batches = 3;
  int32_t even = 0;
  Part parts[] = {
      {.name = "counts", .type = DOUBLES, .length = 2, .values = counts},
      {.name = "n_batches", .type = DOUBLES, .length = 1, .values = &n_batches},
      {.name = "even", .type = FLAG, .length = 1, .values = &even},
  };
  const int64_t ends[2][4] = {{0, 2, 5, 8}, {0, 3, 6, 8}};
  const int32_t held[2][6] = {{1, 1, 1, 1, 2, 2}, {1, 1, 1, 2, 2, 1}};
  for (even = 0; even <= 1; even++) {
    PlainHost host = called("batch_offsets", parts, LENGTH(parts), true);
    const int64_t *offsets = given_as(&host, "offsets")->values;
    for (int i = 0; i < 4; i++) CHECK_EQUAL(offsets[i], ends[even][i]);
    free_host(&host);
    host = called("batch_composition", parts, LENGTH(parts), true);
    const int32_t *rows = given_as(&host, "rows")->values;
    for (int i = 0; i < 6; i++) CHECK_EQUAL(rows[i], held[even][i]);
    free_host(&host);
  }
  counts[0] = 0.5;
  PlainHost host = called("batch_offsets", parts, LENGTH(parts), false);
  free_host(&host);
}

static void test_the_largest_minimum(void) {
  double counts[] = {600, 19400}, batch_size = 100;
  Part parts[] = {
      {.name = "counts", .type = DOUBLES, .length = 2, .values = counts},
      {.name = "batch_size", .type = DOUBLES, .length = 1, .values = &batch_size},
      {.name = "missing", .type = TEXT, .length = 1, .values = "drop"},
  };
  PlainHost host = called("min_samples_for_batch_size", parts, LENGTH(parts), true);
  CHECK_EQUAL(*(const double *)given_as(&host, "minimum")->values, 3);
  free_host(&host);
  batch_size = 10;
  host = called("min_samples_for_batch_size", parts, LENGTH(parts), false);
  free_host(&host);
}

int main(void) {
  test_offsets_and_composition();
  test_the_largest_minimum();
  CHECK(find_function("another") == NULL);
  return 0;
}
