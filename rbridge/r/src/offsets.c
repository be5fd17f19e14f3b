/* Offsets of batches for R. */

#include "offsets.h"

SEXP offsets_in_r(const int64_t *offsets, int64_t n_batches) {
  SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)(n_batches + 1)));
  int *values = INTEGER(result);
  for (int64_t batch = 0; batch <= n_batches; batch++) values[batch] = (int)offsets[batch];
  UNPROTECT(1);
  return result;
}
