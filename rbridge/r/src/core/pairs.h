/* Pairs of a row and a column: lookup of positives, and batches of positives and negatives.
 *
 * A cell is row * columns + column. The number of a pair is twice its cell, plus one if it is a positive.
 */

#ifndef PYSTRAT_PAIRS_H
#define PYSTRAT_PAIRS_H

#include <stdint.h>

#include "host.h"
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

/* Pairs that are dealt to batches in turn, positives first. */
typedef struct {
  const int32_t *order;     /* a permutation of the pairs, of which the first n_positives are positives */
  const double *positives;  /* n_positives cells */
  const int64_t *negatives; /* the cells of the other pairs */
  const int64_t *offsets;   /* n_batches + 1: where each batch begins; sizes differ by at most 1, larger first */
  int64_t n_pairs, n_positives, n_batches;
} Deal;

/* Fill the numbers of the pairs, batch after batch. */
static inline bool deal_pairs(const Deal *deal, int64_t *numbers, Host *host) {
  const int32_t *order = deal->order;
  const int64_t *negatives = deal->negatives, *offsets = deal->offsets;
  const double *positives = deal->positives;
  int64_t n_positives = deal->n_positives, n_batches = deal->n_batches, since = 0;
  int64_t batches[2] = {n_positives % n_batches, 0}; /* of the next negative and of the next positive, */
  int64_t places[2] = {n_positives / n_batches, 0};  /* and their places in these batches */
  for (int64_t begin = 0, end; begin < deal->n_pairs; begin = end) {
    end = smaller(begin + BLOCK_SIZE, deal->n_pairs);
    for (int64_t i = begin; i < end; i++) {
      if (order[i] < n_positives) {
        prefetch(&positives[order[i]]);
      } else {
        prefetch(&negatives[order[i] - n_positives]);
      }
    }
    for (int64_t i = begin; i < end; i++) {
      int label = order[i] < n_positives;
      int64_t number = label ? 2 * (int64_t)positives[order[i]] + 1 : 2 * negatives[order[i] - n_positives];
      numbers[offsets[batches[label]] + places[label]] = number;
      if (++batches[label] == n_batches) {
        batches[label] = 0;
        places[label]++;
      }
    }
    if (!may_go_on(&since, end - begin, host)) return false;
  }
  return true;
}

/* Write the numbers of `count` positives in an order, each followed by those of its own negatives.
 *
 * Positive p has the negatives[p * per_positive], ..., negatives[(p + 1) * per_positive - 1].
 */
static inline bool write_groups(
    const int32_t *order, const double *positives, const int64_t *negatives, int64_t per_positive, int64_t count,
    int64_t *numbers, Host *host
) {
  int64_t since = 0;
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = smaller(begin + BLOCK_SIZE, count);
    for (int64_t i = begin; i < end; i++) {
      prefetch(&positives[order[i]]);
      prefetch(&negatives[order[i] * per_positive]);
    }
    for (int64_t i = begin; i < end; i++) {
      const int64_t *of_positive = negatives + order[i] * per_positive;
      *numbers++ = 2 * (int64_t)positives[order[i]] + 1;
      for (int64_t j = 0; j < per_positive; j++) *numbers++ = 2 * of_positive[j];
    }
    if (!may_go_on(&since, (end - begin) * (per_positive + 1), host)) return false;
  }
  return true;
}

#endif
