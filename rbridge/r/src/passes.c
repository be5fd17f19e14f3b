/* Epochs that take the rows of a stratum less or more often than once. */

#include "core/passes.h"

#include <string.h>

#include "arguments.h"
#include "memory.h"
#include "offsets.h"
#include "routines.h"
#include "scatter.h"

/* An epoch: its entries are the rows of the dataset, followed by the repetitions. */
typedef struct {
  Plan plan;           /* of the entries that it takes */
  int64_t *available;  /* plan.n_strata numbers: the rows of each stratum */
  int64_t n_rows;      /* of the dataset */
  int64_t n_entries;   /* at least n_rows, and at least plan.n_rows */
  int32_t *repeated;   /* n_entries - n_rows rows, from 0 */
  bool has_repetitions; /* whether some stratum is taken more than once */
} Epoch;

/* Return doubles of R as whole numbers; each is from 1 to LARGEST_COUNT. */
static int64_t *read_counts(SEXP values, const char *parameter) {
  if (TYPEOF(values) != REALSXP) refuse_kind(values, parameter, "be doubles");
  int64_t count = Rf_xlength(values);
  int64_t *result = new_numbers(count);
  for (int64_t i = 0; i < count; i++) {
    if (!is_whole(REAL(values)[i], 1, LARGEST_COUNT)) refuse_number(REAL(values)[i], parameter, "be row numbers");
    result[i] = (int64_t)REAL(values)[i];
  }
  return result;
}

static void read_repeated(SEXP repeated, Epoch *epoch) {
  int64_t count = epoch->n_entries - epoch->n_rows;
  if (TYPEOF(repeated) != INTSXP || Rf_xlength(repeated) != count) {
    refuse_kind(repeated, "repeated", "be integers, one for each entry behind the dataset");
  }
  epoch->repeated = new_integers(count);
  for (int64_t i = 0; i < count; i++) {
    int row = INTEGER(repeated)[i];
    if (row < 1 || row > epoch->n_rows) refuse("repeated", "be rows of the dataset", "others");
    epoch->repeated[i] = row - 1;
    if (i % STEP == STEP - 1) R_CheckUserInterrupt();
  }
}

static Epoch read_epoch(SEXP codes, SEXP taken, SEXP available, SEXP n_batches, SEXP n_rows, SEXP repeated) {
  Epoch epoch = {.plan = read_plan(taken, n_batches, Rf_ScalarLogical(TRUE)), .n_entries = Rf_xlength(codes)};
  epoch.available = read_counts(available, "available");
  if (Rf_xlength(available) != epoch.plan.n_strata) {
    refuse_kind(available, "available", "have a number for each stratum");
  }
  for (int64_t stratum = 0; stratum < epoch.plan.n_strata; stratum++) {
    if (is_repeated(epoch.plan.counts[stratum], epoch.available[stratum])) epoch.has_repetitions = true;
  }
  epoch.n_rows = whole_number(n_rows, 1, LARGEST_COUNT, "n_rows");
  if (epoch.n_entries < epoch.n_rows || epoch.n_entries < epoch.plan.n_rows) {
    refuse("codes", "have one code for each row and each repetition", "fewer");
  }
  read_repeated(repeated, &epoch);
  return epoch;
}

/* Return the beginning of the entries of each pass in the layout; refuse passes whose sizes are not those of the
 * codes. */
static int64_t *read_passes(SEXP codes, SEXP sizes, const Epoch *epoch) {
  int64_t *expected = read_counts(sizes, "sizes");
  int64_t n_passes = Rf_xlength(sizes);
  int64_t *found = new_numbers(n_passes + 1);
  count_codes(codes, n_passes, found);
  int64_t *cursors = new_numbers(n_passes + 1);
  cursors[0] = 0;
  for (int64_t pass = 0; pass < n_passes; pass++) {
    if (found[pass] != expected[pass]) refuse("sizes", "be how often each code occurs", "others");
    cursors[pass + 1] = cursors[pass] + expected[pass];
  }
  if (cursors[n_passes] != epoch->plan.n_rows) refuse("sizes", "add up to the rows of an epoch", "others");
  return cursors;
}

static int32_t *lay_out(const Epoch *epoch, const int64_t *offsets) {
  const Plan *plan = &epoch->plan;
  int32_t *layout = new_integers(epoch->n_entries);
  int64_t *next_places = new_numbers(plan->n_batches);
  memcpy(next_places, offsets, (size_t)plan->n_batches * sizeof(int64_t));
  LayoutProgress progress = {0};
  while (!fill_passes_layout(
      plan->counts, epoch->available, plan->n_strata, plan->n_batches, epoch->n_entries, STEP, &progress, next_places,
      layout
  )) {
    R_CheckUserInterrupt();
  }
  return layout;
}

/* Defer the rows that a batch would contain twice. */
static void separate(const Epoch *epoch, const int32_t *layout, int32_t *rows) {
  const Plan *plan = &epoch->plan;
  int64_t most = 0;
  for (int64_t i = 0; i < plan->n_strata; i++) most = plan->counts[i] > most ? plan->counts[i] : most;
  int32_t *seen = new_integers(epoch->n_rows);
  memset(seen, 0, (size_t)epoch->n_rows * sizeof(int32_t));
  Sequence sequence = {.rows = rows, .first_row = 1, .n_batches = plan->n_batches, .seen = seen};
  sequence.waiting = new_integers(most); /* whatever numbers R passes */
  for (int64_t stratum = 0; stratum < plan->n_strata; stratum++) {
    sequence.places = layout + sequence.dealt;
    sequence.taken = plan->counts[stratum];
    sequence.available = epoch->available[stratum];
    if (is_repeated(sequence.taken, sequence.available)) {
      int64_t begin = 0;
      for (int64_t batch = 0; batch < plan->n_batches;) {
        batch = keep_apart(&sequence, batch, STEP, &begin);
        R_CheckUserInterrupt();
      }
    }
    sequence.dealt += sequence.taken;
  }
}

SEXP C_draw_passes(
    SEXP codes, SEXP sizes, SEXP taken, SEXP available, SEXP n_batches, SEXP n_rows, SEXP repeated, SEXP seed
) {
  check_codes(codes);
  Epoch epoch = read_epoch(codes, taken, available, n_batches, n_rows, repeated);
  int64_t *cursors = read_passes(codes, sizes, &epoch);
  int64_t *offsets = batch_offsets(&epoch.plan);
  int32_t *layout = lay_out(&epoch, offsets);
  int32_t *entries = new_integers(epoch.n_entries);
  bool is_raw = TYPEOF(codes) == RAWSXP;
  const void *numbers = is_raw ? (const void *)RAW(codes) : (const void *)INTEGER(codes);
  if (Rf_isNull(seed)) {
    scatter_unshuffled(numbers, is_raw ? 1 : 4, (uint32_t)epoch.n_entries, cursors, layout, 1, entries);
  } else {
    uint32_t number = read_seed(seed);
    int32_t *pool = new_integers(epoch.n_entries);
    scatter_shuffled(numbers, is_raw ? 1 : 4, (uint32_t)epoch.n_entries, cursors, layout, number, 1, pool, entries);
  }
  const char *names[] = {"rows", "offsets", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t)epoch.plan.n_rows));
  SET_VECTOR_ELT(result, 1, offsets_in_r(offsets, epoch.plan.n_batches));
  int32_t *rows = INTEGER(VECTOR_ELT(result, 0));
  memcpy(rows, entries, (size_t)epoch.plan.n_rows * sizeof(int32_t));
  if (epoch.has_repetitions) {
    for (int64_t begin = 0; begin < epoch.plan.n_rows; begin += STEP) {
      int64_t end = epoch.plan.n_rows - begin < STEP ? epoch.plan.n_rows : begin + STEP;
      name_rows(epoch.n_rows, epoch.repeated, 1, begin, end, rows);
      R_CheckUserInterrupt();
    }
    separate(&epoch, layout, rows);
  }
  UNPROTECT(1);
  return result;
}
