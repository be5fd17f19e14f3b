/* The sum tree: weights of rows and their sums, in a tree that follows changes of the weights.
 *
 * The leaves are the weights, eight per node, padded with zeros. A node's eight numbers fill a cache line, and their
 * sum is one of the eight numbers of a node of the level above, up to a single node. A sum is always computed from its
 * eight parts, in the same order, so a tree is bit for bit the one that is built from its leaves.
 *
 * All numbers of a tree are in one vector of the caller's, and in a second one if the least positive weight is tracked.
 * A SumTree is the layout of these vectors, made by init_sum_tree(). Access is fastest if they begin at a multiple of
 * 64 bytes.
 */

#ifndef PYSTRAT_SUM_TREE_H
#define PYSTRAT_SUM_TREE_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "prefetch.h"

enum {
  SUM_TREE_FAN = 8,
  SUM_TREE_LEVELS = 12, /* 8^11 exceeds 2^31 */
  SUM_TREE_GROUP = 32   /* descents side by side, so that their memory is prefetched before it is needed */
};

typedef struct {
  double *sums;       /* the root's numbers first, the weights last */
  double *least;      /* like `sums`, for least positive weights and without the leaves; NULL if they are not tracked */
  int64_t n_rows;     /* the rows that the tree has room for, from 1 to 2^31 - 1 */
  int64_t n_positive; /* rows whose weight is above 0 */
  int n_levels;
  int64_t begins[SUM_TREE_LEVELS]; /* the beginning of the numbers of each level; level 0 are the leaves */
  int64_t sizes[SUM_TREE_LEVELS];  /* their number, without the padding */
} SumTree;

/* Lay out the levels of a tree of n_rows rows; return the number of its `sums`. */
static inline int64_t lay_out_levels(SumTree *tree, int64_t n_rows) {
  int64_t size = n_rows;
  tree->n_rows = n_rows;
  tree->n_levels = 0;
  do {
    tree->sizes[tree->n_levels++] = size;
    size = (size + SUM_TREE_FAN - 1) / SUM_TREE_FAN;
  } while (size > 1);
  int64_t begin = 0;
  for (int level = tree->n_levels - 1; level >= 0; level--) {
    tree->begins[level] = begin;
    begin += (tree->sizes[level] + SUM_TREE_FAN - 1) / SUM_TREE_FAN * SUM_TREE_FAN;
  }
  return begin;
}

/* The number of `sums` of a tree. */
static inline int64_t sum_tree_length(int64_t n_rows) {
  SumTree layout;
  return lay_out_levels(&layout, n_rows);
}

/* The number of `least` of a tree; 0 if the tree has a single node, which needs none. */
static inline int64_t sum_tree_least_length(int64_t n_rows) {
  SumTree layout;
  lay_out_levels(&layout, n_rows);
  return layout.begins[0];
}

/* Lay a tree over the caller's vectors, which are used and not copied.
 *
 * They hold a tree of n_positive positive weights, or only zeros in `sums` and INFINITY in `least`, which is a tree of
 * zero weights. `least` is NULL if it is not tracked or its length is 0.
 */
static inline void init_sum_tree(SumTree *tree, int64_t n_rows, double *sums, double *least, int64_t n_positive) {
  lay_out_levels(tree, n_rows);
  tree->sums = sums;
  tree->least = least;
  tree->n_positive = n_positive;
}

/* The weights, of which there are n_rows. */
static inline double *leaves_of(const SumTree *tree) { return tree->sums + tree->begins[0]; }

static inline double sum_of(const double *parts) {
  return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

static inline double least_of(const double *parts) {
  double least = parts[0];
  for (int i = 1; i < SUM_TREE_FAN; i++) least = parts[i] < least ? parts[i] : least;
  return least;
}

static inline double least_positive_of(const double *parts) {
  double least = INFINITY;
  for (int i = 0; i < SUM_TREE_FAN; i++) least = 0 < parts[i] && parts[i] < least ? parts[i] : least;
  return least;
}

/* The sum of the weights, as stored in the tree. Weights whose sum overflows have no tree. */
static inline double total_of(const SumTree *tree) { return sum_of(tree->sums); }

static inline int overflows(const SumTree *tree) { return total_of(tree) > DBL_MAX; }

/* The least positive weight, INFINITY if there is none, of a tree that tracks it or has a single node. */
static inline double least_weight_of(const SumTree *tree) {
  return tree->least != NULL ? least_of(tree->least) : least_positive_of(tree->sums);
}

/* The place from `begin` to end - 1 of the first weight that is negative, infinite or NaN, or -1. */
static inline int64_t first_wrong_weight(const double *weights, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++) {
    if (!(0 <= weights[i] && weights[i] <= DBL_MAX)) return i;
  }
  return -1;
}

/* Compute one number of a level above the leaves. */
static inline void refresh_node(SumTree *tree, int level, int64_t node) {
  int64_t below = tree->begins[level - 1] + node * SUM_TREE_FAN;
  int64_t place = tree->begins[level] + node;
  tree->sums[place] = sum_of(tree->sums + below);
  if (tree->least == NULL) return;
  tree->least[place] = level == 1 ? least_positive_of(tree->sums + below) : least_of(tree->least + below);
}

/* Compute all numbers above the rows from `begin` to end - 1, at least one row. */
static inline void refresh_range(SumTree *tree, int64_t begin, int64_t end) {
  int64_t last = end - 1;
  for (int level = 1; level < tree->n_levels; level++) {
    begin /= SUM_TREE_FAN;
    last /= SUM_TREE_FAN;
    for (int64_t node = begin; node <= last; node++) refresh_node(tree, level, node);
  }
}

/* Compute all numbers above some rows, level by level. */
static inline void refresh_rows(SumTree *tree, const int64_t *rows, int64_t count) {
  int shift = 0;
  for (int level = 1; level < tree->n_levels; level++) {
    shift += 3;
    if (tree->sizes[level] <= count) {
      for (int64_t node = 0; node < tree->sizes[level]; node++) refresh_node(tree, level, node);
      continue;
    }
    int64_t previous = -1;
    for (int64_t i = 0; i < count; i++) {
      int64_t node = rows[i] >> shift;
      if (node != previous) refresh_node(tree, level, node);
      previous = node;
    }
  }
}

/* Set the weights of the rows from `begin` to end - 1, which were zero, to weights[begin], ..., weights[end - 1].
 *
 * The caller has checked the weights, and checks whether the tree overflows after the last of all steps.
 */
static inline void fill_rows(SumTree *tree, const double *weights, int64_t begin, int64_t end) {
  if (begin >= end) return;
  double *leaves = leaves_of(tree);
  int64_t n_positive = 0;
  for (int64_t row = begin; row < end; row++) {
    leaves[row] = weights[row] + 0.0; /* no -0 */
    n_positive += leaves[row] > 0;
  }
  tree->n_positive += n_positive;
  refresh_range(tree, begin, end);
}

/* Set the weight of rows[i] to weights[i] for i from `begin` to end - 1; for a repeated row, the last weight counts.
 *
 * The caller has checked rows and weights. If the tree overflows after the last of all steps, undo_updates() undoes
 * them. `previous`, which has as many places as `weights`, stores the previous weights for it.
 */
static inline void update_rows(
    SumTree *tree, const int64_t *rows, const double *weights, int64_t begin, int64_t end, double *previous
) {
  double *leaves = leaves_of(tree);
  for (int64_t i = begin; i < end; i++) prefetch(&leaves[rows[i]]);
  for (int64_t i = begin; i < end; i++) {
    previous[i] = leaves[rows[i]];
    leaves[rows[i]] = weights[i] + 0.0; /* no -0 */
    tree->n_positive += (weights[i] > 0) - (previous[i] > 0);
  }
  refresh_rows(tree, rows + begin, end - begin);
}

/* Undo update_rows(). Its last step is undone first. */
static inline void undo_updates(
    SumTree *tree, const int64_t *rows, const double *previous, int64_t begin, int64_t end
) {
  double *leaves = leaves_of(tree);
  for (int64_t i = end - 1; i >= begin; i--) {
    tree->n_positive += (previous[i] > 0) - (leaves[rows[i]] > 0);
    leaves[rows[i]] = previous[i];
  }
  refresh_rows(tree, rows + begin, end - begin);
}

/* The child that contains a value. The value is replaced by its distance from the beginning of the child.
 *
 * The sums run from left to right, so a value below a running sum is in a child that is not zero. Only a value beyond
 * all seven of them, by rounding, can meet a zero in the last child; the child before gets it.
 */
static inline int64_t child_at(const double *parts, double *value) {
  double at = *value;
  /* Separate variables, and no loop, keep the compiler from reading in pairs what was just written one by one. */
  double sum1 = parts[0];
  double sum2 = sum1 + parts[1];
  double sum3 = sum2 + parts[2];
  double sum4 = sum3 + parts[3];
  double sum5 = sum4 + parts[4];
  double sum6 = sum5 + parts[5];
  double sum7 = sum6 + parts[6];
  double before[SUM_TREE_FAN];
  int64_t child =
      (at >= sum1) + (at >= sum2) + (at >= sum3) + (at >= sum4) + (at >= sum5) + (at >= sum6) + (at >= sum7);
  before[0] = 0;
  before[1] = sum1;
  before[2] = sum2;
  before[3] = sum3;
  before[4] = sum4;
  before[5] = sum5;
  before[6] = sum6;
  before[7] = sum7;
  while (parts[child] == 0 && child > 0) child--;
  *value = at - before[child];
  return child;
}

/* The factor of a draw from weights with a positive total: a power of 2, so that multiplying by it is exact.
 *
 * It is 1, unless the total is so small that its product with a uniform number would have fewer digits than that
 * number.
 */
static inline double draw_scale(double total) { return total < 1e-300 ? 0x1p600 : 1; }

/* Like child_at(), with parts that are multiplied by a factor. */
static inline int64_t scaled_child_at(const double *parts, double scale, double *value) {
  double scaled[SUM_TREE_FAN];
  for (int i = 0; i < SUM_TREE_FAN; i++) scaled[i] = parts[i] * scale;
  return child_at(scaled, value);
}

/* Like find_rows(), with a scale that is not 1. */
static inline void find_scaled_rows(
    const SumTree *tree, double scale, double *values, int64_t count, int32_t *rows
) {
  for (int64_t i = 0; i < count; i++) {
    int64_t place = 0;
    for (int level = tree->n_levels - 1; level >= 0; level--) {
      int64_t node = place * SUM_TREE_FAN;
      place = node + scaled_child_at(tree->sums + tree->begins[level] + node, scale, &values[i]);
    }
    rows[i] = (int32_t)place;
  }
}

/* Find the rows in whose shares of the total some values lie. Values and total are those of the tree times `scale`, the
 * draw_scale() of the total. The values are modified. At least one weight is positive.
 */
static inline void find_rows(const SumTree *tree, double scale, double *values, int64_t count, int32_t *rows) {
  if (scale > 1) {
    find_scaled_rows(tree, scale, values, count, rows);
    return;
  }
  int64_t places[SUM_TREE_GROUP];
  for (int64_t first = 0; first < count;) {
    int wanted = count - first < SUM_TREE_GROUP ? (int)(count - first) : SUM_TREE_GROUP;
    for (int i = 0; i < wanted; i++) places[i] = 0;
    for (int level = tree->n_levels - 1; level > 0; level--) {
      const double *numbers = tree->sums + tree->begins[level];
      const double *below = tree->sums + tree->begins[level - 1];
      for (int i = 0; i < wanted; i++) {
        int64_t node = places[i] * SUM_TREE_FAN;
        places[i] = node + child_at(numbers + node, &values[first + i]);
        prefetch(below + places[i] * SUM_TREE_FAN);
      }
    }
    const double *leaves = leaves_of(tree);
    for (int i = 0; i < wanted; i++) {
      int64_t node = places[i] * SUM_TREE_FAN;
      rows[first + i] = (int32_t)(node + child_at(leaves + node, &values[first + i]));
    }
    first += wanted;
  }
}

#endif
