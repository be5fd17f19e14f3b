/* The draws of declared trees, compared with a descent from the root to a row for each draw; and the grouping of
 * places. */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "grouping.h"
#include "tree.h"
#include "tree_drawing.h"

enum { MOST_NODES = 200, MOST_OPTIONS = 60 * MOST_NODES, MOST_DRAWS = 1000 };

static Generator choices; /* what the tests themselves choose */

static int64_t below(int64_t limit) {
  return (int64_t)index_below(&choices, (uint64_t)limit, bits_below((uint64_t)limit));
}

/* The arrays of a tree that a test has made. */
static int8_t modes[MOST_NODES], leaves[MOST_NODES];
static int64_t repeats[MOST_NODES], offsets[MOST_NODES + 1], cumulative_begin[MOST_NODES];
static int64_t by_depth[MOST_NODES], depths[MOST_NODES];
static int32_t options[MOST_OPTIONS];
static double cumulative[MOST_OPTIONS];
static DeclaredTree tree;

static int64_t depth_of[MOST_NODES], parent_of[MOST_NODES];

static void add_node(int64_t parent, int64_t depth, int64_t deepest) {
  int64_t node = tree.n_nodes++;
  parent_of[node] = parent;
  depth_of[node] = depth;
  leaves[node] = depth == deepest || below(3) == 0;
  if (leaves[node]) return;
  int64_t n_children = 1 + below(4);
  for (int64_t i = 0; i < n_children && tree.n_nodes < MOST_NODES - 1; i++) add_node(node, depth + 1, deepest);
  if (tree.n_nodes == node + 1) leaves[node] = 1;
}

/* A tree of any shape, with any modes, repeats, rows and weights. */
static void make_tree(int64_t deepest) {
  int64_t n_options = 0, n_weights = 0, n_sorted = 0;
  DeclaredTree made = {0, modes,   leaves,   repeats, offsets, options, cumulative_begin, cumulative, by_depth,
                       depths, (uint32_t)below(2147483647)};
  tree = made;
  add_node(-1, 0, deepest);
  for (int64_t node = 0; node < tree.n_nodes; node++) {
    offsets[node] = n_options;
    if (leaves[node]) {
      for (int64_t n_rows = 1 + below(below(8) == 0 ? 60 : 6); n_rows > 0; n_rows--) {
        options[n_options++] = (int32_t)below(1000);
      }
    } else {
      for (int64_t child = node + 1; child < tree.n_nodes; child++) {
        if (parent_of[child] == node) options[n_options++] = (int32_t)child;
      }
    }
    modes[node] = (int8_t)below(3);
    repeats[node] = below(2) == 0 ? 1 : below(4) == 0 ? INT64_MAX : 1 + below(5);
    cumulative_begin[node] = -1;
    if (modes[node] != WITH_REPLACEMENT || below(2) == 0) continue;
    cumulative_begin[node] = n_weights;
    double total = 0;
    for (int64_t i = offsets[node]; i < n_options; i++) {
      total += i == offsets[node] || below(3) > 0 ? next_uniform(&choices) + 0.125 : 0;
      cumulative[n_weights++] = total;
    }
  }
  offsets[tree.n_nodes] = n_options;
  for (int64_t depth = 0; n_sorted < tree.n_nodes; depth++) {
    for (int64_t node = 0; node < tree.n_nodes; node++) {
      if (depth_of[node] != depth) continue;
      depths[n_sorted] = depth;
      by_depth[n_sorted++] = node;
    }
  }
}

/* A node of the descent, with an option for each of its draws. */
typedef struct {
  Generator generator;
  int32_t pool[64];
  int64_t left, next, repeats;
  int32_t option;
} Node;

static Node nodes[MOST_NODES];

static void begin_descents(void) {
  memset(nodes, 0, sizeof(nodes));
  for (int64_t node = 0; node < tree.n_nodes; node++) {
    seed_generator(&nodes[node].generator, stream_seed(tree.seed, node));
  }
}

static int64_t index_of(Node *state, int64_t limit) {
  return (int64_t)index_below(&state->generator, (uint64_t)limit, bits_below((uint64_t)limit));
}

static int32_t fresh_option(int64_t number) {
  Node *state = &nodes[number];
  const int32_t *own = options + offsets[number];
  int64_t n_options = offsets[number + 1] - offsets[number];
  if (modes[number] == IN_SEQUENCE) return own[state->next++ % n_options];
  if (modes[number] == SHUFFLED) {
    if (state->left == 0) {
      for (int64_t i = 0; i < n_options; i++) state->pool[i] = own[i];
      state->left = n_options;
    }
    int64_t place = index_of(state, state->left);
    int32_t option = state->pool[place];
    state->pool[place] = state->pool[--state->left];
    return option;
  }
  if (cumulative_begin[number] < 0) return own[index_of(state, n_options)];
  const double *sums = cumulative + cumulative_begin[number];
  double sought = next_uniform(&state->generator) * sums[n_options - 1];
  int64_t i = 0;
  while (!(sums[i] > sought)) i++;
  return own[i];
}

static int32_t descend(void) {
  int64_t node = 0;
  for (;;) {
    Node *state = &nodes[node];
    if (state->repeats == 0) {
      state->option = fresh_option(node);
      state->repeats = repeats[node];
    }
    state->repeats--;
    if (leaves[node]) return state->option;
    node = state->option;
  }
}

static void chunks_are_descents(int64_t deepest) {
  int32_t descended[MOST_DRAWS], rows[MOST_DRAWS];
  make_tree(deepest);
  begin_descents();
  for (int i = 0; i < MOST_DRAWS; i++) descended[i] = descend();

  TreeStates states = begin_drawing(&tree, false);
  for (int round = 0; round < 2; round++) { /* each chunk begins anew */
    draw_rows(&tree, &states, MOST_DRAWS, rows);
    CHECK(memcmp(rows, descended, sizeof(rows)) == 0);
  }
  end_drawing(&states);

  states = begin_drawing(&tree, true);
  for (int64_t begin = 0, count; begin < MOST_DRAWS; begin += count) {
    count = 1 + below(below(2) == 0 ? 3 : MOST_DRAWS - begin);
    if (count > MOST_DRAWS - begin) count = MOST_DRAWS - begin;
    draw_rows(&tree, &states, count, rows + begin);
  }
  CHECK(memcmp(rows, descended, sizeof(rows)) == 0);
  TreeStatesSize size = tree_states_size(&tree, true);
  CHECK(states.n_generators <= size.generators && states.n_pooled <= size.pooled);
  end_drawing(&states);
}

/* A root in sequence over a node of one option, one that is shuffled and one in sequence. */
static void nodes_that_draw_nothing_need_no_generator(void) {
  static const int8_t four_modes[] = {IN_SEQUENCE, SHUFFLED, SHUFFLED, IN_SEQUENCE}, four_leaves[] = {0, 1, 1, 1};
  static const int64_t four_repeats[] = {1, 1, 1, 1}, four_offsets[] = {0, 3, 4, 9, 11}, none[] = {-1, -1, -1, -1};
  static const int64_t in_order[] = {0, 1, 2, 3}, four_depths[] = {0, 1, 1, 1};
  static const int32_t eleven_options[] = {1, 2, 3, 50, 60, 61, 62, 63, 64, 70, 71};
  const DeclaredTree made = {4,    four_modes, four_leaves, four_repeats, four_offsets, eleven_options,
                             none, NULL,       in_order,    four_depths,  1};
  tree = made;
  TreeStatesSize kept = tree_states_size(&tree, true), lone = tree_states_size(&tree, false);
  CHECK(kept.nodes == 4 && kept.generators == 1 && kept.pooled == 5);
  CHECK(lone.nodes == 1 && lone.generators == 1 && lone.pooled == 5);
  TreeStates states = begin_drawing(&tree, true);
  int32_t rows[15];
  draw_rows(&tree, &states, 1, rows);
  CHECK(rows[0] == 50 && states.n_generators == 0 && states.n_pooled == 0);
  draw_rows(&tree, &states, 14, rows + 1);
  CHECK(states.n_generators == 1 && states.n_pooled == 5);
  int seen = 0;
  for (int i = 0; i < 5; i++) {
    CHECK(rows[3 * i] == 50);
    CHECK(rows[3 * i + 2] == 70 + i % 2);
    seen |= 1 << (rows[3 * i + 1] - 60);
  }
  CHECK(seen == 31); /* each option of the shuffle once */
  end_drawing(&states);
}

static void places_are_sorted_by_group(int64_t count, int64_t n_groups) {
  int64_t *groups = malloc((size_t)count * sizeof(int64_t)), *order = malloc((size_t)count * sizeof(int64_t));
  int64_t *begins = calloc((size_t)n_groups + 1, sizeof(int64_t));
  int64_t *cursors = malloc((size_t)n_groups * sizeof(int64_t));
  int64_t next = 0;
  for (int64_t i = 0; i < count; i++) groups[i] = below(n_groups);
  count_members(groups, count, begins);
  begin_groups(n_groups, begins, cursors);
  place_members(groups, count, cursors, order);
  for (int64_t group = 0; group < n_groups; group++) {
    CHECK(begins[group] == next);
    for (int64_t i = 0; i < count; i++) {
      if (groups[i] == group) CHECK(order[next++] == i);
    }
  }
  CHECK(begins[n_groups] == count && next == count);
  free(groups);
  free(order);
  free(begins);
  free(cursors);
}

int main(void) {
  seed_generator(&choices, 1);
  for (int round = 0; round < 300; round++) chunks_are_descents(round % 5);
  nodes_that_draw_nothing_need_no_generator();
  for (int64_t count = 1; count < 100; count += 7) {
    for (int64_t n_groups = 1; n_groups < 40; n_groups += 5) places_are_sorted_by_group(count, n_groups);
  }
  return 0;
}
