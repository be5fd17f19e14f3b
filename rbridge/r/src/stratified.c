/* The batches of an epoch of the stratified and of the downsampled sampler. */

#include <string.h>

#include "arguments.h"
#include "core/plan.h"
#include "core/scatter.h"
#include "plan.h"
#include "routines.h"

/* The strata of all rows, as the core has them. */
typedef struct {
  void *codes;        /* n_rows numbers from 0, in the type of code_bytes; rows without a stratum have n_strata */
  int code_bytes;     /* 1, 2 or 4 */
  int64_t n_rows;
  int64_t *available; /* n_strata + 1 numbers: how often each code occurs */
} Strata;

/* What every epoch of a sampler uses: vectors of R, which R code cannot reach, so that they stay as they were checked.
 *
 * The pool is memory alone, kept since new memory costs more than to fill it. It is taken out while an epoch is drawn.
 */
enum {
  CODES,   /* raw: those of Strata */
  LAYOUT,  /* integers, n_rows */
  STARTS,  /* doubles, n_strata + 1: where the ranks of each code begin in the layout */
  OFFSETS, /* integers, n_batches + 1 */
  POOL,    /* integers, n_rows, or NULL */
  N_PARTS
};

static const char *const of = "epoch_batches";

/* Take codes of R, from 1 and NA, for codes from 0, and count them. `count` is at most BLOCK_SIZE. */
static void decode(const int *codes, int64_t count, int64_t n_strata, int64_t *available, uint32_t *decoded) {
  for (int64_t i = 0; i < count; i++) {
    bool is_missing = codes[i] == NA_INTEGER;
    uint32_t code = is_missing ? (uint32_t)n_strata : (uint32_t)codes[i] - 1;
    if (!is_missing && code >= n_strata) refuse("codes", of, "be numbers of the strata, or missing", "others");
    available[code] += 1;
    decoded[i] = code;
  }
}

/* Store decoded codes from the row `begin` on. */
static void store(const uint32_t *decoded, int64_t begin, int64_t count, const Strata *strata) {
  if (strata->code_bytes == 1) {
    uint8_t *codes = (uint8_t *)strata->codes + begin;
    for (int64_t i = 0; i < count; i++) codes[i] = (uint8_t)decoded[i];
  } else if (strata->code_bytes == 2) {
    uint16_t *codes = (uint16_t *)strata->codes + begin;
    for (int64_t i = 0; i < count; i++) codes[i] = (uint16_t)decoded[i];
  } else {
    int32_t *codes = (int32_t *)strata->codes + begin;
    for (int64_t i = 0; i < count; i++) codes[i] = (int32_t)decoded[i];
  }
}

static int code_bytes_of(int64_t n_strata) {
  if (n_strata <= UINT8_MAX) return 1;
  return n_strata <= UINT16_MAX ? 2 : 4;
}

/* Read the codes of R in the smallest type, into a raw vector of the scatter, and see that there are enough rows. */
static Strata read_codes(SEXP codes, const Plan *plan, SEXP scatter) {
  if (TYPEOF(codes) != INTSXP) refuse_kind(codes, "codes", of, "be integers");
  if (Rf_xlength(codes) > MOST_ROWS) refuse("codes", of, "have at most 2147483647 rows", "more");
  Strata strata = {.n_rows = Rf_xlength(codes), .code_bytes = code_bytes_of(plan->n_strata)};
  SET_VECTOR_ELT(scatter, CODES, Rf_allocVector(RAWSXP, (R_xlen_t)(strata.n_rows * strata.code_bytes)));
  strata.codes = RAW(VECTOR_ELT(scatter, CODES));
  strata.available = (int64_t *)(void *)R_alloc((size_t)plan->n_strata + 1, sizeof(int64_t));
  memset(strata.available, 0, ((size_t)plan->n_strata + 1) * sizeof(int64_t));
  const int *given = INTEGER(codes);
  uint32_t decoded[BLOCK_SIZE];
  for (int64_t begin = 0; begin < strata.n_rows; begin += BLOCK_SIZE) {
    int64_t count = strata.n_rows - begin < BLOCK_SIZE ? strata.n_rows - begin : BLOCK_SIZE;
    if (begin % STEP == 0) R_CheckUserInterrupt();
    decode(given + begin, count, plan->n_strata, strata.available, decoded);
    store(decoded, begin, count, &strata);
  }
  for (int64_t stratum = 0; stratum < plan->n_strata; stratum++) {
    if (strata.available[stratum] < plan->counts[stratum]) {
      refuse("codes", of, "have as many rows of each stratum as an epoch takes", "fewer");
    }
  }
  return strata;
}

/* Make room in a layout of the rows that an epoch takes for those that it leaves out, which go behind the epoch.
 *
 * The strata are moved from the last one on, so that no place is overwritten before it has been moved.
 */
static void spread_layout(const Plan *plan, const Strata *strata, int32_t *layout) {
  int64_t begin = strata->n_rows - strata->available[plan->n_strata];
  int64_t taken = plan->n_rows;
  int64_t behind = begin;
  for (int64_t stratum = plan->n_strata - 1; stratum >= 0; stratum--) {
    int64_t kept = plan->counts[stratum];
    int64_t left_out = strata->available[stratum] - kept;
    begin -= strata->available[stratum];
    taken -= kept;
    memmove(layout + begin, layout + taken, (size_t)kept * sizeof(int32_t));
    for (int64_t rank = kept; rank < kept + left_out; rank++) layout[begin + rank] = (int32_t)--behind;
  }
}

/* Fill the layout of all rows. The offsets are used up. */
static void fill_epoch_layout(const Plan *plan, const Strata *strata, int64_t *offsets, int32_t *layout) {
  LayoutProgress progress = {0};
  while (!fill_layout(
      plan->counts, plan->n_strata, plan->n_batches, plan->even, strata->n_rows, STEP, &progress, offsets, layout
  )) {
    R_CheckUserInterrupt();
  }
  if (plan->n_rows < strata->n_rows - strata->available[plan->n_strata]) spread_layout(plan, strata, layout);
}

SEXP C_prepare_scatter(SEXP key, SEXP codes, SEXP counts, SEXP n_batches, SEXP even) {
  if (TYPEOF(key) != ENVSXP) refuse_kind(key, "key", of, "be an environment");
  Plan plan = read_plan(counts, n_batches, even, of);
  SEXP scatter = PROTECT(Rf_allocVector(VECSXP, N_PARTS));
  Strata strata = read_codes(codes, &plan, scatter);
  int64_t *offsets = batch_offsets(&plan);
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

/* Scatter the rows from `begin` to before `end` in the order of the dataset. */
static void scatter_unshuffled(
    uint32_t begin, uint32_t end, int code_bytes, const void *codes, int64_t *cursors, const int32_t *layout,
    int32_t *rows
) {
  switch (code_bytes) {
    case 1: scatter_in_order_uint8(begin, end, codes, cursors, layout, 1, rows); break;
    case 2: scatter_in_order_uint16(begin, end, codes, cursors, layout, 1, rows); break;
    default: scatter_in_order_int32(begin, end, codes, cursors, layout, 1, rows);
  }
}

/* Scatter at most STEP rows of the permutation; return how many of the `left` rows are left. */
static uint32_t scatter_shuffled(
    Generator *generator, int32_t *pool, uint32_t left, int code_bytes, const void *codes, int64_t *cursors,
    const int32_t *layout, int32_t *rows
) {
  switch (code_bytes) {
    case 1: return scatter_permutation_uint8(generator, pool, left, STEP, codes, cursors, layout, 1, rows);
    case 2: return scatter_permutation_uint16(generator, pool, left, STEP, codes, cursors, layout, 1, rows);
    default: return scatter_permutation_int32(generator, pool, left, STEP, codes, cursors, layout, 1, rows);
  }
}

/* Take the memory of the pool, or new memory if another epoch has it, or was broken off with it. */
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
  int code_bytes = code_bytes_of(n_codes - 1);
  const double *starts = REAL(VECTOR_ELT(scatter, STARTS));
  int64_t *cursors = (int64_t *)(void *)R_alloc((size_t)n_codes, sizeof(int64_t));
  for (R_xlen_t code = 0; code < n_codes; code++) cursors[code] = (int64_t)starts[code];
  if (Rf_isNull(seed)) {
    for (uint32_t begin = 0; begin < n_rows;) {
      uint32_t end = n_rows - begin < STEP ? n_rows : begin + STEP;
      scatter_unshuffled(begin, end, code_bytes, codes, cursors, layout, rows);
      begin = end;
      R_CheckUserInterrupt();
    }
    return;
  }
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed", of));
  SEXP memory = PROTECT(take_pool(scatter));
  int32_t *pool = INTEGER(memory);
  fill_in_order(pool, n_rows);
  for (uint32_t left = n_rows; left > 0;) {
    left = scatter_shuffled(&generator, pool, left, code_bytes, codes, cursors, layout, rows);
    R_CheckUserInterrupt();
  }
  SET_VECTOR_ELT(scatter, POOL, memory);
  UNPROTECT(1);
}

SEXP C_draw_epoch(SEXP reference, SEXP seed) {
  if (TYPEOF(reference) != WEAKREFSXP) refuse_kind(reference, "scatter", of, "be what prepares the epochs");
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
