/* Rows in the order of their keys: largest key first, ties by row number. The order follows changes of keys, and maps
 * ranks to rows and rows to ranks. Ranks are counted from 0.
 *
 * The rows are in blocks of consecutive ranks. There are about as many blocks as rows per block, and each has room for
 * twice its share. Two binary searches find a row: one for its block, and one within it. Changing a key moves the rows
 * of at most two blocks. If a block becomes full or empty, all rows are dealt to the blocks evenly again, at most once
 * in half a block's changes. So with n rows, a search takes O(log n), and changing a key O(sqrt(n)).
 *
 * Results depend only on the keys; how the rows are dealt to the blocks does not matter.
 */

#ifndef PYSTRAT_RANKING_H
#define PYSTRAT_RANKING_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The caller owns all vectors. */
typedef struct {
  double *keys;     /* `capacity` numbers, none of them NaN: the key of each row */
  int32_t *rows;    /* ranking_length() numbers: the blocks, of which the first places are used */
  int32_t *begins;  /* ranking_blocks() + 1 numbers: the rank at which each block begins; after the last, n_ranked */
  int64_t capacity; /* from 1 to 2^31 - 1 */
  int64_t share;    /* rows of a block after they were dealt, at most; there is room for twice as many */
  int64_t n_ranked; /* rows that have a rank: 0, ..., n_ranked - 1 */
  int64_t n_blocks; /* blocks in use, at least 1; if there are several, none is empty */
} Ranking;

/* The share of a block: the least power of 2 whose square is at least the capacity. */
static inline int64_t ranking_share(int64_t capacity) {
  int64_t share = 1;
  while (share * share < capacity) share *= 2;
  return share;
}

/* The number of blocks that a ranking has room for. */
static inline int64_t ranking_blocks(int64_t capacity) {
  int64_t share = ranking_share(capacity);
  return (capacity + share - 1) / share;
}

/* The number of `rows` of a ranking. */
static inline int64_t ranking_length(int64_t capacity) {
  return 2 * ranking_share(capacity) * ranking_blocks(capacity);
}

/* Lay a ranking over the caller's vectors, which are used and not copied. `n_ranked` and `n_blocks` are those of the
 * ranking in the vectors; begin_ranking() begins a new one.
 */
static inline void init_ranking(
    Ranking *ranking, int64_t capacity, double *keys, int32_t *rows, int32_t *begins, int64_t n_ranked, int64_t n_blocks
) {
  ranking->keys = keys;
  ranking->rows = rows;
  ranking->begins = begins;
  ranking->capacity = capacity;
  ranking->share = ranking_share(capacity);
  ranking->n_ranked = n_ranked;
  ranking->n_blocks = n_blocks;
}

/* Determine the number of the n_ranked rows in each block. The caller places the rows themselves. */
static inline void begin_ranking(Ranking *ranking, int64_t n_ranked) {
  int64_t n_blocks = n_ranked == 0 ? 1 : (n_ranked + ranking->share - 1) / ranking->share;
  ranking->n_ranked = n_ranked;
  ranking->n_blocks = n_blocks;
  for (int64_t block = 0; block <= n_blocks; block++) ranking->begins[block] = (int32_t)(block * n_ranked / n_blocks);
}

static inline int64_t size_of_block(const Ranking *ranking, int64_t block) {
  return ranking->begins[block + 1] - ranking->begins[block];
}

static inline int32_t *rows_of_block(const Ranking *ranking, int64_t block) {
  return ranking->rows + 2 * ranking->share * block;
}

/* Give ranks to rows in this order. */
static inline void rank_in_order(Ranking *ranking, const int32_t *order, int64_t n_rows) {
  begin_ranking(ranking, n_rows);
  for (int64_t rank = 0, block = 0; rank < n_rows; rank++) {
    while (ranking->begins[block + 1] <= rank) block++;
    rows_of_block(ranking, block)[rank - ranking->begins[block]] = order[rank];
  }
}

/* Deal all rows to the blocks evenly again, in place: first all to the front, then, beginning with the last block, to
 * their blocks. */
static inline void deal_again(Ranking *ranking) {
  for (int64_t block = 0; block < ranking->n_blocks; block++) {
    size_t size = (size_t)size_of_block(ranking, block) * sizeof(int32_t);
    memmove(ranking->rows + ranking->begins[block], rows_of_block(ranking, block), size);
  }
  begin_ranking(ranking, ranking->n_ranked);
  for (int64_t block = ranking->n_blocks - 1; block >= 0; block--) {
    size_t size = (size_t)size_of_block(ranking, block) * sizeof(int32_t);
    memmove(rows_of_block(ranking, block), ranking->rows + ranking->begins[block], size);
  }
}

/* The row at a place of a block. An invalid one, from a vector that was damaged, is read as 0. */
static inline int32_t ranked_row_at(const Ranking *ranking, const int32_t *rows, int64_t place) {
  return 0 <= rows[place] && rows[place] < ranking->capacity ? rows[place] : 0;
}

static inline bool comes_before(const Ranking *ranking, int32_t row, int32_t other) {
  double key = ranking->keys[row], other_key = ranking->keys[other];
  return key > other_key || (key == other_key && row < other);
}

/* The block in which a row is, or to which it belongs: the last one that does not begin with a later row. */
static inline int64_t block_of_row(const Ranking *ranking, int32_t row) {
  int64_t low = 0, high = ranking->n_blocks;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (comes_before(ranking, row, ranked_row_at(ranking, rows_of_block(ranking, middle), 0))) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

/* The number of rows of a block that come before a row. */
static inline int64_t place_of_row(const Ranking *ranking, int64_t block, int32_t row) {
  const int32_t *rows = rows_of_block(ranking, block);
  int64_t low = 0, high = size_of_block(ranking, block);
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (comes_before(ranking, ranked_row_at(ranking, rows, middle), row)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Change the number of ranked rows, and the ranks of all blocks after this one. */
static inline void shift_ranks(Ranking *ranking, int64_t block, int32_t change) {
  for (int64_t next = block + 1; next <= ranking->n_blocks; next++) ranking->begins[next] += change;
  ranking->n_ranked += change;
}

/* Remove a row; return whether it was there, which it always is unless a vector was damaged. */
static inline bool take_row_out(Ranking *ranking, int32_t row) {
  int64_t block = block_of_row(ranking, row);
  int64_t place = place_of_row(ranking, block, row);
  int64_t size = size_of_block(ranking, block);
  int32_t *rows = rows_of_block(ranking, block);
  if (place >= size || rows[place] != row) return false;
  memmove(rows + place, rows + place + 1, (size_t)(size - place - 1) * sizeof(int32_t));
  shift_ranks(ranking, block, -1);
  if (size == 1 && ranking->n_blocks > 1) deal_again(ranking);
  return true;
}

/* Insert a row by its key; it must not be there, and there must be room. */
static inline void put_row_in(Ranking *ranking, int32_t row) {
  int64_t block = block_of_row(ranking, row);
  if (size_of_block(ranking, block) == 2 * ranking->share) {
    deal_again(ranking);
    block = block_of_row(ranking, row);
  }
  int64_t place = place_of_row(ranking, block, row);
  int32_t *rows = rows_of_block(ranking, block);
  memmove(rows + place + 1, rows + place, (size_t)(size_of_block(ranking, block) - place) * sizeof(int32_t));
  rows[place] = row;
  shift_ranks(ranking, block, 1);
}

/* Set the key of a row. If it has no rank, it gets one; it is then the first such row: n_ranked. */
static inline void set_key(Ranking *ranking, int32_t row, double key) {
  if (row < ranking->n_ranked && !take_row_out(ranking, row)) return;
  ranking->keys[row] = key;
  put_row_in(ranking, row);
}

/* Replace ranks by their rows. */
static inline void ranks_to_rows(const Ranking *ranking, int32_t *ranks, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    int64_t low = 0, high = ranking->n_blocks;
    while (high - low > 1) {
      int64_t middle = low + (high - low) / 2;
      if (ranks[i] < ranking->begins[middle]) {
        high = middle;
      } else {
        low = middle;
      }
    }
    ranks[i] = ranked_row_at(ranking, rows_of_block(ranking, low), ranks[i] - ranking->begins[low]);
  }
}

/* Return the rank of a row that has one. */
static inline int64_t rank_of_row(const Ranking *ranking, int32_t row) {
  int64_t block = block_of_row(ranking, row);
  return ranking->begins[block] + place_of_row(ranking, block, row);
}

/* Write the weights of `count` ranks from `first` on: (rank + 1)^-alpha. */
static inline void weigh_ranks(int64_t first, int64_t count, double alpha, double *weights) {
  for (int64_t i = 0; i < count; i++) weights[i] = pow((double)(first + i + 1), -alpha);
}

#endif
