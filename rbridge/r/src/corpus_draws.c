/* The draws of an epoch: parts of a dataset, and examples in proportion to perplexity.
 *
 * Random draws are returned as list(rows, stream), where the stream continues after the draw.
 */

#include <math.h>
#include <string.h>

#include "arguments.h"
#include "core/epoch_subset.h"
#include "core/perplexity.h"
#include "routines.h"
#include "streams.h"

static int64_t smaller(int64_t number, int64_t other) { return number < other ? number : other; }

/* Read the seed of an epoch. */
static void seed_by(SEXP seed, Generator *generator) {
  seed_generator(generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
}

/* Draw rows with replacement. */
SEXP C_draw_rows(SEXP n, SEXP sample, SEXP seed) {
  int32_t n_rows = whole_number(n, 1, LARGEST_COUNT, "n");
  int32_t count = whole_number(sample, 1, LARGEST_COUNT, "sample");
  Generator generator;
  seed_by(seed, &generator);
  SEXP drawn = PROTECT(Rf_allocVector(INTSXP, count));
  for (int64_t done = 0; done < count; done += STEP) {
    draw_rows(&generator, (uint32_t)n_rows, 1, smaller(count - done, STEP), INTEGER(drawn) + done);
    R_CheckUserInterrupt();
  }
  SEXP result = drawn_rows(drawn, &generator);
  UNPROTECT(1);
  return result;
}

/* Perplexity ---------------------------------------------------------------------------------------------------- */

static void check_reports(SEXP reported) {
  if (TYPEOF(reported) != REALSXP || Rf_xlength(reported) < 1 || Rf_xlength(reported) > LARGEST_COUNT) {
    refuse_kind(reported, "reported", "be doubles, one for each example");
  }
}

/* Return perplexities from 1 to MAX_PERPLEXITY, NaN if an example was never reported; refuse others. */
static const double *read_reports(SEXP reported) {
  check_reports(reported);
  const double *read = REAL(reported);
  for (R_xlen_t i = 0; i < Rf_xlength(reported); i++) {
    if (i % STEP == STEP - 1) R_CheckUserInterrupt();
    if (!isnan(read[i]) && !(read[i] >= 1 && read[i] <= MAX_PERPLEXITY)) {
      refuse("reported", "be perplexities from 1 to 1000000", "others");
    }
  }
  return read;
}

/* Return a number above some limit. */
static double number_above(SEXP value, double limit, const char *parameter) {
  if (TYPEOF(value) != REALSXP || Rf_xlength(value) != 1) refuse_kind(value, parameter, "be one number");
  if (!(REAL(value)[0] > limit)) refuse(parameter, "be above its limit", "another number");
  return REAL(value)[0];
}

SEXP C_report_losses(SEXP reported, SEXP rows, SEXP losses) {
  check_reports(reported);
  R_xlen_t n_rows = Rf_xlength(reported);
  if (TYPEOF(rows) != INTSXP) refuse_kind(rows, "rows", "be integers");
  if (TYPEOF(losses) != REALSXP || Rf_xlength(losses) != Rf_xlength(rows)) {
    refuse_kind(losses, "losses", "be doubles, one for each row");
  }
  int64_t count = Rf_xlength(rows);
  for (int64_t i = 0; i < count; i++) {
    if (INTEGER(rows)[i] < 1 || INTEGER(rows)[i] > n_rows) refuse("rows", "be row numbers", "others");
  }
  if (first_wrong_loss(REAL(losses), 0, count) < count) refuse("losses", "be finite and at least 0", "others");
  double *perplexities = (double *)(void *)R_alloc((size_t)count, sizeof(double));
  for (int64_t begin = 0; begin < count; begin += STEP) {
    find_all_perplexities(REAL(losses), begin, smaller(count, begin + STEP), perplexities);
    R_CheckUserInterrupt();
  }
  /* The change is invisible elsewhere: a vector that something else refers to is copied before. */
  SEXP result = PROTECT(MAYBE_SHARED(reported) ? Rf_duplicate(reported) : reported);
  store_perplexities(INTEGER(rows), perplexities, 1, count, REAL(result));
  UNPROTECT(1);
  return result;
}

SEXP C_is_below_initial(SEXP reported, SEXP initial) {
  const double *read = read_reports(reported);
  double first = number_above(initial, 1, "initial");
  int64_t n_rows = Rf_xlength(reported);
  double sum = 0;
  for (int64_t begin = 0; begin < n_rows; begin += STEP) {
    sum = add_differences(read, first, begin, smaller(n_rows, begin + STEP), sum);
    R_CheckUserInterrupt();
  }
  return Rf_ScalarLogical(sum < 0);
}

/* Return the perplexity that is `spreads` spreads above the mode of the reported ones; infinite if there is none. */
SEXP C_noise_ceiling(SEXP reported, SEXP spreads) {
  const double *read = read_reports(reported);
  int64_t n_rows = Rf_xlength(reported);
  double n_spreads = number_above(spreads, 0, "spreads");
  Reports reports = {0};
  for (int64_t begin = 0; begin < n_rows; begin += STEP) {
    count_reports(read, begin, smaller(n_rows, begin + STEP), &reports);
    R_CheckUserInterrupt();
  }
  int bits = mode_table_bits(&reports);
  uint64_t *table = (uint64_t *)(void *)R_alloc((size_t)1 << bits, sizeof(uint64_t));
  memset(table, 0, sizeof(uint64_t) << bits);
  for (int64_t begin = 0; begin < n_rows; begin += STEP) {
    find_mode(read, begin, smaller(n_rows, begin + STEP), table, bits, &reports);
    R_CheckUserInterrupt();
  }
  for (int64_t begin = 0; begin < n_rows; begin += STEP) {
    add_squares(read, begin, smaller(n_rows, begin + STEP), &reports);
    R_CheckUserInterrupt();
  }
  return Rf_ScalarReal(ceiling_of(&reports, n_spreads));
}

SEXP C_draw_by_perplexity(
    SEXP reported, SEXP initial, SEXP ceiling, SEXP weight_above, SEXP sample, SEXP seed
) {
  const double *read = read_reports(reported);
  int64_t n_rows = Rf_xlength(reported);
  double first = number_above(initial, 1, "initial");
  double highest = number_above(ceiling, 0, "ceiling");
  double above = number_above(weight_above, 0, "weight_above");
  int32_t count = whole_number(sample, 1, LARGEST_COUNT, "sample");
  Generator generator;
  seed_by(seed, &generator);
  double *sums = (double *)(void *)R_alloc((size_t)n_rows, sizeof(double));
  for (int64_t begin = 0; begin < n_rows; begin += STEP) {
    add_weights(read, first, highest, above, begin, smaller(n_rows, begin + STEP), sums);
    R_CheckUserInterrupt();
  }
  SEXP drawn = PROTECT(Rf_allocVector(INTSXP, count));
  for (int64_t done = 0; done < count; done += STEP) {
    draw_by_sums(&generator, sums, n_rows, 1, smaller(count - done, STEP), INTEGER(drawn) + done);
    R_CheckUserInterrupt();
  }
  SEXP result = drawn_rows(drawn, &generator);
  UNPROTECT(1);
  return result;
}
