/* The lines of an epoch are, file by file, those in order and then those of a single draw. */

#include "check.h"
#include "mixture.h"

enum { N_FILES = 7 };

static const int64_t LINES[N_FILES] = {3, 0, 700, 1, 70000, 600, INT64_C(5000000000)};
static const int64_t DRAWN[N_FILES] = {0, 0, 1300, 5, 513, 0, 4};
static const int64_t KEPT[N_FILES] = {3, 0, 0, 1, 0, 600, 0};

static void test_lines_are_taken_file_after_file(void) {
  Generator generator, expected;
  const Mixture mixture = {N_FILES, LINES, DRAWN, KEPT, NULL};
  MixtureProgress progress = {0};
  int64_t taken[BLOCK_SIZE];
  int64_t *wanted = new_array(4000, sizeof *wanted);
  int64_t n_wanted = 0, first = 0, total = 0;
  seed_generator(&generator, 9);
  expected = generator;
  for (int file = 0; file < N_FILES; file++) {
    for (int64_t i = 0; i < KEPT[file]; i++) wanted[n_wanted++] = first + i;
    draw_numbers(&expected, LINES[file] > 0 ? (uint64_t)LINES[file] : 1, DRAWN[file], wanted + n_wanted);
    for (int64_t i = 0; i < DRAWN[file]; i++) wanted[n_wanted++] += first;
    first += LINES[file];
  }
  for (int64_t count; (count = take_lines(&generator, &mixture, &progress, taken)) > 0;) {
    CHECK(count <= BLOCK_SIZE);
    for (int64_t i = 0; i < count; i++) CHECK_EQUAL(taken[i], wanted[total + i]);
    total += count;
  }
  CHECK_EQUAL(total, n_wanted);
  CHECK_EQUAL(total, 3 + 1300 + 6 + 513 + 600 + 4);
  CHECK_EQUAL(take_lines(&generator, &mixture, &progress, taken), 0);
  CHECK_EQUAL(next_output(&generator), next_output(&expected));
  free(wanted);
}

static void test_without_replacement(void) {
  static const int64_t drawn[N_FILES] = {3, 0, 1601, 5, 69999, 0, 900};
  SubsetScratch scratch = {NULL, NULL, NULL, 0, 0, 0};
  Generator generator, expected;
  const Mixture mixture = {N_FILES, LINES, drawn, KEPT, &scratch};
  MixtureProgress progress = {0};
  int64_t taken[BLOCK_SIZE], n_wanted = 0, first = 0, total = 0;
  int64_t *wanted = new_array(80000, sizeof *wanted);
  for (int file = 0; file < N_FILES; file++) {
    enlarge_subset_scratch(&scratch, LINES[file], rest_of_passes(LINES[file], drawn[file]));
  }
  CHECK_EQUAL(scratch.n_pool, 70000);
  CHECK_EQUAL(scratch.n_table, 2048); /* of the file that is too large for a pool */
  scratch.pool = new_array(scratch.n_pool, sizeof *scratch.pool);
  scratch.places = new_array(scratch.n_places, sizeof *scratch.places);
  scratch.table = new_array(scratch.n_table, sizeof *scratch.table);
  for (int64_t i = 0; i < scratch.n_pool; i++) scratch.pool[i] = (int32_t)i;
  seed_generator(&generator, 9);
  expected = generator;
  for (int file = 0; file < N_FILES; file++) {
    int64_t rest = rest_of_passes(LINES[file], drawn[file]);
    for (int64_t i = 0; i < KEPT[file]; i++) wanted[n_wanted++] = first + i;
    for (int64_t i = 0; i < drawn[file] - rest; i++) wanted[n_wanted++] = first + i % LINES[file];
    draw_subset_within(&expected, &scratch, first, LINES[file], rest, 0, rest, wanted + n_wanted);
    n_wanted += rest;
    first += LINES[file];
  }
  for (int64_t count; (count = take_lines(&generator, &mixture, &progress, taken)) > 0; total += count) {
    for (int64_t i = 0; i < count; i++) CHECK_EQUAL(taken[i], wanted[total + i]);
  }
  CHECK_EQUAL(total, n_wanted);
  CHECK_EQUAL(total, 6 + 1601 + 6 + 69999 + 600 + 900);
  CHECK_EQUAL(next_output(&generator), next_output(&expected));
  free(wanted);
  free(scratch.pool);
  free(scratch.places);
  free(scratch.table);
}

static void test_no_files(void) {
  Generator generator;
  const Mixture mixture = {0, LINES, DRAWN, KEPT, NULL};
  MixtureProgress progress = {0};
  int64_t taken[BLOCK_SIZE];
  seed_generator(&generator, 9);
  CHECK_EQUAL(take_lines(&generator, &mixture, &progress, taken), 0);
}

int main(void) {
  test_lines_are_taken_file_after_file();
  test_without_replacement();
  test_no_files();
  return 0;
}
