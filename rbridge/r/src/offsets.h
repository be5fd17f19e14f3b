/* The offsets of a plan, for R and for the routine that draws an epoch. */

#ifndef RBRIDGE_OFFSETS_H
#define RBRIDGE_OFFSETS_H

#include "arguments.h"

/* Return the offsets, plan->n_batches + 1 numbers from R_alloc(). */
int64_t *batch_offsets(const Plan *plan);

/* Return the offsets as integers of R. */
SEXP offsets_in_r(const int64_t *offsets, int64_t n_batches);

#endif
