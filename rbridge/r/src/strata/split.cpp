/* Rows that are divided into parts of given sizes, each with its share of every stratum. */

#include <optional>

#include "../core/kinds.hpp"
#include "group_parts.hpp"
#include "rounding.hpp"

namespace pystrat {
namespace {

constexpr double SHARE_UNITS = 1e9; /* shares are read with 9 decimals, so that products are below 2^63 */

const std::string SIZES = "be shares that add up to 1, or numbers of rows";

bool is_share(double size) { return size > 0 && size < 1; }

/* All shares, or all numbers of rows. */
std::vector<double> read_sizes(const Values &given) {
  const Named *named = std::get_if<Named>(&given["sizes"]);
  if (named == nullptr || named->numbers.empty()) throw Refusal{"sizes", SIZES, "", "", 0, 0, named == nullptr};
  std::vector<double> sizes;
  double sum = 0;
  for (double number : named->numbers) {
    sizes.push_back(nearly_whole(number));
    double size = sizes.back();
    bool is_whole = std::isfinite(size) && std::floor(size) == size && size >= 1;
    if ((!is_share(size) && !is_whole) || is_share(size) != is_share(sizes[0])) {
      int64_t place = static_cast<int64_t>(sizes.size());
      throw Refusal{"sizes", SIZES, "", "", 0, place, !named->are_numbers[sizes.size() - 1]};
    }
    sum += size;
  }
  if (is_share(sizes[0]) && std::fabs(sum - 1) > 1e-9) refuse("sizes", text("a sum of ", sum), SIZES);
  return sizes;
}

/* Give each part its share of the rows, rounded down, and one more to those with the largest remainders, the first ones
 * of equal remainders.
 */
List<int64_t> shares_of_rows(const std::vector<double> &sizes, int64_t n_rows) {
  List<int64_t> units, rows, remainders, parts;
  for (double size : sizes) units.push_back(static_cast<int64_t>(std::round(size * SHARE_UNITS)));
  int64_t total = std::accumulate(units.begin(), units.end(), int64_t(0));
  for (int64_t unit : units) {
    parts.push_back(parts.count());
    rows.push_back(n_rows * unit / total);
    remainders.push_back(n_rows * unit % total);
  }
  int64_t n_left = n_rows - std::accumulate(rows.begin(), rows.end(), int64_t(0));
  std::stable_sort(parts.begin(), parts.end(), [&](int64_t a, int64_t b) { return remainders[a] > remainders[b]; });
  for (int64_t i = 0; i < n_left; i++) rows[parts[i]]++;
  auto empty = std::find(rows.begin(), rows.end(), 0);
  if (empty == rows.end()) return rows;
  std::string required = text("give every part at least one of ", n_rows, " rows");
  throw Refusal{"sizes", required, "", "", 0, empty - rows.begin() + 1};
}

/* Take the numbers of rows as they are; the rows that are left out become a part. */
List<int64_t> numbers_of_rows(const std::vector<double> &sizes, int64_t n_rows) {
  double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  if (sum > static_cast<double>(n_rows)) {
    refuse("sizes", text(sum), text("add up to at most ", n_rows, ", the number of rows"));
  }
  List<int64_t> rows(sizes.begin(), sizes.end());
  if (sum < static_cast<double>(n_rows)) rows.push_back(n_rows - static_cast<int64_t>(sum));
  return rows;
}

/* Warn of strata that are not in every part, as are those with fewer rows than there are parts. */
void warn_of_absent(const Codes &codes, const List<int32_t> &part_of, int64_t n_parts, Host &host) {
  constexpr int64_t MOST_NAMED = 10;
  int64_t n_absent = 0;
  std::string named;
  List<uint8_t> held((codes.n_strata + 1) * (n_parts + 1));
  for (int64_t row = 0; row < codes.n_rows; row++) held[codes[row] * (n_parts + 1) + part_of[row]] = 1;
  for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
    auto own = held.begin() + stratum * (n_parts + 1);
    if (std::find(own, own + n_parts, 0) == own + n_parts || n_absent++ > MOST_NAMED) continue;
    named += n_absent == 1 ? "" : ", ";
    named += n_absent > MOST_NAMED ? "..." : text("{stratum ", stratum, "}");
  }
  if (n_absent == 0) return;
  host.warning = text("Strata that are not in every part, ", n_absent, " of ", codes.n_strata, ": ", named, ".");
}

/* Give "rows", those of each part in ascending order, and "offsets", where the parts begin. */
void split(const Values &given, Host &host) {
  std::vector<double> sizes = read_sizes(given);
  Codes codes(given, host);
  int64_t n_rows = codes.n_rows - codes.rows_of(codes.n_strata), n_given = static_cast<int64_t>(sizes.size());
  std::optional<RowGroups> groups;
  if (given.has("groups")) groups.emplace(given, host);
  List<int32_t> part_of(codes.n_rows); /* of each row; that behind the given ones if it is in none */
  List<int64_t> rows_of = is_share(sizes[0]) ? shares_of_rows(sizes, n_rows) : numbers_of_rows(sizes, n_rows);
  Generator generator(static_cast<uint32_t>(given.whole("seed", 0, LARGEST_SEED)));
  Rows order = sample(generator, codes.n_rows, host);
  std::fill(part_of.begin(), part_of.end(), static_cast<int32_t>(n_given));
  if (groups) {
    GroupParts parts(*groups, rows_of, n_given, order, host);
    for (int64_t row = 0; row < codes.n_rows; row++) {
      if (codes[row] < codes.n_strata) part_of[row] = parts.part_of[groups->of_row[row]];
    }
  } else {
    RoundedTable table(codes.rows_of_strata(), rows_of, n_rows, host);
    List<int64_t> cells; /* of the part that gets the next row of each stratum */
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) cells.push_back(stratum * rows_of.count());
    for (int32_t row : order) {
      int64_t stratum = codes[row];
      if (stratum == codes.n_strata) continue;
      while (table.counts[cells[stratum]] == 0) cells[stratum]++;
      table.counts[cells[stratum]]--;
      part_of[row] = static_cast<int32_t>(cells[stratum] - stratum * rows_of.count());
    }
  }
  warn_of_absent(codes, part_of, n_given, host);
  int64_t *offsets = host.make<int64_t>("offsets", n_given + 1);
  std::fill_n(offsets, n_given + 1, 0);
  for (int32_t part : part_of) {
    if (part < n_given) offsets[part + 1]++;
  }
  std::partial_sum(offsets, offsets + n_given + 1, offsets);
  int64_t *rows = host.make<int64_t>("rows", offsets[n_given]);
  List<int64_t> nexts(offsets, offsets + n_given);
  for (int64_t row = 0; row < codes.n_rows; row++) {
    if (part_of[row] < n_given) rows[nexts[part_of[row]]++] = row + host.first_row;
  }
}

}  // namespace

const Kind stratified_split_kind = {
    "stratified_split", Table{{"sizes", Is::anything}, MISSING}, make<AnswerOf<split>>,
    {"codes", "n_strata", "groups", "n_groups"}, {}, [](const Values &given) { read_sizes(given); },
};

}  // namespace pystrat
