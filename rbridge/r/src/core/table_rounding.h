/* A table of counts in given proportions, rounded such that no row sum and no column sum changes (controlled rounding).
 *
 * The cell of a row and a column is row sum * column sum / total, rounded down or up. Such a table exists, because the
 * sums are whole numbers (L. H. Cox, 1987). The cells that are not whole are the edges of a graph of rows and columns.
 * Along a cycle, what one cell gains the next one loses, until a cell is whole and leaves the graph; without cycles, no
 * edge is left, since the end of a path would be the only cell of a row or a column that is not whole. Rows are added
 * one by one, cell by cell. The cell that closes a cycle gains, unless it would lose less. Between two rows, each row
 * in the graph has two edges at least, so there are fewer rows in it than columns.
 */

#ifndef PYSTRAT_TABLE_ROUNDING_H
#define PYSTRAT_TABLE_ROUNDING_H

#include "host.h"

/* A forest whose nodes are the columns and, behind them, as many places for rows. */
typedef struct {
  int64_t n_columns, total;
  int32_t *counts;  /* of the table, row by row */
  int64_t *parents; /* of each node; -1 if it has none */
  int64_t *parts;   /* of the edge to the parent: what is above the floor of the cell, times the total */
  int64_t *rows;    /* at each place: the row */
  int64_t *degrees; /* at each place: the edges of the row */
} RoundingForest;

static inline bool make_rounding_forest(RoundingForest *forest, Host *host) {
  int64_t n_columns = forest->n_columns;
  forest->parents = host->memory(host, FOR_THE_CALL, 6 * n_columns * (int64_t)sizeof *forest->parents);
  if (forest->parents == NULL) return false;
  forest->parts = forest->parents + 2 * n_columns;
  forest->rows = forest->parts + 2 * n_columns;
  forest->degrees = forest->rows + n_columns;
  for (int64_t node = 0; node < 2 * n_columns; node++) {
    forest->parents[node] = -1;
    forest->parts[node] = 0;
  }
  for (int64_t place = 0; place < n_columns; place++) forest->degrees[place] = 0;
  return true;
}

/* Return the number of edges between a node and its root. */
static inline int64_t depth_of_node(const RoundingForest *forest, int64_t node, int64_t *root) {
  int64_t depth = 0;
  for (; forest->parents[node] >= 0; node = forest->parents[node]) depth += 1;
  *root = node;
  return depth;
}

/* Count the cell of an edge up, if `up`, and take it out of the graph. */
static inline void settle_cell(RoundingForest *forest, int64_t row_node, int64_t column, bool up) {
  int64_t place = row_node - forest->n_columns;
  forest->counts[forest->rows[place] * forest->n_columns + column] += up;
}

/* Change the edge to the parent of a node; take it out if it is whole. */
static inline void change_edge(RoundingForest *forest, int64_t node, int64_t change) {
  int64_t parent = forest->parents[node], part = forest->parts[node] + change;
  forest->parts[node] = part;
  if (part > 0 && part < forest->total) return;
  int64_t row_node = node < forest->n_columns ? parent : node;
  settle_cell(forest, row_node, node < forest->n_columns ? node : parent, part > 0);
  forest->degrees[row_node - forest->n_columns] -= 1;
  forest->parents[node] = -1;
}

/* Make a node the root of its tree. */
static inline void make_root(RoundingForest *forest, int64_t node) {
  int64_t previous = -1, carried = 0;
  while (node >= 0) {
    int64_t next = forest->parents[node], part = forest->parts[node];
    forest->parents[node] = previous;
    forest->parts[node] = carried;
    previous = node;
    carried = part;
    node = next;
  }
}

/* Go along the path between two nodes of a tree, without `more` to change, and return how far the edge that would close
 * a cycle can go up and down; else change all edges of the path by `change` in turn.
 */
static inline void follow_path(
    RoundingForest *forest, int64_t left, int64_t right, int64_t change, int64_t *up, int64_t *down
) {
  int64_t root, turns[2] = {0, 0}, ends[2] = {left, right};
  int64_t depths[2] = {depth_of_node(forest, left, &root), depth_of_node(forest, right, &root)};
  while (ends[0] != ends[1]) {
    int side = depths[0] >= depths[1] ? 0 : 1;
    int64_t node = ends[side], part = forest->parts[node], left_over = forest->total - part;
    bool is_against = turns[side]++ % 2 == 0; /* the edges beside the new one lose what it gains */
    ends[side] = forest->parents[node];
    depths[side] -= 1;
    if (change != 0) {
      change_edge(forest, node, is_against ? -change : change);
      continue;
    }
    *up = smaller(*up, is_against ? part : left_over);
    *down = smaller(*down, is_against ? left_over : part);
  }
}

/* Add a cell that is not whole. */
static inline void add_cell(RoundingForest *forest, int64_t row_node, int64_t column, int64_t part) {
  int64_t root, other, up = forest->total - part, down = part;
  depth_of_node(forest, row_node, &root);
  depth_of_node(forest, column, &other);
  if (root == other) {
    follow_path(forest, row_node, column, 0, &up, &down);
    int64_t change = up <= down ? up : -down;
    follow_path(forest, row_node, column, change, &up, &down);
    part += change;
    if (part == 0 || part == forest->total) {
      settle_cell(forest, row_node, column, part > 0);
      return;
    }
  }
  make_root(forest, row_node);
  forest->parents[row_node] = column;
  forest->parts[row_node] = part;
  forest->degrees[row_node - forest->n_columns] += 1;
}

/* Fill the counts of a table, row by row; both sums are `total`, which is at most 2^31 - 1. */
static inline bool round_table(
    const int64_t *row_sums, int64_t n_rows, const int64_t *column_sums, int64_t n_columns, int64_t total,
    int32_t *counts, Host *host
) {
  RoundingForest forest = {.n_columns = n_columns, .total = total, .counts = counts};
  if (!make_rounding_forest(&forest, host)) return false;
  for (int64_t row = 0; row < n_rows; row++) {
    int64_t place = 0;
    while (forest.degrees[place] > 0) place++;
    forest.rows[place] = row;
    for (int64_t column = 0; column < n_columns; column++) {
      int64_t product = row_sums[row] * column_sums[column];
      counts[row * n_columns + column] = (int32_t)(product / total);
      if (product % total > 0) add_cell(&forest, n_columns + place, column, product % total);
    }
    if (row * n_columns / GO_ON_ROWS != (row + 1) * n_columns / GO_ON_ROWS && !host->go_on(host)) return false;
  }
  return true;
}

#endif
