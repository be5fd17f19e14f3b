/* The rows of the shards that a process holds, of a stratified sampler over all processes.
 *
 * A cell is the rows of one stratum in one shard. Its row of rank i, from 0, is in batch (begin + i) modulo n_batches,
 * where `begin` is the batch after that of the last row before the cell. The cells are dealt stratum by stratum and
 * within it shard by shard, or, if what is promised is local, shard by shard and within it stratum by stratum. Each
 * shard is shuffled by a seed of its own, so that the batches over all processes do not depend on which process holds
 * which shard. Within a batch, rows are ordered by shard, then by stratum, then by rank.
 *
 * Messages name a shard or a stratum by its number, as in {shard 0}, which the host replaces.
 */

#include "../core/kinds.hpp"
#include "../core/scatter.hpp"
#include "../core/sizes.hpp"

namespace pystrat {
namespace {

const Table of_plan = {
    optional(whole(MINIMUM.c_str())), optional(whole(MEAN.c_str())), choice("scope", {"global", "local"})
};

/* The plan of all shards, and of those of a process if they are given. */
class ShardedPlan : public Answer {
 public:
  ShardedPlan(const Values &given, uint32_t, Host &host)
      : table(given.array<double>("table", "be the rows of each stratum in each shard")),
        n_strata(given.count("n_strata", 1, static_cast<double>(table.length))), n_shards(table.length / n_strata),
        is_local(given.choice("scope", {"global", "local"}) == 1) {
    check_table();
    choose_batches(given);
    if (given.has("shards")) find_cells(given, host);
  }

  void describe(Host &host) const override {
    host.number(MINIMUM.c_str(), static_cast<double>(guaranteed));
    host.number("fewest", static_cast<double>(fewest));
  }

 protected:
  struct Cell {
    int64_t count, begin;
  };

  View<double> table; /* the rows of each cell, shard by shard */
  int64_t n_strata, n_shards, n_rows = 0;
  bool is_local;
  int64_t guaranteed = 0;
  std::vector<int64_t> shards; /* of this process, and their cells */
  List<Cell> cells;
  List<int64_t> sizes;         /* the rows of each of these shards */
  int64_t n_own = 0, fewest = 0; /* rows, and the fewest in a batch */
  List<int64_t> offsets;         /* n_batches + 1, unless there are fewer rows than batches */

  int64_t rows_of(int64_t shard, int64_t stratum) const {
    return static_cast<int64_t>(table[shard * n_strata + stratum]);
  }

 private:
  void check_table() {
    double sum = 0;
    bool is_right = table.length % n_strata == 0;
    for (double count : table) {
      sum += count;
      is_right = is_right && count >= 0 && std::floor(count) == count && sum < LARGEST_EXACT;
    }
    if (!is_right) refuse("counts", "others", "hold whole numbers from 0 that add up to less than 2^53");
    n_rows = static_cast<int64_t>(sum);
  }

  void choose_batches(const Values &given) {
    std::vector<double> totals(static_cast<size_t>(n_strata));
    for (int64_t cell = 0; cell < table.length; cell++) totals[static_cast<size_t>(cell % n_strata)] += table[cell];
    const auto least = std::min_element(totals.begin(), totals.end());
    int64_t most = static_cast<int64_t>(*least), stratum = least - totals.begin();
    if (most == 0) refuse("counts", text("none of {stratum ", stratum, "}"), "have a row of each stratum");
    std::string reason = text("the smallest stratum, {stratum ", stratum, "}, has ", count_of(most, "row"));
    if (is_local) {
      int64_t cell = std::min_element(table.begin(), table.end()) - table.begin(), shard = cell / n_strata;
      most = static_cast<int64_t>(table[cell]);
      stratum = cell % n_strata;
      if (most == 0) {
        std::string of = text("the shard {shard ", shard, "} has none of {stratum ", stratum, "}");
        refuse("scope", "'local'", "be 'global' if a shard has no row of a stratum, as " + of);
      }
      reason = text("the shard {shard ", shard, "} has ", count_of(most, "row"), " of {stratum ", stratum, "}");
    }
    if (given.has(MEAN)) {
      double mean = given.whole(MEAN, 1);
      n_batches = count_by_mean(n_rows, mean);
      if (n_batches > most) refuse_mean(mean, n_batches, n_rows, most, 1, reason, "Raise it.", 0);
    } else {
      double minimum = given.whole(MINIMUM, 1);
      std::string required = text("be at most ", most, ": ", reason);
      if (minimum > static_cast<double>(most)) refuse(MINIMUM, "", required, "Lower it.");
      n_batches = most / static_cast<int64_t>(minimum);
    }
    guaranteed = most / n_batches;
    if (n_batches <= LARGEST_COUNT) return;
    const std::string &name = given.has(MEAN) ? MEAN : MINIMUM;
    std::string got = text(given.whole(name, 1), ", for ", count_of(n_batches, "batch"), ",");
    refuse(name, got, text("make at most ", LARGEST_COUNT, " batches"), "Raise it.");
  }

  /* Find the cells of the shards of this process, and the sizes of its batches. */
  void find_cells(const Values &given, Host &host) {
    std::vector<double> places = given.several("shards", true);
    std::vector<bool> is_own(static_cast<size_t>(n_shards));
    for (double place : places) {
      bool is_new = place < static_cast<double>(n_shards) && !is_own[static_cast<size_t>(place)];
      if (!is_new) refuse("shards", "others", text("be different numbers of shards below ", n_shards));
      is_own[static_cast<size_t>(place)] = true;
      shards.push_back(static_cast<int64_t>(place));
    }
    List<int64_t> begins(table.length);
    int64_t n_outer = is_local ? n_shards : n_strata, n_inner = is_local ? n_strata : n_shards, begin = 0;
    for (int64_t outer = 0; outer < n_outer; outer++) {
      for (int64_t inner = 0; inner < n_inner; inner++) {
        int64_t shard = is_local ? outer : inner, stratum = is_local ? inner : outer;
        begins[shard * n_strata + stratum] = begin;
        begin = (begin + rows_of(shard, stratum)) % n_batches;
      }
    }
    for (int64_t shard : shards) {
      int64_t before = n_own;
      for (int64_t stratum = 0; stratum < n_strata; stratum++) {
        cells.push_back({rows_of(shard, stratum), begins[shard * n_strata + stratum]});
        n_own += cells.back().count;
      }
      sizes.push_back(n_own - before);
    }
    if (n_own >= n_batches) find_offsets(host);
  }

  /* At first, offsets[b] is how many more rows batch b has than batch b - 1. */
  void find_offsets(Host &host) {
    int64_t whole_rows = 0, more = 0, place = 0;
    offsets = List<int64_t>(n_batches + 1);
    for (const Cell &cell : cells) {
      int64_t over = cell.count % n_batches;
      whole_rows += cell.count / n_batches;
      offsets[cell.begin] += 1;
      if (cell.begin + over >= n_batches) offsets[0] += 1;
      offsets[(cell.begin + over) % n_batches] -= 1;
      host.go_on(1);
    }
    fewest = n_own;
    for (int64_t batch = 0; batch <= n_batches; batch++) {
      more += offsets[batch];
      offsets[batch] = place;
      place += whole_rows + more;
      if (batch < n_batches) fewest = std::min(fewest, whole_rows + more);
      host.go_on(1);
    }
  }
};

class Sharded : public ShardedPlan {
 public:
  Sharded(const Values &given, uint32_t seed, Host &host)
      : ShardedPlan(given, seed, host), seed(seed), is_shuffled(given.flag("shuffle")) {
    check_shards(given);
    if (const auto *found = std::get_if<View<uint8_t>>(&given["codes"])) check_codes(codes_of_bytes = *found);
    else check_codes(codes_of_integers = given.array<int32_t>("codes", "be numbers of strata, raw or integer"));
  }

  double bytes() const override { return 32 * static_cast<double>(n_own + n_batches + cells.count()); }

  bool has_unused_seed() const override { return !is_shuffled; }

  void draw(Generator &generator, uint32_t epoch, Host &host) override {
    int64_t last = std::min<int64_t>(LARGEST_EPOCH, LARGEST_COUNT / n_shards - 1);
    if (epoch > last) refuse("epoch", text(int64_t(epoch)), text("be an integer from 0 to ", last));
    if (layout.empty()) lay_out(host);
    int32_t *rows = host.make<int32_t>("rows", n_own);
    host.give("offsets", offsets.data(), offsets.count());
    if (codes_of_bytes.values != nullptr) scatter(codes_of_bytes.values, generator, epoch, rows, host);
    else scatter(codes_of_integers.values, generator, epoch, rows, host);
  }

 private:
  uint32_t seed;
  bool is_shuffled;
  View<uint8_t> codes_of_bytes;
  View<int32_t> codes_of_integers;
  Rows layout, pool; /* of the first epoch */

  /* Refuse the shards of a process if some batch would have no row of it. */
  void check_shards(const Values &given) const {
    if (fewest > 0) return;
    std::string has = text(count_of(n_own, "row"), " in ", count_of(int64_t(shards.size()), "shard"));
    std::string advice = "Give this process more shards";
    if (n_own > 0) advice += text(", or raise '", given.has(MEAN) ? MEAN : MINIMUM, "'");
    refuse(
        "shards", has + ", of which some batch has none,", "have a row for each of " + count_of(n_batches, "batch"),
        advice + "."
    );
  }

  /* Refuse rows that are not those of the table. */
  template <class Code>
  void check_codes(View<Code> codes) const {
    if (codes.length != n_own) {
      refuse("strata", count_of(codes.length, "value"), text("have one value for each row of the shards, ", n_own));
    }
    const Code *code = codes.values;
    for (size_t shard = 0; shard < shards.size(); shard++) {
      List<int64_t> counts(n_strata);
      for (int64_t left = sizes[shard]; left > 0; left--, code++) {
        if (*code >= n_strata || static_cast<int64_t>(*code) < 0) refuse("codes", "others", "be numbers of strata");
        counts[*code]++;
      }
      for (int64_t stratum = 0; stratum < n_strata; stratum++) {
        int64_t wanted = cells[int64_t(shard) * n_strata + stratum].count;
        if (counts[stratum] == wanted) continue;
        std::string where = text(" of {stratum ", stratum, "} in the shard {shard ", shards[shard], "}");
        refuse("strata", text(counts[stratum]), "have the rows of 'counts': " + count_of(wanted, "row") + where);
      }
    }
  }

  /* Find the place in the epoch of every cell and rank. */
  void lay_out(Host &host) {
    Rows places(static_cast<size_t>(n_own));
    List<int64_t> nexts(offsets.begin(), offsets.end() - 1);
    int32_t *place = places.data();
    for (const Cell &cell : cells) {
      int64_t batch = cell.begin;
      for (int64_t left = cell.count; left > 0; left--) {
        *place++ = static_cast<int32_t>(nexts[batch]++);
        batch = batch + 1 < n_batches ? batch + 1 : 0;
      }
      host.go_on(cell.count);
    }
    pool = Rows(*std::max_element(sizes.begin(), sizes.end()));
    layout = std::move(places);
  }

  template <class Code>
  void scatter(const Code *codes, Generator &generator, int64_t epoch, int32_t *rows, Host &host) {
    int64_t first = 0;
    for (size_t shard = 0; shard < shards.size(); shard++) {
      std::vector<int64_t> cursors;
      int64_t end = first;
      for (int64_t stratum = 0; stratum < n_strata; stratum++) {
        cursors.push_back(end);
        end += cells[int64_t(shard) * n_strata + stratum].count;
      }
      Scattering<Code> part{
          codes + first, end - first, cursors.data(), layout.data(), host.first_row + int32_t(first), rows
      };
      if (is_shuffled) {
        generator.begin(epoch_seed(seed, static_cast<uint32_t>(epoch * n_shards + shards[shard])));
        std::iota(pool.begin(), pool.begin() + (end - first), 0);
        part.shuffled(generator, pool.data(), host);
      } else {
        part.in_order(host);
      }
      first = end;
    }
  }
};

}  // namespace

const Kind sharded_plan_kind = {
    "sharded_plan", of_plan, make<ShardedPlan>, {"table", "n_strata", "shards"}, {}, check_sizes,
};

/* The names of shards and strata are in the fingerprint alone, which has nothing of the process. */
const Kind sharded_kind = {
    "sharded", of_plan + Table{flag("shuffle")}, make<Sharded>, {"codes", "table", "n_strata", "shards", "names"}, {},
    check_sizes, {"codes", "shards", MINIMUM, MEAN},
};

}  // namespace pystrat
