/* Weights of rows by how rare their numeric targets are: with a density that a Gaussian kernel smooths over bins of
 * equal width, the inverse of the density (Yang et al. 2021), or a line that falls with it (Steininger et al. 2021).
 */

#include "core/functions.h"

enum {
  MOST_BINS = 10000,
  MOST_POWER = 10 /* so that no weight is 0 */
};

/* The values of all rows, counted in bins. */
typedef struct {
  const double *values;
  int64_t n_rows, n_bins;
  double first, width; /* of the bins */
  double *counts;      /* of each bin */
} Histogram;

/* The distance of a value from the least one, in bins. */
static double place_of(const Histogram *histogram, double value) {
  return (value - histogram->first) / histogram->width;
}

static int64_t bin_of(const Histogram *histogram, double value) {
  int64_t bin = (int64_t)place_of(histogram, value);
  return bin < histogram->n_bins ? bin : histogram->n_bins - 1; /* the largest value belongs to the last bin */
}

static bool read_targets(const Parts *request, Histogram *histogram, Host *host) {
  Part given = find_part(request, "values");
  bool are_doubles = given.type == DOUBLES && given.length >= 1 && given.length <= LARGEST_COUNT;
  if (!are_doubles) return refuse(host, "values", "others", "be doubles");
  const double *values = given.values;
  double least = values[0], most = values[0];
  char shown[NUMBER];
  for (int64_t row = 0; row < given.length; row++) {
    if (!isfinite(values[row])) return refuse(host, "values", show_number(values[row], shown), "hold finite numbers");
    if (values[row] < least) least = values[row];
    if (values[row] > most) most = values[row];
    if (!go_on_after(row, host)) return false;
  }
  if (!isfinite(most - least)) return refuse(host, "values", "others", "hold numbers with a finite range");
  histogram->values = values;
  histogram->n_rows = given.length;
  histogram->first = least;
  histogram->width = (most - least) / (double)histogram->n_bins;
  return true;
}

/* Count the values in bins, and find their standard deviation, in bins. */
static bool fill_histogram(Histogram *histogram, double *deviation, Host *host) {
  double sum = 0, squares = 0, n = (double)histogram->n_rows;
  histogram->counts = host->memory(host, FOR_THE_CALL, histogram->n_bins * (int64_t)sizeof(double));
  if (histogram->counts == NULL) return false;
  memset(histogram->counts, 0, (size_t)histogram->n_bins * sizeof(double));
  for (int64_t row = 0; row < histogram->n_rows; row++) {
    histogram->counts[bin_of(histogram, histogram->values[row])] += 1;
    sum += place_of(histogram, histogram->values[row]);
    if (!go_on_after(row, host)) return false;
  }
  for (int64_t row = 0; row < histogram->n_rows; row++) {
    double distance = place_of(histogram, histogram->values[row]) - sum / n;
    squares += distance * distance;
    if (!go_on_after(row, host)) return false;
  }
  *deviation = sqrt(squares / n);
  return true;
}

/* The bin that has the value of this rank, from 1. */
static double bin_of_rank(const Histogram *histogram, double rank) {
  int64_t bin = 0;
  for (double below = histogram->counts[0]; below < rank; below += histogram->counts[bin]) bin++;
  return (double)bin;
}

/* Silverman's rule, in bins: 0.9 min(s, IQR / 1.34) n^(-1/5), with the quartiles of the bins. */
static double silverman(const Histogram *histogram, double deviation) {
  double n = (double)histogram->n_rows;
  double quartiles = bin_of_rank(histogram, ceil(0.75 * n)) - bin_of_rank(histogram, ceil(0.25 * n));
  double spread = quartiles > 0 ? fmin(deviation, quartiles / 1.34) : deviation;
  return 0.9 * spread * pow(n, -0.2);
}

/* Smooth the counts into `density`, with a Gaussian kernel that ends at four bandwidths: a row alone has 1. */
static bool smooth(const Histogram *histogram, double bandwidth, double *kernel, double *density, Host *host) {
  int64_t n = histogram->n_bins, reach = 1;
  kernel[0] = 1;
  for (; reach < n && (double)reach <= 4 * bandwidth; reach++) {
    double distance = (double)reach / bandwidth;
    kernel[reach] = exp(-0.5 * distance * distance);
  }
  memset(density, 0, (size_t)n * sizeof *density);
  for (int64_t bin = 0; bin < n; bin++) {
    if (histogram->counts[bin] == 0) continue;
    for (int64_t other = bin < reach ? 0 : bin - reach + 1; other < smaller(bin + reach, n); other++) {
      density[other] += histogram->counts[bin] * kernel[other < bin ? bin - other : other - bin];
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Make weights of the densities of the bins that have rows, in place. */
static void weigh_bins(const Histogram *histogram, double power, double alpha, bool is_inverse, double *weights) {
  double least = INFINITY, most = 0, sum = 0;
  for (int64_t bin = 0; bin < histogram->n_bins; bin++) {
    if (histogram->counts[bin] == 0) continue;
    least = fmin(least, weights[bin]);
    most = fmax(most, weights[bin]);
  }
  bool is_flat = most - least <= 1e-9 * most; /* densities that differ only by rounding */
  for (int64_t bin = 0; bin < histogram->n_bins; bin++) {
    if (histogram->counts[bin] == 0) continue;
    double share = is_flat ? 0 : (weights[bin] - least) / (most - least);
    weights[bin] = is_inverse ? pow(weights[bin] / least, -power) : fmax(1 - alpha * share, 1e-6);
    sum += histogram->counts[bin] * weights[bin];
  }
  for (int64_t bin = 0; bin < histogram->n_bins; bin++) weights[bin] *= (double)histogram->n_rows / sum;
}

static bool weigh_rows(const Histogram *histogram, const double *of_bins, double *weights, Host *host) {
  for (int64_t row = 0; row < histogram->n_rows; row++) {
    weights[row] = of_bins == NULL ? 1 : of_bins[bin_of(histogram, histogram->values[row])];
    if (!go_on_after(row, host)) return false;
  }
  return true;
}

/* Read the bandwidth, which is above 0; leave 0 for Silverman's rule. */
static bool read_bandwidth(const Parts *request, double *bandwidth, Host *host) {
  *bandwidth = 0;
  if (!is_given(request, "bandwidth")) return true;
  if (!read_number(request, "bandwidth", 0, bandwidth, host)) return false;
  return *bandwidth > 0 || refuse(host, "bandwidth", NULL, "be above 0");
}

/* Make "weights" the result, with the mean 1: a power of the inverse density if "power" is given, else by "alpha". */
static bool call_density_weights(const Parts *request, Host *host) {
  Histogram histogram = {.n_bins = 0};
  double power = 0, alpha = 0, bandwidth, deviation;
  bool is_inverse = has_part(request, "power");
  if (!read_number(request, is_inverse ? "power" : "alpha", 0, is_inverse ? &power : &alpha, host)) return false;
  if (power > (double)MOST_POWER) return refuse(host, "power", NULL, "be at most %d", MOST_POWER);
  if (!read_bandwidth(request, &bandwidth, host)) return false;
  if (!read_count(request, "n_bins", 1, MOST_BINS, &histogram.n_bins, host)) return false;
  if (!read_targets(request, &histogram, host)) return false;
  double *weights = host->vector(host, "weights", DOUBLES, histogram.n_rows);
  if (weights == NULL) return false;
  if (histogram.width == 0) return weigh_rows(&histogram, NULL, weights, host);
  double *of_bins = host->memory(host, FOR_THE_CALL, 2 * histogram.n_bins * (int64_t)sizeof(double));
  if (of_bins == NULL || !fill_histogram(&histogram, &deviation, host)) return false;
  bandwidth = bandwidth == 0 ? silverman(&histogram, deviation) : bandwidth / histogram.width;
  if (!smooth(&histogram, bandwidth, of_bins + histogram.n_bins, of_bins, host)) return false;
  weigh_bins(&histogram, power, alpha, is_inverse, of_bins);
  return weigh_rows(&histogram, of_bins, weights, host);
}

const Function density_weights_function = {"density_weights", call_density_weights};
