/* scatter.h compared with the plain way: store the order, rank the rows, and look up the place of each. */

#include <string.h>

#include "by_width.h"
#include "check.h"
#include "numbering.h"
#include "permutation.h"
#include "plan.h"
#include "random.h"

enum { SEED = 1327217885 };

/* A dataset, and where the scatter is to put each of its rows. */
typedef struct {
  uint32_t n_rows;
  int64_t n_codes;
  int64_t *wide;    /* n_rows codes */
  int64_t *starts;  /* n_codes + 1 */
  int32_t *layout;  /* n_rows places, in no particular order */
  int32_t *rows;    /* the result, from 0 */
  int32_t *shuffled; /* the order of the permutation */
} Case;

static Case new_case(uint32_t n_rows, int64_t n_codes, uint64_t seed) {
  Case c = {
      .n_rows = n_rows,
      .n_codes = n_codes,
      .wide = new_array(n_rows, sizeof *c.wide),
      .starts = new_array(n_codes + 1, sizeof *c.starts),
      .layout = new_array(n_rows, sizeof *c.layout),
      .rows = new_array(n_rows, sizeof *c.rows),
      .shuffled = new_array(n_rows, sizeof *c.shuffled),
  };
  int64_t *counts = new_array(n_codes, sizeof *counts);
  memset(counts, 0, (size_t)n_codes * sizeof *counts);
  for (uint32_t row = 0; row < n_rows; row++) {
    c.wide[row] = row + 1 == n_rows ? n_codes - 1 : some_number(&seed, n_codes); /* the largest code occurs */
    counts[c.wide[row]] += 1;
  }
  fill_starts(counts, n_codes, c.starts);
  free(counts);

  int32_t *pool = new_array(n_rows, sizeof *pool);
  Generator generator;
  seed_generator(&generator, 1);
  fill_in_order(pool, n_rows);
  take_rows(&generator, pool, n_rows, n_rows, c.layout);
  seed_generator(&generator, SEED);
  fill_in_order(pool, n_rows);
  take_rows(&generator, pool, n_rows, n_rows, c.shuffled);
  free(pool);
  return c;
}

static void free_case(Case c) {
  free(c.wide);
  free(c.starts);
  free(c.layout);
  free(c.rows);
  free(c.shuffled);
}

/* Check what was scattered, where `order` is NULL for the order of the dataset. */
static void check_rows(const Case *c, const int32_t *order, int32_t first_row) {
  int64_t *ranks = new_array(c->n_codes, sizeof *ranks);
  memset(ranks, 0, (size_t)c->n_codes * sizeof *ranks);
  for (uint32_t i = 0; i < c->n_rows; i++) {
    int32_t row = order != NULL ? order[i] : (int32_t)i;
    int64_t code = c->wide[row];
    CHECK_EQUAL(c->rows[c->layout[c->starts[code] + ranks[code]++]], row + first_row);
  }
  free(ranks);
}

static void check_scatter(Case c, int code_bytes, uint32_t step, int32_t first_row) {
  void *codes = new_array(c.n_rows, (size_t)code_bytes);
  int64_t *counts = new_array(c.n_codes, sizeof *counts);
  int64_t *cursors = new_array(c.n_codes, sizeof *cursors);
  int32_t *pool = new_array(c.n_rows, sizeof *pool);
  memset(counts, 0, (size_t)c.n_codes * sizeof *counts);
  compact_codes(c.wide, 0, c.n_rows, c.n_codes, code_bytes, codes, counts);
  Epoch epoch = {code_bytes, codes, cursors, c.layout, first_row, c.rows};
  Generator generator;

  memset(c.rows, 0xA5, c.n_rows * sizeof *c.rows);
  memcpy(cursors, c.starts, (size_t)c.n_codes * sizeof *cursors);
  seed_generator(&generator, SEED);
  fill_in_order(pool, c.n_rows);
  for (uint32_t left = c.n_rows; left > 0;) {
    uint32_t after = scatter_permutation(&epoch, &generator, pool, left, step);
    CHECK_EQUAL(after, left > step ? left - step : 0);
    left = after;
  }
  check_rows(&c, c.shuffled, first_row);
  for (int64_t code = 0; code < c.n_codes; code++) CHECK_EQUAL(cursors[code], c.starts[code + 1]);

  memset(c.rows, 0xA5, c.n_rows * sizeof *c.rows);
  memcpy(cursors, c.starts, (size_t)c.n_codes * sizeof *cursors);
  for (uint32_t begin = 0; begin < c.n_rows;) {
    uint32_t end = c.n_rows - begin > step ? begin + step : c.n_rows;
    scatter_in_order(&epoch, begin, end);
    begin = end;
  }
  check_rows(&c, NULL, first_row);

  free(codes);
  free(counts);
  free(cursors);
  free(pool);
}

static void check_case(uint32_t n_rows, int64_t n_codes, int least_bytes, const uint32_t *steps, size_t n_steps) {
  Case c = new_case(n_rows, n_codes, n_rows);
  for (int code_bytes = least_bytes; code_bytes <= 4; code_bytes *= 2) {
    for (size_t i = 0; i < n_steps; i++) {
      for (int32_t first_row = 0; first_row <= 1; first_row++) check_scatter(c, code_bytes, steps[i], first_row);
    }
  }
  free_case(c);
}

int main(void) {
  static const uint32_t steps[] = {1, 2, 7, 63, 64, 65, 511, 512, 513, 1000, 2147483647, UINT32_MAX};
  static const uint32_t sizes[] = {1, 2, 3, 100, 511, 512, 513, 1025, 5000};
  for (size_t i = 0; i < LENGTH(sizes); i++) {
    check_case(sizes[i], 1, 1, steps, LENGTH(steps));
    check_case(sizes[i], 3, 1, steps, LENGTH(steps));
    check_case(sizes[i], 256, 1, steps, LENGTH(steps));
    check_case(sizes[i], 300, 2, steps, LENGTH(steps));
  }
  check_case(70000, 2, 1, &steps[9], 3);
  check_case(70000, 65536, 2, &steps[9], 3);
  check_case(70000, 66000, 4, &steps[9], 3);
  return 0;
}
