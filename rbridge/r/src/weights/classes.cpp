/* Weights of rows by the numbers of rows of their classes, and the correction of probabilities for other numbers. */

#include <cfloat>

#include "../core/kinds.hpp"

namespace pystrat {
namespace {

/* Return 1 + beta + ... + beta^(n - 1).
 *
 * The sum S(n) is built from the bits of n: S(2 m) = S(m) (1 + beta^m), where beta^m = 1 - (1 - beta) S(m), and
 * S(m + 1) = 1 + beta S(m). No step enlarges a relative error of S(m); that of a power beta^m, multiplied by itself,
 * would double in every step.
 */
double geometric_sum(int64_t n, double beta) {
  double sum = 0;
  int bit = 0;
  while (n >> bit > 1) bit++;
  for (; bit >= 0; bit--) {
    sum *= 2 - rounded_product(1 - beta, sum);
    if ((n >> bit & 1) == 1) sum = rounded_product(sum, beta) + 1;
  }
  return sum;
}

/* Give the "weights" of classes, or of labels that some of "n_rows" rows have, from their "counts". */
void weigh(const Values &given, Host &host) {
  View<double> counts = given.array<double>("counts", "be numbers of rows");
  double n_rows = given.number("n_rows", 0), n_classes = static_cast<double>(counts.length);
  const double *beta = given.number_of("beta"), *temperature = given.number_of("temperature");
  const double *threshold = given.number_of("threshold");
  double *weights = host.make<double>("weights", counts.length);
  for (double count : counts) {
    double weight = n_rows / (n_classes * count); /* all classes are drawn equally often */
    if (beta != nullptr) weight = 1 / geometric_sum(static_cast<int64_t>(count), *beta);
    if (temperature != nullptr) weight = std::pow(count, 1 / *temperature) / count;
    if (threshold != nullptr) weight = std::fmax(1, std::sqrt(*threshold / (count / n_rows)));
    *weights++ = weight;
  }
}

/* The parameter that a rule has, which is no rule of others if it is nothing. */
void check_rule(const Values &given) {
  if (given.names("beta") && given.number("beta", 0) >= 1) refuse("beta", "", "be below 1");
  if (given.names("temperature")) given.number("temperature", 1);
  if (given.names("threshold") && given.number("threshold", 0) > 1) refuse("threshold", "", "be at most 1");
}

/* Give "corrected" probabilities of networks that were trained on rows of the classes at some rates: those of the
 * minority for the rate of the majority; or a table, column after column, whose odds the rates have multiplied.
 */
void correct(const Values &given, Host &host) {
  View<double> values = given.array<double>("probabilities", "hold numbers");
  View<double> rates = given.array<double>("keep_rate", "hold numbers");
  int64_t n_classes = given.count("n_classes", 0);
  for (double value : values) {
    if (!(value >= 0 && value <= 1)) refuse("probabilities", "other values", "be from 0 to 1");
  }
  for (double rate : rates) { /* the inverse of a smaller one is no number */
    bool is_rate = rate >= DBL_MIN && rate <= DBL_MAX;
    if (!is_rate) refuse("keep_rate", "other values", "hold finite numbers of at least 2^-1022");
  }
  if (rates.length != n_classes || n_classes == 0) {
    std::string required = text("have one value for each class of 'probabilities', ", n_classes);
    refuse("keep_rate", count_of(rates.length, "value"), required);
  }
  double *corrected = host.make<double>("corrected", values.length);
  for (int64_t row = 0, n_rows = values.length / n_classes; row < n_rows; row++) {
    if (n_classes == 1) {
      double kept = rounded_product(rates[0], values[row]);
      corrected[row] = kept / (kept + (1 - values[row]));
      continue;
    }
    double sum = 0, odds = 0;
    for (int64_t i = row; i < values.length; i += n_rows) {
      corrected[i] = values[i] / rates[i / n_rows];
      sum += values[i];
      odds += corrected[i];
    }
    if (!(std::fabs(sum - 1) <= 1e-3)) {
      refuse("probabilities", text("a row that sums to ", std::round(1e6 * sum) / 1e6), "have rows that sum to 1");
    }
    for (int64_t i = row; i < values.length; i += n_rows) corrected[i] /= odds;
  }
}

}  // namespace

const Kind correct_probabilities_kind = {
    "correct_probabilities", {}, make<AnswerOf<correct>>, {"probabilities", "keep_rate", "n_classes"},
};

const Kind class_weights_kind = {
    "class_weights",
    {
        optional({"beta", Is::number, 0}),
        optional({"temperature", Is::number, 1}),
        optional({"threshold", Is::number, 0}),
    },
    make<AnswerOf<weigh>>, {"counts", "n_rows"}, {}, check_rule,
};

}  // namespace pystrat
