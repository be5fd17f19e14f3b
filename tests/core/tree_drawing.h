/* The draws of a declared tree, in steps, with states and scratch space of exactly the sizes that they need. */

#ifndef PYSTRAT_TREE_DRAWING_H
#define PYSTRAT_TREE_DRAWING_H

#include "check.h"
#include "tree.h"

typedef struct {
  TreeStates states;
  NodeState *nodes;
  Generator *generators;
  int32_t *pools;
} Drawing;

/* Begin the draws of a tree. `keep`: whether the next chunk continues the one before. */
static inline Drawing begin_drawing(const DeclaredTree *tree, int keep) {
  Drawing drawing;
  TreeStatesSize size = tree_states_size(tree, keep);
  drawing.nodes = new_array(size.nodes, sizeof(NodeState));
  drawing.generators = new_array(size.generators * (int64_t)sizeof(Generator), 1);
  drawing.pools = new_array(size.pooled, sizeof(int32_t));
  init_tree_states(&drawing.states, tree, keep, drawing.nodes, drawing.generators, drawing.pools);
  return drawing;
}

static inline void end_drawing(Drawing *drawing) {
  free(drawing->nodes);
  free(drawing->generators);
  free(drawing->pools);
}

/* Draw a chunk in steps of at most `at_most` draws; return how many steps that took. */
static inline int64_t draw_in_steps(
    const DeclaredTree *tree, Drawing *drawing, int64_t count, int64_t at_most, int32_t *rows
) {
  int64_t n_steps = 1;
  TreeChunk chunk = {.count = count, .rows = rows};
  chunk.picked = new_array(count, sizeof(int32_t));
  chunk.here = new_array(count, sizeof(int32_t));
  chunk.below = new_array(count, sizeof(int32_t));
  chunk.begins = new_array(tree->n_nodes, sizeof(int64_t));
  chunk.wanted = new_array(tree->n_nodes, sizeof(int64_t));
  chunk.cursors = new_array(tree->n_nodes, sizeof(int64_t));
  int32_t *here = chunk.here, *below = chunk.below; /* the chunk exchanges them */
  begin_chunk(tree, &chunk);
  while (!draw_chunk(tree, &drawing->states, &chunk, at_most)) n_steps++;
  free(chunk.picked);
  free(here);
  free(below);
  free(chunk.begins);
  free(chunk.wanted);
  free(chunk.cursors);
  return n_steps;
}

#endif
