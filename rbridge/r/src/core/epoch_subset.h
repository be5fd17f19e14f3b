/* The examples of a dataset that an epoch visits: drawn with replacement, or taken in turn.
 *
 * Without replacement, they are the first that take_rows() of permutation.h takes out of a pool. All numbers of
 * examples are from 1 to 2^31 - 1. A function may be called repeatedly for the next examples: several calls give the
 * same as one. Rows are counted from `first_row`.
 */

#ifndef PYSTRAT_EPOCH_SUBSET_H
#define PYSTRAT_EPOCH_SUBSET_H

#include <stdint.h>

#include "prefetch.h"
#include "random.h"

/* Draw the next `count` of n_rows rows with replacement: R's sample.int(n_rows, count, replace = TRUE). */
static inline void draw_rows(
    Generator *generator, uint32_t n_rows, int32_t first_row, int64_t count, int32_t *rows
) {
  uint32_t bits = bits_below(n_rows);
  uint32_t indices[BLOCK_SIZE];
  for (int64_t done = 0; done < count;) {
    uint32_t wanted = count - done < BLOCK_SIZE ? (uint32_t)(count - done) : BLOCK_SIZE;
    draw_indices(generator, n_rows, 0, bits, wanted, indices);
    for (uint32_t i = 0; i < wanted; i++) rows[done + i] = (int32_t)indices[i] + first_row;
    done += wanted;
  }
}

/* Take rows in turn: every step-th row beginning with the first, then beginning with the second, and so on, cyclically,
 * where step is n_rows / sample, at least 1. An epoch takes the next `sample` rows after the epoch before it.
 *
 * Fill rows[begin], ..., rows[end - 1] of the epoch, where end is at most `sample`. The epoch is below 2^32.
 */
static inline void take_rows_in_turn(
    int64_t n_rows, int64_t sample, int64_t epoch, int32_t first_row, int64_t begin, int64_t end, int32_t *rows
) {
  int64_t step = n_rows > sample ? n_rows / sample : 1;
  int64_t shorter = n_rows / step;
  int64_t among_longer = n_rows % step * (shorter + 1); /* the first n_rows % step starts have one row more */
  int64_t taken = (epoch * sample % n_rows + begin) % n_rows;
  int64_t beyond = taken - among_longer;
  int64_t start = beyond < 0 ? taken / (shorter + 1) : n_rows % step + beyond / shorter;
  int64_t row = start + step * (beyond < 0 ? taken % (shorter + 1) : beyond % shorter);
  for (int64_t i = begin; i < end; i++) {
    rows[i] = (int32_t)row + first_row;
    row += step;
    if (row >= n_rows) {
      start = start + 1 < step ? start + 1 : 0;
      row = start;
    }
  }
}

#endif
