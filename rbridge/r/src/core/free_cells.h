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

#include "host.h"
#include "prefetch.h"

enum { SEARCH_WIDTH = 8 }; /* positives that are compared one by one */

typedef struct {
  const double *positives; /* the caller's: sorted, all different, below the number of cells */
  int64_t n_positives;     /* at most 2^31 - 1 */
  int64_t count;           /* the free cells */
  int32_t *buckets;        /* the number of positives whose free cells are all before a bucket */
  int64_t n_buckets;       /* without the last one, which is only the end */
  uint32_t shift;          /* a bucket has 2^shift ranks */
} FreeCells;

/* Begin the free cells of a table of 1 to 2^52 cells, with memory of the instance; zeros at first. */
static inline bool index_free_cells(
    FreeCells *free, const double *positives, int64_t n_positives, int64_t n_cells, Host *host
) {
  free->positives = positives;
  free->n_positives = n_positives;
  free->count = n_cells - n_positives;
  while ((free->count >> free->shift) > n_positives / 2) free->shift++;
  free->n_buckets = (free->count >> free->shift) + 1;
  free->buckets = lasting_memory(free->buckets, (free->n_buckets + 1) * (int64_t)sizeof *free->buckets, host);
  if (free->buckets == NULL) return false;
  int64_t bucket = 0;
  for (int64_t j = 0; j < n_positives; j++) {
    int64_t last = ((int64_t)positives[j] - j) >> free->shift;
    while (bucket <= last) free->buckets[bucket++] = (int32_t)j;
    if (!go_on_after(j, host)) return false;
  }
  while (bucket <= free->n_buckets) free->buckets[bucket++] = (int32_t)n_positives;
  return true;
}

/* The positives before the free cell of a rank, among at most SEARCH_WIDTH from `low` on. Those from `high` on are not.
 *
 * All are compared where the vector has as many, since that takes less time than to stop at the right one.
 */
static inline int64_t count_positives_before(const FreeCells *free, int64_t low, int64_t high, int64_t rank) {
  const double *positives = free->positives + low;
  double first = (double)(rank + low);
  int count = (int)(high - low), found = 0;
  if (low + SEARCH_WIDTH <= free->n_positives) {
    for (int i = 0; i < SEARCH_WIDTH; i++) found += positives[i] <= first + i;
  } else {
    for (int i = 0; i < count; i++) found += positives[i] <= first + i;
  }
  return found;
}

/* Turn ranks, from 0 to free->count - 1, into cells, in place. */
static inline bool find_free_cells(const FreeCells *free, int64_t *ranks, int64_t count, Host *host) {
  const double *positives = free->positives;
  const int32_t *buckets = free->buckets;
  uint32_t shift = free->shift;
  int64_t first[BLOCK_SIZE], since = 0;
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = count - begin < BLOCK_SIZE ? count : begin + BLOCK_SIZE;
    for (int64_t i = begin; i < end; i++) prefetch(&buckets[ranks[i] >> shift]);
    for (int64_t i = begin; i < end; i++) {
      int64_t place = buckets[ranks[i] >> shift];
      first[i - begin] = place;
      prefetch_beyond(positives, (size_t)place * sizeof(double));
    }
    for (int64_t i = begin; i < end; i++) {
      int64_t rank = ranks[i];
      int64_t low = first[i - begin];
      int64_t high = buckets[(rank >> shift) + 1];
      while (high - low > SEARCH_WIDTH) {
        int64_t middle = (low + high) >> 1;
        if (positives[middle] <= (double)(rank + middle)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      ranks[i] = rank + low + count_positives_before(free, low, high, rank);
    }
    if (!may_go_on(&since, end - begin, host)) return false;
  }
  return true;
}

#endif
