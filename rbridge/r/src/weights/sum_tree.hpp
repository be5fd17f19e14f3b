/* The sum tree: weights of rows and their sums, in a tree that follows changes of the weights.
 *
 * The leaves are the weights, eight per node, padded with zeros. A node's eight numbers fill a cache line, and their
 * sum is one of the eight numbers of a node of the level above, up to a single node. A sum is always computed from its
 * eight parts, in the same order, so a tree is bit for bit the one that is built from its leaves. All numbers of a tree
 * are in one vector of the caller's: the sums, the root first and the weights last, then the least positive weights, if
 * they are tracked, without the leaves.
 */

#pragma once

#include <cfloat>

#include "../core/hash_set.hpp"
#include "../core/host.hpp"
#include "../core/memory.hpp"
#include "../core/numbers.hpp"

namespace pystrat {

class SumTree {
 public:
  explicit SumTree(int64_t n_rows, bool keeps_least = false) {
    int64_t size = n_rows;
    do {
      sizes[n_levels++] = size;
      size = (size + FAN - 1) / FAN;
    } while (size > 1);
    for (int level = n_levels - 1; level >= 0; level--) {
      begins[level] = n_sums;
      n_sums += (sizes[level] + FAN - 1) / FAN * FAN;
    }
    n_least = keeps_least ? begins[0] : 0; /* a single node needs none */
  }

  int64_t length() const { return n_sums + n_least; }

  /* Lay the tree over the caller's numbers. */
  void lay(double *numbers) {
    sums = numbers;
    least = n_least > 0 ? numbers + n_sums : nullptr;
  }

  /* Set all weights to 0. */
  void clear() {
    std::fill(sums, sums + n_sums, 0);
    if (least != nullptr) std::fill(least, least + n_least, INFINITY);
  }

  double *leaves() const { return sums + begins[0]; }

  double total() const { return sum_of(sums); }

  bool overflows() const { return total() > DBL_MAX; }

  /* The least positive weight, INFINITY if there is none, of a tree that tracks it. */
  double least_weight() const { return least != nullptr ? least_of(least) : least_positive_of(sums); }

  /* Compute all numbers above the rows from `begin` to end - 1. */
  void refresh(int64_t begin, int64_t end) {
    if (begin >= end) return;
    int64_t last = end - 1;
    for (int level = 1; level < n_levels; level++) {
      begin /= FAN;
      last /= FAN;
      for (int64_t node = begin; node <= last; node++) refresh_node(level, node);
    }
  }

  /* Compute all numbers above some rows, level by level. */
  template <class Row>
  void refresh(const Row *rows, int64_t count) {
    for (int level = 1, shift = 3; level < n_levels; level++, shift += 3) {
      if (sizes[level] <= count) {
        for (int64_t node = 0; node < sizes[level]; node++) refresh_node(level, node);
        continue;
      }
      int64_t previous = -1;
      for (int64_t i = 0; i < count; i++) {
        int64_t node = rows[i] >> shift;
        if (node != previous) refresh_node(level, node);
        previous = node;
      }
    }
  }

  /* Find the rows in whose shares of the total some values lie, which are modified. */
  void find(double *values, int64_t count, int32_t *rows) const {
    for (int64_t first = 0; first < count; first += GROUP) {
      int64_t places[GROUP] = {0}, wanted = std::min(count - first, GROUP);
      for (int level = n_levels - 1; level >= 0; level--) {
        const double *numbers = sums + begins[level], *below = sums + begins[level > 0 ? level - 1 : 0];
        for (int64_t i = 0; i < wanted; i++) {
          int64_t node = places[i] * FAN;
          places[i] = node + child_at(numbers + node, values[first + i]);
          if (level > 0) prefetch(below + places[i] * FAN);
        }
      }
      for (int64_t i = 0; i < wanted; i++) rows[first + i] = static_cast<int32_t>(places[i]);
    }
  }

  /* Draw rows by weight: two outputs each. With `n_slices`, row i is from slice i % n_slices of the total. */
  void draw(Generator &generator, int64_t count, int64_t n_slices, int32_t *rows, Host &host) const {
    double values[GROUP], sum = total();
    for (int64_t done = 0; done < count; done += GROUP) {
      int64_t wanted = std::min(count - done, GROUP);
      for (int64_t i = 0; i < wanted; i++) {
        double share = generator.uniform();
        if (n_slices > 0) share = (static_cast<double>((done + i) % n_slices) + share) / static_cast<double>(n_slices);
        values[i] = rounded_product(share, sum);
      }
      find(values, wanted, rows + done);
      host.go_on(wanted);
    }
  }

  /* Draw `size` different rows, each by its share of what the previous ones have left. First, rows are drawn with
   * replacement and repeated ones rejected; after 2 * size draws, those that were drawn are removed from the tree until
   * the draw ends.
   */
  void draw_apart(Generator &generator, int64_t size, int32_t *rows, HashSet &known, Host &host) {
    int64_t n_drawn = 0;
    known.reset(size);
    for (int64_t left = 2 * size; n_drawn < size && left > 0;) {
      int64_t wanted = std::min({size - n_drawn, left, GROUP});
      int32_t drawn[GROUP];
      draw(generator, wanted, 0, drawn, host);
      for (int64_t i = 0; i < wanted; i++) {
        if (known.add(drawn[i])) rows[n_drawn++] = drawn[i];
      }
      left -= wanted;
    }
    if (n_drawn < size) draw_removed(generator, size, n_drawn, rows, host);
  }

 private:
  static constexpr int64_t FAN = 8, GROUP = 32; /* descents side by side, so that memory is prefetched */

  void draw_removed(Generator &generator, int64_t size, int64_t n_drawn, int32_t *rows, Host &host) {
    struct Removed {
      SumTree &tree;
      const int32_t *rows;
      std::vector<double> weights = {};
      void add(int64_t n_drawn) {
        int64_t first = static_cast<int64_t>(weights.size());
        for (int64_t i = first; i < n_drawn; i++) weights.push_back(std::exchange(tree.leaves()[rows[i]], 0));
        tree.refresh(rows + first, n_drawn - first);
      }
      ~Removed() { /* put all back, also after an interrupt */
        for (size_t i = 0; i < weights.size(); i++) tree.leaves()[rows[i]] = weights[i];
        tree.refresh(rows, static_cast<int64_t>(weights.size()));
      }
    } removed{*this, rows};
    removed.weights.reserve(static_cast<size_t>(size));
    for (; n_drawn < size; n_drawn++) {
      removed.add(n_drawn);
      draw(generator, 1, 0, rows + n_drawn, host);
    }
  }

  static double sum_of(const double *parts) {
    return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
  }

  static double least_of(const double *parts) { return *std::min_element(parts, parts + FAN); }

  static double least_positive_of(const double *parts) {
    double least = INFINITY;
    for (int i = 0; i < FAN; i++) least = 0 < parts[i] && parts[i] < least ? parts[i] : least;
    return least;
  }

  /* Compute one number of a level above the leaves. */
  void refresh_node(int level, int64_t node) {
    int64_t below = begins[level - 1] + node * FAN, place = begins[level] + node;
    sums[place] = sum_of(sums + below);
    if (least == nullptr) return;
    least[place] = level == 1 ? least_positive_of(sums + below) : least_of(least + below);
  }

  /* The child that contains a value, which is replaced by its distance from the beginning of the child.
   *
   * The sums run from left to right, so a value below a running sum is in a child that is not zero. Only a value beyond
   * all seven of them, by rounding, can meet a zero in the last child; the child before gets it.
   */
  static int64_t child_at(const double *parts, double &value) {
    /* Separate variables, and no loop, keep the compiler from reading in pairs what was just written one by one. */
    double at = value, sum1 = parts[0], sum2 = sum1 + parts[1], sum3 = sum2 + parts[2], sum4 = sum3 + parts[3];
    double sum5 = sum4 + parts[4], sum6 = sum5 + parts[5], sum7 = sum6 + parts[6];
    const double before[] = {0, sum1, sum2, sum3, sum4, sum5, sum6, sum7};
    int64_t child =
        (at >= sum1) + (at >= sum2) + (at >= sum3) + (at >= sum4) + (at >= sum5) + (at >= sum6) + (at >= sum7);
    while (parts[child] == 0 && child > 0) child--;
    value = at - before[child];
    return child;
  }

  static constexpr int LEVELS = 12; /* 8^11 exceeds 2^31 */
  int n_levels = 0;
  int64_t begins[LEVELS], sizes[LEVELS]; /* of the numbers of each level, without the padding; level 0 are the leaves */
  int64_t n_sums = 0, n_least = 0;
  double *sums = nullptr, *least = nullptr;
};

}  // namespace pystrat
