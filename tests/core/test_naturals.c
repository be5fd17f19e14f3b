/* Natural numbers: compared with machine integers, and larger ones by inverse operations. */

#include "check.h"
#include "naturals.h"

enum { ROOM = 64 };

static Natural new_natural(void) { return (Natural){new_array(ROOM, sizeof(uint32_t)), 0}; }

static Natural natural_of(uint64_t value) {
  Natural number = new_natural();
  set_natural(&number, value);
  return number;
}

/* A number that is written in decimal digits. */
static Natural read_natural(const char *text) {
  Natural number = new_natural();
  for (; *text != 0; text++) multiply_and_add(&number, 10, (uint32_t)(*text - '0'));
  return number;
}

static bool are_equal(const Natural *number, const Natural *other) {
  return !is_below(number, other) && !is_below(other, number);
}

static const uint64_t VALUES[] = {
    0, 1, 2, 9, 255, 65536, 4294967295, 4294967296, 4294967297, UINT64_C(1) << 53, UINT64_MAX - 1, UINT64_MAX
};

static void test_numbers_of_the_machine(void) {
  Natural rest = new_natural();
  for (size_t i = 0; i < LENGTH(VALUES); i++) {
    for (size_t j = 0; j < LENGTH(VALUES); j++) {
      Natural number = natural_of(VALUES[i]), other = natural_of(VALUES[j]);
      CHECK_EQUAL(is_below(&number, &other), VALUES[i] < VALUES[j]);
      if (VALUES[j] > 0) {
        CHECK(divide(&number, 0, &other, &rest) == VALUES[i] / VALUES[j]);
        Natural left = natural_of(VALUES[i] % VALUES[j]);
        CHECK(are_equal(&left, &rest));
        free(left.digits);
        bool is_whole = VALUES[i] % VALUES[j] == 0;
        CHECK(divide_up(&number, &other, &rest) == VALUES[i] / VALUES[j] + (is_whole ? 0 : 1));
      }
      if (VALUES[i] >= VALUES[j]) {
        subtract(&number, &other);
        Natural difference = natural_of(VALUES[i] - VALUES[j]);
        CHECK(are_equal(&difference, &number));
        add_natural(&number, &other);
        free(difference.digits);
      }
      Natural again = natural_of(VALUES[i]);
      CHECK(are_equal(&again, &number));
      free(number.digits);
      free(other.digits);
      free(again.digits);
    }
    Natural number = natural_of(VALUES[i]);
    int64_t bits = 0;
    while (bits < 64 && VALUES[i] >> bits > 0) bits++;
    CHECK_EQUAL(bits_of(&number), bits);
    free(number.digits);
  }
  free(rest.digits);
}

static void test_products_are_divided_again(void) {
  Natural large = read_natural("123456789012345678901234567890123456789012345678901234567890");
  Natural product = new_natural(), rest = new_natural();
  for (size_t i = 0; i < LENGTH(VALUES); i++) {
    Natural factor = natural_of(VALUES[i]);
    multiply(&large, &factor, &product);
    CHECK(divide(&product, 0, &large, &rest) == VALUES[i]);
    CHECK_EQUAL(rest.length, 0);
    Natural one = natural_of(1);
    add_natural(&product, &one);
    CHECK(divide(&product, 0, &large, &rest) == VALUES[i]);
    CHECK(are_equal(&rest, &one));
    CHECK(divide_up(&product, &large, &rest) == (VALUES[i] == UINT64_MAX ? UINT64_MAX : VALUES[i] + 1));
    free(one.digits);
    free(factor.digits);
  }
  Natural square = new_natural(), three = natural_of(3);
  multiply(&large, &large, &square);
  CHECK(divide(&square, 0, &three, &rest) == UINT64_MAX);
  free(large.digits);
  free(product.digits);
  free(rest.digits);
  free(square.digits);
  free(three.digits);
}

static void test_carries_run_through_all_digits(void) {
  Natural number = read_natural("340282366920938463463374607431768211455"); /* 2^128 - 1 */
  Natural one = natural_of(1), power = read_natural("340282366920938463463374607431768211456");
  CHECK_EQUAL(bits_of(&number), 128);
  add_natural(&number, &one);
  CHECK(are_equal(&number, &power));
  CHECK_EQUAL(number.length, 5);
  subtract(&number, &one);
  CHECK_EQUAL(number.length, 4);
  CHECK(is_below(&number, &power));
  free(number.digits);
  free(one.digits);
  free(power.digits);
}

/* Shares of numbers that doubles hold are what the machine divides, which IEEE 754 rounds to the nearest one too. */
static void test_shares_are_the_nearest_doubles(void) {
  uint64_t dice = 7;
  Natural rest = new_natural();
  for (int i = 0; i < 20000; i++) {
    uint64_t divisor = 1 + (uint64_t)some_number(&dice, INT64_C(1) << (1 + i % 31));
    uint64_t value = (uint64_t)some_number(&dice, (int64_t)divisor + 1);
    Natural number = natural_of(value), other = natural_of(divisor);
    CHECK(nearest_share(&number, &other, &rest) == (double)value / (double)divisor);
    free(number.digits);
    free(other.digits);
  }
  Natural one = natural_of(1);
  Natural large = read_natural("1000000000000000000000000000000000000000000000000000000");
  CHECK(nearest_share(&one, &large, &rest) == 1e-54);
  CHECK(nearest_share(&large, &large, &rest) == 1);
  Natural beyond = natural_of(1);
  for (int i = 0; i < 30; i++) multiply_and_add(&beyond, UINT32_MAX, 0);
  CHECK(nearest_share(&one, &beyond, &rest) > 0);
  Natural square = new_natural();
  multiply(&beyond, &beyond, &square);
  CHECK(nearest_share(&one, &square, &rest) == 0);
  free(one.digits);
  free(large.digits);
  free(beyond.digits);
  free(square.digits);
  free(rest.digits);
}

int main(void) {
  test_numbers_of_the_machine();
  test_products_are_divided_again();
  test_carries_run_through_all_digits();
  test_shares_are_the_nearest_doubles();
  return 0;
}
