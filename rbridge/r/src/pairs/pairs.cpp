/* Observed pairs of users and items, the positives, and new pairs in each epoch, the negatives.
 *
 * A cell is user * n_items + item, and the number of a pair is twice its cell, plus one if it is a positive. The free
 * cells, those that are not positives, have ranks 0, 1, ... in order of their numbers. Before the j-th distinct
 * positive, counted from 0 in sorted order, there are positive[j] - j free cells. So the free cell of rank u is u + j,
 * where j is the number of positives with positive[j] - j <= u.
 */

#include <numeric>
#include <tuple>

#include "../core/hash_set.hpp"
#include "../core/kinds.hpp"
#include "../core/scatter.hpp"
#include "../core/sizes.hpp"

namespace pystrat {
namespace {

enum { UNIFORM, PER_USER, POPULARITY };

const std::vector<std::string> METHODS = {"uniform", "per_user", "popularity"}, FULL_USERS = {"error", "skip"};

/* Sort numbers below 2^bits, digit by digit. */
void sort(Numbers<int64_t> &numbers, uint32_t bits, Host &host) {
  constexpr uint32_t DIGIT = 10; /* more bits are slower */
  Numbers<int64_t> sorted(numbers.count());
  for (uint32_t shift = 0; shift < bits; shift += DIGIT) {
    List<int64_t> places((1 << DIGIT) + 1);
    auto digit = [&](int64_t number) { return number >> shift & ((1 << DIGIT) - 1); };
    for (int64_t number : numbers) places[digit(number) + 1]++;
    std::partial_sum(places.begin(), places.end(), places.begin());
    host.in_steps(numbers.count(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) sorted[places[digit(numbers[i])]++] = numbers[i];
    });
    numbers.swap(sorted);
  }
}

/* R's sample.int(limit, count) - 1 for one limit after another, with replacement or without. */
class Draws {
 public:
  Draws(Generator &generator, bool unique, Host &host) : generator(generator), unique(unique), host(host) {}

  void draw(int64_t limit, int64_t count, int64_t *drawn) {
    for (int64_t done = 0; !unique && done < count; done += Host::STEPS) {
      int64_t size = std::min(count - done, Host::STEPS);
      generator.draw(limit, size, drawn + done);
      host.go_on(size);
    }
    if (!unique || count == 0) return;
    bool is_hashed = limit > LARGEST_COUNT || (limit > HASHED_FROM && 2 * count <= limit); /* as in R */
    is_hashed ? draw_again(limit, count, drawn) : draw_from_pool(limit, count, drawn);
  }

 private:
  static constexpr int64_t HASHED_FROM = 10000000;

  /* Draw repeated numbers again. */
  void draw_again(int64_t limit, int64_t count, int64_t *drawn) {
    uint32_t bits = bits_below(limit);
    known.reset(count);
    for (int64_t done = 0; done < count;) {
      drawn[done] = generator.below(limit, bits);
      done += known.add(drawn[done]);
      host.go_on(1);
    }
  }

  void draw_from_pool(int64_t limit, int64_t count, int64_t *drawn) {
    if (pool.count() < limit) pool = in_order(std::min<int64_t>(LARGEST_COUNT, std::max(limit, 2 * pool.count())));
    if (places.count() < count) {
      places = Numbers<uint32_t>(count);
      rows = Rows(count);
    }
    uint32_t n = static_cast<uint32_t>(limit), wanted = static_cast<uint32_t>(count);
    for (uint32_t begin = 0, end; begin < wanted; begin = end) {
      end = static_cast<uint32_t>(std::min<int64_t>(wanted, begin + Host::STEPS));
      draw_subset_part(generator, pool.data(), n, begin, end, places.data(), rows.data());
      host.go_on(end - begin);
    }
    std::copy(rows.begin(), rows.begin() + count, drawn);
    put_rows_back(pool.data(), places.data(), wanted);
  }

  Generator &generator;
  bool unique;
  Host &host;
  Rows pool, rows; /* the pool is 0, 1, ... between two draws */
  Numbers<uint32_t> places;
  HashSet known;
};

/* The free cells of a whole table. A table of buckets of ranks bounds each search. */
class FreeCells {
 public:
  FreeCells() = default;
  FreeCells(View<int64_t> positives, int64_t n_cells) : positives(positives) {
    int64_t n = positives.length, count = n_cells - n;
    while ((count >> shift) > n / 2) shift++;
    buckets.reserve(static_cast<size_t>(count >> shift) + 2);
    for (int32_t j = 0; j < n; j++) buckets.resize(static_cast<size_t>((positives[j] - j) >> shift) + 1, j);
    buckets.resize(static_cast<size_t>(count >> shift) + 2, static_cast<int32_t>(n));
  }

  /* Turn ranks into cells. What a search needs is prefetched while others are made. */
  void find(int64_t *ranks, int64_t count, Host &host) const {
    for (int64_t begin = 0, end; begin < count; begin = end) {
      end = std::min<int64_t>(begin + BLOCK_SIZE, count);
      for (int64_t i = begin; i < end; i++) prefetch(&buckets[ranks[i] >> shift]);
      for (int64_t i = begin; i < end; i++) {
        prefetch_beyond(positives.values, size_t(buckets[ranks[i] >> shift]) * sizeof(int64_t));
      }
      for (int64_t i = begin; i < end; i++) {
        int64_t bucket = ranks[i] >> shift;
        ranks[i] += before(positives, buckets[bucket], buckets[bucket + 1], ranks[i]);
      }
      host.go_on(end - begin);
    }
  }

  /* The number of positives before the free cell of a rank, between `low` and `high`. */
  static int64_t before(View<int64_t> positives, int64_t low, int64_t high, int64_t rank) {
    while (low < high) {
      int64_t middle = (low + high) >> 1;
      bool is_before = positives[middle] <= rank + middle;
      low = is_before ? middle + 1 : low;
      high = is_before ? high : middle;
    }
    return low;
  }

 private:
  View<int64_t> positives;
  uint32_t shift = 0;    /* a bucket has 2^shift ranks */
  List<int32_t> buckets; /* the positives whose free cells are all before a bucket */
};

/* Users, items and positives. */
class Observed : public Sampler {
 public:
  Observed(const Values &given, bool rejects, Host &host)
      : given(given), unique(given.flag("unique")), rejects(rejects) {
    read_cells(host);
  }

  void describe(Host &host) const override {
    host.number("n_users", static_cast<double>(n_users));
    host.number("n_items", static_cast<double>(n_items));
    host.number("n_positives", static_cast<double>(cells.count()));
    host.number("n_skipped_users", static_cast<double>(n_skipped));
  }

 protected:
  int64_t user_of(int64_t cell) const { return cell / n_items; }
  int64_t free_items(int64_t user) const { return n_items - (rejects ? starts[user + 1] - starts[user] : 0); }

  /* Find where the positives of each user begin, if they are rejected. */
  void find_starts(Host &host) {
    if (!rejects) return;
    starts.reserve(static_cast<size_t>(n_users) + 1);
    for (int64_t i = 0; i < distinct.length; i++) {
      starts.resize(static_cast<size_t>(user_of(distinct[i])) + 1, i);
      host.go_on(1);
    }
    starts.resize(static_cast<size_t>(n_users) + 1, distinct.length);
  }

  /* The positives of each user. Users without a free item are refused, or get 0. */
  List<int64_t> counts_of_users() {
    List<int64_t> counts(n_users);
    int64_t n_with = 0, first = 0;
    for (int64_t cell : cells) counts[user_of(cell)]++;
    for (int64_t user = 0; user < n_users; user++) {
      int64_t &count = counts[user];
      n_with += count > 0;
      if (count == 0 || free_items(user) > 0) continue;
      if (n_skipped++ == 0) first = user;
      count = 0;
    }
    if (n_skipped > 0 && given.choice("full_users", FULL_USERS) == 0) {
      std::string got = text(count_of(n_skipped, "user"), " without one, the first of them user '{stratum}',");
      std::string advice = "Leave such users out, or set 'full_users' to 'skip'.";
      refuse("items", got, "leave each user an item that is not a positive", advice, first);
    }
    if (n_skipped > 0 && n_skipped == n_with) {
      std::string got = text(count_of(n_skipped, "user"), " with positives, all without one,");
      refuse("items", got, "leave some user an item that is not a positive");
    }
    return counts;
  }

  /* Check that there are as many different items to draw for a user. */
  void check_unique(int64_t user, int64_t count) const {
    if (!unique || count <= free_items(user)) return;
    std::string got = text("true and ", count_of(count, "negative"), " for user '{stratum}', of ");
    got += count_of(free_items(user), "item") + ",";
    refuse("unique", got, "be false for more negatives of a user than there are items to draw from", "", user);
  }

  /* Draw the cells of `count` free items of a user. */
  void draw_of_user(Draws &draws, int64_t user, int64_t count, int64_t *drawn) const {
    int64_t first = user * n_items, begin = rejects ? starts[user] : 0, end = rejects ? starts[user + 1] : 0;
    draws.draw(free_items(user), count, drawn);
    for (int64_t i = 0; i < count; i++) {
      int64_t rank = first + drawn[i] - begin; /* among the free cells of all users up to this one */
      drawn[i] = rank + FreeCells::before(distinct, begin, end, rank);
    }
  }

  /* Choose the number of batches of `total`, each with one of the `fewest`. */
  void choose_batches(
      int64_t total, int64_t fewest, const std::string &for_replicas, const std::string &for_size
  ) {
    int64_t replicas = limited(given.whole_or("num_replicas", 1, 1)), most = fewest - fewest % replicas;
    n_batches = quotient_up(quotient_up(total, limited(given.whole("batch_size", 1))), replicas) * replicas;
    if (n_batches <= fewest) return;
    if (most == 0) refuse("num_replicas", "", text("be at most ", fewest, ", ", for_replicas));
    refuse("batch_size", "", text("be at least ", quotient_up(total, most), ", ", for_size));
  }

  /* Make the offsets of batches of `total`, in groups, whose sizes differ by at most 1, larger ones first. */
  int64_t *make_offsets(int64_t total, int64_t group, Host &host) const {
    int64_t *offsets = host.make<int64_t>("offsets", n_batches + 1);
    for (int64_t batch = 0; batch <= n_batches; batch++) {
      offsets[batch] = group * (batch * (total / n_batches) + std::min(batch, total % n_batches));
    }
    return offsets;
  }

  const Values &given;
  int64_t n_users, n_items;
  bool unique, rejects;
  Numbers<int64_t> cells;     /* of the positives, sorted */
  View<int64_t> distinct;
  int64_t n_skipped = 0;      /* users without a free item */
  std::vector<int64_t> own;   /* the distinct cells, if some repeat */
  List<int64_t> starts;       /* where those of each user begin, and the end */

 private:
  /* Without a number of users or items, memory is needed for as many as the largest code says. */
  static constexpr int64_t MOST_UNCOUNTED = 1 << 24;

  /* Call work(codes) for the codes of users or items, in either type of numbers. */
  template <class Work>
  auto with_codes(const std::string &name, Work work) const {
    const auto *integers = std::get_if<View<int32_t>>(&given[name]);
    return integers != nullptr ? work(*integers) : work(given.array<double>(name, "be codes"));
  }

  /* Call visit(i, code) for them. */
  template <class Visit>
  void visit_codes(const std::string &name, Host &host, Visit visit) const {
    with_codes(name, [&](const auto &codes) {
      host.in_steps(codes.length, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) visit(i, codes[i]);
      });
    });
  }

  /* Check the codes of users or items; return the number of values, and of codes: by default the largest plus 1. */
  std::pair<int64_t, int64_t> count_codes(const std::string &name, Host &host) const {
    bool is_counted = given.has("n_" + name);
    int64_t n_values = with_codes(name, [](const auto &codes) { return codes.length; });
    double uncounted = static_cast<double>(std::max(n_values, MOST_UNCOUNTED));
    double most = given.whole_or("n_" + name, uncounted, 1, LARGEST_COUNT), largest = 0;
    visit_codes(name, host, [&](int64_t, auto given_code) {
      double code = given_code;
      bool is_whole = std::is_integral_v<decltype(given_code)> || std::floor(code) == code;
      largest = code > largest ? code : largest;
      if (is_whole && code >= 0 && code < most) return;
      double first = host.first_row;
      std::string advice = "Pass 'n_" + name + "' for larger codes. Ids are text or categories, in R a factor.";
      std::string requirement = text("hold codes, integers from ", first, " to ", most - 1 + first);
      refuse(name, text(code + first), requirement, is_counted ? "" : advice);
    });
    if (n_values == 0) refuse(name, "0 values", "have at least one code");
    return {n_values, static_cast<int64_t>(is_counted ? most : largest + 1)};
  }

  void read_cells(Host &host) {
    int64_t n_values, n_others;
    std::tie(n_values, n_users) = count_codes("users", host);
    std::tie(n_others, n_items) = count_codes("items", host);
    if (n_others != n_values) {
      refuse("items", count_of(n_others, "value"), text("have one value for each user code, ", n_values));
    }
    double n_cells = static_cast<double>(n_users) * static_cast<double>(n_items);
    if (n_cells > LARGEST_EXACT / 2) {
      std::string most = text("be at most ", std::floor(LARGEST_EXACT / 2 / static_cast<double>(n_users)));
      refuse("n_items", "", text(most, " with ", n_users, " users, so that pair numbers stay below 2^53"));
    }
    host.need(16 * static_cast<double>(n_users));
    cells = Numbers<int64_t>(n_values);
    visit_codes("users", host, [&](int64_t i, auto user) { cells[i] = static_cast<int64_t>(user) * n_items; });
    visit_codes("items", host, [&](int64_t i, auto item) { cells[i] += static_cast<int64_t>(item); });
    sort(cells, bits_below(static_cast<int64_t>(n_cells)), host);
    distinct = {cells.data(), cells.count()};
    if (std::adjacent_find(cells.begin(), cells.end()) == cells.end()) return;
    std::unique_copy(cells.begin(), cells.end(), std::back_inserter(own));
    distinct = {own.data(), static_cast<int64_t>(own.size())};
  }
};

/* With the ratio r, an epoch has P positives and P * (1 - r) / r negatives, rounded; per user, each gets the increment
 * of this number over the positives of the users up to this one. Positives and negatives are dealt to batches in turn,
 * in the order of the epoch.
 */
class Pairs : public Observed {
 public:
  Pairs(const Values &given, uint32_t, Host &host)
      : Observed(given, given.flag("reject_positives"), host), method(given.choice("method", METHODS)),
        ratio(given.number("ratio", 0)) {
    if (method != UNIFORM) find_starts(host);
    if (method == PER_USER) share_negatives();
    else n_negatives = count_negatives(cells.count());
    if (method == UNIFORM) check_table();
    if (method == POPULARITY) weigh_items(host);
    if (method == UNIFORM && rejects) free = FreeCells(distinct, n_users * n_items);
    std::string counts = count_of(cells.count(), "positive") + " and " + count_of(n_negatives, "negative");
    if (n_negatives == 0) refuse("ratio", "an epoch of " + counts, "leave room for a negative");
    std::string why = "so that every batch has a positive and a negative of " + counts;
    choose_batches(cells.count() + n_negatives, std::min(cells.count(), n_negatives), why, why);
  }

  void draw(Generator &generator, uint32_t, Host &host) override {
    int64_t n_pairs = cells.count() + n_negatives;
    Rows order = sample(generator, n_pairs, host);
    Numbers<int64_t> negatives(n_negatives);
    draw_negatives(generator, negatives.data(), host);
    int64_t *numbers = host.make_large("rows", n_pairs);
    deal(order, negatives, make_offsets(n_pairs, 1, host), numbers, host);
  }

  double bytes() const override {
    double users = 16 * static_cast<double>(n_users), items = method == POPULARITY ? 8.0 * double(n_items) : 0;
    return users + items + 40 * static_cast<double>(2 * cells.count() + n_negatives) + 8.0 * double(n_batches);
  }

  void describe(Host &host) const override {
    Observed::describe(host);
    host.number("n_negatives", static_cast<double>(n_negatives));
    host.number("acceptance", acceptance);
  }

 private:
  /* The negatives of `count` positives, halves rounded up: decimal fractions are meant, which no double is. */
  double negatives_for(int64_t count) const {
    double n_pairs = static_cast<double>(count) / ratio;
    return std::floor(n_pairs - static_cast<double>(count) + 0.5 + 1e-15 * n_pairs);
  }

  int64_t count_negatives(int64_t n_counted) const {
    double count = negatives_for(n_counted), n_pairs = static_cast<double>(cells.count()) + count;
    if (n_pairs <= +LARGEST_COUNT) return static_cast<int64_t>(count);
    refuse("ratio", text(n_pairs, " pairs"), text("give at most ", LARGEST_COUNT, " pairs"));
  }

  void share_negatives() {
    int64_t running = 0, before = 0;
    of_users = counts_of_users();
    n_negatives = count_negatives(std::accumulate(of_users.begin(), of_users.end(), int64_t(0)));
    for (int64_t user = 0; user < n_users; user++) {
      if (of_users[user] == 0) continue;
      running += of_users[user];
      int64_t total = std::max(before, static_cast<int64_t>(negatives_for(running)));
      of_users[user] = total - std::exchange(before, total);
      check_unique(user, of_users[user]);
    }
  }

  int64_t n_free() const { return n_users * n_items - (rejects ? distinct.length : 0); }

  void check_table() const {
    std::string n_cells = count_of(n_users * n_items, "cell");
    if (n_free() == 0) {
      refuse("items", n_cells + ", all of which are positives,", "leave a cell that is not a positive");
    }
    if (!unique || n_negatives <= n_free()) return;
    std::string requirement = "be false for more negatives than there are cells to draw from, ";
    refuse("unique", text("true and ", count_of(n_negatives, "negative")), text(requirement, n_free()));
  }

  /* Items are drawn by a power of how often each occurs. Refuse if too few are kept, in all or of a user. */
  void weigh_items(Host &host) {
    double power = given.has("power") ? given.number("power", 0) : 0.75, kept = 0;
    host.need(8 * static_cast<double>(n_items));
    List<double> lost(n_users);
    sums = List<double>(n_items);
    for (int64_t cell : cells) sums[cell % n_items]++;
    double most = *std::max_element(sums.begin(), sums.end());
    for (double &count : sums) count = std::pow(count / most, power);
    double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    host.go_on();
    for (int64_t cell : distinct) lost[user_of(cell)] += rejects ? sums[cell % n_items] / total : 0;
    for (int64_t cell : cells) kept += 1 - lost[user_of(cell)];
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    acceptance = kept / static_cast<double>(cells.count());
    auto worst = std::max_element(lost.begin(), lost.end());
    double least = 1.0 / 100 - 1e-9; /* sums of shares have a smaller rounding error */
    bool is_low = acceptance < least;
    if (!is_low && 1 - *worst >= least) return;
    char shown[32];
    double share = is_low ? acceptance : 1 - *worst;
    std::snprintf(shown, sizeof shown, "%.3g", std::fabs(std::rint(share * 1e6) / 1e6));
    std::string got = text("'popularity', which keeps ", std::string(shown), " for ");
    got += is_low ? "all users," : "user '{stratum}',";
    std::string advice = "Lower 'power', use another method, or set 'reject_positives' to false.";
    refuse("method", got, "keep at least 1/100 of what is drawn", advice, worst - lost.begin());
  }

  void draw_negatives(Generator &generator, int64_t *negatives, Host &host) const {
    Draws draws(generator, unique, host);
    if (method == UNIFORM) {
      draws.draw(n_free(), n_negatives, negatives);
      if (rejects) free.find(negatives, n_negatives, host);
    } else if (method == POPULARITY) {
      draw_popular(generator, negatives, host);
    }
    for (int64_t user = 0; user < of_users.count(); negatives += of_users[user++]) {
      draw_of_user(draws, user, of_users[user], negatives);
    }
  }

  /* The user of a random positive with an item drawn by weight; positives are drawn again. Of several draws, what one
   * needs is prefetched while others are made.
   */
  void draw_popular(Generator &generator, int64_t *negatives, Host &host) const {
    int64_t users[BLOCK_SIZE], items[BLOCK_SIZE];
    for (int64_t done = 0, size; done < n_negatives; host.go_on(size)) {
      size = std::min<int64_t>(BLOCK_SIZE, n_negatives - done);
      generator.draw(cells.count(), size, users);
      for (int64_t i = 0; i < size; i++) prefetch(&cells[users[i]]);
      for (int64_t i = 0; i < size; i++) {
        users[i] = user_of(cells[users[i]]);
        if (rejects) prefetch(&starts[users[i]]);
      }
      draw_items(generator, size, items);
      for (int64_t i = 0; rejects && i < size; i++) {
        prefetch(distinct.values + (starts[users[i]] + starts[users[i] + 1]) / 2);
      }
      for (int64_t i = 0; i < size; i++) {
        int64_t user = users[i], cell = user * n_items + items[i];
        if (rejects && std::binary_search(&distinct[starts[user]], &distinct[starts[user + 1]], cell)) continue;
        negatives[done++] = cell;
      }
    }
  }

  /* Draw items by weight: those in whose shares of the total uniform numbers lie, all of which are sought at once. */
  void draw_items(Generator &generator, int64_t count, int64_t *items) const {
    double sought[BLOCK_SIZE], most = std::nextafter(sums.back(), 0);
    for (int64_t i = 0; i < count; i++) sought[i] = std::fmin(generator.uniform() * sums.back(), most);
    std::fill_n(items, count, 0);
    for (int64_t left = n_items, half; left > 1; left -= half) {
      half = left / 2;
      for (int64_t i = 0; i < count; i++) items[i] += sums[items[i] + half - 1] <= sought[i] ? half : 0;
    }
  }

  /* Write the numbers of the pairs, batch after batch, positives first. */
  void deal(
      const Rows &order, const Numbers<int64_t> &negatives, const int64_t *offsets, int64_t *numbers, Host &host
  ) const {
    struct Place {
      int64_t batch, in_batch;
    } next[2] = {{cells.count() % n_batches, cells.count() / n_batches}, {0, 0}}; /* of negatives, and of positives */
    int64_t n_pairs = order.count(), n_positives = cells.count();
    for (int64_t begin = 0, end; begin < n_pairs; begin = end) {
      end = std::min<int64_t>(begin + BLOCK_SIZE, n_pairs);
      for (int64_t i = begin; i < end; i++) {
        int64_t pair = order[i];
        prefetch(pair < n_positives ? static_cast<const void *>(&cells[pair]) : &negatives[pair - n_positives]);
      }
      for (int64_t i = begin; i < end; i++) {
        int64_t pair = order[i];
        bool label = pair < n_positives;
        Place &place = next[label];
        int64_t cell = label ? cells[pair] : negatives[pair - n_positives];
        numbers[offsets[place.batch] + place.in_batch] = 2 * cell + label;
        if (++place.batch < n_batches) continue;
        place.batch = 0;
        place.in_batch++;
      }
      host.go_on(end - begin);
    }
  }

  int method;
  double ratio, acceptance = 1;
  int64_t n_negatives = 0;
  List<int64_t> of_users; /* the negatives of each user, if they are drawn per user */
  List<double> sums;      /* of the weights of items, by popularity */
  FreeCells free;         /* if they are drawn from the whole table */
};

/* Every positive of users with a free item, each with items that the same user has not met. */
class Triples : public Observed {
 public:
  Triples(const Values &given, uint32_t, Host &host)
      : Observed(given, true, host), per_positive(given.count("negatives_per_positive")) {
    find_starts(host);
    const List<int64_t> counts = counts_of_users();
    for (int64_t user = 0; user < n_users; user++) {
      if (counts[user] > 0) check_unique(user, per_positive);
    }
    if (n_skipped > 0) {
      if (own.empty()) own.assign(cells.begin(), cells.end());
      distinct = {own.data(), static_cast<int64_t>(own.size())};
      auto is_skipped = [&](int64_t cell) { return counts[user_of(cell)] == 0; };
      cells.erase(std::remove_if(cells.begin(), cells.end(), is_skipped), cells.end());
    }
    int64_t n = cells.count(), most = LARGEST_COUNT / n - 1;
    if (per_positive > most) {
      std::string requirement = text("be at most ", most, " with ", count_of(n, "positive"));
      refuse("negatives_per_positive", "", text(requirement, ", for at most ", LARGEST_COUNT, " pairs"));
    }
    choose_batches(n, n, "the number of triples", text("so that every batch has a triple of ", n));
  }

  void draw(Generator &generator, uint32_t, Host &host) override {
    int64_t n = cells.count(), group = per_positive + 1;
    Rows order = sample(generator, n, host);
    Numbers<int64_t> negatives(n * per_positive);
    Draws draws(generator, unique, host);
    for (int64_t i = 0; i < n; i++) {
      draw_of_user(draws, user_of(cells[i]), per_positive, negatives.data() + i * per_positive);
    }
    int64_t *numbers = host.make_large("rows", n * group);
    make_offsets(n, group, host);
    for (int64_t i = 0; i < n; i++) {
      int64_t next = order[std::min(i + 64, n - 1)], positive = order[i];
      prefetch(&cells[next]);
      prefetch(&negatives[next * per_positive]);
      const int64_t *of_positive = negatives.data() + positive * per_positive;
      *numbers++ = 2 * cells[positive] + 1;
      for (int64_t j = 0; j < per_positive; j++) *numbers++ = 2 * of_positive[j];
      host.go_on(group);
    }
  }

  double bytes() const override {
    double n_numbers = static_cast<double>(cells.count()) * static_cast<double>(2 + per_positive);
    return 16.0 * double(n_users) + 40 * n_numbers + 8.0 * double(n_batches);
  }

 private:
  int64_t per_positive;
};

/* Check the arguments that belong to one method. */
void check_pairs(const Values &given) {
  int method = given.choice("method", METHODS);
  double ratio = given.number("ratio", 0);
  if (ratio <= 0 || ratio >= 1) refuse("ratio", "", "be a number above 0 and below 1");
  if (method == POPULARITY && given.flag("unique")) refuse("unique", "", "be false with the method 'popularity'");
  if (method != POPULARITY && given.has("power")) {
    refuse("power", "", "be left out but with the method 'popularity'");
  }
  if (method != PER_USER && given.choice("full_users", FULL_USERS) == 1) {
    refuse("full_users", "", "be left out but with the method 'per_user'");
  }
}

const Table table_of_pairs = Table{whole("batch_size"), flag("unique"), choice("full_users", FULL_USERS)} + SHARING +
                             Table{optional(whole("n_users", LARGEST_COUNT)),
                                   optional(whole("n_items", LARGEST_COUNT))};

}  // namespace

const Kind pairs_kind = {
    "pairs",
    Table{{"ratio", Is::number, 0}, choice("method", METHODS), flag("reject_positives"),
          optional({"power", Is::number, 0})} +
        table_of_pairs,
    make<Pairs>, {"users", "items"}, {}, check_pairs,
};

const Kind triples_kind = {
    "triples", Table{whole("negatives_per_positive", LARGEST_COUNT)} + table_of_pairs,
    make<Triples>, {"users", "items"},
};

}  // namespace pystrat
