/* The functions of scatter.h for one type of codes. Each inclusion defines CODE, the type, and NAME(), which adds it to
 * a name.
 *
 * All of them use these arrays of the caller's:
 *   codes    n rows: the stratum of each row, from 0; a row that no batch holds has the number of strata
 *   cursors  one number for each code: where in the layout the next rank of its stratum is. At first, these are the
 *            starts of plan.h. They are moved on, and so are part of the state between two steps.
 *   layout   n places, of plan.h
 *   rows     n rows, the result: rows[layout[start of stratum s + rank]] becomes the row of this rank in stratum s,
 *            counted from `first_row`, which is 0 in Python and 1 in R
 * Every code is below the number of cursors, and occurs as often as the layout has ranks for it.
 */

/* Take the rows at `count` indices, at most BLOCK_SIZE, out of the `left` rows of the pool, and put each into its
 * place.
 *
 * The memory that a row needs next is prefetched while other rows are handled. The layout is read in order, but in as
 * many streams as there are strata, and the hardware prefetches fewer streams. A place is written WRITE_LAG rows after
 * its prefetch, before its line is evicted again. Reads and writes alternate, which is faster than many writes in a
 * row.
 */
static inline void NAME(scatter_block)(
    int32_t *pool, uint32_t left, const uint32_t *indices, uint32_t count, const CODE *codes, int64_t *cursors,
    const int32_t *layout, int32_t first_row, int32_t *rows
) {
  int32_t taken[BLOCK_SIZE];
  int32_t places[BLOCK_SIZE];
  for (uint32_t i = 0; i < count; i++) {
    taken[i] = take_row(pool, indices[i], left - 1 - i);
    prefetch(&codes[taken[i]]);
  }
  uint32_t lag = count < WRITE_LAG ? count : WRITE_LAG;
  for (uint32_t i = 0; i < count; i++) {
    int64_t cursor = cursors[codes[taken[i]]]++;
    places[i] = layout[cursor];
    prefetch_beyond(&layout[cursor], LINE_BYTES);
    prefetch(&rows[places[i]]);
    if (i >= lag) rows[places[i - lag]] = taken[i - lag] + first_row;
  }
  for (uint32_t i = count - lag; i < count; i++) rows[places[i]] = taken[i] + first_row;
}

/* Scatter the next rows of a permutation, at most `wanted`; return how many of the `left` rows of the pool are left.
 *
 * Initially, the generator is that of the epoch's seed, the pool holds 0, 1, ..., n - 1, and all n are left. Generator,
 * pool, cursors and the number of rows left are the state between two steps; the size of the steps does not change the
 * result.
 */
static inline uint32_t NAME(scatter_permutation)(
    Generator *generator, int32_t *pool, uint32_t left, uint32_t wanted, const CODE *codes, int64_t *cursors,
    const int32_t *layout, int32_t first_row, int32_t *rows
) {
  uint32_t indices[BLOCK_SIZE];
  uint32_t end = wanted < left ? left - wanted : 0;
  while (left > end) {
    uint32_t count = next_indices(generator, pool, left, left - end, indices);
    NAME(scatter_block)(pool, left, indices, count, codes, cursors, layout, first_row, rows);
    left -= count;
  }
  return left;
}

/* Scatter the rows from `begin` to before `end`, in dataset order. */
static inline void NAME(scatter_in_order)(
    uint32_t begin, uint32_t end, const CODE *codes, int64_t *cursors, const int32_t *layout, int32_t first_row,
    int32_t *rows
) {
  for (size_t row = begin; row < end; row++) rows[layout[cursors[codes[row]]++]] = (int32_t)row + first_row;
}
