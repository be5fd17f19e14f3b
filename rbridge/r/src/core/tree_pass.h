/* The number of draws until every row below a node has been drawn.
 *
 * A leaf needs rows * repeat draws, an inner node children * repeat * ceil(most / repeat), where `most` is the largest
 * number that a child needs; and so on up to the root.
 */

#ifndef PYSTRAT_TREE_PASS_H
#define PYSTRAT_TREE_PASS_H

#include <stdint.h>

#include "tree.h"

static const int64_t ENDLESS_PASS = INT64_C(1) << 53; /* represents itself and all larger numbers */

/* Multiply nonnegative numbers, the first at most ENDLESS_PASS. */
static inline int64_t bounded_product(int64_t number, int64_t factor) {
  return factor > 0 && number > ENDLESS_PASS / factor ? ENDLESS_PASS : number * factor;
}

/* The number of draws after which each of a node's options has been used `needed` times. */
static inline int64_t draws_of_node(int64_t n_options, int64_t repeat, int64_t needed) {
  return bounded_product(bounded_product((needed - 1) / repeat + 1, repeat), n_options);
}

/* Find a node that draws with replacement, among a node, its ancestors and the nodes below it; return -1 if there is
 * none.
 *
 * The arrays have one number for each node of a tree in preorder: its mode, its parent, -1 for the root, and its depth.
 */
static inline int64_t find_replacement(
    const uint8_t *modes, const int32_t *parents, const int32_t *depths, int64_t n_nodes, int64_t node
) {
  for (int64_t above = parents[node]; above >= 0; above = parents[above]) {
    if (modes[above] == WITH_REPLACEMENT) return above;
  }
  for (int64_t below = node; below < n_nodes && (below == node || depths[below] > depths[node]); below++) {
    if (modes[below] == WITH_REPLACEMENT) return below;
  }
  return -1;
}

/* Count the draws of the root until every row below a node is drawn, ENDLESS_PASS if they are too many.
 *
 * `offsets` is for the number of options of each node, `repeats` for how many times in a row each is used. `most` is
 * scratch space for n_nodes numbers.
 */
static inline int64_t pass_length(
    const int32_t *parents, const int32_t *depths, const int64_t *offsets, const int32_t *repeats, int64_t n_nodes,
    int64_t node, int64_t *most
) {
  int64_t end = node + 1;
  while (end < n_nodes && depths[end] > depths[node]) end++;
  for (int64_t below = node; below < end; below++) most[below] = 1; /* what a row needs */
  for (int64_t below = end - 1; below > node; below--) {
    int64_t needed = draws_of_node(offsets[below + 1] - offsets[below], repeats[below], most[below]);
    if (needed > most[parents[below]]) most[parents[below]] = needed;
  }
  int64_t needed = most[node];
  for (int64_t at = node; at >= 0; at = parents[at]) {
    needed = draws_of_node(offsets[at + 1] - offsets[at], repeats[at], needed);
  }
  return needed;
}

#endif
