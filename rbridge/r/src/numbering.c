/* Numbers for values, in order of first appearance. */

#include "numbering.h"

#include <stdlib.h>

#include "arguments.h"
#include "core/numbering.h"
#include "memory.h"
#include "routines.h"

/* Provide a larger table, with the values that were found before. */
static void enlarge_table(NumberTable *table, int bits) {
  int64_t *distinct = new_numbers(INT64_C(1) << (bits - 1));
  if (table->found > 0) memcpy(distinct, table->distinct, (size_t)table->found * sizeof(int64_t));
  table->slots = new_integers(INT64_C(1) << bits);
  table->distinct = distinct;
  table->bits = bits;
  clear_slots(table);
}

/* Number the rows with a table; return whether all are numbered, without too many collisions. */
static bool number_by_table(NumberTable *table, const int64_t *values, int64_t n_rows, int64_t *codes) {
  begin_numbers(table);
  int64_t row = 0;
  for (int bits = 10;; bits += 2) {
    enlarge_table(table, bits);
    bool is_ready = false;
    while (!is_ready && !is_flooded(table, n_rows)) {
      is_ready = enter_known(table, STEP);
      R_CheckUserInterrupt();
    }
    for (int64_t end = row; row == end && row < n_rows && !is_flooded(table, n_rows);) {
      end = n_rows - row < STEP ? n_rows : row + STEP;
      row = number_rows(table, values, row, end, codes);
      R_CheckUserInterrupt();
    }
    if (row == n_rows || is_flooded(table, n_rows)) return row == n_rows;
  }
}

/* Number the rows by sorting them. */
static NumberSorting sort_rows(const int64_t *values, int64_t n_rows, int64_t *codes) {
  NumberSorting sorting = {.values = values, .n_rows = n_rows, .codes = codes};
  sorting.rows = new_integers(n_rows);
  sorting.before = new_integers(n_rows);
  sorting.distinct = new_numbers(n_rows);
  begin_sorting(&sorting);
  while (!number_by_sorting(&sorting, STEP)) R_CheckUserInterrupt();
  return sorting;
}

int64_t number_values(const int64_t *values, int64_t n_rows, int64_t *codes, const int64_t **distinct) {
  NumberTable table;
  if (number_by_table(&table, values, n_rows, codes)) {
    *distinct = table.distinct;
    return table.found;
  }
  NumberSorting sorting = sort_rows(values, n_rows, codes);
  *distinct = sorting.distinct;
  return sorting.found;
}

/* strtod() of C rounds correctly, unlike as.numeric(). */
SEXP C_are_texts_of(SEXP texts, SEXP numbers) {
  if (TYPEOF(texts) != STRSXP) refuse_kind(texts, "texts", "be text");
  if (TYPEOF(numbers) != REALSXP || Rf_xlength(numbers) != Rf_xlength(texts)) {
    refuse_kind(numbers, "numbers", "be a double for each text");
  }
  SEXP result = PROTECT(Rf_allocVector(LGLSXP, Rf_xlength(texts)));
  for (R_xlen_t i = 0; i < Rf_xlength(texts); i++) {
    LOGICAL(result)[i] = strtod(CHAR(STRING_ELT(texts, i)), NULL) == REAL(numbers)[i];
  }
  UNPROTECT(1);
  return result;
}

SEXP C_number_doubles(SEXP values) {
  if (TYPEOF(values) != REALSXP) refuse_kind(values, "values", "be doubles");
  if (Rf_xlength(values) > LARGEST_COUNT) refuse("values", "have at most 2147483647 rows", "more");
  int64_t n_rows = Rf_xlength(values);
  int64_t *bits = new_numbers(n_rows), *codes = new_numbers(n_rows);
  if (n_rows > 0) memcpy(bits, REAL(values), (size_t)n_rows * sizeof(int64_t));
  const int64_t *distinct;
  int64_t found = number_values(bits, n_rows, codes, &distinct);
  const char *names[] = {"codes", "values", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t)n_rows));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t)found));
  int *numbers = INTEGER(VECTOR_ELT(result, 0));
  for (int64_t row = 0; row < n_rows; row++) numbers[row] = (int)codes[row] + 1;
  if (found > 0) memcpy(REAL(VECTOR_ELT(result, 1)), distinct, (size_t)found * sizeof(double));
  UNPROTECT(1);
  return result;
}
