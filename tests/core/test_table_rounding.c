/* table_rounding.h: every cell is the floor or the ceiling of its share, and no sum changes, in all small tables and in
 * random larger ones.
 */

#include "plain_host.h"
#include "table_rounding.h"

enum { MOST_CELLS = 40 };

static int64_t sum_of(const int64_t *numbers, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) sum += numbers[i];
  return sum;
}

static void check_table(const int64_t *rows, int64_t n_rows, const int64_t *columns, int64_t n_columns) {
  int64_t total = sum_of(rows, n_rows), sums[MOST_CELLS] = {0};
  int32_t *counts = new_array(n_rows * n_columns, sizeof *counts);
  PlainHost host = new_host(NULL, NULL, 0, -1);
  CHECK_EQUAL(sum_of(columns, n_columns), total);
  CHECK(round_table(rows, n_rows, columns, n_columns, total, counts, &host.host));
  for (int64_t row = 0; row < n_rows; row++) {
    int64_t sum = 0;
    for (int64_t column = 0; column < n_columns; column++) {
      int64_t product = rows[row] * columns[column], count = counts[row * n_columns + column];
      CHECK(count == product / total || count == quotient_up(product, total));
      sum += count;
      sums[column] += count;
    }
    CHECK_EQUAL(sum, rows[row]);
  }
  for (int64_t column = 0; column < n_columns; column++) CHECK_EQUAL(sums[column], columns[column]);
  free_host(&host);
  free(counts);
}

/* The next numbers from 1 on with this sum; return whether there are any. */
static bool next_numbers(int64_t *numbers, int64_t count, int64_t sum) {
  for (int64_t i = count - 2; i >= 0; i--) {
    numbers[i] += 1;
    for (int64_t j = i + 1; j < count - 1; j++) numbers[j] = 1;
    numbers[count - 1] = sum - sum_of(numbers, count - 1);
    if (numbers[count - 1] >= 1) return true;
  }
  return false;
}

static void begin_numbers(int64_t *numbers, int64_t count, int64_t sum) {
  for (int64_t i = 0; i < count; i++) numbers[i] = i == count - 1 ? sum - count + 1 : 1;
}

static void test_all_small_tables(void) {
  int64_t rows[4], columns[5], n_tables = 0;
  for (int64_t total = 2; total <= 9; total++) {
    for (int64_t n_rows = 1; n_rows <= smaller(4, total); n_rows++) {
      for (int64_t n_columns = 2; n_columns <= smaller(5, total); n_columns++) {
        begin_numbers(rows, n_rows, total);
        do {
          begin_numbers(columns, n_columns, total);
          do {
            check_table(rows, n_rows, columns, n_columns);
            n_tables++;
          } while (next_numbers(columns, n_columns, total));
        } while (next_numbers(rows, n_rows, total));
      }
    }
  }
  CHECK_EQUAL(n_tables, 24765);
}

/* Numbers up to the largest that rows have. */
static void test_random_tables(void) {
  uint64_t state = 1;
  for (int trial = 0; trial < 2000; trial++) {
    int64_t rows[MOST_CELLS], columns[MOST_CELLS];
    int64_t n_rows = 1 + some_number(&state, MOST_CELLS), n_columns = 1 + some_number(&state, MOST_CELLS);
    int64_t most = trial % 3 == 0 ? 3 : trial % 3 == 1 ? 1000 : LARGEST_COUNT / MOST_CELLS;
    for (int64_t row = 0; row < n_rows; row++) rows[row] = some_number(&state, most) + 1;
    int64_t left = sum_of(rows, n_rows);
    for (int64_t column = 0; column < n_columns; column++) {
      columns[column] = column == n_columns - 1 ? left : some_number(&state, left + 1);
      left -= columns[column];
    }
    check_table(rows, n_rows, columns, n_columns);
  }
}


int main(void) {
  test_all_small_tables();
  test_random_tables();
  return 0;
}
