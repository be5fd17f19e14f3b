/* Rows drawn by weight from a sum tree: with replacement, from equal slices of the total, and without replacement.
 *
 * At least one weight is positive. A draw takes two outputs of the generator.
 */

#ifndef PYSTRAT_WEIGHTED_H
#define PYSTRAT_WEIGHTED_H

#include <stdint.h>

#include "hash_set.h"
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
 * draws, the tree is changed: rows that were drawn are removed from it until the draw ends. The tree must not be used
 * otherwise meanwhile.
 */
typedef struct {
  int64_t size;      /* from 1 to the number of positive weights */
  int32_t *rows;     /* `size` rows, the result */
  int64_t *table;    /* scratch: 2^hash_set_bits(size) numbers */
  int64_t *removed;  /* scratch: `size` rows that were removed from the tree */
  double *weights;   /* scratch: their `size` weights */
  int64_t n_drawn;   /* rows drawn so far */
  int64_t n_tries;   /* draws with replacement so far */
  int64_t n_removed; /* rows that are removed from the tree */
} DistinctDraw;

/* Begin a draw; the caller has set its other fields. */
static inline void begin_distinct(DistinctDraw *draw) {
  draw->n_drawn = draw->n_tries = draw->n_removed = 0;
  empty_hash_set(draw->table, hash_set_bits(draw->size));
}

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

/* Put all rows back into the tree. Call it to abandon a draw. */
static inline void put_back(SumTree *tree, DistinctDraw *draw) {
  double *leaves = leaves_of(tree);
  for (int64_t i = 0; i < draw->n_removed; i++) leaves[draw->removed[i]] = draw->weights[i];
  refresh_rows(tree, draw->removed, draw->n_removed);
  draw->n_removed = 0;
}

/* Continue a draw by at most at_most draws of single rows; return 1 if all its rows are drawn, else 0.
 *
 * Of these steps, only the last one leaves the tree as it was.
 */
static inline int draw_distinct(SumTree *tree, Generator *generator, DistinctDraw *draw, int64_t at_most) {
  double values[SUM_TREE_GROUP];
  int bits = hash_set_bits(draw->size);
  double scale = draw_scale(total_of(tree));
  double total = total_of(tree) * scale;
  while (at_most > 0 && draw->n_drawn < draw->size && draw->n_tries < 2 * draw->size) {
    int64_t wanted = draw->size - draw->n_drawn;
    int32_t *rows = draw->rows + draw->n_drawn;
    if (wanted > 2 * draw->size - draw->n_tries) wanted = 2 * draw->size - draw->n_tries;
    if (wanted > SUM_TREE_GROUP) wanted = SUM_TREE_GROUP;
    if (wanted > at_most) wanted = at_most;
    for (int i = 0; i < (int)wanted; i++) values[i] = rounded_product(next_uniform(generator), total);
    find_rows(tree, scale, values, wanted, rows);
    for (int i = 0; i < (int)wanted; i++) {
      if (add_to_hash_set(draw->table, bits, rows[i])) draw->rows[draw->n_drawn++] = rows[i];
    }
    draw->n_tries += wanted;
    at_most -= wanted;
  }
  for (; at_most > 0 && draw->n_drawn < draw->size; at_most--) {
    take_out(tree, draw);
    scale = draw_scale(total_of(tree));
    values[0] = rounded_product(next_uniform(generator), total_of(tree) * scale);
    find_rows(tree, scale, values, 1, &draw->rows[draw->n_drawn++]);
  }
  if (draw->n_drawn < draw->size) return 0;
  put_back(tree, draw);
  return 1;
}

#endif
