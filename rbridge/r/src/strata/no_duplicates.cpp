/* Batches without two rows that share a value of a key.
 *
 * An epoch of n rows has at least the ceiling of n / batch_size batches, whose sizes differ by at most 1, the larger
 * ones first. With one key or two, the number of batches is also at least that of the rows with the most frequent
 * value. Then the rows of each value can be spread over the batches, see spreading.hpp; with one key, those of each
 * stratum as well. Three and more keys, and keys whose values count in all columns, need the number of batches of
 * shared_values.hpp.
 *
 * Messages number the strata, then the values of each key.
 */

#include <optional>

#include "../core/kinds.hpp"
#include "shared_values.hpp"

namespace pystrat {
namespace {

class NoDuplicates : public Sampler {
 public:
  NoDuplicates(const Values &given, uint32_t, Host &host)
      : keys(given.array<int32_t>("keys", "be numbers of values")), n_columns(given.count("n_columns")),
        n_rows(keys.length / n_columns), n_values(given.several("n_values", true)), frequent(n_values.size()),
        largest(n_values.size()) {
    bool are_columns = n_rows > 0 && n_rows * n_columns == keys.length && keys.length <= LARGEST_COUNT;
    for (double number : n_values) are_columns = are_columns && number <= static_cast<double>(keys.length);
    if (!are_columns || (n_values.size() != 1 && n_columns != static_cast<int64_t>(n_values.size()))) {
      refuse("keys", "others", "have numbers of values for each column");
    }
    double replicas = given.whole_or("num_replicas", 1, 1);
    int64_t step = limited(replicas), size = limited(given.whole("batch_size", 1));
    int64_t asked = quotient_up(quotient_up(n_rows, size), step) * step;
    read_strata(given, host);
    if (n_columns == 1 || (n_columns == 2 && n_values.size() == 2)) {
      read_sides(host);
      double most = *std::max_element(largest.begin(), largest.end());
      n_batches = std::max(asked, quotient_up(static_cast<int64_t>(most), step) * step);
    } else {
      read_values(host);
      n_batches = shared->enough_batches(asked, step, host);
    }
    if (n_batches > n_rows) {
      std::string found = text("there are ", n_rows, " for ", n_batches, " batches");
      refuse("num_replicas", text(replicas), "leave each batch a row: " + found);
    }
    if (has_strata) check_minimum(given.whole(MINIMUM, 1));
    if (n_batches > asked) warn(asked, host);
  }

  void draw(Generator &generator, uint32_t, Host &host) override {
    Rows order = sample(generator, n_rows, host);
    Rows batches = shared ? shared->deal(order, n_batches, host) : spreading->deal(order, n_batches, host);
    give_spread(order, batches, in_order(n_batches), n_columns == 1 ? &spreading->outer : nullptr, host);
  }

  double bytes() const override {
    return 200 * static_cast<double>(keys.length) + 300 * static_cast<double>(n_rows);
  }

  /* The most frequent value of each key, the first of equal ones, and its rows. */
  void describe(Host &host) const override {
    host.counts("frequent", frequent);
    host.counts("largest", largest);
  }

 private:
  View<int32_t> keys; /* of n_rows rows for each column: the value, from 0 */
  int64_t n_columns, n_rows;
  std::vector<double> n_values; /* of each column, or one number for all columns */
  List<double> frequent, largest;
  bool has_strata = false;
  Rows strata;              /* of the rows, all 0 without strata */
  List<int32_t> n_of_strata; /* the rows of each */
  std::optional<Spreading> spreading;
  std::optional<SharedValues> shared;

  void read_strata(const Values &given, Host &host) {
    bool has_minimum = given.has(MINIMUM);
    has_strata = given.has("codes");
    if (has_strata && !has_minimum) refuse(MINIMUM, "nothing", "be given together with 'strata'");
    if (has_minimum && !has_strata) refuse("strata", "nothing", "be given together with '" + MINIMUM + "'");
    if (has_strata && n_columns > 1) {
      refuse(MINIMUM, "", "be given for a single key only", text("'keys' has ", n_columns, " columns."));
    }
    if (!has_strata) {
      strata = Rows(n_columns == 1 ? n_rows : 0, 0);
      n_of_strata = List<int32_t>(1, static_cast<int32_t>(n_rows));
      return;
    }
    Codes codes(given, host);
    if (codes.n_rows != n_rows || codes.counts[codes.n_strata] > 0) {
      refuse("strata", count_of(codes.n_rows, "value"), text("have one value for each row of 'keys', ", n_rows));
    }
    strata = codes.copied();
    n_of_strata = List<int32_t>(codes.counts.begin(), codes.counts.end() - 1);
  }

  /* Call use(value) for the values of a column, whose numbers are checked. */
  template <class Use>
  void for_each_value(size_t column, Host &host, Use use) const {
    double limit = n_values[n_values.size() == 1 ? 0 : column];
    host.in_steps(n_rows, [&](int64_t begin, int64_t end) {
      const int32_t *values = keys.values + static_cast<int64_t>(column) * n_rows;
      for (int64_t row = begin; row < end; row++) {
        if (values[row] < 0 || values[row] >= limit) refuse("keys", "others", "be numbers of values from 0");
        use(values[row]);
      }
    });
  }

  void count_frequent(size_t kind, double value, double count) {
    if (count <= largest[kind]) return;
    frequent[kind] = value;
    largest[kind] = count;
  }

  void read_sides(Host &host) {
    List<Side> sides;
    for (size_t column = 0; column < n_values.size(); column++) {
      sides.push_back({keys.values + static_cast<int64_t>(column) * n_rows, List<int32_t>(int64_t(n_values[column]))});
      List<int32_t> &counts = sides.back().counts;
      for_each_value(column, host, [&](int32_t value) { counts[value]++; });
      for (int64_t value = 0; value < counts.count(); value++) count_frequent(column, double(value), counts[value]);
    }
    Side first = n_columns == 1 ? Side{strata.data(), n_of_strata} : std::move(sides[0]);
    spreading.emplace(std::move(first), std::move(sides.back()), n_rows, host);
  }

  void read_values(Host &host) {
    Rows entries;
    int64_t n_before = 0;
    for (size_t column = 0; column < static_cast<size_t>(n_columns); column++) {
      for_each_value(column, host, [&](int32_t value) { entries.push_back(int32_t(n_before) + value); });
      if (n_values.size() > 1) n_before += static_cast<int64_t>(n_values[column]);
    }
    shared.emplace(entries, n_columns, n_values.size() > 1 ? n_before : int64_t(n_values[0]), host);
    n_before = 0;
    for (size_t kind = 0; kind < n_values.size(); kind++) {
      for (double value = 0; value < n_values[kind]; value++, n_before++) {
        count_frequent(kind, value, static_cast<double>(shared->count_of(n_before)));
      }
    }
  }

  /* Refuse a minimum that a stratum cannot have in so many batches. */
  void check_minimum(double minimum) const {
    for (int64_t stratum = 0; stratum < n_of_strata.count(); stratum++) {
      int64_t most = n_of_strata[stratum] / n_batches;
      if (minimum <= static_cast<double>(most)) continue;
      std::string rows = count_of(n_of_strata[stratum], "row"), advice = most == 0 ? "Raise" : "Lower it, or raise";
      advice += " 'batch_size'.";
      if (static_cast<double>(n_batches) <= largest[0]) advice = "The most frequent key needs as many batches.";
      if (most == 0) {
        std::string requirement = text("have at least ", n_batches, " rows of '{stratum}', one for each batch");
        refuse("strata", rows, requirement, advice, stratum);
      }
      std::string reason = ", since '{stratum}' has " + rows;
      refuse(MINIMUM, "", text("be at most ", most, " for ", count_of(n_batches, "batch"), reason), advice, stratum);
    }
  }

  void warn(int64_t asked, Host &host) const {
    size_t kind = static_cast<size_t>(std::max_element(largest.begin(), largest.end()) - largest.begin());
    double before = std::accumulate(n_values.begin(), n_values.begin() + int64_t(kind), frequent[kind]);
    host.stratum = static_cast<int64_t>(before) + (has_strata ? n_of_strata.count() : 0);
    host.warning = text(
        "Rows that share values are dealt to ", n_batches, " batches, which are enough for every order, instead of ",
        "the ", asked, " that the 'batch_size' parameter asks for. A batch has at most ",
        count_of(quotient_up(n_rows, n_batches), "row"), ". The most frequent value, '{stratum}', has ",
        count_of(static_cast<int64_t>(largest[kind]), "row"), "."
    );
  }
};

}  // namespace

const Kind no_duplicates_kind = {
    "no_duplicates",
    Table{whole("batch_size"), flag("across_columns"), optional(whole(MINIMUM.c_str()))} + SHARING,
    make<NoDuplicates>, {"keys", "n_columns", "n_values", "codes", "n_strata"},
};

}  // namespace pystrat
