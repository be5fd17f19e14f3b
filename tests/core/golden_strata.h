/* The strata of a case: the number of rows and the label of each, -1 if the row is dropped; then the number of strata
 * and a number for each, which the program reads by itself.
 */

#ifndef PYSTRAT_GOLDEN_STRATA_H
#define PYSTRAT_GOLDEN_STRATA_H

#include "golden.h"
#include "numbering.h"
#include "plain_host.h"

typedef struct {
  int64_t n_rows, n_strata, n_codes;
  int64_t *codes;  /* of each row; the last of n_codes if rows are dropped */
  int64_t *counts; /* n_codes: the rows of each */
} Strata;

/* Number the labels that are not dropped; return how many there are. */
static inline int64_t number_labels(const int64_t *labels, int64_t n_rows, int64_t *codes) {
  int64_t *kept = new_array(n_rows, sizeof *kept);
  int64_t *numbers = new_array(n_rows, sizeof *numbers);
  int64_t n_kept = 0;
  for (int64_t row = 0; row < n_rows; row++) {
    if (labels[row] >= 0) kept[n_kept++] = labels[row];
  }
  PlainHost host = new_host(NULL, NULL, 0, -1);
  const int64_t *distinct;
  int64_t found = number_values(kept, n_kept, numbers, &distinct, &host.host);
  free_host(&host);
  n_kept = 0;
  for (int64_t row = 0; row < n_rows; row++) codes[row] = labels[row] >= 0 ? numbers[n_kept++] : -1;
  free(kept);
  free(numbers);
  return found;
}

/* Read the labels of a case, and number them in steps of 1,000 rows. */
static inline Strata read_strata(void) {
  Strata strata = {.n_rows = next_number()};
  int64_t *labels = new_array(strata.n_rows, sizeof *labels);
  bool dropped = false;
  for (int64_t row = 0; row < strata.n_rows; row++) {
    labels[row] = next_number();
    if (labels[row] < 0) dropped = true;
  }
  strata.codes = new_array(strata.n_rows, sizeof *strata.codes);
  strata.n_strata = number_labels(labels, strata.n_rows, strata.codes);
  free(labels);
  strata.n_codes = strata.n_strata + dropped;
  strata.counts = new_zeros(strata.n_codes);
  int32_t *compact = new_array(strata.n_rows, sizeof *compact);
  for (int64_t begin = 0; begin < strata.n_rows; begin += 1000) {
    int64_t end = begin + 1000 < strata.n_rows ? begin + 1000 : strata.n_rows;
    compact_codes(strata.codes, begin, end, strata.n_codes, 4, compact, strata.counts);
  }
  for (int64_t row = 0; row < strata.n_rows; row++) strata.codes[row] = compact[row];
  free(compact);
  CHECK_EQUAL(strata.n_strata, next_number());
  return strata;
}

/* Read how many rows an epoch takes of each stratum, and add them up. */
static inline int64_t *read_taken(const Strata *strata, int64_t *n_taken) {
  int64_t *taken = new_array(strata->n_strata, sizeof *taken);
  *n_taken = 0;
  for (int64_t stratum = 0; stratum < strata->n_strata; stratum++) {
    taken[stratum] = next_number();
    *n_taken += taken[stratum];
  }
  return taken;
}

static inline void free_strata(Strata *strata) {
  free(strata->codes);
  free(strata->counts);
}

/* Compare the rows of each stratum. */
static inline void check_counts(const Strata *strata) {
  for (int64_t stratum = 0; stratum < strata->n_strata; stratum++) {
    CHECK_EQUAL(strata->counts[stratum], next_number());
  }
}

#endif
