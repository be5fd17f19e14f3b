/* Rows with several labels: their label sets, and the batches of the sampler. */

#include "core/multilabel.h"

#include <string.h>

#include "arguments.h"
#include "core/permutation.h"
#include "memory.h"
#include "numbering.h"
#include "order.h"
#include "routines.h"

enum { COLUMNS_AT_ONCE = 31 }; /* a code below 2^31 and this many labels fit into 62 bits */

/* Number values in order of first appearance, in place. */
static void number_in_place(int64_t *values, int64_t n_rows) {
  const int64_t *distinct;
  int64_t *codes = new_numbers(n_rows);
  number_values(values, n_rows, codes, &distinct);
  memcpy(values, codes, (size_t)n_rows * sizeof(int64_t));
}

SEXP C_number_label_sets(SEXP labels) {
  SEXP dimensions = Rf_getAttrib(labels, R_DimSymbol);
  if (TYPEOF(labels) != LGLSXP || Rf_length(dimensions) != 2) refuse_kind(labels, "labels", "be a logical matrix");
  int64_t n_rows = INTEGER(dimensions)[0];
  int64_t n_labels = INTEGER(dimensions)[1];
  int64_t *codes = new_zeros(n_rows);
  for (int64_t label = 0; label < n_labels; label++) {
    const int *column = LOGICAL(labels) + label * n_rows;
    for (int64_t row = 0; row < n_rows; row++) codes[row] = 2 * codes[row] + (column[row] == TRUE);
    R_CheckUserInterrupt();
    if ((label + 1) % COLUMNS_AT_ONCE == 0 || label + 1 == n_labels) {
      const void *memory = vmaxget();
      number_in_place(codes, n_rows);
      vmaxset(memory);
    }
  }
  SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)n_rows));
  for (int64_t row = 0; row < n_rows; row++) INTEGER(result)[row] = (int)codes[row];
  UNPROTECT(1);
  return result;
}

/* Read the label sets: n_labels bytes of 0 and 1 for each set. */
static LabeledRows read_rows(SEXP codes, SEXP sets, SEXP n_labels, SEXP n_batches, SEXP minimum) {
  if (TYPEOF(codes) != RAWSXP && TYPEOF(codes) != INTSXP) refuse_kind(codes, "codes", "be raw or integers");
  int64_t n_rows = Rf_xlength(codes);
  if (n_rows < 1 || n_rows > LARGEST_COUNT) refuse_kind(codes, "codes", "have one code for each row");
  LabeledRows rows = {.n_rows = n_rows, .n_labels = whole_number(n_labels, 1, LARGEST_COUNT, "n_labels")};
  rows.n_batches = whole_number(n_batches, 1, (int32_t)n_rows, "n_batches");
  rows.minimum = whole_number(minimum, 1, LARGEST_COUNT, "minimum");
  rows.n_sets = Rf_xlength(sets) / rows.n_labels;
  if (TYPEOF(sets) != RAWSXP || rows.n_sets < 1 || Rf_xlength(sets) % rows.n_labels != 0 || rows.n_sets > n_rows) {
    refuse_kind(sets, "sets", "be raw, one value for each label of each set");
  }
  rows.sets = RAW(sets);
  for (R_xlen_t i = 0; i < Rf_xlength(sets); i++) {
    if (rows.sets[i] > 1) refuse("sets", "hold 0 and 1", "others");
  }
  return rows;
}

/* Read the codes of the rows, in an order or, if it is NULL, in that of the dataset, and count them. */
static int64_t *read_codes(SEXP codes, const int32_t *order, LabeledRows *rows) {
  int64_t *read = new_numbers(rows->n_rows);
  int64_t *counts = new_zeros(rows->n_sets);
  const uint8_t *narrow = TYPEOF(codes) == RAWSXP ? RAW(codes) : NULL;
  const int *wide = narrow == NULL ? INTEGER(codes) : NULL;
  for (int64_t i = 0; i < rows->n_rows; i++) {
    if (i % STEP == 0) R_CheckUserInterrupt();
    int64_t row = order == NULL ? i : order[i];
    int64_t code = narrow == NULL ? wide[row] : narrow[row];
    if (code < 0 || code >= rows->n_sets) refuse("codes", "be numbers of the label sets, from 0", "others");
    counts[code]++;
    read[i] = code;
  }
  rows->counts = counts;
  return read;
}

/* Assign the rows to batches. */
static Assignment assign(const LabeledRows *rows, const int64_t *codes) {
  Assignment assignment = {.given = *rows};
  if (rows->n_labels > INT64_MAX / 256 / rows->n_rows) refuse("n_labels", "be fewer", "too many");
  assignment.members = new_numbers(rows->n_rows);
  assignment.batches = new_integers(rows->n_rows);
  assignment.held = new_numbers(rows->n_batches * rows->n_labels);
  begin_assignment(&assignment, new_numbers(assignment_length(rows)));
  for (int64_t begin = 0; begin < rows->n_rows; begin += STEP) {
    int64_t end = rows->n_rows - begin < STEP ? rows->n_rows : begin + STEP;
    place_members(codes, begin, end, assignment.keys, assignment.members);
    R_CheckUserInterrupt();
  }
  while (!assign_rows(&assignment, STEP)) R_CheckUserInterrupt();
  return assignment;
}

SEXP C_assign_labels(SEXP codes, SEXP sets, SEXP n_labels, SEXP n_batches, SEXP minimum) {
  LabeledRows rows = read_rows(codes, sets, n_labels, n_batches, minimum);
  const int64_t *read = read_codes(codes, NULL, &rows);
  Assignment assignment = assign(&rows, read);
  const char *names[] = {"batches", "held", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t)rows.n_rows));
  memcpy(INTEGER(VECTOR_ELT(result, 0)), assignment.batches, (size_t)rows.n_rows * sizeof(int32_t));
  SET_VECTOR_ELT(result, 1, Rf_allocMatrix(INTSXP, (int)rows.n_batches, (int)rows.n_labels));
  int *held = INTEGER(VECTOR_ELT(result, 1));
  for (int64_t batch = 0; batch < rows.n_batches; batch++) {
    for (int64_t label = 0; label < rows.n_labels; label++) {
      held[batch + label * rows.n_batches] = (int)assignment.held[batch * rows.n_labels + label];
    }
  }
  UNPROTECT(1);
  return result;
}

/* Read batches of members, to be used if those of an epoch lack more rows. */
static const int32_t *read_fallback(SEXP fallback, const LabeledRows *rows) {
  if (TYPEOF(fallback) != INTSXP || Rf_xlength(fallback) != rows->n_rows) {
    refuse_kind(fallback, "fallback", "be integers, one for each row");
  }
  const int32_t *batches = INTEGER(fallback);
  for (int64_t member = 0; member < rows->n_rows; member++) {
    if (batches[member] < 0 || batches[member] >= rows->n_batches) refuse("fallback", "be batches", "others");
  }
  return batches;
}

/* Draw the order of the rows, or, without a seed, keep that of the dataset. */
static int32_t *order_of_rows(SEXP seed, uint32_t n_rows) {
  int32_t *order = new_integers(n_rows);
  if (Rf_isNull(seed)) {
    fill_in_order(order, n_rows);
    return order;
  }
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  draw_order(&generator, n_rows, order);
  return order;
}

SEXP C_draw_multilabel(
    SEXP codes, SEXP sets, SEXP n_labels, SEXP n_batches, SEXP minimum, SEXP fallback, SEXP most_missing, SEXP seed
) {
  LabeledRows rows = read_rows(codes, sets, n_labels, n_batches, minimum);
  if (TYPEOF(most_missing) != REALSXP || Rf_xlength(most_missing) != 1) {
    refuse_kind(most_missing, "most_missing", "be one double");
  }
  const int32_t *batches = read_fallback(fallback, &rows);
  const int32_t *order = order_of_rows(seed, (uint32_t)rows.n_rows);
  const int64_t *read = read_codes(codes, order, &rows);
  Assignment assignment = assign(&rows, read);
  if ((double)missing_rows(&assignment) <= REAL(most_missing)[0]) batches = assignment.batches;
  int32_t *of_rows = new_integers(rows.n_rows);
  int64_t *cursors = new_numbers(rows.n_batches);
  int64_t *offsets = new_zeros(rows.n_batches + 1);
  const char *names[] = {"rows", "offsets", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t)rows.n_rows));
  SET_VECTOR_ELT(result, 1, Rf_allocVector(INTSXP, (R_xlen_t)rows.n_batches + 1));
  for (int64_t begin = 0; begin < rows.n_rows; begin += STEP) {
    int64_t end = rows.n_rows - begin < STEP ? rows.n_rows : begin + STEP;
    note_batches(assignment.members, batches, begin, end, of_rows, offsets);
    R_CheckUserInterrupt();
  }
  begin_groups(rows.n_batches, offsets, cursors);
  for (int64_t begin = 0; begin < rows.n_rows; begin += STEP) {
    int64_t end = rows.n_rows - begin < STEP ? rows.n_rows : begin + STEP;
    place_in_batches(of_rows, order, begin, end, 1, cursors, INTEGER(VECTOR_ELT(result, 0)));
    R_CheckUserInterrupt();
  }
  for (int64_t batch = 0; batch <= rows.n_batches; batch++) {
    INTEGER(VECTOR_ELT(result, 1))[batch] = (int)offsets[batch];
  }
  UNPROTECT(1);
  return result;
}
