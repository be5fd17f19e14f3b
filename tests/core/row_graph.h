/* The memory of a RowGraph of groups_apart.h, each array of exactly the size that it needs. */

#ifndef PYSTRAT_ROW_GRAPH_H
#define PYSTRAT_ROW_GRAPH_H

#include "check.h"
#include "groups_apart.h"

/* Allocate what a graph needs in its initial state. The caller has set its numbers of batches and edges, and the labels
 * of its sides.
 */
static inline void allocate_graph(RowGraph *graph) {
  int64_t n_batches = graph->n_batches;
  graph->colors = new_array(graph->n_edges, sizeof(int32_t));
  graph->sizes = new_zeros(n_batches);
  for (int i = 0; i < 2; i++) {
    GraphSide *side = &graph->sides[i];
    int64_t n_vertices = most_vertices(side->counts, side->n_labels, n_batches);
    side->ranks = new_equal(side->n_labels, 0);
    side->rests = new_array(side->n_labels, sizeof(int32_t));
    side->wholes = new_array(side->n_labels, sizeof(int32_t));
    side->vertices = new_array(graph->n_edges, sizeof(int32_t));
    side->edges = new_equal(n_vertices * n_batches, -1);
    side->free_colors = new_array(n_vertices * color_words(n_batches), sizeof(uint64_t));
    side->first_words = new_equal(n_vertices, 0);
    free_all_colors(side, n_batches, 0, n_vertices);
  }
}

static inline void free_graph(RowGraph *graph) {
  for (int i = 0; i < 2; i++) {
    GraphSide *side = &graph->sides[i];
    free(side->ranks);
    free(side->rests);
    free(side->wholes);
    free(side->vertices);
    free(side->edges);
    free(side->free_colors);
    free(side->first_words);
  }
  free(graph->colors);
  free(graph->sizes);
}

#endif
