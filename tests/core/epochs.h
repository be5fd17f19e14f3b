/* Epochs by the core, in steps: the order of all rows, and their scatter by codes of a width. */

#ifndef PYSTRAT_EPOCHS_H
#define PYSTRAT_EPOCHS_H

#include <stdbool.h>
#include <string.h>

#include "by_width.h"
#include "check.h"
#include "numbering.h"
#include "permutation.h"
#include "random.h"

/* Draw the order of all rows by a seed. */
static inline void draw_order(int64_t n_rows, uint32_t seed, int32_t *order) {
  int32_t *pool = new_array(n_rows, sizeof *pool);
  Generator generator;
  seed_generator(&generator, seed);
  fill_in_order(pool, (uint32_t)n_rows);
  take_rows(&generator, pool, (uint32_t)n_rows, (uint32_t)n_rows, order);
  free(pool);
}

/* What every epoch scatters rows by. */
typedef struct {
  int64_t n_rows, n_codes;
  const int64_t *codes;  /* of each row; the last one may be written as -1 */
  const int64_t *starts; /* n_codes: where the ranks of each begin in the layout */
  const int32_t *layout; /* n_rows */
  bool is_shuffled;
} Scatter;

/* Fill the rows of an epoch, counted from first_row, by codes of code_bytes bytes, in steps of `step` rows. */
static inline void scatter_rows(
    const Scatter *scatter, uint32_t seed, int code_bytes, int32_t first_row, uint32_t step, int32_t *rows
) {
  void *codes = new_array(scatter->n_rows, (size_t)code_bytes);
  int64_t *counts = new_zeros(scatter->n_codes);
  int64_t *cursors = new_array(scatter->n_codes, sizeof *cursors);
  compact_codes(scatter->codes, 0, scatter->n_rows, scatter->n_codes, code_bytes, codes, counts);
  memcpy(cursors, scatter->starts, (size_t)scatter->n_codes * sizeof *cursors);
  Epoch epoch = {code_bytes, codes, cursors, scatter->layout, first_row, rows};
  uint32_t n_rows = (uint32_t)scatter->n_rows;
  if (scatter->is_shuffled) {
    int32_t *pool = new_array(n_rows, sizeof *pool);
    Generator generator;
    seed_generator(&generator, seed);
    fill_in_order(pool, n_rows);
    for (uint32_t left = n_rows; left > 0;) left = scatter_permutation(&epoch, &generator, pool, left, step);
    free(pool);
  } else {
    for (uint32_t begin = 0; begin < n_rows;) {
      uint32_t end = n_rows - begin > step ? begin + step : n_rows;
      scatter_in_order(&epoch, begin, end);
      begin = end;
    }
  }
  free(codes);
  free(counts);
  free(cursors);
}

#endif
