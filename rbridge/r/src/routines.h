/* What R calls by .Call(); each routine is documented at the R function that calls it. */

#ifndef RBRIDGE_ROUTINES_H
#define RBRIDGE_ROUTINES_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_epoch_seed(SEXP seed, SEXP epoch);
SEXP C_permutation(SEXP n, SEXP seed);
SEXP C_batch_offsets(SEXP counts, SEXP n_batches, SEXP even);
SEXP C_batch_composition(SEXP counts, SEXP n_batches, SEXP even);
SEXP C_count_codes(SEXP codes, SEXP n_strata);
SEXP C_prepare_scatter(SEXP key, SEXP codes, SEXP counts, SEXP n_batches, SEXP even);
SEXP C_draw_epoch(SEXP reference, SEXP seed);

#endif
