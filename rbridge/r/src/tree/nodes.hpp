/* The nodes of a declared tree for a table: the rows that each node selects, clones, pruning, numbers in preorder.
 *
 * A declared node has one clone for each clone of its parent, or, if it clones, one for each value among the rows of
 * each of these. All clones of a declared node are handled together. They share no row, and their rows are stored one
 * clone after another, so that thousands of clones cost little more than one.
 */

#pragma once

#include <limits>
#include <memory>
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

/* A declared node. Hosts give these numbers of each node, one node after another. */
struct DeclaredNode {
  static constexpr int64_t N_NUMBERS = 9;

  int32_t parent; /* -1 for the root */
  uint8_t selection, mode, pruning;
  int32_t repeat;     /* how many times in a row each option is used */
  int32_t column;     /* of the condition or the clones, -1 for none */
  double weight;      /* among siblings, -1 for none */
  int32_t summed;     /* instead, the column whose sum is the weight: -1 counts rows, -2 is none */
  int32_t row_weight; /* the numbers that weigh the rows of a leaf: a column, -1 for none */

  bool has_weight() const { return weight >= 0 || summed >= -1; }
};

inline const char *OF_TREE = "be numbers of the nodes or columns of a tree";

/* The declared nodes, in preorder, and the columns of the table that they use, one after another. */
struct Declaration {
  const int64_t n_rows;
  List<std::string> names;
  List<DeclaredNode> nodes;
  const View<int32_t> n_values, codes; /* of columns: the limit of the codes, -1 is missing; n_rows codes of each */
  const View<uint8_t> taken;   /* of each condition: 1 if missing values, then those of each code, meet it */
  const View<double> numbers; /* n_rows of each column of numbers */
  List<int64_t> taken_begins, depths;

  Declaration(const Values &given, Host &host)
      : n_rows(given.count("n_rows")), n_values(given.array<int32_t>("n_values", OF_TREE)),
        codes(given.array<int32_t>("column_codes", OF_TREE)), taken(given.array<uint8_t>("taken", OF_TREE)),
        numbers(given.array<double>("numbers", OF_TREE)) {
    names.emplace_back();
    for (uint8_t byte : given.array<uint8_t>("names", "be the names of nodes")) {
      if (byte == 0x1f) names.emplace_back();
      else names.back() += static_cast<char>(byte);
    }
    read_nodes(given.array<double>("nodes", OF_TREE));
    check_columns(host);
  }

  const DeclaredNode &operator[](int64_t node) const { return nodes[node]; }
  int64_t count() const { return nodes.count(); }
  bool is_leaf(int64_t node) const { return node + 1 == count() || nodes[node + 1].parent != node; }
  int32_t code(int64_t node, int64_t row) const { return codes[nodes[node].column * n_rows + row]; }
  double number(int64_t column, int64_t row) const { return numbers[column * n_rows + row]; }

  /* Whether a node is another one, or below it. */
  bool is_within(int64_t node, int64_t other) const {
    while (node > other) node = nodes[node].parent;
    return node == other;
  }

  std::string path(int64_t node) const {
    return node == 0 ? names[node] : path(nodes[node].parent) + "/" + names[node];
  }

 private:
  static void require(bool fits) {
    if (!fits) refuse("recipe", "others", "have the nodes and the columns of a tree");
  }

  /* Read the nodes: their numbers are within limits, and parents are before their children, in preorder. */
  void read_nodes(View<double> given) {
    double n = static_cast<double>(names.count()), n_numbers = static_cast<double>(numbers.length / n_rows);
    double most_column = static_cast<double>(n_values.length) - 1, most = std::numeric_limits<double>::max();
    const double limits[][2] = {{-1, n - 1}, {ALL_ROWS, CLONES_OF_PRESENT}, {REPLACEMENT, SHUFFLED},
                                {NOTHING, PARENT_TOO}, {1, LARGEST_COUNT}, {-1, most_column}, {-1, most},
                                {-2, n_numbers - 1}, {-1, n_numbers - 1}};
    require(given.length == names.count() * DeclaredNode::N_NUMBERS);
    for (int64_t i = 0; i < given.length; i++) {
      const double *limit = limits[i % DeclaredNode::N_NUMBERS];
      require(given[i] >= limit[0] && given[i] <= limit[1]);
    }
    for (const double *one = given.begin(); one != given.end(); one += DeclaredNode::N_NUMBERS) {
      int64_t node = nodes.count(), parent = static_cast<int64_t>(one[0]);
      require(node == 0 ? parent == -1 : parent >= 0 && parent < node && is_within(node - 1, parent));
      nodes.push_back({int32_t(one[0]), uint8_t(one[1]), uint8_t(one[2]), uint8_t(one[3]), int32_t(one[4]),
                       int32_t(one[5]), one[6], int32_t(one[7]), int32_t(one[8])});
      depths.push_back(node == 0 ? 0 : depths[parent] + 1);
      require(depths.back() < 1000); /* nodes are gone through by recursion */
      require(nodes[node].selection == ALL_ROWS || nodes[node].column >= 0);
    }
  }

  /* Check that conditions and numbers are those of all columns, and codes are within limits. */
  void check_columns(Host &host) {
    int64_t n_taken = 0;
    for (int32_t limit : n_values) require(limit >= 0 && limit <= n_rows);
    for (const DeclaredNode &node : nodes) {
      taken_begins.push_back(n_taken);
      if (node.selection == CONDITION) n_taken += n_values[node.column] + 1;
    }
    require(taken.length == n_taken && std::all_of(taken.begin(), taken.end(), [](uint8_t flag) { return flag < 2; }));
    require(numbers.length % n_rows == 0 && codes.length == n_values.length * n_rows);
    for (int64_t column = 0; column < n_values.length; column++) {
      const int32_t *own = codes.values + column * n_rows, limit = n_values[column];
      require(std::all_of(own, own + n_rows, [&](int32_t code) { return code >= -1 && code < limit; }));
      host.go_on(n_rows);
    }
  }
};

/* The nodes, numbered in preorder: the root is 0, and children have higher numbers than their parents. */
struct Nodes {
  List<int32_t> declared, parents, depths;
  List<int32_t> values;  /* the code for which a clone was made, the number of values if missing; or -1 */
  List<int64_t> rows;    /* the number of rows that each selects */
  List<int64_t> untaken; /* those of them that no child takes, 0 for leaves */
  List<int64_t> offsets; /* of the options: children, or rows at the leaves */
  Rows options;

  int64_t count() const { return declared.count(); }
  int64_t begin(int64_t node) const { return offsets[node]; }
  int64_t n_options(int64_t node) const { return begin(node + 1) - begin(node); }
  bool is_leaf(int64_t node) const { return node + 1 == count() || depths[node + 1] <= depths[node]; }
};

class NodeBuilder {
 public:
  NodeBuilder(const Declaration &declaration, Host &host)
      : declaration(declaration), host(host), clones(declaration.count()), scratch(declaration.n_rows) {
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
    List<int32_t> marks(declaration.n_rows, -1);
    for (int32_t node = 0; node < n_declared; node++) count_rows(node, marks, nodes);
    return nodes;
  }

 private:
  /* All clones of a declared node. Those without a column have the rows of their parents. */
  struct Clones {
    std::shared_ptr<const Rows> rows;       /* clone after clone; all rows of the table in order if there are none */
    List<int64_t> begins;            /* of the rows of each, and the end */
    List<int32_t> parents, values;   /* of clones for values: the clone of the parent, and the code */
    List<int64_t> sizes, numbers;    /* the nodes in the subtree of each, 0 if it is pruned; its number */
    List<int64_t> next;              /* the number of its next child */

    int64_t count() const { return static_cast<int64_t>(begins.size()) - 1; }
    int32_t row(int64_t place) const { return rows ? (*rows)[place] : int32_t(place); }
    int64_t parent(int64_t clone) const { return parents.empty() ? clone : parents[clone]; }
    int64_t n_rows(int64_t clone) const { return begins[clone + 1] - begins[clone]; }

    /* Call visit(place, row, clone) for all rows. */
    template <class Visit>
    void visit_rows(Host &host, Visit visit) const {
      for (int64_t clone = 0; clone < count(); clone++) {
        for (int64_t place = begins[clone]; place < begins[clone + 1]; place++) {
          visit(place, row(place), clone);
          host.go_on(1);
        }
      }
    }
  };

  const Declaration &declaration;
  Host &host;
  Clones table; /* the parent of the root: one clone with all rows */
  List<Clones> clones;
  Rows scratch;
  int64_t n_options = 0;

  Clones &of(int64_t node) { return clones[node]; }
  Clones &above(int64_t node) { return node == 0 ? table : of(declaration[node].parent); }

  void select_rows(int64_t node) {
    Clones &mine = of(node);
    if (declaration[node].selection == ALL_ROWS) {
      mine.rows = above(node).rows;
      mine.begins = above(node).begins;
    } else if (declaration[node].selection == CONDITION) {
      filter_rows(node);
    } else {
      make_clones(node);
    }
    mine.sizes = mine.numbers = mine.next = List<int64_t>(mine.count());
  }

  void filter_rows(int64_t node) {
    Clones &mine = of(node);
    int64_t n_kept = 0, taken = declaration.taken_begins[node] + 1;
    mine.begins.assign(above(node).begins.size(), 0);
    above(node).visit_rows(host, [&](int64_t, int32_t row, int64_t clone) {
      uint8_t is_taken = declaration.taken[taken + declaration.code(node, row)];
      scratch[n_kept] = row;
      n_kept += is_taken;
      mine.begins[clone + 1] += is_taken;
    });
    std::partial_sum(mine.begins.begin(), mine.begins.end(), mine.begins.begin());
    mine.rows = std::make_shared<const Rows>(scratch.begin(), scratch.begin() + n_kept);
  }

  /* Make a clone for each value among the rows of each clone of the parent, in order of first appearance. */
  void make_clones(int64_t node) {
    Clones &mine = of(node);
    int64_t n_values = declaration.n_values[declaration[node].column], n_missing = 0;
    List<int64_t> last(static_cast<size_t>(n_values) + 1, -1), made(n_values + 1);
    mine.begins = {0};
    above(node).visit_rows(host, [&](int64_t place, int32_t row, int64_t clone) {
      int64_t code = declaration.code(node, row);
      n_missing += code < 0;
      int32_t &own = scratch[place];
      own = -1;
      if (code < 0 && declaration[node].selection != CLONES_OF_MISSING) return;
      int64_t value = code < 0 ? n_values : code;
      if (std::exchange(last[value], clone) != clone) {
        made[value] = static_cast<int64_t>(mine.parents.size());
        mine.parents.push_back(static_cast<int32_t>(clone));
        mine.values.push_back(static_cast<int32_t>(value));
        mine.begins.push_back(0);
      }
      own = static_cast<int32_t>(made[value]);
      mine.begins[own + 1]++;
    });
    if (n_missing > 0 && declaration[node].selection == CLONES) {
      refuse(
          "missing", text("'error', while ", count_of(n_missing, "row"), " of ", above(node).begins.back(), " ",
                          n_missing == 1 ? "lacks" : "lack", " a value,"),
          text("be 'stratum' or 'drop' at node '", declaration.path(node), "'")
      );
    }
    std::partial_sum(mine.begins.begin(), mine.begins.end(), mine.begins.begin());
    List<int64_t> cursors = mine.begins;
    Rows rows(mine.begins.back());
    above(node).visit_rows(host, [&](int64_t place, int32_t row, int64_t) {
      int32_t own = scratch[place];
      if (own >= 0) rows[cursors[own]++] = row;
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
      int64_t &size = mine.sizes[clone];
      size = is_leaf ? mine.n_rows(clone) > 0 : size > 0 ? size + 1 : 0;
      any_empty = any_empty || size == 0;
      if (node == 0) break;
      int64_t &of_parent = above(node).sizes[mine.parent(clone)];
      if (size == 0 && declaration[node].pruning == PARENT_TOO) {
        of_parent = -1;
      } else if (of_parent >= 0) {
        of_parent += size;
      }
    }
    return any_empty && (node == 0 || declaration[node].pruning == NOTHING);
  }

  /* Number the remaining clones of a declared node, and prune those below removed ones. */
  void number_clones(int64_t node) {
    Clones &mine = of(node);
    for (int64_t clone = 0; clone < mine.count(); clone++) {
      int64_t parent = mine.parent(clone);
      if (node > 0 && above(node).sizes[parent] == 0) mine.sizes[clone] = 0;
      if (mine.sizes[clone] == 0) continue;
      if (node > 0) {
        mine.numbers[clone] = above(node).next[parent];
        above(node).next[parent] += mine.sizes[clone];
      }
      mine.next[clone] = mine.numbers[clone] + 1;
      n_options += (declaration.is_leaf(node) ? mine.n_rows(clone) : 0) + (node > 0);
    }
  }

  /* Call visit(number, clone) for the remaining clones of a declared node. */
  template <class Visit>
  void visit_nodes(int64_t node, Visit visit) {
    const Clones &mine = of(node);
    for (int64_t clone = 0; clone < mine.count(); clone++) {
      if (mine.sizes[clone] > 0) visit(mine.numbers[clone], clone);
    }
  }

  Nodes numbered_nodes() {
    Nodes nodes;
    int64_t n_nodes = of(0).sizes[0];
    nodes.declared = nodes.values = nodes.parents = nodes.depths = List<int32_t>(n_nodes);
    nodes.rows = nodes.untaken = List<int64_t>(n_nodes);
    nodes.offsets = List<int64_t>(n_nodes + 1);
    for (int64_t node = 0; node < declaration.count(); node++) {
      visit_nodes(node, [&](int64_t number, int64_t clone) {
        const Clones &mine = of(node);
        nodes.declared[number] = static_cast<int32_t>(node);
        nodes.values[number] = mine.values.empty() ? -1 : mine.values[clone];
        nodes.parents[number] = node == 0 ? -1 : int32_t(above(node).numbers[mine.parent(clone)]);
        nodes.depths[number] = static_cast<int32_t>(declaration.depths[node]);
        nodes.rows[number] = mine.n_rows(clone);
        if (declaration.is_leaf(node)) nodes.offsets[number + 1] = mine.n_rows(clone);
        if (node > 0) nodes.offsets[nodes.parents[number] + 1]++;
      });
    }
    std::partial_sum(nodes.offsets.begin(), nodes.offsets.end(), nodes.offsets.begin());
    nodes.options = Rows(n_options);
    List<int64_t> cursors = nodes.offsets;
    for (int64_t number = 1; number < n_nodes; number++) {
      nodes.options[cursors[nodes.parents[number]]++] = int32_t(number);
    }
    for (int64_t node = 0; node < declaration.count(); node++) {
      if (!declaration.is_leaf(node)) continue;
      visit_nodes(node, [&](int64_t number, int64_t clone) {
        int32_t *options = nodes.options.data() + nodes.offsets[number];
        for (int64_t i = 0; i < nodes.rows[number]; i++) options[i] = of(node).row(of(node).begins[clone] + i);
      });
    }
    return nodes;
  }

  /* Count the rows of the nodes of a declared one that no child takes; those of its children are marked with it. */
  void count_rows(int32_t node, List<int32_t> &marks, Nodes &nodes) {
    if (declaration.is_leaf(node)) return;
    for (int64_t child = node + 1; child < declaration.count() && declaration[child].parent >= node; child++) {
      if (declaration[child].parent != node) continue;
      const Clones &theirs = of(child);
      visit_nodes(child, [&](int64_t, int64_t clone) {
        for (int64_t i = theirs.begins[clone]; i < theirs.begins[clone + 1]; i++) marks[theirs.row(i)] = node;
        host.go_on(theirs.n_rows(clone));
      });
    }
    const Clones &mine = of(node);
    visit_nodes(node, [&](int64_t number, int64_t clone) {
      for (int64_t i = mine.begins[clone]; i < mine.begins[clone + 1]; i++) {
        nodes.untaken[number] += marks[mine.row(i)] != node;
      }
    });
  }
};

}  // namespace pystrat
