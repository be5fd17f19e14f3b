/* The positives of a table of users and items. */

#include "positives.h"

#include <math.h>
#include <string.h>

#include "core/free_cells.h"
#include "memory.h"

static const int64_t most_cells = INT64_C(1) << 52; /* pair numbers, twice as many, must fit into doubles */

NORET static void refuse_cells(void) {
  refuse("cells", "be those of positives, the distinct ones sorted, then those that are repeated", "others");
}

Positives read_positives(SEXP cells, SEXP n_users, SEXP n_items) {
  Positives positives = {
    .n_users = whole_number(n_users, 1, LARGEST_COUNT, "n_users"),
    .n_items = whole_number(n_items, 1, LARGEST_COUNT, "n_items"),
    .n_positives = Rf_xlength(cells)
  };
  if (positives.n_users * positives.n_items > most_cells) refuse("n_items", "make at most 2^52 cells", "more");
  if (TYPEOF(cells) != REALSXP || positives.n_positives < 1 || positives.n_positives > LARGEST_COUNT) {
    refuse_kind(cells, "cells", "be doubles, one for each positive");
  }
  positives.cells = new_numbers(positives.n_positives);
  double n_cells = (double)(positives.n_users * positives.n_items);
  const double *given = REAL(cells);
  int64_t n_distinct = 0;
  int64_t found = 0; /* the position among the distinct cells of the repeated one */
  for (int64_t i = 0; i < positives.n_positives; i++) {
    if (i % STEP == 0) R_CheckUserInterrupt();
    if (!(given[i] >= 0 && given[i] < n_cells && floor(given[i]) == given[i])) refuse_cells();
    int64_t cell = positives.cells[i] = (int64_t)given[i];
    if (n_distinct == i && (i == 0 || cell > positives.cells[i - 1])) {
      n_distinct++;
    } else {
      while (found < n_distinct && positives.cells[found] < cell) found++;
      if (found == n_distinct || positives.cells[found] != cell) refuse_cells();
    }
  }
  positives.n_distinct = n_distinct;
  return positives;
}

int64_t *starts_of_users(const Positives *positives) {
  int64_t *starts = new_zeros(positives->n_users + 1);
  for (int64_t i = 0; i < positives->n_distinct; i++) starts[positives->cells[i] / positives->n_items + 1]++;
  R_CheckUserInterrupt();
  for (int64_t user = 0; user < positives->n_users; user++) starts[user + 1] += starts[user];
  return starts;
}

void find_cells_of_ranks(const Positives *positives, int64_t *ranks, int64_t count) {
  FreeCells free_cells;
  int64_t n_cells = positives->n_users * positives->n_items;
  init_free_cells(&free_cells, positives->cells, positives->n_distinct, n_cells);
  free_cells.buckets = new_integers(free_cells.n_buckets + 1);
  int64_t bucket = 0;
  for (int64_t begin = 0; begin < positives->n_distinct; begin += STEP) {
    int64_t end = positives->n_distinct - begin < STEP ? positives->n_distinct : begin + STEP;
    bucket = fill_buckets(&free_cells, bucket, begin, end);
    R_CheckUserInterrupt();
  }
  for (int64_t begin = 0; begin < count; begin += STEP) {
    find_free_cells(&free_cells, ranks + begin, count - begin < STEP ? count - begin : STEP);
    R_CheckUserInterrupt();
  }
}

void numbers_to_doubles(double *numbers, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    int64_t number;
    memcpy(&number, &numbers[i], sizeof number);
    numbers[i] = (double)number;
  }
}
