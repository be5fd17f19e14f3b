/* Batches that keep the rows of a group together, or spread them, with a minimum of rows of every stratum.
 *
 * Together, every group belongs to one stratum, or counts for one of those that its rows have: see mixed.hpp. The
 * strata are dealt one after another, and the groups of a stratum in the order of their first rows in the epoch, except
 * that the first n_batches large groups, with at least the minimum of rows of it, come before all others. Each group
 * goes to the batch with the fewest rows of its stratum. Ties are broken by the number of rows of earlier strata, then
 * by the number of the batch.
 *
 * If some batches lack a stratum, the batches of an epoch are in the order of R's sample.int(B), which continues its
 * draws.
 *
 * The batches that a search finds for groups with rows of several strata are in the recipe as "found", so that only the
 * first instance searches.
 */

#include <optional>

#include "../core/kinds.hpp"
#include "mixed.hpp"
#include "spreading.hpp"

namespace pystrat {
namespace {

const std::vector<std::string> KEEP = {"together", "apart"};

class StratifiedGroup : public Sampler {
 public:
  StratifiedGroup(const Values &given, uint32_t, Host &host)
      : rows(given, host), n_strata(rows.strata.n_strata), together(given.choice("keep", KEEP) == 0),
        wanted(given.whole_or(MINIMUM, 0, 1)), mean(given.whole_or(MEAN, 0, 1)),
        replicas(given.whole_or("num_replicas", 1, 1)), rare(given.choice("rare", RARE)),
        minimum(std::min<int64_t>(limited(wanted), LARGEST_COUNT)),
        counts(rows.strata.rows_of_strata()) {
    if (together && rows.are_mixed) {
      mixed.emplace(rows, host);
      bool is_found = given.has("found");
      if (is_found) read_skeleton(given.array<int32_t>("found", "be batches of groups"));
      else plan_mixed(host);
      set_bounds(is_found);
      if (!is_found) host.give("found", mixed->skeleton.data(), rows.n_groups);
      n_batches = mixed->n_batches;
      is_permuted = std::find(mixed->floors.begin(), mixed->floors.end(), 0) != mixed->floors.end();
      return;
    }
    Counts units = together ? count_groups(sizes_of_groups(rows, nullptr, 1)) : counts;
    if (mean > 0) {
      n_batches = batches_by_mean_for_all(units, mean, replicas, rare, host);
      auto is_sure = [&](int64_t least) { return sure_batches(least) >= n_batches; };
      minimum = largest_that_fits(1, counts.fewest() + 1, is_sure); /* a larger minimum allows no more batches */
    } else {
      check_rare(host);
      n_batches = share_batches(std::max<int64_t>(sure_batches(minimum), 1), replicas);
    }
    is_permuted = units.fewest() < n_batches;
    if (together) return;
    strata = rows.strata.copied();
    Side outer{strata.data(), List<int32_t>(counts.counts.begin(), counts.counts.end())};
    spreading.emplace(std::move(outer), Side{rows.of_row.data(), rows.sizes}, !rows.are_mixed);
  }

  void draw(Generator &generator, uint32_t, Host &host) override {
    Rows order = sample(generator, rows.strata.n_rows, host);
    if (rows.n_rows < order.count()) {
      auto is_dropped = [&](int32_t row) { return rows.of_row[row] == rows.n_groups; };
      order.erase(std::remove_if(order.begin(), order.end(), is_dropped), order.end());
    }
    auto arranged = [&] { return is_permuted ? sample(generator, n_batches, host) : in_order(n_batches); };
    if (!together) {
      Rows batches = spreading->deal(order, n_batches, host);
      return give_spread(order, batches, arranged(), &spreading->outer, host);
    }
    Rows line = line_up(order, host);
    List<int64_t> sizes(n_batches);
    List<int32_t> batch_of(mixed ? 0 : rows.n_groups);
    if (mixed) {
      MixedBatches batches = mixed->draw(line, generator, host);
      for (int64_t batch = 0; batch < n_batches; batch++) sizes[batch] = batches.rows_of(batch);
      batch_of = std::move(batches.batch_of);
    } else {
      deal(line, batch_of, sizes, host);
    }
    List<int64_t> begins = give_offsets(sizes, arranged(), host);
    Rows next(rows.n_groups); /* the places of the next rows of groups */
    for (int32_t group : line) {
      int64_t &begin = begins[batch_of[group]];
      next[group] = static_cast<int32_t>(begin);
      begin += rows.sizes[group];
    }
    int32_t *to = host.make<int32_t>("rows", order.count());
    host.in_steps(order.count(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) to[next[rows.of_row[order[i]]]++] = order[i] + host.first_row;
    });
  }

  double bytes() const override {
    double cells = mixed ? static_cast<double>(mixed->groups.cells(n_batches)) : 0;
    return 400 * static_cast<double>(rows.strata.n_rows) + 64 * static_cast<double>(n_batches) + 32 * cells +
           200 * static_cast<double>(n_strata);
  }

  /* The bounds of the rows of each stratum in a batch of any epoch, and others. */
  void describe(Host &host) const override {
    std::optional<GroupContents> contents;
    if (!together && rows.are_mixed) contents.emplace(rows, host);
    const GroupContents *of_groups = mixed ? &mixed->groups.contents : contents ? &*contents : nullptr;
    List<GroupSizes> sizes = sizes_of_groups(rows, of_groups, minimum);
    List<int64_t> n_groups, largest, fewest, most;
    int64_t bound = LARGEST_COUNT, most_in_all = 0;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      const GroupSizes &of = sizes[stratum];
      int64_t count = rows.strata.counts[stratum];
      n_groups.push_back(of.n_groups);
      largest.push_back(of.largest);
      if (mixed) {
        int64_t floor = mixed->floors[stratum], others = n_batches - 1;
        fewest.push_back(std::max(count - others * mixed->most, floor));
        most.push_back(std::min(count - others * floor, mixed->most));
      } else {
        fewest.push_back(together ? of.fewest_rows(count, n_batches) : count / n_batches);
        most.push_back(together ? (count - of.largest) / n_batches + of.largest : quotient_up(count, n_batches));
      }
      bound = std::min(bound, together ? of.most_batches() : count / minimum);
      most_in_all += most.back();
    }
    if (mixed) most_in_all = mixed->most;
    bound = std::max(bound, n_batches);
    host.give("rows", rows.strata.counts.data(), n_strata);
    host.give("groups", n_groups.data(), n_strata);
    host.give("largest", largest.data(), n_strata);
    host.give("fewest", fewest.data(), n_strata);
    host.give("most", most.data(), n_strata);
    host.number(MINIMUM.c_str(), static_cast<double>(*std::min_element(fewest.begin(), fewest.end())));
    host.number("most_batches", static_cast<double>(bound));
    host.words("held", held(fewest, most_in_all, bound));
  }

 private:
  RowGroups rows;
  int64_t n_strata;
  bool together, is_permuted = false;
  double wanted, mean, replicas; /* the minimum and the mean are 0 if they are not given */
  int rare;
  int64_t minimum; /* the given one, or the largest that the batches keep */
  Counts counts;
  Rows strata; /* of the rows, if groups are apart */
  std::optional<Spreading> spreading;
  std::optional<MixedPlan> mixed;

  /* What batches hold, for plans to show: their sizes, and what is promised. */
  std::string held(const List<int64_t> &fewest_of, int64_t most, int64_t bound) const {
    int64_t fewest = std::accumulate(fewest_of.begin(), fewest_of.end(), int64_t(0)), others = n_batches - 1;
    int64_t least = *std::min_element(fewest_of.begin(), fewest_of.end());
    int64_t smallest = together ? std::max(fewest, rows.n_rows - others * most) : rows.n_rows / n_batches;
    int64_t largest = together ? std::min(most, rows.n_rows - others * fewest) : quotient_up(rows.n_rows, n_batches);
    std::string sizes = range_of(smallest, largest, "row", "rows"), further;
    int64_t of_group = quotient_up(rows.largest(), n_batches);
    if (!together) further = text(", and at most ", count_of(of_group, "row"), " of a group");
    const char *are = bound == 1 ? " is possible" : " are possible";
    if (mixed && least > 0) further = text("; at most ", count_of(bound, "batch"), are);
    std::string promise = text("every batch holds at least ", count_of(least, "row"), " of every stratum", further);
    return text("of ", sizes, ", groups ", KEEP[together ? 0 : 1], "\n", promise);
  }

  /* The numbers of groups of strata, of which every batch needs one. */
  Counts count_groups(const List<GroupSizes> &sizes) const {
    List<int64_t> n_groups;
    for (const GroupSizes &of : sizes) n_groups.push_back(of.n_groups);
    Counts groups(n_groups);
    groups.noun = "group";
    groups.n_rows = rows.n_rows;
    groups.most_batches = rows.n_groups - std::count(rows.sizes.begin(), rows.sizes.end(), 0);
    return groups;
  }

  /* The number of batches that keep a minimum in every epoch. */
  int64_t sure_batches(int64_t least) const {
    if (!together) return counts.fewest() / least;
    return batches_of_all(sizes_of_groups(rows, nullptr, least), &GroupSizes::sure_batches);
  }

  /* Refuse a minimum that a stratum does not have, or warn of it. */
  void check_rare(Host &host) const {
    int64_t n_rare = 0;
    for (int64_t count : counts.counts) n_rare += static_cast<double>(count) < wanted;
    if (n_rare == 0 || rare == RARE_ALLOW) return;
    if (rare == RARE_ERROR) {
      std::string requirement = text("be at most ", counts.fewest(), ": the ", counts.shown());
      refuse(MINIMUM, "", requirement, "Lower " + RARE_ADVICE, counts.smallest);
    }
    warn_of_rare(n_rare, n_strata, wanted, "all rows are in one batch", host);
  }

  /* Refuse more batches than tables of strata may have rows for. */
  void check_cells(int64_t n) const {
    if (mixed->groups.cells(n) <= LARGEST_COUNT) return;
    std::string most = text("make at most ", LARGEST_COUNT / (n_strata + 1), " batches");
    refuse(mean > 0 ? MEAN : MINIMUM, "", most + " of groups with rows of several strata");
  }

  void plan_mixed(Host &host) {
    if (mean > 0) plan_mixed_by_mean(host);
    else plan_mixed_by_minimum(host);
    mixed->level(minimum, host);
  }

  void plan_mixed_by_minimum(Host &host) {
    check_rare(host);
    int64_t most = std::max<int64_t>(mixed->most_batches(minimum), 1); /* a stratum may be rare */
    int64_t sure = std::max<int64_t>(mixed->sure_batches(minimum), 1);
    check_cells(most);
    mixed->keep_sure(sure, minimum, host);
    int64_t n = mixed->search(sure, most, [&](int64_t number) { return mixed->find(number, minimum, host); });
    int64_t shared = share_batches(n, replicas);
    if (shared < n) mixed->keep_fewer(shared, minimum, host);
  }

  /* The number of batches follows from the mean size; find the largest minimum for which they are found. */
  void plan_mixed_by_mean(Host &host) {
    Counts groups = count_groups(sizes_of_groups(rows, &mixed->groups.contents, 1));
    bool is_refused = rare == RARE_ERROR;
    if (is_refused && static_cast<double>(groups.fewest()) < replicas) {
      /* The size may make even fewer batches than the smallest stratum has groups. */
      if (count_by_mean(groups.n_rows, mean) < groups.fewest()) {
        batches_by_mean(groups.n_rows, mean, replicas, groups.fewest());
      }
      refuse_mixed_mean(groups, groups.fewest() + 1, host);
    }
    int64_t n = batches_by_mean_for_all(groups, mean, replicas, is_refused ? +RARE_ALLOW : rare, host);
    check_cells(n);
    if (is_refused && n > groups.fewest()) refuse_mixed_mean(groups, n, host);
    auto minimum_of = [&](int64_t (MixedPlan::*bound)(int64_t) const) {
      return largest_that_fits(0, counts.fewest() + 1, [&](int64_t least) { return (*mixed.*bound)(least) >= n; });
    };
    int64_t sure = minimum_of(&MixedPlan::sure_batches);
    int64_t most = std::max<int64_t>(minimum_of(&MixedPlan::most_batches), 1); /* a stratum may have fewer groups */
    if (sure > 0) mixed->keep_sure(n, sure, host);
    minimum = mixed->search(sure, most, [&](int64_t number) { return mixed->find(n, number, host); });
    if (minimum > 0) return;
    if (is_refused) refuse_mixed_mean(groups, n, host);
    minimum = 1;
    mixed->find(n, 1, host, true);
    if (rare != RARE_WARN) return;
    host.warning = "The 'mean_batch_size' parameter makes " + count_of(n, "batch");
    host.warning += ": some batches hold no row of a stratum.";
  }

  [[noreturn]] void refuse_mixed_mean(const Counts &groups, int64_t n, Host &host) {
    int64_t shared = static_cast<int64_t>(replicas), sure = std::max<int64_t>(mixed->sure_batches(1), 1);
    int64_t high = std::min(mixed->most_batches(1), n - 1);
    int64_t most = mixed->search(sure, high, [&](int64_t number) { return mixed->find(number, 1, host); });
    std::string reason = "no more batches of whole groups with rows of every stratum were found";
    if (most == groups.fewest()) reason = "the " + groups.shown();
    if (most < shared) refuse("num_replicas", "", text("be at most ", most, ": ", reason), "", groups.smallest);
    std::string advice = "Raise " + RARE_ADVICE;
    refuse_mean(mean, n, groups.n_rows, most - most % shared, shared, reason, advice, groups.smallest);
  }

  /* Read the batches that another sampler with these rows has found. */
  void read_skeleton(View<int32_t> found) {
    bool is_valid = found.length == rows.n_groups;
    for (int32_t batch : found) is_valid = is_valid && batch >= 0 && batch < rows.n_rows;
    if (!is_valid) refuse("found", "others", text("be batches of ", count_of(rows.n_groups, "group")));
    mixed->skeleton = List<int32_t>(found.begin(), found.end());
    mixed->n_batches = *std::max_element(found.begin(), found.end()) + 1;
    check_cells(mixed->n_batches);
  }

  /* With a mean size, the minimum is the fewest rows of a stratum in a batch of the skeleton. */
  void set_bounds(bool is_read) {
    mixed->set_bounds(wanted > 0 ? minimum : +LARGEST_COUNT);
    int64_t fewest = *std::min_element(mixed->floors.begin(), mixed->floors.end());
    bool is_kept = mixed->least_size > 0 && std::fmod(static_cast<double>(mixed->n_batches), replicas) == 0 &&
                   (rare != RARE_ERROR || static_cast<double>(fewest) >= std::max(wanted, 1.0));
    if (is_read && !is_kept) refuse("found", "others", "have the rows of strata that every batch must have");
    if (wanted > 0) return;
    minimum = std::max<int64_t>(fewest, 1);
    mixed->set_bounds(minimum);
  }

  /* Put the groups of an epoch in the order in which they are dealt. */
  Rows line_up(const Rows &order, Host &host) const {
    const List<int32_t> &stratum_of = mixed ? mixed->groups.ranks : rows.stratum_of;
    const List<int32_t> &counts_of = mixed ? mixed->groups.counts : rows.sizes;
    List<uint8_t> is_found(rows.n_groups), comes_first(rows.n_groups);
    List<int64_t> n_large(n_strata);
    Rows line, found;
    host.in_steps(order.count(), [&](int64_t begin, int64_t end) {
      for (int64_t place = begin; place < end; place++) {
        int32_t group = rows.of_row[order[place]];
        if (is_found[group]) continue;
        is_found[group] = 1;
        found.push_back(group);
        comes_first[group] = counts_of[group] >= minimum && n_large[stratum_of[group]]++ < n_batches;
      }
    });
    auto key = [&](int64_t place) {
      return 2 * int64_t(stratum_of[found[place]]) + 1 - comes_first[found[place]];
    };
    for (int32_t place : sorted_by(found.count(), 2 * n_strata, key, host)) line.push_back(found[place]);
    return line;
  }

  /* Deal groups of one stratum each, in time proportional to their number. */
  void deal(const Rows &line, List<int32_t> &batch_of, List<int64_t> &sizes, Host &host) const {
    BatchQueue queue;
    int32_t stratum = -1;
    for (int32_t group : line) {
      if (std::exchange(stratum, rows.stratum_of[group]) != rows.stratum_of[group]) {
        std::vector<Filled> filled;
        for (int32_t batch = 0; batch < n_batches; batch++) {
          filled.push_back({0, static_cast<int32_t>(sizes[batch]), batch});
        }
        queue = BatchQueue(std::greater<>(), std::move(filled));
      }
      auto [held, before, batch] = queue.top();
      queue.pop();
      batch_of[group] = batch;
      sizes[batch] += rows.sizes[group];
      queue.push({held + rows.sizes[group], before, batch});
      host.go_on(1);
    }
  }
};

}  // namespace

const Kind stratified_group_kind = {
    "stratified_group",
    Table{optional(whole(MINIMUM.c_str())), optional(whole(MEAN.c_str())), choice("keep", KEEP),
          choice("rare", RARE), MISSING} +
        SHARING,
    make<StratifiedGroup>, {"codes", "n_strata", "groups", "n_groups", "found"}, {}, check_sizes, {"found"},
};

}  // namespace pystrat
