/* The batches of the rows of an epoch that are spread by the labels of two sides: groups_apart.h with its memory. */

#ifndef PYSTRAT_SPREADING_H
#define PYSTRAT_SPREADING_H

#include "groups_apart.h"

/* Return memory for `count` numbers for the call, all of them -1, or NULL. */
static inline int32_t *new_unknown(int64_t count, Host *host) {
  int32_t *numbers = host->memory(host, FOR_THE_CALL, count * (int64_t)sizeof *numbers);
  if (numbers != NULL) memset(numbers, 0xFF, (size_t)count * sizeof *numbers);
  return numbers;
}

/* Give a side of the graph its memory. */
static inline bool new_side(const RowGraph *graph, GraphSide *side, Host *host) {
  int64_t n_vertices = most_vertices(side->counts, side->n_labels, graph->n_batches);
  int64_t n_words = n_vertices * color_words(graph->n_batches);
  side->ranks = new_unknown(3 * side->n_labels, host);
  side->vertices = side->ranks == NULL ? NULL : new_unknown(graph->n_edges + n_vertices, host);
  side->edges = side->vertices == NULL ? NULL : new_unknown(n_vertices * graph->n_batches, host);
  if (side->edges == NULL) return false;
  side->free_colors = host->memory(host, FOR_THE_CALL, n_words * (int64_t)sizeof *side->free_colors);
  if (side->free_colors == NULL) return false;
  memset(side->ranks, 0, (size_t)side->n_labels * sizeof *side->ranks);
  side->rests = side->ranks + side->n_labels;
  side->wholes = side->rests + side->n_labels;
  side->first_words = side->vertices + graph->n_edges;
  memset(side->first_words, 0, (size_t)n_vertices * sizeof *side->first_words);
  free_all_colors(side, graph->n_batches, 0, n_vertices);
  return host->go_on(host);
}

/* Color the rows as the edges of a graph. */
static inline bool color_graph(const int32_t *order, int64_t n_rows, RowGraph *graph, Host *host) {
  if (!new_side(graph, &graph->sides[0], host) || !new_side(graph, &graph->sides[1], host)) return false;
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    cut_into_blocks(order, begin, smaller(begin + GO_ON_ROWS, n_rows), graph);
    if (!host->go_on(host)) return false;
  }
  return color_edges(graph, host) && equalize_sizes(graph, host);
}

/* Deal the rows in turn, in order of stratum and group. */
static inline bool deal_nested(const int32_t *order, int64_t n_rows, RowGraph *graph, Host *host) {
  const GraphSide *strata = &graph->sides[0];
  int32_t *next_places = new_unknown(graph->sides[1].n_labels, host);
  int64_t *begins = host->memory(host, FOR_THE_CALL, strata->n_labels * (int64_t)sizeof *begins), n_before = 0;
  if (next_places == NULL || begins == NULL) return false;
  for (int64_t stratum = 0; stratum < strata->n_labels; stratum++) {
    begins[stratum] = n_before;
    n_before += strata->counts[stratum];
  }
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    deal_in_turn(order, begin, smaller(begin + GO_ON_ROWS, n_rows), begins, next_places, graph);
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Fill the colors of a graph, which are the batches of its edges, and their sizes; the caller has set its numbers of
 * batches and edges, and the labels of its sides. `is_nested`: each group has rows of only one stratum.
 */
static inline bool spread_rows(const int32_t *order, int64_t n_rows, bool is_nested, RowGraph *graph, Host *host) {
  int64_t bytes_of_sizes = graph->n_batches * (int64_t)sizeof *graph->sizes;
  graph->colors = new_unknown(graph->n_edges, host);
  graph->sizes = graph->colors == NULL ? NULL : host->memory(host, FOR_THE_CALL, bytes_of_sizes);
  if (graph->sizes == NULL) return false;
  memset(graph->sizes, 0, (size_t)bytes_of_sizes);
  return is_nested ? deal_nested(order, n_rows, graph, host) : color_graph(order, n_rows, graph, host);
}

#endif
