/* numbering.h and hashing.h against a search through all values seen before. */

#include "hashing.h"
#include "numbering.h"
#include "plain_host.h"

/* Check numbers and distinct values by a search through all values seen before. */
static void check_numbers(
    const int64_t *values, int64_t n_rows, const int64_t *codes, const int64_t *distinct, int64_t found
) {
  int64_t n_seen = 0;
  for (int64_t row = 0; row < n_rows; row++) {
    int64_t number = 0;
    while (number < n_seen && distinct[number] != values[row]) number++;
    n_seen += number == n_seen;
    CHECK(number < found && distinct[number] == values[row]);
    CHECK_EQUAL(codes[row], number);
  }
  CHECK_EQUAL(found, n_seen);
}

/* Number values by tables from several sizes on, by sorting, and as the core chooses. */
static void check_all(const int64_t *values, int64_t n_rows) {
  int64_t *codes = new_array(n_rows, sizeof *codes), row, found;
  const int64_t *distinct = NULL;
  for (int bits = 1; bits <= 10; bits += 9) {
    PlainHost host = new_host(NULL, NULL, 0, -1);
    NumberTable table = {.found = 0};
    CHECK(number_by_table(&table, values, n_rows, bits, codes, &row, &host.host));
    CHECK(row == n_rows || is_flooded(&table, n_rows));
    check_numbers(values, row, codes, table.distinct, table.found);
    free_host(&host);
  }
  for (int sorts = 0; sorts <= 1; sorts++) {
    PlainHost host = new_host(NULL, NULL, 0, -1);
    found = sorts ? number_by_sorting(values, n_rows, codes, &distinct, &host.host)
                  : number_values(values, n_rows, codes, &distinct, &host.host);
    check_numbers(values, n_rows, codes, distinct, found);
    free_host(&host);
  }
  free(codes);
}

static void test_few_and_many_distinct_values(void) {
  static const int64_t limits[] = {1, 2, 20, 600, INT64_C(1) << 31};
  enum { N_ROWS = 2500 };
  int64_t *values = new_array(N_ROWS, sizeof *values);
  for (size_t i = 0; i < LENGTH(limits); i++) {
    uint64_t state = i;
    for (int row = 0; row < N_ROWS; row++) values[row] = some_number(&state, limits[i]) - limits[i] / 2;
    check_all(values, N_ROWS);
  }
  for (int row = 0; row < N_ROWS; row++) values[row] = row * (INT64_C(1) << 50);
  check_all(values, N_ROWS);
  check_all(values, 0);
  free(values);
}

static void test_the_smallest_and_the_largest_values(void) {
  static const int64_t values[] = {INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN, INT64_MIN + 1, INT64_MAX, -1, 0};
  check_all(values, LENGTH(values));
}

/* Values that all want the same slot, the last one, so that the search goes on at the first. */
static void test_values_that_collide(void) {
  enum { N_DISTINCT = 300, BITS = 10 };
  int64_t *values = new_array(2 * N_DISTINCT, sizeof *values);
  int found = 0;
  for (int64_t value = -1; found < N_DISTINCT; value--) {
    if (slot_of(value, 64 - BITS) == (1u << BITS) - 1) values[found++] = value;
  }
  for (int i = 0; i < N_DISTINCT; i++) values[N_DISTINCT + i] = values[N_DISTINCT - 1 - i];
  check_all(values, 2 * N_DISTINCT);
  free(values);
}

/* The value of which slot_of(value, 0) is a hash: what the multiplication and the shift do, undone. */
static int64_t value_of_hash(uint64_t hash) {
  uint64_t inverse = 1;
  for (int i = 0; i < 6; i++) inverse *= 2 - UINT64_C(0x9E3779B97F4A7C15) * inverse;
  uint64_t bits = hash * inverse;
  return (int64_t)(bits ^ (bits >> 32));
}

/* A search through values that all want one slot would look at all of them: the table says so early, and sorts. */
static void test_a_flood_of_collisions_is_noticed(void) {
  enum { N_ROWS = 1 << 17 };
  int64_t *values = new_array(N_ROWS, sizeof *values), *codes = new_array(N_ROWS, sizeof *codes), row;
  const int64_t *distinct;
  for (int flooded = 0; flooded <= 1; flooded++) {
    for (row = 0; row < N_ROWS; row++) {
      values[row] = flooded ? value_of_hash((uint64_t)row) : row << 20;
      CHECK(!flooded || slot_of(values[row], 64 - FIRST_TABLE_BITS) == 0);
    }
    PlainHost host = new_host(NULL, NULL, 0, -1);
    NumberTable table = {.found = 0};
    CHECK(number_by_table(&table, values, N_ROWS, FIRST_TABLE_BITS, codes, &row, &host.host));
    CHECK(flooded ? row < N_ROWS : row == N_ROWS && table.collided < N_ROWS);
    CHECK(table.collided < 100 * MOST_COLLISIONS * (int64_t)N_ROWS);
    CHECK_EQUAL(number_values(values, N_ROWS, codes, &distinct, &host.host), N_ROWS);
    for (row = 0; row < N_ROWS; row++) CHECK(codes[row] == row && distinct[row] == values[row]);
    free_host(&host);
  }
  free(values);
  free(codes);
}

static void test_slots(void) {
  CHECK(slot_of(0, 0) == 0);
  CHECK(slot_of(1, 0) == UINT64_C(0x9E3779B97F4A7C15));
  CHECK(slot_of(1, 4) == UINT64_C(0x9E3779B97F4A7C1));
  CHECK(slot_of(INT64_C(1) << 32, 0) == UINT64_C(0x9E3779B97F4A7C15) * UINT64_C(0x100000001));
  for (int bits = 1; bits <= 64; bits++) {
    uint64_t last = UINT64_MAX >> (64 - bits);
    for (int64_t value = -500; value <= 500; value++) {
      CHECK(slot_of(value, 64 - bits) <= last);
      if (bits > 1) CHECK(slot_of(value, 64 - bits) >> 1 == slot_of(value, 65 - bits));
    }
  }
}

static int64_t code_at(const void *codes, int code_bytes, int64_t row) {
  if (code_bytes == 1) return ((const uint8_t *)codes)[row];
  if (code_bytes == 2) return ((const uint16_t *)codes)[row];
  return ((const int32_t *)codes)[row];
}

static void test_codes_in_the_smallest_type(void) {
  static const int64_t numbers[] = {1, 2, 256, 65536, 70000};
  static const int least_bytes[] = {1, 1, 1, 2, 4};
  enum { N_ROWS = 1000 };
  int64_t *wide = new_array(N_ROWS, sizeof *wide);
  for (size_t i = 0; i < LENGTH(numbers); i++) {
    int64_t n_codes = numbers[i];
    uint64_t state = i;
    for (int row = 0; row < N_ROWS; row++) {
      wide[row] = row % 10 == 3 ? -1 - some_number(&state, 5) : some_number(&state, n_codes);
    }
    for (int code_bytes = least_bytes[i]; code_bytes <= 4; code_bytes *= 2) {
      void *codes = new_array(N_ROWS, (size_t)code_bytes);
      int64_t *counts = new_array(n_codes, sizeof *counts);
      int64_t *wanted = new_array(n_codes, sizeof *wanted);
      for (int64_t code = 0; code < n_codes; code++) counts[code] = wanted[code] = 7;
      for (int64_t begin = 0; begin < N_ROWS; begin += 300) {
        int64_t end = begin + 300 < N_ROWS ? begin + 300 : N_ROWS;
        compact_codes(wide, begin, end, n_codes, code_bytes, codes, counts);
      }
      for (int row = 0; row < N_ROWS; row++) {
        int64_t code = wide[row] < 0 ? n_codes - 1 : wide[row];
        CHECK_EQUAL(code_at(codes, code_bytes, row), code);
        wanted[code] += 1;
      }
      for (int64_t code = 0; code < n_codes; code++) CHECK_EQUAL(counts[code], wanted[code]);
      free(codes);
      free(counts);
      free(wanted);
    }
  }
  free(wide);
}

int main(void) {
  test_few_and_many_distinct_values();
  test_the_smallest_and_the_largest_values();
  test_values_that_collide();
  test_a_flood_of_collisions_is_noticed();
  test_slots();
  test_codes_in_the_smallest_type();
  return 0;
}
