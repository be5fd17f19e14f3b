/* Small questions of hosts, answered by describe(). */

#include <cstring>
#include <sstream>

#include "kinds.hpp"
#include "scatter.hpp"
#include "sizes.hpp"

namespace pystrat {
namespace {

/* The largest "minimum" for which batches have at most "mean_batch_size" rows on average. */
void find_minimum(const Values &given, Host &host) {
  View<double> counts = given.array<double>("counts", "be the rows of each stratum");
  const Counts rows(List<int64_t>(counts.begin(), counts.end()));
  int64_t n_batches = batches_by_size(MEAN, rows, given.whole(MEAN, 1), given.whole_or("num_replicas", 1, 1));
  host.number("minimum", static_cast<double>(rows.fewest() / n_batches));
}

Generator generator_of(const Values &given) { return Generator(static_cast<uint32_t>(given.whole("seed", 0))); }

/* The order of rows that R's sample() draws. */
void permute(const Values &given, Host &host) {
  Generator generator = generator_of(given);
  int64_t n_rows = given.count("n_rows", 0);
  int32_t *rows = host.make<int32_t>("rows", n_rows);
  for (int32_t row : sample(generator, n_rows, host)) *rows++ = row + host.first_row;
}

/* The state of a new generator, as states and R have it. */
void begin_stream(const Values &given, Host &host) {
  generator_of(given).save(host.make<double>("words", Generator::N_NUMBERS));
}

/* The digest of "bytes", as fingerprints have it. */
void digest(const Values &given, Host &host) { host.words("digest", identified(given["bytes"], host)); }

/* What messages call the parts of recipes whose names are not those of parameters. */
const std::pair<const char *, std::vector<std::string>> NAMES_OF_PARTS[] = {
    {"other strata", {"codes", "n_strata"}},
    {"other labels", {"sets"}},
    {"other keys", {"keys", "n_columns", "n_values"}},
    {"other groups", {"groups", "n_groups"}},
    {"other pairs", {"users", "items"}},
    {"other counts", {"counts", "table"}},
    {"other files", {"lines", "n_positive_files"}},
    {"other numbers of rows", {"n_rows", "batches", "blocks", "taken"}},
    {"another tree",
     {"nodes", "names", "n_values", "column_codes", "taken", "numbers", "auxiliary", "functions"}},
    {"another 'assign'", {"even"}},
    {"another 'balance'", {"balanced"}},
    {"another 'keep'", {"together"}},
    {"another 'min_samples_per_label'", {"minimum"}},
    {"another 'order'", {"in_rounds"}},
    {"another 'rows'", {"n_candidates"}},
    {"another 'rules'", {"rule_weights", "file_rules"}},
    {"another 'weights'", {"begins", "weights_strata", "file_weights"}},
    {"another number of batches, such as that of another 'num_replicas',", {"n_batches"}},
};

/* The entries of a fingerprint: names and values. */
std::vector<std::pair<std::string, std::string>> entries_of(const std::string &fingerprint) {
  std::vector<std::pair<std::string, std::string>> entries;
  std::istringstream words(fingerprint);
  for (std::string word; words >> word;) {
    size_t end = std::min(word.find('='), word.size());
    entries.emplace_back(word.substr(0, end), word.substr(std::min(end + 1, word.size())));
  }
  return entries;
}

/* What differs between two fingerprints first: "another seed, 3," or "other strata". The number of batches is last,
 * because it follows from the others.
 */
std::string difference_of(const std::string &own, const std::string &other) {
  auto one = entries_of(own), another = entries_of(other);
  std::string first;
  auto compare = [&](const auto &entries, const auto &in) {
    for (const auto &entry : entries) {
      if (std::find(in.begin(), in.end(), entry) != in.end() || entry.first == "n_batches") continue;
      if (first.empty()) first = entry.first;
    }
  };
  compare(one, another);
  compare(another, one);
  for (const auto &[name, value] : another) {
    bool is_other = std::find(one.begin(), one.end(), std::make_pair(name, value)) == one.end();
    if (is_other && (name == "kind" || name == "seed")) return text("another ", name, ", ", value, ",");
  }
  if (first.empty()) first = "n_batches";
  if (first.rfind("sampler_", 0) == 0) return "another 'sampler'";
  for (const auto &[shown, names] : NAMES_OF_PARTS) {
    if (std::find(names.begin(), names.end(), first) != names.end()) return shown;
  }
  return "another '" + first + "'";
}

/* The "difference" of a fingerprint from one's own, as messages have it. */
void compare(const Values &given, Host &host) {
  host.words("difference", difference_of(std::get<std::string>(given["own"]), std::get<std::string>(given["other"])));
}

/* Refuse a state that has another "fingerprint" than one's own. */
void check_state(const Values &given, Host &) {
  const std::string &own = std::get<std::string>(given["own"]);
  const std::string *other = std::get_if<std::string>(&given["fingerprint"]);
  if (other != nullptr && *other == own) return;
  std::string differs = other == nullptr ? "" : " with " + difference_of(own, *other);
  refuse(
      "state", "that of a sampler" + differs, "come from a sampler with the same data, parameters and seed",
      "Make the sampler as it was made when the state was saved."
  );
}

/* Numbers for doubles in order of first appearance, from the host's first row. Two are the same if their bits are,
 * which may be those of integers. A table of slots begins small, and grows when it is half full, so that few distinct
 * values cost little, whatever the number of rows.
 */
void number_values(const Values &given, Host &host) {
  constexpr uint64_t GOLDEN = UINT64_C(0x9E3779B97F4A7C15); /* 2^64 divided by the golden ratio */
  View<double> values = given.array<double>("values", "be doubles");
  int64_t *codes = host.make<int64_t>("codes", values.length);
  Numbers<uint64_t> distinct;
  Numbers<int32_t> slots; /* the number of the value that has each slot; -1 if it is free */
  int shift = 56;
  auto enlarge = [&] {
    shift -= 2;
    slots.assign(size_t(1) << (64 - shift), -1);
    distinct.reserve(slots.size() / 2);
    for (size_t i = 0; i < distinct.size(); i++) {
      uint64_t slot = (distinct[i] ^ distinct[i] >> 32) * GOLDEN >> shift;
      while (slots[slot] >= 0) slot = (slot + 1) & (slots.size() - 1);
      slots[slot] = static_cast<int32_t>(i);
    }
  };
  /* Number rows until half of the slots are taken; return the next one. The loop reads variables of its own, which no
   * write to the codes can change.
   */
  auto number = [&](int64_t row, int64_t end) {
    const double *of_rows = values.values;
    const uint64_t *known = distinct.data();
    const int32_t *numbers = slots.data(), first_row = host.first_row;
    const int64_t last = slots.count() - 1;
    const int by = shift;
    int64_t *result = codes;
    for (; row < end; row++) {
      uint64_t bits;
      std::memcpy(&bits, &of_rows[row], sizeof bits);
      int64_t slot = static_cast<int64_t>((bits ^ bits >> 32) * GOLDEN >> by);
      int32_t found = numbers[slot];
      while (found >= 0 && known[found] != bits) found = numbers[slot = (slot + 1) & last];
      if (found < 0) {
        if (2 * distinct.count() > last) break;
        slots[slot] = found = static_cast<int32_t>(distinct.size());
        distinct.push_back(bits);
      }
      result[row] = found + first_row;
    }
    return row;
  };
  host.in_steps(values.length, [&](int64_t row, int64_t end) {
    while (row < end) {
      if (2 * distinct.size() == slots.size()) enlarge();
      row = number(row, end);
    }
  });
  double *found = host.make<double>("values", static_cast<int64_t>(distinct.size()));
  if (!distinct.empty()) std::memcpy(found, distinct.data(), distinct.size() * sizeof *found);
}

}  // namespace

const Kind min_samples_for_batch_size_kind = {
    "min_samples_for_batch_size", Table{whole(MEAN.c_str()), MISSING} + SHARING, make<AnswerOf<find_minimum>>,
    {"counts"},
};
const Kind permutation_kind = {
    "permutation", {{"n_rows", Is::whole, 0, LARGEST_COUNT}, {"seed", Is::whole, 0, LARGEST_SEED}},
    make<AnswerOf<permute>>,
};
const Kind random_stream_kind = {"random_stream", {{"seed", Is::whole, 0, LARGEST_SEED}}, make<AnswerOf<begin_stream>>};
const Kind digest_kind = {"digest", {}, make<AnswerOf<digest>>, {"bytes"}};
const Kind difference_kind = {"difference", {}, make<AnswerOf<compare>>, {"own", "other"}};
const Kind state_kind = {"state", {{"version", Is::whole, 1, 1}}, make<AnswerOf<check_state>>, {"own", "fingerprint"}};
const Kind number_values_kind = {"number_values", {}, make<AnswerOf<number_values>>, {"values"}};

}  // namespace pystrat
