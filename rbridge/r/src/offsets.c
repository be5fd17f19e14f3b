/* Results that depend only on the rows of each stratum: the offsets of the batches, and where the rows go. */

#include "offsets.h"

#include <string.h>

#include "core/plan.h"
#include "routines.h"

int64_t *batch_offsets(const Plan *plan) {
  int64_t n_offsets = plan->n_batches + 1;
  int64_t *offsets = (int64_t *)(void *)R_alloc((size_t)n_offsets, sizeof(int64_t));
  if (plan->even) {
    fill_even_offsets(plan->n_rows, plan->n_batches, 0, n_offsets, offsets);
    return offsets;
  }
  memset(offsets, 0, (size_t)n_offsets * sizeof(int64_t));
  OffsetsProgress progress = {0};
  while (!fill_proportional_offsets(plan->counts, plan->n_strata, plan->n_batches, STEP, &progress, offsets)) {
    R_CheckUserInterrupt();
  }
  return offsets;
}

SEXP offsets_in_r(const int64_t *offsets, int64_t n_batches) {
  SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)(n_batches + 1)));
  int *values = INTEGER(result);
  for (int64_t batch = 0; batch <= n_batches; batch++) values[batch] = (int)offsets[batch];
  UNPROTECT(1);
  return result;
}

SEXP C_batch_offsets(SEXP counts, SEXP n_batches, SEXP even) {
  Plan plan = read_plan(counts, n_batches, even);
  return offsets_in_r(batch_offsets(&plan), plan.n_batches);
}

/* Return the number of the first `place` rows that are dealt to a batch, from 0, if rows are dealt in turn. */
static int64_t dealt_to(int64_t batch, int64_t place, int64_t n_batches) {
  return (place - batch + n_batches - 1) / n_batches;
}

/* Fill a column of the composition: the rows of a stratum in each batch, when `before` rows have been dealt. */
static void fill_even_column(int64_t before, int64_t count, int64_t n_batches, int *column) {
  for (int64_t batch = 0; batch < n_batches; batch++) {
    column[batch] = (int)(dealt_to(batch, before + count, n_batches) - dealt_to(batch, before, n_batches));
  }
}

/* The same for the proportional rule: the offsets of batches that hold only this stratum give the rows. */
static void fill_proportional_column(int64_t count, int64_t n_batches, int64_t *offsets, int *column) {
  memset(offsets, 0, (size_t)(n_batches + 1) * sizeof(int64_t));
  OffsetsProgress progress = {0};
  while (!fill_proportional_offsets(&count, 1, n_batches, STEP, &progress, offsets)) R_CheckUserInterrupt();
  for (int64_t batch = 0; batch < n_batches; batch++) column[batch] = (int)(offsets[batch + 1] - offsets[batch]);
}

SEXP C_batch_composition(SEXP counts, SEXP n_batches, SEXP even) {
  Plan plan = read_plan(counts, n_batches, even);
  SEXP result = PROTECT(Rf_allocMatrix(INTSXP, (int)plan.n_batches, (int)plan.n_strata));
  int64_t *offsets = (int64_t *)(void *)R_alloc((size_t)plan.n_batches + 1, sizeof(int64_t));
  int64_t before = 0;
  for (int64_t stratum = 0; stratum < plan.n_strata; stratum++) {
    int *column = INTEGER(result) + stratum * plan.n_batches;
    if (plan.even) {
      fill_even_column(before, plan.counts[stratum], plan.n_batches, column);
    } else {
      fill_proportional_column(plan.counts[stratum], plan.n_batches, offsets, column);
    }
    before += plan.counts[stratum];
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}
