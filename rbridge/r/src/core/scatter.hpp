/* The scatter of an epoch's order into its batches.
 *
 * The layout determines where the row of each stratum and rank goes. So an epoch is drawn in one pass, without storing
 * its order: each row that comes out of the pool goes to the place of the next row of its stratum. The memory that a
 * row needs next is prefetched while other rows are handled.
 */

#pragma once

#include <numeric>

#include "host.hpp"
#include "permutation.hpp"

namespace pystrat {

inline Rows in_order(int64_t n_rows) {
  Rows rows(static_cast<size_t>(n_rows));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/* R's sample() of a pool. */
inline Rows drawn_from(Rows pool, Generator &generator, Host &host) {
  Rows order(pool.count());
  host.in_steps(pool.count(), [&](int64_t begin, int64_t end) {
    uint32_t left = static_cast<uint32_t>(pool.count() - begin), size = static_cast<uint32_t>(end - begin);
    take_rows(generator, pool.data(), left, size, order.data() + begin);
  });
  return order;
}

/* R's sample.int(n_rows), from 0. */
inline Rows sample(Generator &generator, int64_t n_rows, Host &host) {
  return drawn_from(in_order(n_rows), generator, host);
}

/* Put the first `wanted` numbers without a mark before those that have one. */
inline void let_marked_wait(int32_t *numbers, int64_t wanted, const List<uint8_t> &marks) {
  int32_t *end = numbers;
  for (int64_t found = 0; found < wanted; end++) found += !marks[*end];
  std::stable_partition(numbers, end, [&](int32_t number) { return !marks[number]; });
}

/* Give the batches of entries, which begin at some places, in an order. */
inline void give_in_order(
    const int32_t *entries, const List<int64_t> &begins, const Rows &order, int32_t *rows, int64_t *offsets, Host &host
) {
  *offsets = 0;
  for (int32_t batch : order) {
    rows = std::copy(entries + begins[batch], entries + begins[batch + 1], rows);
    offsets[1] = offsets[0] + begins[batch + 1] - begins[batch];
    offsets++;
    host.go_on(1);
  }
}

template <class Code>
struct Scattering {
  const Code *codes;     /* of each row, below the number of cursors */
  int64_t n_rows;
  int64_t *cursors;      /* for each code: where in the layout its next rank is; moved on */
  const int32_t *layout;
  int32_t first_row;
  int32_t *rows;         /* the result: rows[layout[begin of code c + rank]] becomes the row of this rank in code c */

  /* Scatter the rows in their order. */
  void in_order(Host &host) const {
    host.in_steps(n_rows, [this](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) {
        rows[layout[cursors[codes[row]]++]] = static_cast<int32_t>(row) + first_row;
      }
    });
  }

  /* Scatter the rows in the order that the generator draws from a pool of 0, 1, ..., which is used up. */
  void shuffled(Generator &generator, int32_t *pool, Host &host) const {
    uint32_t indices[BLOCK_SIZE];
    for (uint32_t left = static_cast<uint32_t>(n_rows); left > 0;) {
      uint32_t count = next_indices(generator, pool, left, left, indices);
      block(pool, left, indices, count);
      left -= count;
      host.go_on(count);
    }
  }

 private:
  static constexpr uint32_t WRITE_LAG = 64; /* rows between the prefetch of a place and its write */
  static constexpr size_t LINE_BYTES = 64;  /* in a cache line, usually */

  /* Take the rows at indices out of the pool, and put each into its place. The layout is read in order, but in as many
   * streams as there are codes, and the hardware prefetches fewer. A place is written some rows after its prefetch,
   * before its line is evicted again. Reads and writes alternate, which is faster than many writes in a row.
   */
  void block(int32_t *pool, uint32_t left, const uint32_t *indices, uint32_t count) const {
    int32_t taken[BLOCK_SIZE], places[BLOCK_SIZE];
    for (uint32_t i = 0; i < count; i++) {
      taken[i] = take_row(pool, indices[i], left - 1 - i);
      prefetch(&codes[taken[i]]);
    }
    uint32_t lag = std::min(count, WRITE_LAG);
    for (uint32_t i = 0; i < count; i++) {
      int64_t cursor = cursors[codes[taken[i]]]++;
      places[i] = layout[cursor];
      prefetch_beyond(&layout[cursor], LINE_BYTES);
      prefetch(&rows[places[i]]);
      if (i >= lag) rows[places[i - lag]] = taken[i - lag] + first_row;
    }
    for (uint32_t i = count - lag; i < count; i++) rows[places[i]] = taken[i] + first_row;
  }
};

}  // namespace pystrat
