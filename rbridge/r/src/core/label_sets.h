/* The label sets of rows: which rows have exactly the same labels. */

#ifndef PYSTRAT_LABEL_SETS_H
#define PYSTRAT_LABEL_SETS_H

#include "numbering.h"
#include "recipe.h"

enum { LABELS_AT_ONCE = 31 }; /* a number below 2^31 and this many labels fit into 62 bits */

/* The labels of rows: 1 if a row has a label, else 0. */
typedef struct {
  const uint8_t *values;
  int64_t n_rows, n_labels;
  int64_t row_step, label_step; /* from a row or label to the next one */
} LabelMatrix;

/* Read the matrix of labels, bytes of 0 and 1 that the host has checked, row after row or label after label. */
static inline bool read_labels(const Parts *request, LabelMatrix *matrix, Host *host) {
  Part part = find_part(request, "labels");
  double n_labels;
  bool is_by_label = false;
  if (!read_whole(request, "n_labels", 1, LARGEST_COUNT, &n_labels, host)) return false;
  if (!read_flag(request, "by_label", &is_by_label, host)) return false;
  int64_t n_rows = part.length / (int64_t)n_labels;
  bool is_matrix = part.type == BYTES && n_rows >= 1 && n_rows <= LARGEST_COUNT;
  if (!is_matrix || part.length % (int64_t)n_labels != 0) {
    return refuse(host, "labels", "others", "be bytes, one for each row and label");
  }
  *matrix = (LabelMatrix){.values = part.values, .n_rows = n_rows, .n_labels = (int64_t)n_labels};
  matrix->row_step = is_by_label ? 1 : matrix->n_labels;
  matrix->label_step = is_by_label ? n_rows : 1;
  return true;
}

/* Double numbers of rows, and add whether each row has a label, for some of the labels. */
static inline bool append_labels(
    const LabelMatrix *matrix, int64_t first_label, int64_t end_label, int64_t *numbers, Host *host
) {
  for (int64_t begin = 0; begin < matrix->n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, matrix->n_rows);
    for (int64_t label = first_label; label < end_label; label++) {
      const uint8_t *has = matrix->values + label * matrix->label_step;
      for (int64_t row = begin; row < end; row++) numbers[row] = 2 * numbers[row] + has[row * matrix->row_step];
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Number the label sets in order of first appearance; return how many there are, -1 if the host has failed.
 *
 * `codes` become the number of the set of each row, in memory of the call.
 */
static inline int64_t number_label_sets(const LabelMatrix *matrix, int64_t **codes, Host *host) {
  int64_t n_rows = matrix->n_rows, n_sets = -1;
  int64_t *numbers = host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof *numbers);
  *codes = numbers == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof **codes);
  if (*codes == NULL) return -1;
  memset(*codes, 0, (size_t)n_rows * sizeof **codes);
  for (int64_t first = 0; first < matrix->n_labels; first += LABELS_AT_ONCE) {
    const int64_t *distinct;
    int64_t *before = *codes;
    *codes = numbers;
    numbers = before;
    if (!append_labels(matrix, first, smaller(first + LABELS_AT_ONCE, matrix->n_labels), numbers, host)) return -1;
    n_sets = number_values(numbers, n_rows, *codes, &distinct, host);
    if (n_sets < 0) return -1;
  }
  return n_sets;
}

/* Fill the labels of each set, n_labels bytes of 0 and 1, and how many rows have it. */
static inline void fill_label_sets(const LabelMatrix *matrix, const int64_t *codes, uint8_t *sets, int64_t *counts) {
  int64_t n_found = 0, n_labels = matrix->n_labels;
  for (int64_t row = 0; row < matrix->n_rows; row++) {
    if (codes[row] < n_found) {
      counts[codes[row]] += 1;
      continue;
    }
    const uint8_t *has = matrix->values + row * matrix->row_step;
    for (int64_t label = 0; label < n_labels; label++) {
      sets[n_found * n_labels + label] = has[label * matrix->label_step];
    }
    counts[n_found++] = 1;
  }
}

#endif
