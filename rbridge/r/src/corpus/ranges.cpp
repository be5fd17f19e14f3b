/* Epochs that take rows of ranges: part of a dataset, lines of files that are mixed, and rare events in files.
 *
 * The rows that epochs may visit have places in a line, from 0. An epoch takes places of one or more ranges of it,
 * range after range; from certain epochs on, which begin a stage, those of other ranges. The sizes of batches differ by
 * at most 1.
 *
 * Each file of a mixture is a range, of the lines that limits do not exclude. With replacement, an epoch has
 * sample.int(lines, drawn, replace = TRUE) of it; without, whole passes in order, then sample.int(lines, rest). Its
 * order is sample.int(total), or that of the lines. If "assign" is "even", the files are strata, whose lines are dealt
 * to the batches as in dealt.hpp.
 *
 * Rare events are all lines of the files of positives, and sample.int(lines, k) of the first files of negatives, in the
 * order of sample.int(files). In the order of sample.int(total), they are dealt to the batches in turn, positives
 * first. The weight of a negative makes the negatives of an epoch count, in expectation, as all lines of their files.
 */

#include "../strata/dealt.hpp"

namespace pystrat {
namespace {

enum Take { REPLACED, DIFFERENT, IN_TURN, ALL };

/* `count` of `length` places from `begin` on; all of them, as often as that takes. */
struct Range {
  int64_t begin, length, count;
  Take take;
};

constexpr int64_t HASHED_FROM = 10000000; /* beyond, R redraws numbers that it has drawn, if they are at most half */

/* Draw R's sample.int(length, count) - 1. */
void take_different(Generator &generator, int64_t length, int64_t count, int32_t *places, Host &host) {
  if (length <= HASHED_FROM || 2 * count > length) {
    Rows pool = in_order(length);
    host.in_steps(count, [&](int64_t begin, int64_t end) {
      uint32_t left = static_cast<uint32_t>(length - begin);
      take_rows(generator, pool.data(), left, static_cast<uint32_t>(end - begin), places + begin);
    });
    return;
  }
  std::vector<bool> are_drawn(static_cast<size_t>(length));
  uint32_t bits = bits_below(length);
  for (int64_t i = 0; i < count;) {
    size_t place = static_cast<size_t>(generator.below(length, bits));
    host.go_on(1);
    if (are_drawn[place]) continue;
    are_drawn[place] = true;
    places[i++] = static_cast<int32_t>(place);
  }
}

/* Take every step-th place, beginning with the first, then with the second, and so on, cyclically, where step is
 * length / count, at least 1. An epoch goes on after the epoch before it.
 */
void take_in_turn(int64_t length, int64_t count, int64_t epoch, int32_t *places, Host &host) {
  int64_t step = std::max<int64_t>(1, length / count), shorter = length / step, n_longer = length % step;
  int64_t taken = epoch * count % length;
  int64_t beyond = taken - n_longer * (shorter + 1); /* the first starts have one place more */
  int64_t start = beyond < 0 ? taken / (shorter + 1) : n_longer + beyond / shorter;
  int64_t place = start + step * (beyond < 0 ? taken % (shorter + 1) : beyond % shorter);
  host.in_steps(count, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++, place += step) {
      if (place >= length) place = start = start + 1 < step ? start + 1 : 0;
      places[i] = static_cast<int32_t>(place);
    }
  });
}

void take(const Range &range, int64_t epoch, Generator &generator, int32_t *places, Host &host) {
  uint32_t length = static_cast<uint32_t>(range.length), bits = bits_below(length);
  if (range.take == DIFFERENT) take_different(generator, range.length, range.count, places, host);
  if (range.take == IN_TURN) take_in_turn(range.length, range.count, epoch, places, host);
  host.in_steps(range.count, [&](int64_t begin, int64_t end) {
    uint32_t *indices = reinterpret_cast<uint32_t *>(places + begin);
    if (range.take == REPLACED) generator.draw_indices(length, 0, bits, static_cast<uint32_t>(end - begin), indices);
    for (int64_t i = begin; range.take == ALL && i < end; i++) places[i] = static_cast<int32_t>(i % range.length);
    for (int64_t i = begin; i < end; i++) places[i] += static_cast<int32_t>(range.begin);
  });
}

/* Give the offsets of batches of almost the same size. */
int64_t *give_even_offsets(int64_t n_rows, int64_t n_batches, Host &host) {
  int64_t *offsets = host.make<int64_t>("offsets", n_batches + 1), size = n_rows / n_batches;
  for (int64_t batch = 0; batch <= n_batches; batch++) {
    offsets[batch] = batch * size + std::min(batch, n_rows % n_batches);
  }
  return offsets;
}

/* The lines of files, which have numbers over all files. */
List<int64_t> lines_of_files(const Values &given, const std::string &parameter) {
  List<int64_t> lines;
  double n_lines = 0;
  for (double count : given.several("lines", true)) {
    lines.push_back(limited(count));
    n_lines += count;
  }
  if (lines.empty()) refuse("recipe", "none", "have files");
  if (n_lines > double(LARGEST_COUNT)) {
    refuse(parameter, text(n_lines), text("have at most ", LARGEST_COUNT, " lines in all files"));
  }
  return lines;
}

class Ranges : public Sampler {
 public:
  explicit Ranges(const Values &given)
      : batch_size(limited(given.whole("batch_size", 1))), replicas(limited(given.whole_or("num_replicas", 1, 1))),
        epochs(given) {}

  int64_t batches_of(uint32_t epoch) const override { return stages[epochs.of(epoch)].n_batches; }

  std::string identity() const override {
    std::string shown;
    for (const Stage &stage : stages) shown += text(shown.empty() ? "" : "-", stage.n_batches);
    return shown;
  }

  void draw(Generator &generator, uint32_t epoch, Host &host) override {
    const Stage &stage = stages[epochs.of(epoch)];
    int64_t begin = static_cast<int64_t>(epochs.begin(epochs.of(epoch)));
    int32_t *drawn = host.make<int32_t>("rows", stage.count);
    Rows pool(static_cast<size_t>(order == SHUFFLED ? stage.count : 0));
    int32_t *taken = order == SHUFFLED ? pool.data() : drawn, *next = taken;
    for (const Range &range : stage.ranges) {
      take(range, epoch - begin, generator, next, host);
      next += range.count;
    }
    if (order == SORTED) std::sort(taken, next);
    host.in_steps(stage.count, [&](int64_t from, int64_t end) {
      for (int64_t i = from; i < end; i++) taken[i] = row_at(taken[i]) + host.first_row;
    });
    if (order == SHUFFLED) {
      host.in_steps(stage.count, [&](int64_t from, int64_t end) {
        uint32_t left = static_cast<uint32_t>(stage.count - from);
        take_rows(generator, taken, left, static_cast<uint32_t>(end - from), drawn + from);
      });
    }
    give_even_offsets(stage.count, stage.n_batches, host);
  }

  double bytes() const override {
    double most = 0, n_pool = 0;
    for (const Stage &stage : stages) {
      most = std::fmax(most, static_cast<double>(stage.count + 2 * stage.n_batches));
      for (const Range &range : stage.ranges) {
        if (range.take == DIFFERENT) n_pool = std::fmax(n_pool, static_cast<double>(range.length));
      }
    }
    return 4 * n_pool + 8 * most + 8 * static_cast<double>(rows.length);
  }

 protected:
  enum Order { AS_TAKEN, SHUFFLED, SORTED };

  struct Stage {
    std::vector<Range> ranges;
    int64_t count = 0, n_batches = 0;
  };

  int64_t batch_size, replicas;
  Stages epochs;
  View<int32_t> rows; /* of the places; or the places are rows */
  List<Stage> stages;
  Order order = AS_TAKEN;

  int32_t row_at(int64_t place) const { return rows.length == 0 ? static_cast<int32_t>(place) : rows[place]; }

  void add_stage(const std::vector<Range> &ranges) {
    Stage stage{ranges};
    for (const Range &range : ranges) stage.count += range.count;
    stage.n_batches = quotient_up(quotient_up(stage.count, batch_size), replicas) * replicas;
    if (stage.n_batches > stage.count) {
      std::string are_drawn = text(stage.count, stage.count == 1 ? " is" : " are", " drawn for ");
      refuse("num_replicas", "", text("leave each batch a row: ", are_drawn, count_of(stage.n_batches, "batch")));
    }
    stages.push_back(stage);
    n_batches = stages[0].n_batches;
  }
};

/* Part of a dataset ----------------------------------------------------------------------------------------------- */

const std::vector<std::string> METHODS = {"uniform", "uniform_without_replacement", "partition"};

class EpochSubset : public Ranges {
 public:
  EpochSubset(const Values &given, uint32_t, Host &host) : Ranges(given), n_rows(given.count("n_rows")) {
    int64_t sample = given.count("sample"), begin = 0, fewest = n_rows;
    method = static_cast<Take>(given.choice("method", METHODS));
    std::vector<double> counts{static_cast<double>(n_rows)};
    if (given.has("rows")) {
      rows = given.array<int32_t>("rows", "be rows");
      counts = given.several("n_candidates", true);
    }
    double n_places = std::accumulate(counts.begin(), counts.end(), 0.0);
    bool are_all = !given.has("rows") || n_places == static_cast<double>(rows.length);
    if (static_cast<int64_t>(counts.size()) != epochs.count() || !are_all) {
      refuse("recipe", "others", "have a number of rows for each stage as 'n_candidates'");
    }
    if (*std::min_element(counts.begin(), counts.end()) < 1) refuse("rows", "0 values", "have rows for each epoch");
    for (double count : counts) {
      Range range{begin, static_cast<int64_t>(count), sample, method};
      check_rows(range, host);
      add_stage({range});
      fewest = std::min(fewest, range.length);
      begin += range.length;
    }
    if (method != DIFFERENT || sample <= fewest) return;
    std::string noun = given.has("rows") ? "fewest examples of an epoch" : "number of examples";
    std::string advice = "Set 'method' to 'uniform'.";
    refuse("sample", "", text("be at most ", fewest, ", the ", noun, ", without replacement"), advice);
  }

  bool has_unused_seed() const override { return method == IN_TURN; }

 private:
  int64_t n_rows;
  Take method;

  /* Refuse rows of a stage that are none of the dataset, or occur twice. */
  void check_rows(const Range &range, Host &host) const {
    if (rows.length == 0) return;
    Rows sorted(rows.begin() + range.begin, rows.begin() + range.begin + range.length);
    for (int32_t row : sorted) {
      if (row >= 0 && row < n_rows) continue;
      int64_t first = host.first_row;
      std::string numbers = text(first, " to ", n_rows - 1 + first, ", counted from ", first);
      refuse("rows", text(row + first), "hold row positions from " + numbers);
    }
    std::sort(sorted.begin(), sorted.end());
    host.go_on(range.length);
    auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice == sorted.end()) return;
    refuse("rows", text(*twice + int64_t(host.first_row)), "have no row twice for an epoch");
  }
};

/* Mixtures of files ----------------------------------------------------------------------------------------------- */

const std::vector<std::string> ENDS = {"sample", "first_exhausted", "all_exhausted"};
enum { SAMPLE, FIRST_EXHAUSTED, ALL_EXHAUSTED };
const std::vector<std::string> ASSIGN = {"shuffled", "even"};
constexpr double KEPT = INFINITY; /* the weight of files whose lines occur once in each epoch */

/* What a product was meant to be: without the tolerance, 0.1 * 30 would need 4 whole lines. */
double rounded_up(double number) { return std::ceil(number * (1 - 1e-12)); }
double rounded_down(double number) { return std::floor(number * (1 + 1e-12)); }

void check_mixture(const Values &given) {
  const std::string required = "be a share below 1, or a number of lines from 2";
  const std::string end = ENDS[static_cast<size_t>(given.choice("epoch_end", ENDS))];
  if (end != ENDS[SAMPLE] && given.has("sample")) {
    refuse("sample", "", text("be left out if 'epoch_end' is '", end, "'"));
  }
  if (end != ENDS[SAMPLE]) return;
  if (!given.has("sample")) refuse("sample", "nothing", required);
  double sample = nearly_whole(given.number("sample", 0));
  bool is_count = sample > 1 && sample <= LARGEST_EXACT && std::floor(sample) == sample;
  if (!is_count && !(sample > 0 && sample < 1)) refuse("sample", "", required);
}

/* The files of a stage as strata, whose lines, which have codes of files, are dealt to its batches. */
class EvenFiles : public Dealt {
 public:
  EvenFiles(const Rows &files, const List<int64_t> &counts, int64_t batches, bool shuffle, uint32_t seed, Host &host)
      : Dealt(request_of(files, counts), seed, host) {
    n_batches = batches;
    is_shuffled = shuffle;
    taken = counts;
    is_walked = true;
    is_permuted = shuffle && *std::min_element(taken.begin(), taken.end()) < n_batches;
  }

 private:
  static Values request_of(const Rows &files, const List<int64_t> &counts) {
    Values request;
    request.add_view("codes", files.data(), files.count());
    request.add("n_strata", static_cast<double>(counts.count()));
    return request;
  }
};

/* How an epoch is divided among files: a group has its share of the weights, and a file its share of the lines of its
 * group.
 */
struct Division {
  std::string by;       /* the parameter that divides the files, or the files themselves */
  List<double> weights; /* of the groups */
  List<int64_t> groups; /* of the files, -1 for none */
};

class Mixture : public Ranges {
 public:
  Mixture(const Values &given, uint32_t seed, Host &host)
      : Ranges(given), seed(seed), end(given.choice("epoch_end", ENDS)), is_even(given.choice("assign", ASSIGN) == 1) {
    order = given.flag("shuffle") ? SHUFFLED : SORTED;
    lines = lines_of_files(given, "source");
    n_lines = std::accumulate(lines.begin(), lines.end(), 0.0);
    if (given.has("rows")) limit_lines(given, host);
    for (int64_t place = 0; place < epochs.count(); place++) {
      const Division division = divide(given, place);
      plan(given, division);
      if (division.by == "rules") warn_of_rules(division, host);
      host.go_on(static_cast<int64_t>(lines.size()));
    }
  }

  void draw(Generator &generator, uint32_t epoch, Host &host) override {
    if (!is_even) return Ranges::draw(generator, epoch, host);
    int64_t place = epochs.of(epoch);
    if (place != dealt_place) deal(place, host);
    dealt->draw(generator, epoch, host);
  }

  double bytes() const override {
    double most = 0;
    for (const Stage &stage : stages) most = std::fmax(most, static_cast<double>(stage.count));
    return Ranges::bytes() + (is_even ? 36 * n_lines + 80 * (2 * n_lines + most) : 0);
  }

  /* The numbers of each file in each stage. */
  void describe(Host &host) const override {
    host.counts("remaining", lines);
    host.give("drawn", drawn.data(), drawn.count());
    host.give("kept", kept.data(), kept.count());
    host.give("share", shares.data(), shares.count());
    host.give("uniform_share", uniform_shares.data(), uniform_shares.count());
  }

 private:
  uint32_t seed;
  int end;
  bool is_even;
  double n_lines = 0;                                /* in all files */
  List<int64_t> lines;                               /* of each file that remain */
  List<double> drawn, kept, shares, uniform_shares; /* stage after stage */
  std::unique_ptr<EvenFiles> dealt;                 /* of the stage of the last epoch */
  int64_t dealt_place = -1;                         /* that stage */
  Rows files;                                       /* the codes of its lines */

  /* Leave out the lines that are not in the recipe. */
  void limit_lines(const Values &given, Host &host) {
    rows = given.array<int32_t>("rows", "be lines");
    int64_t end = 0, place = 0;
    for (int64_t &count : lines) {
      end += std::exchange(count, 0);
      for (; place < rows.length && rows[place] < end; place++, count++) {
        bool is_next = place == 0 ? rows[place] >= 0 : rows[place] > rows[place - 1];
        if (!is_next) refuse("recipe", "others", "have lines in their order as 'rows'");
        host.go_on(1);
      }
    }
    if (place < rows.length) refuse("recipe", "others", "have lines of the files as 'rows'");
  }

  Division divide(const Values &given, int64_t place) const {
    Division division;
    int64_t n_files = lines.count();
    for (int64_t file = 0; file < n_files; file++) division.groups.push_back(file);
    if (given.has("rule_weights")) {
      View<double> rules = given.array<double>("rule_weights", "be weights");
      std::vector<double> of_files = given.several("file_rules", true);
      division.by = "rules";
      division.weights.assign(rules.begin(), rules.end());
      of_files.resize(lines.size(), LARGEST_EXACT);
      division.groups.clear();
      for (double rule : of_files) division.groups.push_back(static_cast<int64_t>(std::fmin(rule, LARGEST_EXACT)) - 1);
    } else if (given.has("file_weights")) {
      View<double> all = given.array<double>("file_weights", "be weights");
      bool are_all = all.length == n_files * epochs.count();
      const double *own = all.begin() + place * n_files;
      division.by = "weights";
      if (are_all) division.weights.assign(own, own + n_files);
    } else {
      double temperature = given.has("temperature") ? given.number("temperature", 1) : 1;
      double cap = given.whole_or("cap", LARGEST_EXACT, 1);
      division.by = given.has("temperature") ? "temperature" : given.has("cap") ? "cap" : "source";
      for (int64_t count : lines) {
        double counted = std::fmin(static_cast<double>(count), cap);
        division.weights.push_back(temperature == 1 ? counted : std::pow(counted, 1 / temperature));
      }
    }
    for (double weight : division.weights) {
      if (weight == KEPT || (weight >= 0 && weight <= LARGEST_EXACT)) continue;
      std::string required = text("be a list with a number from 0 to ", int64_t(LARGEST_EXACT), ", or '*',");
      refuse(division.by, text("a list with ", weight), required + " for each file");
    }
    if (*std::max_element(division.groups.begin(), division.groups.end()) >= division.weights.count()) {
      refuse("recipe", "others", text("have weights of files by '", division.by, "'"));
    }
    return division;
  }

  /* Warn of files without a rule, and of rules that are those of no file; a line each. */
  static void warn_of_rules(const Division &division, Host &host) {
    const List<int64_t> &rules = division.groups;
    int64_t n_left_out = std::count(rules.begin(), rules.end(), -1);
    host.stratum = std::find(rules.begin(), rules.end(), -1) - rules.begin();
    if (n_left_out > 0) {
      std::string others = n_left_out > 1 ? " and " + count_of(n_left_out - 1, "other file") : "";
      host.warning += "No rule covers '{stratum}'" + others + (n_left_out > 1 ? ", which are" : ", which is");
      host.warning += " left out.\n";
    }
    std::string unused;
    for (int64_t rule = 0; rule < division.weights.count(); rule++) {
      bool is_used = std::find(rules.begin(), rules.end(), rule) != rules.end();
      if (!is_used) unused += (unused.empty() ? "" : ", ") + std::to_string(rule + 1);
    }
    if (!unused.empty()) host.warning += "These rules are those of no file: " + unused + ", counted from 1.\n";
  }

  /* Plan a stage. */
  void plan(const Values &given, const Division &division) {
    List<double> sums(division.weights.count()), wanted;
    double total = 0, n_kept = 0, n_others = 0;
    auto weight_of = [&](int64_t file) {
      return division.groups[file] < 0 ? 0 : division.weights[division.groups[file]];
    };
    for (int64_t file = 0; file < lines.count(); file++) {
      double count = static_cast<double>(lines[file]);
      (weight_of(file) == KEPT ? n_kept : n_others) += count;
      if (division.groups[file] >= 0) sums[division.groups[file]] += count;
    }
    double extreme = end == FIRST_EXHAUSTED ? INFINITY : 0; /* lines of a group for each part of its weight */
    for (int64_t group = 0; group < sums.count(); group++) {
      if (sums[group] == 0 || division.weights[group] == 0 || division.weights[group] == KEPT) continue;
      double ratio = sums[group] / division.weights[group];
      extreme = end == FIRST_EXHAUSTED ? std::fmin(extreme, ratio) : std::fmax(extreme, ratio);
      total += division.weights[group];
    }
    double requested = end == SAMPLE ? read_sample(given, division, n_kept, n_others) : total > 0 ? total * extreme : 0;
    if (total == 0 && (requested > 0 || n_kept == 0)) refuse_without_lines(division);
    int64_t batches = is_even ? fill_batches(total, n_kept, requested) : 0;
    double n_taken = n_kept;
    for (int64_t file = 0; file < lines.count(); file++) {
      double count = static_cast<double>(lines[file]), weight = weight_of(file);
      bool is_drawn = weight != 0 && weight != KEPT && count > 0;
      double share = is_drawn ? count / sums[division.groups[file]] : 0;
      shares.push_back(share == 0 ? 0 : weight / total * share);
      uniform_shares.push_back(weight == KEPT || n_others == 0 ? 0 : count / n_others);
      kept.push_back(weight == KEPT ? count : 0);
      double exact = requested * shares.back();
      wanted.push_back(is_even || end == FIRST_EXHAUSTED ? rounded_down(exact) : rounded_up(exact));
      n_taken += wanted.back();
    }
    if (is_even) n_taken = n_kept + requested;
    double most = double(LARGEST_COUNT) - (is_even ? n_lines : 0);
    if (!(n_taken >= 1 && n_taken <= most)) {
      std::string required = text("give an epoch from 1 to ", most, " lines");
      refuse(end == SAMPLE ? "sample" : "epoch_end", n_taken < 1 ? "none" : text(n_taken), required);
    }
    if (is_even) round_shares(division, requested, batches, wanted);
    drawn.insert(drawn.end(), wanted.begin(), wanted.end());
    add_stage(ranges_of(wanted));
  }

  /* The lines to draw for a sample. */
  double read_sample(const Values &given, const Division &division, double n_kept, double n_others) const {
    double sample = nearly_whole(given.number("sample", 0));
    if (sample < 1) return sample * n_others;
    if (sample < n_kept) {
      refuse("sample", "", text("be at least ", n_kept, ", the lines that ", division.by, " keep"));
    }
    return sample - n_kept;
  }

  [[noreturn]] void refuse_without_lines(const Division &division) const {
    std::string got = count_of(lines.count(), "file") + " without any to draw from";
    if (division.by == "rules") refuse("rules", got, "match a file that has lines");
    if (division.by == "weights") refuse("weights", got, "be above 0 for a file that has lines");
    refuse("source", got, "have files that have lines");
  }

  /* Make the lines to draw as many as fill all batches: fewer if the first file without new lines ends an epoch. Return
   * the number of batches.
   */
  int64_t fill_batches(double total, double n_kept, double &requested) const {
    double step = static_cast<double>(batch_size * replicas), steps = (n_kept + requested) / step;
    steps = total > 0 && end == FIRST_EXHAUSTED ? rounded_down(steps) : rounded_up(steps);
    if (total > 0 && steps * step <= n_kept) {
      std::string required = "be at most the lines that '" + ENDS[static_cast<size_t>(end)] + "' gives an epoch";
      refuse("batch_size", text(batch_size, ", for an epoch of fewer lines,"), required);
    }
    if (total > 0) requested = steps * step - n_kept;
    return limited(steps) * replicas;
  }

  /* Round the shares up until they add up, those with the largest remainders first; refuse files that are drawn from
   * without a line in an epoch, and lines that would be in a batch twice.
   */
  void round_shares(const Division &division, double requested, int64_t batches, List<double> &wanted) const {
    const double *own = shares.data() + shares.count() - wanted.count();
    List<int64_t> places;
    double left = requested;
    for (int64_t file = 0; file < wanted.count(); file++) {
      left -= wanted[file];
      if (own[file] > 0) places.push_back(file);
    }
    auto rest_of = [&](int64_t file) { return std::round(1e9 * (requested * own[file] - wanted[file])); };
    std::stable_sort(places.begin(), places.end(), [&](int64_t one, int64_t other) {
      return rest_of(one) > rest_of(other);
    });
    for (int64_t i = 0; i < places.count() && i < static_cast<int64_t>(left); i++) wanted[places[i]] += 1;
    for (int64_t file : places) {
      int64_t count = lines[file];
      double most = std::ceil(wanted[file] / static_cast<double>(batches));
      if (wanted[file] == 0) {
        std::string required = "give each file with a share at least one line of an epoch";
        refuse(division.by, "none for '{stratum}'", required, "", file);
      }
      if (most <= static_cast<double>(count)) continue;
      std::string required = text("ask for at most ", count_of(count, "line"), " of '{stratum}' in a batch");
      refuse(division.by, text(most), required, "No line occurs twice in a batch.", file);
    }
  }

  /* The ranges of a stage whose numbers of kept lines are the last ones. */
  std::vector<Range> ranges_of(const List<double> &wanted) const {
    const double *own = kept.data() + kept.count() - wanted.count();
    std::vector<Range> ranges;
    int64_t begin = 0;
    for (int64_t file = 0; file < wanted.count(); file++) {
      int64_t count = lines[file], all = static_cast<int64_t>(own[file]);
      int64_t n_drawn = static_cast<int64_t>(wanted[file]), rest = count == 0 ? 0 : n_drawn % count;
      if (end != SAMPLE) all += n_drawn - rest;
      if (all > 0) ranges.push_back({begin, count, all, ALL});
      if (end != SAMPLE && rest > 0) ranges.push_back({begin, count, rest, DIFFERENT});
      if (end == SAMPLE && n_drawn > 0) ranges.push_back({begin, count, n_drawn, REPLACED});
      begin += count;
    }
    return ranges;
  }

  void deal(int64_t place, Host &host) {
    dealt_place = -1; /* the strata of another stage refer to its files */
    List<int64_t> counts, begins;
    int32_t code = -1;
    files = Rows(static_cast<size_t>(n_lines));
    std::fill(files.begin(), files.end(), -1);
    for (const Range &range : stages[place].ranges) {
      if (begins.empty() || begins.back() != range.begin) {
        begins.push_back(range.begin);
        counts.push_back(0);
        code++;
      }
      counts.back() += range.count;
      for (int64_t i = range.begin; i < range.begin + range.length; i++) files[row_at(i)] = code;
      host.go_on(range.length);
    }
    std::replace(files.begin(), files.end(), -1, code + 1);
    dealt = std::make_unique<EvenFiles>(files, counts, stages[place].n_batches, order == SHUFFLED, seed, host);
    dealt_place = place;
  }
};

/* Rare events ----------------------------------------------------------------------------------------------------- */

class RareEvents : public Sampler {
 public:
  RareEvents(const Values &given, uint32_t, Host &)
      : lines(lines_of_files(given, "negatives")), of_positive(given.positive("positive_weight")),
        of_negative(given.has("negative_weight") ? given.positive("negative_weight") : NAN) {
    n_positive_files = given.count("n_positive_files", 1, static_cast<double>(lines.size()) - 1);
    auto first = lines.begin() + n_positive_files;
    n_positives = std::accumulate(lines.begin(), first, int64_t(0));
    if (n_positives == 0) refuse("positives", "0 lines", "have at least one line");
    lines.erase(lines.begin(), first);
    begins.push_back(n_positives);
    for (int64_t count : lines) begins.push_back(begins.back() + count);
    int64_t n_files = lines.count();
    n_chosen = limited(given.whole_or("negative_files_per_epoch", static_cast<double>(n_files), 1));
    if (n_chosen > n_files) {
      refuse("negative_files_per_epoch", "", text("be at most ", n_files, ", the number of files of negatives"));
    }
    double count = whole_part(given.positive("multiplier") * static_cast<double>(n_positives) + 0.5);
    if (count < 1) refuse("multiplier", "", text("keep at least 1 row: be at least 0.5 / ", n_positives));
    List<int64_t> fewest = lines; /* of the smallest file, of the smallest two, and so on */
    std::sort(fewest.begin(), fewest.end());
    std::partial_sum(fewest.begin(), fewest.end(), fewest.begin());
    if (count > static_cast<double>(fewest.back())) {
      std::string required = text("ask for at most ", count_of(fewest.back(), "negative"), ", the lines of all files");
      refuse("multiplier", "", required);
    }
    n_negatives = static_cast<int64_t>(count);
    int64_t least = std::lower_bound(fewest.begin(), fewest.end(), n_negatives) - fewest.begin() + 1;
    if (least > n_chosen) {
      std::string required = text("be at least ", least, ", so that the files of every epoch have ");
      refuse("negative_files_per_epoch", "", required + count_of(n_negatives, "line"));
    }
    Counts rows({n_positives, n_negatives}, {n_positives, fewest.back()});
    n_batches = batches_by_size("batch_size", rows, given.whole("batch_size", 1), given.whole_or("num_replicas", 1, 1));
  }

  void draw(Generator &generator, uint32_t, Host &host) override {
    Rows files = sample(generator, lines.count(), host), negatives(n_negatives);
    List<int64_t> ends;
    int64_t n_lines = 0, turn = 0;
    for (int64_t i = 0; i < n_chosen; i++) ends.push_back(n_lines += lines[files[i]]);
    double of_files = static_cast<double>(lines.size()) / static_cast<double>(n_chosen * n_negatives);
    host.counts("weights", weights(of_files * static_cast<double>(n_lines)));
    take_different(generator, n_lines, n_negatives, negatives.data(), host);
    for (int32_t &line : negatives) {
      int64_t place = std::upper_bound(ends.begin(), ends.end(), line) - ends.begin(), file = files[place];
      line = static_cast<int32_t>(begins[file] + lines[file] - (ends[place] - line));
      host.go_on(1);
    }
    for (int32_t &file : files) file += static_cast<int32_t>(n_positive_files) + host.first_row;
    host.give("files", files.data(), n_chosen);
    Rows order = sample(generator, n_positives + n_negatives, host);
    int32_t *rows = host.make<int32_t>("rows", order.count());
    const int64_t *offsets = give_even_offsets(order.count(), n_batches, host);
    for (bool are_positives : {true, false}) {
      for (int32_t entry : order) {
        host.go_on(1);
        if ((entry < n_positives) != are_positives) continue;
        int32_t row = are_positives ? entry : negatives[entry - n_positives];
        rows[offsets[turn % n_batches] + turn / n_batches] = row + host.first_row;
        turn++;
      }
    }
  }

  double bytes() const override {
    double n_drawn = static_cast<double>(n_positives + n_negatives);
    return 4 * static_cast<double>(std::accumulate(lines.begin(), lines.end(), int64_t(0))) + 32 * n_drawn;
  }

  /* The numbers of rows, and the mean weight of the rows of all epochs. */
  void describe(Host &host) const override {
    double positives = static_cast<double>(n_positives), negatives = static_cast<double>(n_negatives);
    std::vector<double> means = weights(static_cast<double>(begins.back() - n_positives) / negatives);
    host.number("n_positives", positives);
    host.number("n_negatives", negatives);
    host.number("mean_weight", (means[0] * positives + means[1] * negatives) / (positives + negatives));
  }

 private:
  List<int64_t> lines, begins;     /* of the files of negatives: their lines, and the row of the first one */
  double of_positive, of_negative; /* their training weights, NAN if it is derived */
  int64_t n_positive_files, n_positives, n_negatives, n_chosen;

  std::vector<double> weights(double derived) const {
    return {of_positive, std::isnan(of_negative) ? derived : of_negative};
  }
};

Parameter anything(const char *name) { return {name, Is::anything, 0, 0, {}, false}; }

Parameter positive(const char *name) { return {name, Is::positive, 0}; }

}  // namespace

const Kind epoch_subset_kind = {
    "epoch_subset",
    Table{optional(whole("n_rows", LARGEST_COUNT)), whole("sample", LARGEST_COUNT), whole("batch_size"),
          choice("method", METHODS), anything("rows")} +
        SHARING,
    make<EpochSubset>, {"n_rows", "rows", "begins", "n_candidates"},
};

const Kind mixture_kind = {
    "mixture",
    Table{whole("batch_size"), optional({"sample", Is::number, 0}), anything("rules"), anything("weights"),
          optional({"temperature", Is::number}), optional(whole("cap")), choice("assign", ASSIGN),
          choice("epoch_end", ENDS), flag("shuffle")} +
        SHARING,
    make<Mixture>, {"lines", "rows", "begins", "rule_weights", "file_rules", "file_weights"},
    {{"weights", true, {"rules"}}, {"temperature", true, {"rules", "weights"}}, {"cap", true, {"rules", "weights"}}},
    check_mixture,
};

const Kind rare_events_kind = {
    "rare_events",
    Table{positive("multiplier"), whole("batch_size"), optional(whole("negative_files_per_epoch")),
          positive("positive_weight"), optional(positive("negative_weight"))} +
        SHARING,
    make<RareEvents>, {"lines", "n_positive_files"},
};

}  // namespace pystrat
