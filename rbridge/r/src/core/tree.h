/* The draws of a declared tree: the options of a node are child nodes or, at a leaf, rows.
 *
 * Nodes are numbered in preorder: node 0 is the root, and children have higher numbers than their parents. A node with
 * at least two options that are not used in sequence has its own stream. Draws are made in chunks; within a chunk, each
 * node makes all of its draws at once, in the order of by_depth.
 */

#ifndef PYSTRAT_TREE_H
#define PYSTRAT_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "host.h"
#include "permutation.h"
#include "random.h"

enum { WITH_REPLACEMENT = 0, IN_SEQUENCE = 1, SHUFFLED = 2 };

/* The seed of the stream of a node: (seed + 1000003 * (node + 1)) mod (2^31 - 1), because streams of consecutive seeds
 * would be correlated. The streams of auxiliary values have the numbers after those of the nodes.
 */
static inline uint32_t stream_seed(uint32_t seed, int64_t number) {
  return (uint32_t)((seed + UINT64_C(1000003) * (uint64_t)(number + 1)) % UINT64_C(2147483647));
}

/* The caller owns all arrays; they do not change. */
typedef struct {
  int64_t n_nodes;
  const int8_t *modes;             /* of each node: one of the three modes */
  const int8_t *leaves;            /* of each node: 1 if its options are rows */
  const int64_t *repeats;          /* of each node: how many times in a row each option is used, at least 1 */
  const int64_t *offsets;          /* n_nodes + 1: a node's options are at offsets[node] to offsets[node + 1] - 1 */
  const int32_t *options;          /* at least one of each node */
  const int64_t *cumulative_begin; /* of each node: where its cumulative weights begin, -1 if it has none */
  const double *cumulative;        /* cumulative weights, one for each option; the last is positive */
  const int64_t *by_depth;         /* the nodes, sorted by depth */
  const int64_t *depths;           /* the depth of each of by_depth */
  uint32_t seed;                   /* the seed of the whole tree, from 0 to 2^31 - 2 */
} DeclaredTree;

/* The state of a node in its options. */
typedef struct {
  int64_t generator; /* its generator, -1 until it first draws */
  int64_t pool;      /* of a shuffle: the beginning of its pool, -1 until it first draws */
  int64_t left;      /* of a shuffle: the number of options left, first in the pool; of a sequence: the next option */
  int64_t repeats;   /* how many more times the current option is used */
  int32_t current;
} NodeState;

/* The memory that the states of a tree need. */
typedef struct {
  int64_t nodes;
  int64_t generators;
  int64_t pooled;
} TreeStatesSize;

/* The states of the nodes of a tree, in memory of the caller's.
 *
 * If they are kept, further chunks continue with them, and each node has its own: a generator, and a pool if it
 * shuffles, from its first draw on, so that nodes that have not drawn yet have touched no memory. Otherwise every chunk
 * starts over, and all nodes use the same state, one after another.
 */
typedef struct {
  bool keep;
  NodeState *nodes;
  Generator *generators;
  int32_t *pools;
  int64_t n_generators; /* generators that are in use */
  int64_t n_pooled;     /* places of `pools` that are in use */
} TreeStates;

/* A chunk of consecutive draws. The caller sets the fields up to `cursors`. */
typedef struct {
  int64_t count;    /* draws of the chunk, from 1 to 2^31 - 1 */
  int32_t *rows;    /* `count` rows, the result */
  int32_t *picked;  /* scratch for `count` numbers, like the next two */
  int32_t *here;    /* the draws of each node of this depth, as places in the chunk */
  int32_t *below;   /* the same for the next depth */
  int64_t *begins;  /* scratch for n_nodes numbers, like the next two: the beginning of the draws of a node in `here` */
  int64_t *wanted;  /* their number */
  int64_t *cursors; /* the next of them to fill */
  int64_t n_given;  /* draws that the nodes of this depth have passed to the next depth */
} TreeChunk;

static inline int64_t count_options(const DeclaredTree *tree, int64_t node) {
  return tree->offsets[node + 1] - tree->offsets[node];
}

/* The memory that the states of a tree need, depending on whether they are kept. */
static inline TreeStatesSize tree_states_size(const DeclaredTree *tree, bool keep) {
  TreeStatesSize size = {1, 1, 0};
  int64_t n_generators = 0, n_pooled = 0, largest_pool = 0;
  for (int64_t node = 0; node < tree->n_nodes; node++) {
    int64_t n_options = count_options(tree, node);
    if (n_options == 1 || tree->modes[node] == IN_SEQUENCE) continue;
    n_generators++;
    if (tree->modes[node] != SHUFFLED) continue;
    n_pooled += n_options;
    if (n_options > largest_pool) largest_pool = n_options;
  }
  if (keep) {
    size.nodes = tree->n_nodes;
    size.generators = n_generators;
  }
  size.pooled = keep ? n_pooled : largest_pool;
  return size;
}

/* Reset nodes to their initial state. */
static inline void reset_nodes(TreeStates *states, int64_t n_nodes) {
  const NodeState fresh = {-1, -1, 0, 0, 0};
  for (int64_t node = 0; node < n_nodes; node++) states->nodes[node] = fresh;
  states->n_generators = states->n_pooled = 0;
}

/* The first option whose cumulative weight exceeds `sought`, which exists. */
static inline int64_t first_above(const double *cumulative, int64_t n_options, double sought) {
  int64_t low = 0, high = n_options - 1;
  while (high - low > 8) {
    int64_t middle = (low + high) >> 1;
    if (cumulative[middle] > sought) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  /* The sums ascend, so the last few are counted, without a branch that is hard to predict. */
  int64_t option = low;
  for (int64_t i = low; i < high; i++) option += cumulative[i] <= sought;
  return option;
}

/* The generator of a node, which begins with the node's first draw. */
static inline Generator *generator_of(const DeclaredTree *tree, TreeStates *states, NodeState *state, int64_t node) {
  if (state->generator < 0) {
    state->generator = states->n_generators++;
    seed_generator(&states->generators[state->generator], stream_seed(tree->seed, node));
  }
  return &states->generators[state->generator];
}

/* Take options out of a node's pool, like R's sample(), and refill it whenever it is empty. */
static inline void shuffle_options(
    const DeclaredTree *tree, TreeStates *states, NodeState *state, int64_t node, int64_t count, int32_t *to
) {
  int64_t n_options = count_options(tree, node);
  Generator *generator = generator_of(tree, states, state, node);
  if (state->pool < 0) {
    state->pool = states->n_pooled;
    states->n_pooled += n_options;
  }
  int32_t *pool = states->pools + state->pool;
  while (count > 0) {
    if (state->left == 0) {
      memcpy(pool, tree->options + tree->offsets[node], (size_t)n_options * sizeof(int32_t));
      state->left = n_options;
    }
    int64_t wanted = count < state->left ? count : state->left;
    take_rows(generator, pool, (uint32_t)state->left, (uint32_t)wanted, to);
    state->left -= wanted;
    to += wanted;
    count -= wanted;
  }
}

/* Write the next `count` options of a node, without repeats. */
static inline void draw_options(
    const DeclaredTree *tree, TreeStates *states, NodeState *state, int64_t node, int64_t count, int32_t *to
) {
  const int32_t *options = tree->options + tree->offsets[node];
  int64_t n_options = count_options(tree, node);
  if (n_options == 1) {
    for (int64_t i = 0; i < count; i++) to[i] = options[0];
  } else if (tree->modes[node] == IN_SEQUENCE) {
    for (int64_t i = 0; i < count; i++) {
      to[i] = options[state->left++];
      if (state->left == n_options) state->left = 0;
    }
  } else if (tree->modes[node] == SHUFFLED) {
    shuffle_options(tree, states, state, node, count, to);
  } else if (tree->cumulative_begin[node] < 0) {
    Generator *generator = generator_of(tree, states, state, node);
    /* An index fits into the place of its option. */
    draw_indices(generator, (uint32_t)n_options, 0, bits_below((uint64_t)n_options), (uint32_t)count, (uint32_t *)to);
    for (int64_t i = 0; i < count; i++) to[i] = options[to[i]];
  } else {
    Generator *generator = generator_of(tree, states, state, node);
    const double *cumulative = tree->cumulative + tree->cumulative_begin[node];
    double total = cumulative[n_options - 1];
    for (int64_t i = 0; i < count; i++) {
      to[i] = options[first_above(cumulative, n_options, next_uniform(generator) * total)];
    }
  }
}

/* Write the next `count` options of a node, including repeats. */
static inline void pick_options(
    const DeclaredTree *tree, TreeStates *states, int64_t node, int64_t count, int32_t *to
) {
  NodeState *state = &states->nodes[states->keep ? node : 0];
  int64_t repeat = tree->repeats[node];
  int64_t done = 0;
  for (; done < count && state->repeats > 0; done++) {
    to[done] = state->current;
    state->repeats--;
  }
  if (done == count) return;
  int64_t fresh = (count - done - 1) / repeat + 1;
  int32_t *drawn = to + (count - fresh); /* the end, from which repeating never overtakes reading */
  draw_options(tree, states, state, node, fresh, drawn);
  state->repeats = fresh * repeat - (count - done);
  state->current = drawn[fresh - 1];
  if (repeat == 1) return;
  for (int64_t i = 0; i < fresh; i++) {
    int32_t option = drawn[i];
    int64_t end = repeat < count - done ? done + repeat : count;
    while (done < end) to[done++] = option;
  }
}

/* Pick an option for each draw of a node: a row is the result, and a child gets the draw. */
static inline bool pick_for_chunk(
    const DeclaredTree *tree, TreeStates *states, const TreeChunk *chunk, int64_t node, Host *host
) {
  bool is_leaf = tree->leaves[node] != 0;
  int64_t n_wanted = chunk->wanted[node], *wanted = chunk->wanted;
  int32_t *rows = chunk->rows;
  if (!states->keep) reset_nodes(states, 1);
  for (int64_t begin = 0; begin < n_wanted; begin += GO_ON_ROWS) {
    int64_t count = smaller(n_wanted - begin, GO_ON_ROWS);
    const int32_t *places = chunk->here + chunk->begins[node] + begin;
    int32_t *picked = chunk->picked + begin;
    pick_options(tree, states, node, count, picked);
    if (is_leaf) {
      for (int64_t i = 0; i < count; i++) rows[places[i]] = picked[i];
    } else {
      for (int64_t i = 0; i < count; i++) wanted[picked[i]]++;
    }
    if (count == GO_ON_ROWS && !host->go_on(host)) return false;
  }
  return true;
}

/* Pass the draws of a node, all of which have an option, to its children. */
static inline bool deal_to_children(const DeclaredTree *tree, TreeChunk *chunk, int64_t node, Host *host) {
  for (int64_t i = tree->offsets[node]; i < tree->offsets[node + 1]; i++) {
    int32_t child = tree->options[i];
    chunk->begins[child] = chunk->cursors[child] = chunk->n_given;
    chunk->n_given += chunk->wanted[child];
  }
  const int32_t *picked = chunk->picked, *places = chunk->here + chunk->begins[node];
  int32_t *below = chunk->below;
  int64_t *cursors = chunk->cursors;
  for (int64_t begin = 0; begin < chunk->wanted[node]; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, chunk->wanted[node]);
    for (int64_t i = begin; i < end; i++) below[cursors[picked[i]]++] = places[i];
    if (end - begin == GO_ON_ROWS && !host->go_on(host)) return false;
  }
  return true;
}

/* Draw the rows of a chunk, whose fields up to `cursors` the caller has set. The states of a chunk that failed cannot
 * be used.
 */
static inline bool draw_chunk(const DeclaredTree *tree, TreeStates *states, TreeChunk *chunk, Host *host) {
  fill_in_order(chunk->here, (uint32_t)chunk->count);
  memset(chunk->wanted, 0, (size_t)tree->n_nodes * sizeof(int64_t));
  chunk->begins[0] = chunk->n_given = 0;
  chunk->wanted[0] = chunk->count;
  int64_t since = 0;
  for (int64_t place = 0; place < tree->n_nodes; place++) {
    int64_t node = tree->by_depth[place];
    if (place > 0 && tree->depths[place] != tree->depths[place - 1]) {
      int32_t *below = chunk->below;
      chunk->below = chunk->here;
      chunk->here = below;
      chunk->n_given = 0;
    }
    if (chunk->wanted[node] == 0) continue;
    if (!pick_for_chunk(tree, states, chunk, node, host)) return false;
    if (!tree->leaves[node] && !deal_to_children(tree, chunk, node, host)) return false;
    if (!may_go_on(&since, chunk->wanted[node], host)) return false;
  }
  return true;
}

#endif
