/* Pairs of a row and a column: lookup of positives, and batches of positives and negatives.
 *
 * A cell is row * columns + column. The number of a pair is twice its cell, plus one if it is a positive.
 */

#ifndef PYSTRAT_PAIRS_H
#define PYSTRAT_PAIRS_H

#include <stdint.h>

#include "prefetch.h"

/* Find which of `count` cells are positives: found[i] is 1 if cells[i] is one, else 0.
 *
 * The n_positives positives are sorted; those of row r of the table are at starts[r] to starts[r + 1] - 1.
 */
static inline void find_positives(
    const double *positives, int64_t n_positives, const int64_t *starts, int64_t n_columns, const int64_t *cells,
    int64_t count, uint8_t *found
) {
  int64_t rows[BLOCK_SIZE];
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = count - begin < BLOCK_SIZE ? count : begin + BLOCK_SIZE;
    for (int64_t i = begin; i < end; i++) {
      rows[i - begin] = cells[i] / n_columns;
      prefetch(&starts[rows[i - begin]]);
    }
    for (int64_t i = begin; i < end; i++) {
      int64_t low = starts[rows[i - begin]];
      int64_t high = starts[rows[i - begin] + 1];
      prefetch_beyond(positives, (size_t)((low + high) >> 1) * sizeof(double));
    }
    for (int64_t i = begin; i < end; i++) {
      int64_t low = starts[rows[i - begin]];
      int64_t high = starts[rows[i - begin] + 1];
      while (low < high) {
        int64_t middle = (low + high) >> 1;
        if (positives[middle] < (double)cells[i]) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      found[i] = low < n_positives && positives[low] == (double)cells[i];
    }
  }
}

/* Pairs that are dealt to batches in turn, positives first. The caller sets the fields up to `numbers`. */
typedef struct {
  const int32_t *order;     /* a permutation of the pairs, of which the first n_positives are positives */
  const double *positives;  /* n_positives cells */
  const int64_t *negatives; /* the cells of the other pairs */
  const int64_t *offsets;   /* n_batches + 1: where each batch begins; sizes differ by at most 1, larger first */
  int64_t n_positives;
  int64_t n_batches;
  int64_t *numbers;         /* the result: the numbers of the pairs, batch after batch */
  int64_t batches[2];       /* the batch of the next negative and of the next positive */
  int64_t places[2];        /* their places in these batches */
} Deal;

/* Begin a deal, whose fields up to `numbers` the caller has set. */
static inline void begin_deal(Deal *deal) {
  deal->batches[1] = deal->places[1] = 0;
  deal->batches[0] = deal->n_positives % deal->n_batches;
  deal->places[0] = deal->n_positives / deal->n_batches;
}

/* Deal the pairs order[begin], ..., order[end - 1]. Consecutive steps go from 0 to the number of pairs. */
static inline void deal_next_pairs(Deal *deal, int64_t begin, int64_t end) {
  const int32_t *order = deal->order;
  const int64_t *negatives = deal->negatives;
  const double *positives = deal->positives;
  const int64_t *offsets = deal->offsets;
  int64_t *numbers = deal->numbers;
  int64_t n_positives = deal->n_positives, n_batches = deal->n_batches;
  int64_t batches[2] = {deal->batches[0], deal->batches[1]};
  int64_t places[2] = {deal->places[0], deal->places[1]};
  for (int64_t block_end; begin < end; begin = block_end) {
    block_end = end - begin < BLOCK_SIZE ? end : begin + BLOCK_SIZE;
    for (int64_t i = begin; i < block_end; i++) {
      if (order[i] < n_positives) {
        prefetch(&positives[order[i]]);
      } else {
        prefetch(&negatives[order[i] - n_positives]);
      }
    }
    for (int64_t i = begin; i < block_end; i++) {
      int label = order[i] < n_positives;
      int64_t number = label ? 2 * (int64_t)positives[order[i]] + 1 : 2 * negatives[order[i] - n_positives];
      numbers[offsets[batches[label]] + places[label]] = number;
      if (++batches[label] == n_batches) {
        batches[label] = 0;
        places[label]++;
      }
    }
  }
  for (int label = 0; label < 2; label++) {
    deal->batches[label] = batches[label];
    deal->places[label] = places[label];
  }
}

/* Write the numbers of the positives order[begin], ..., order[end - 1], each followed by those of its own negatives.
 *
 * Positive p has the negatives[p * per_positive], ..., negatives[(p + 1) * per_positive - 1]. Place i of the order has
 * the numbers from numbers[i * (per_positive + 1)] on.
 */
static inline void write_groups(
    const int32_t *order, const double *positives, const int64_t *negatives, int64_t per_positive, int64_t begin,
    int64_t end, int64_t *numbers
) {
  for (int64_t block_end; begin < end; begin = block_end) {
    block_end = end - begin < BLOCK_SIZE ? end : begin + BLOCK_SIZE;
    for (int64_t i = begin; i < block_end; i++) {
      prefetch(&positives[order[i]]);
      prefetch(&negatives[order[i] * per_positive]);
    }
    for (int64_t i = begin; i < block_end; i++) {
      const int64_t *of_positive = negatives + order[i] * per_positive;
      int64_t *group = numbers + i * (per_positive + 1);
      group[0] = 2 * (int64_t)positives[order[i]] + 1;
      for (int64_t j = 0; j < per_positive; j++) group[j + 1] = 2 * of_positive[j];
    }
  }
}

#endif
