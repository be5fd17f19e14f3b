/* Batches of groups with rows of several strata, each group as a whole, with the wanted rows of every stratum in each.
 *
 * A group counts for the rarest of its strata. The groups of the rarest stratum are dealt first; each goes to the batch
 * with the fewest rows of that stratum, ties broken as for other groups: see stratified_group.cpp. Then batches are
 * repaired: while some lack rows, a group of a stratum moves to a batch that lacks it, by itself or in exchange for
 * another group, if all batches together do not lack more afterwards. The same steps, of any groups to any batches,
 * make other batches of those that lack nothing. A batch may also have too many rows, which counts as a lack.
 *
 * A plan finds the most batches, or the largest minimum, for which batches are found, and these batches, the skeleton,
 * which can be changed into those of an epoch. The seed of a user plays no part: equal rows have equal plans.
 */

#pragma once

#include <array>
#include <functional>
#include <queue>

#include "grouped.hpp"

namespace pystrat {

/* Batches, with their rows of a stratum and in all. On top is the one that gets the next group: with the fewest rows of
 * the stratum, then in all, then the first one.
 */
using Filled = std::array<int32_t, 3>;
using BatchQueue = std::priority_queue<Filled, std::vector<Filled>, std::greater<>>;

/* Groups, and the stratum for which each counts. */
struct MixedGroups {
  const RowGroups &rows;
  GroupContents contents;
  Rows order;                  /* the strata, the one with the fewest rows first */
  List<int32_t> ranks, counts; /* of each group: the place of its stratum in this order, and its rows of it, or 0 */

  MixedGroups(const RowGroups &rows, Host &host)
      : rows(rows), contents(rows, host), order(in_order(rows.strata.n_strata)), ranks(rows.n_groups),
        counts(rows.n_groups) {
    auto is_rarer = [&](int32_t one, int32_t other) { return rows.strata.counts[one] < rows.strata.counts[other]; };
    std::stable_sort(order.begin(), order.end(), is_rarer);
    List<int32_t> rank_of(order.count());
    for (int32_t rank = 0; rank < order.count(); rank++) rank_of[order[rank]] = rank;
    for (int64_t group = 0; group < rows.n_groups; group++) {
      for (int64_t entry = contents.begins[group]; entry + 1 < contents.begins[group + 1]; entry++) {
        int32_t rank = rank_of[contents.strata[entry]];
        if (counts[group] > 0 && rank > ranks[group]) continue;
        ranks[group] = rank;
        counts[group] = contents.counts[entry];
      }
    }
  }

  int64_t n_strata() const { return rows.strata.n_strata; }

  /* The numbers of a table of strata and of all rows, for each batch. */
  int64_t cells(int64_t n_batches) const { return (n_strata() + 1) * n_batches; }

  /* The rows that batches need not exceed: the mean without the largest group, and this group. */
  int64_t most_rows(int64_t n_batches) const {
    return (rows.n_rows - rows.largest()) / n_batches + rows.largest();
  }
};

/* Groups in batches. */
class MixedBatches {
 public:
  int64_t n_batches, lack = 0; /* the rows that all batches lack, or have too many */
  List<int32_t> batch_of;      /* of each group; -1 */
  List<int32_t> held;          /* for each batch, n_strata + 1: its rows of each stratum, and all of them */

  /* Begin with batches without groups. Each must have `floors` rows of the strata, and at most `most` in all. */
  MixedBatches(const MixedGroups &groups, int64_t n_batches, const List<int32_t> &floors, int64_t most)
      : n_batches(n_batches), batch_of(groups.rows.n_groups, -1), held(groups.cells(n_batches)), groups(groups),
        width(groups.n_strata() + 1), most(most), floors(floors), next(batch_of.count()), previous(batch_of.count()),
        first(n_batches, -1), places(held.count()) {
    for (int64_t cell = 0; cell < held.count(); cell++) {
      if (cell % width + 1 < width) count_lack(cell, 0, floors[cell % width]);
    }
  }

  int64_t rows_of(int64_t batch) const { return held[batch * width + width - 1]; }

  /* Put the groups into the batches that a skeleton has for them, or into others in their place. */
  void put_all(const List<int32_t> &skeleton, const Rows &order) {
    for (int32_t group = 0; group < batch_of.count(); group++) {
      if (groups.counts[group] > 0) put(group, order[skeleton[group]]);
    }
  }

  /* Deal the groups of a line, in the order of the strata for which they count.
   *
   * If `of_all`, groups that were dealt for other strata count for how many rows of a stratum a batch has.
   */
  void deal(const Rows &line, bool of_all, Host &host) {
    BatchQueue queue;
    int32_t rank = -1;
    for (int32_t group : line) {
      if (std::exchange(rank, groups.ranks[group]) != groups.ranks[group]) {
        std::vector<Filled> filled;
        for (int32_t batch = 0; batch < n_batches; batch++) {
          const int32_t *own = &held[batch * width];
          filled.push_back({of_all ? own[groups.order[rank]] : 0, own[width - 1], batch});
        }
        queue = BatchQueue(std::greater<>(), std::move(filled));
        host.go_on(n_batches);
      }
      auto [rows, in_all, batch] = queue.top();
      queue.pop();
      put(group, batch);
      queue.push({rows + groups.counts[group], in_all + groups.rows.sizes[group], batch});
      host.go_on(1);
    }
  }

  /* Repair batches, until they lack nothing or the tries come to their end; or, if it `may_stop`, until that is
   * hopeless: steps that help become rarer, so that the later half of the tries until now says how many will come at
   * most. Each mends about one place that lacks rows. If they came as often as the places need, so few would hardly
   * ever have come by accident. Few places say nothing: luck may mend them with the last tries.
   */
  void repair(bool may_stop, Generator &generator, Host &host) {
    int64_t n_tries = tries(), n_helpful = 0;
    List<int64_t> helpful(1); /* at the beginning, and after each part of the tries */
    for (int64_t i = 0; i < n_tries && lack > 0; i++) {
      int64_t part = helpful.count();
      if (may_stop && i == quotient_up(part * n_tries, REPAIR_PARTS)) {
        helpful.push_back(n_helpful);
        int64_t n_seen = n_helpful - helpful[part / 2], n_parts = part - part / 2;
        int64_t expected = (REPAIR_PARTS - part) * (2 * n_seen + FEWEST_HELPFUL);
        if ((lacking.count() - FEWEST_HELPFUL) * n_parts > expected) return;
      }
      int64_t before = lack;
      try_to_repair(generator);
      n_helpful += lack < before;
      host.go_on(1);
    }
  }

  /* Change batches that lack nothing into others. */
  void change(Generator &generator, Host &host) {
    int64_t n_tries = tries(), steps_left = STEPS_PER_GROUP * groups.contents.n_groups();
    for (int64_t i = 0; i < n_tries && steps_left > 0; i++) {
      int32_t group = some_group(width - 1, generator);
      int64_t batch = some(n_batches, generator);
      if (batch_of[group] != batch) steps_left -= try_step(group, i % 2 == 0 ? -1 : next_of(batch), batch);
      host.go_on(1);
    }
  }

 private:
  static constexpr int64_t TRIES_PER_GROUP = 100; /* to repair batches, or to change them, */
  static constexpr int64_t MOST_TRIES = 1 << 21;  /* but no more in all */
  static constexpr int64_t STEPS_PER_GROUP = 20;  /* that change batches; fewer if the tries come to their end */
  static constexpr int64_t REPAIR_PARTS = 64;     /* of the tries of a repair, after each of which it may stop */
  static constexpr int64_t FEWEST_HELPFUL = 8;    /* steps missing, and places not mended, before a repair stops */

  const MixedGroups &groups;
  int64_t width, most;
  const List<int32_t> floors;
  List<int32_t> next, previous; /* of each group, in the ring of the groups of its batch */
  List<int32_t> first;          /* where these rings begin; -1 for a batch without groups */
  Rows lacking;                 /* which of `held` lack rows */
  List<int32_t> places;         /* where each of them is among these */

  int64_t tries() const { return std::min(TRIES_PER_GROUP * groups.contents.n_groups(), MOST_TRIES); }

  static int64_t some(int64_t limit, Generator &generator) { return generator.below(limit, bits_below(limit)); }

  /* One of the groups of a stratum, or of all groups if it is the number of strata. */
  int32_t some_group(int64_t stratum, Generator &generator) const {
    const GroupContents &contents = groups.contents;
    return contents.groups[contents.starts[stratum] + some(contents.groups_of(stratum), generator)];
  }

  /* What a batch lacks of a stratum, or how many rows it has too many in all, if it has so many. */
  int64_t lack_at(int64_t stratum, int64_t rows) const {
    return std::max<int64_t>(stratum + 1 == width ? rows - most : floors[stratum] - rows, 0);
  }

  void count_lack(int64_t cell, int64_t before, int64_t after) {
    lack += after - before;
    if ((before == 0) == (after == 0)) return;
    if (after > 0) {
      places[cell] = static_cast<int32_t>(lacking.count());
      lacking.push_back(static_cast<int32_t>(cell));
    } else {
      places[lacking.back()] = places[cell];
      lacking[places[cell]] = lacking.back();
      lacking.pop_back();
    }
  }

  /* Add the rows of a group to a batch, with `sign` 1, or take them away, with -1. */
  void count_rows(int32_t group, int64_t batch, int32_t sign) {
    const GroupContents &contents = groups.contents;
    for (int64_t entry = contents.begins[group]; entry < contents.begins[group + 1]; entry++) {
      int64_t stratum = contents.strata[entry], cell = batch * width + stratum, before = lack_at(stratum, held[cell]);
      held[cell] += sign * contents.counts[entry];
      count_lack(cell, before, lack_at(stratum, held[cell]));
    }
  }

  void put(int32_t group, int64_t batch) {
    count_rows(group, batch, 1);
    if (first[batch] < 0) first[batch] = previous[group] = group;
    int32_t behind = first[batch];
    next[group] = behind;
    previous[group] = previous[behind];
    next[previous[behind]] = group;
    previous[behind] = group;
    batch_of[group] = static_cast<int32_t>(batch);
  }

  void take(int32_t group) {
    int32_t batch = batch_of[group], behind = next[group];
    count_rows(group, batch, -1);
    next[previous[group]] = behind;
    previous[behind] = previous[group];
    if (first[batch] == group) first[batch] = behind == group ? -1 : behind;
    batch_of[group] = -1;
  }

  /* The next group of a batch, one after another; -1 if there is none. */
  int32_t next_of(int64_t batch) {
    int32_t group = first[batch];
    if (group >= 0) first[batch] = next[group];
    return group;
  }

  /* How much more is lacking if a batch has so many rows of a stratum more. */
  int64_t more_at(int64_t batch, int64_t stratum, int64_t more) const {
    int64_t rows = held[batch * width + stratum];
    return lack_at(stratum, rows + more) - lack_at(stratum, rows);
  }

  /* How much more is lacking if a group moves to a batch, in exchange for another group unless that is -1. */
  int64_t more_by_step(int32_t group, int32_t other, int64_t batch) const {
    const GroupContents &contents = groups.contents;
    int64_t from = batch_of[group], more = 0, entry = contents.begins[group], end = contents.begins[group + 1];
    int64_t entry_of_other = other < 0 ? 0 : contents.begins[other];
    int64_t end_of_other = other < 0 ? 0 : contents.begins[other + 1];
    while (entry < end || entry_of_other < end_of_other) {
      int64_t stratum = entry < end ? contents.strata[entry] : width, change = 0;
      if (entry_of_other < end_of_other) stratum = std::min<int64_t>(stratum, contents.strata[entry_of_other]);
      if (entry < end && contents.strata[entry] == stratum) change += contents.counts[entry++];
      if (entry_of_other < end_of_other && contents.strata[entry_of_other] == stratum) {
        change -= contents.counts[entry_of_other++];
      }
      more += more_at(from, stratum, -change) + more_at(batch, stratum, change);
    }
    return more;
  }

  /* Move a group to another batch, in exchange for a group of it unless that is -1; return whether that was done: not
   * if batches lacked more, or if one had no group.
   */
  bool try_step(int32_t group, int32_t other, int64_t batch) {
    int32_t from = batch_of[group];
    if ((other < 0 && next[group] == group) || more_by_step(group, other, batch) > 0) return false;
    take(group);
    if (other >= 0) {
      take(other);
      put(other, from);
    }
    put(group, batch);
    return true;
  }

  void try_to_repair(Generator &generator) {
    int64_t cell = lacking[some(lacking.count(), generator)], batch = cell / width, stratum = cell % width;
    int32_t group;
    if (stratum + 1 == width) { /* too many rows */
      group = next_of(batch);
      batch = some(n_batches, generator);
    } else {
      group = some_group(stratum, generator);
    }
    if (batch_of[group] == batch || try_step(group, -1, batch)) return;
    int32_t other = next_of(batch);
    if (other >= 0) try_step(group, other, batch);
  }
};

class MixedPlan {
 public:
  MixedGroups groups;
  List<int32_t> skeleton; /* the batch of each group, 0 for one without rows */
  int64_t n_batches = 0;
  List<int32_t> floors;     /* the rows of each stratum in every batch: the minimum, or as many as the skeleton has */
  int64_t most, least_size; /* rows of a batch: as above, or as many as the skeleton has; in its smallest batch */

  MixedPlan(const RowGroups &rows, Host &host) : groups(rows, host) {
    const Rows &all = groups.contents.groups;
    const int32_t *found = all.data() + groups.contents.starts[groups.n_strata()];
    line = Rows(found, found + groups.contents.n_groups());
    std::stable_sort(line.begin(), line.end(), [&](int32_t one, int32_t other) {
      int32_t rank = groups.ranks[one], rank_of_other = groups.ranks[other];
      return rank != rank_of_other ? rank < rank_of_other : groups.counts[one] > groups.counts[other];
    });
  }

  /* The number of batches that no division exceeds. */
  int64_t most_batches(int64_t minimum) const {
    return batches_of_all(sizes_of_groups(groups.rows, &groups.contents, minimum), &GroupSizes::most_batches);
  }

  /* The number of batches that are sure to keep the minimum if each group counts for one stratum only. */
  int64_t sure_batches(int64_t minimum) const {
    List<GroupSizes> sizes(groups.n_strata(), GroupSizes{minimum});
    for (int32_t group : line) sizes[groups.ranks[group]].add(groups.counts[group]);
    return batches_of_all(sizes, &GroupSizes::sure_batches);
  }

  /* Keep batches that are sure to have the minimum. */
  void keep_sure(int64_t n, int64_t minimum, Host &host) {
    MixedBatches batches = begun(n, minimum);
    batches.deal(line, false, host);
    keep(batches);
  }

  /* Try to find batches with a minimum of rows, and keep them if they are found, or in any case; return whether they
   * are.
   */
  bool find(int64_t n, int64_t minimum, Host &host, bool in_any_case = false) {
    MixedBatches batches = begun(n, minimum);
    Generator generator(0);
    batches.deal(line, true, host);
    batches.repair(true, generator, host);
    if (batches.lack == 0 || in_any_case) keep(batches);
    return batches.lack == 0;
  }

  /* The largest number above `low` and up to `high` that try_number() finds, or `low`. A few numbers are tried one
   * after another; a wider range is halved each time.
   */
  template <class Try>
  static int64_t search(int64_t low, int64_t high, Try try_number) {
    bool in_turn = high - low <= 16;
    while (high > low) {
      int64_t number = in_turn ? high : low + (high - low + 1) / 2;
      if (try_number(number)) low = number;
      else high = number - 1;
    }
    return low;
  }

  /* Keep fewer batches: found as others are or, if they are not, several of the skeleton as one. */
  void keep_fewer(int64_t n, int64_t minimum, Host &host) {
    if (find(n, minimum, host)) return;
    for (int32_t &batch : skeleton) batch %= static_cast<int32_t>(n);
    n_batches = n;
  }

  /* Find batches of more equal sizes than those of the skeleton. */
  void level(int64_t minimum, Host &host) {
    set_bounds(minimum);
    MixedBatches batches(groups, n_batches, floors, groups.most_rows(n_batches));
    Generator generator(0);
    batches.put_all(skeleton, in_order(n_batches));
    batches.repair(true, generator, host);
    if (batches.lack == 0) keep(batches);
  }

  /* Set the bounds of all batches by the skeleton. */
  void set_bounds(int64_t minimum) {
    MixedBatches batches(groups, n_batches, List<int32_t>(groups.n_strata()), LARGEST_COUNT);
    batches.put_all(skeleton, in_order(n_batches));
    floors = List<int32_t>(groups.n_strata(), static_cast<int32_t>(minimum));
    most = groups.most_rows(n_batches);
    least_size = groups.rows.n_rows;
    for (int64_t batch = 0; batch < n_batches; batch++) {
      const int32_t *held = &batches.held[batch * (groups.n_strata() + 1)];
      for (int64_t stratum = 0; stratum < groups.n_strata(); stratum++) {
        floors[stratum] = std::min(floors[stratum], held[stratum]);
      }
      least_size = std::min(least_size, batches.rows_of(batch));
      most = std::max(most, batches.rows_of(batch));
    }
  }

  /* Deal the groups of a line and repair the batches; if that fails, change those of the skeleton. */
  MixedBatches draw(const Rows &epoch_line, Generator &generator, Host &host) const {
    MixedBatches batches(groups, n_batches, floors, most);
    batches.deal(epoch_line, true, host);
    batches.repair(false, generator, host);
    if (batches.lack == 0) return batches;
    MixedBatches others(groups, n_batches, floors, most);
    others.put_all(skeleton, sample(generator, n_batches, host));
    others.change(generator, host);
    return others;
  }

 private:
  Rows line; /* the groups in the order of dealing: those of the rarest stratum first, with most rows of it first */

  void keep(const MixedBatches &batches) {
    n_batches = batches.n_batches;
    skeleton = batches.batch_of;
    std::replace(skeleton.begin(), skeleton.end(), -1, 0);
  }

  /* Begin with batches of this minimum, which does not hold for strata with fewer groups than batches. */
  MixedBatches begun(int64_t n, int64_t minimum) const {
    List<int32_t> wanted;
    for (int64_t stratum = 0; stratum < groups.n_strata(); stratum++) {
      wanted.push_back(groups.contents.groups_of(stratum) >= n ? static_cast<int32_t>(minimum) : 0);
    }
    return MixedBatches(groups, n, wanted, LARGEST_COUNT);
  }
};

}  // namespace pystrat
