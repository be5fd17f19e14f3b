/* Batches of rows of similar length, and the number of words in the lines of a text. */

#include "arguments.h"
#include "core/length_batches.h"
#include "core/line_index.h"
#include "core/permutation.h"
#include "core/words.h"
#include "memory.h"
#include "offsets.h"
#include "routines.h"
#include "streams.h"

static int64_t smaller(int64_t number, int64_t other) { return number < other ? number : other; }

/* Return the longest of the lengths of drawn rows, which are integers from 0; refuse others. */
static int32_t read_lengths(SEXP lengths) {
  if (TYPEOF(lengths) != INTSXP || Rf_xlength(lengths) < 1 || Rf_xlength(lengths) > LARGEST_COUNT) {
    refuse_kind(lengths, "lengths", "be integers, one for each drawn row");
  }
  int32_t longest = 0;
  for (R_xlen_t i = 0; i < Rf_xlength(lengths); i++) {
    if (INTEGER(lengths)[i] < 0) refuse("lengths", "be at least 0", "others"); /* NA is below 0 */
    if (INTEGER(lengths)[i] > longest) longest = INTEGER(lengths)[i];
    if (i % STEP == STEP - 1) R_CheckUserInterrupt();
  }
  return longest;
}

/* Cut all rows in their order; return the number of batches. `offsets` is as in cut_by_length(). */
static int64_t cut_all(
    const int32_t *lengths, const int32_t *order, int64_t n_rows, const LengthLimits *limits, int64_t *offsets
) {
  CutProgress progress = {0};
  while (progress.place < n_rows) {
    cut_by_length(lengths, order, smaller(progress.place + STEP, n_rows), limits, &progress, offsets);
    R_CheckUserInterrupt();
  }
  return progress.n_batches;
}

/* Return list(order, offsets) of batches; the order is in R's vectors, the offsets are numbers of the core. */
static SEXP batches_in_r(SEXP order, const int64_t *offsets, int64_t n_batches) {
  const char *names[] = {"order", "offsets", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, order);
  SET_VECTOR_ELT(result, 1, offsets_in_r(offsets, n_batches));
  UNPROTECT(1);
  return result;
}

/* The places of an order are counted from 0. */
SEXP C_cut_by_length(SEXP lengths, SEXP window, SEXP most_rows, SEXP most_tokens) {
  int32_t longest = read_lengths(lengths);
  int64_t n_rows = Rf_xlength(lengths);
  LengthLimits limits = {.window = whole_number(window, 1, LARGEST_COUNT, "window")};
  limits.most_rows = whole_number(most_rows, 1, LARGEST_COUNT, "most_rows");
  if (TYPEOF(most_tokens) != REALSXP || Rf_xlength(most_tokens) != 1 || !(REAL(most_tokens)[0] >= longest)) {
    refuse_kind(most_tokens, "most_tokens", "be a number that is not below the longest of the lengths");
  }
  limits.most_tokens = REAL(most_tokens)[0] <= LARGEST_EXACT ? (int64_t)REAL(most_tokens)[0] : INT64_MAX;
  const int32_t *read = INTEGER(lengths);
  SEXP order = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)n_rows));
  int32_t *spare = new_integers(n_rows);
  SortProgress sorting = {0};
  while (!sort_by_length(read, n_rows, limits.window, longest, STEP, &sorting, INTEGER(order), spare)) {
    R_CheckUserInterrupt();
  }
  int64_t n_batches = cut_all(read, INTEGER(order), n_rows, &limits, NULL);
  int64_t *offsets = new_numbers(n_batches + 1);
  cut_all(read, INTEGER(order), n_rows, &limits, offsets);
  offsets[n_batches] = n_rows;
  SEXP result = batches_in_r(order, offsets, n_batches);
  UNPROTECT(1);
  return result;
}

/* Read the offsets of batches, none of which is empty. */
static int64_t *read_offsets(SEXP offsets) {
  R_xlen_t n_offsets = Rf_xlength(offsets);
  bool are_kind = TYPEOF(offsets) == INTSXP && n_offsets > 1 && n_offsets <= LARGEST_COUNT;
  if (!are_kind || INTEGER(offsets)[0] != 0) refuse_kind(offsets, "offsets", "be the offsets of batches");
  int64_t *read = new_numbers(n_offsets);
  for (R_xlen_t i = 0; i < n_offsets; i++) {
    read[i] = INTEGER(offsets)[i];
    if (i > 0 && read[i] <= read[i - 1]) refuse("offsets", "rise", "others");
  }
  return read;
}

SEXP C_split_batches(SEXP offsets, SEXP n_batches) {
  const int64_t *read = read_offsets(offsets);
  int64_t before = Rf_xlength(offsets) - 1;
  int64_t n_rows = read[before];
  int64_t n_parts = whole_number(n_batches, (int32_t)before, (int32_t)n_rows, "n_batches");
  SplitProgress progress = {.least = 1, .most = n_rows};
  while (!find_largest_part(read, before, n_parts, STEP, &progress)) R_CheckUserInterrupt();
  int64_t *parts = new_numbers(n_parts + 1);
  split_batches(read, before, progress.least, n_parts, parts);
  return offsets_in_r(parts, n_parts);
}

SEXP C_shuffle_batches(SEXP stream, SEXP order, SEXP offsets) {
  const int64_t *read = read_offsets(offsets);
  int64_t n_batches = Rf_xlength(offsets) - 1;
  if (TYPEOF(order) != INTSXP || Rf_xlength(order) != read[n_batches]) {
    refuse_kind(order, "order", "be the places of the rows");
  }
  Generator generator;
  read_stream(stream, &generator);
  int32_t *pool = new_integers(n_batches), *shuffled = new_integers(n_batches);
  fill_in_order(pool, (uint32_t)n_batches);
  for (int64_t done = 0; done < n_batches; done += STEP) {
    take_rows(
        &generator, pool, (uint32_t)(n_batches - done), (uint32_t)smaller(n_batches - done, STEP), shuffled + done
    );
    R_CheckUserInterrupt();
  }
  SEXP places = PROTECT(Rf_allocVector(INTSXP, Rf_xlength(order)));
  int64_t *epoch_offsets = new_numbers(n_batches + 1);
  for (int64_t begin = 0; begin < n_batches; begin += STEP) {
    int64_t end = smaller(begin + STEP, n_batches);
    arrange_batches(INTEGER(order), read, shuffled, begin, end, epoch_offsets, INTEGER(places));
    R_CheckUserInterrupt();
  }
  SEXP result = batches_in_r(places, epoch_offsets, n_batches);
  UNPROTECT(1);
  return result;
}

/* Return list(counts, line): the words of the lines that end in a block of a text, and the line in which it ends, three
 * integers, for the next call. For the first block, `line` is NULL.
 */
SEXP C_count_words(SEXP block, SEXP line) {
  if (TYPEOF(block) != RAWSXP) refuse_kind(block, "block", "be bytes");
  LineWords words = {0};
  if (line != R_NilValue) {
    if (TYPEOF(line) != INTSXP || Rf_xlength(line) != 3) refuse_kind(line, "line", "be three integers");
    words = (LineWords){INTEGER(line)[0], INTEGER(line)[1] != 0, INTEGER(line)[2] != 0};
  }
  int64_t size = Rf_xlength(block);
  const char *names[] = {"counts", "line", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP counts = Rf_allocVector(INTSXP, (R_xlen_t)count_line_ends(RAW(block), size));
  SET_VECTOR_ELT(result, 0, counts);
  count_words(RAW(block), size, &words, INTEGER(counts));
  SEXP after = Rf_allocVector(INTSXP, 3);
  SET_VECTOR_ELT(result, 1, after);
  INTEGER(after)[0] = words.words;
  INTEGER(after)[1] = words.is_in_word;
  INTEGER(after)[2] = words.has_begun;
  UNPROTECT(1);
  return result;
}
