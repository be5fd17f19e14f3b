/* Batches of rows of similar length, so that there is little padding: the drawn rows of an epoch are sorted by length
 * in windows, cut into batches as large as the limits allow, and the batches are shuffled.
 *
 * The order of the batches is R's sample.int(number of batches) after set.seed() of the epoch's seed plus 1. If the
 * replicas shall have similar numbers of tokens in each step, it is sample.int(number of steps), then
 * sample.int(num_replicas) for each step.
 */

#include <queue>

#include "../core/kinds.hpp"
#include "../core/scatter.hpp"
#include "../core/sizes.hpp"

namespace pystrat {
namespace {

/* The state is empty: what is asked for are the "batches" of "rows" in an "epoch". */
class CutRows : public Feedback {
 public:
  CutRows(const Values &given, uint32_t seed, Host &host)
      : batch_size(limit(given, "batch_size")), max_tokens(limit(given, "max_tokens")),
        window(limit(given, "window")), replicas(limited(given.whole_or("num_replicas", 1, 1))),
        shuffle(given.flag("shuffle")), is_balanced(given.flag("balance_replicas")), seed(seed) {
    View<double> numbers = given.array<double>("lengths", REQUIREMENT);
    lengths = Rows(numbers.length);
    for (int64_t row = 0; row < numbers.length; row++) {
      double length = numbers[row];
      bool is_right = length >= 0 && length <= double(LARGEST_COUNT) && std::floor(length) == length;
      if (!is_right) throw Refusal{"lengths", REQUIREMENT, "", "", 0, row + 1};
      lengths[row] = static_cast<int32_t>(length);
      longest = std::max(longest, lengths[row]);
      host.go_on(1);
    }
    if (longest <= max_tokens) return;
    refuse("max_tokens", "", text("be at least ", longest, ", the length of the longest row"));
  }

  void begin(const Values &, Host &) override {}
  void draw_more(const Values &, const Values &, Generator &, Host &) override {}
  void tell(const Values &, const std::string &, const Values &, Host &) override {}

  void ask(const Values &, const std::string &, const Values &asked, Host &host) override {
    View<int32_t> drawn = asked.array<int32_t>("rows", "be row positions");
    uint32_t epoch = static_cast<uint32_t>(asked.whole("epoch", 0, LARGEST_COUNT));
    List<uint64_t> keys = sorted_keys(drawn, host);
    List<int64_t> begins = cut(keys, host);
    Rows batches = in_order(begins.count() - 1), sorted(drawn.length);
    if (shuffle) {
      Generator generator((epoch_seed(seed, epoch) + 1) % (LARGEST_SEED + 1));
      batches = is_balanced ? balanced(generator, keys, begins, host)
                            : sample(generator, begins.count() - 1, host);
    }
    for (int64_t i = 0; i < drawn.length; i++) sorted[i] = drawn[static_cast<int64_t>(keys[i] & UINT32_MAX)];
    int32_t *rows = host.make<int32_t>("rows", drawn.length);
    int64_t *offsets = host.make<int64_t>("offsets", begins.count());
    give_in_order(sorted.data(), begins, batches, rows, offsets, host);
  }

  double bytes() const override { return 40 * double(lengths.count()); }

 private:
  static int64_t limit(const Values &given, const char *name) {
    double number = given.whole_or(name, INFINITY, 1);
    return number <= LARGEST_EXACT ? static_cast<int64_t>(number) : INT64_MAX;
  }

  /* Return the length and the place of each drawn row, in each window sorted by length, equal ones in drawn order. */
  List<uint64_t> sorted_keys(View<int32_t> drawn, Host &host) const {
    List<uint64_t> keys(drawn.length);
    for (int64_t i = 0; i < drawn.length; i++) {
      int64_t row = int64_t(drawn[i]) - host.first_row;
      if (row < 0 || row >= lengths.count()) {
        std::string requirement = text("be those of all rows of the sampler, also of row position ", drawn[i]);
        refuse("lengths", count_of(lengths.count(), "value"), requirement);
      }
      keys[i] = static_cast<uint64_t>(lengths[row]) << 32 | static_cast<uint64_t>(i);
    }
    for (int64_t begin = 0, end = 0; begin < drawn.length; begin = end) {
      end = begin + std::min(window, drawn.length - begin);
      std::sort(keys.begin() + begin, keys.begin() + end);
      host.go_on(end - begin);
    }
    return keys;
  }

  /* Return where batches of the sorted rows begin, and the end. */
  List<int64_t> cut(const List<uint64_t> &keys, Host &host) const {
    List<int64_t> begins;
    for (int64_t place = 0; place < keys.count(); place++) {
      int64_t rows = begins.empty() ? 1 : place - begins.back() + 1;
      bool exceeds = rows > batch_size || rows * length_of(keys[place]) > max_tokens;
      if (place % window == 0 || exceeds) begins.push_back(place);
      host.go_on(1);
    }
    begins.push_back(keys.count());
    int64_t n_batches = quotient_up(begins.count() - 1, replicas) * replicas;
    if (n_batches > keys.count()) {
      std::string are_drawn = text(keys.count(), " are drawn for ", n_batches, " batches");
      refuse("num_replicas", text(replicas), "leave each batch a row: " + are_drawn);
    }
    split(begins, n_batches, host);
    return begins;
  }

  /* Split the batch with the most rows, of several the first, until there are enough. */
  static void split(List<int64_t> &begins, int64_t n_batches, Host &host) {
    if (begins.count() > n_batches) return;
    std::priority_queue<std::pair<int64_t, int64_t>> batches; /* their rows, and minus the places where they begin */
    for (int64_t i = 0; i + 1 < begins.count(); i++) batches.emplace(begins[i + 1] - begins[i], -begins[i]);
    while (begins.count() - 1 < n_batches) {
      auto [rows, place] = batches.top();
      batches.pop();
      batches.emplace(rows / 2, place);
      batches.emplace(rows - rows / 2, place - rows / 2);
      begins.push_back(rows / 2 - place);
      host.go_on(1);
    }
    std::sort(begins.begin(), begins.end());
  }

  /* An empty row counts as one of a token. */
  static int64_t length_of(uint64_t key) { return std::max<int64_t>(1, static_cast<int64_t>(key >> 32)); }

  /* Return an order in which the batches of each step of the replicas have similar numbers of tokens, with padding. */
  Rows balanced(
      Generator &generator, const List<uint64_t> &keys, const List<int64_t> &begins, Host &host
  ) const {
    Rows by_tokens = in_order(begins.count() - 1), batches;
    auto tokens = [&](int32_t batch) {
      return (begins[batch + 1] - begins[batch]) * length_of(keys[begins[batch + 1] - 1]);
    };
    std::stable_sort(by_tokens.begin(), by_tokens.end(), [&](int32_t a, int32_t b) { return tokens(a) < tokens(b); });
    for (int32_t step : sample(generator, by_tokens.count() / replicas, host)) {
      for (int32_t replica : sample(generator, replicas, host)) {
        batches.push_back(by_tokens[step * replicas + replica]);
      }
    }
    return batches;
  }

  static inline const std::string REQUIREMENT =
      text("hold whole numbers from 0 to ", LARGEST_COUNT, ", one for each row");

  int64_t batch_size, max_tokens, window, replicas;
  bool shuffle, is_balanced;
  uint32_t seed;
  Rows lengths; /* of all rows */
  int32_t longest = 0;
};

void check_limits(const Values &given) {
  if (!given.has("batch_size") && !given.has("max_tokens")) {
    refuse("max_tokens", "nothing", "be given if 'batch_size' is not");
  }
  if (!given.flag("balance_replicas")) return;
  if (!given.has("num_replicas")) refuse("balance_replicas", "", "be given together with 'num_replicas'");
  if (!given.flag("shuffle")) refuse("balance_replicas", "", "be false if 'shuffle' is false");
}

}  // namespace

const Kind by_length_kind = {
    "by_length",
    Table{optional(whole("max_tokens", +LARGEST_EXACT)), optional(whole("batch_size")),
          optional(whole("window", LARGEST_COUNT)), flag("balance_replicas"), flag("shuffle")} +
        SHARING,
    make<CutRows>, {"lengths", "rows"}, {}, check_limits,
};

}  // namespace pystrat
