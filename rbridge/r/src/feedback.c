/* Streams of random numbers, and positions of rows that are not parts of a call of the core. */

#include <stdio.h>

#include "arguments.h"
#include "routines.h"
#include "streams.h"

SEXP C_new_stream(SEXP seed) {
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  return stream_of(&generator);
}

/* Raise the error that a row is not one of n_rows. */
NORET static void refuse_row(double row, int32_t n_rows, const char *parameter) {
  char required[128];
  if (n_rows == 0) refuse_number(row, parameter, "be empty: there is no row");
  snprintf(required, sizeof required, "hold row positions from 1 to %d, counted from 1", (int)n_rows);
  refuse_number(row, parameter, required);
}

SEXP C_row_positions(SEXP rows, SEXP n, SEXP parameter) {
  if (TYPEOF(parameter) != STRSXP || Rf_xlength(parameter) != 1) {
    refuse_kind(parameter, "parameter", "be a name");
  }
  const char *name = CHAR(STRING_ELT(parameter, 0));
  int32_t n_rows = whole_number(n, 0, LARGEST_COUNT, "n");
  R_xlen_t count = Rf_xlength(rows);
  if (TYPEOF(rows) == INTSXP) {
    const int *given = INTEGER(rows);
    for (R_xlen_t i = 0; i < count; i++) {
      if (given[i] < 1 || given[i] > n_rows) refuse_row(given[i] == NA_INTEGER ? NA_REAL : given[i], n_rows, name);
      if (i % STEP == STEP - 1) R_CheckUserInterrupt();
    }
    return rows;
  }
  if (TYPEOF(rows) != REALSXP) refuse_kind(rows, name, "hold row positions");
  SEXP result = PROTECT(Rf_allocVector(INTSXP, count));
  const double *given = REAL(rows);
  for (R_xlen_t i = 0; i < count; i++) {
    if (!is_whole(given[i], 1, n_rows)) refuse_row(given[i], n_rows, name);
    INTEGER(result)[i] = (int)given[i];
    if (i % STEP == STEP - 1) R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}
