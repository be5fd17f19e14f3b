/* The draws of an epoch: parts of a dataset, lines of several files, and examples in proportion to perplexity.
 *
 * Random draws are returned as list(rows, stream), where the stream continues after the draw.
 */

#include <math.h>
#include <string.h>

#include "arguments.h"
#include "core/epoch_subset.h"
#include "core/mixture.h"
#include "core/permutation.h"
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

/* Lines of several files ---------------------------------------------------------------------------------------- */

/* Read whole numbers from 0, one for each file; add them to a sum of at most 2^53. */
static const int64_t *read_counts(SEXP counts, R_xlen_t n_files, const char *parameter, int64_t *sum) {
  if (TYPEOF(counts) != REALSXP || Rf_xlength(counts) != n_files) {
    refuse_kind(counts, parameter, "be doubles, one for each file");
  }
  int64_t *read = (int64_t *)(void *)R_alloc((size_t)n_files, sizeof(int64_t));
  for (R_xlen_t file = 0; file < n_files; file++) {
    double count = REAL(counts)[file];
    if (!(count >= 0 && count <= LARGEST_EXACT && floor(count) == count && (double)*sum + count <= LARGEST_EXACT)) {
      refuse(parameter, "be whole numbers from 0 that add up to at most 2^53", "others");
    }
    read[file] = (int64_t)count;
    *sum += read[file];
  }
  return read;
}

/* Refuse a mixture that draws lines of a file without any, or keeps more than it has. */
static Mixture read_mixture(SEXP lines, SEXP drawn, SEXP kept, int64_t *n_lines, int64_t *n_taken) {
  Mixture mixture = {.n_files = Rf_xlength(lines)};
  *n_lines = *n_taken = 0;
  mixture.lines = read_counts(lines, mixture.n_files, "lines", n_lines);
  mixture.drawn = read_counts(drawn, mixture.n_files, "drawn", n_taken);
  mixture.kept = read_counts(kept, mixture.n_files, "kept", n_taken);
  for (int64_t file = 0; file < mixture.n_files; file++) {
    if (mixture.drawn[file] > 0 && mixture.lines[file] == 0) refuse("drawn", "be 0 for empty files", "others");
    if (mixture.kept[file] > mixture.lines[file]) refuse("kept", "be at most the lines of the file", "more");
  }
  if (*n_taken < 1 || *n_taken > LARGEST_COUNT) {
    refuse("drawn", "give an epoch from 1 to 2147483647 lines", "others");
  }
  return mixture;
}

/* Take the lines of an epoch into `narrow`, from 0, or otherwise into `wide`, from 1; the other one is NULL. */
static void take_all_lines(Generator *generator, const Mixture *mixture, int32_t *narrow, double *wide) {
  MixtureProgress progress = {0};
  int64_t block[BLOCK_SIZE];
  int64_t done = 0;
  for (int64_t count; (count = take_lines(generator, mixture, &progress, block)) > 0; done += count) {
    for (int64_t i = 0; i < count; i++) {
      if (narrow != NULL) narrow[done + i] = (int32_t)block[i];
      if (wide != NULL) wide[done + i] = (double)block[i] + 1;
    }
    if (done % STEP < BLOCK_SIZE) R_CheckUserInterrupt();
  }
}

/* Take all numbers out of a pool of narrow ones, in the order of R's sample(). */
static void shuffle(Generator *generator, int32_t *pool, int64_t count, int32_t *numbers) {
  for (int64_t done = 0; done < count; done += STEP) {
    take_rows(generator, pool, (uint32_t)(count - done), (uint32_t)smaller(count - done, STEP), numbers + done);
    R_CheckUserInterrupt();
  }
}

/* Allocate the scratch space of draws without replacement. */
static SubsetScratch scratch_of(const Mixture *mixture) {
  SubsetScratch scratch = {.n_pool = 1, .n_places = 1, .n_table = 1};
  for (int64_t file = 0; file < mixture->n_files; file++) {
    int64_t lines = mixture->lines[file];
    if (lines > INT64_C(4503599627370496)) refuse("lines", "be at most 2^52 without replacement", "more");
    enlarge_subset_scratch(&scratch, lines, rest_of_passes(lines, mixture->drawn[file]));
  }
  scratch.pool = (int32_t *)(void *)R_alloc((size_t)scratch.n_pool, sizeof(int32_t));
  scratch.places = (uint32_t *)(void *)R_alloc((size_t)scratch.n_places, sizeof(uint32_t));
  scratch.table = (int64_t *)(void *)R_alloc((size_t)scratch.n_table, sizeof(int64_t));
  fill_in_order(scratch.pool, (uint32_t)scratch.n_pool);
  return scratch;
}

SEXP C_draw_lines(SEXP lines, SEXP drawn, SEXP kept, SEXP is_to_shuffle, SEXP replace, SEXP seed) {
  int64_t n_lines, n_taken;
  Mixture mixture = read_mixture(lines, drawn, kept, &n_lines, &n_taken);
  SubsetScratch scratch;
  if (!true_or_false(replace, "replace")) {
    scratch = scratch_of(&mixture);
    mixture.scratch = &scratch;
  }
  bool is_shuffled = true_or_false(is_to_shuffle, "shuffle");
  Generator generator;
  seed_by(seed, &generator);
  bool is_wide = n_lines > LARGEST_COUNT;
  SEXP lines_drawn = PROTECT(Rf_allocVector(is_wide ? REALSXP : INTSXP, (R_xlen_t)n_taken));
  int32_t *pool = (int32_t *)(void *)R_alloc(is_shuffled ? (size_t)n_taken : 1, sizeof(int32_t));
  if (is_wide) {
    take_all_lines(&generator, &mixture, NULL, REAL(lines_drawn));
    if (is_shuffled) {
      double *taken = (double *)(void *)R_alloc((size_t)n_taken, sizeof(double));
      int32_t *order = (int32_t *)(void *)R_alloc((size_t)n_taken, sizeof(int32_t));
      memcpy(taken, REAL(lines_drawn), (size_t)n_taken * sizeof(double));
      fill_in_order(pool, (uint32_t)n_taken);
      shuffle(&generator, pool, n_taken, order);
      for (int64_t i = 0; i < n_taken; i++) REAL(lines_drawn)[i] = taken[order[i]];
    }
  } else {
    int *rows = INTEGER(lines_drawn);
    take_all_lines(&generator, &mixture, is_shuffled ? pool : rows, NULL);
    if (is_shuffled) shuffle(&generator, pool, n_taken, rows);
    for (int64_t i = 0; i < n_taken; i++) rows[i] += 1; /* R counts from 1 */
  }
  SEXP result = drawn_rows(lines_drawn, &generator);
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
