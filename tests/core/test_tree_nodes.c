/* The nodes of declared trees and their weights, compared with a recursion over single clones; and passes. */

#include <string.h>

#include "check.h"
#include "tree_building.h"
#include "tree_nodes.h"
#include "tree_pass.h"
#include "tree_weights.h"

enum { MOST_DECLARED = 9, MOST_TABLE_ROWS = 40, N_COLUMNS = 3, MOST_NODES = 4000, MOST_OPTIONS = 8000 };

static uint64_t choices = 1; /* what the tests themselves choose */

static int64_t below(int64_t limit) { return some_number(&choices, limit); }

/* A declared tree and a table. */
static NodeDeclaration declared[MOST_DECLARED];
static WeightDeclaration weighed[MOST_DECLARED];
static int64_t n_declared, n_rows, n_values[N_COLUMNS];
static int32_t codes[N_COLUMNS][MOST_TABLE_ROWS];
static uint8_t taken[MOST_DECLARED][MOST_TABLE_ROWS + 2];
static double numbers[MOST_TABLE_ROWS];

static void declare_node(int64_t parent, int64_t depth) {
  int64_t node = n_declared++;
  int64_t column = below(N_COLUMNS);
  NodeDeclaration *mine = &declared[node];
  mine->parent = parent;
  mine->codes = below(3) > 0 ? codes[column] : NULL;
  mine->n_values = n_values[column];
  mine->taken = NULL;
  if (parent < 0 || below(2) == 0) {
    for (int64_t i = 0; i <= mine->n_values; i++) taken[node][i] = below(3) > 0;
    mine->taken = taken[node];
  }
  mine->missing = below(9) == 0 ? MISSING_REFUSED : below(2) == 0 ? MISSING_CLONED : MISSING_LEFT_OUT;
  mine->prune = below(12) == 0 ? NEVER_PRUNED : below(4) == 0 ? PRUNED_WITH_PARENT : PRUNED_ALONE;
  for (int64_t n_children = below(4); depth < 3 && n_children > 0 && n_declared < MOST_DECLARED; n_children--) {
    declare_node(node, depth + 1);
  }
}

static int is_declared_leaf(int64_t node) { return node + 1 == n_declared || declared[node + 1].parent != node; }

static void declare_tree(void) {
  n_rows = 1 + below(MOST_TABLE_ROWS);
  for (int column = 0; column < N_COLUMNS; column++) {
    n_values[column] = 1 + below(column == 0 ? 3 : 12);
    for (int64_t row = 0; row < n_rows; row++) {
      codes[column][row] = (int32_t)(below(15) == 0 ? -1 : below(n_values[column]));
    }
  }
  for (int64_t row = 0; row < n_rows; row++) numbers[row] = (double)below(7) / 3;
  n_declared = 0;
  declare_node(-1, 0);
  for (int64_t node = 0; node < n_declared; node++) {
    WeightDeclaration *mine = &weighed[node];
    mine->form = node == 0 ? NO_WEIGHT : (int)below(4);
    mine->mode = (int)below(3);
    mine->weight = (double)below(5) / 7;
    mine->summed = mine->form == SUM_OF_ROWS ? numbers : NULL;
    mine->row_weights = is_declared_leaf(node) && mine->mode == WITH_REPLACEMENT && below(2) == 0 ? numbers : NULL;
  }
}

/* What the recursion finds. */
typedef struct {
  int64_t n_nodes, n_options;
  int64_t declared[MOST_NODES], values[MOST_NODES], parents[MOST_NODES], depths[MOST_NODES];
  int64_t n_rows[MOST_NODES], untaken[MOST_NODES];
  double sums[MOST_NODES];
  int64_t options[MOST_OPTIONS], option_nodes[MOST_OPTIONS];
} Found;

static Found found;
static int any_missing[MOST_DECLARED], any_emptied[MOST_DECLARED];

static int visit(int64_t node, int64_t value, int64_t parent, int64_t depth, const int64_t *rows, int64_t count);

/* Visit the clones of a declared node for one clone of its parent; return whether one that is empty takes it along.
 * The rows of those that are left are marked.
 */
static int visit_clones(
    int64_t node, int64_t parent, int64_t depth, const int64_t *rows, int64_t count, uint8_t *marks
) {
  const NodeDeclaration *mine = &declared[node];
  int64_t chosen[MOST_TABLE_ROWS], done[MOST_TABLE_ROWS], n_done = 0;
  int takes_along = 0;
  for (int64_t first = 0; first < (mine->codes && !mine->taken ? count : 1); first++) {
    int64_t n_chosen = 0, value = -1;
    if (mine->codes && !mine->taken) {
      value = mine->codes[rows[first]];
      if (value < 0) any_missing[node] |= mine->missing == MISSING_REFUSED;
      if (value < 0 && mine->missing != MISSING_CLONED) continue;
      int again = 0;
      for (int64_t i = 0; i < n_done; i++) again |= done[i] == value;
      if (again) continue;
      done[n_done++] = value;
    }
    for (int64_t i = 0; i < count; i++) {
      int64_t code = mine->codes ? mine->codes[rows[i]] : 0;
      if (!mine->codes || (mine->taken ? mine->taken[code + 1] : code == value)) chosen[n_chosen++] = rows[i];
    }
    if (mine->codes && !mine->taken && value < 0) value = mine->n_values;
    int left = visit(node, value, parent, depth, chosen, n_chosen);
    for (int64_t i = 0; i < n_chosen && left; i++) marks[chosen[i]] = 1;
    if (left) continue;
    any_emptied[node] |= mine->prune == NEVER_PRUNED || node == 0;
    takes_along |= mine->prune == PRUNED_WITH_PARENT;
  }
  return takes_along;
}

/* Visit one clone, number it and those below; return whether it is left. */
static int visit(int64_t node, int64_t value, int64_t parent, int64_t depth, const int64_t *rows, int64_t count) {
  int64_t number = found.n_nodes, n_options = found.n_options;
  uint8_t marks[MOST_TABLE_ROWS] = {0};
  CHECK(number < MOST_NODES - 1 && n_options < MOST_OPTIONS - MOST_TABLE_ROWS);
  found.n_nodes++;
  found.declared[number] = node;
  found.values[number] = value;
  found.parents[number] = parent;
  found.depths[number] = depth;
  found.n_rows[number] = count;
  found.untaken[number] = 0;
  found.sums[number] = 0;
  if (parent >= 0) {
    found.options[found.n_options] = number;
    found.option_nodes[found.n_options++] = parent;
  }
  int is_left = 0, is_taken_along = 0;
  if (is_declared_leaf(node)) {
    is_left = count > 0;
    for (int64_t i = 0; i < count; i++) {
      found.options[found.n_options] = rows[i];
      found.option_nodes[found.n_options++] = number;
      found.sums[number] += numbers[rows[i]];
    }
  } else {
    for (int64_t child = node + 1; child < n_declared; child++) {
      if (declared[child].parent == node) is_taken_along |= visit_clones(child, number, depth + 1, rows, count, marks);
    }
    is_left = found.n_nodes > number + 1 && !is_taken_along;
    for (int64_t i = 0; i < count; i++) found.untaken[number] += !marks[rows[i]];
    for (int64_t other = number + 1; other < found.n_nodes; other++) {
      if (found.parents[other] == number) found.sums[number] += found.sums[other];
    }
  }
  if (is_left) return 1;
  found.n_nodes = number;
  found.n_options = n_options;
  return 0;
}

static PlainHost host;

static int build(NodeBuilding *building) { return build_tree(declared, n_declared, n_rows, building, &host); }

static int find_first_emptied(void) {
  int first = -1;
  for (int64_t node = n_declared - 1; node >= 0; node--) {
    if (!any_emptied[node]) continue;
    int64_t at = first;
    while (at > node) at = declared[at].parent;
    if (first < 0 || at != node) first = (int)node; /* children are before their parents, else the order is kept */
  }
  return first;
}

static void nodes_are_those_of_the_recursion(NodeBuilding *building, TreeNodes *nodes) {
  CHECK_EQUAL(building->n_nodes, found.n_nodes);
  CHECK_EQUAL(building->n_options, found.n_options);
  int64_t *node_rows = new_array(building->n_nodes, sizeof(int64_t));
  int64_t *untaken = new_array(building->n_nodes, sizeof(int64_t));
  uint8_t *marks = calloc((size_t)n_rows, 1);
  fill_nodes(building, nodes);
  for (int64_t node = 0; node < building->n_declared; node++) {
    count_node_rows(building, node, marks, node_rows, untaken);
  }
  int64_t begin = 0;
  for (int64_t node = 0; node < building->n_nodes; node++) {
    CHECK_EQUAL(nodes->declared[node], found.declared[node]);
    CHECK_EQUAL(nodes->values[node], found.values[node]);
    CHECK_EQUAL(nodes->parents[node], found.parents[node]);
    CHECK_EQUAL(nodes->depths[node], found.depths[node]);
    CHECK_EQUAL(node_rows[node], found.n_rows[node]);
    CHECK_EQUAL(untaken[node], found.untaken[node]);
    CHECK_EQUAL(nodes->offsets[node], begin);
    for (int64_t i = 0; i < found.n_options; i++) {
      if (found.option_nodes[i] == node) CHECK_EQUAL(nodes->options[begin++], found.options[i]);
    }
  }
  CHECK_EQUAL(nodes->offsets[building->n_nodes], begin);
  free(node_rows);
  free(untaken);
  free(marks);
}

/* The leaves of a clone count its rows, so that rows in two leaves count twice. */
static double count_leaf_rows(int64_t node) {
  double count = 0;
  for (int64_t i = 0; i < found.n_options; i++) {
    if (found.option_nodes[i] != node) continue;
    count += is_declared_leaf(found.declared[node]) ? 1 : count_leaf_rows(found.options[i]);
  }
  return count;
}

static double expected_weight(int64_t node, int64_t option) {
  const WeightDeclaration *mine = &weighed[found.declared[node]];
  if (is_declared_leaf(found.declared[node])) return mine->row_weights ? numbers[option] : 1;
  switch (weighed[found.declared[option]].form) {
    case FIXED_WEIGHT: return weighed[found.declared[option]].weight;
    case SUM_OF_ROWS: return found.sums[option];
    case COUNT_OF_ROWS: return count_leaf_rows(option);
    default: return 1;
  }
}

static void weights_are_those_of_the_recursion(const NodeBuilding *building, const TreeNodes *nodes) {
  Weighing weighing;
  CHECK_EQUAL(weigh_tree(building, weighed, nodes, &weighing), WEIGHTS_FOUND);
  for (int64_t node = 0; node < building->n_nodes; node++) {
    const WeightDeclaration *mine = &weighed[found.declared[node]];
    bool any = mine->row_weights != NULL;
    for (int64_t child = 0; child < n_declared; child++) {
      any = any || (declared[child].parent == found.declared[node] && weighed[child].form != NO_WEIGHT);
    }
    CHECK_EQUAL(mine->matter, any && mine->mode == WITH_REPLACEMENT);
    int64_t begin = nodes->offsets[node], n_options = nodes->offsets[node + 1] - begin;
    double total = 0, *weights = new_array(n_options, sizeof *weights);
    int outcome = mine->matter ? weigh_options_of(&weighing, node, weights) : WEIGHTS_FOUND;
    for (int64_t i = 0; i < n_options; i++) {
      double expected = expected_weight(node, nodes->options[begin + i]);
      total += expected;
      if (mine->matter) CHECK(weights[i] == expected);
      if (!is_declared_leaf(found.declared[node])) CHECK(weighing.chances[nodes->options[begin + i]] == expected);
    }
    free(weights);
    CHECK_EQUAL(outcome, mine->matter && total == 0 ? TOTAL_REFUSED : WEIGHTS_FOUND);
    if (outcome == TOTAL_REFUSED) CHECK(weighing.failed == node && weighing.refused == 0);
  }
  free_weights(&weighing);
}

/* Build any tree; return how that ended. */
static int trees_are_those_of_the_recursion(void) {
  int64_t all[MOST_TABLE_ROWS];
  uint8_t marks[MOST_TABLE_ROWS] = {0};
  declare_tree();
  for (int64_t row = 0; row < n_rows; row++) all[row] = row;
  memset(any_missing, 0, sizeof(any_missing));
  memset(any_emptied, 0, sizeof(any_emptied));
  found.n_nodes = found.n_options = 0;
  visit_clones(0, -1, 0, all, n_rows, marks);
  int64_t first_missing = 0;
  while (first_missing < n_declared && !any_missing[first_missing]) first_missing++;

  NodeBuilding building;
  int outcome = build(&building);
  if (first_missing < n_declared) {
    CHECK_EQUAL(outcome, VALUES_MISSING);
    CHECK_EQUAL(building.failed, first_missing);
    CHECK(building.n_missing > 0 && building.n_missing <= building.n_looked_at);
  } else if (find_first_emptied() >= 0) {
    int64_t nodes[MOST_DECLARED], values[MOST_DECLARED];
    CHECK_EQUAL(outcome, NOTHING_TO_DRAW);
    CHECK_EQUAL(building.emptied, find_first_emptied());
    tell_path(&building, building.failed, building.failed_clone, nodes, values);
    int64_t depth = building.clones[building.failed].depth;
    CHECK(nodes[depth] == building.failed && nodes[building.clones[building.emptied].depth] == building.emptied);
    for (; depth > 0; depth--) CHECK_EQUAL(declared[nodes[depth]].parent, nodes[depth - 1]);
  } else {
    CHECK_EQUAL(outcome, NODES_FOUND);
    TreeNodes nodes = new_nodes(&building);
    nodes_are_those_of_the_recursion(&building, &nodes);
    weights_are_those_of_the_recursion(&building, &nodes);
    free_nodes(&nodes);
  }
  free_host(&host);
  return outcome;
}

/* A root over a clone for each of two values, which lose their only child where its condition is not met. */
static void the_culprit_is_found_downwards(void) {
  static const uint8_t first_value[] = {0, 1, 0};
  n_rows = 4;
  for (int32_t row = 0; row < 4; row++) codes[0][row] = row % 2;
  const NodeDeclaration made[] = {
    {-1, NULL, 0, NULL, MISSING_REFUSED, NEVER_PRUNED},
    {0, codes[0], 2, NULL, MISSING_REFUSED, NEVER_PRUNED},
    {1, NULL, 0, NULL, MISSING_REFUSED, PRUNED_ALONE},
    {1, codes[0], 2, first_value, MISSING_REFUSED, PRUNED_WITH_PARENT}
  };
  memcpy(declared, made, sizeof(made));
  n_declared = LENGTH(made);
  NodeBuilding building;
  int64_t nodes[MOST_DECLARED], values[MOST_DECLARED];
  CHECK_EQUAL(build(&building), NOTHING_TO_DRAW);
  CHECK(building.emptied == 1 && building.failed == 3 && building.failed_clone == 1);
  tell_path(&building, building.failed, building.failed_clone, nodes, values);
  CHECK(nodes[0] == 0 && nodes[1] == 1 && nodes[2] == 3);
  CHECK(values[0] == -1 && values[1] == 1 && values[2] == -1);
  free_host(&host);
}

/* A root over a leaf of two rows, with numbers that are no weights. */
static void numbers_that_are_no_weights_are_refused(void) {
  const double wrong[] = {-1, DBL_MAX * 10, (DBL_MAX * 10) * 0};
  const NodeDeclaration made[] = {
    {-1, NULL, 0, NULL, MISSING_REFUSED, NEVER_PRUNED}, {0, NULL, 0, NULL, MISSING_REFUSED, NEVER_PRUNED}
  };
  memcpy(declared, made, sizeof(made));
  n_declared = 2;
  n_rows = 2;
  for (int of_rows = 0; of_rows < 2; of_rows++) {
    for (size_t i = 0; i < LENGTH(wrong); i++) {
      NodeBuilding building;
      Weighing weighing;
      numbers[0] = 1;
      numbers[1] = wrong[i];
      memset(weighed, 0, sizeof(weighed));
      if (of_rows) weighed[1].row_weights = numbers;
      weighed[1].form = of_rows ? NO_WEIGHT : SUM_OF_ROWS;
      weighed[1].summed = numbers;
      CHECK_EQUAL(build(&building), NODES_FOUND);
      TreeNodes nodes = new_nodes(&building);
      fill_nodes(&building, &nodes);
      int outcome = weigh_tree(&building, weighed, &nodes, &weighing);
      double weights[2];
      if (of_rows && outcome == WEIGHTS_FOUND) outcome = weigh_options_of(&weighing, 1, weights);
      CHECK_EQUAL(outcome, NUMBER_REFUSED);
      CHECK(weighing.failed == 1 && weighing.of_rows == (of_rows != 0));
      CHECK(weighing.refused == wrong[i] || wrong[i] != wrong[i]);
      free_weights(&weighing);
      free_nodes(&nodes);
      free_host(&host);
    }
  }
}

/* A root over leaves of 5 rows, each twice, and of 2 rows; the root gives each of them 3 draws in turn. */
static void passes_follow_the_sums(void) {
  static const uint8_t modes[] = {IN_SEQUENCE, SHUFFLED, SHUFFLED}, wrong[] = {IN_SEQUENCE, SHUFFLED, WITH_REPLACEMENT};
  static const int32_t parents[] = {-1, 0, 0}, depths[] = {0, 1, 1};
  static const int64_t offsets[] = {0, 2, 7, 9};
  static const int32_t repeats[] = {3, 2, 1}, many[] = {1, INT32_MAX, INT32_MAX};
  int64_t most[3];
  CHECK_EQUAL(pass_length(parents, depths, offsets, repeats, 3, 1, most), 24);
  CHECK_EQUAL(pass_length(parents, depths, offsets, repeats, 3, 2, most), 6);
  CHECK_EQUAL(pass_length(parents, depths, offsets, repeats, 3, 0, most), 24);
  CHECK_EQUAL(pass_length(parents, depths, offsets, many, 3, 1, most), INT64_C(10) * INT32_MAX);
  CHECK_EQUAL(find_replacement(modes, parents, depths, 3, 0), -1);
  CHECK_EQUAL(find_replacement(wrong, parents, depths, 3, 0), 2);
  CHECK_EQUAL(find_replacement(wrong, parents, depths, 3, 1), -1);
}

/* A chain of nodes, each of which needs as many draws as there are for all rows below, some 2^31 times. */
static void a_pass_of_too_many_draws_has_an_end(void) {
  static const uint8_t modes[] = {SHUFFLED, SHUFFLED, WITH_REPLACEMENT, SHUFFLED};
  static const int32_t parents[] = {-1, 0, 1, 2}, depths[] = {0, 1, 2, 3};
  static const int64_t offsets[] = {0, 1, 2, 3, INT32_MAX};
  static const int32_t repeats[] = {INT32_MAX, 3, INT32_MAX, INT32_MAX};
  int64_t most[4];
  CHECK_EQUAL(pass_length(parents, depths, offsets, repeats, 4, 0, most), ENDLESS_PASS);
  CHECK_EQUAL(pass_length(parents, depths, offsets, repeats, 4, 3, most), ENDLESS_PASS);
  CHECK_EQUAL(find_replacement(modes, parents, depths, 4, 3), 2);
}

int main(void) {
  int ends[4] = {0};
  for (int round = 0; round < 3000; round++) ends[trees_are_those_of_the_recursion()]++;
  CHECK(ends[NODES_FOUND] > 500 && ends[VALUES_MISSING] > 100 && ends[NOTHING_TO_DRAW] > 100);
  the_culprit_is_found_downwards();
  numbers_that_are_no_weights_are_refused();
  passes_follow_the_sums();
  a_pass_of_too_many_draws_has_an_end();
  return 0;
}
