/* The draws of a tree: the options of a node are child nodes or, at a leaf, rows.
 *
 * A node with at least two options that are not used in sequence has its own stream. Draws are made in chunks; within a
 * chunk, each node makes all of its draws at once, in order of depth.
 */

#pragma once

#include <memory>

#include "../core/permutation.hpp"
#include "nodes.hpp"

namespace pystrat {

/* The seed of the stream of a node: (seed + 1000003 * (node + 1)) mod (2^31 - 1), because streams of consecutive seeds
 * would be correlated. The streams of auxiliary values have the numbers after those of the nodes.
 */
inline uint32_t stream_seed(uint32_t seed, int64_t number) {
  return static_cast<uint32_t>((seed + UINT64_C(1000003) * static_cast<uint64_t>(number + 1)) % UINT64_C(2147483647));
}

/* How the nodes draw. */
struct Drawing {
  List<uint8_t> modes;
  List<int64_t> repeats;
  List<int64_t> begins;    /* where the cumulative weights of a node's options begin, -1 if it has none */
  Numbers<double> cumulative;     /* the last one of each node is positive */
  List<int32_t> by_depth;  /* the nodes */
};

/* The draws of one seed. If nodes keep their states, a chunk continues the one before; else each chunk starts over, and
 * all nodes use the same state, one after another.
 */
class Draws {
 public:
  Draws(const Nodes &nodes, const Drawing &drawing, bool keeps)
      : nodes(nodes), drawing(drawing), keeps(keeps), states(keeps ? nodes.count() : 1) {}

  void begin(uint32_t new_seed) {
    seed = new_seed;
    for (State &state : states) state.reset();
  }

  /* Draw the next rows. What it keeps cannot be used after an exception. */
  void draw(int64_t count, int32_t *rows, Host &host) {
    Chunk chunk(count, nodes.count(), rows);
    int32_t depth = 0;
    for (int32_t node : drawing.by_depth) {
      if (std::exchange(depth, nodes.depths[node]) != depth) {
        std::swap(chunk.here, chunk.below);
        chunk.n_given = 0;
      }
      int64_t n_wanted = chunk.wanted[node];
      if (n_wanted == 0) continue;
      pick_for_chunk(chunk, node, host);
      if (!nodes.is_leaf(node)) deal_to_children(chunk, node, host);
      host.go_on(n_wanted);
    }
  }

 private:
  /* The state of a node in its options. */
  struct State {
    std::unique_ptr<Generator> generator;
    Rows pool;           /* of a shuffle */
    int64_t left = 0;    /* of a shuffle: the options left, first in the pool; of a sequence: the next option */
    int64_t repeats = 0; /* how many more times the current option is used */
    int32_t current = 0;

    void reset() {
      generator.reset();
      left = repeats = 0;
    }
  };

  /* Consecutive draws: their rows; and for each depth, the draws of its nodes, as places in the chunk, one node after
   * another, with the beginning and the number of those of each node.
   */
  struct Chunk {
    int32_t *rows;
    Rows here, below, picked;
    List<int64_t> begins, wanted, cursors;
    int64_t n_given = 0; /* draws that the nodes of this depth have passed to the next one */

    Chunk(int64_t count, int64_t n_nodes, int32_t *rows)
        : rows(rows), here(count), below(count), picked(count), begins(n_nodes), wanted(begins), cursors(begins) {
      std::iota(here.begin(), here.end(), 0);
      wanted[0] = count;
    }
  };

  const Nodes &nodes;
  const Drawing &drawing;
  const bool keeps;
  List<State> states;
  uint32_t seed = 0;

  /* The generator of a node, which begins with the node's first draw. */
  Generator &generator_of(State &state, int64_t node) const {
    if (!state.generator) state.generator = std::make_unique<Generator>(stream_seed(seed, node));
    return *state.generator;
  }

  /* Take options out of a node's pool, like R's sample(), and refill it whenever it is empty. */
  void shuffle_options(State &state, int64_t node, int64_t count, int32_t *to) const {
    int64_t n_options = nodes.n_options(node);
    Generator &generator = generator_of(state, node);
    if (state.pool.count() < n_options) state.pool = Rows(n_options);
    while (count > 0) {
      if (state.left == 0) {
        std::copy_n(nodes.options.data() + nodes.begin(node), n_options, state.pool.data());
        state.left = n_options;
      }
      int64_t wanted = std::min(count, state.left);
      take_rows(generator, state.pool.data(), uint32_t(state.left), uint32_t(wanted), to);
      state.left -= wanted;
      to += wanted;
      count -= wanted;
    }
  }

  /* The first option whose cumulative weight exceeds `sought`, which exists. */
  static int64_t first_above(const double *cumulative, int64_t n_options, double sought) {
    int64_t low = 0, high = n_options - 1;
    while (high - low > 8) {
      int64_t middle = (low + high) >> 1;
      if (cumulative[middle] > sought) high = middle;
      else low = middle + 1;
    }
    /* The sums ascend, so the last few are counted, without a branch that is hard to predict. */
    int64_t option = low;
    for (int64_t i = low; i < high; i++) option += cumulative[i] <= sought;
    return option;
  }

  /* Write the next `count` options of a node, without repeats. */
  void draw_options(State &state, int64_t node, int64_t count, int32_t *to) const {
    const int32_t *options = nodes.options.data() + nodes.begin(node);
    int64_t n_options = nodes.n_options(node), begin = drawing.begins[node];
    uint8_t mode = drawing.modes[node];
    if (n_options == 1) {
      std::fill_n(to, count, options[0]);
    } else if (mode == SEQUENTIAL) {
      for (int64_t i = 0; i < count; i++) {
        to[i] = options[state.left++];
        if (state.left == n_options) state.left = 0;
      }
    } else if (mode == SHUFFLED) {
      shuffle_options(state, node, count, to);
    } else if (begin < 0) {
      uint32_t limit = static_cast<uint32_t>(n_options);
      /* An index fits into the place of its option. */
      uint32_t *indices = reinterpret_cast<uint32_t *>(to);
      generator_of(state, node).draw_indices(limit, 0, bits_below(limit), static_cast<uint32_t>(count), indices);
      for (int64_t i = 0; i < count; i++) to[i] = options[to[i]];
    } else {
      Generator &generator = generator_of(state, node);
      const double *cumulative = drawing.cumulative.data() + begin;
      double total = cumulative[n_options - 1];
      for (int64_t i = 0; i < count; i++) {
        to[i] = options[first_above(cumulative, n_options, generator.uniform() * total)];
      }
    }
  }

  /* Write the next `count` options of a node, including repeats. */
  void pick_options(State &state, int64_t node, int64_t count, int32_t *to) const {
    int64_t repeat = drawing.repeats[node], done = std::min(count, state.repeats);
    std::fill_n(to, done, state.current);
    state.repeats -= done;
    if (done == count) return;
    int64_t fresh = (count - done - 1) / repeat + 1;
    int32_t *drawn = to + (count - fresh); /* the end, from which repeating never overtakes reading */
    draw_options(state, node, fresh, drawn);
    state.repeats = fresh * repeat - (count - done);
    state.current = drawn[fresh - 1];
    for (int64_t i = 0; repeat > 1 && i < fresh; i++) {
      int32_t option = drawn[i];
      int64_t times = std::min(repeat, count - done);
      std::fill_n(to + done, times, option);
      done += times;
    }
  }

  /* Pick an option for each draw of a node: a row is the result, and a child gets the draw. */
  void pick_for_chunk(Chunk &chunk, int64_t node, Host &host) {
    State &state = states[keeps ? node : 0];
    int64_t n_wanted = chunk.wanted[node];
    const int32_t *places = chunk.here.data() + chunk.begins[node];
    if (!keeps) state.reset();
    for (int64_t begin = 0; begin < n_wanted; begin += Host::STEPS) {
      int64_t end = std::min(begin + Host::STEPS, n_wanted);
      const int32_t *picked = chunk.picked.data();
      pick_options(state, node, end - begin, chunk.picked.data() + begin);
      if (nodes.is_leaf(node)) {
        for (int64_t i = begin; i < end; i++) chunk.rows[places[i]] = picked[i];
      } else {
        for (int64_t i = begin; i < end; i++) chunk.wanted[picked[i]]++;
      }
      host.go_on(end - begin);
    }
  }

  /* Pass the draws of a node, all of which have an option, to its children. */
  void deal_to_children(Chunk &chunk, int64_t node, Host &host) const {
    for (int64_t i = nodes.begin(node); i < nodes.begin(node + 1); i++) {
      int64_t child = nodes.options[i];
      chunk.begins[child] = chunk.cursors[child] = chunk.n_given;
      chunk.n_given += chunk.wanted[child];
    }
    const int32_t *places = chunk.here.data() + chunk.begins[node];
    for (int64_t i = 0; i < chunk.wanted[node]; i++) {
      chunk.below[chunk.cursors[chunk.picked[i]]++] = places[i];
      host.go_on(1);
    }
  }
};

}  // namespace pystrat
