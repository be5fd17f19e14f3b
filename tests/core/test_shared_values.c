/* shared_values.h: batches of any rows, in any order, for numbers of batches that are just enough; and exchanges. */

#include "check.h"
#include "plain_host.h"
#include "shared_values.h"
#include "turns.h"

enum { MOST_ROWS = 24, MOST_COLUMNS = 3 };

static int64_t n_exchanges;

static bool shares_value(const ValuedRows *rows, int32_t left, int32_t right) {
  for (int64_t i = 0; i < rows->n_columns; i++) {
    for (int64_t j = 0; j < rows->n_columns; j++) {
      int32_t value = rows->values[left * rows->n_columns + i];
      if (value >= 0 && value == rows->values[right * rows->n_columns + j]) return true;
    }
  }
  return false;
}

/* See that no batch has two rows that share a value, and that sizes are those of the offsets. */
static void check_batches(
    const ValuedRows *rows, const int32_t *order, const int32_t *batches, const int64_t *offsets
) {
  int64_t sizes[MOST_ROWS] = {0};
  for (int64_t place = 0; place < rows->n_rows; place++) {
    sizes[batches[place]] += 1;
    for (int64_t other = 0; other < place; other++) {
      CHECK(batches[other] != batches[place] || !shares_value(rows, order[other], order[place]));
    }
  }
  for (int64_t batch = 0; offsets[batch] < rows->n_rows; batch++) {
    CHECK_EQUAL(sizes[batch], offsets[batch + 1] - offsets[batch]);
  }
}

/* Whether some row fits no batch with room, if rows only go to batches with room. */
static bool needs_exchange(const ValuedRows *rows, const int32_t *order, int64_t n_batches, const int64_t *offsets) {
  int64_t held[MOST_ROWS] = {0};
  int32_t members[MOST_ROWS][MOST_ROWS];
  for (int64_t place = 0; place < rows->n_rows; place++) {
    bool is_put = false;
    for (int64_t step = 0; !is_put && step < n_batches; step++) {
      int64_t batch = (place + step) % n_batches;
      bool fits_it = held[batch] < offsets[batch + 1] - offsets[batch];
      for (int64_t i = 0; fits_it && i < held[batch]; i++) {
        fits_it = !shares_value(rows, members[batch][i], order[place]);
      }
      if (!fits_it) continue;
      members[batch][held[batch]++] = order[place];
      is_put = true;
    }
    if (!is_put) return true;
  }
  return false;
}

static void test_any_rows(void) {
  uint64_t state = 1;
  for (int trial = 0; trial < 60000; trial++) {
    Parts nothing = {.n_parts = 0};
    PlainHost host = new_host(&nothing, NULL, 0, -1);
    int32_t values[MOST_ROWS * MOST_COLUMNS], order[MOST_ROWS], batches[MOST_ROWS];
    int64_t offsets[MOST_ROWS + 1], n_batches;
    ValuedRows rows = {.n_rows = 1 + some_number(&state, MOST_ROWS), .values = values};
    rows.n_columns = 1 + some_number(&state, MOST_COLUMNS);
    rows.n_values = 1 + some_number(&state, 30);
    for (int64_t i = 0; i < rows.n_rows * rows.n_columns; i++) values[i] = (int32_t)some_number(&state, rows.n_values);
    for (int32_t row = 0; row < rows.n_rows; row++) {
      int64_t place = some_number(&state, row + 1);
      order[row] = order[place];
      order[place] = row;
    }
    CHECK(find_rows_of_values(&rows, FOR_THE_CALL, &host.host));
    int64_t step = 1 + some_number(&state, 2), least = step * quotient_up(1 + some_number(&state, rows.n_rows), step);
    CHECK(find_enough_batches(&rows, least, step, &n_batches, &host.host));
    if (n_batches <= rows.n_rows) {
      fill_even_offsets(rows.n_rows, n_batches, offsets);
      CHECK(deal_valued_rows(&rows, order, n_batches, offsets, batches, &host.host));
      check_batches(&rows, order, batches, offsets);
      n_exchanges += needs_exchange(&rows, order, n_batches, offsets);
    } else {
      CHECK(step == 2);
    }
    free_host(&host);
  }
  CHECK(n_exchanges > 100);
}

/* Too few batches are refused, or happen to be enough. */
static void test_too_few_batches(void) {
  int32_t values[] = {0, 1, 0, 2}, order[] = {3, 0, 2, 1}, batches[4];
  int64_t offsets[] = {0, 4};
  Parts nothing = {.n_parts = 0};
  PlainHost host = new_host(&nothing, NULL, 0, -1);
  ValuedRows rows = {.n_rows = 4, .n_columns = 1, .n_values = 3, .values = values};
  CHECK(find_rows_of_values(&rows, FOR_THE_CALL, &host.host));
  CHECK(!deal_valued_rows(&rows, order, 1, offsets, batches, &host.host));
  CHECK(strcmp(host.host.refusal.parameter, "recipe") == 0);
  free_host(&host);
}

int main(void) {
  test_any_rows();
  test_too_few_batches();
  return 0;
}
