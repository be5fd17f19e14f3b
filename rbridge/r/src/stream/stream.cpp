/* Streams of sources: the plan of their lanes, and the order of their sources in an epoch.
 *
 * Source k belongs to lane k modulo the number of lanes, and all lanes have the same number of batches, B. In a lane,
 * an epoch takes k rows of a stratum of n. What is taken has ranks, and the one of rank i, from 1, belongs to batch
 * ceil((i * B - h) / k), from 1. The shift h is 0, except for a stratum of fewer rows than batches in a stream that
 * shuffles: then it is drawn below B in each epoch, so that the rows are not in the same batches in all epochs.
 *
 * Place p of a stratum in a lane is taken floor((p + 1) * k / n) - floor(p * k / n) times. Its rows have places in the
 * order of the names of sources, and in each as epoch 0 shuffles it; epoch e begins with place e modulo n. So any E
 * epochs in succession take a row the floor or the ceiling of E * k / n times.
 *
 * Hosts read the sources, and deal their rows.
 */

#include "../core/kinds.hpp"
#include "../core/scatter.hpp"
#include "../core/sizes.hpp"

#include <numeric>

namespace pystrat {
namespace {

const std::string FEWER = "Use fewer lanes.";

constexpr double MOST = LARGEST_COUNT;

const std::vector<std::string> BALANCE = {"over", "under"};

const Table parameters = Table{
    whole("n_sources", LARGEST_COUNT),
    {MINIMUM.c_str(), Is::whole_or_several, 1, INFINITY, {}, false, "ask for at least one row of some stratum"},
    optional(whole(MEAN.c_str())),
    whole("min_batch_size", LARGEST_COUNT),
    {"shares", Is::several_positive, 0, INFINITY, {}, false, "name every stratum", "be numbers with names of strata"},
    {"balance", Is::choice_or_rows, 1, INFINITY, BALANCE, false},
    choice("rare", RARE),
    {"counts", Is::anything, 0, 0, {}, false},
    {"strata", Is::anything, 0, 0, {}, false},
    optional(whole("buffer_size")),
    whole("lanes"),
    flag("shuffle"),
    whole("shuffle_sources"),
} + SHARING;

const std::vector<Relation> relations = {
    {"balance", true, {"shares"}},
    {"mean_batch_size", false, {"shares", "balance"}, "min_samples_per_stratum"},
    {"rare", true, {"shares", "balance"}},
    {"buffer_size", true, {"counts"}},
};

void check_stream(const Values &given) {
  double n_sources = given.whole("n_sources", 1), replicas = given.whole_or("num_replicas", 1, 1);
  if (!given.is_recipe && given.has("counts") == given.has("strata")) {
    refuse("counts", given.has("counts") ? "both" : "neither", "be given, or 'strata', but not both");
  }
  check_sizes(given);
  if (given.has(MEAN) && given.whole("min_batch_size", 1) > 1) {
    refuse("min_batch_size", "", "be left out if 'mean_batch_size' is given");
  }
  if (!given.has("counts") && !given.has("table")) {
    if (given.has_several(MINIMUM)) refuse(MINIMUM, "", "be a positive integer without 'counts'");
    if (given.has(MEAN)) refuse(MEAN, "", "be given together with 'counts'");
    if (given.choice("rare", RARE) != RARE_ERROR) refuse("rare", "", "be 'error' without 'counts'");
  }
  if (replicas > n_sources) {
    std::string advice = text("Divide the data into at least ", replicas, " sources.");
    refuse("num_replicas", "", text("be at most ", n_sources, ", the number of sources"), advice);
  }
  if (std::fmod(given.whole("lanes", 1, n_sources), replicas) != 0) {
    refuse("lanes", "", "be a multiple of 'num_replicas'", text("The least that works is ", replicas, "."));
  }
  if (given.whole("shuffle_sources", 1, n_sources) > 1 && !given.flag("shuffle")) {
    refuse("shuffle_sources", "", "be 1 if 'shuffle' is false");
  }
}

class Stream : public Sampler {
 public:
  Stream(const Values &given, uint32_t seed, Host &host)
      : given(given), seed(seed), first_row(host.first_row), n_sources(given.count("n_sources")),
        n_lanes(given.count("lanes")), mean(given.whole_or(MEAN, 0, 1)), rare(given.choice("rare", RARE)),
        is_shuffled(given.flag("shuffle")) {
    for (double source : given.several("order", true)) order.push_back(static_cast<int32_t>(limited(source)));
    bool are_sources = static_cast<int64_t>(order.size()) == n_sources;
    for (int32_t source : order) are_sources = are_sources && source >= 0 && source < n_sources;
    if (!are_sources) refuse("order", "others", "be numbers of sources");
    if (!given.has("table")) {
      guaranteed = given.count(MINIMUM);
      return;
    }
    add_up();
    if (given.has("shares") || given.has("balance")) take_again();
    else take_once(host);
    if (n_batches > LARGEST_COUNT / n_lanes) {
      std::string name = given.has(MEAN) ? MEAN : MINIMUM;
      double asked = given.has(MEAN) ? mean : *std::max_element(minimums.begin(), minimums.end());
      double all = static_cast<double>(n_batches) * static_cast<double>(n_lanes);
      std::string got = text(asked, ", for ", all, " batches,");
      refuse(name, got, text("make at most ", LARGEST_COUNT, " batches"), "Raise it.");
    }
    if (!is_exact()) refuse("lanes", "", "be more for so many rows and batches");
  }

  /* Draw "rows", the sources of the lanes in the order of an epoch; "groups", where those begin that are read and
   * shuffled together; "offsets", where lanes begin among these groups; and "shifts", those of the strata of the lanes.
   * The number of the epoch's generator is that behind those of its sources.
   */
  void draw(Generator &generator, uint32_t epoch, Host &host) override {
    List<int32_t> sources = order;
    if (is_shuffled) {
      uint32_t behind = static_cast<uint32_t>(n_sources);
      generator.begin(epoch_seed(seed, epoch * (behind + 1) + behind));
      Rows drawn = sample(generator, n_sources, host);
      sources.assign(drawn.begin(), drawn.end());
    }
    auto is_before = [&](int32_t left, int32_t right) { return left % n_lanes < right % n_lanes; };
    std::stable_sort(sources.begin(), sources.end(), is_before);
    int32_t *rows = host.make<int32_t>("rows", n_sources);
    std::copy(sources.begin(), sources.end(), rows);
    host.number_rows(rows, n_sources);
    give_groups(sources, host);
    give_places(epoch, host);
    double *shifts = host.make<double>("shifts", static_cast<int64_t>(taken.size()));
    bool any = is_shuffled && std::any_of(taken.begin(), taken.end(), [&](int64_t rows) { return rows < n_batches; });
    uint32_t bits = any ? bits_below(n_batches) : 0;
    for (int64_t rows_of_cell : taken) {
      int64_t shift = any ? generator.below(n_batches, bits) : 0;
      *shifts++ = rows_of_cell < n_batches ? static_cast<double>(shift) : 0;
      host.go_on(1);
    }
  }

  double bytes() const override {
    return 24 * static_cast<double>(n_sources + n_lanes) + 24 * double(table.size()) + 16 * double(taken.size());
  }

  void describe(Host &host) const override {
    host.counts("totals", totals);
    host.counts("taken", taken);
    host.number("guaranteed", static_cast<double>(guaranteed));
  }

  bool has_unused_seed() const override { return !is_shuffled; }

 private:
  const Values &given;
  uint32_t seed;
  int32_t first_row;
  List<int32_t> order; /* the sources as they are given */
  int64_t n_sources, n_lanes, n_strata = 0, guaranteed = 0;
  double mean;
  int rare;
  bool is_shuffled;
  List<int64_t> table;         /* n_sources * n_strata: the rows of each stratum in each source */
  List<int64_t> totals, taken; /* n_lanes * n_strata: the rows of each stratum in each lane, and in an epoch */
  List<double> minimums;       /* n_strata */
  int64_t fewest = 0;         /* the cell with the fewest rows */

  /* The lane and the stratum of an element of the table. */
  int64_t cell_of(int64_t i) const { return i / n_strata % n_lanes * n_strata + i % n_strata; }
  int64_t stratum_of(int64_t cell) const { return cell % n_strata; }
  int64_t lane_of(int64_t cell) const { return cell / n_strata + first_row; }

  /* "the rows of 'a' in lane 1 of 2" */
  std::string where(int64_t cell) const {
    return text("the rows of '{stratum}' in lane ", lane_of(cell), n_lanes > 1 ? text(" of ", n_lanes) : std::string());
  }

  std::string advice(const std::string &change) const {
    return change + " it, " + (n_lanes > 1 ? "use fewer lanes, " : "") + "or set 'rare' to 'warn' or 'allow'.";
  }

  void add_up() {
    for (double count : given.several("table", true)) table.push_back(static_cast<int64_t>(count));
    int64_t n_cells = table.count();
    n_strata = given.count("n_strata", 1, static_cast<double>(n_cells));
    if (n_cells != n_sources * n_strata) refuse("counts", "others", "be those of the sources");
    totals = List<int64_t>(n_lanes * n_strata);
    for (int64_t i = 0; i < n_cells; i++) totals[cell_of(i)] += table[i];
    fewest = std::min_element(totals.begin(), totals.end()) - totals.begin();
  }

  /* Give the sources of lanes that are read and shuffled together. If an epoch takes more than all rows of a stratum,
   * they are joined until they have as many rows of it as a batch, so that no batch has a row twice.
   */
  void give_groups(const List<int32_t> &sources, Host &host) const {
    int64_t together = given.count("shuffle_sources");
    List<int64_t> begins = {0}, offsets = {0}, held(n_strata), left = totals;
    for (int64_t i = 0; i < n_sources;) {
      int64_t lane = sources[i] % n_lanes, first = lane * n_strata, end = std::min(i + together, n_sources);
      for (; i < end && sources[i] % n_lanes == lane; i++) {
        for (int64_t stratum = 0; stratum < n_strata; stratum++) {
          held[stratum] += table[sources[i] * n_strata + stratum];
          left[first + stratum] -= table[sources[i] * n_strata + stratum];
        }
      }
      bool is_last = i == n_sources || sources[i] % n_lanes != lane, has_enough = true;
      for (int64_t cell = first; cell < first + n_strata; cell++) {
        int64_t least = taken[cell] > totals[cell] ? std::min(totals[cell], quotient_up(taken[cell], n_batches)) : 0;
        has_enough = has_enough && held[stratum_of(cell)] >= least && left[cell] >= least;
      }
      host.go_on(n_strata + 1);
      if (!has_enough && !is_last) continue;
      begins.push_back(i);
      held.assign(held.size(), 0);
      if (is_last) offsets.push_back(begins.count() - 1);
    }
    host.give("groups", begins.data(), begins.count());
    host.give("offsets", offsets.data(), offsets.count());
  }

  /* Give, of each stratum in each source, the "places" in the lane of its first row, and the "ranks": how many rows an
   * epoch takes.
   */
  void give_places(uint32_t epoch, Host &host) const {
    double *places = host.make<double>("places", table.count()), *ranks = host.make<double>("ranks", table.count());
    List<int64_t> nexts;
    for (int64_t rows : totals) nexts.push_back(rows > 0 ? epoch % rows : 0);
    for (int64_t i = 0; i < table.count(); i++) {
      int64_t cell = cell_of(i), n = totals[cell], k = taken[cell], begin = nexts[cell], end = begin + table[i];
      nexts[cell] = end;
      places[i] = static_cast<double>(begin);
      ranks[i] = static_cast<double>(k == n ? table[i] : end * k / n - begin * k / n);
      host.go_on(1);
    }
  }

  /* The values that have names, by stratum; -1 for others. */
  List<double> named_numbers(const std::string &name, bool are_whole) const {
    List<double> values(static_cast<size_t>(n_strata), -1);
    const std::vector<double> items = given.several(name, are_whole), strata = given.several(name + "_strata", true);
    for (size_t i = 0; i < items.size(); i++) values[static_cast<int64_t>(strata[i])] = items[i];
    return values;
  }

  [[noreturn]] void refuse_empty(const std::string &requirement, const std::string &advice) const {
    refuse("lanes", "0 as " + where(fewest), requirement, advice, stratum_of(fewest));
  }

  void warn(int64_t cell, const std::string &consequence, Host &host) const {
    host.stratum = stratum_of(cell);
    host.warning = text("Lane ", lane_of(cell), " has ", count_of(totals[cell], "row"), " of '{stratum}', ");
    host.warning += consequence + ".";
  }

  /* Whether doubles hold all products: of ranks and batches, and of places and what an epoch takes. */
  bool is_exact() const {
    for (int64_t cell = 0; cell < taken.count(); cell++) {
      double rows = static_cast<double>(totals[cell]), ranks = static_cast<double>(taken[cell]);
      bool is_part = rows != ranks && 2 * rows * ranks >= LARGEST_EXACT;
      if (is_part || (ranks + 1) * static_cast<double>(n_batches) >= LARGEST_EXACT) return false;
    }
    return true;
  }

  /* The rows of the smallest batch of any lane, its first one, if there are so many batches. */
  int64_t smallest_batch(int64_t batches) const {
    int64_t smallest = INT64_MAX;
    for (auto lane = totals.begin(); lane != totals.end(); lane += n_strata) {
      int64_t rows = 0;
      std::for_each(lane, lane + n_strata, [&](int64_t count) { rows += count / batches; });
      smallest = std::min(smallest, rows);
    }
    return smallest;
  }

  /* Take each row once. */
  void take_once(Host &host) {
    if (smallest_batch(1) == 0) refuse_empty("leave each lane rows", FEWER);
    if (totals[fewest] == 0 && rare == RARE_ERROR) {
      refuse_empty("leave each lane rows of each stratum", "Use fewer lanes, or set 'rare' to 'warn' or 'allow'.");
    }
    int64_t most = given.has(MEAN) ? batches_by_mean_size(host) : batches_by_minimums(host), least_rows = 1;
    if (!given.has(MEAN)) least_rows = given.count("min_batch_size");
    if (smallest_batch(1) < least_rows) {
      std::string requirement = text("be at most ", smallest_batch(1), ", the rows of the smallest lane");
      refuse("min_batch_size", "", requirement, n_lanes > 1 ? FEWER : "");
    }
    n_batches = largest_that_fits(1, most + 1, [&](int64_t tried) { return smallest_batch(tried) >= least_rows; });
    guaranteed = totals[fewest] / n_batches;
    taken = totals;
  }

  int64_t batches_by_minimums(Host &host) {
    bool are_several = given.has(MINIMUM + "_strata");
    if (are_several) minimums = named_numbers(MINIMUM, true);
    else minimums.assign(static_cast<size_t>(n_strata), given.whole(MINIMUM, 1));
    int64_t tightest = 0;
    double most = INFINITY;
    for (int64_t cell = 0; cell < totals.count(); cell++) {
      double minimum = minimums[stratum_of(cell)];
      double batches = minimum > 0 ? std::floor(static_cast<double>(totals[cell]) / minimum) : INFINITY;
      if (batches < most || (batches == most && totals[cell] < totals[tightest])) tightest = cell;
      most = std::min(most, batches);
    }
    if (most > 0) return static_cast<int64_t>(most);
    double asked = minimums[stratum_of(tightest)];
    std::string rows = count_of(limited(asked), "row");
    if (rare == RARE_ERROR) {
      std::string verb = are_several ? "ask for" : "be";
      std::string requirement = text(verb, " at most ", totals[tightest], ", ", where(tightest));
      std::string got = are_several ? rows + " of '{stratum}'" : text(asked);
      refuse(MINIMUM, got, requirement, advice("Lower"), stratum_of(tightest));
    }
    std::string parameter = "and the '" + MINIMUM + "' parameter ";
    std::string says = parameter + (are_several ? "asks for " + rows : text("is ", asked));
    if (rare == RARE_WARN) warn(tightest, says + ": all rows of a lane are in one batch", host);
    return 1;
  }

  int64_t batches_by_mean_size(Host &host) const {
    int64_t n_rows = std::accumulate(totals.begin(), totals.end(), int64_t(0)), rows = totals[fewest];
    int64_t batches = count_by_mean(n_rows, mean * static_cast<double>(n_lanes));
    if (batches <= rows || rare == RARE_ALLOW) return batches;
    std::string made = count_of(batches, "batch");
    if (rare == RARE_WARN) {
      std::string parameter = "and the '" + MEAN + "' parameter makes ";
      warn(fewest, parameter + made + " a lane: some batches hold no row of it", host);
      return batches;
    }
    int64_t least = 2 * n_rows / (n_lanes * (2 * rows + 1)) + 1;
    std::string requirement = text("be at least ", least, ", for at most ", rows, ", ", where(fewest));
    refuse(MEAN, text(mean, ", for ", made, " a lane,"), requirement, advice("Raise"), stratum_of(fewest));
  }

  /* Take rows of some strata less or more often than once. */
  void take_again() {
    if (totals[fewest] == 0) refuse_empty("leave each lane rows of each stratum", FEWER);
    double each = given.has("balance") ? rows_that_balance() : 0;
    double n_rows = std::accumulate(totals.begin(), totals.end(), 0.0);
    if (given.has("balance")) n_rows = each * static_cast<double>(n_strata);
    n_batches = count_by_mean(static_cast<int64_t>(n_rows), mean * static_cast<double>(n_lanes));
    guaranteed = INT64_MAX;
    for (int64_t lane = 0; lane < n_lanes; lane++) {
      int64_t share = (static_cast<int64_t>(each) - lane - 1) / n_lanes + 1;
      if (given.has("shares")) take_shares();
      else taken.insert(taken.end(), static_cast<size_t>(n_strata), share);
    }
    for (int64_t cell = 0; cell < taken.count(); cell++) {
      check_taken(cell);
      guaranteed = std::min(guaranteed, taken[cell] / n_batches);
    }
  }

  /* How many rows of each stratum an epoch takes of all lanes. */
  double rows_that_balance() const {
    List<int64_t> sums(n_strata);
    for (int64_t cell = 0; cell < totals.count(); cell++) sums[stratum_of(cell)] += totals[cell];
    const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
    int choice = given.choice_or_rows("balance", BALANCE);
    double each = choice == 2 ? given.whole("balance", 1) : static_cast<double>(choice == 0 ? *most : *least);
    if (each < static_cast<double>(n_lanes)) {
      refuse("balance", "", text("be at least ", n_lanes, ", the number of lanes"));
    }
    if (each * static_cast<double>(n_strata) > MOST) refuse_large_epoch("balance");
    return each;
  }

  /* Give a lane its rows: each stratum the floor or the ceiling of its share of full batches. */
  void take_shares() {
    List<double> shares = named_numbers("shares", false);
    int64_t n_few = std::count(shares.begin(), shares.end(), -1);
    if (n_few > 0) {
      std::string got = text(count_of(n_few, "name"), " too few, '{stratum}' among them,");
      refuse("shares", got, "name every stratum", "", std::find(shares.begin(), shares.end(), -1) - shares.begin());
    }
    double total = static_cast<double>(n_batches) * mean, sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (total > MOST) refuse_large_epoch(MEAN);
    double done = 0, before = 0;
    for (int64_t i = 0; i < shares.count(); i++) {
      done += shares[i];
      double end = whole_part(total * done / sum);
      taken.push_back(static_cast<int64_t>(end - std::exchange(before, end)));
      if (taken.back() > 0) continue;
      std::string got = text("none of ", total, " for '{stratum}'");
      refuse("shares", got, "give each stratum at least one row of an epoch", "", i);
    }
  }

  /* Refuse fewer rows of a stratum than batches, and more than a batch can have without repeating one. */
  void check_taken(int64_t cell) const {
    int64_t stratum = stratum_of(cell), most = quotient_up(taken[cell], n_batches);
    if (most > totals[cell]) {
      refuse(
          given.has("shares") ? "shares" : MEAN, text(most),
          text("ask for at most ", count_of(totals[cell], "row"), " of '{stratum}' in a batch"),
          "No row occurs twice in a batch. Lower 'mean_batch_size'.", stratum
      );
    }
    if (taken[cell] >= n_batches) return;
    std::string got = text(mean, ", for ", count_of(taken[cell], "row"), " of '{stratum}' in ", n_batches, " batches,");
    refuse(MEAN, got, "leave each batch a row of each stratum", "Raise it.", stratum);
  }
};

}  // namespace

const Kind stream_kind = {
    "stream", parameters, make<Stream>,
    {"order", "table", "n_strata", "min_samples_per_stratum_strata", "shares_strata"}, relations, check_stream,
};

}  // namespace pystrat
