/* R's sample.int(limit, count) of numbers up to 2^52, for many groups with different limits. */

#ifndef PYSTRAT_SUBSETS_H
#define PYSTRAT_SUBSETS_H

#include <stdint.h>

#include "hash_set.h"
#include "host.h"
#include "largest_numbers.h"
#include "permutation.h"
#include "random.h"
#include "stream.h"

/* Without replacement, R draws from a pool, or redraws repeated numbers if a limit is above LARGEST_COUNT, or above
 * this one and at most half of the numbers are drawn. */
enum { HASHED_FROM = 10000000 };

/* Draw numbers from first, first + 1, ..., first + limit - 1, with replacement. The limit is from 1 to 2^52. */
static inline void draw_indices_within(
    Generator *generator, int64_t first, int64_t limit, int64_t count, int64_t *drawn
) {
  draw_numbers(generator, (uint64_t)limit, count, drawn);
  for (int64_t i = 0; i < count; i++) drawn[i] += first;
}

/* Whether R draws `count` of `limit` numbers without a pool. */
static inline int is_hashed(int64_t limit, int64_t count) {
  return limit > LARGEST_COUNT || (limit > HASHED_FROM && 2 * count <= limit);
}

/* The scratch space of subsets, which several groups may share, one after another; and its sizes. */
typedef struct {
  int32_t *pool;    /* n_pool numbers 0, 1, ..., restored after each subset */
  uint32_t *places; /* n_places */
  int64_t *table;   /* n_table */
  int64_t n_pool, n_places, n_table;
} SubsetScratch;

/* Enlarge the scratch space, initially empty, so that it suffices for a subset of `count` of `limit` numbers, too. */
static inline void enlarge_subset_scratch(SubsetScratch *scratch, int64_t limit, int64_t count) {
  if (count == 0) return;
  if (is_hashed(limit, count)) {
    int64_t n_table = INT64_C(1) << hash_set_bits(count);
    if (n_table > scratch->n_table) scratch->n_table = n_table;
  } else {
    if (limit > scratch->n_pool) scratch->n_pool = limit;
    if (count > scratch->n_places) scratch->n_places = count;
  }
}

/* Draw those from `begin` to before `end` of `count` different numbers from first, first + 1, ..., first + limit - 1.
 *
 * They go to drawn[0], ..., drawn[end - begin - 1]. Consecutive steps go from 0 to `count`, which is at most `limit`.
 * Between the steps of a subset, nothing else may use the scratch space. If they are abandoned, the pool must be filled
 * again.
 */
static inline void draw_subset_within(
    Generator *generator, SubsetScratch *scratch, int64_t first, int64_t limit, int64_t count, int64_t begin,
    int64_t end, int64_t *drawn
) {
  if (begin >= end) return;
  if (is_hashed(limit, count)) {
    uint32_t bits = bits_below((uint64_t)limit);
    int table_bits = hash_set_bits(count);
    if (begin == 0) empty_hash_set(scratch->table, table_bits);
    while (begin < end) {
      int64_t number = (int64_t)index_below(generator, (uint64_t)limit, bits);
      if (!add_to_hash_set(scratch->table, table_bits, number)) continue;
      *drawn++ = first + number;
      begin++;
    }
    return;
  }
  uint32_t left = (uint32_t)(limit - begin);
  while (begin < end) {
    uint32_t *places = scratch->places + begin;
    uint32_t n_drawn = next_indices(generator, scratch->pool, left, (uint32_t)(end - begin), places);
    for (uint32_t i = 0; i < n_drawn; i++) drawn[i] = first + take_row(scratch->pool, places[i], --left);
    drawn += n_drawn;
    begin += n_drawn;
  }
  if (end < count) return;
  for (int64_t i = 0; i < count; i++) scratch->pool[scratch->places[i]] = (int32_t)scratch->places[i];
}

/* Make scratch space for subsets, in memory of the call; `scratch` has the sizes. */
static inline bool make_subset_scratch(SubsetScratch *scratch, Host *host) {
  scratch->pool = host->memory(host, FOR_THE_CALL, scratch->n_pool * (int64_t)sizeof *scratch->pool);
  scratch->places = host->memory(host, FOR_THE_CALL, scratch->n_places * (int64_t)sizeof *scratch->places);
  scratch->table = host->memory(host, FOR_THE_CALL, scratch->n_table * (int64_t)sizeof *scratch->table);
  if (scratch->pool == NULL || scratch->places == NULL || scratch->table == NULL) return false;
  fill_in_order(scratch->pool, (uint32_t)scratch->n_pool);
  return true;
}

/* Draw `count` of the numbers first, ..., first + limit - 1; without replacement if there is scratch space.
 *
 * `since` counts the numbers since the host was last asked whether to go on.
 */
static inline bool draw_within(
    Generator *generator, SubsetScratch *scratch, int64_t first, int64_t limit, int64_t count, int64_t *drawn,
    int64_t *since, Host *host
) {
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = smaller(begin + GO_ON_ROWS, count);
    if (scratch == NULL) {
      draw_indices_within(generator, first, limit, end - begin, drawn + begin);
    } else {
      draw_subset_within(generator, scratch, first, limit, count, begin, end, drawn + begin);
    }
    if (!may_go_on(since, end - begin, host)) return false;
  }
  return true;
}

#endif
