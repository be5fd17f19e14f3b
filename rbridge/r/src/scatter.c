/* The codes of strata that R passes, and the scatter of rows by them. */

#include "scatter.h"

#include <string.h>

#include "core/scatter.h"

/* Raise the error that a code is not the number of a stratum. */
NORET static void refuse_codes(void) {
  refuse("codes", "be numbers of strata from 0, or the number of strata", "others");
}

void check_codes(SEXP codes) {
  if (TYPEOF(codes) != RAWSXP && TYPEOF(codes) != INTSXP) refuse_kind(codes, "codes", "be raw or integers");
  if (Rf_xlength(codes) > LARGEST_COUNT) refuse("codes", "have at most 2147483647 rows", "more");
}

void count_codes(SEXP codes, int64_t n_strata, int64_t *available) {
  int64_t n_rows = Rf_xlength(codes);
  memset(available, 0, ((size_t)n_strata + 1) * sizeof(int64_t));
  if (TYPEOF(codes) == RAWSXP) {
    int64_t found[UINT8_MAX + 1] = {0};
    const uint8_t *given = RAW(codes);
    for (int64_t row = 0; row < n_rows; row++) found[given[row]] += 1;
    for (int64_t code = 0; code <= UINT8_MAX; code++) {
      if (code <= n_strata) {
        available[code] = found[code];
      } else if (found[code] > 0) {
        refuse_codes();
      }
    }
    return;
  }
  const int *given = INTEGER(codes);
  for (int64_t row = 0; row < n_rows; row++) {
    if (row % STEP == 0) R_CheckUserInterrupt();
    if (given[row] < 0 || given[row] > n_strata) refuse_codes();
    available[given[row]] += 1;
  }
}

void scatter_unshuffled(
    const void *codes, int code_bytes, uint32_t n_rows, int64_t *cursors, const int32_t *layout, int32_t first_row,
    int32_t *rows
) {
  for (uint32_t begin = 0; begin < n_rows;) {
    uint32_t end = n_rows - begin < STEP ? n_rows : begin + STEP;
    switch (code_bytes) {
      case 1: scatter_in_order_uint8(begin, end, codes, cursors, layout, first_row, rows); break;
      case 2: scatter_in_order_uint16(begin, end, codes, cursors, layout, first_row, rows); break;
      default: scatter_in_order_int32(begin, end, codes, cursors, layout, first_row, rows);
    }
    begin = end;
    R_CheckUserInterrupt();
  }
}

/* Scatter at most STEP rows of the permutation; return how many of the `left` rows are left. */
static uint32_t scatter_step(
    Generator *generator, int32_t *pool, uint32_t left, int code_bytes, const void *codes, int64_t *cursors,
    const int32_t *layout, int32_t first_row, int32_t *rows
) {
  switch (code_bytes) {
    case 1: return scatter_permutation_uint8(generator, pool, left, STEP, codes, cursors, layout, first_row, rows);
    case 2: return scatter_permutation_uint16(generator, pool, left, STEP, codes, cursors, layout, first_row, rows);
    default: return scatter_permutation_int32(generator, pool, left, STEP, codes, cursors, layout, first_row, rows);
  }
}

void scatter_shuffled(
    const void *codes, int code_bytes, uint32_t n_rows, int64_t *cursors, const int32_t *layout, uint32_t seed,
    int32_t first_row, int32_t *pool, int32_t *rows
) {
  Generator generator;
  seed_generator(&generator, seed);
  fill_in_order(pool, n_rows);
  for (uint32_t left = n_rows; left > 0;) {
    left = scatter_step(&generator, pool, left, code_bytes, codes, cursors, layout, first_row, rows);
    R_CheckUserInterrupt();
  }
}

uint32_t read_seed(SEXP seed) { return (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"); }
