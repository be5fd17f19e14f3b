/* numbering.h and hashing.h against a search through all values seen before. */

#include <string.h>

#include "check.h"
#include "hashing.h"
#include "numbering.h"

/* Number values from a table of 2^first_bits slots on, `step` rows at a time, and compare with the plain way. */
static void check_numbers(const int64_t *values, int64_t n_rows, int first_bits, int64_t step) {
  int64_t *codes = new_array(n_rows, sizeof *codes);
  NumberTable table = {.slots = NULL, .distinct = NULL, .bits = first_bits - 2};
  int64_t row = 0;
  begin_numbers(&table);
  do { /* while there are rows left, the table is too small */
    table.bits += 2;
    free(table.slots);
    table.slots = new_array(INT64_C(1) << table.bits, sizeof *table.slots);
    int64_t *distinct = new_array(INT64_C(1) << (table.bits - 1), sizeof *distinct);
    if (table.found > 0) memcpy(distinct, table.distinct, (size_t)table.found * sizeof *distinct);
    free(table.distinct);
    table.distinct = distinct;
    clear_slots(&table);
    while (!enter_known(&table, step)) CHECK(table.entered < table.found);
    CHECK(table.entered == table.found);
    for (int64_t end = row; row == end && row < n_rows;) {
      end = n_rows - row > step ? row + step : n_rows;
      row = number_rows(&table, values, row, end, codes);
      CHECK(row <= end);
      CHECK(row == end || table.found == INT64_C(1) << (table.bits - 1));
    }
  } while (row < n_rows);

  int64_t *seen = new_array(n_rows, sizeof *seen);
  int64_t n_seen = 0;
  for (row = 0; row < n_rows; row++) {
    int64_t number = 0;
    while (number < n_seen && seen[number] != values[row]) number++;
    if (number == n_seen) seen[n_seen++] = values[row];
    CHECK_EQUAL(codes[row], number);
  }
  CHECK_EQUAL(table.found, n_seen);
  for (int64_t number = 0; number < n_seen; number++) CHECK_EQUAL(table.distinct[number], seen[number]);
  free(seen);
  free(codes);
  free(table.slots);
  free(table.distinct);
}

/* Number values by sorting, and compare with the plain way. */
static void check_sorted(const int64_t *values, int64_t n_rows, int64_t step) {
  NumberSorting sorting = {.values = values, .n_rows = n_rows};
  sorting.rows = new_array(n_rows, sizeof(int32_t));
  sorting.before = new_array(n_rows, sizeof(int32_t));
  sorting.codes = new_array(n_rows, sizeof(int64_t));
  sorting.distinct = new_array(n_rows, sizeof(int64_t));
  int64_t n_steps = 1;
  begin_sorting(&sorting);
  while (!number_by_sorting(&sorting, step)) n_steps++;
  CHECK(n_steps <= 11 * (n_rows / step + 1)); /* passes, whatever the values are */
  int64_t n_seen = 0;
  for (int64_t row = 0; row < n_rows; row++) {
    int64_t number = 0;
    while (number < n_seen && values[row] != sorting.distinct[number]) number++;
    if (number == n_seen) n_seen++;
    CHECK(number < sorting.found && sorting.distinct[number] == values[row]);
    CHECK_EQUAL(sorting.codes[row], number);
  }
  CHECK_EQUAL(sorting.found, n_seen);
  free(sorting.rows);
  free(sorting.before);
  free(sorting.codes);
  free(sorting.distinct);
}

static void check_all(const int64_t *values, int64_t n_rows) {
  static const int64_t steps[] = {1, 100, INT64_MAX};
  for (size_t i = 0; i < LENGTH(steps); i++) {
    check_sorted(values, n_rows, steps[i]);
    check_numbers(values, n_rows, 1, steps[i]);
    check_numbers(values, n_rows, 10, steps[i]);
  }
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

/* A search through values that all want one slot would look at all of them: the table says so early. */
static void test_a_flood_of_collisions_is_noticed(void) {
  enum { N_ROWS = 1 << 17, BITS = 18 };
  int64_t *values = new_array(N_ROWS, sizeof *values);
  int64_t *codes = new_array(N_ROWS, sizeof *codes);
  NumberTable table = {.bits = BITS};
  table.slots = new_array(INT64_C(1) << BITS, sizeof *table.slots);
  table.distinct = new_array(N_ROWS, sizeof *table.distinct);
  for (int flooded = 0; flooded <= 1; flooded++) {
    for (int64_t row = 0; row < N_ROWS; row++) {
      values[row] = flooded ? value_of_hash((uint64_t)row) : row << 20;
      CHECK(!flooded || slot_of(values[row], 64 - BITS) == 0);
    }
    begin_numbers(&table);
    clear_slots(&table);
    int64_t row = 0, most = 0;
    while (row < N_ROWS && !is_flooded(&table, N_ROWS)) {
      int64_t before = table.collided;
      row = number_rows(&table, values, row, row + 1024, codes);
      if (table.collided - before > most) most = table.collided - before;
    }
    CHECK(flooded ? row < N_ROWS : row == N_ROWS && table.collided < N_ROWS);
    CHECK(table.collided <= MOST_COLLISIONS * (INT64_C(1024) + N_ROWS) + most);
  }
  free(values);
  free(codes);
  free(table.slots);
  free(table.distinct);
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
