/* Rows in the order of their keys: largest key first, ties by row number. The order follows changes of keys, and maps
 * ranks to rows and rows to ranks, both from 0.
 *
 * The rows are in blocks of consecutive ranks. There are about as many blocks as rows per block, and each has room for
 * twice its share. Changing a key moves the rows of at most two blocks. If a block becomes full or empty, all rows are
 * dealt to the blocks evenly again, at most once in half a block's changes. So with n rows, a search takes O(log n),
 * and changing a key O(sqrt(n)).
 */

#pragma once

#include <cstring>
#include <numeric>

#include "../core/host.hpp"

namespace pystrat {

class Ranking {
 public:
  explicit Ranking(int64_t capacity) {
    while (share * share < capacity) share *= 2;
    most_blocks = (capacity + share - 1) / share;
  }

  /* The integers of a ranking: the numbers of rows and blocks, the rank at which each block begins, and the blocks. */
  int64_t length() const { return HEAD + most_blocks + 1 + 2 * share * most_blocks; }

  /* Lay the ranking over the caller's integers and the keys of rows. */
  void lay(int32_t *integers, double *keys_of_rows) {
    head = integers;
    begins = integers + HEAD;
    blocks = begins + most_blocks + 1;
    keys = keys_of_rows;
  }

  int64_t size() const { return head[N_RANKED]; }

  /* Rank the first `n_rows` rows by their keys. */
  void rank_all(int64_t n_rows) {
    std::vector<std::pair<double, int32_t>> order; /* sorted without access to the keys, which takes longer */
    order.reserve(static_cast<size_t>(n_rows));
    for (int64_t row = 0; row < n_rows; row++) order.emplace_back(-keys[row], static_cast<int32_t>(row));
    std::sort(order.begin(), order.end());
    deal(n_rows);
    for (int64_t rank = 0, block = 0; rank < n_rows; rank++) {
      while (begins[block + 1] <= rank) block++;
      rows_of(block)[rank - begins[block]] = order[static_cast<size_t>(rank)].second;
    }
  }

  /* Set the key of a row that has a rank, or of the first one that has none. */
  void set(int32_t row, double key) {
    if (row < size()) take_out(row);
    keys[row] = key;
    put_in(row);
  }

  int32_t row_at(int64_t rank) const {
    int64_t block = std::upper_bound(begins, begins + head[N_BLOCKS], rank) - begins - 1;
    return rows_of(block)[rank - begins[block]];
  }

  int64_t rank_of(int32_t row) const {
    int64_t block = block_of(row);
    return begins[block] + place_of(block, row);
  }

 private:
  enum { N_RANKED, N_BLOCKS, HEAD };

  bool comes_before(int32_t row, int32_t other) const {
    return keys[row] > keys[other] || (keys[row] == keys[other] && row < other);
  }

  int32_t *rows_of(int64_t block) const { return blocks + 2 * share * block; }

  int64_t size_of(int64_t block) const { return begins[block + 1] - begins[block]; }

  /* Determine the number of rows in each block. */
  void deal(int64_t n_rows) {
    int64_t n_blocks = std::max<int64_t>(1, (n_rows + share - 1) / share);
    head[N_RANKED] = static_cast<int32_t>(n_rows);
    head[N_BLOCKS] = static_cast<int32_t>(n_blocks);
    for (int64_t block = 0; block <= n_blocks; block++) begins[block] = static_cast<int32_t>(block * n_rows / n_blocks);
  }

  /* Deal all rows to the blocks evenly again: first all to the front, then, beginning with the last block, to their
   * blocks.
   */
  void deal_again() {
    auto move = [](int32_t *to, const int32_t *from, int64_t count) {
      std::memmove(to, from, static_cast<size_t>(count) * sizeof(int32_t));
    };
    for (int64_t block = 0; block < head[N_BLOCKS]; block++) {
      move(blocks + begins[block], rows_of(block), size_of(block));
    }
    deal(size());
    for (int64_t block = head[N_BLOCKS] - 1; block >= 0; block--) {
      move(rows_of(block), blocks + begins[block], size_of(block));
    }
  }

  /* The block in which a row is, or to which it belongs: the last one that does not begin with a later row. */
  int64_t block_of(int32_t row) const {
    int64_t low = 0, high = head[N_BLOCKS];
    while (high - low > 1) {
      int64_t middle = (low + high) / 2;
      (comes_before(row, rows_of(middle)[0]) ? high : low) = middle;
    }
    return low;
  }

  /* The number of rows of a block that come before a row. */
  int64_t place_of(int64_t block, int32_t row) const {
    const int32_t *rows = rows_of(block), *end = rows + size_of(block);
    return std::partition_point(rows, end, [&](int32_t other) { return comes_before(other, row); }) - rows;
  }

  /* Change the number of ranked rows, and the ranks of all blocks after this one. */
  void shift(int64_t block, int32_t change) {
    int64_t n_blocks = head[N_BLOCKS];
    for (int64_t next = block + 1; next <= n_blocks; next++) begins[next] += change;
    head[N_RANKED] += change;
  }

  void take_out(int32_t row) {
    int64_t block = block_of(row), place = place_of(block, row), size = size_of(block);
    int32_t *rows = rows_of(block);
    std::memmove(rows + place, rows + place + 1, static_cast<size_t>(size - place - 1) * sizeof(int32_t));
    shift(block, -1);
    if (size == 1 && head[N_BLOCKS] > 1) deal_again();
  }

  void put_in(int32_t row) {
    int64_t block = block_of(row);
    if (size_of(block) == 2 * share) {
      deal_again();
      block = block_of(row);
    }
    int64_t place = place_of(block, row);
    int32_t *rows = rows_of(block);
    std::memmove(rows + place + 1, rows + place, static_cast<size_t>(size_of(block) - place) * sizeof(int32_t));
    rows[place] = row;
    shift(block, 1);
  }

  int64_t share = 1, most_blocks; /* a share is the least power of 2 whose square is at least the capacity */
  int32_t *head = nullptr, *begins = nullptr, *blocks = nullptr;
  double *keys = nullptr;
};

}  // namespace pystrat
