/* Weights of rows by how rare their numeric targets are: with a density that a Gaussian kernel smooths over bins of
 * equal width, the inverse of the density (Yang et al. 2021), or a line that falls with it (Steininger et al. 2021).
 */

#include "../core/kinds.hpp"

namespace pystrat {
namespace {

constexpr int64_t MOST_BINS = 10000;
constexpr double MOST_POWER = 10; /* so that no weight is 0 */

/* The values of all rows, counted in bins of equal width. */
class Histogram {
 public:
  List<double> counts; /* of the bins */
  double width;

  Histogram(const Values &given, Host &host)
      : counts(given.count("n_bins")), values(given.array<double>("values", "be doubles")),
        n(static_cast<double>(values.length)) {
    if (values.length < 1 || values.length > LARGEST_COUNT) refuse("values", "others", "hold numbers of rows");
    double most = first = values[0];
    for (double value : values) {
      if (!std::isfinite(value)) refuse("values", text(value), "hold finite numbers");
      if (value < first) first = value;
      if (value > most) most = value;
    }
    if (!std::isfinite(most - first)) refuse("values", "others", "hold numbers with a finite range");
    width = (most - first) / static_cast<double>(counts.count());
    if (width == 0) return;
    double sum = 0;
    host.in_steps(values.length, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) sum += place_of(row);
      for (int64_t row = begin; row < end; row++) counts[bin_of(row)]++;
    });
    mean = sum / n;
  }

  /* Silverman's rule, in bins: 0.9 min(s, IQR / 1.34) n^(-1/5), with the quartiles of the bins. */
  double bandwidth(Host &host) const {
    double squares = 0;
    host.in_steps(values.length, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) squares += (place_of(row) - mean) * (place_of(row) - mean);
    });
    double quartiles = bin_of_rank(std::ceil(0.75 * n)) - bin_of_rank(std::ceil(0.25 * n));
    double spread = std::sqrt(squares / n);
    if (quartiles > 0) spread = std::fmin(spread, quartiles / 1.34);
    return 0.9 * spread * std::pow(n, -0.2);
  }

  /* The counts, smoothed with a Gaussian kernel that ends at four bandwidths: a row alone has 1. */
  List<double> density(double bandwidth, Host &host) const {
    int64_t n_bins = counts.count();
    List<double> kernel(1, 1), smooth(n_bins);
    while (kernel.count() < n_bins && static_cast<double>(kernel.count()) <= 4 * bandwidth) {
      double distance = static_cast<double>(kernel.count()) / bandwidth;
      kernel.push_back(std::exp(-0.5 * distance * distance));
    }
    for (int64_t bin = 0; bin < n_bins; bin++) {
      int64_t end = std::min(bin + kernel.count(), n_bins);
      for (int64_t other = std::max<int64_t>(0, bin - kernel.count() + 1); counts[bin] > 0 && other < end; other++) {
        smooth[other] += counts[bin] * kernel[std::abs(other - bin)];
      }
      host.go_on(n_bins);
    }
    return smooth;
  }

  /* Give each row the weight of its bin, divided by the mean of all; 1 if all values are equal. */
  void give_weights(List<double> of_bins, Host &host) const {
    double *weights = host.make<double>("weights", values.length), sum = 0;
    if (width == 0) {
      std::fill_n(weights, values.length, 1);
      return;
    }
    for (int64_t bin = 0; bin < counts.count(); bin++) sum += counts[bin] * of_bins[bin];
    for (double &weight : of_bins) weight *= n / sum;
    host.in_steps(values.length, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) weights[row] = of_bins[bin_of(row)];
    });
  }

 private:
  View<double> values;
  double n, first = 0, mean = 0; /* the mean in bins */

  /* The distance of a value from the least one, in bins. */
  double place_of(int64_t row) const { return (values[row] - first) / width; }

  /* The largest value belongs to the last bin. */
  int64_t bin_of(int64_t row) const { return std::min(static_cast<int64_t>(place_of(row)), counts.count() - 1); }

  /* The bin that has the value of this rank, from 1. */
  double bin_of_rank(double rank) const {
    int64_t bin = 0;
    for (double below = counts[0]; below < rank; below += counts[bin]) bin++;
    return static_cast<double>(bin);
  }
};

/* Give the "weights", with the mean 1: by a power of the inverse density, or by a line with the slope "alpha". */
void weigh(const Values &given, Host &host) {
  Histogram histogram(given, host);
  bool by_power = given.names("power");
  double parameter = given.number(by_power ? "power" : "alpha", 0);
  if (histogram.width == 0) return histogram.give_weights({}, host);
  double bandwidth =
      given.has("bandwidth") ? given.positive("bandwidth") / histogram.width : histogram.bandwidth(host);
  List<double> weights = histogram.density(bandwidth, host);
  double least = INFINITY, most = 0;
  for (int64_t bin = 0; bin < weights.count(); bin++) {
    if (histogram.counts[bin] == 0) continue;
    least = std::fmin(least, weights[bin]);
    most = std::fmax(most, weights[bin]);
  }
  bool is_flat = most - least <= 1e-9 * most; /* densities that differ only by rounding */
  for (int64_t bin = 0; bin < weights.count(); bin++) {
    if (histogram.counts[bin] == 0) continue;
    double share = is_flat ? 0 : (weights[bin] - least) / (most - least);
    weights[bin] = by_power ? std::pow(weights[bin] / least, -parameter) : std::fmax(1 - parameter * share, 1e-6);
  }
  histogram.give_weights(weights, host);
}

void check_rule(const Values &given) {
  double parameter = given.number(given.names("power") ? "power" : "alpha", 0);
  if (given.names("power") && parameter > MOST_POWER) refuse("power", "", text("be at most ", MOST_POWER));
}

}  // namespace

const Kind density_weights_kind = {
    "density_weights",
    {optional({"power", Is::number, 0}), optional({"alpha", Is::number, 0}), optional({"bandwidth", Is::positive, 0}),
     whole("n_bins", MOST_BINS)},
    make<AnswerOf<weigh>>, {"values"}, {}, check_rule,
};

}  // namespace pystrat
