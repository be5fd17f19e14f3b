/* Rows that are spread over batches by the labels of two sides, such as their stratum and their group, or two keys:
 * every batch has the floor or the ceiling of its share of the rows of each label, and batch sizes differ by at most 1,
 * the larger batches first.
 *
 * The rows are the edges of a bipartite graph, between their labels of both sides, and the batches are colors. The
 * edges of a label are cut into blocks of n_batches edges. A rest of fewer edges shares a block with the rests of other
 * labels. A block is a vertex of at most n_batches edges. If no two edges of a vertex have the same color, each full
 * block has an edge of every color, and a rest has at most one of each, so every label has the floor or the ceiling of
 * its share. Such a coloring always exists, because the graph is bipartite (D. Konig).
 *
 * The edges are colored in the order of the epoch. An edge gets the first color that is free at both of its vertices.
 * If there is none, two colors are exchanged along a path from one of the vertices, which frees one. Finally, colors
 * are exchanged along paths to move rows from batches with too many to batches with too few (D. de Werra).
 *
 * If each label of the second side has rows of only one label of the first, a simpler method suffices: sort the rows by
 * both, and deal them to the batches in turn.
 */

#pragma once

#include <array>
#include <bitset>

#include "grouped.hpp"

namespace pystrat {

struct Side {
  const int32_t *labels; /* of each row */
  List<int32_t> counts;  /* the rows of each label in an epoch */
};

class Coloring {
 public:
  Rows colors; /* of the rows, in the order of the epoch */

  Coloring(const Rows &order, const Side &outer, const Side &inner, int64_t n_batches, Host &host)
      : colors(order.count()), n_colors(n_batches), sizes(n_batches),
        ends{Vertices(outer, order, n_batches, host), Vertices(inner, order, n_batches, host)} {
    for (int32_t edge = 0; edge < colors.count(); edge++) {
      color(edge);
      host.go_on(1 + std::exchange(work, 0));
    }
    equalize(host);
  }

 private:
  /* The blocks of a side. */
  struct Vertices {
    int64_t n_colors, n_words, count = 0;
    Rows of_edges, edges;          /* the vertex of each edge; the edge of each vertex and color, or -1 */
    Numbers<uint64_t> free_colors; /* of each vertex, as bits */
    List<int32_t> first_words;     /* of each vertex: no earlier word has a free color */

    /* The rest of a label comes first, then its full blocks in turn, which keeps the paths short. */
    Vertices(const Side &side, const Rows &order, int64_t n_colors, Host &host)
        : n_colors(n_colors), n_words((n_colors + 63) / 64), of_edges(order.count()) {
      struct Label { int32_t rank, rest, vertex_of_rest, first_whole, n_whole; };
      List<Label> labels(side.counts.count());
      int64_t room = 0, shared = 0; /* in the vertex for the next rest */
      host.in_steps(order.count(), [&](int64_t begin, int64_t end) {
        for (int64_t edge = begin; edge < end; edge++) {
          int32_t number = side.labels[order[edge]];
          Label &label = labels[number];
          if (label.rank == 0) {
            label.rest = static_cast<int32_t>(side.counts[number] % n_colors);
            label.n_whole = static_cast<int32_t>(side.counts[number] / n_colors);
            if (label.rest > room) {
              shared = count++;
              room = n_colors;
            }
            room -= label.rest;
            label.vertex_of_rest = static_cast<int32_t>(shared);
            label.first_whole = static_cast<int32_t>(count);
            count += label.n_whole;
          }
          int32_t rank = label.rank++ - label.rest;
          of_edges[edge] = rank < 0 ? label.vertex_of_rest : label.first_whole + rank % label.n_whole;
        }
      });
      edges = Rows(count * n_colors, -1);
      uint64_t rest_of_bits = n_colors % 64 == 0 ? 0 : ~UINT64_C(0) << n_colors % 64;
      free_colors = Numbers<uint64_t>(count * n_words, ~UINT64_C(0));
      for (int64_t vertex = 1; vertex <= count; vertex++) free_colors[vertex * n_words - 1] &= ~rest_of_bits;
      first_words = List<int32_t>(count);
    }

    int32_t &edge(int64_t vertex, int64_t color) { return edges[vertex * n_colors + color]; }

    /* The first word of a vertex with a free color; there is at least one. */
    int32_t first_word(int32_t vertex) {
      int32_t &first = first_words[vertex];
      while (free_colors[vertex * n_words + first] == 0) first++;
      return first;
    }

    int32_t first_color(int32_t vertex) {
      int32_t word = first_word(vertex);
      return 64 * word + lowest_bit(free_colors[vertex * n_words + word]);
    }

    /* Set which edge of a vertex has a color; -1 makes the color free. */
    void set(int32_t vertex, int32_t color, int32_t to) {
      int32_t word = color / 64;
      uint64_t bit = UINT64_C(1) << color % 64, &bits = free_colors[vertex * n_words + word];
      edge(vertex, color) = to;
      bits = to >= 0 ? bits & ~bit : bits | bit;
      if (to < 0) first_words[vertex] = std::min(first_words[vertex], word);
    }

    void exchange(int32_t vertex, int32_t color, int32_t other) {
      int32_t edge_of_color = edge(vertex, color), edge_of_other = edge(vertex, other);
      if (edge_of_color >= 0 && edge_of_other >= 0) {
        std::swap(edge(vertex, color), edge(vertex, other));
      } else {
        set(vertex, color, edge_of_other);
        set(vertex, other, edge_of_color);
      }
    }
  };

  int64_t n_colors, work = 0; /* steps since the host was asked whether to go on */
  List<int64_t> sizes;        /* the edges of each color */
  std::array<Vertices, 2> ends;

  static int32_t lowest_bit(uint64_t word) {
    return static_cast<int32_t>(std::bitset<64>(~word & (word - 1)).count());
  }

  /* The first color that is free at both vertices of an edge, or -1. */
  int32_t common_color(int32_t left, int32_t right) {
    int64_t n_words = ends[0].n_words;
    const uint64_t *at_left = &ends[0].free_colors[left * n_words], *at_right = &ends[1].free_colors[right * n_words];
    for (int64_t word = std::max(ends[0].first_word(left), ends[1].first_word(right)); word < n_words; word++, work++) {
      uint64_t both = at_left[word] & at_right[word];
      if (both != 0) return static_cast<int32_t>(64 * word) + lowest_bit(both);
    }
    return -1;
  }

  void color(int32_t edge) {
    int32_t left = ends[0].of_edges[edge], right = ends[1].of_edges[edge], color = common_color(left, right);
    if (color < 0) {
      color = ends[0].first_color(left);
      flip(1, right, color, ends[1].first_color(right));
    }
    colors[edge] = color;
    sizes[color]++;
    ends[0].set(left, color, edge);
    ends[1].set(right, color, edge);
  }

  /* Exchange two colors along the path from a vertex of a side that has an edge of `color` and none of `other`. */
  void flip(size_t side, int32_t vertex, int32_t color, int32_t other) {
    int32_t edge = ends[side].edge(vertex, color);
    ends[side].exchange(vertex, color, other);
    while (edge >= 0) {
      side = 1 - side;
      vertex = ends[side].of_edges[edge];
      int32_t next = ends[side].edge(vertex, other);
      ends[side].exchange(vertex, color, other);
      colors[edge] = other;
      sizes[color]--;
      sizes[other]++;
      work++;
      std::swap(color, other);
      edge = next;
    }
  }

  /* Whether the path of two colors from a vertex of the first side has one edge more of `color` than of `other`. */
  bool is_heavy(int32_t vertex, int32_t color, int32_t other) {
    int32_t edge = ends[0].edge(vertex, color);
    if (edge < 0 || ends[0].edge(vertex, other) >= 0) return false;
    for (size_t side = 1;; side = 1 - side) {
      vertex = ends[side].of_edges[edge];
      edge = ends[side].edge(vertex, side == 1 ? other : color);
      work++;
      if (edge < 0) return side == 1;
    }
  }

  /* Move edges from colors with too many to colors with too few.
   *
   * If one color has d edges more than another, there are at least d paths on which it has one edge more; they begin at
   * the first side and end at the second. A flipped path is no longer one of them, so one pass over the vertices finds
   * all.
   */
  void equalize(Host &host) {
    int32_t giver = 0, taker = 0, vertex = 0; /* colors with too many and too few; where the next path may begin */
    while (giver < n_colors) {
      if (sizes[giver] <= even_size(colors.count(), n_colors, giver)) {
        giver++;
        vertex = 0;
      } else if (sizes[taker] >= even_size(colors.count(), n_colors, taker)) {
        taker++;
        vertex = 0;
      } else {
        if (is_heavy(vertex, giver, taker)) flip(0, vertex, giver, taker);
        vertex++;
      }
      host.go_on(1 + std::exchange(work, 0));
    }
  }
};

struct Spreading {
  Side outer, inner;
  bool is_nested = true; /* each inner label has rows of only one outer label */

  /* All rows are in the epochs. */
  Spreading(Side outer_side, Side inner_side, int64_t n_rows, Host &host)
      : outer(std::move(outer_side)), inner(std::move(inner_side)) {
    List<int32_t> outer_of(inner.counts.count(), -1);
    for (int64_t row = 0; row < n_rows && is_nested; row++) {
      int32_t &known = outer_of[inner.labels[row]];
      if (known < 0) known = outer.labels[row];
      is_nested = known == outer.labels[row];
      host.go_on(1);
    }
  }

  Spreading(Side outer_side, Side inner_side, bool is_nested)
      : outer(std::move(outer_side)), inner(std::move(inner_side)), is_nested(is_nested) {}

  /* Return the batches of the rows of an epoch, in their order. */
  Rows deal(const Rows &order, int64_t n_batches, Host &host) const {
    if (!is_nested) return Coloring(order, outer, inner, n_batches, host).colors;
    List<int64_t> begins(outer.counts.count()); /* of the next inner label */
    std::partial_sum(outer.counts.begin(), outer.counts.end() - 1, begins.begin() + 1);
    List<int32_t> next(inner.counts.count(), -1); /* the place of the next row */
    Rows batches(order.count());
    host.in_steps(order.count(), [&](int64_t begin, int64_t end) {
      for (int64_t place = begin; place < end; place++) {
        int32_t label = inner.labels[order[place]];
        int64_t &begin_of_label = begins[outer.labels[order[place]]];
        if (next[label] < 0) {
          next[label] = static_cast<int32_t>(begin_of_label);
          begin_of_label += inner.counts[label];
        }
        batches[place] = static_cast<int32_t>(next[label]++ % n_batches);
      }
    });
    return batches;
  }
};

/* Give the rows of an epoch whose batches are known, in the order of strata, if there are several, then of the epoch;
 * the batches are in the order `arranged`.
 */
inline void give_spread(
    const Rows &order, const Rows &batches, const Rows &arranged, const Side *strata, Host &host
) {
  int64_t n_batches = arranged.count();
  List<int64_t> sizes;
  for (int64_t batch = 0; batch < n_batches; batch++) sizes.push_back(even_size(order.count(), n_batches, batch));
  List<int64_t> next = give_offsets(sizes, arranged, host);
  int32_t *rows = host.make<int32_t>("rows", order.count());
  auto give = [&](int64_t place) { rows[next[batches[place]]++] = order[place] + host.first_row; };
  if (strata != nullptr && strata->counts.count() > 1) {
    auto stratum_of = [&](int64_t place) { return strata->labels[order[place]]; };
    for (int32_t place : sorted_by(order.count(), strata->counts.count(), stratum_of, host)) give(place);
  } else {
    for (int64_t place = 0; place < order.count(); place++) give(place);
  }
}

}  // namespace pystrat
