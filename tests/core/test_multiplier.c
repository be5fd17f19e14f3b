/* Multiples of a number of rows: of decimal numbers as they are shown, and of fractions. */

#include "multiplier.h"
#include "plain_host.h"

enum { MOST_ROWS = 2147483647 };

/* Return the multiple, of a fraction if there is a text. */
static uint64_t multiple(double multiplier, const char *ratio, int64_t rows) {
  Part parts[] = {
      {.name = "multiplier", .type = DOUBLES, .length = 1, .values = &multiplier},
      {.name = "multiplier_ratio", .type = TEXT, .length = 1, .values = ratio},
  };
  Parts request = {.parts = parts, .n_parts = ratio == NULL ? 1 : 2};
  PlainHost host = new_host(&request, NULL, 0, -1);
  uint64_t found = 0;
  CHECK(find_multiple(&request, multiplier, 0, rows, &found, &host.host));
  free_host(&host);
  return found;
}

static void test_decimals_are_exact_and_halves_are_rounded_up(void) {
  CHECK_EQUAL((int64_t)multiple(0.3, NULL, 10), 3);
  CHECK_EQUAL((int64_t)multiple(0.05, NULL, 10), 1);
  CHECK_EQUAL((int64_t)multiple(0.15, NULL, 10), 2); /* the double is below 0.15 */
  CHECK_EQUAL((int64_t)multiple(0.145, NULL, 100), 15);
  CHECK_EQUAL((int64_t)multiple(2.5, NULL, 1), 3);
  CHECK_EQUAL((int64_t)multiple(0.49, NULL, 1), 0);
  CHECK_EQUAL((int64_t)multiple(1.0 / 3, NULL, 3), 1);
  CHECK_EQUAL((int64_t)multiple(4, NULL, MOST_ROWS), 4 * (int64_t)MOST_ROWS);
  CHECK_EQUAL((int64_t)multiple(1e-9, NULL, MOST_ROWS), 2);
  CHECK_EQUAL((int64_t)multiple(5e-324, NULL, MOST_ROWS), 0);
  CHECK(multiple(1e300, NULL, MOST_ROWS) == UINT64_MAX);
}

static void test_fractions_are_exact(void) {
  CHECK_EQUAL((int64_t)multiple(0, "1/3", 3), 1);
  CHECK_EQUAL((int64_t)multiple(0, "1/6", 3), 1);
  CHECK_EQUAL((int64_t)multiple(0, "fffffffffffffffff/100000000000000000", 1), 1);
  CHECK_EQUAL((int64_t)multiple(0, "7fffffffffffffffffffffff/ffffffffffffffffffffffff", 1), 0);
  CHECK_EQUAL((int64_t)multiple(0, "800000000000000000000000/ffffffffffffffffffffffff", 1), 1);
}

static void test_what_keeps_nothing_is_refused(void) {
  double multiplier = 0.01;
  Part part = {.name = "multiplier", .type = DOUBLES, .length = 1, .values = &multiplier};
  Parts request = {.parts = &part, .n_parts = 1};
  PlainHost host = new_host(&request, NULL, 0, -1);
  uint64_t kept = 0;
  CHECK(!read_kept(&request, multiplier, 0, 49, &kept, &host.host));
  CHECK(strcmp(host.host.refusal.requirement, "keep at least 1 row: be at least 0.5 / 49") == 0);
  CHECK(read_kept(&request, multiplier, 0, 50, &kept, &host.host) && kept == 1);
  free_host(&host);
}

int main(void) {
  test_decimals_are_exact_and_halves_are_rounded_up();
  test_fractions_are_exact();
  test_what_keeps_nothing_is_refused();
  return 0;
}
