/* The nodes of a declared tree and their weights, built in steps, in arrays of exactly the sizes that they need. */

#ifndef PYSTRAT_TREE_BUILDING_H
#define PYSTRAT_TREE_BUILDING_H

#include "check.h"
#include "tree_nodes.h"
#include "tree_weights.h"

/* The memory of a building, which its results use, too. */
typedef struct {
  void **blocks; /* room for n_room */
  int64_t n_blocks, n_room;
} BuildingMemory;

static inline void *new_block(BuildingMemory *memory, int64_t n_items, size_t item_size) {
  CHECK(memory->n_blocks < memory->n_room);
  return memory->blocks[memory->n_blocks++] = new_array(n_items, item_size);
}

static inline void free_building(BuildingMemory *memory) {
  while (memory->n_blocks > 0) free(memory->blocks[--memory->n_blocks]);
  free(memory->blocks);
}

/* Build the nodes in steps of at most at_most rows; return the outcome. free_building() the memory in any case. */
static inline int build_in_steps(
    const NodeDeclaration *declared, int64_t n_declared, int64_t n_rows, int64_t at_most, NodeBuilding *building,
    BuildingMemory *memory
) {
  memory->n_blocks = 0;
  memory->n_room = 2 + 3 * n_declared; /* the clones, the scratch, and at most three of each node */
  memory->blocks = new_array(memory->n_room, sizeof *memory->blocks);
  building->declared = declared;
  building->n_declared = n_declared;
  building->n_rows = n_rows;
  building->clones = new_block(memory, n_declared * (int64_t)sizeof(Clones), 1);
  building->scratch = new_block(memory, n_rows, sizeof(int32_t));
  begin_nodes(building);
  for (;;) {
    int outcome = build_nodes(building, at_most);
    if (outcome != NODES_GO_ON) return outcome;
    if (building->wanted > 0) building->memory = new_block(memory, (int64_t)building->wanted, 1);
  }
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

/* Weigh the options of the nodes in steps of at most at_most; return the outcome. free_weights() in any case. */
static inline int weigh_in_steps(
    const NodeBuilding *building, WeightDeclaration *weighed, const TreeNodes *nodes, int64_t at_most,
    Weighing *weighing
) {
  weighing->declared = building->declared;
  weighing->weighed = weighed;
  weighing->nodes = nodes;
  weighing->n_declared = building->n_declared;
  weighing->n_nodes = building->n_nodes;
  weighing->chances = new_array(building->n_nodes, sizeof(double));
  weighing->clones = new_array(building->n_nodes, sizeof(int64_t));
  weighing->begins = new_array(building->n_declared + 2, sizeof(int64_t));
  weighing->sums = new_array(building->n_nodes, sizeof(double));
  weighing->weights = new_array(building->n_options, sizeof(double));
  begin_weighing(weighing);
  int outcome = WEIGHTS_GO_ON;
  while (outcome == WEIGHTS_GO_ON) outcome = weigh_nodes(weighing, at_most);
  return outcome;
}

static inline void free_weights(Weighing *weighing) {
  free(weighing->chances);
  free(weighing->clones);
  free(weighing->begins);
  free(weighing->sums);
  free(weighing->weights);
}

#endif
