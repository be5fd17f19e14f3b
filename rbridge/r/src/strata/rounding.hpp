/* A table of counts in given proportions, rounded such that no row sum and no column sum changes (controlled rounding).
 *
 * The cell of a row and a column is row sum * column sum / total, rounded down or up. Such a table exists, because the
 * sums are whole numbers (L. H. Cox, 1987). The cells that are not whole are the edges of a graph of rows and columns.
 * Along a cycle, what one cell gains the next one loses, until a cell is whole and leaves the graph; without cycles, no
 * edge is left, since the end of a path would be the only cell of a row or a column that is not whole. Rows are added
 * one by one, cell by cell. The cell that closes a cycle gains, unless it would lose less. Between two rows, each row
 * in the graph has two edges at least, so there are fewer rows in it than columns.
 */

#pragma once

#include "../core/host.hpp"

namespace pystrat {

/* A forest whose nodes are the columns and, behind them, as many places for rows. */
class RoundedTable {
 public:
  List<int32_t> counts; /* row by row */

  /* The sums of the rows, and of the columns, are `total`, which is at most 2^31 - 1. */
  RoundedTable(
      const List<int64_t> &row_sums, const List<int64_t> &column_sums, int64_t total, Host &host
  )
      : counts(row_sums.count() * column_sums.count()), n_columns(column_sums.count()), total(total),
        parents(2 * n_columns), parts(2 * n_columns), rows(n_columns), degrees(n_columns) {
    std::fill(parents.begin(), parents.end(), -1);
    for (int64_t row = 0; row < row_sums.count(); row++) {
      int64_t place = std::find(degrees.begin(), degrees.end(), 0) - degrees.begin();
      rows[place] = row;
      for (int64_t column = 0; column < n_columns; column++) {
        int64_t product = row_sums[row] * column_sums[column];
        counts[row * n_columns + column] = static_cast<int32_t>(product / total);
        if (product % total > 0) add_cell(n_columns + place, column, product % total);
      }
      host.go_on(n_columns);
    }
  }

 private:
  int64_t n_columns, total;
  List<int64_t> parents; /* of each node; -1 if it has none */
  List<int64_t> parts;   /* of the edge to the parent: what is above the floor of the cell, times the total */
  List<int64_t> rows;    /* at each place: the row */
  List<int64_t> degrees; /* at each place: the edges of the row */

  /* The nodes from this one to its root. */
  List<int64_t> ancestry(int64_t node) const {
    List<int64_t> nodes;
    for (; node >= 0; node = parents[node]) nodes.push_back(node);
    return nodes;
  }

  /* Count the cell of an edge that is whole, up if `up`. */
  void settle(int64_t row_node, int64_t column, bool up) {
    counts[rows[row_node - n_columns] * n_columns + column] += up;
  }

  /* Change the edge to the parent of a node; take it out if it is whole. */
  void change(int64_t node, int64_t by) {
    int64_t parent = parents[node], row_node = node < n_columns ? parent : node;
    parts[node] += by;
    if (parts[node] > 0 && parts[node] < total) return;
    settle(row_node, node < n_columns ? node : parent, parts[node] > 0);
    degrees[row_node - n_columns]--;
    parents[node] = -1;
  }

  void make_root(int64_t node) {
    int64_t previous = -1, carried = 0;
    while (node >= 0) {
      std::swap(parts[node], carried);
      previous = std::exchange(node, std::exchange(parents[node], previous));
    }
  }

  /* Add a cell that is not whole. */
  void add_cell(int64_t row_node, int64_t column, int64_t part) {
    List<int64_t> left = ancestry(row_node), right = ancestry(column);
    if (left.back() == right.back()) {
      while (!left.empty() && !right.empty() && left.back() == right.back()) {
        left.pop_back();
        right.pop_back();
      }
      part += close_cycle({left, right}, total - part, part);
      if (part == 0 || part == total) return settle(row_node, column, part > 0);
    }
    make_root(row_node);
    parents[row_node] = column;
    parts[row_node] = part;
    degrees[row_node - n_columns]++;
  }

  /* Change the edges of a path, from both ends to where they meet, as the new cell between the ends changes, which can
   * go `up` or `down`; return by how much that is. The edges beside it lose what it gains.
   */
  int64_t close_cycle(const List<List<int64_t>> &sides, int64_t up, int64_t down) {
    for (const List<int64_t> &side : sides) {
      for (int64_t turn = 0; turn < side.count(); turn++) {
        int64_t own = parts[side[turn]], rest = total - own;
        up = std::min(up, turn % 2 == 0 ? own : rest);
        down = std::min(down, turn % 2 == 0 ? rest : own);
      }
    }
    int64_t by = up <= down ? up : -down;
    for (const List<int64_t> &side : sides) {
      for (int64_t turn = 0; turn < side.count(); turn++) change(side[turn], turn % 2 == 0 ? -by : by);
    }
    return by;
  }
};

}  // namespace pystrat
