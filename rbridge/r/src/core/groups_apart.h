/* Batches that spread groups: every batch has the floor or the ceiling of its share of every stratum and of every
 * group, and the batch sizes differ by at most 1, the larger batches first.
 *
 * The rows are the edges of a bipartite graph, between their stratum and their group, and the batches are colors. The
 * edges of a label, which is a stratum or a group, are cut into blocks of n_batches edges. A rest of fewer edges shares
 * a block with the rests of other labels. A block is a vertex of at most n_batches edges. If no two edges of a vertex
 * have the same color, each full block has an edge of every color, and a rest has at most one of each, so every label
 * has the floor or the ceiling of its share. Such a coloring always exists, because the graph is bipartite (D. Konig).
 *
 * The edges are colored in the order of the epoch. An edge gets the first color that is free at both of its vertices.
 * If there is none, two colors are exchanged along a path from one of the vertices, which frees one. Finally, colors
 * are exchanged along paths to move rows from batches with too many to batches with too few (D. de Werra).
 *
 * If each group has rows of only one stratum, a simpler method suffices: sort the rows by stratum and group, and deal
 * them to the batches in turn.
 */

#ifndef PYSTRAT_GROUPS_APART_H
#define PYSTRAT_GROUPS_APART_H

#include "host.h"

/* One side of the graph: the strata or the groups. The caller owns the arrays. */
typedef struct {
  int64_t n_labels;
  const int32_t *labels;  /* the label of each row, n_labels for rows that the epoch leaves out */
  const int32_t *counts;  /* n_labels numbers: the rows of each label in an epoch */
  int64_t n_vertices;     /* 0 at first, at most most_vertices() */
  int32_t open_vertex;    /* the vertex for the next rest, if it has room */
  int64_t room;           /* 0 at first: the number of edges that still fit into it */
  int32_t *ranks;         /* n_labels numbers, zeros at first: the rows of each label that were found */
  int32_t *rests;         /* n_labels numbers: the vertex of each rest */
  int32_t *wholes;        /* n_labels numbers: the vertex of the first full block of each label */
  int32_t *vertices;      /* n_edges numbers: the vertex of each edge */
  int32_t *edges;         /* most_vertices() * n_batches numbers, -1 at first: the edge of each vertex and color */
  uint64_t *free_colors;  /* most_vertices() * color_words() words: the colors that are free at a vertex, as bits */
  int32_t *first_words;   /* most_vertices() numbers, zeros at first: no earlier word has a free color */
} GraphSide;

/* The rows of an epoch as edges, in the order of the epoch. The caller owns the arrays. */
typedef struct {
  int64_t n_batches;
  int64_t n_edges;    /* rows of the epoch that are not left out */
  int64_t n_found;    /* 0 at first */
  GraphSide sides[2]; /* the strata and the groups */
  int32_t *colors;    /* n_edges numbers: the color of each edge, which is its batch */
  int64_t *sizes;     /* n_batches numbers, zeros at first: the edges of each color */
  int64_t work;       /* 0 at first: the number of steps since the host was last asked whether to go on */
} RowGraph;

/* The largest number of vertices that a side may have. */
static inline int64_t most_vertices(const int32_t *counts, int64_t n_labels, int64_t n_batches) {
  int64_t n_whole = 0, n_rests = 0, rest_edges = 0;
  for (int64_t label = 0; label < n_labels; label++) {
    int64_t rest = counts[label] % n_batches;
    n_whole += counts[label] / n_batches;
    n_rests += rest > 0;
    rest_edges += rest;
  }
  int64_t n_shared = 2 * rest_edges / n_batches + 1; /* two consecutive ones have more than n_batches edges */
  return n_whole + (n_rests < n_shared ? n_rests : n_shared);
}

/* The number of words with a bit for each color. */
static inline int64_t color_words(int64_t n_batches) { return (n_batches + 63) / 64; }

/* Assign vertices to a label, when its first row is found. */
static inline void begin_label(GraphSide *side, int64_t n_batches, int32_t label) {
  int64_t rest = side->counts[label] % n_batches;
  if (rest > side->room) {
    side->open_vertex = (int32_t)side->n_vertices++;
    side->room = n_batches;
  }
  side->rests[label] = side->open_vertex;
  side->room -= rest;
  side->wholes[label] = (int32_t)side->n_vertices;
  side->n_vertices += side->counts[label] / n_batches;
}

/* Return the vertex of the next edge of a label: the rest comes first, then the full blocks in turn.
 *
 * Filling the blocks in turn keeps the paths short.
 */
static inline int32_t next_vertex(GraphSide *side, int64_t n_batches, int32_t label) {
  if (side->ranks[label] == 0) begin_label(side, n_batches, label);
  int64_t rank = side->ranks[label]++;
  int64_t rest = side->counts[label] % n_batches;
  if (rank < rest) return side->rests[label];
  return side->wholes[label] + (int32_t)((rank - rest) % (side->counts[label] / n_batches));
}

/* Find the vertices of the rows from place `begin` to before `end` of the order of the epoch. */
static inline void cut_into_blocks(const int32_t *order, int64_t begin, int64_t end, RowGraph *graph) {
  for (int64_t place = begin; place < end; place++) {
    int32_t row = order[place];
    if (graph->sides[0].labels[row] >= graph->sides[0].n_labels) continue;
    for (int side = 0; side < 2; side++) {
      GraphSide *of = &graph->sides[side];
      of->vertices[graph->n_found] = next_vertex(of, graph->n_batches, of->labels[row]);
    }
    graph->n_found += 1;
  }
}

/* Make all colors free at the vertices from `begin` to before `end`. */
static inline void free_all_colors(GraphSide *side, int64_t n_batches, int64_t begin, int64_t end) {
  int64_t n_words = color_words(n_batches);
  for (int64_t word = begin * n_words; word < end * n_words; word++) {
    int64_t n_colors = n_batches - 64 * (word % n_words);
    side->free_colors[word] = n_colors < 64 ? (UINT64_C(1) << n_colors) - 1 : UINT64_MAX;
  }
}

/* The number of the lowest bit of a word that is not 0. */
static inline int32_t lowest_bit(uint64_t word) {
  int32_t bit = 0;
  for (int32_t half = 32; half > 0; half /= 2) {
    uint64_t low = (UINT64_C(1) << half) - 1;
    if ((word & low) != 0) continue;
    word >>= half;
    bit += half;
  }
  return bit;
}

/* Return the words of the free colors of a vertex with at least one; set `first` to the first word that is not 0. */
static inline const uint64_t *free_words(GraphSide *side, int64_t n_batches, int32_t vertex, int32_t *first) {
  const uint64_t *words = side->free_colors + vertex * color_words(n_batches);
  int32_t *first_word = &side->first_words[vertex];
  while (words[*first_word] == 0) *first_word += 1;
  *first = *first_word;
  return words;
}

/* Return the first color that is free at both vertices of an edge, or -1. */
static inline int32_t common_color(RowGraph *graph, int32_t left, int32_t right) {
  int32_t n_words = (int32_t)color_words(graph->n_batches);
  int32_t first, first_at_right;
  const uint64_t *at_left = free_words(&graph->sides[0], graph->n_batches, left, &first);
  const uint64_t *at_right = free_words(&graph->sides[1], graph->n_batches, right, &first_at_right);
  if (first_at_right > first) first = first_at_right;
  for (int32_t word = first; word < n_words; word++, graph->work++) {
    uint64_t both = at_left[word] & at_right[word];
    if (both != 0) return 64 * word + lowest_bit(both);
  }
  return -1;
}

/* Return the first color that is free at a vertex with at least one. */
static inline int32_t first_color(GraphSide *side, int64_t n_batches, int32_t vertex) {
  int32_t first;
  const uint64_t *words = free_words(side, n_batches, vertex, &first);
  return 64 * first + lowest_bit(words[first]);
}

/* Set which edge of a vertex has a color; -1 makes the color free. */
static inline void set_edge(GraphSide *side, int64_t n_batches, int32_t vertex, int32_t color, int32_t edge) {
  int32_t word = color / 64;
  uint64_t bit = UINT64_C(1) << (color % 64);
  uint64_t *words = side->free_colors + vertex * color_words(n_batches);
  side->edges[vertex * n_batches + color] = edge;
  if (edge >= 0) {
    words[word] &= ~bit;
  } else {
    words[word] |= bit;
    if (word < side->first_words[vertex]) side->first_words[vertex] = word;
  }
}

/* Exchange two colors at a vertex. */
static inline void exchange_colors(GraphSide *side, int64_t n_batches, int32_t vertex, int32_t color, int32_t other) {
  int32_t *edges = side->edges + vertex * n_batches;
  int32_t edge = edges[color];
  int32_t other_edge = edges[other];
  if (edge >= 0 && other_edge >= 0) {
    edges[color] = other_edge;
    edges[other] = edge;
  } else {
    set_edge(side, n_batches, vertex, color, other_edge);
    set_edge(side, n_batches, vertex, other, edge);
  }
}

/* Exchange two colors along the path from a vertex of a side that has an edge of `color` and none of `other`. */
static inline void flip_path(RowGraph *graph, int side, int32_t vertex, int32_t color, int32_t other) {
  int32_t edge = graph->sides[side].edges[vertex * graph->n_batches + color];
  exchange_colors(&graph->sides[side], graph->n_batches, vertex, color, other);
  while (edge >= 0) {
    side = 1 - side;
    vertex = graph->sides[side].vertices[edge];
    int32_t next = graph->sides[side].edges[vertex * graph->n_batches + other];
    exchange_colors(&graph->sides[side], graph->n_batches, vertex, color, other);
    graph->colors[edge] = other;
    graph->sizes[color] -= 1;
    graph->sizes[other] += 1;
    graph->work += 1;
    other = color;
    color = graph->colors[edge];
    edge = next;
  }
}

/* Color all edges. */
static inline bool color_edges(RowGraph *graph, Host *host) {
  int64_t n_batches = graph->n_batches;
  GraphSide *strata = &graph->sides[0];
  GraphSide *groups = &graph->sides[1];
  for (int32_t edge = 0; edge < graph->n_edges; edge++) {
    if (!may_go_on(&graph->work, 1, host)) return false;
    int32_t left = strata->vertices[edge];
    int32_t right = groups->vertices[edge];
    int32_t color = common_color(graph, left, right);
    if (color < 0) {
      color = first_color(strata, n_batches, left);
      flip_path(graph, 1, right, color, first_color(groups, n_batches, right));
    }
    graph->colors[edge] = color;
    graph->sizes[color] += 1;
    set_edge(strata, n_batches, left, color, edge);
    set_edge(groups, n_batches, right, color, edge);
  }
  return true;
}

/* Whether the path of two colors from a vertex of the strata has one edge more of `color` than of `other`. */
static inline bool is_heavy_path(RowGraph *graph, int32_t vertex, int32_t color, int32_t other) {
  int64_t n_batches = graph->n_batches;
  int32_t edge = graph->sides[0].edges[vertex * n_batches + color];
  if (edge < 0 || graph->sides[0].edges[vertex * n_batches + other] >= 0) return false;
  for (int side = 1;; side = 1 - side) {
    vertex = graph->sides[side].vertices[edge];
    edge = graph->sides[side].edges[vertex * n_batches + (side == 1 ? other : color)];
    graph->work += 1;
    if (edge < 0) return side == 1;
  }
}

/* The final number of edges of a color: the first colors have one more. */
static inline int64_t wanted_size(const RowGraph *graph, int64_t color) {
  return graph->n_edges / graph->n_batches + (color < graph->n_edges % graph->n_batches);
}

/* Move edges from colors with too many to colors with too few, until all sizes are final.
 *
 * If one color has d edges more than another, there are at least d paths on which it has one edge more; they begin at a
 * stratum and end at a group. A flipped path is no longer one of them, so one pass over the vertices finds all.
 */
static inline bool equalize_sizes(RowGraph *graph, Host *host) {
  int32_t giver = 0, taker = 0, vertex = 0; /* colors with too many and too few; where the next path may begin */
  while (giver < graph->n_batches) {
    if (!may_go_on(&graph->work, 1, host)) return false;
    if (graph->sizes[giver] <= wanted_size(graph, giver)) {
      giver += 1;
      vertex = 0;
    } else if (graph->sizes[taker] >= wanted_size(graph, taker)) {
      taker += 1;
      vertex = 0;
    } else {
      if (is_heavy_path(graph, vertex, giver, taker)) flip_path(graph, 0, vertex, giver, taker);
      vertex += 1;
    }
  }
  return true;
}

/* Deal the rows from place `begin` to before `end` of the order of the epoch in turn, if each group has rows of only
 * one stratum.
 *
 * `begins` has a number for each stratum: at first the rows of the strata before. `next_places` has one for each group,
 * -1 at first. Fills the colors of the edges and counts their sizes.
 */
static inline void deal_in_turn(
    const int32_t *order, int64_t begin, int64_t end, int64_t *begins, int32_t *next_places, RowGraph *graph
) {
  const GraphSide *strata = &graph->sides[0];
  const GraphSide *groups = &graph->sides[1];
  for (int64_t place = begin; place < end; place++) {
    int32_t stratum = strata->labels[order[place]];
    int32_t group = groups->labels[order[place]];
    if (stratum >= strata->n_labels) continue;
    if (next_places[group] < 0) {
      next_places[group] = (int32_t)begins[stratum];
      begins[stratum] += groups->counts[group];
    }
    int32_t batch = (int32_t)(next_places[group]++ % graph->n_batches);
    graph->colors[graph->n_found++] = batch;
    graph->sizes[batch] += 1;
  }
}

/* Put the edges in order of stratum: those of the rows from place `begin` to before `end` of the order of the epoch.
 *
 * `next_places` has a number for each stratum: at first the rows of the strata before. `n_done` counts the edges, from
 * 0. `rows` and `batches` have n_edges numbers: the rows, counted from 0, and their batches.
 */
static inline void sort_by_stratum(
    const int32_t *order, const RowGraph *graph, int64_t begin, int64_t end, int64_t *n_done, int64_t *next_places,
    int32_t *rows, int32_t *batches
) {
  for (int64_t place = begin; place < end; place++) {
    int32_t stratum = graph->sides[0].labels[order[place]];
    if (stratum >= graph->sides[0].n_labels) continue;
    int64_t to = next_places[stratum]++;
    rows[to] = order[place];
    batches[to] = graph->colors[(*n_done)++];
  }
}

/* Write the rows from `begin` to before `end`, in order of stratum, to their batches, counted from `first_row`.
 *
 * `next_free` has n_batches numbers: at first the offsets, then the first free place of each batch.
 */
static inline void write_rows_apart(
    const int32_t *rows, const int32_t *batches, int32_t first_row, int64_t begin, int64_t end, int64_t *next_free,
    int32_t *written
) {
  for (int64_t i = begin; i < end; i++) written[next_free[batches[i]]++] = rows[i] + first_row;
}

#endif
