/* The cells of a table that are not positives, by rank.
 *
 * A cell is row * columns + column. The free cells, those that are not positives, have ranks 0, 1, ... in order of
 * their numbers. Before the j-th positive, counted from 0 in sorted order, there are positive[j] - j free cells. So the
 * free cell of rank u is u + j, where j is the number of positives with positive[j] - j <= u. A table of buckets of
 * ranks bounds j by two values: a search looks at one or two positives on average if they are spread evenly, and at the
 * binary logarithm of their number if they form blocks.
 */

#ifndef PYSTRAT_FREE_CELLS_H
#define PYSTRAT_FREE_CELLS_H

#include <stdint.h>

#include "prefetch.h"

typedef struct {
  const int64_t *positives; /* the caller's: sorted, all different, below the number of cells */
  int64_t n_positives;      /* at most 2^31 - 1 */
  int64_t count;            /* the free cells */
  int32_t *buckets;         /* the caller's: the number of positives whose free cells are all before a bucket */
  int64_t n_buckets;        /* without the last one, which is only the end */
  uint32_t shift;           /* a bucket has 2^shift ranks */
} FreeCells;

/* Begin the free cells of a table of 1 to 2^52 cells; the caller then sets `buckets`, of n_buckets + 1 numbers. */
static inline void init_free_cells(FreeCells *free, const int64_t *positives, int64_t n_positives, int64_t n_cells) {
  free->positives = positives;
  free->n_positives = n_positives;
  free->count = n_cells - n_positives;
  free->shift = 0;
  while ((free->count >> free->shift) > n_positives / 2) free->shift++;
  free->n_buckets = (free->count >> free->shift) + 1;
}

/* Fill in the buckets of the positives from `begin` to end - 1; the last positive's step fills in all that are left.
 *
 * `bucket` is the first bucket that is not filled in, 0 at first. Returns the bucket with which the next step begins.
 */
static inline int64_t fill_buckets(FreeCells *free, int64_t bucket, int64_t begin, int64_t end) {
  for (int64_t j = begin; j < end; j++) {
    while (bucket <= free->n_buckets && bucket <= (free->positives[j] - j) >> free->shift) {
      free->buckets[bucket++] = (int32_t)j;
    }
  }
  if (end == free->n_positives) {
    while (bucket <= free->n_buckets) free->buckets[bucket++] = (int32_t)end;
  }
  return bucket;
}

/* Turn ranks, from 0 to free->count - 1, into cells, in place. */
static inline void find_free_cells(const FreeCells *free, int64_t *ranks, int64_t count) {
  const int64_t *positives = free->positives;
  const int32_t *buckets = free->buckets;
  uint32_t shift = free->shift;
  int64_t first[BLOCK_SIZE];
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = count - begin < BLOCK_SIZE ? count : begin + BLOCK_SIZE;
    for (int64_t i = begin; i < end; i++) prefetch(&buckets[ranks[i] >> shift]);
    for (int64_t i = begin; i < end; i++) {
      int64_t place = buckets[ranks[i] >> shift];
      first[i - begin] = place;
      prefetch_beyond(positives, (size_t)place * sizeof(int64_t));
    }
    for (int64_t i = begin; i < end; i++) {
      int64_t rank = ranks[i];
      int64_t low = first[i - begin];
      int64_t high = buckets[(rank >> shift) + 1];
      while (high - low > 8) {
        int64_t middle = (low + high) >> 1;
        if (positives[middle] - middle <= rank) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      while (low < high && positives[low] - low <= rank) low++;
      ranks[i] = rank + low;
    }
  }
}

#endif
