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
  int matter;                /* set by begin_weighing(): whether the weights of its options matter */
} WeightDeclaration;

/* The state of weighing. The last two are refusals of the table or of the declaration. */
enum { WEIGHTS_GO_ON, WEIGHTS_FOUND, NUMBER_REFUSED, TOTAL_REFUSED };

typedef struct {
  const NodeDeclaration *declared; /* n_declared, from which the nodes were built */
  WeightDeclaration *weighed;      /* n_declared */
  const TreeNodes *nodes;
  int64_t n_declared;
  int64_t n_nodes;
  double *chances; /* scratch: the weight of each node among its siblings; n_nodes */
  double *sums;    /* scratch: n_nodes */
  int64_t *clones; /* scratch: the nodes, those of one declared node after another; n_nodes */
  int64_t *begins; /* scratch: the beginning of those of each declared node in `clones`; n_declared + 2 */
  double *weights; /* the result, one for each option */

  int64_t failed;  /* of a refusal: the declared node with the column, or the node whose weights have that sum */
  int of_rows;     /* whether the column is that of row weights, not of a sum */
  double refused;  /* the number, or the sum */

  int task;        /* the progress, from here on */
  int64_t node;    /* the declared node */
  int64_t below;   /* the first declared node after those below it */
  int64_t clone;   /* the place in `clones` of the next node of a sum */
  int64_t at;      /* the node of the next option */
  int64_t option;  /* -1 if none of a sum's node has been added */
  double total;    /* of its options so far */
} Weighing;

enum { BEGIN_SUM, SUM_LEAVES, SUM_CHILDREN, WEIGH_OPTIONS };

/* List the nodes of each declared node, so that a sum visits only those below its own. */
static inline void list_clones(Weighing *weighing) {
  const int32_t *declared = weighing->nodes->declared;
  int64_t *begins = weighing->begins;
  memset(begins, 0, (size_t)(weighing->n_declared + 2) * sizeof(int64_t));
  for (int64_t node = 0; node < weighing->n_nodes; node++) begins[declared[node] + 2]++;
  for (int64_t node = 0; node < weighing->n_declared; node++) begins[node + 2] += begins[node + 1];
  for (int64_t node = 0; node < weighing->n_nodes; node++) weighing->clones[begins[declared[node] + 1]++] = node;
}

/* Begin to weigh; the caller has set the fields up to `weights`. */
static inline void begin_weighing(Weighing *weighing) {
  WeightDeclaration *weighed = weighing->weighed;
  for (int64_t node = 0; node < weighing->n_declared; node++) weighed[node].matter = 0;
  for (int64_t node = weighing->n_declared - 1; node >= 0; node--) {
    WeightDeclaration *mine = &weighed[node];
    mine->matter = mine->mode == WITH_REPLACEMENT && (mine->matter || mine->row_weights != NULL);
    if (node > 0 && mine->form != NO_WEIGHT) weighed[weighing->declared[node].parent].matter = 1;
  }
  for (int64_t node = 0; node < weighing->n_nodes; node++) {
    const WeightDeclaration *mine = &weighed[weighing->nodes->declared[node]];
    weighing->chances[node] = mine->form == FIXED_WEIGHT ? mine->weight : 1;
  }
  list_clones(weighing);
  weighing->failed = -1;
  weighing->of_rows = 0;
  weighing->refused = 0;
  weighing->task = BEGIN_SUM;
  weighing->node = weighing->clone = weighing->at = weighing->option = 0;
  weighing->total = 0;
}

/* Whether the options of a node are rows. */
static inline int is_leaf_of(const TreeNodes *nodes, int64_t n_nodes, int64_t node) {
  return node + 1 == n_nodes || nodes->depths[node + 1] <= nodes->depths[node];
}

static inline int refuse_weight(Weighing *weighing, int64_t declared, int of_rows, double number) {
  weighing->failed = declared;
  weighing->of_rows = of_rows;
  weighing->refused = number;
  return NUMBER_REFUSED;
}

/* Whether a number is finite and not negative, as weights must be. */
static inline int is_weight(double number) { return number >= 0 && number <= DBL_MAX; }

/* Find the next declared node whose weight is a sum over rows. */
static inline void begin_sum(Weighing *weighing) {
  int64_t node = weighing->node;
  while (node < weighing->n_declared && weighing->weighed[node].form < SUM_OF_ROWS) node++;
  weighing->node = node;
  if (node == weighing->n_declared) {
    weighing->at = weighing->option = 0;
    weighing->task = WEIGH_OPTIONS;
    return;
  }
  int64_t below = node + 1;
  while (below < weighing->n_declared && weighing->declared[below].parent >= node) below++;
  weighing->below = below;
  weighing->clone = weighing->begins[node];
  weighing->option = -1;
  weighing->task = SUM_LEAVES;
}

/* Sum over the rows of the leaves below the declared node, from left to right. */
static inline int sum_leaves(Weighing *weighing, int64_t at_most) {
  const TreeNodes *nodes = weighing->nodes;
  const WeightDeclaration *mine = &weighing->weighed[weighing->node];
  for (; weighing->clone < weighing->begins[weighing->below]; weighing->clone++, weighing->option = -1) {
    int64_t at = weighing->clones[weighing->clone], begin = nodes->offsets[at], end = nodes->offsets[at + 1];
    if (at_most-- <= 0) return WEIGHTS_GO_ON;
    if (!is_leaf_of(nodes, weighing->n_nodes, at)) continue;
    if (mine->form == COUNT_OF_ROWS) {
      weighing->sums[at] = (double)(end - begin);
      continue;
    }
    double sum = weighing->option < 0 ? 0 : weighing->sums[at];
    if (weighing->option < 0) weighing->option = begin;
    for (; weighing->option < end && at_most >= 0; weighing->option++, at_most--) {
      double number = mine->summed[nodes->options[weighing->option]];
      if (!is_weight(number)) return refuse_weight(weighing, weighing->node, 0, number);
      sum += number;
    }
    weighing->sums[at] = sum;
    if (weighing->option < end) return WEIGHTS_GO_ON;
  }
  weighing->task = SUM_CHILDREN;
  return WEIGHTS_GO_ON;
}

/* Sum over the children of the nodes above these leaves, which come after them. */
static inline void sum_children(Weighing *weighing, int64_t at_most) {
  const TreeNodes *nodes = weighing->nodes;
  int64_t first = weighing->begins[weighing->node];
  for (; weighing->clone > first && at_most > 0; weighing->clone--, at_most--) {
    int64_t at = weighing->clones[weighing->clone - 1];
    if (!is_leaf_of(nodes, weighing->n_nodes, at)) {
      double sum = 0;
      for (int64_t i = nodes->offsets[at]; i < nodes->offsets[at + 1]; i++) sum += weighing->sums[nodes->options[i]];
      weighing->sums[at] = sum;
    }
    if (nodes->declared[at] == weighing->node) weighing->chances[at] = weighing->sums[at];
  }
  if (weighing->clone > first) return;
  weighing->node++;
  weighing->task = BEGIN_SUM;
}

/* Write the weights of the options, and check their sums. */
static inline int weigh_options(Weighing *weighing, int64_t at_most) {
  const TreeNodes *nodes = weighing->nodes;
  for (; weighing->at < weighing->n_nodes; weighing->at++) {
    int64_t at = weighing->at, end = nodes->offsets[at + 1], declared = nodes->declared[at];
    const WeightDeclaration *mine = &weighing->weighed[declared];
    int is_leaf = is_leaf_of(nodes, weighing->n_nodes, at);
    double total = weighing->option == nodes->offsets[at] ? 0 : weighing->total;
    for (; weighing->option < end; weighing->option++) {
      if (at_most-- == 0) {
        weighing->total = total;
        return WEIGHTS_GO_ON;
      }
      int32_t option = nodes->options[weighing->option];
      double weight = !is_leaf ? weighing->chances[option] : mine->row_weights ? mine->row_weights[option] : 1;
      if (!is_weight(weight) && is_leaf) return refuse_weight(weighing, declared, 1, weight);
      weighing->weights[weighing->option] = weight;
      total += weight;
    }
    if (!mine->matter || (total >= LEAST_TOTAL && total <= DBL_MAX)) continue;
    weighing->failed = at;
    weighing->refused = total;
    return TOTAL_REFUSED;
  }
  return WEIGHTS_FOUND;
}

/* Continue weighing by a step over at most at_most options; return the state. */
static inline int weigh_nodes(Weighing *weighing, int64_t at_most) {
  switch (weighing->task) {
    case BEGIN_SUM: begin_sum(weighing); return WEIGHTS_GO_ON;
    case SUM_LEAVES: return sum_leaves(weighing, at_most);
    case SUM_CHILDREN: sum_children(weighing, at_most); return WEIGHTS_GO_ON;
    default: return weigh_options(weighing, at_most);
  }
}

#endif
