/* Which texts are those of numbers. */

#include <stdlib.h>

#include "arguments.h"
#include "routines.h"

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
