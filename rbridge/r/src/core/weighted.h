/* Rows drawn by weight from a sum tree: with replacement, from equal slices of the total, and without replacement.
 *
 * At least one weight is positive. A draw takes two outputs of the generator.
 */

#ifndef PYSTRAT_WEIGHTED_H
#define PYSTRAT_WEIGHTED_H

#include <stdint.h>

#include "hash_set.h"
#include "host.h"
#include "random.h"
#include "rounding.h"
#include "sum_tree.h"

/* Draw the next `count` rows with replacement. */
static inline void draw_by_weight(const SumTree *tree, Generator *generator, int64_t count, int32_t *rows) {
  double values[SUM_TREE_GROUP];
  double scale = draw_scale(total_of(tree));
  double total = total_of(tree) * scale;
  for (int64_t done = 0; done < count;) {
    int wanted = count - done < SUM_TREE_GROUP ? (int)(count - done) : SUM_TREE_GROUP;
    for (int i = 0; i < wanted; i++) values[i] = rounded_product(next_uniform(generator), total);
    find_rows(tree, scale, values, wanted, rows + done);
    done += wanted;
  }
}

/* Draw rows[begin], ..., rows[end - 1] of batches of `size` rows: a row from each of `size` equal slices of the total.
 *
 * The rows of a batch are in the order of their slices.
 */
static inline void draw_from_slices(
    const SumTree *tree, Generator *generator, int64_t size, int64_t begin, int64_t end, int32_t *rows
) {
  double values[SUM_TREE_GROUP];
  double scale = draw_scale(total_of(tree));
  double total = total_of(tree) * scale;
  for (int64_t done = begin; done < end;) {
    int wanted = end - done < SUM_TREE_GROUP ? (int)(end - done) : SUM_TREE_GROUP;
    for (int i = 0; i < wanted; i++) values[i] = next_uniform(generator);
    for (int i = 0; i < wanted; i++) {
      double share = ((double)((done + i) % size) + values[i]) / (double)size;
      values[i] = rounded_product(share, total);
    }
    find_rows(tree, scale, values, wanted, rows + done);
    done += wanted;
  }
}

/* A draw without replacement: each row by its share of what the previous rows have left.
 *
 * First, rows are drawn with replacement and repeated ones rejected. If that did not give all rows after 2 * size
 * draws, the tree is changed: rows that were drawn are removed from it until the draw ends.
 */
typedef struct {
  int64_t size;      /* from 1 to the number of positive weights */
  int32_t *rows;     /* `size` rows, the result */
  int64_t *table;    /* scratch: 2^hash_set_bits(size) numbers */
  int64_t *removed;  /* scratch: `size` rows that were removed from the tree */
  double *weights;   /* scratch: their `size` weights */
  int64_t n_drawn;   /* rows drawn so far */
  int64_t n_removed; /* rows that are removed from the tree */
} DistinctDraw;

/* Remove the rows that were drawn from the tree, unless they are removed already. */
static inline void take_out(SumTree *tree, DistinctDraw *draw) {
  double *leaves = leaves_of(tree);
  int64_t first = draw->n_removed;
  for (int64_t i = first; i < draw->n_drawn; i++) {
    int32_t row = draw->rows[i];
    draw->removed[i] = row;
    draw->weights[i] = leaves[row];
    leaves[row] = 0;
  }
  draw->n_removed = draw->n_drawn;
  refresh_rows(tree, draw->removed + first, draw->n_drawn - first);
}

/* Put all rows back into the tree. */
static inline void put_back(SumTree *tree, const DistinctDraw *draw) {
  double *leaves = leaves_of(tree);
  for (int64_t i = 0; i < draw->n_removed; i++) leaves[draw->removed[i]] = draw->weights[i];
  refresh_rows(tree, draw->removed, draw->n_removed);
}

/* Draw rows with replacement, at most 2 * size times, until there are `size` different ones. */
static inline bool draw_and_reject(const SumTree *tree, Generator *generator, DistinctDraw *draw, Host *host) {
  double values[SUM_TREE_GROUP];
  int bits = hash_set_bits(draw->size);
  double scale = draw_scale(total_of(tree));
  double total = total_of(tree) * scale;
  int64_t left = 2 * draw->size, since = 0;
  empty_hash_set(draw->table, bits);
  while (draw->n_drawn < draw->size && left > 0) {
    int32_t *rows = draw->rows + draw->n_drawn;
    int wanted = (int)smaller(smaller(draw->size - draw->n_drawn, left), SUM_TREE_GROUP);
    for (int i = 0; i < wanted; i++) values[i] = rounded_product(next_uniform(generator), total);
    find_rows(tree, scale, values, wanted, rows);
    for (int i = 0; i < wanted; i++) {
      if (add_to_hash_set(draw->table, bits, rows[i])) draw->rows[draw->n_drawn++] = rows[i];
    }
    left -= wanted;
    if (!may_go_on(&since, wanted, host)) return false;
  }
  return true;
}

/* Draw `size` different rows; the caller has set these fields and scratch. The tree is as before, also after an
 * interrupt.
 */
static inline bool draw_distinct(SumTree *tree, Generator *generator, DistinctDraw *draw, Host *host) {
  draw->n_drawn = draw->n_removed = 0;
  bool goes_on = draw_and_reject(tree, generator, draw, host);
  for (int64_t i = 0; goes_on && draw->n_drawn < draw->size; i++) {
    take_out(tree, draw);
    double scale = draw_scale(total_of(tree));
    double value = rounded_product(next_uniform(generator), total_of(tree) * scale);
    find_rows(tree, scale, &value, 1, &draw->rows[draw->n_drawn++]);
    goes_on = go_on_after(i, host);
  }
  put_back(tree, draw);
  return goes_on;
}

#endif
