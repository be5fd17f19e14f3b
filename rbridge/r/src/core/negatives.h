/* The negatives of an epoch, and their number for each user.
 *
 * A cell is row * columns + column; the rows of the table are users and its columns items.
 */

#ifndef PYSTRAT_NEGATIVES_H
#define PYSTRAT_NEGATIVES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "host.h"
#include "pairs.h"
#include "stream.h"
#include "subsets.h"
#include "weighted.h"

/* Fill the weights by which columns are drawn: a power of how often each occurs among `count` cells, scaled to at most
 * 1. `counts` has room for n_columns numbers.
 */
static inline bool weigh_columns(
    const double *cells, int64_t count, int64_t n_columns, double power, int64_t *counts, double *weights, Host *host
) {
  memset(counts, 0, (size_t)n_columns * sizeof *counts);
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = smaller(begin + GO_ON_ROWS, count);
    for (int64_t i = begin; i < end; i++) counts[(int64_t)cells[i] % n_columns] += 1;
    if (!host->go_on(host)) return false;
  }
  int64_t most = 1;
  for (int64_t column = 0; column < n_columns; column++) most = counts[column] > most ? counts[column] : most;
  for (int64_t begin = 0, end; begin < n_columns; begin = end) {
    end = smaller(begin + GO_ON_ROWS, n_columns);
    for (int64_t column = begin; column < end; column++) {
      weights[column] = pow((double)counts[column] / (double)most, power);
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Fill lost[row], for each row, with the shares of its positives in the total weight. */
static inline bool add_lost_shares(
    const double *positives, int64_t count, int64_t n_rows, int64_t n_columns, const double *weights, double *lost,
    Host *host
) {
  double total = 0;
  for (int64_t column = 0; column < n_columns; column++) total += weights[column];
  for (int64_t row = 0; row < n_rows; row++) lost[row] = 0;
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = smaller(begin + GO_ON_ROWS, count);
    for (int64_t i = begin; i < end; i++) {
      int64_t cell = (int64_t)positives[i], row = cell / n_columns;
      lost[row] += weights[cell - row * n_columns] / total;
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* The row of a random positive with a column drawn by weight; positives are drawn again. */
typedef struct {
  const double *cells;   /* n_positives: the distinct ones, sorted, then those that are repeated */
  const int64_t *starts; /* where the distinct positives of each row begin, and the end; NULL if they may be drawn */
  int64_t n_positives, n_distinct, n_columns;
  const SumTree *columns;
} PopularDraw;

/* Draw the rows of cells, as the first cell of each. */
static inline void draw_rows_of_positives(
    const PopularDraw *draw, Generator *generator, int64_t count, int64_t *cells
) {
  draw_numbers(generator, (uint64_t)draw->n_positives, count, cells);
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = count - begin < BLOCK_SIZE ? count : begin + BLOCK_SIZE;
    for (int64_t i = begin; i < end; i++) prefetch(&draw->cells[cells[i]]);
    for (int64_t i = begin; i < end; i++) {
      int64_t cell = (int64_t)draw->cells[cells[i]];
      cells[i] = cell - cell % draw->n_columns;
    }
  }
}

/* Draw the columns of cells. */
static inline void draw_columns(const PopularDraw *draw, Generator *generator, int64_t count, int64_t *cells) {
  int32_t columns[BLOCK_SIZE];
  for (int64_t begin = 0, end; begin < count; begin = end) {
    end = count - begin < BLOCK_SIZE ? count : begin + BLOCK_SIZE;
    draw_by_weight(draw->columns, generator, end - begin, columns);
    for (int64_t i = begin; i < end; i++) cells[i] += columns[i - begin];
  }
}

/* Move the cells from `begin` to end - 1 that are not positives to the place `kept` and following; return their
 * number. */
static inline int64_t keep_free_cells(
    const PopularDraw *draw, int64_t *cells, int64_t begin, int64_t end, int64_t kept
) {
  uint8_t found[BLOCK_SIZE];
  int64_t first = kept;
  for (int64_t block_end; begin < end; begin = block_end) {
    block_end = end - begin < BLOCK_SIZE ? end : begin + BLOCK_SIZE;
    find_positives(
        draw->cells, draw->n_distinct, draw->starts, draw->n_columns, cells + begin, block_end - begin, found
    );
    for (int64_t i = begin; i < block_end; i++) {
      if (!found[i - begin]) cells[kept++] = cells[i];
    }
  }
  return kept - first;
}

/* Draw cells: all rows first, then all columns, and again for the cells that are missing. */
static inline bool draw_popular(
    const PopularDraw *draw, Generator *generator, int64_t count, int64_t *drawn, Host *host
) {
  for (int64_t n_kept = 0; n_kept < count;) {
    int64_t *cells = drawn + n_kept;
    int64_t missing = count - n_kept;
    for (int64_t begin = 0; begin < missing; begin += GO_ON_ROWS) {
      draw_rows_of_positives(draw, generator, smaller(GO_ON_ROWS, missing - begin), cells + begin);
      if (!host->go_on(host)) return false;
    }
    for (int64_t begin = 0; begin < missing; begin += GO_ON_ROWS) {
      draw_columns(draw, generator, smaller(GO_ON_ROWS, missing - begin), cells + begin);
      if (!host->go_on(host)) return false;
    }
    if (draw->starts == NULL) return true;
    int64_t n_free = 0;
    for (int64_t begin = 0; begin < missing; begin += GO_ON_ROWS) {
      n_free += keep_free_cells(draw, cells, begin, smaller(begin + GO_ON_ROWS, missing), n_free);
      if (!host->go_on(host)) return false;
    }
    n_kept += n_free;
  }
  return true;
}

/* A number: whole + rest / denominator. `rest` is below the denominator, which is below 2^62. */
typedef struct {
  int64_t whole;
  int64_t rest;
  int64_t denominator;
} ExactNumber;

/* 10^n_decimals / digits - 1: the negatives per positive if `digits`, with n_decimals decimals, is the share of
 * positives.
 *
 * `digits` is from 1 to 10^15 and less than 10^n_decimals. A number of 2^31 or more has 2^31 as its whole.
 */
static inline ExactNumber negatives_for_each(int64_t digits, int64_t n_decimals) {
  const int64_t most = INT64_C(1) << 31;
  int64_t whole = 0;
  int64_t rest = 1;
  for (int64_t place = 0; place < n_decimals; place++) { /* long division by hand */
    rest *= 10;
    whole = 10 * whole + rest / digits;
    rest %= digits;
    if (whole > most) return (ExactNumber){.whole = most, .rest = 0, .denominator = 1};
  }
  return (ExactNumber){.whole = whole - 1, .rest = rest, .denominator = digits};
}

/* The product of a count below 2^31 and an exact number of at most 2^31, rounded to the nearest integer, halves up. */
static inline int64_t rounded_multiple(int64_t count, ExactNumber number) {
  if (number.rest == 0) return count * number.whole;
  int64_t quotient = 0; /* of count * rest and the denominator; one bit of the count after another, to avoid overflow */
  int64_t remainder = 0;
  for (int bit = 30; bit >= 0; bit--) {
    quotient *= 2;
    remainder *= 2;
    if (remainder >= number.denominator) {
      remainder -= number.denominator;
      quotient++;
    }
    if (!(count >> bit & 1)) continue;
    remainder += number.rest;
    if (remainder >= number.denominator) {
      remainder -= number.denominator;
      quotient++;
    }
  }
  return count * number.whole + quotient + (2 * remainder >= number.denominator);
}

/* Replace counts, whose sum is below 2^31, by the increments of their rounded running total times a number. */
static inline bool share_negatives(int64_t *counts, int64_t n_counts, ExactNumber number, Host *host) {
  int64_t running = 0, before = 0;
  for (int64_t i = 0; i < n_counts; i++) {
    if (!go_on_after(i, host)) return false;
    if (counts[i] == 0) continue;
    running += counts[i];
    int64_t total = rounded_multiple(running, number);
    counts[i] = total - before;
    before = total;
  }
  return true;
}

#endif
