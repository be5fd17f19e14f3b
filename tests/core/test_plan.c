/* plan.h against the rule: the row of rank i of a stratum of n rows is in batch (i * B + n - 1) / n. */

#include <string.h>

#include "check.h"
#include "plain_host.h"
#include "plan.h"
#include "turns.h"

enum { MOST_STRATA = 4 };

/* The batch, from 0, of a rank, from 0. `start` is the number of rows of the strata before. */
static int64_t batch_by_rule(int64_t rank, int64_t count, int64_t start, int64_t n_batches, bool even) {
  if (even) return (start + rank) % n_batches;
  return ((rank + 1) * n_batches + count - 1) / count - 1;
}

/* Compare offsets, starts and layout with the rule. */
static void check_plan(const int64_t *counts, int64_t n_strata, int64_t n_batches, bool even) {
  PlainHost host = new_host(NULL, NULL, 0, -1);
  int64_t starts[MOST_STRATA + 1];
  fill_starts(counts, n_strata, starts);
  int64_t n_rows = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    CHECK_EQUAL(starts[stratum], n_rows);
    n_rows += counts[stratum];
  }
  CHECK_EQUAL(starts[n_strata], n_rows);

  int64_t *offsets = new_array(n_batches + 1, sizeof *offsets);
  int64_t *next_places = new_array(n_batches, sizeof *next_places);
  CHECK(fill_offsets(counts, n_strata, n_batches, even, offsets, &host.host));
  int64_t n_places = n_rows + 3; /* three rows are in no batch */
  int32_t *layout = new_array(n_places, sizeof *layout);
  memcpy(next_places, offsets, (size_t)n_batches * sizeof *offsets);
  CHECK(fill_layout(counts, n_strata, n_batches, even, n_places, next_places, layout, &host.host));

  int64_t place = 0;
  int64_t smallest = INT64_MAX;
  int64_t largest = 0;
  for (int64_t batch = 0; batch < n_batches; batch++) {
    CHECK_EQUAL(offsets[batch], place);
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      int64_t held = 0;
      for (int64_t rank = 0; rank < counts[stratum]; rank++) {
        if (batch_by_rule(rank, counts[stratum], starts[stratum], n_batches, even) != batch) continue;
        CHECK_EQUAL(layout[starts[stratum] + rank], place++);
        held += 1;
      }
      int64_t floor = counts[stratum] / n_batches;
      CHECK(held == floor || (held == floor + 1 && counts[stratum] % n_batches > 0));
    }
    int64_t size = place - offsets[batch];
    if (size < smallest) smallest = size;
    if (size > largest) largest = size;
    CHECK_EQUAL(next_places[batch], place);
  }
  CHECK_EQUAL(place, n_rows);
  CHECK_EQUAL(offsets[n_batches], n_rows);
  if (even) CHECK(largest - smallest <= 1);
  for (; place < n_places; place++) CHECK_EQUAL(layout[place], place);
  free(offsets);
  free(next_places);
  free(layout);
}

static void check_plans(const int64_t *counts, int64_t n_strata, int64_t n_batches) {
  check_plan(counts, n_strata, n_batches, false);
  check_plan(counts, n_strata, n_batches, true);
}

static void test_one_stratum(void) {
  for (int64_t count = 0; count <= 40; count++) {
    for (int64_t n_batches = 1; n_batches <= 45; n_batches++) check_plans(&count, 1, n_batches);
  }
}

static void test_several_strata(void) {
  int64_t counts[MOST_STRATA];
  for (int64_t case_number = 0; case_number < 9 * 9 * 9; case_number++) {
    counts[0] = case_number % 9;
    counts[1] = case_number / 9 % 9;
    counts[2] = case_number / 81;
    for (int64_t n_batches = 1; n_batches <= 10; n_batches++) {
      check_plans(counts, 2, n_batches);
      check_plans(counts, 3, n_batches);
    }
  }
  static const int64_t larger[MOST_STRATA] = {1000, 7, 365, 128};
  for (int64_t n_batches = 1; n_batches <= 7; n_batches++) check_plans(larger, MOST_STRATA, n_batches);
}

/* A layout of three strata of which an epoch takes the first ranks: all places are used, those of the others behind. */
static void check_spread(const int64_t *taken, const int64_t *available) {
  enum { N_STRATA = 3 };
  int32_t layout[16];
  int32_t spread[16];
  int64_t n_taken = 0;
  int64_t n_rows = 0;
  for (int stratum = 0; stratum < N_STRATA; stratum++) {
    n_taken += taken[stratum];
    n_rows += available[stratum];
  }
  for (int32_t place = 0; place < 16; place++) layout[place] = (int32_t)n_taken - 1 - place; /* told apart by order */
  memcpy(spread, layout, sizeof layout);
  PlainHost host = new_host(NULL, NULL, 0, -1);
  CHECK(spread_layout(taken, available, N_STRATA, spread, &host.host));
  bool used[16] = {false};
  int64_t from = 0;
  int64_t begin = 0;
  for (int stratum = 0; stratum < N_STRATA; stratum++) {
    for (int64_t rank = 0; rank < available[stratum]; rank++) {
      int32_t place = spread[begin + rank];
      if (rank < taken[stratum]) {
        CHECK_EQUAL(place, layout[from + rank]);
      } else {
        CHECK(place >= n_taken && place < n_rows);
      }
      CHECK(!used[place]);
      used[place] = true;
    }
    from += taken[stratum];
    begin += available[stratum];
  }
  for (int64_t place = n_rows; place < 16; place++) CHECK_EQUAL(spread[place], layout[place]);
}

static void test_rows_that_an_epoch_leaves_out(void) {
  for (int64_t a = 0; a <= 4; a++) {
    for (int64_t b = 0; b <= 4; b++) {
      for (int64_t c = 0; c <= 4; c++) {
        int64_t available[] = {a, b, c};
        for (int64_t i = 0; i < (a + 1) * (b + 1) * (c + 1); i++) {
          int64_t taken[] = {i % (a + 1), i / (a + 1) % (b + 1), i / ((a + 1) * (b + 1))};
          check_spread(taken, available);
        }
      }
    }
  }
}

/* Counts whose products with the number of batches exceed 64 bits: b * n / B is b * (n / B) + b * (n mod B) / B. */
static void test_offsets_of_large_counts(void) {
  static const int64_t counts[] = {INT64_C(1) << 61, (INT64_C(1) << 53) - 1, INT64_MAX / 2, 2147483647};
  static const int64_t numbers[] = {1, 2, 3, 1000, 65537};
  for (size_t i = 0; i < LENGTH(numbers); i++) {
    int64_t n_batches = numbers[i];
    int64_t *offsets = new_array(n_batches + 1, sizeof *offsets);
    for (int even = 0; even <= 1; even++) {
      PlainHost host = new_host(NULL, NULL, 0, -1);
      CHECK(fill_offsets(counts, LENGTH(counts), n_batches, even == 1, offsets, &host.host));
      int64_t n_rows = 0;
      for (size_t stratum = 0; stratum < LENGTH(counts); stratum++) n_rows += counts[stratum];
      for (int64_t batch = 0; batch <= n_batches; batch++) {
        int64_t wanted = 0;
        if (even == 1) {
          wanted = batch * (n_rows / n_batches) + (batch < n_rows % n_batches ? batch : n_rows % n_batches);
        } else {
          for (size_t stratum = 0; stratum < LENGTH(counts); stratum++) {
            int64_t whole = counts[stratum] / n_batches;
            wanted += batch * whole + batch * (counts[stratum] % n_batches) / n_batches;
          }
        }
        CHECK_EQUAL(offsets[batch], wanted);
      }
    }
    free(offsets);
  }
}

int main(void) {
  test_one_stratum();
  test_several_strata();
  test_rows_that_an_epoch_leaves_out();
  test_offsets_of_large_counts();
  return 0;
}
