/* Rows drawn by weights that change: by the weights that a user gives, in batches or one by one (a sum tree), or by
 * priorities, for prioritized experience replay.
 *
 * The state is vectors of the host: "tree" has a head and the numbers of a sum tree, for each stage of weights that
 * follow the epoch. If rows are drawn by the ranks of their priorities, the tree is over ranks, and there are two more:
 * "priorities" and "ranking".
 */

#include "../core/kinds.hpp"
#include "ranking.hpp"
#include "sum_tree.hpp"

namespace pystrat {
namespace {

/* The head of a tree, a cache line. `LARGEST` is the largest priority that was ever set, or -1; `N_ADDED` is the number
 * of rows that were ever added.
 */
enum { N_POSITIVE, N_ROWS, NEXT_POSITION, LARGEST, N_ADDED, TREE_HEAD = 8 };

enum Form { REPLACED, SLICED, APART };

[[noreturn]] void refuse_at(const std::string &name, int64_t place, const std::string &requirement) {
  throw Refusal{name, requirement, "", "", 0, place + 1};
}

/* Rows, counted from 0, for positions that are counted as the host does. */
std::vector<int64_t> read_places(const Values &told, const std::string &name, int64_t n_rows, Host &host) {
  std::vector<int64_t> places;
  auto add = [&](auto positions) {
    places.reserve(static_cast<size_t>(positions.length));
    for (double position : positions) {
      double place = position - host.first_row;
      bool is_row = place >= 0 && place < static_cast<double>(n_rows);
      if (!is_row || static_cast<double>(static_cast<int64_t>(place)) != place) {
        std::string range = text(int64_t(host.first_row), " to ", n_rows - 1 + host.first_row);
        refuse_at(
            name, static_cast<int64_t>(places.size()),
            n_rows == 0 ? "be empty: there is no row"
                        : text("hold row positions from ", range, ", counted from ", int64_t(host.first_row))
        );
      }
      places.push_back(static_cast<int64_t>(place));
    }
  };
  const Value &value = told[name];
  if (const auto *integers = std::get_if<View<int32_t>>(&value)) {
    add(*integers);
  } else {
    add(told.array<double>(name, "hold row positions"));
  }
  return places;
}

/* Numbers, one for each of n_rows rows. */
View<double> read_values(const Values &told, const std::string &name, int64_t n_rows) {
  View<double> values = told.array<double>(name, "hold numbers");
  if (values.length == n_rows) return values;
  refuse(name, count_of(values.length, "value"), text("have one value for each row, ", n_rows));
}

void check_weights(const std::string &name, View<double> weights) {
  for (int64_t row = 0; row < weights.length; row++) {
    if (!(0 <= weights[row] && weights[row] <= DBL_MAX)) refuse_at(name, row, "hold finite numbers, none below 0");
  }
}

class Weighed : public Feedback {
 public:
  void begin(const Values &given, Host &host) override {
    View<double> values = first_values(given);
    int64_t n_rows = values.length / n_stages, length = TREE_HEAD + layout.length();
    bool is_new = !given.has("next_position"), is_full = n_rows == capacity;
    double least = is_full ? 0 : double(n_rows), most = is_full ? double(capacity - 1) : double(n_rows);
    double next = is_new ? double(n_rows % capacity) : given.whole("next_position", least, most);
    double n_added = double(n_rows) + (is_full && !is_new ? next : 0);
    n_added = given.whole_or("n_added", n_added, double(n_rows), LARGEST_EXACT);
    bool is_right = is_full ? std::fmod(n_added, double(capacity)) == next : n_added == double(n_rows);
    if (!is_right) refuse("n_added", "", "be the number of rows that were ever added");
    double largest = given.has("largest") ? given.number("largest", 0) : -1;
    check_place(given, n_rows, host);
    double *trees = host.make<double>("tree", n_stages * length);
    double *priorities = is_ranked ? host.make<double>("priorities", capacity) : nullptr;
    int32_t *ranking = is_ranked ? host.make<int32_t>("ranking", ranks.length()) : nullptr;
    for (int64_t stage = 0; stage < n_stages; stage++) {
      State state{trees + stage * length, layout, ranks, priorities};
      state.lay(ranking);
      state.tree.clear();
      const double head[TREE_HEAD] = {0, double(n_rows), next, largest, n_added};
      std::copy(head, head + TREE_HEAD, state.head);
      if (is_ranked) {
        std::fill(priorities, priorities + capacity, 0);
        std::fill(ranking, ranking + ranks.length(), 0);
        std::copy(values.begin(), values.end(), priorities);
        state.ranking.rank_all(n_rows);
        weigh_ranks(state, 0, n_rows);
      } else {
        double *leaves = state.tree.leaves();
        for (int64_t row = 0; row < n_rows; row++) leaves[row] = values[stage * n_rows + row] + 0.0; /* no -0 */
        state.head[N_POSITIVE] = double(std::count_if(leaves, leaves + n_rows, [](double one) { return one > 0; }));
        state.tree.refresh(0, n_rows);
        if (state.tree.overflows()) refuse_sum();
      }
      if (is_new) check_first(state, stage);
      host.go_on();
    }
  }

  void draw_more(const Values &vectors, const Values &wanted, Generator &generator, Host &host) override {
    State state = lay(vectors, wanted);
    bool has_k = wanted.names("k");
    int64_t count = wanted.count("count"), size = has_k ? wanted.count("k", 0) : batch_size;
    if (size > 0 && state.n_rows() == 0) {
      std::string advice = "Add rows with append() first.";
      refuse(name, "those of no row", "be those of at least one row when rows are drawn", advice);
    }
    Form drawn_as = wanted.has("replacement") ? (wanted.flag("replacement") ? REPLACED : APART) : form;
    check_drawable(state, has_k ? "k" : "batch_size", size, drawn_as, "");
    check_most_rows(count, size, host);
    int64_t n_drawn = size * count;
    int32_t *rows = host.make<int32_t>("rows", n_drawn);
    if (drawn_as != APART) {
      state.tree.draw(generator, n_drawn, drawn_as == SLICED ? size : 0, rows, host);
    } else {
      HashSet known;
      for (int64_t i = 0; size > 0 && i < n_drawn; i += size) {
        state.tree.draw_apart(generator, size, rows + i, known, host);
      }
    }
    for (int64_t i = 0; is_ranked && i < n_drawn; i++) rows[i] = state.ranking.row_at(rows[i]);
    host.number_rows(rows, n_drawn);
  }

  void tell(const Values &vectors, const std::string &method, const Values &told, Host &host) override {
    State state = lay(vectors, told);
    method == "append" ? append(state, told, host) : update(state, told, host);
  }

  void ask(const Values &vectors, const std::string &asked_for, const Values &asked, Host &host) override {
    State state = lay(vectors, asked);
    if (asked_for == "total") return host.number("total", state.tree.total());
    if (asked_for == "n_rows") return host.number("n_rows", state.head[N_ROWS]);
    if (asked_for == "n_added") return host.number("n_added", state.head[N_ADDED]);
    if (asked_for != "state") return give(state, asked_for, asked, host);
    View<double> trees = vectors.array<double>("tree", "be a sum tree");
    int64_t n_rows = state.n_rows(), length = trees.length / n_stages;
    double *values = host.make<double>(entry(), n_rows * n_stages);
    for (int64_t stage = 0; stage < n_stages; stage++) {
      SumTree tree = layout;
      tree.lay(const_cast<double *>(trees.values) + stage * length + TREE_HEAD);
      std::copy_n(is_ranked ? state.priorities : tree.leaves(), n_rows, values + stage * n_rows);
    }
    host.number("next_position", state.head[NEXT_POSITION]);
    if (state.head[LARGEST] >= 0) host.number("largest", state.head[LARGEST]);
    if (keeps_added) host.number("n_added", state.head[N_ADDED]);
  }

  double bytes() const override {
    double ranked = is_ranked ? 24 : 0;
    return (20 + ranked) * double(capacity * n_stages) + 64 * double(batch_size) +
           (4 * double(batch_size) + 32) * double(n_batches);
  }

 protected:
  /* What the vectors of the host hold. */
  struct State {
    double *head;
    SumTree tree;
    Ranking ranking;
    double *priorities;

    void lay(int32_t *ranks) {
      tree.lay(head + TREE_HEAD);
      ranking.lay(ranks, priorities);
    }
    int64_t n_rows() const { return static_cast<int64_t>(head[N_ROWS]); }
    double weight(int64_t row) const {
      return tree.leaves()[priorities == nullptr ? row : ranking.rank_of(static_cast<int32_t>(row))];
    }
  };

  Weighed(const std::string &name, int64_t capacity, bool keeps_least, bool is_ranked)
      : name(name), capacity(capacity), is_ranked(is_ranked), layout(capacity, keeps_least), ranks(capacity),
        keeps_added(keeps_least) {}

  virtual void check_first(const State &, int64_t) const {}

  virtual void update(State &state, const Values &told, Host &host) {
    std::vector<int64_t> places = read_places(told, rows_name, state.n_rows(), host);
    View<double> weights = read_values(told, "weights", static_cast<int64_t>(places.size()));
    check_weights("weights", weights);
    host.go_on(); /* the change itself is not interrupted */
    change(state, places, weights.values);
  }

  virtual void append(State &state, const Values &told, Host &host) {
    View<double> weights = told.array<double>("weights", "hold numbers");
    check_weights("weights", weights);
    append_rows(state, weights.values, weights.length, host);
  }

  /* Give the weights of some rows, or of all. */
  virtual void give(const State &state, const std::string &asked_for, const Values &asked, Host &host) {
    std::vector<int64_t> rows = asked_rows(state, asked, host);
    double *values = host.make<double>(asked_for.c_str(), static_cast<int64_t>(rows.size()));
    std::transform(rows.begin(), rows.end(), values, [&](int64_t row) { return state.weight(row); });
  }

  std::vector<int64_t> asked_rows(const State &state, const Values &asked, Host &host) const {
    if (asked.has(rows_name)) return read_places(asked, rows_name, state.n_rows(), host);
    std::vector<int64_t> rows(static_cast<size_t>(state.n_rows()));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }

  const char *entry() const { return is_ranked ? "priorities" : "weights"; }

  void choose_batches(const Values &given) {
    batch_size = given.count("batch_size");
    n_batches = batches_of_size(given, capacity, batch_size);
  }

  void check_drawable(
      const State &state, const std::string &size_name, int64_t size, Form drawn_as, const std::string &when
  ) const {
    int64_t n_positive = static_cast<int64_t>(state.head[N_POSITIVE]);
    if (size > 0 && n_positive == 0) refuse(name, "no positive weight" + when, "not all be 0 when rows are drawn");
    if (drawn_as != APART || size <= n_positive) return;
    std::string most = text("be at most ", n_positive, ", the number of positive weights", when);
    refuse(size_name, text(size), most + ", without replacement");
  }

  /* Set the weights, or the priorities, of rows; of repeated rows, the last one counts. */
  void change(State &state, const std::vector<int64_t> &places, const double *values) {
    if (places.empty()) return;
    if (is_ranked) return change_ranks(state, places, values);
    double *leaves = state.tree.leaves();
    int64_t count = static_cast<int64_t>(places.size());
    std::vector<double> previous(places.size());
    int64_t n_more = 0;
    for (size_t begin = 0, end; begin < places.size(); begin = end) {
      end = std::min(begin + BLOCK_SIZE, places.size());
      for (size_t i = begin; i < end; i++) prefetch(&leaves[places[i]]);
      for (size_t i = begin; i < end; i++) {
        previous[i] = std::exchange(leaves[places[i]], values[i] + 0.0);
        n_more += (values[i] > 0) - (previous[i] > 0);
      }
    }
    state.head[N_POSITIVE] += double(n_more);
    state.tree.refresh(places.data(), count);
    if (!state.tree.overflows()) return;
    state.head[N_POSITIVE] -= double(n_more);
    for (size_t i = places.size(); i-- > 0;) leaves[places[i]] = previous[i];
    state.tree.refresh(places.data(), count);
    refuse_sum();
  }

  /* Give values to the next rows, which replace the oldest ones if there is no room: "rows". */
  void append_rows(State &state, const double *values, int64_t count, Host &host) {
    int64_t next = static_cast<int64_t>(state.head[NEXT_POSITION]);
    std::vector<int64_t> places;
    int64_t *positions = host.make<int64_t>("rows", count);
    for (int64_t i = 0; i < count; i++) {
      places.push_back((next + i) % capacity);
      positions[i] = places.back() + host.first_row;
    }
    change(state, places, values);
    state.head[N_ROWS] = double(std::min(state.n_rows() + count, capacity));
    state.head[NEXT_POSITION] = double((next + count) % capacity);
    state.head[N_ADDED] += double(count);
  }

  std::string name, rows_name = "rows";
  int64_t capacity, batch_size = 1, n_stages = 1;
  bool is_ranked;
  SumTree layout;
  Ranking ranks;
  bool keeps_added;
  double alpha = 0; /* of ranks */
  Form form = REPLACED;
  Stages stages;

 private:
  static constexpr size_t SORTED_FROM = 16; /* sorting all rows is faster than moving one in 16 of them */

  /* The weights or priorities of the rows of a state; without any, those of new rows are 1. */
  View<double> first_values(const Values &given) {
    if (!given.has(entry())) {
      ones.assign(static_cast<size_t>(n_first), 1);
      return {ones.data(), n_first};
    }
    View<double> values = given.array<double>(entry(), "hold numbers");
    int64_t fewest = keeps_added || n_first < 0 ? 0 : n_first * n_stages, most = capacity * n_stages;
    if (values.length < fewest || values.length > most) {
      std::string range = fewest == most ? text(most) : text("from ", fewest, " to ", most);
      refuse("state", count_of(values.length, "value"), text("hold ", range, " ", entry()));
    }
    for (int64_t row = 0; row < values.length; row++) {
      bool is_right = 0 <= values[row] && values[row] <= DBL_MAX;
      if (is_right && values[row] == 0 && has_positive) refuse("state", "0", "hold weights above 0");
      if (!is_right) refuse_at(given.has(name) ? name : entry(), row, "hold finite numbers, none below 0");
    }
    return values;
  }

  /* Check the place in an epoch at which a sampler was resumed, if there is one. */
  void check_place(const Values &given, int64_t n_rows, Host &host) const {
    for (const char *name : {"generator", "sample_generator"}) {
      if (!given.has(name)) continue;
      View<double> words = given.array<double>(name, "hold numbers");
      Generator read;
      if (!read.restore(words.begin(), words.length)) {
        refuse("state", "others", "hold 625 words of the generator");
      }
    }
    double batch = given.whole_or("batch", 0, 0, double(n_batches));
    if (!given.has("generator") && batch > 0) refuse("state", "nothing", "hold the state of the generator");
    if (!given.has("generator") || n_batches == 0) return; /* a tree of users has no epochs */
    given.whole("epoch", 0, LARGEST_EPOCH);
    Host from_0 = host;
    from_0.first_row = 0;
    int64_t n_drawn = static_cast<int64_t>(read_places(given, "drawn", n_rows, from_0).size());
    if (n_drawn % batch_size != 0) refuse("state", "others", text("hold drawn batches of ", batch_size, " rows"));
  }

  [[noreturn]] void refuse_sum() const { refuse(name, "a total that overflows", "have a finite total"); }

  void weigh_ranks(State &state, int64_t begin, int64_t end) const {
    for (int64_t rank = begin; rank < end; rank++) state.tree.leaves()[rank] = std::pow(double(rank + 1), -alpha);
    state.head[N_POSITIVE] += double(end - begin);
    state.tree.refresh(begin, end);
  }

  void change_ranks(State &state, const std::vector<int64_t> &places, const double *priorities) {
    int64_t n_before = state.ranking.size();
    int64_t n_after = std::max(n_before, *std::max_element(places.begin(), places.end()) + 1);
    if (places.size() * SORTED_FROM > static_cast<size_t>(n_before)) {
      for (size_t i = 0; i < places.size(); i++) state.priorities[places[i]] = priorities[i];
      state.ranking.rank_all(n_after);
    } else {
      for (size_t i = 0; i < places.size(); i++) state.ranking.set(static_cast<int32_t>(places[i]), priorities[i]);
    }
    weigh_ranks(state, n_before, n_after);
  }

 protected:
  State lay(const Values &vectors, const Values &asked) const {
    View<double> trees = vectors.array<double>("tree", "be a sum tree");
    int64_t length = TREE_HEAD + layout.length();
    if (trees.length != n_stages * length) refuse("tree", "other numbers", "be a sum tree");
    int64_t stage = asked.has("epoch") ? stages.of(asked.whole("epoch", 0)) : 0;
    /* The host owns the vectors, for the core to change. */
    State state{const_cast<double *>(trees.values) + stage * length, layout, ranks, nullptr};
    int32_t *ranking = nullptr;
    if (is_ranked) {
      View<double> priorities = vectors.array<double>("priorities", "be priorities");
      View<int32_t> integers = vectors.array<int32_t>("ranking", "be a ranking");
      bool is_right = priorities.length == capacity && integers.length == ranks.length();
      if (!is_right) refuse("ranking", "other numbers", "be a ranking");
      state.priorities = const_cast<double *>(priorities.values);
      ranking = const_cast<int32_t *>(integers.values);
    }
    state.lay(ranking);
    return state;
  }

  int64_t n_first = -1;      /* the rows of a new sampler; -1 if its values say that */
  bool has_positive = false; /* no weight is 0 */

 private:
  std::vector<double> ones;
};

/* The weights of a user, for all epochs or for stages of them. */
class Weighted : public Weighed {
 public:
  Weighted(const Values &given, uint32_t, Host &) : Weighed("weights", rows_of(given), false, false) {
    form = given.flag("replacement") ? REPLACED : APART;
    n_first = capacity;
    stages = Stages(given);
    n_stages = stages.count();
    choose_batches(given);
  }

 protected:
  void check_first(const State &state, int64_t stage) const override {
    std::string when = stages.begins.length == 0 ? "" : text(" in epoch ", stages.begin(stage));
    check_drawable(state, "batch_size", batch_size, form, when);
  }

  void update(State &state, const Values &told, Host &host) override {
    std::string required = "be the same for all epochs if they are updated";
    if (stages.begins.length > 0) refuse("weights", "a table by epoch", required);
    Weighed::update(state, told, host);
  }

 private:
  static int64_t rows_of(const Values &given) {
    double n_rows = given.whole("n_rows", 0, LARGEST_EXACT);
    if (n_rows >= 1 && n_rows <= +LARGEST_COUNT) return static_cast<int64_t>(n_rows);
    std::string got = count_of(static_cast<int64_t>(n_rows), "value");
    refuse("weights", got, text("have from 1 to ", LARGEST_COUNT, " values"));
  }
};

/* By perplexity, the exponential of a loss that is reported: the tree has the weights of the running epoch, which
 * follow from the reports before it. Two more vectors are "reported", the perplexity of each row, 0 if it was never
 * reported, and "reports", a head.
 */
class Perplexity : public Weighed {
 public:
  Perplexity(const Values &given, uint32_t, Host &)
      : Weighed("weights", given.count("n_rows"), false, false), initial(given.number("initial", 1)),
        maximum(given.has("maximum") ? given.number("maximum", -INFINITY) : INFINITY), clip(given.flag("clip")) {
    if (initial == 1 || initial > MOST) refuse("initial", "", text("be a number above 1 and at most ", MOST));
    if (maximum == 0) refuse("maximum", "", "be a finite number other than 0, or nothing");
    if (clip && !given.has("maximum")) refuse("clip", "", "be false if there is no maximum");
    n_first = capacity;
    choose_batches(given);
  }

  void begin(const Values &given, Host &host) override {
    Weighed::begin(given, host);
    double *reported = host.make<double>("reported", capacity), *head = host.make<double>("reports", REPORTS_HEAD);
    std::fill(reported, reported + capacity, 0);
    if (given.has("reported")) {
      View<double> known = read_values(given, "reported", capacity);
      for (int64_t row = 0; row < capacity; row++) {
        bool is_right = known[row] == 0 || (known[row] >= 1 && known[row] <= MOST);
        if (!is_right) refuse_at("reported", row, text("hold perplexities from 1 to ", MOST, ", or 0"));
      }
      std::copy(known.begin(), known.end(), reported);
    }
    head[STARTED] = given.whole_or("started", 0, 0, 1);
    head[HAS_WARNED] = given.whole_or("has_warned", 0, 0, 1);
    head[WEIGHED] = given.whole_or("weighed", 0, 0, LARGEST_EPOCH + 1); /* one more than the epoch of the weights */
  }

  /* The running epoch has its own weights, any other those that follow from the reports so far. */
  void draw_more(const Values &vectors, const Values &wanted, Generator &generator, Host &host) override {
    Reports reports = reports_of(vectors);
    if (!wanted.has("k") && wanted.whole("epoch", 0) + 1 == reports.head[WEIGHED]) {
      return Weighed::draw_more(vectors, wanted, generator, host);
    }
    View<double> tree = vectors.array<double>("tree", "be a sum tree");
    std::vector<double> copy(tree.begin(), tree.end());
    Values fresh = vectors;
    fresh.remove("tree");
    fresh.add_view("tree", copy.data(), tree.length);
    State state = lay(fresh, wanted);
    weigh(state, reports, is_started(reports));
    Weighed::draw_more(fresh, wanted, generator, host);
  }

  void tell(const Values &vectors, const std::string &method, const Values &told, Host &host) override {
    Reports reports = reports_of(vectors);
    if (method == "begin") return begin_epoch(lay(vectors, told), reports, told.whole("epoch", 0, LARGEST_EPOCH), host);
    std::vector<int64_t> places = read_places(told, "rows", capacity, host);
    View<double> losses = read_values(told, "nll", static_cast<int64_t>(places.size()));
    std::vector<double> perplexities;
    for (int64_t i = 0; i < losses.length; i++) {
      if (!(losses[i] >= 0 && losses[i] <= DBL_MAX)) refuse_at("nll", i, "hold finite numbers, none below 0");
      perplexities.push_back(std::fmin(std::exp(losses[i]), MOST));
      host.go_on(1);
    }
    for (size_t i = 0; i < places.size(); i++) reports.perplexities[places[i]] = perplexities[i];
  }

  void ask(const Values &vectors, const std::string &asked_for, const Values &asked, Host &host) override {
    Reports reports = reports_of(vectors);
    if (asked_for == "share_above_maximum") return host.number("share_above_maximum", share_above(reports));
    if (asked_for == "started") return host.number("started", reports.head[STARTED]);
    if (asked_for == "perplexities") {
      double *found = host.make<double>("perplexities", capacity);
      for (int64_t row = 0; row < capacity; row++) found[row] = perplexity(reports, row);
      return;
    }
    if (asked_for == "state") {
      host.give("reported", reports.perplexities, capacity);
      host.number("started", reports.head[STARTED]);
      host.number("has_warned", reports.head[HAS_WARNED]);
      host.number("weighed", reports.head[WEIGHED]);
    }
    Weighed::ask(vectors, asked_for, asked, host);
  }

 private:
  enum { STARTED, HAS_WARNED, WEIGHED, REPORTS_HEAD };
  struct Reports {
    double *perplexities, *head;
  };
  static constexpr double MOST = 1e6;         /* the highest perplexity that is kept */
  static constexpr double NOTED_SHARE = 0.05; /* if more of the reported rows count as noise, a warning is given */

  Reports reports_of(const Values &vectors) const {
    View<double> reported = vectors.array<double>("reported", "be perplexities");
    View<double> head = vectors.array<double>("reports", "be a head");
    if (reported.length != capacity || head.length != REPORTS_HEAD) refuse("reported", "others", "be perplexities");
    /* The host owns the vectors, for the core to change. */
    return {const_cast<double *>(reported.values), const_cast<double *>(head.values)};
  }

  double perplexity(const Reports &reports, int64_t row) const {
    return reports.perplexities[row] == 0 ? initial : reports.perplexities[row];
  }

  /* Whether draws follow perplexity: from when the mean of all rows is below that of one that was never reported. The
   * sum of the differences is exactly 0 if nothing was reported.
   */
  bool is_started(const Reports &reports) const {
    double sum = 0;
    for (int64_t row = 0; row < capacity; row++) sum += perplexity(reports, row) - initial;
    return reports.head[STARTED] != 0 || sum < 0;
  }

  /* The perplexity above which rows count as noise: given, or so many spreads above the mode of those reported, in
   * hundredths. The spread is the root of the mean square of the distances above the mode; INFINITY if there are fewer
   * than two.
   */
  double ceiling(const Reports &reports) const {
    if (maximum > 0) return maximum;
    std::vector<int32_t> hundredths;
    for (int64_t row = 0; row < capacity; row++) {
      if (reports.perplexities[row] == 0) continue;
      hundredths.push_back(static_cast<int32_t>(std::floor(100 * reports.perplexities[row] + 0.5)));
    }
    std::sort(hundredths.begin(), hundredths.end());
    double mode = 0, squares = 0, n_above = 0;
    std::ptrdiff_t most = 0;
    for (auto begin = hundredths.begin(), end = begin; begin != hundredths.end(); begin = end) {
      end = std::upper_bound(begin, hundredths.end(), *begin);
      if (end - begin > most) mode = *begin / 100.0;
      most = std::max(most, end - begin);
    }
    for (int64_t row = 0; row < capacity; row++) {
      double distance = reports.perplexities[row] - mode;
      if (distance <= 0) continue;
      squares += distance * distance;
      n_above += 1;
    }
    return n_above < 2 ? INFINITY : mode - maximum * std::sqrt(squares / (n_above - 1));
  }

  double share_above(const Reports &reports) const {
    double most = ceiling(reports), n_above = 0, n_seen = 0;
    for (int64_t row = 0; row < capacity; row++) {
      n_above += reports.perplexities[row] > most;
      n_seen += reports.perplexities[row] > 0;
    }
    return n_seen > 0 ? n_above / n_seen : 0;
  }

  void weigh(State &state, const Reports &reports, bool is_started) const {
    double most = is_started ? ceiling(reports) : 0, *leaves = state.tree.leaves();
    for (int64_t row = 0; row < capacity; row++) {
      double found = reports.perplexities[row] <= most ? perplexity(reports, row) : clip ? most : 1;
      leaves[row] = is_started ? found : 1;
    }
    state.tree.refresh(0, capacity);
  }

  /* Weigh the rows for an epoch that begins, and give a "warning" if rows that are not rare count as noise. An epoch
   * that begins again keeps its weights.
   */
  void begin_epoch(State state, Reports reports, double epoch, Host &host) const {
    if (epoch + 1 == reports.head[WEIGHED]) return;
    bool is_weighted = is_started(reports);
    double share = is_weighted && !clip && reports.head[HAS_WARNED] == 0 ? share_above(reports) : 0;
    if (share > NOTED_SHARE) {
      char warning[300];
      std::snprintf(
          warning, sizeof warning,
          "%.1f %% of the reported examples are above the maximum, a perplexity of %.2f. They count as noise and are "
          "drawn with the weight 1, the least of all. Choose a higher maximum, none, or clip them.",
          100 * share, ceiling(reports)
      );
      host.words("warning", warning);
    }
    weigh(state, reports, is_weighted);
    reports.head[STARTED] = is_weighted;
    if (share > NOTED_SHARE) reports.head[HAS_WARNED] = 1;
    reports.head[WEIGHED] = epoch + 1;
  }

  double initial, maximum; /* INFINITY if there is no maximum; below 0, so many spreads above the mode */
  bool clip;
};

/* Weights without batches: what sum trees of users are. */
class SumTreeRows : public Weighed {
 public:
  SumTreeRows(const Values &given, uint32_t, Host &) : Weighed("weights", capacity_of(given), false, false) {
    rows_name = "indices";
    n_first = given.has("n_rows") ? -1 : 0;
    batch_size = 1;
  }

 protected:
  void give(const State &state, const std::string &asked_for, const Values &asked, Host &host) override {
    if (asked_for == "weights") return Weighed::give(state, asked_for, asked, host);
    double total = state.tree.total();
    View<double> values = asked.array<double>("values", "hold numbers");
    std::vector<double> left(values.begin(), values.end());
    for (int64_t i = 0; i < values.length; i++) {
      if (!(values[i] >= 0 && values[i] < total)) {
        refuse_at("values", i, text("hold numbers from 0 to below the total, ", total));
      }
    }
    int32_t *rows = host.make<int32_t>("rows", values.length);
    state.tree.find(left.data(), values.length, rows);
    host.number_rows(rows, values.length);
  }

 private:
  static int64_t capacity_of(const Values &given) {
    int64_t n_weights = given.has("n_rows") ? given.count("n_rows", 0) : 0;
    if (!given.has("capacity") && n_weights > 0) return n_weights;
    if (!given.has("capacity") && !given.has("n_rows")) refuse("capacity", "nothing", "be given if 'weights' are not");
    if (!given.has("capacity")) refuse("weights", "0 values", "not be empty without 'capacity'");
    int64_t capacity = given.count("capacity");
    if (capacity < n_weights) refuse("capacity", "", text("be at least ", n_weights, ", the number of weights"));
    return capacity;
  }
};

/* By (abs(priority) + epsilon)^alpha, or by rank^-alpha.
 *
 * Rows that were drawn may be overwritten before their priorities are told. The clock of a buffer is the number of rows
 * that were ever added, of which the one with the number i is in place i mod capacity. So place r was written since the
 * clock showed c if (r - c) mod capacity is below the number of rows added since, and no place needs a clock.
 */
class Prioritized : public Weighed {
 public:
  Prioritized(const Values &given, uint32_t, Host &)
      : Weighed("priorities", capacity_of(given), true, given.choice("method", {"proportional", "rank"}) == 1),
        epsilon(is_ranked ? 0 : given.has("epsilon") ? given.number("epsilon", 0) : 1e-6) {
    alpha = given.number("alpha", 0);
    if (is_ranked && given.has("epsilon")) refuse("epsilon", "", "not be given if 'method' is 'rank'");
    if (is_ranked && std::pow(double(capacity), -alpha) == 0) {
      refuse("alpha", "", text("give the last of ", capacity, " ranks a weight above 0"));
    }
    double least = epsilon == 0 ? 1 : std::pow(epsilon, alpha);
    if (!(least > 0 && std::isfinite(least))) {
      std::string requirement = "neither vanish nor overflow when raised to the power of alpha, ";
      refuse("epsilon", given.has("epsilon") ? "" : text(epsilon), text(requirement, alpha));
    }
    has_positive = epsilon > 0;
    n_first = given.count("n_rows", 0);
    form = given.flag("stratified") ? SLICED : REPLACED;
    choose_batches(given);
  }

 protected:
  void update(State &state, const Values &told, Host &host) override {
    std::vector<int64_t> places = read_places(told, "rows", state.n_rows(), host);
    View<double> priorities = read_values(told, "priorities", static_cast<int64_t>(places.size()));
    std::vector<double> sizes = sizes_of(priorities, host);
    double since = told.whole_or("since", state.head[N_ADDED], 0, state.head[N_ADDED]), largest = -1;
    int64_t first = static_cast<int64_t>(std::fmod(since, double(capacity)));
    size_t kept = 0;
    for (size_t i = 0; i < places.size(); i++) {
      int64_t distance = places[i] - first + (places[i] < first ? capacity : 0);
      if (double(distance) < state.head[N_ADDED] - since) continue;
      places[kept] = places[i];
      sizes[kept++] = sizes[i];
      largest = std::fmax(largest, std::fabs(priorities[static_cast<int64_t>(i)]));
    }
    places.resize(kept);
    change(state, places, sizes.data());
    note_largest(state, largest);
  }

  /* Add "count" rows, or one for each of "priorities". */
  void append(State &state, const Values &told, Host &host) override {
    bool have_priorities = told.has("priorities");
    View<double> priorities;
    if (have_priorities) priorities = told.array<double>("priorities", "hold numbers");
    double number = told.whole_or("count", have_priorities ? double(priorities.length) : 1, 0, double(capacity));
    int64_t count = static_cast<int64_t>(number);
    if (!have_priorities) {
      /* A row of priority 0 is never drawn, except by its rank; it does not keep new rows from being drawn. */
      double largest = state.head[LARGEST];
      bool is_told = largest > 0 || (largest == 0 && is_ranked);
      std::vector<double> values(static_cast<size_t>(count), raised(is_told ? largest : 1));
      return append_rows(state, values.data(), count, host);
    }
    read_values(told, "priorities", count);
    if (count > capacity) {
      std::string requirement = "have at most as many values as there is room for, ";
      refuse("priorities", count_of(count, "value"), text(requirement, capacity));
    }
    append_rows(state, sizes_of(priorities, host).data(), count, host);
    for (double priority : priorities) note_largest(state, std::fabs(priority));
  }

  void give(const State &state, const std::string &asked_for, const Values &asked, Host &host) override {
    if (asked_for == "importance_weights") return give_importance_weights(state, asked, host);
    if (!is_ranked && alpha == 0) {
      refuse("alpha", "0", "be above 0 to read priorities, which have no effect otherwise");
    }
    std::vector<int64_t> rows = asked_rows(state, asked, host);
    double *priorities = host.make<double>("priorities", static_cast<int64_t>(rows.size()));
    for (int64_t row : rows) {
      double priority = std::pow(state.tree.leaves()[row], 1 / alpha) - epsilon;
      *priorities++ = is_ranked ? state.priorities[row] : std::fmax(0, priority);
    }
  }

 private:
  static int64_t capacity_of(const Values &given) {
    bool has_capacity = given.has("capacity");
    int64_t n_rows = given.count("n_rows", has_capacity ? 0 : 1);
    return has_capacity ? given.count("capacity", double(std::max<int64_t>(1, n_rows))) : n_rows;
  }

  /* The weight, or for ranks the priority, of a row, given its abs(priority) + epsilon. */
  double raised(double size) const {
    if (is_ranked || !std::isfinite(size)) return size;
    return size == 0 ? 0 : std::pow(size, alpha); /* never drawn, even if alpha is 0 */
  }

  std::vector<double> sizes_of(View<double> priorities, Host &host) const {
    std::vector<double> sizes;
    for (int64_t i = 0; i < priorities.length; i++) {
      if (!std::isfinite(priorities[i])) refuse_at("priorities", i, "hold finite numbers");
      sizes.push_back(raised(std::fabs(priorities[i]) + epsilon));
      if (!std::isfinite(sizes.back())) {
        refuse_at("priorities", i, text("stay finite when raised to the power of alpha, ", alpha));
      }
      host.go_on(1);
    }
    return sizes;
  }

  void note_largest(State &state, double size) const {
    if (size >= 0) state.head[LARGEST] = std::fmax(state.head[LARGEST], size + epsilon);
  }

  /* Give the factors for the losses of rows: 0 for a row that is never drawn. */
  void give_importance_weights(const State &state, const Values &asked, Host &host) const {
    std::vector<int64_t> rows = read_places(asked, "rows", state.n_rows(), host);
    double beta = asked.number("beta", 0), n_positive = state.head[N_POSITIVE];
    double least = asked.flag("normalize") ? state.tree.least_weight() : state.tree.total() / n_positive;
    double least_raised = n_positive == 0 ? 0 : std::pow(least, beta);
    double *factors = host.make<double>("importance_weights", static_cast<int64_t>(rows.size()));
    for (int64_t row : rows) {
      double weight = state.weight(row), factor = 0;
      /* Of the two orders of division and power, the one that overflows or underflows only if the result does. */
      if (weight > 0) factor = beta > 1 ? std::pow(least / weight, beta) : least_raised / std::pow(weight, beta);
      *factors++ = factor;
    }
  }

  double epsilon; /* 0 for ranks, and if rows of priority 0 are never drawn */
};

const Table of_batches =
    Table{whole("batch_size", LARGEST_COUNT), optional(whole("n_batches", LARGEST_COUNT))} + SHARING;

}  // namespace

const Kind weighted_kind = {
    "weighted", Table{flag("replacement")} + of_batches, make<Weighted>, {"n_rows", "begins"},
};

const Kind perplexity_kind = {
    "perplexity",
    Table{optional(whole("n_rows", LARGEST_COUNT)), {"initial", Is::number, 1},
          optional({"maximum", Is::number, -INFINITY}), flag("clip")} +
        of_batches,
    make<Perplexity>, {"n_rows"},
};

const Kind prioritized_kind = {
    "prioritized",
    Table{optional({"n_rows", Is::whole, 0, LARGEST_COUNT}), {"alpha", Is::number, 0},
          optional({"beta", Is::number, 0}), optional({"epsilon", Is::number, 0}),
          choice("method", {"proportional", "rank"}), flag("stratified"), optional(flag("normalize")),
          optional(whole("capacity", LARGEST_COUNT))} +
        of_batches,
    make<Prioritized>, {"n_rows"},
};

const Kind sum_tree_kind = {
    "sum_tree", Table{optional(whole("capacity", LARGEST_COUNT))}, make<SumTreeRows>, {"n_rows"},
};

}  // namespace pystrat
