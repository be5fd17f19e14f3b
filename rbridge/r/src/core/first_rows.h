/* The vectors of the state of a new sampler. */

#ifndef PYSTRAT_FIRST_ROWS_H
#define PYSTRAT_FIRST_ROWS_H

#include "row_ranks.h"

/* What the vectors of a new sampler hold. */
typedef struct {
  const double *values; /* weights, or priorities, of the first rows */
  int64_t n_rows, next_position;
  double n_added;   /* rows that were ever added */
  double largest;   /* the largest priority that was ever set, or -1 */
  bool are_checked; /* the values are finite and not negative */
} FirstRows;

static inline bool fill_weights(RowWeights *rows, const FirstRows *first, Host *host) {
  for (int64_t begin = 0; begin < first->n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, first->n_rows);
    bool are_right = first->are_checked || check_row_weights(rows->weighing->name, first->values, begin, end, host);
    if (!are_right) return false;
    fill_rows(&rows->tree, first->values, begin, end);
    if (!host->go_on(host)) return false;
  }
  return !overflows(&rows->tree) || refuse_sum(host, rows->weighing->name);
}

static inline bool fill_ranks(RowWeights *rows, const FirstRows *first, Host *host) {
  const RowWeighing *weighing = rows->weighing;
  int64_t n_rows = first->n_rows;
  KeySort sort;
  if (!first->are_checked && !check_all_weights(weighing->name, first->values, n_rows, host)) return false;
  if (!begin_key_sort(&sort, n_rows, host)) return false;
  for (int64_t row = 0; row < n_rows; row++) {
    rows->ranking.keys[row] = first->values[row];
    sort.keys[row] = key_of(first->values[row]);
  }
  if (!sort_rows(&sort, n_rows, host)) return false;
  rank_in_order(&rows->ranking, sort.order, n_rows);
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_rows);
    weigh_ranks(begin, end - begin, weighing->alpha, leaves_of(&rows->tree) + begin);
    refresh_range(&rows->tree, begin, end);
    if (!host->go_on(host)) return false;
  }
  rows->tree.n_positive = n_rows;
  return true;
}

/* Fill the vectors of the state, which are in memory of the host: a head and numbers each. Without ranks, `priorities`
 * and `ranking` are NULL.
 */
static inline bool fill_row_weights(
    const RowWeighing *weighing, const FirstRows *first, double *tree, double *priorities, int32_t *ranking,
    RowWeights *rows, Host *host
) {
  int64_t capacity = weighing->capacity, n_sums = sum_tree_length(capacity), n_numbers = n_tree_numbers(weighing);
  if (priorities != NULL && ranking != NULL) {
    memset(priorities, 0, (size_t)capacity * sizeof *priorities);
    memset(ranking, 0, (size_t)(RANKING_HEAD + n_ranking_numbers(capacity)) * sizeof *ranking);
    ranking[N_BLOCKS] = 1;
  }
  memset(tree, 0, (size_t)(TREE_HEAD + n_sums) * sizeof *tree);
  for (int64_t i = n_sums; i < n_numbers; i++) tree[TREE_HEAD + i] = INFINITY;
  tree[CAPACITY] = (double)capacity;
  tree[KEEPS_LEAST] = weighing->keeps_least;
  tree[N_ROWS] = (double)first->n_rows;
  tree[NEXT_POSITION] = (double)first->next_position;
  tree[LARGEST] = first->largest;
  tree[N_ADDED] = first->n_added;
  *rows = (RowWeights){.weighing = weighing};
  lay_vectors(rows, tree, priorities, ranking);
  if (!(weighing->is_ranked ? fill_ranks(rows, first, host) : fill_weights(rows, first, host))) return false;
  write_heads(rows);
  return true;
}

/* Make the vectors of the state. */
static inline bool begin_row_weights(
    const RowWeighing *weighing, const FirstRows *first, RowWeights *rows, Host *host
) {
  int64_t capacity = weighing->capacity;
  double *tree = host->vector(host, "tree", DOUBLES, TREE_HEAD + n_tree_numbers(weighing)), *priorities = NULL;
  int32_t *ranking = NULL;
  if (tree == NULL) return false;
  if (weighing->is_ranked) {
    priorities = host->vector(host, "priorities", DOUBLES, capacity);
    int64_t n_ranking = RANKING_HEAD + n_ranking_numbers(capacity);
    ranking = priorities == NULL ? NULL : host->vector(host, "ranking", INTEGERS, n_ranking);
    if (ranking == NULL) return false;
  }
  return fill_row_weights(weighing, first, tree, priorities, ranking, rows, host);
}

#endif
