/* The nodes of a declared tree for a table: the rows that each node selects, clones, pruning, numbers in preorder.
 *
 * A declared node has one clone for each clone of its parent, or, if it clones, one for each value among the rows of
 * each of these. All clones of a declared node are handled together. They share no row, and their rows are stored one
 * clone after another, so that thousands of clones cost little more than one.
 */

#pragma once

#include <limits>
#include <numeric>

#include "../core/host.hpp"

namespace pystrat {

enum Mode : uint8_t { REPLACEMENT, SEQUENTIAL, SHUFFLED };

/* The rows of its parent that a node has: all, or those that meet a condition; or it has a clone for each value, while
 * missing values are refused, one more value, or left out.
 */
enum Selection : uint8_t { ALL_ROWS, CONDITION, CLONES, CLONES_OF_MISSING, CLONES_OF_PRESENT };

/* What to remove if a node has nothing to draw. */
enum Pruning : uint8_t { NOTHING, ITSELF, PARENT_TOO };

/* A vector of a request, of which hosts give a single number as such. */
template <class T>
class Vector {
 public:
  Vector(const Values &given, const char *name) {
    const double *number = std::get_if<double>(&given[name]);
    const bool *flag = std::get_if<bool>(&given[name]);
    using Limits = std::numeric_limits<T>;
    bool is_held = number != nullptr && *number >= Limits::lowest() && *number <= Limits::max();
    is_single = flag != nullptr || is_held || (number != nullptr && std::is_same_v<T, double>);
    if (is_single) single = flag != nullptr ? static_cast<T>(*flag) : static_cast<T>(*number);
    if (!is_single) view = given.array<T>(name, "be a vector of the nodes or columns of a tree");
  }

  const T &operator[](int64_t i) const { return is_single ? single : view[i]; }
  int64_t length() const { return is_single ? 1 : view.length; }

  /* Whether it has this length, and no value beyond these limits. */
  bool fits(int64_t count, double least, double most) const {
    bool fits = length() == count;
    for (int64_t i = 0; fits && i < count; i++) fits = (*this)[i] >= least && (*this)[i] <= most;
    return fits;
  }

 private:
  T single = 0;
  bool is_single = false;
  View<T> view;
};

/* The declared nodes, in preorder, and the columns of the table that they use, one after another. */
struct Declaration {
  const int64_t n_rows;
  std::vector<std::string> names;
  const Vector<int32_t> parents;     /* -1 for the root */
  const Vector<uint8_t> selections;  /* of each node a Selection, a Mode, a Pruning */
  const Vector<uint8_t> modes, prunings;
  const Vector<int32_t> repeats;     /* how many times in a row each option is used */
  const Vector<int32_t> columns;     /* of the condition or the clones, -1 for none */
  const Vector<double> weights;      /* among siblings, -1 for none */
  const Vector<int32_t> summed;      /* instead, the column whose sum is the weight: -1 counts rows, -2 is none */
  const Vector<int32_t> row_weights; /* the numbers that weigh the rows of a leaf: a column, -1 for none */
  const Vector<int32_t> n_values, codes; /* of columns: the limit of the codes, -1 is missing; n_rows codes of each */
  const Vector<uint8_t> taken; /* of each condition: 1 if missing values, then those of each code, meet it */
  const Vector<double> numbers; /* n_rows of each column of numbers */
  std::vector<int64_t> taken_begins, depths;

  Declaration(const Values &given, Host &host)
      : n_rows(given.count("n_rows")), parents(given, "parents"), selections(given, "selections"),
        modes(given, "modes"), prunings(given, "prunings"), repeats(given, "repeats"), columns(given, "columns"),
        weights(given, "weights"), summed(given, "summed"), row_weights(given, "row_weights"),
        n_values(given, "n_values"), codes(given, "column_codes"), taken(given, "taken"), numbers(given, "numbers") {
    names.emplace_back();
    for (uint8_t byte : given.array<uint8_t>("names", "be the names of nodes")) {
      if (byte == 0x1f) {
        names.emplace_back();
      } else {
        names.back() += static_cast<char>(byte);
      }
    }
    if (!has_nodes() || !has_columns(host)) refuse("recipe", "others", "have the nodes and the columns of a tree");
  }

  int64_t count() const { return parents.length(); }
  bool is_leaf(int64_t node) const { return node + 1 == count() || parents[node + 1] != node; }
  bool has_weight(int64_t node) const { return weights[node] >= 0 || summed[node] >= -1; }
  const std::string &name(int64_t node) const { return names[static_cast<size_t>(node)]; }
  int32_t code(int64_t node, int64_t row) const { return codes[columns[node] * n_rows + row]; }
  double number(int64_t column, int64_t row) const { return numbers[column * n_rows + row]; }

  /* Whether a node is another one, or below it. */
  bool is_within(int64_t node, int64_t other) const {
    while (node > other) node = parents[node];
    return node == other;
  }

  std::string path(int64_t node) const {
    return parents[node] < 0 ? name(node) : path(parents[node]) + "/" + name(node);
  }

 private:
  bool has_nodes() {
    int64_t n = count(), n_columns = n_values.length(), n_taken = 0;
    int64_t n_numbers = numbers.length() / n_rows;
    bool fits = n > 0 && parents[0] == -1 && static_cast<int64_t>(names.size()) == n &&
                selections.fits(n, ALL_ROWS, CLONES_OF_PRESENT) && modes.fits(n, REPLACEMENT, SHUFFLED) &&
                prunings.fits(n, NOTHING, PARENT_TOO) && repeats.fits(n, 1, LARGEST_COUNT) &&
                columns.fits(n, -1, double(n_columns) - 1) && weights.fits(n, -1, std::numeric_limits<double>::max()) &&
                summed.fits(n, -2, double(n_numbers) - 1) && row_weights.fits(n, -1, double(n_numbers) - 1) &&
                n_values.fits(n_columns, 0, double(n_rows));
    for (int64_t node = 0; fits && node < n; node++) {
      fits = node == 0 || (parents[node] >= 0 && parents[node] < node && is_within(node - 1, parents[node]));
      if (!fits) break;
      depths.push_back(node == 0 ? 0 : depths[static_cast<size_t>(parents[node])] + 1);
      taken_begins.push_back(n_taken);
      /* Nodes are gone through by recursion. */
      fits = depths.back() < 1000 && (selections[node] == ALL_ROWS || columns[node] >= 0);
      if (fits && selections[node] == CONDITION) n_taken += n_values[columns[node]] + 1;
    }
    return fits && taken.fits(n_taken, 0, 1) && numbers.length() == n_numbers * n_rows;
  }

  bool has_columns(Host &host) const {
    if (codes.length() != n_values.length() * n_rows) return false;
    for (int64_t i = 0; i < codes.length(); i++) {
      if (codes[i] < -1 || codes[i] >= n_values[i / n_rows]) return false;
      host.go_on(1);
    }
    return true;
  }
};

/* The nodes, numbered in preorder: the root is 0, and children have higher numbers than their parents. */
struct Nodes {
  std::vector<int32_t> declared, parents, depths;
  std::vector<int32_t> values;  /* the code for which a clone was made, the number of values if missing; or -1 */
  std::vector<int64_t> rows;    /* the number of rows that each selects */
  std::vector<int64_t> untaken; /* those of them that no child takes, 0 for leaves */
  std::vector<int64_t> offsets; /* of the options: children, or rows at the leaves */
  Rows options;

  int64_t count() const { return static_cast<int64_t>(declared.size()); }
  int64_t begin(int64_t node) const { return offsets[static_cast<size_t>(node)]; }
  int64_t n_options(int64_t node) const { return begin(node + 1) - begin(node); }
  int32_t option(int64_t place) const { return options[static_cast<size_t>(place)]; }
  bool is_leaf(int64_t node) const {
    return node + 1 == count() || depths[static_cast<size_t>(node) + 1] <= depths[static_cast<size_t>(node)];
  }
  int32_t parent(int64_t node) const { return parents[static_cast<size_t>(node)]; }
};

class NodeBuilder {
 public:
  NodeBuilder(const Declaration &declaration, Host &host)
      : declaration(declaration), host(host), clones(static_cast<size_t>(declaration.count())),
        scratch(static_cast<size_t>(declaration.n_rows)) {
    table.begins = {0, declaration.n_rows};
  }

  Nodes build() {
    int64_t n_declared = declaration.count(), emptied = -1;
    for (int64_t node = 0; node < n_declared; node++) select_rows(node);
    for (int64_t node = n_declared - 1; node >= 0; node--) {
      /* If several nodes are empty and may not be, the first one counts; children are before their parents. */
      if (find_empty(node) && (emptied < 0 || !declaration.is_within(emptied, node))) emptied = node;
    }
    if (emptied >= 0) {
      refuse(
          "spec",
          text(declaration.is_leaf(emptied) ? "no rows" : "no children left", " at '", declaration.path(emptied), "'"),
          "leave something to draw at the root and at every node without 'prune'",
          "Give the node 'prune: individual' or 'prune: parent', or look at its condition."
      );
    }
    for (int64_t node = 0; node < n_declared; node++) number_clones(node);
    if (n_options > LARGEST_COUNT) {
      refuse("spec", "more", text("make at most ", LARGEST_COUNT, " nodes and rows of leaves"));
    }
    Nodes nodes = numbered_nodes();
    Numbers<uint8_t> marks(static_cast<size_t>(declaration.n_rows));
    std::fill(marks.begin(), marks.end(), uint8_t(0));
    for (int64_t node = 0; node < n_declared; node++) count_rows(node, marks, nodes);
    return nodes;
  }

 private:
  /* All clones of a declared node. Those without a column have the rows of their parents. */
  struct Clones {
    std::shared_ptr<const Rows> rows;       /* clone after clone; all rows of the table in order if there are none */
    std::vector<int64_t> begins;            /* of the rows of each, and the end */
    std::vector<int32_t> parents, values;   /* of clones for values: the clone of the parent, and the code */
    std::vector<int64_t> sizes, numbers;    /* the nodes in the subtree of each, 0 if it is pruned; its number */
    std::vector<int64_t> next;              /* the number of its next child */

    int64_t count() const { return static_cast<int64_t>(begins.size()) - 1; }
    int32_t row(int64_t place) const { return rows ? (*rows)[size_t(place)] : int32_t(place); }
    int64_t parent(int64_t clone) const { return parents.empty() ? clone : parents[size_t(clone)]; }
    int64_t n_rows(int64_t clone) const { return begins[size_t(clone) + 1] - begins[size_t(clone)]; }

    /* Call visit(place, row, clone) for all rows. */
    template <class Visit>
    void visit_rows(Host &host, Visit visit) const {
      for (int64_t clone = 0; clone < count(); clone++) {
        for (int64_t place = begins[size_t(clone)]; place < begins[size_t(clone) + 1]; place++) {
          visit(place, row(place), clone);
          host.go_on(1);
        }
      }
    }
  };

  const Declaration &declaration;
  Host &host;
  Clones table; /* the parent of the root: one clone with all rows */
  std::vector<Clones> clones;
  Rows scratch;
  int64_t n_options = 0;

  Clones &of(int64_t node) { return clones[static_cast<size_t>(node)]; }
  Clones &above(int64_t node) { return node == 0 ? table : of(declaration.parents[node]); }

  void select_rows(int64_t node) {
    Clones &mine = of(node);
    if (declaration.selections[node] == ALL_ROWS) {
      mine.rows = above(node).rows;
      mine.begins = above(node).begins;
    } else if (declaration.selections[node] == CONDITION) {
      filter_rows(node);
    } else {
      make_clones(node);
    }
    mine.sizes.assign(static_cast<size_t>(mine.count()), 0);
    mine.numbers = mine.next = mine.sizes;
  }

  void filter_rows(int64_t node) {
    Clones &mine = of(node);
    int64_t n_kept = 0, taken = declaration.taken_begins[static_cast<size_t>(node)] + 1;
    mine.begins.assign(above(node).begins.size(), 0);
    above(node).visit_rows(host, [&](int64_t, int32_t row, int64_t clone) {
      uint8_t is_taken = declaration.taken[taken + declaration.code(node, row)];
      scratch[static_cast<size_t>(n_kept)] = row;
      n_kept += is_taken;
      mine.begins[static_cast<size_t>(clone) + 1] += is_taken;
    });
    std::partial_sum(mine.begins.begin(), mine.begins.end(), mine.begins.begin());
    mine.rows = std::make_shared<const Rows>(scratch.begin(), scratch.begin() + n_kept);
  }

  /* Make a clone for each value among the rows of each clone of the parent, in order of first appearance. */
  void make_clones(int64_t node) {
    Clones &mine = of(node);
    int64_t n_values = declaration.n_values[declaration.columns[node]], n_missing = 0;
    std::vector<int64_t> last(static_cast<size_t>(n_values) + 1, -1), made(last.size());
    mine.begins = {0};
    above(node).visit_rows(host, [&](int64_t place, int32_t row, int64_t clone) {
      int64_t code = declaration.code(node, row);
      n_missing += code < 0;
      int32_t &own = scratch[static_cast<size_t>(place)];
      own = -1;
      if (code < 0 && declaration.selections[node] != CLONES_OF_MISSING) return;
      size_t value = static_cast<size_t>(code < 0 ? n_values : code);
      if (std::exchange(last[value], clone) != clone) {
        made[value] = static_cast<int64_t>(mine.parents.size());
        mine.parents.push_back(static_cast<int32_t>(clone));
        mine.values.push_back(static_cast<int32_t>(value));
        mine.begins.push_back(0);
      }
      own = static_cast<int32_t>(made[value]);
      mine.begins[static_cast<size_t>(own) + 1]++;
    });
    if (n_missing > 0 && declaration.selections[node] == CLONES) {
      refuse(
          "missing", text("'error', while ", count_of(n_missing, "row"), " of ", above(node).begins.back(), " ",
                          n_missing == 1 ? "lacks" : "lack", " a value,"),
          text("be 'stratum' or 'drop' at node '", declaration.path(node), "'")
      );
    }
    std::partial_sum(mine.begins.begin(), mine.begins.end(), mine.begins.begin());
    std::vector<int64_t> cursors = mine.begins;
    Rows rows(static_cast<size_t>(mine.begins.back()));
    above(node).visit_rows(host, [&](int64_t place, int32_t row, int64_t) {
      int32_t own = scratch[static_cast<size_t>(place)];
      if (own >= 0) rows[static_cast<size_t>(cursors[static_cast<size_t>(own)]++)] = row;
    });
    mine.rows = std::make_shared<const Rows>(std::move(rows));
  }

  /* Find the empty clones of a declared node, and update the parent's clones; return whether one of them may not be
   * empty. Children come before their parents.
   */
  bool find_empty(int64_t node) {
    Clones &mine = of(node);
    bool is_leaf = declaration.is_leaf(node), any_empty = false;
    for (int64_t clone = 0; clone < mine.count(); clone++) {
      /* Below 0: a child has pruned it, too. For inner nodes, 0 means that no child is left. */
      int64_t &size = mine.sizes[static_cast<size_t>(clone)];
      size = is_leaf ? mine.n_rows(clone) > 0 : size > 0 ? size + 1 : 0;
      any_empty = any_empty || size == 0;
      if (node == 0) break;
      int64_t &of_parent = above(node).sizes[static_cast<size_t>(mine.parent(clone))];
      if (size == 0 && declaration.prunings[node] == PARENT_TOO) {
        of_parent = -1;
      } else if (of_parent >= 0) {
        of_parent += size;
      }
    }
    return any_empty && (node == 0 || declaration.prunings[node] == NOTHING);
  }

  /* Number the remaining clones of a declared node, and prune those below removed ones. */
  void number_clones(int64_t node) {
    Clones &mine = of(node);
    for (int64_t clone = 0; clone < mine.count(); clone++) {
      size_t place = static_cast<size_t>(clone), parent = static_cast<size_t>(mine.parent(clone));
      if (node > 0 && above(node).sizes[parent] == 0) mine.sizes[place] = 0;
      if (mine.sizes[place] == 0) continue;
      if (node > 0) {
        mine.numbers[place] = above(node).next[parent];
        above(node).next[parent] += mine.sizes[place];
      }
      mine.next[place] = mine.numbers[place] + 1;
      n_options += (declaration.is_leaf(node) ? mine.n_rows(clone) : 0) + (node > 0);
    }
  }

  /* Call visit(number, clone) for the remaining clones of a declared node. */
  template <class Visit>
  void visit_nodes(int64_t node, Visit visit) {
    const Clones &mine = of(node);
    for (int64_t clone = 0; clone < mine.count(); clone++) {
      if (mine.sizes[size_t(clone)] > 0) visit(size_t(mine.numbers[size_t(clone)]), clone);
    }
  }

  Nodes numbered_nodes() {
    Nodes nodes;
    size_t n_nodes = static_cast<size_t>(of(0).sizes[0]);
    nodes.declared.resize(n_nodes);
    nodes.values = nodes.parents = nodes.depths = nodes.declared;
    nodes.rows.resize(n_nodes);
    nodes.untaken = nodes.rows;
    nodes.offsets.resize(n_nodes + 1);
    for (int64_t node = 0; node < declaration.count(); node++) {
      visit_nodes(node, [&](size_t number, int64_t clone) {
        const Clones &mine = of(node);
        nodes.declared[number] = static_cast<int32_t>(node);
        nodes.values[number] = mine.values.empty() ? -1 : mine.values[static_cast<size_t>(clone)];
        nodes.parents[number] = node == 0 ? -1 : int32_t(above(node).numbers[static_cast<size_t>(mine.parent(clone))]);
        nodes.depths[number] = static_cast<int32_t>(declaration.depths[static_cast<size_t>(node)]);
        nodes.rows[number] = mine.n_rows(clone);
        if (declaration.is_leaf(node)) nodes.offsets[number + 1] = mine.n_rows(clone);
        if (node > 0) nodes.offsets[static_cast<size_t>(nodes.parents[number]) + 1]++;
      });
    }
    std::partial_sum(nodes.offsets.begin(), nodes.offsets.end(), nodes.offsets.begin());
    nodes.options.resize(static_cast<size_t>(n_options));
    std::vector<int64_t> cursors = nodes.offsets;
    for (size_t number = 1; number < n_nodes; number++) {
      nodes.options[static_cast<size_t>(cursors[static_cast<size_t>(nodes.parents[number])]++)] = int32_t(number);
    }
    for (int64_t node = 0; node < declaration.count(); node++) {
      if (!declaration.is_leaf(node)) continue;
      visit_nodes(node, [&](size_t number, int64_t clone) {
        int64_t begin = of(node).begins[static_cast<size_t>(clone)];
        for (int64_t i = 0; i < nodes.rows[number]; i++) {
          nodes.options[static_cast<size_t>(nodes.offsets[number] + i)] = of(node).row(begin + i);
        }
      });
    }
    return nodes;
  }

  /* Count the rows of the nodes of a declared one that no child takes. The marks of rows are all 0, also afterwards. */
  void count_rows(int64_t node, Numbers<uint8_t> &marks, Nodes &nodes) {
    if (declaration.is_leaf(node)) return;
    auto mark = [&](int64_t marked, uint8_t value) {
      visit_nodes(marked, [&](size_t, int64_t clone) {
        const Clones &theirs = of(marked);
        for (int64_t i = 0; i < theirs.n_rows(clone); i++) {
          marks[static_cast<size_t>(theirs.row(theirs.begins[static_cast<size_t>(clone)] + i))] = value;
        }
        host.go_on(theirs.n_rows(clone));
      });
    };
    for (int64_t child = node + 1; child < declaration.count() && declaration.parents[child] >= node; child++) {
      if (declaration.parents[child] == node) mark(child, 1);
    }
    visit_nodes(node, [&](size_t number, int64_t clone) {
      int64_t begin = of(node).begins[static_cast<size_t>(clone)];
      for (int64_t i = 0; i < nodes.rows[number]; i++) {
        nodes.untaken[number] += marks[static_cast<size_t>(of(node).row(begin + i))] == 0;
      }
    });
    mark(node, 0);
  }
};

}  // namespace pystrat
