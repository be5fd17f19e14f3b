/* The batches of an epoch of the stratified sampler and of the downsampled sampler. */

#include <string.h>

#include "arguments.h"
#include "core/plan.h"
#include "offsets.h"
#include "routines.h"
#include "scatter.h"

/* The strata of all rows, in the form of the core. */
typedef struct {
  void *codes;        /* n_rows numbers from 0, in the type of code_bytes; rows that are in no batch have n_strata */
  int code_bytes;     /* 1, 2 or 4 */
  int64_t n_rows;
  int64_t *available; /* n_strata + 1 numbers: how often each code occurs */
} Strata;

/* What every epoch of a sampler uses: vectors of R, which R code cannot reach, so that they remain valid after the
 * check.
 *
 * The pool is only memory, kept because allocating new memory costs more than filling it. It is taken out while an
 * epoch is drawn.
 */
enum {
  CODES,   /* raw: those of Strata */
  WIDTH,   /* integer: their code_bytes */
  LAYOUT,  /* integers, n_rows */
  STARTS,  /* doubles, n_strata + 1: where the ranks of each code begin in the layout */
  OFFSETS, /* integers, n_batches + 1 */
  POOL,    /* integers, n_rows, or NULL */
  N_PARTS
};

SEXP C_count_codes(SEXP codes, SEXP n_strata) {
  check_codes(codes);
  int64_t n_codes = whole_number(n_strata, 1, LARGEST_COUNT - 1, "n_strata") + INT64_C(1);
  int64_t *available = (int64_t *)(void *)R_alloc((size_t)n_codes, sizeof(int64_t));
  count_codes(codes, n_codes - 1, available);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n_codes));
  double *counts = REAL(result);
  for (int64_t code = 0; code < n_codes; code++) counts[code] = (double)available[code];
  UNPROTECT(1);
  return result;
}

static int code_bytes_of(SEXP codes, int64_t n_strata) {
  if (TYPEOF(codes) == RAWSXP) return 1;
  return n_strata <= UINT16_MAX ? 2 : 4;
}

/* Store the codes in the scatter: those of the recipe itself if they are bytes, else in the smallest type. */
static void keep_codes(SEXP codes, int code_bytes, SEXP scatter) {
  if (code_bytes == 1) {
    SET_VECTOR_ELT(scatter, CODES, codes);
    MARK_NOT_MUTABLE(codes);
    return;
  }
  int64_t n_rows = Rf_xlength(codes);
  const int *given = INTEGER(codes);
  SET_VECTOR_ELT(scatter, CODES, Rf_allocVector(RAWSXP, (R_xlen_t)(n_rows * code_bytes)));
  void *kept = RAW(VECTOR_ELT(scatter, CODES));
  if (code_bytes == 4) {
    memcpy(kept, given, (size_t)n_rows * sizeof(int32_t));
    return;
  }
  uint16_t *narrow = (uint16_t *)kept;
  for (int64_t row = 0; row < n_rows; row++) {
    if (row % STEP == 0) R_CheckUserInterrupt();
    narrow[row] = (uint16_t)given[row];
  }
}

/* Read the codes of a recipe and check that there are enough rows of each stratum. */
static Strata read_codes(SEXP codes, const Plan *plan, SEXP scatter) {
  check_codes(codes);
  Strata strata = {.n_rows = Rf_xlength(codes), .code_bytes = code_bytes_of(codes, plan->n_strata)};
  strata.available = (int64_t *)(void *)R_alloc((size_t)plan->n_strata + 1, sizeof(int64_t));
  count_codes(codes, plan->n_strata, strata.available);
  for (int64_t stratum = 0; stratum < plan->n_strata; stratum++) {
    if (strata.available[stratum] < plan->counts[stratum]) {
      refuse("codes", "have as many rows of each stratum as an epoch takes", "fewer");
    }
  }
  keep_codes(codes, strata.code_bytes, scatter);
  strata.codes = RAW(VECTOR_ELT(scatter, CODES));
  return strata;
}

/* Fill the layout of all rows. The offsets are modified. */
static void fill_epoch_layout(const Plan *plan, const Strata *strata, int64_t *offsets, int32_t *layout) {
  LayoutProgress progress = {0};
  while (!fill_layout(
      plan->counts, plan->n_strata, plan->n_batches, plan->even, strata->n_rows, STEP, &progress, offsets, layout
  )) {
    R_CheckUserInterrupt();
  }
  if (plan->n_rows < strata->n_rows - strata->available[plan->n_strata]) {
    SpreadProgress spread;
    begin_spread(plan->counts, strata->available, plan->n_strata, &spread);
    while (!spread_layout(plan->counts, strata->available, STEP, &spread, layout)) R_CheckUserInterrupt();
  }
}

SEXP C_prepare_scatter(SEXP key, SEXP codes, SEXP counts, SEXP n_batches, SEXP even) {
  if (TYPEOF(key) != ENVSXP) refuse_kind(key, "key", "be an environment");
  Plan plan = read_plan(counts, n_batches, even);
  SEXP scatter = PROTECT(Rf_allocVector(VECSXP, N_PARTS));
  Strata strata = read_codes(codes, &plan, scatter);
  int64_t *offsets = batch_offsets(&plan);
  SET_VECTOR_ELT(scatter, WIDTH, Rf_ScalarInteger(strata.code_bytes));
  SET_VECTOR_ELT(scatter, OFFSETS, offsets_in_r(offsets, plan.n_batches));
  MARK_NOT_MUTABLE(VECTOR_ELT(scatter, OFFSETS)); /* all epochs share it */
  SET_VECTOR_ELT(scatter, LAYOUT, Rf_allocVector(INTSXP, (R_xlen_t)strata.n_rows));
  fill_epoch_layout(&plan, &strata, offsets, INTEGER(VECTOR_ELT(scatter, LAYOUT)));
  SET_VECTOR_ELT(scatter, STARTS, Rf_allocVector(REALSXP, (R_xlen_t)plan.n_strata + 1));
  double *starts = REAL(VECTOR_ELT(scatter, STARTS));
  starts[0] = 0;
  for (int64_t code = 0; code < plan.n_strata; code++) starts[code + 1] = starts[code] + (double)strata.available[code];
  SEXP reference = R_MakeWeakRef(key, scatter, R_NilValue, FALSE);
  UNPROTECT(1);
  return reference;
}

/* Take the memory of the pool, or new memory if another epoch is using it, or was interrupted while using it. */
static SEXP take_pool(SEXP scatter) {
  SEXP pool = VECTOR_ELT(scatter, POOL);
  if (Rf_isNull(pool)) return Rf_allocVector(INTSXP, Rf_xlength(VECTOR_ELT(scatter, LAYOUT)));
  PROTECT(pool);
  SET_VECTOR_ELT(scatter, POOL, R_NilValue);
  UNPROTECT(1);
  return pool;
}

/* Fill `rows`, one number for each row, with those of the epoch, batch after batch, and then the others. */
static void fill_rows(SEXP scatter, SEXP seed, int32_t *rows) {
  uint32_t n_rows = (uint32_t)Rf_xlength(VECTOR_ELT(scatter, LAYOUT));
  const int32_t *layout = INTEGER(VECTOR_ELT(scatter, LAYOUT));
  const void *codes = RAW(VECTOR_ELT(scatter, CODES));
  R_xlen_t n_codes = Rf_xlength(VECTOR_ELT(scatter, STARTS));
  int code_bytes = INTEGER(VECTOR_ELT(scatter, WIDTH))[0];
  const double *starts = REAL(VECTOR_ELT(scatter, STARTS));
  int64_t *cursors = (int64_t *)(void *)R_alloc((size_t)n_codes, sizeof(int64_t));
  for (R_xlen_t code = 0; code < n_codes; code++) cursors[code] = (int64_t)starts[code];
  if (Rf_isNull(seed)) {
    scatter_unshuffled(codes, code_bytes, n_rows, cursors, layout, 1, rows);
    return;
  }
  uint32_t number = read_seed(seed);
  SEXP memory = PROTECT(take_pool(scatter));
  scatter_shuffled(codes, code_bytes, n_rows, cursors, layout, number, 1, INTEGER(memory), rows);
  SET_VECTOR_ELT(scatter, POOL, memory);
  UNPROTECT(1);
}

SEXP C_draw_epoch(SEXP reference, SEXP seed) {
  if (TYPEOF(reference) != WEAKREFSXP) refuse_kind(reference, "scatter", "be what prepares the epochs");
  SEXP scatter = PROTECT(R_WeakRefValue(reference));
  if (Rf_isNull(scatter)) {
    UNPROTECT(1);
    return R_NilValue;
  }
  SEXP offsets = VECTOR_ELT(scatter, OFFSETS);
  R_xlen_t n_rows = INTEGER(offsets)[Rf_xlength(offsets) - 1];
  R_xlen_t n_all = Rf_xlength(VECTOR_ELT(scatter, LAYOUT));
  const char *names[] = {"rows", "offsets", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP rows = Rf_allocVector(INTSXP, n_rows);
  SET_VECTOR_ELT(result, 0, rows);
  SET_VECTOR_ELT(result, 1, offsets);
  if (n_rows == n_all) {
    fill_rows(scatter, seed, INTEGER(rows));
  } else {
    int32_t *all = (int32_t *)(void *)R_alloc((size_t)n_all, sizeof(int32_t));
    fill_rows(scatter, seed, all);
    memcpy(INTEGER(rows), all, (size_t)n_rows * sizeof(int32_t));
  }
  UNPROTECT(2);
  return result;
}
