/* Draws by perplexity: known exponentials, the ceiling in plain loops, and places found by going through the sums. */

#include <math.h>

#include "check.h"
#include "perplexity.h"
#include "plain_host.h"
#include "rounding.h"

/* The perplexity of one loss. */
static double perplexity_of(double loss) {
  double perplexity;
  find_perplexities(&loss, 1, &perplexity);
  return perplexity;
}

static void test_known_exponentials(void) {
  static const double losses[] = {0, 0.1, 1, 2.5, 10};
  static const double wanted[] = {
      1, 0x1.1aec7b35a00d4p+0, 0x1.5bf0a8b14576ap+1, 0x1.85d6fd931e0bbp+3, 0x1.5829dcf950560p+14
  };
  for (size_t i = 0; i < LENGTH(losses); i++) CHECK(perplexity_of(losses[i]) == wanted[i]);
  CHECK(perplexity_of(13.9) == 1e6 && perplexity_of(1e300) == 1e6 && isnan(perplexity_of(NAN)));
  uint64_t dice = 1;
  for (int i = 0; i < 2000; i++) {
    double group[PERPLEXITY_GROUP], found[PERPLEXITY_GROUP];
    for (int j = 0; j < PERPLEXITY_GROUP; j++) group[j] = (double)some_number(&dice, 1000000) / 72500;
    find_perplexities(group, PERPLEXITY_GROUP, found);
    for (int j = 0; j < PERPLEXITY_GROUP; j++) {
      double exact = exp(group[j]) < 1e6 ? exp(group[j]) : 1e6;
      CHECK(fabs(found[j] - exact) <= 3 * exact * 0x1p-53 && found[j] == perplexity_of(group[j]));
    }
  }
}

static void test_wrong_losses_are_found(void) {
  const double losses[] = {0, 1, -0.0, 1e308, NAN, INFINITY, -1e-300};
  CHECK_EQUAL(first_wrong_loss(losses, 4), 4);
  CHECK_EQUAL(first_wrong_loss(losses, 7), 4);
  CHECK_EQUAL(first_wrong_loss(losses + 5, 2), 0);
  CHECK_EQUAL(first_wrong_loss(losses + 6, 1), 0);
}

static void test_any_number_of_losses(void) {
  enum { COUNT = 3 * PERPLEXITY_GROUP + 1 };
  double losses[COUNT], found[COUNT];
  for (int i = 0; i < COUNT; i++) losses[i] = (double)i / 10;
  PlainHost host = new_host(NULL, NULL, 0, -1);
  CHECK(find_all_perplexities(losses, COUNT, found, &host.host));
  for (int i = 0; i < COUNT; i++) CHECK(found[i] == perplexity_of(losses[i]));
  free_host(&host);
}

static void test_the_mean_is_compared(void) {
  double reported[] = {NAN, 14.9, 15.05, NAN};
  bool is_below = false;
  PlainHost host = new_host(NULL, NULL, 0, -1);
  CHECK(compare_mean(reported, 4, 15, &is_below, &host.host) && is_below);
  CHECK(compare_mean(reported, 1, 15, &is_below, &host.host) && !is_below);
  reported[2] = 15.2;
  CHECK(compare_mean(reported, 4, 15, &is_below, &host.host) && !is_below);
  free_host(&host);
}

/* The ceiling of some reports. */
static double found_ceiling(const double *reported, int64_t n_rows, double spreads) {
  double ceiling = 0;
  PlainHost host = new_host(NULL, NULL, 0, -1);
  CHECK(find_ceiling(reported, n_rows, spreads, &ceiling, &host.host));
  free_host(&host);
  return ceiling;
}

/* The same by counting each perplexity among all. */
static double counted_ceiling(const double *reported, int64_t n_rows, double spreads) {
  double mode = 0;
  int64_t n_mode = 0, n_above = 0;
  double squares = 0;
  for (int64_t i = 0; i < n_rows; i++) {
    if (isnan(reported[i])) continue;
    double rounded = floor(rounded_product(100, reported[i]) + 0.5);
    int64_t count = 0;
    for (int64_t j = 0; j < n_rows; j++) count += floor(rounded_product(100, reported[j]) + 0.5) == rounded;
    if (count > n_mode || (count == n_mode && rounded < mode)) mode = rounded;
    if (count > n_mode) n_mode = count;
  }
  mode /= 100;
  for (int64_t i = 0; i < n_rows; i++) {
    if (!(reported[i] > mode)) continue;
    squares += rounded_product(reported[i] - mode, reported[i] - mode);
    n_above += 1;
  }
  return n_above < 2 ? INFINITY : mode + rounded_product(spreads, sqrt(squares / (double)(n_above - 1)));
}

static void test_ceilings(void) {
  const double few[] = {2, 2, 14, NAN};
  CHECK(found_ceiling(few, 4, 1) == INFINITY);
  CHECK(found_ceiling(few, 0, 1) == INFINITY);
  const double modes[] = {3, 3, 2, 2, 8, NAN}; /* the smaller mode: 2 + sqrt((1 + 1 + 36) / 2) */
  CHECK(found_ceiling(modes, 6, 1) == 2 + sqrt(19.0));
  enum { N_ROWS = 700 };
  uint64_t dice = 3;
  for (int64_t limit = 2; limit <= 1000000; limit *= 9) {
    double *reported = new_array(N_ROWS, sizeof *reported);
    for (int i = 0; i < N_ROWS; i++) {
      reported[i] = some_number(&dice, 4) == 0 ? NAN : 1 + (double)some_number(&dice, limit) / 37;
    }
    CHECK(found_ceiling(reported, N_ROWS, 1.5) == counted_ceiling(reported, N_ROWS, 1.5));
    free(reported);
  }
}

static void test_weights(void) {
  const double reported[] = {2, NAN, 9, 11, 10};
  static const double wanted[] = {2, 17, 26, 27, 37};
  double sums[5];
  PlainHost host = new_host(NULL, NULL, 0, -1);
  CHECK(add_up_weights(reported, 5, 15, 10, 1, sums, &host.host));
  for (int i = 0; i < 5; i++) CHECK(sums[i] == wanted[i]);
  CHECK(add_up_weights(reported, 5, 15, INFINITY, 1, sums, &host.host) && sums[4] == 47);
  CHECK(add_up_weights(reported, 5, 15, 10, 10, sums, &host.host) && sums[4] == 46);
  free_host(&host);
}

static void test_values_are_found_by_the_sums(void) {
  enum { MOST = 70 };
  double sums[MOST];
  for (int64_t n_rows = 1; n_rows <= MOST; n_rows++) {
    for (int64_t i = 0; i < n_rows; i++) sums[i] = (double)(i + 1) * 0.5;
    for (double value = 0; value <= sums[n_rows - 1]; value += 0.125) {
      int64_t row = 0, found[2];
      while (row < n_rows - 1 && sums[row] <= value) row++;
      const double values[] = {0, value};
      find_by_sums(sums, n_rows, values, 2, found);
      CHECK_EQUAL(found[0], 0);
      CHECK_EQUAL(found[1], row);
    }
  }
}

static void test_draws_are_values_of_the_generator_in_any_steps(void) {
  enum { COUNT = 500, N_ROWS = 9 };
  static const int64_t steps[] = {1, 31, 32, 33, COUNT};
  double sums[N_ROWS];
  for (int i = 0; i < N_ROWS; i++) sums[i] = 1.1 * (i + 1) * (i + 1);
  for (size_t j = 0; j < LENGTH(steps); j++) {
    Generator generator, expected;
    int32_t rows[COUNT];
    PlainHost host = new_host(NULL, NULL, 0, -1);
    seed_generator(&generator, 2);
    expected = generator;
    for (int64_t done = 0; done < COUNT; done += steps[j]) {
      int64_t count = COUNT - done < steps[j] ? COUNT - done : steps[j];
      CHECK(draw_by_sums(&generator, sums, N_ROWS, 1, count, rows + done, &host.host));
    }
    free_host(&host);
    for (int i = 0; i < COUNT; i++) {
      double value = rounded_product(next_uniform(&expected), sums[N_ROWS - 1]);
      CHECK(rows[i] >= 1 && rows[i] <= N_ROWS && sums[rows[i] - 1] > value);
      CHECK(rows[i] == 1 || sums[rows[i] - 2] <= value);
    }
  }
}

int main(void) {
  test_known_exponentials();
  test_wrong_losses_are_found();
  test_any_number_of_losses();
  test_the_mean_is_compared();
  test_ceilings();
  test_weights();
  test_values_are_found_by_the_sums();
  test_draws_are_values_of_the_generator_in_any_steps();
  return 0;
}
