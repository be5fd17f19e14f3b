/* Negatives in groups and by popularity, compared with one draw after another; exact shares of them. */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "negatives.h"
#include "plain_host.h"

enum { MOST_GROUPS = 40, MOST_LIMIT = 50, MOST_DRAWN = 2000, MOST_CELLS = 400 };

static uint64_t choices = 1; /* the state of what the tests choose */

static void groups_are_drawn_one_after_another(bool distinct) {
  int64_t drawn[MOST_DRAWN], expected[MOST_DRAWN], since = 0;
  Generator generator, plain;
  PlainHost host = new_host(NULL, NULL, 0, -1);
  SubsetScratch scratch = {.n_pool = 1, .n_places = 1, .n_table = 1};
  enlarge_subset_scratch(&scratch, MOST_LIMIT, MOST_LIMIT);
  CHECK(make_subset_scratch(&scratch, &host.host));
  seed_generator(&generator, 5);
  plain = generator;
  for (int64_t n_groups = 1 + some_number(&choices, MOST_GROUPS); n_groups > 0; n_groups--) {
    int64_t first = some_number(&choices, INT64_C(1) << 33), limit = 1 + some_number(&choices, MOST_LIMIT);
    int64_t count = some_number(&choices, limit + 1);
    CHECK(draw_within(&generator, distinct ? &scratch : NULL, first, limit, count, drawn, &since, &host.host));
    uint32_t bits = bits_below((uint64_t)limit);
    if (distinct) draw_subset_within(&plain, &scratch, first, limit, count, 0, count, expected);
    for (int64_t i = 0; i < count; i++) {
      if (!distinct) expected[i] = first + (int64_t)index_below(&plain, (uint64_t)limit, bits);
      CHECK_EQUAL(drawn[i], expected[i]);
    }
  }
  CHECK(next_output(&generator) == next_output(&plain));
  free_host(&host);
}

static void popular_cells_are_drawn_round_by_round(bool free_only) {
  int64_t n_rows = 1 + some_number(&choices, 12), n_columns = 2 + some_number(&choices, 12), n_distinct = 0;
  int64_t starts[14], counts[14], most = 0;
  double cells[2 * MOST_CELLS], weights[14], lost[14];
  PlainHost host = new_host(NULL, NULL, 0, -1);
  uint8_t marks[MOST_CELLS] = {0};
  starts[0] = 0;
  for (int64_t row = 0; row < n_rows; row++) {
    for (int64_t column = 0; column < n_columns; column++) {
      /* The last column is free in every row, and a positive of row 0 if it would have none otherwise. */
      int64_t cell = row * n_columns + column;
      marks[cell] = column + 1 < n_columns && (some_number(&choices, 3) == 0 || cell == 0);
      if (marks[cell]) cells[n_distinct++] = (double)cell;
    }
    starts[row + 1] = n_distinct;
  }
  int64_t n_positives = n_distinct + 3;
  for (int64_t i = n_distinct; i < n_positives; i++) cells[i] = cells[some_number(&choices, n_distinct)];
  CHECK(weigh_columns(cells, n_positives, n_columns, 0.75, counts, weights, &host.host));
  for (int64_t column = 0; column < n_columns; column++) most = counts[column] > most ? counts[column] : most;
  weights[n_columns - 1] = 0.1;
  for (int64_t column = 0; column + 1 < n_columns; column++) {
    CHECK(weights[column] == pow((double)counts[column] / (double)most, 0.75));
  }
  SumTree tree = {0};
  double *sums = new_array(sum_tree_length(n_columns), sizeof(double));
  for (int64_t i = 0; i < sum_tree_length(n_columns); i++) sums[i] = 0;
  init_sum_tree(&tree, n_columns, sums, NULL, 0);
  fill_rows(&tree, weights, 0, n_columns);
  CHECK(add_lost_shares(cells, n_distinct, n_rows, n_columns, weights, lost, &host.host));
  for (int64_t row = 0; row < n_rows; row++) {
    double sum = 0;
    for (int64_t column = 0; column < n_columns; column++) sum += marks[row * n_columns + column] ? weights[column] : 0;
    CHECK(fabs(lost[row] - sum / total_of(&tree)) < 1e-12);
  }

  int64_t drawn[MOST_DRAWN], expected[MOST_DRAWN], count = 1 + some_number(&choices, MOST_DRAWN), n_kept = 0;
  Generator generator, plain;
  seed_generator(&generator, 6);
  plain = generator;
  while (n_kept < count) {
    int64_t missing = count - n_kept, round[MOST_DRAWN];
    for (int64_t i = 0; i < missing; i++) {
      uint64_t place = index_below(&plain, (uint64_t)n_positives, bits_below((uint64_t)n_positives));
      round[i] = (int64_t)cells[place] / n_columns;
    }
    for (int64_t i = 0; i < missing; i++) {
      int32_t column;
      draw_by_weight(&tree, &plain, 1, &column);
      round[i] = round[i] * n_columns + column;
      if (!free_only || !marks[round[i]]) expected[n_kept++] = round[i];
    }
  }
  PopularDraw draw = {cells, free_only ? starts : NULL, n_positives, n_distinct, n_columns, &tree};
  CHECK(draw_popular(&draw, &generator, count, drawn, &host.host));
  for (int64_t i = 0; i < count; i++) CHECK_EQUAL(drawn[i], expected[i]);
  CHECK(next_output(&generator) == next_output(&plain));
  free(sums);
}

static void shares_of_negatives_are_exact(int64_t digits, int64_t n_decimals) {
  int64_t power = 1, counts[30], shares[30], given = 0, sum = 0;
  for (int64_t i = 0; i < n_decimals; i++) power *= 10;
  ExactNumber number = negatives_for_each(digits, n_decimals);
  CHECK_EQUAL(number.whole, (power - digits) / digits);
  CHECK_EQUAL(number.rest, power % digits);
  CHECK_EQUAL(number.denominator, digits);
  for (int64_t i = 0; i < 30; i++) counts[i] = some_number(&choices, 4) == 0 ? 0 : some_number(&choices, 1000);
  memcpy(shares, counts, sizeof shares);
  PlainHost host = new_host(NULL, NULL, 0, -1);
  CHECK(share_negatives(shares, 30, number, &host.host));
  free_host(&host);
  for (int64_t i = 0; i < 30; i++) {
    sum += counts[i];
    int64_t total = (2 * sum * (power - digits) + digits) / (2 * digits);
    CHECK_EQUAL(shares[i], counts[i] == 0 ? 0 : total - given);
    CHECK_EQUAL(rounded_multiple(sum, number), total);
    given = total;
  }
}

static void large_numbers_do_not_wrap(void) {
  /* 0.3 in 15 digits: 2147483646 * 7 / 3 exceeds nothing, and is 5010795174 */
  CHECK_EQUAL(rounded_multiple(2147483646, negatives_for_each(INT64_C(300000000000000), 15)), INT64_C(5010795174));
  /* 0.999999999999999: half a negative needs 5 * 10^14 positives */
  CHECK_EQUAL(rounded_multiple(2147483647, negatives_for_each(INT64_C(999999999999999), 15)), 0);
  /* 2^-31 and about 2^-31: as many negatives as an epoch can have, for one positive */
  CHECK_EQUAL(rounded_multiple(1, negatives_for_each(INT64_C(465661287307739), 24)), INT64_C(2147483648) - 1);
  CHECK_EQUAL(negatives_for_each(1, 300).whole, INT64_C(2147483648));
  CHECK_EQUAL(negatives_for_each(INT64_C(100000000000000), 34).whole, INT64_C(2147483648));
}

int main(void) {
  for (int round = 0; round < 60; round++) {
    groups_are_drawn_one_after_another(round % 2 == 0);
    popular_cells_are_drawn_round_by_round(round % 2 == 0);
  }
  for (int64_t digits = 1; digits < 1000; digits += 37) {
    for (int64_t n_decimals = 3; n_decimals < 9; n_decimals++) shares_of_negatives_are_exact(digits, n_decimals);
  }
  large_numbers_do_not_wrap();
  return 0;
}
