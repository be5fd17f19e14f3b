/* Normal numbers, compared with quantiles to more digits than a double has. */

#include <math.h>

#include "check.h"
#include "normal.h"
#include "rounding.h"

/* Probabilities, and the quantiles there as published tables have them. */
static void quantiles_are_those_of_the_tables(void) {
  static const double known[][2] = {
    {0.5, 0},
    {0.75, 0.674489750196081743},
    {0.9, 1.28155156554460047},
    {0.975, 1.95996398454005424},
    {0.999, 3.09023230616781354},
    {1e-6, -4.75342430882289895},
    {1e-10, -6.36134090240405615},
    {1e-20, -9.26234008979840758}
  };
  for (size_t i = 0; i < LENGTH(known); i++) {
    CHECK(fabs(standard_quantile(known[i][0]) - known[i][1]) <= 1e-14 * fabs(known[i][1]));
  }
}

static void quantiles_ascend_and_are_symmetric(void) {
  double before = -100;
  for (int i = 1; i < 4096; i++) {
    double probability = i / 4096.0, quantile = standard_quantile(probability);
    CHECK(quantile > before && quantile == -standard_quantile(1 - probability));
    before = quantile;
  }
}

static void the_least_uniform_number_is_finite(void) {
  double numbers[] = {0, 0x1p-54, 0x1p-53, 0.5, 1 - 0x1p-53};
  make_normal(LENGTH(numbers), 3, 2, numbers);
  CHECK(numbers[0] == numbers[1] && numbers[1] < numbers[2] && numbers[0] > 3 - 2 * 9 && numbers[3] == 3);
  CHECK(numbers[4] == 3 + rounded_product(standard_quantile(1 - 0x1p-53), 2));
}

int main(void) {
  quantiles_are_those_of_the_tables();
  quantiles_ascend_and_are_symmetric();
  the_least_uniform_number_is_finite();
  return 0;
}
