/* Offsets of batches for R. */

#ifndef RBRIDGE_OFFSETS_H
#define RBRIDGE_OFFSETS_H

#include "arguments.h"

/* Return the offsets as integers of R. */
SEXP offsets_in_r(const int64_t *offsets, int64_t n_batches);

#endif
