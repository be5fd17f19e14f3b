/* The negatives of an epoch, and their number for each user.
 *
 * A cell is row * columns + column; the rows of the table are users and its columns items. Draws are made in steps of
 * size `wanted`; the size of the steps does not change the result.
 */

#ifndef PYSTRAT_NEGATIVES_H
#define PYSTRAT_NEGATIVES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "pairs.h"
#include "stream.h"
#include "subsets.h"
#include "weighted.h"

/* Numbers drawn within groups: for each group in turn, counts[g] of firsts[g], ..., firsts[g] + limits[g] - 1.
 *
 * A limit is from 1 to 2^52, and at least the count if it is drawn without replacement. The caller sets the fields up
 * to `scratch`, and the others to 0.
 */
typedef struct {
  const int64_t *firsts;
  const int64_t *limits;
  const int64_t *counts;
  int64_t n_groups;
  SubsetScratch *scratch; /* for draws without replacement, enough for all groups; NULL for draws with replacement */
  int64_t group;          /* the next group */
  int64_t n_drawn;        /* numbers of this group that are drawn */
  int64_t n_done;         /* numbers of all groups that are drawn */
} GroupDraw;

/* Draw at most `wanted` further numbers into their places in `drawn`; return whether all are drawn. */
static inline bool draw_in_groups(GroupDraw *draw, Generator *generator, int64_t wanted, int64_t *drawn) {
  while (draw->group < draw->n_groups && wanted > 0) {
    int64_t first = draw->firsts[draw->group];
    int64_t limit = draw->limits[draw->group];
    int64_t count = draw->counts[draw->group];
    int64_t begin = draw->n_drawn;
    int64_t end = wanted < count - begin ? begin + wanted : count;
    int64_t *places = drawn + draw->n_done;
    if (draw->scratch == NULL) {
      if (begin < end) draw_indices_within(generator, first, limit, end - begin, places);
    } else {
      draw_subset_within(generator, draw->scratch, first, limit, count, begin, end, places);
    }
    wanted -= end - begin;
    draw->n_done += end - begin;
    draw->n_drawn = end < count ? end : 0;
    draw->group += end == count;
  }
  return draw->group == draw->n_groups;
}

/* Count the positives of each column among cells[begin], ..., cells[end - 1], in addition to those in `counts`. */
static inline void count_columns(
    const int64_t *cells, int64_t begin, int64_t end, int64_t n_columns, int64_t *counts
) {
  for (int64_t i = begin; i < end; i++) counts[cells[i] % n_columns]++;
}

/* Fill the weights by which columns are drawn: a power of their counts, where the largest count, `most`, is above 0. */
static inline void weigh_columns(
    const int64_t *counts, int64_t most, double power, int64_t begin, int64_t end, double *weights
) {
  for (int64_t column = begin; column < end; column++) {
    weights[column] = pow((double)counts[column] / (double)most, power);
  }
}

/* Add to lost[row], for each row, the shares of its positives in the total weight. */
static inline void add_lost_shares(
    const int64_t *positives, int64_t begin, int64_t end, int64_t n_columns, const double *weights, double total,
    double *lost
) {
  for (int64_t i = begin; i < end; i++) lost[positives[i] / n_columns] += weights[positives[i] % n_columns] / total;
}

/* The row of a random positive with a column drawn by weight, `count` times; positives are drawn again.
 *
 * All rows are drawn first, then all columns, and again for those that are missing. The caller sets the fields up to
 * `drawn`, and the others to 0.
 */
typedef struct {
  const int64_t *cells;  /* n_positives: the distinct ones, sorted, then those that are repeated */
  const int64_t *starts; /* where the distinct positives of each row begin, and the end; NULL if they may be drawn */
  int64_t n_positives;
  int64_t n_distinct;
  int64_t n_columns;
  const SumTree *columns;
  int64_t count;
  int64_t *drawn;        /* `count` cells, the result */
  int64_t n_kept;        /* cells that are kept */
  int64_t n_rows_drawn;  /* further cells whose row is drawn */
  int64_t n_drawn;       /* of these, those whose column is drawn as well */
  int64_t n_checked;     /* of these, those that have been checked */
  int64_t n_free;        /* of these, those that are not positives */
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
      int64_t cell = draw->cells[cells[i]];
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

/* Continue a draw by `wanted` steps, each of a row, a column or a lookup; return whether all cells are drawn. */
static inline bool draw_popular(PopularDraw *draw, Generator *generator, int64_t wanted) {
  while (draw->n_kept < draw->count && wanted > 0) {
    int64_t *cells = draw->drawn + draw->n_kept;
    int64_t missing = draw->count - draw->n_kept;
    if (draw->n_rows_drawn < missing) {
      int64_t count = wanted < missing - draw->n_rows_drawn ? wanted : missing - draw->n_rows_drawn;
      draw_rows_of_positives(draw, generator, count, cells + draw->n_rows_drawn);
      draw->n_rows_drawn += count;
      wanted -= count;
    } else if (draw->n_drawn < missing) {
      int64_t count = wanted < missing - draw->n_drawn ? wanted : missing - draw->n_drawn;
      draw_columns(draw, generator, count, cells + draw->n_drawn);
      draw->n_drawn += count;
      wanted -= count;
    } else if (draw->starts != NULL && draw->n_checked < missing) {
      int64_t count = wanted < missing - draw->n_checked ? wanted : missing - draw->n_checked;
      draw->n_free += keep_free_cells(draw, cells, draw->n_checked, draw->n_checked + count, draw->n_free);
      draw->n_checked += count;
      wanted -= count;
    } else {
      draw->n_kept += draw->starts != NULL ? draw->n_free : missing;
      draw->n_rows_drawn = draw->n_drawn = draw->n_checked = draw->n_free = 0;
    }
  }
  return draw->n_kept == draw->count;
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

/* The product of a count and an exact number, both below 2^31, rounded to the nearest integer, halves up. */
static inline int64_t rounded_multiple(int64_t count, ExactNumber number) {
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

/* Fill in the increments of the rounded running total of counts[i] * number, for i from `begin` to end - 1.
 *
 * `running` is the sum of the counts before; the sum of all counts is below 2^31. Returns the sum of those so far.
 */
static inline int64_t share_negatives(
    const int64_t *counts, ExactNumber number, int64_t running, int64_t begin, int64_t end, int64_t *shares
) {
  int64_t before = rounded_multiple(running, number);
  for (int64_t i = begin; i < end; i++) {
    shares[i] = 0;
    if (counts[i] == 0) continue;
    running += counts[i];
    int64_t total = rounded_multiple(running, number);
    shares[i] = total - before;
    before = total;
  }
  return running;
}

#endif
