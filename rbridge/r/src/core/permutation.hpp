/* R's sample() without replacement: rows are taken out of a pool one after another; each time, the last remaining one
 * takes the free place.
 *
 * A pool is an array of the caller's that holds rows; the first `left` of them are still to be drawn. Rows are drawn in
 * blocks, so that a block's places in the pool are prefetched before they are needed.
 */

#pragma once

#include "generator.hpp"
#include "memory.hpp"

namespace pystrat {

/* Draw the places of the next rows in the pool, at most `wanted` and at most a block; return their number, at least 1.
 *
 * `indices` has room for min(wanted, BLOCK_SIZE). A block ends where an index needs another number of bits.
 */
inline uint32_t next_indices(
    Generator &generator, const int32_t *pool, uint32_t left, uint32_t wanted, uint32_t *indices
) {
  uint32_t bits = bits_below(left);
  uint32_t of_these_bits = left - ((UINT32_C(1) << bits) >> 1);
  uint32_t count = std::min({of_these_bits, wanted, BLOCK_SIZE});
  generator.draw_indices(left, 1, bits, count, indices);
  for (uint32_t i = 0; i < count; i++) prefetch(&pool[indices[i]]);
  return count;
}

/* Take the row at an index out of the pool; its last row takes the place. */
inline int32_t take_row(int32_t *pool, uint32_t index, uint32_t last) {
  int32_t row = pool[index];
  pool[index] = pool[last];
  return row;
}

/* Take the next `size` rows out of the `left` rows of the pool, in the order in which R's sample() draws them. */
inline void take_rows(Generator &generator, int32_t *pool, uint32_t left, uint32_t size, int32_t *rows) {
  uint32_t indices[BLOCK_SIZE];
  for (uint32_t done = 0; done < size;) {
    uint32_t count = next_indices(generator, pool, left, size - done, indices);
    for (uint32_t i = 0; i < count; i++) rows[done + i] = take_row(pool, indices[i], --left);
    done += count;
  }
}

/* Draw rows[begin], ..., rows[end - 1] of a subset of the n_rows rows of a pool that holds 0, 1, ....
 *
 * Consecutive steps go from 0 on. `places` records where the rows were in the pool, for put_rows_back(), so that a
 * subset takes O(size).
 */
inline void draw_subset_part(
    Generator &generator, int32_t *pool, uint32_t n_rows, uint32_t begin, uint32_t end, uint32_t *places, int32_t *rows
) {
  uint32_t left = n_rows - begin;
  for (uint32_t done = begin; done < end;) {
    uint32_t count = next_indices(generator, pool, left, end - done, &places[done]);
    for (uint32_t i = done; i < done + count; i++) rows[i] = take_row(pool, places[i], --left);
    done += count;
  }
}

/* Restore the pool to 0, 1, ... after a subset of `size` rows: only the places that were drawn have changed. */
inline void put_rows_back(int32_t *pool, const uint32_t *places, uint32_t size) {
  for (uint32_t i = 0; i < size; i++) pool[places[i]] = static_cast<int32_t>(places[i]);
}

}  // namespace pystrat
