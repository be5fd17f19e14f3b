/* All rows of strata, with a minimum of each stratum in every batch, and plans whose epochs take rows of some strata
 * less or more often than once: shares, balance, repeats, one size.
 */

#include "dealt.hpp"

namespace pystrat {
namespace {

constexpr double MOST_ROWS = LARGEST_COUNT; /* of an epoch */

const std::vector<std::string> RARE_OR_REPEAT = {"error", "warn", "allow", "repeat"}, BALANCE = {"over", "under"},
                               ASSIGN = {"proportional", "even"};

const std::string MEAN_ADVICE = "Raise " + RARE_CHOICES + ", or to 'repeat' together with '" + MINIMUM + "'.";

const Table parameters = Table{
    {MINIMUM.c_str(), Is::whole_or_several, 1, INFINITY, {}, false, "ask for at least one row of some stratum", "",
     "To choose the size of the batches instead, pass 'mean_batch_size'."},
    optional(whole(MEAN.c_str())),
    {"shares", Is::several_positive, 0, INFINITY, {}, false, "name every stratum",
     "be numbers with names of strata"},
    {"temperature", Is::number, 1, INFINITY, {}, false},
    optional(whole("cap")),
    {"balance", Is::choice_or_rows, 1, INFINITY, BALANCE, false},
    optional(choice("drop", {"balanced"})),
    flag("shuffle"),
    choice("assign", ASSIGN),
    choice("rare", RARE_OR_REPEAT),
    MISSING,
} + SHARING;

const std::vector<Relation> relations = {
    {"temperature", true, {"shares"}},
    {"cap", true, {"shares"}},
    {"balance", true, {"shares", "temperature", "cap"}},
    {"drop", true, {"shares", "temperature", "cap", "balance"}},
    {"mean_batch_size", false, {"shares", "temperature", "cap", "balance", "drop"}, "min_samples_per_stratum"},
    {"min_samples_per_stratum", true, {"shares", "temperature", "cap", "balance", "drop"}},
    {"rare", true, {"shares", "temperature", "cap", "balance", "drop"}},
};

bool has_way(const Values &given) {
  for (const char *way : {"shares", "temperature", "cap", "balance", "drop"}) {
    if (given.has(way)) return true;
  }
  return false;
}

/* Check that one of the two sizes is given, or both if rows of rare strata are repeated. */
void check_both_sizes(const Values &given) {
  bool has_minimum = given.has(MINIMUM), has_mean = given.has(MEAN);
  bool repeats = given.choice("rare", RARE_OR_REPEAT) == RARE_REPEAT;
  if (has_way(given) || (repeats ? has_minimum && has_mean : has_minimum != has_mean)) return;
  if (repeats) {
    std::string got = has_minimum || has_mean ? "one of them" : "neither";
    refuse(MINIMUM, got, "be given together with 'mean_batch_size' if 'rare' is 'repeat'");
  }
  if (has_minimum) {
    refuse(MINIMUM, "", "be left out if 'mean_batch_size' is given", "Both may be given if 'rare' is 'repeat'.");
  }
  refuse(
      MINIMUM, "nothing", "be given if 'mean_batch_size' is not",
      "Pass one of them: the fewest rows of every stratum in a batch, or the mean number of rows in a batch."
  );
}

/* Divide a total by cumulative rounding: each part is the floor or the ceiling of its share. */
List<int64_t> divided(int64_t total, const List<int64_t> &weights) {
  List<int64_t> parts;
  int64_t sum = std::accumulate(weights.begin(), weights.end(), int64_t(0)), done = 0;
  for (int64_t weight : weights) {
    int64_t before = total * done / sum;
    done += weight;
    parts.push_back(total * done / sum - before);
  }
  return parts;
}

class Stratified : public Dealt {
 public:
  Stratified(const Values &given, uint32_t seed, Host &host)
      : Dealt(given, seed, host), given(given), rows(codes.rows_of_strata()),
        mean(given.whole_or(MEAN, 0, 1)), replicas(given.whole_or("num_replicas", 1, 1)),
        rare(given.choice("rare", RARE_OR_REPEAT)) {
    is_shuffled = given.flag("shuffle");
    taken = rows.counts;
    if (given.has("shares")) {
      take_shares(named_numbers(given, "shares", false));
    } else if (given.has("temperature") || given.has("cap")) {
      take_by_size();
    } else if (given.has("balance")) {
      take_equally();
    } else if (given.has("drop")) {
      take_one_size();
    } else if (rare == RARE_REPEAT) {
      take_repeatedly(minimums());
    } else {
      if (given.has(MINIMUM + "_strata")) n_batches = batches_by_quotas(minimums(), host);
      else if (!given.has(MEAN)) n_batches = batches_by_minimum(host);
      else n_batches = batches_by_mean_for_all(rows, mean, replicas, rare, host, MEAN_ADVICE);
      /* Proportional batches could be empty if there are more batches than rows of every stratum. */
      is_even = given.choice("assign", ASSIGN) == 1 || n_batches > rows.fewest();
    }
    is_walked = taken != rows.counts;
    for (int64_t n_taken : taken) is_permuted = is_permuted || (is_shuffled && n_taken < n_batches);
  }

 private:
  const Values &given;
  Counts rows;
  double mean, replicas;
  int rare;

  List<double> minimums() const {
    if (!given.has(MINIMUM + "_strata")) return List<double>(codes.n_strata, given.whole(MINIMUM, 1));
    List<double> values = named_numbers(given, MINIMUM, true);
    for (double &value : values) value = std::fmax(value, 0);
    return values;
  }

  /* Refuse `most` rows of a stratum in a batch if there are fewer. */
  void refuse_more_rows(const std::string &name, double most, int64_t stratum, const std::string &advice) const {
    int64_t count = codes.rows_of(stratum);
    if (most <= static_cast<double>(count)) return;
    std::string requirement = text("ask for at most ", count_of(count, "row"), " of '{stratum}' in a batch");
    refuse(name, text(most), requirement, advice, stratum);
  }

  void refuse_twice_in_a_batch(const std::string &name) const {
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      double most = static_cast<double>(quotient_up(taken[stratum], n_batches));
      refuse_more_rows(name, most, stratum, "No row occurs twice in a batch. Lower 'mean_batch_size'.");
    }
  }

  /* The rows of an epoch of full batches. */
  int64_t plan_full_batches() {
    n_batches = batches_by_mean(rows.n_rows, mean, replicas);
    double total = static_cast<double>(n_batches) * mean;
    if (total > MOST_ROWS) refuse_large_epoch(MEAN);
    return static_cast<int64_t>(total);
  }

  void check_taken(int64_t total, const std::string &name) const {
    auto none = std::find(taken.begin(), taken.end(), 0);
    if (none != taken.end()) {
      std::string got = text("none of ", total, " for '{stratum}'");
      refuse(name, got, "give each stratum at least one row of an epoch", "", none - taken.begin());
    }
    refuse_twice_in_a_batch(name);
  }

  void take_shares(const List<double> &shares) {
    int64_t n_few = std::count(shares.begin(), shares.end(), -1), total = plan_full_batches();
    if (n_few > 0) {
      std::string got = text(count_of(n_few, "name"), " too few, '{stratum}' among them,");
      refuse("shares", got, "name every stratum", "", std::find(shares.begin(), shares.end(), -1) - shares.begin());
    }
    double sum = std::accumulate(shares.begin(), shares.end(), 0.0), done = 0;
    int64_t before = 0;
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      done += shares[stratum];
      int64_t end = static_cast<int64_t>(whole_part(static_cast<double>(total) * done / sum));
      taken[stratum] = end - std::exchange(before, end);
    }
    check_taken(total, "shares");
  }

  /* The weight of a stratum of n rows is min(n, cap); by a temperature, it is the part of the largest such number, to
   * the power of 1 / temperature, in millionths, rounded, and at least 1. No product exceeds 2^62.
   */
  void take_by_size() {
    double temperature = given.has("temperature") ? given.number("temperature", 1) : 1, most = 1;
    double cap = given.whole_or("cap", LARGEST_COUNT, 1);
    int64_t total = plan_full_batches();
    double n_products = static_cast<double>(total) * static_cast<double>(codes.n_strata);
    double unit = std::fmin(1e6, std::floor(0x1p62 / n_products));
    List<int64_t> weights;
    for (int64_t count : rows.counts) {
      weights.push_back(static_cast<int64_t>(std::fmin(static_cast<double>(count), cap)));
      most = std::fmax(most, static_cast<double>(weights.back()));
    }
    for (int64_t &weight : weights) {
      if (temperature == 1) break;
      double share = std::floor(unit * std::pow(static_cast<double>(weight) / most, 1 / temperature) + 0.5);
      weight = share > 1 ? static_cast<int64_t>(share) : 1;
    }
    taken = divided(total, weights);
    check_taken(total, temperature > 1 ? "temperature" : "cap");
  }

  /* The same number of rows of every stratum. */
  void take_equally() {
    int choice = given.choice_or_rows("balance", BALANCE);
    const auto [least, most] = std::minmax_element(rows.counts.begin(), rows.counts.end());
    double each = choice == 2 ? given.whole("balance", 1) : static_cast<double>(choice == 0 ? *most : *least);
    if (each * static_cast<double>(codes.n_strata) > MOST_ROWS) refuse_large_epoch("balance");
    std::fill(taken.begin(), taken.end(), static_cast<int64_t>(each));
    n_batches = batches_by_mean(taken[0] * codes.n_strata, mean, replicas);
    refuse_twice_in_a_batch(MEAN);
  }

  /* Batches of one size: surplus rows are left out in proportion to what strata have beyond one row per batch. */
  void take_one_size() {
    if (mean > static_cast<double>(rows.n_rows)) {
      refuse(MEAN, "", text("be at most ", rows.n_rows, ", the number of rows"));
    }
    int64_t size = static_cast<int64_t>(mean);
    n_batches = share_batches(rows.n_rows / size, replicas);
    int64_t over = rows.n_rows - n_batches * size, n_spare = 0;
    List<int64_t> spare;
    for (int64_t count : rows.counts) {
      spare.push_back(count - std::min(count, n_batches));
      n_spare += spare.back();
    }
    std::string got = text(mean, ", which leaves out ", over, ",");
    if (over > n_spare) refuse(MEAN, got, text("leave out at most ", n_spare, " rows, which strata can spare"));
    if (static_cast<double>(over) * static_cast<double>(n_spare) >= LARGEST_EXACT) {
      refuse(MEAN, got, "leave out fewer rows, so that all products are below 2^53");
    }
    if (over == 0) return;
    List<int64_t> left_out = divided(over, spare);
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) taken[stratum] -= left_out[stratum];
  }

  /* The fewest batches that keep the minimums, a multiple of the replicas: an epoch takes max(rows, batches * minimum)
   * of each stratum.
   */
  void take_repeatedly(const List<double> &minimums) {
    double asked = 0;
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      refuse_more_rows(MINIMUM, minimums[stratum], stratum, "No row occurs twice in a batch.");
      asked += minimums[stratum];
    }
    asked += std::find(minimums.begin(), minimums.end(), 0) != minimums.end();
    if (mean < asked) {
      std::string reason = ", for the rows that 'min_samples_per_stratum' asks for in a batch";
      refuse(MEAN, "", text("be at least ", asked) + reason);
    }
    auto rows_of_epoch = [&](double n) {
      double sum = 0;
      for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
        sum += std::fmax(static_cast<double>(codes.rows_of(stratum)), n * minimums[stratum]);
      }
      return sum;
    };
    auto fits = [&](double n) { return rows_of_epoch(n * replicas) <= n * replicas * mean; };
    double least = 0, most = 1; /* `least` does not fit, or is 0 */
    for (; !fits(most); most *= 2) least = most;
    while (most - least > 1) {
      double middle = std::floor((least + most) / 2);
      (fits(middle) ? most : least) = middle;
    }
    if (rows_of_epoch(most * replicas) > MOST_ROWS) refuse_large_epoch(MEAN);
    n_batches = static_cast<int64_t>(most * replicas);
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      taken[stratum] = std::max(taken[stratum], n_batches * static_cast<int64_t>(minimums[stratum]));
    }
  }

  int64_t batches_by_minimum(Host &host) const {
    double minimum = given.whole(MINIMUM, 1);
    int64_t fewest = rows.fewest(), largest = fewest / limited(replicas);
    bool is_rare = minimum > static_cast<double>(fewest);
    if (is_rare && rare == RARE_ERROR && largest > 0) {
      refuse(MINIMUM, "", text("be at most ", largest, ": the ", rows.shown()), "Lower " + RARE_ADVICE, rows.smallest);
    }
    std::string advice = "The " + rows.shown() + ".";
    if (largest > 0) advice = text("Lower '", MINIMUM, "' to at most ", largest, ".");
    if (is_rare && rare == RARE_WARN) {
      host.stratum = rows.smallest;
      host.warning = text("The ", rows.shown(), ", and the '", MINIMUM, "' parameter is ", minimum);
      host.warning += ": all rows are in one batch.";
    }
    return share_batches(is_rare ? 1 : fewest / limited(minimum), replicas, advice, rows.smallest);
  }

  /* The most batches that keep a minimum for each stratum; 0 for none, and at least one is above 0. */
  int64_t batches_by_quotas(const List<double> &quotas, Host &host) const {
    int64_t tightest = 0, fewest = INT64_MAX; /* the first stratum that allows the fewest batches */
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      int64_t batches = quotas[stratum] == 0 ? INT64_MAX : rows.counts[stratum] / limited(quotas[stratum]);
      if (batches < fewest) tightest = stratum;
      fewest = std::min(batches, fewest);
    }
    int64_t count = rows.counts[tightest], most = count / limited(replicas);
    if (fewest == 0 && rare == RARE_ERROR && most > 0) {
      std::string requirement = text("ask for at most ", count_of(most, "row"), " of '{stratum}', which has ", count);
      refuse(MINIMUM, text(quotas[tightest]), requirement, "Lower " + RARE_ADVICE, tightest);
    }
    std::string advice = text("'{stratum}' has ", count_of(count, "row"), ".");
    if (most > 0) advice = text("Lower the number of '{stratum}' in '", MINIMUM, "' to at most ", most, ".");
    if (fewest == 0 && rare == RARE_WARN) {
      host.stratum = tightest;
      host.warning = text("The stratum '{stratum}' has ", count_of(count, "row"), ", and the '", MINIMUM);
      host.warning += text("' parameter asks for ", quotas[tightest], ": all rows are in one batch.");
    }
    return share_batches(std::max<int64_t>(1, fewest), replicas, advice, tightest);
  }
};

}  // namespace

const Kind stratified_kind = {
    "stratified", parameters, make<Stratified>,
    {"codes", "n_strata", "min_samples_per_stratum_strata", "shares_strata"}, relations, check_both_sizes,
};

}  // namespace pystrat
