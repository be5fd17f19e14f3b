/* The weights of the options of a tree's nodes: declared numbers, sums over the rows below a node, columns of rows. */

#ifndef PYSTRAT_TREE_WEIGHTS_H
#define PYSTRAT_TREE_WEIGHTS_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "tree.h"
#include "tree_nodes.h"

static const double LEAST_TOTAL = 1e-300; /* of weights; below it, their products with uniforms would lose digits */

enum { NO_WEIGHT = 0, FIXED_WEIGHT = 1, SUM_OF_ROWS = 2, COUNT_OF_ROWS = 3 };

/* The weights of a declared node. */
typedef struct {
  int form;                  /* of its weight among its siblings */
  int mode;                  /* how it draws, as in tree.h */
  double weight;             /* of FIXED_WEIGHT */
  const double *summed;      /* of SUM_OF_ROWS: a number for each row of the table */
  const double *row_weights; /* of a leaf: a number for each row of the table; NULL if rows are equally likely */
  bool matter;               /* set by find_weighted(): whether the weights of its options matter */
} WeightDeclaration;

/* How weighing ends. The last two are refusals of the table or of the declaration. */
enum { WEIGHTS_FAILED, WEIGHTS_FOUND, NUMBER_REFUSED, TOTAL_REFUSED };

typedef struct {
  const NodeDeclaration *declared; /* n_declared, from which the nodes were built */
  WeightDeclaration *weighed;      /* n_declared */
  const TreeNodes *nodes;
  int64_t n_declared;
  int64_t n_nodes;
  double *chances; /* the result: the weight of each node among its siblings; n_nodes */
  double *sums;    /* scratch: n_nodes */
  int64_t *clones; /* scratch: the nodes, those of one declared node after another; n_nodes */
  int64_t *begins; /* scratch: the beginning of those of each declared node in `clones`; n_declared + 2 */

  int64_t failed;  /* of a refusal: the declared node with the column, or the node whose weights have that sum */
  bool of_rows;    /* whether the column is that of row weights, not of a sum */
  double refused;  /* the number, or the sum */
} Weighing;

/* List the nodes of each declared node, so that a sum visits only those below its own. */
static inline void list_clones(Weighing *weighing) {
  const int32_t *declared = weighing->nodes->declared;
  int64_t *begins = weighing->begins;
  memset(begins, 0, (size_t)(weighing->n_declared + 2) * sizeof(int64_t));
  for (int64_t node = 0; node < weighing->n_nodes; node++) begins[declared[node] + 2]++;
  for (int64_t node = 0; node < weighing->n_declared; node++) begins[node + 2] += begins[node + 1];
  for (int64_t node = 0; node < weighing->n_nodes; node++) weighing->clones[begins[declared[node] + 1]++] = node;
}

/* Find for which declared nodes the weights of the options matter. */
static inline void find_weighted(const NodeDeclaration *declared, int64_t n_declared, WeightDeclaration *weighed) {
  for (int64_t node = 0; node < n_declared; node++) weighed[node].matter = false;
  for (int64_t node = n_declared - 1; node >= 0; node--) {
    WeightDeclaration *mine = &weighed[node];
    mine->matter = mine->mode == WITH_REPLACEMENT && (mine->matter || mine->row_weights != NULL);
    if (node > 0 && mine->form != NO_WEIGHT) weighed[declared[node].parent].matter = true;
  }
}

/* Whether the options of a node are rows. */
static inline bool is_leaf_of(const TreeNodes *nodes, int64_t n_nodes, int64_t node) {
  return node + 1 == n_nodes || nodes->depths[node + 1] <= nodes->depths[node];
}

static inline int refuse_weight(Weighing *weighing, int64_t declared, bool of_rows, double number) {
  weighing->failed = declared;
  weighing->of_rows = of_rows;
  weighing->refused = number;
  return NUMBER_REFUSED;
}

/* Whether a number is finite and not negative, as weights must be. */
static inline bool is_weight(double number) { return number >= 0 && number <= DBL_MAX; }

/* Sum over the rows of the leaves below a declared node; the nodes made of it and of those below are in `clones` from
 * `first` to last - 1.
 */
static inline int sum_leaves(Weighing *weighing, int64_t node, int64_t first, int64_t last, Host *host) {
  const TreeNodes *nodes = weighing->nodes;
  const WeightDeclaration *mine = &weighing->weighed[node];
  int64_t since = 0;
  for (int64_t clone = first; clone < last; clone++) {
    int64_t at = weighing->clones[clone];
    if (!is_leaf_of(nodes, weighing->n_nodes, at)) continue;
    int64_t end = nodes->offsets[at + 1];
    weighing->sums[at] = mine->form == COUNT_OF_ROWS ? (double)(end - nodes->offsets[at]) : 0;
    for (int64_t i = nodes->offsets[at]; mine->form == SUM_OF_ROWS && i < end; i++) {
      double number = mine->summed[nodes->options[i]];
      if (!is_weight(number)) return refuse_weight(weighing, node, false, number);
      weighing->sums[at] += number;
      if (!may_go_on(&since, 1, host)) return WEIGHTS_FAILED;
    }
  }
  return WEIGHTS_FOUND;
}

/* Find the weight of each node made of a declared one: the sum over the rows of the leaves below. */
static inline int sum_rows(Weighing *weighing, int64_t node, Host *host) {
  const TreeNodes *nodes = weighing->nodes;
  int64_t below = node + 1;
  while (below < weighing->n_declared && weighing->declared[below].parent >= node) below++;
  int64_t first = weighing->begins[node], last = weighing->begins[below];
  int outcome = sum_leaves(weighing, node, first, last, host);
  if (outcome != WEIGHTS_FOUND) return outcome;
  for (int64_t clone = last; clone > first; clone--) { /* children come after their parents */
    int64_t at = weighing->clones[clone - 1];
    if (!is_leaf_of(nodes, weighing->n_nodes, at)) {
      double sum = 0;
      for (int64_t i = nodes->offsets[at]; i < nodes->offsets[at + 1]; i++) sum += weighing->sums[nodes->options[i]];
      weighing->sums[at] = sum;
    }
    if (nodes->declared[at] == node) weighing->chances[at] = weighing->sums[at];
  }
  return WEIGHTS_FOUND;
}

/* Find the weights of all nodes; the caller has set the fields up to `begins`. */
static inline int weigh_nodes(Weighing *weighing, Host *host) {
  const WeightDeclaration *weighed = weighing->weighed;
  for (int64_t node = 0; node < weighing->n_nodes; node++) {
    const WeightDeclaration *mine = &weighed[weighing->nodes->declared[node]];
    weighing->chances[node] = mine->form == FIXED_WEIGHT ? mine->weight : 1;
  }
  list_clones(weighing);
  for (int64_t node = 0; node < weighing->n_declared; node++) {
    if (weighed[node].form < SUM_OF_ROWS) continue;
    int outcome = sum_rows(weighing, node, host);
    if (outcome != WEIGHTS_FOUND) return outcome;
  }
  return WEIGHTS_FOUND;
}

/* Write the weights of the options of a node whose weights matter, and check their sum. */
static inline int weigh_options(Weighing *weighing, int64_t at, double *weights, Host *host) {
  const TreeNodes *nodes = weighing->nodes;
  const double *chances = weighing->chances;
  int64_t declared = nodes->declared[at], n_options = nodes->offsets[at + 1] - nodes->offsets[at];
  const double *of_rows = weighing->weighed[declared].row_weights;
  const int32_t *options = nodes->options + nodes->offsets[at];
  double total = 0;
  for (int64_t begin = 0; begin < n_options; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_options);
    if (begin > 0 && !host->go_on(host)) return WEIGHTS_FAILED;
    for (int64_t i = begin; i < end; i++) {
      double weight = of_rows == NULL ? chances[options[i]] : of_rows[options[i]];
      if (!is_weight(weight) && of_rows != NULL) return refuse_weight(weighing, declared, true, weight);
      weights[i] = weight;
      total += weight;
    }
  }
  if (total >= LEAST_TOTAL && total <= DBL_MAX) return WEIGHTS_FOUND;
  weighing->failed = at;
  weighing->refused = total;
  return TOTAL_REFUSED;
}

#endif
