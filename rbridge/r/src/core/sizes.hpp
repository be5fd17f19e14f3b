/* The number of batches that follows from the rows of the strata, and why it is refused, with a value that works. */

#pragma once

#include "table.hpp"

namespace pystrat {

inline const std::string MINIMUM = "min_samples_per_stratum", MEAN = "mean_batch_size",
                         RARE_CHOICES = "it, or set 'rare' to 'warn' or 'allow'", RARE_ADVICE = RARE_CHOICES + ".";

enum Rare { RARE_ERROR, RARE_WARN, RARE_ALLOW, RARE_REPEAT };

inline const std::vector<std::string> RARE = {"error", "warn", "allow"};

/* Check that either the minimum or the mean size is given; `what` has the minimum. */
inline void check_one_size(const Values &given, const std::string &minimum, const std::string &what) {
  if (given.has(minimum) != given.has(MEAN)) return;
  if (given.has(minimum)) refuse(minimum, "", "be left out if 'mean_batch_size' is given");
  refuse(
      minimum, "nothing", "be given if 'mean_batch_size' is not",
      "Pass one of them: the fewest rows of " + what + " in a batch, or the mean number of rows in a batch."
  );
}

inline void check_sizes(const Values &given) { check_one_size(given, MINIMUM, "every stratum"); }

/* The whole part of a product of decimal fractions, which may miss a whole number by a little. */
inline double whole_part(double exact) {
  double nearest = std::round(exact);
  return std::fabs(exact - nearest) <= 0x1p-51 * exact ? nearest : std::floor(exact);
}

/* "2 rows", "2 to 3 rows" */
inline std::string range_of(int64_t least, int64_t most, const std::string &one, const std::string &several) {
  return text(least, least == most ? "" : text(" to ", most), " ", most == 1 ? one : several);
}

inline int64_t quotient_up(int64_t number, int64_t by) { return number / by + (number % by > 0); }

/* The rows of a batch, if sizes differ by at most 1, the larger batches first. */
inline int64_t even_size(int64_t n_rows, int64_t n_batches, int64_t batch) {
  return n_rows / n_batches + (batch < n_rows % n_batches);
}

/* The largest number from `low`, which fits, to below `high` that fits, by bisection. */
template <class Fits>
int64_t largest_that_fits(int64_t low, int64_t high, Fits fits) {
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

[[noreturn]] inline void refuse_large_epoch(const std::string &parameter) {
  refuse(parameter, "", text("give an epoch at most ", LARGEST_COUNT, " rows"));
}

/* Give the training weight of each stratum, and the same divided by their mean over an epoch, which takes `taken` rows
 * of each on average; NaN for those that are never taken.
 */
inline void give_weights(const List<double> &weights, const List<double> &taken, Host &host) {
  double most = 0, mean = 0, n_taken = 0;
  for (double weight : weights) most = std::fmax(most, weight);
  for (double rows : taken) n_taken += rows;
  for (int64_t i = 0; i < weights.count(); i++) {
    if (taken[i] > 0) mean += rounded_product(weights[i] / most, taken[i] / n_taken);
  }
  List<double> normalized;
  for (double weight : weights) normalized.push_back(weight / most / mean);
  host.give("weights", weights.data(), weights.count());
  host.give("normalized", normalized.data(), weights.count());
}

/* The rows of strata in an epoch, of those that are available; or their groups. */
struct Counts {
  List<int64_t> counts, available;
  int64_t n_rows = 0;
  int64_t most_batches = LARGEST_COUNT; /* a larger number of batches is lowered to it */
  std::string noun = "row";             /* of what is counted */
  int64_t smallest = 0; /* the stratum with the fewest rows, if possible one that is whole: keeping more rows of others
                           would not help */

  explicit Counts(const List<int64_t> &counts) : Counts(counts, counts) {}

  Counts(const List<int64_t> &counts, const List<int64_t> &available) : counts(counts), available(available) {
    for (int64_t i = 0; i < counts.count(); i++) {
      bool is_better = counts[i] == available[i] && counts[smallest] < available[smallest];
      if (counts[i] < counts[smallest] || (counts[i] == counts[smallest] && is_better)) smallest = i;
      n_rows += counts[i];
    }
  }

  int64_t fewest() const { return counts[smallest]; }
  bool is_part() const { return fewest() < available[smallest]; }

  /* What messages say of the smallest stratum, without "The". */
  std::string shown() const {
    std::string has = is_part() ? text("keeps ", fewest(), " of") : "has";
    return text("smallest stratum, '{stratum}', ", has, " ", count_of(available[smallest], noun));
  }
};

/* Warn of strata with fewer rows than a minimum. */
inline void warn_of_rare(int64_t n_rare, int64_t n_strata, double minimum, const std::string &consequence, Host &host) {
  host.warning = text(n_rare, " of ", n_strata, " strata have fewer than ", minimum, minimum == 1 ? " row" : " rows");
  host.warning += ": " + consequence + ".";
}

[[noreturn]] inline void refuse_replicas(const Counts &rows, const std::string &advice) {
  refuse("num_replicas", "", text("be at most ", rows.fewest(), ": the ", rows.shown()), advice, rows.smallest);
}

/* Refuse `n_batches` batches of `mean` rows on average: there may be at most `most`, for this reason. */
[[noreturn]] inline void refuse_mean(
    double mean, int64_t n_batches, int64_t n_rows, int64_t most, int64_t replicas, const std::string &reason,
    const std::string &advice, int64_t stratum
) {
  int64_t least = 2 * n_rows / (2 * (most + replicas - 1) + 1) + 1; /* rounding half up, then down to the replicas */
  refuse(
      MEAN, text(mean, ", for ", count_of(n_batches, "batch"), ","),
      text("be at least ", least, ", for at most ", count_of(most, "batch"), ": ", reason), advice, stratum
  );
}

/* Batches of `mean` rows on average, rounded half up. */
inline int64_t count_by_mean(int64_t n_rows, double mean) {
  int64_t size = static_cast<int64_t>(std::fmin(mean, LARGEST_EXACT));
  return std::max<int64_t>(1, (2 * n_rows + size) / (2 * size));
}

/* The number of batches of `mean` rows on average, of n_rows rows. With other means, there are at most `reachable`. */
inline int64_t batches_by_mean(int64_t n_rows, double mean, double replicas, int64_t reachable = LARGEST_COUNT) {
  int64_t n_batches = count_by_mean(n_rows, mean), largest = 2 * n_rows / (2 * limited(replicas) - 1);
  bool may_fit = static_cast<double>(reachable) >= replicas;
  std::string advice = may_fit && largest > 0 ? text("Lower 'mean_batch_size' to at most ", largest, ".") : "";
  return share_batches(may_fit ? n_batches : std::min(n_batches, reachable), replicas, advice);
}

/* The same for batches that all need a row of every stratum, unless rare strata are allowed. */
inline int64_t batches_by_mean_for_all(
    const Counts &rows, double mean, double replicas, int rare, Host &host,
    const std::string &advice = "Raise " + RARE_ADVICE
) {
  int64_t fewest = rows.fewest(), shared = limited(replicas);
  int64_t count = std::min(count_by_mean(rows.n_rows, mean), rows.most_batches);
  if (rare == RARE_ERROR && fewest < shared && fewest <= count) {
    refuse_replicas(rows, "Lower " + (count < shared ? "it." : RARE_ADVICE));
  }
  int64_t reachable = rare == RARE_ERROR ? std::min(fewest, rows.most_batches) : rows.most_batches;
  int64_t n = batches_by_mean(rows.n_rows, mean, replicas, reachable);
  n = std::min(n, rows.most_batches - rows.most_batches % shared);
  if (n <= fewest || rare == RARE_ALLOW) return n;
  if (rare == RARE_WARN) {
    host.stratum = rows.smallest;
    host.warning = text("The ", rows.shown(), ", and the 'mean_batch_size' parameter makes ", count_of(n, "batch"));
    host.warning += ": some batches hold no row of it.";
    return n;
  }
  refuse_mean(mean, n, rows.n_rows, fewest - fewest % shared, shared, "the " + rows.shown(), advice, rows.smallest);
}

/* The fewest batches of at most `size` rows, which is the parameter `name`, a multiple of the replicas, each with a row
 * of every stratum.
 */
inline int64_t batches_by_size(const std::string &name, const Counts &rows, double size, double num_replicas) {
  int64_t replicas = limited(num_replicas), fewest = rows.fewest();
  int64_t n_batches = quotient_up(quotient_up(rows.n_rows, limited(size)), replicas) * replicas;
  if (n_batches <= fewest) return n_batches;
  int64_t most = fewest - fewest % replicas;
  if (most == 0) refuse_replicas(rows, rows.is_part() ? "Lower it, or raise 'multiplier'." : "Lower it.");
  refuse(
      name, text(size, ", for ", count_of(n_batches, "batch"), ","),
      text(
          "be at least ", quotient_up(rows.n_rows, most), ", for at most ", count_of(most, "batch"), ": the ",
          rows.shown()
      ),
      rows.is_part() ? "Raise it, or 'multiplier'." : "Raise it.", rows.smallest
  );
}

}  // namespace pystrat
