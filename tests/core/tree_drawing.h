/* The draws of a declared tree, with states and scratch space of exactly the sizes that they need. */

#ifndef PYSTRAT_TREE_DRAWING_H
#define PYSTRAT_TREE_DRAWING_H

#include "plain_host.h"
#include "tree.h"

/* Begin the draws of a tree. `keep`: whether the next chunk continues the one before. */
static inline TreeStates begin_drawing(const DeclaredTree *tree, bool keep) {
  TreeStatesSize size = tree_states_size(tree, keep);
  TreeStates states = {.keep = keep};
  states.nodes = new_array(size.nodes, sizeof(NodeState));
  states.generators = new_array(size.generators * (int64_t)sizeof(Generator), 1);
  states.pools = new_array(size.pooled, sizeof(int32_t));
  reset_nodes(&states, size.nodes);
  return states;
}

static inline void end_drawing(TreeStates *states) {
  free(states->nodes);
  free(states->generators);
  free(states->pools);
}

static inline void draw_rows(const DeclaredTree *tree, TreeStates *states, int64_t count, int32_t *rows) {
  PlainHost host = new_host(NULL, NULL, 0, -1);
  TreeChunk chunk = {.count = count, .rows = rows};
  chunk.picked = new_array(count, sizeof(int32_t));
  chunk.here = new_array(count, sizeof(int32_t));
  chunk.below = new_array(count, sizeof(int32_t));
  chunk.begins = new_array(tree->n_nodes, sizeof(int64_t));
  chunk.wanted = new_array(tree->n_nodes, sizeof(int64_t));
  chunk.cursors = new_array(tree->n_nodes, sizeof(int64_t));
  int32_t *here = chunk.here, *below = chunk.below; /* the chunk exchanges them */
  CHECK(draw_chunk(tree, states, &chunk, &host.host));
  free(chunk.picked);
  free(here);
  free(below);
  free(chunk.begins);
  free(chunk.wanted);
  free(chunk.cursors);
}

#endif
