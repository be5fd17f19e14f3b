/* The lines of an epoch are, file by file, those in order and then those of a single draw, all of them in the order of
 * another one.
 */

#include "kind_mixture.c"
#include "plain_host.h"
#include "sorting.h"

enum { N_FILES = 7, N_PARTS = 6 };

static double lines[N_FILES] = {3, 0, 700, 1, 70000, 600, 5000};

/* A recipe of files, with the lines that are drawn of each and those that are kept. */
typedef struct {
  double batch_size;
  int32_t shuffle, replace;
  Part parts[N_PARTS];
} Recipe;

static Parts parts_of(Recipe *recipe, double *drawn, double *kept) {
  recipe->parts[0] = (Part){.name = "lines", .type = DOUBLES, .length = N_FILES, .values = lines};
  recipe->parts[1] = (Part){.name = "drawn", .type = DOUBLES, .length = N_FILES, .values = drawn};
  recipe->parts[2] = (Part){.name = "kept", .type = DOUBLES, .length = N_FILES, .values = kept};
  recipe->parts[3] = (Part){.name = "batch_size", .type = DOUBLES, .length = 1, .values = &recipe->batch_size};
  recipe->parts[4] = (Part){.name = "shuffle", .type = INTEGERS, .length = 1, .values = &recipe->shuffle};
  recipe->parts[5] = (Part){.name = "replace", .type = INTEGERS, .length = 1, .values = &recipe->replace};
  return (Parts){.parts = recipe->parts, .n_parts = N_PARTS, .is_recipe = true};
}

/* The lines of an epoch by the plain functions, before they are shuffled; return their number. */
static int64_t expected_lines(
    Generator *generator, const double *drawn, const double *kept, bool replace, int64_t *expected
) {
  int64_t count = 0, first = 0;
  for (int file = 0; file < N_FILES; file++) {
    int64_t n_lines = (int64_t)lines[file], n_drawn = (int64_t)drawn[file];
    int64_t rest = replace || n_drawn == 0 ? n_drawn : n_drawn % n_lines, begin;
    for (int64_t i = 0; i < (int64_t)kept[file]; i++) expected[count++] = first + i;
    for (int64_t i = 0; i < n_drawn - rest; i++) expected[count++] = first + i % n_lines;
    begin = count;
    count += rest;
    if (replace && rest > 0) draw_numbers(generator, (uint64_t)n_lines, rest, expected + begin);
    if (replace) {
      for (int64_t i = begin; i < count; i++) expected[i] += first;
    } else if (rest > 0) {
      SubsetScratch scratch = {.n_pool = 1, .n_places = 1, .n_table = 1};
      enlarge_subset_scratch(&scratch, n_lines, rest);
      scratch.pool = new_array(scratch.n_pool, sizeof *scratch.pool);
      scratch.places = new_array(scratch.n_places, sizeof *scratch.places);
      scratch.table = new_array(scratch.n_table, sizeof *scratch.table);
      fill_in_order(scratch.pool, (uint32_t)scratch.n_pool);
      draw_subset_within(generator, &scratch, first, n_lines, rest, 0, rest, expected + begin);
      free(scratch.pool);
      free(scratch.places);
      free(scratch.table);
    }
    first += n_lines;
  }
  return count;
}

static int compare(const void *left, const void *right) {
  int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;
  return (one > other) - (one < other);
}

static void test_lines(double *drawn, double *kept, bool replace, bool shuffle) {
  enum { MOST = 200000, SEED = 9 };
  Recipe recipe = {.batch_size = 8, .shuffle = shuffle, .replace = replace};
  Parts parts = parts_of(&recipe, drawn, kept);
  PlainInstance instance = new_instance(&mixture_kind, SEED);
  PlainHost host = new_host(&parts, &instance.memory, 1, -1);
  CHECK(mixture_kind.prepare(instance.self, &parts, SEED, &host.host));
  CHECK(draw_epoch(&mixture_kind, instance.self, SEED, 0, &host.host));
  const Given *rows = given_as(&host, "rows");
  const int32_t *row = rows->values;
  Generator generator;
  seed_generator(&generator, epoch_seed(SEED, 0));
  int64_t *expected = new_array(MOST, sizeof *expected);
  int64_t count = expected_lines(&generator, drawn, kept, replace, expected);
  CHECK_EQUAL(rows->count, count);
  int32_t *pool = new_array(count, sizeof *pool), *order = new_array(count, sizeof *order);
  fill_in_order(pool, (uint32_t)count);
  fill_in_order(order, (uint32_t)count);
  if (shuffle) take_rows(&generator, pool, (uint32_t)count, (uint32_t)count, order);
  if (!shuffle) qsort(expected, (size_t)count, sizeof *expected, compare);
  for (int64_t i = 0; i < count; i++) CHECK_EQUAL(row[i], expected[order[i]] + 1);
  free(expected);
  free(pool);
  free(order);
  free_host(&host);
  free_instance(&instance);
}

static void a_request_without_files_is_refused(void) {
  double batch_size = 8;
  int32_t shuffle = 1;
  const Part parts[] = {
      {.name = "shuffle", .type = FLAG, .length = 1, .values = &shuffle},
      {.name = "batch_size", .type = DOUBLES, .length = 1, .values = &batch_size},
      {.name = "epoch_end", .type = TEXT, .length = 1, .values = "sample"},
      {.name = "lines", .type = DOUBLES, .values = lines},
      {.name = "drawn", .type = DOUBLES, .values = lines},
      {.name = "kept", .type = DOUBLES, .values = lines},
  };
  Parts request = {.parts = parts, .n_parts = LENGTH(parts)};
  PlainHost host = new_host(&request, NULL, 0, -1);
  CHECK(!mixture_kind.plan(&request, &host.host));
  check_failure(&host);
  CHECK(strcmp(host.host.refusal.parameter, "lines") == 0);
  free_host(&host);
}

int main(void) {
  double drawn[N_FILES] = {0, 0, 1300, 5, 513, 0, 4}, kept[N_FILES] = {3, 0, 0, 1, 0, 600, 0};
  double passes[N_FILES] = {3, 0, 1601, 5, 69999, 0, 900};
  for (int shuffle = 0; shuffle < 2; shuffle++) {
    test_lines(drawn, kept, true, shuffle);
    test_lines(passes, kept, false, shuffle);
  }
  a_request_without_files_is_refused();
  return 0;
}
