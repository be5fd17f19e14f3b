/* The nodes of a declared tree and their weights, in arrays of exactly the sizes that they need. */

#ifndef PYSTRAT_TREE_BUILDING_H
#define PYSTRAT_TREE_BUILDING_H

#include "plain_host.h"
#include "tree_nodes.h"
#include "tree_weights.h"

/* Build the nodes; return the outcome. free_host() the memory in any case. */
static inline int build_tree(
    const NodeDeclaration *declared, int64_t n_declared, int64_t n_rows, NodeBuilding *building, PlainHost *host
) {
  *host = new_host(NULL, NULL, 0, -1);
  building->declared = declared;
  building->n_declared = n_declared;
  building->n_rows = n_rows;
  building->clones = new_block(host, &host->of_call, n_declared * (int64_t)sizeof(Clones));
  building->scratch = new_block(host, &host->of_call, n_rows * (int64_t)sizeof(int32_t));
  return build_nodes(building, &host->host);
}

static inline TreeNodes new_nodes(const NodeBuilding *building) {
  TreeNodes nodes;
  nodes.declared = new_array(building->n_nodes, sizeof(int32_t));
  nodes.values = new_array(building->n_nodes, sizeof(int32_t));
  nodes.parents = new_array(building->n_nodes, sizeof(int32_t));
  nodes.depths = new_array(building->n_nodes, sizeof(int32_t));
  nodes.offsets = new_array(building->n_nodes + 1, sizeof(int64_t));
  nodes.options = new_array(building->n_options, sizeof(int32_t));
  nodes.cursors = new_array(building->n_nodes, sizeof(int64_t));
  return nodes;
}

static inline void free_nodes(TreeNodes *nodes) {
  free(nodes->declared);
  free(nodes->values);
  free(nodes->parents);
  free(nodes->depths);
  free(nodes->offsets);
  free(nodes->options);
  free(nodes->cursors);
}

/* Weigh the nodes; return the outcome. free_weights() in any case. */
static inline int weigh_tree(
    const NodeBuilding *building, WeightDeclaration *weighed, const TreeNodes *nodes, Weighing *weighing
) {
  PlainHost host = new_host(NULL, NULL, 0, -1);
  weighing->declared = building->declared;
  weighing->weighed = weighed;
  weighing->nodes = nodes;
  weighing->n_declared = building->n_declared;
  weighing->n_nodes = building->n_nodes;
  weighing->chances = new_array(building->n_nodes, sizeof(double));
  weighing->clones = new_array(building->n_nodes, sizeof(int64_t));
  weighing->begins = new_array(building->n_declared + 2, sizeof(int64_t));
  weighing->sums = new_array(building->n_nodes, sizeof(double));
  find_weighted(building->declared, building->n_declared, weighed);
  return weigh_nodes(weighing, &host.host);
}

/* Write the weights of the options of a node; return the outcome. */
static inline int weigh_options_of(Weighing *weighing, int64_t node, double *weights) {
  PlainHost host = new_host(NULL, NULL, 0, -1);
  return weigh_options(weighing, node, weights, &host.host);
}

static inline void free_weights(Weighing *weighing) {
  free(weighing->chances);
  free(weighing->clones);
  free(weighing->begins);
  free(weighing->sums);
}

#endif
