/* Groups of rows that are divided into parts, each group as a whole, with about the wanted rows of every stratum.
 *
 * Larger groups come first, of equal ones the one with the first row of a shuffled order. A group goes to a part that
 * still lacks rows: the one that lacks most, on average over the rows of the group, of their strata and of all rows,
 * each in proportion to its size. When there are only as many groups left as parts without any, each of these gets one.
 * So no part exceeds its rows by as many as the largest group has. Parts that lack as many get groups of others, and at
 * last groups are moved and exchanged while what all parts lack or exceed becomes less.
 */

#pragma once

#include <cstdlib>

#include "grouped.hpp"

namespace pystrat {

class GroupParts {
 public:
  List<int32_t> part_of; /* of each group; -1 of those without rows */

  /* `sizes`: the wanted rows of each part, of which the first n_needed must not be empty. */
  GroupParts(const RowGroups &rows, const List<int64_t> &sizes, int64_t n_needed, const Rows &order, Host &host)
      : part_of(rows.n_groups, -1), rows(rows), contents(rows, host), n_needed(n_needed), all(rows.strata.n_strata),
        part_sizes(sizes), stratum_sizes(rows.strata.counts), held((all + 1) * sizes.count()),
        groups_in(sizes.count()) {
    stratum_sizes[all] = rows.n_rows;
    List<uint8_t> is_found(rows.n_groups);
    for (int32_t row : order) {
      int32_t group = rows.of_row[row];
      if (group < rows.n_groups && is_found[group]++ == 0) line.push_back(group);
    }
    std::stable_sort(line.begin(), line.end(), [&](int32_t a, int32_t b) { return size_of(a) > size_of(b); });
    if (line.count() < n_needed) {
      std::string required = text("have at least one group for each of ", n_needed, " parts");
      refuse("groups", count_of(line.count(), "group"), required);
    }
    largest = size_of(line[0]);
    assign(host);
    fill(host);
    improve(host);
  }

 private:
  static constexpr int MOST_PASSES = 20;            /* over all groups, to improve */
  static constexpr int64_t EXCHANGE_PARTNERS = 100; /* groups behind another one that it may be exchanged with */

  const RowGroups &rows;
  GroupContents contents;
  int64_t n_needed, all, largest = 0; /* all rows count as a stratum behind the others */
  List<int64_t> part_sizes, stratum_sizes;
  List<int64_t> held;                 /* the rows of each stratum in each part */
  List<int64_t> groups_in;            /* each part */
  List<int32_t> line;                 /* the groups that have rows, from the largest to the smallest */

  int64_t n_parts() const { return part_sizes.count(); }
  int64_t size_of(int64_t group) const { return rows.sizes[group]; }
  int64_t held_by(int64_t stratum, int64_t part) const { return held[stratum * n_parts() + part]; }
  int64_t lack_of_rows(int64_t part) const { return part_sizes[part] - held_by(all, part); }

  /* What a part lacks of a stratum, if it has so many rows of it, as rows of a stratum of all rows. */
  int64_t lack_of(int64_t stratum, int64_t part, int64_t has) const {
    int64_t size = stratum_sizes[stratum];
    return (size * part_sizes[part] - stratum_sizes[all] * has) / size;
  }

  /* Add a group to a part, with `sign` 1, or take it away, with -1. */
  void count(int64_t group, int64_t part, int64_t sign) {
    contents.for_each(group, [&](int64_t stratum, int64_t count) { held[stratum * n_parts() + part] += sign * count; });
    groups_in[part] += sign;
    part_of[group] = static_cast<int32_t>(part);
  }

  void move(int64_t group, int64_t part) {
    count(group, part_of[group], -1);
    count(group, part, 1);
  }

  /* By how much all that parts lack or exceed would change if a part got a group, or lost it, with `sign` -1. */
  int64_t change_by(int64_t group, int64_t part, int64_t sign) const {
    int64_t change = 0;
    contents.for_each(group, [&](int64_t stratum, int64_t count) {
      int64_t has = held_by(stratum, part);
      change += std::llabs(lack_of(stratum, part, has + sign * count)) - std::llabs(lack_of(stratum, part, has));
    });
    return change;
  }

  int64_t change_by_move(int64_t group, int64_t part) const {
    return change_by(group, part_of[group], -1) + change_by(group, part, 1);
  }

  /* The part for a group: of those that lack rows, or of those that need a group, the one that lacks most. */
  int64_t part_for(int64_t group, bool only_empty) const {
    int64_t best = -1, most = 0;
    for (int64_t part = 0; part < n_parts(); part++) {
      bool is_open = only_empty ? part < n_needed && groups_in[part] == 0 : lack_of_rows(part) > 0;
      if (!is_open) continue;
      int64_t lack = 0;
      contents.for_each(group, [&](int64_t stratum, int64_t count) {
        lack += count * lack_of(stratum, part, held_by(stratum, part));
      });
      if (best >= 0 && lack <= most) continue;
      best = part;
      most = lack;
    }
    return best;
  }

  void assign(Host &host) {
    int64_t n_empty = n_needed, n_left = line.count();
    for (int64_t group : line) {
      int64_t part = part_for(group, n_left-- == n_empty);
      n_empty -= part < n_needed && groups_in[part] == 0;
      count(group, part, 1);
      host.go_on(64);
    }
  }

  bool may_lose(int64_t part) const { return part >= n_needed || groups_in[part] > 1; }

  /* Whether a part may have so many rows more: then it misses its rows by fewer than the largest group has, or by no
   * more than before.
   */
  bool may_change(int64_t part, int64_t more) const {
    int64_t lack = lack_of_rows(part), after = std::llabs(lack - more);
    return after < largest || after <= std::llabs(lack);
  }

  /* Give groups to parts that lack as many rows as the largest group has, of parts that exceed theirs. */
  void fill(Host &host) {
    for (int64_t part = 0; part < n_parts(); part++) {
      while (lack_of_rows(part) >= largest) {
        int64_t best = -1, least = 0;
        for (int64_t group : line) {
          if (lack_of_rows(part_of[group]) >= 0 || !may_lose(part_of[group])) continue;
          int64_t change = change_by_move(group, part);
          if (best >= 0 && change >= least) continue;
          best = group;
          least = change;
        }
        if (best < 0) break; /* parts that are smaller than the groups hold one each */
        move(best, part);
        host.go_on();
      }
    }
  }

  /* Move a group to the part where it is best. */
  bool improve_by_move(int64_t group) {
    int64_t from = part_of[group], size = size_of(group), best = -1, least = 0;
    if (!may_lose(from) || !may_change(from, -size)) return false;
    int64_t change = change_by(group, from, -1);
    for (int64_t part = 0; part < n_parts(); part++) {
      if (part == from || !may_change(part, size)) continue;
      int64_t in_all = change + change_by(group, part, 1);
      if (in_all >= least) continue;
      best = part;
      least = in_all;
    }
    if (best >= 0) move(group, best);
    return best >= 0;
  }

  /* Exchange two groups of different parts if that is better. */
  bool improve_by_exchange(int64_t group, int64_t other) {
    int64_t part = part_of[group], other_part = part_of[other], less = size_of(group) - size_of(other);
    if (part == other_part || !may_change(part, -less) || !may_change(other_part, less)) return false;
    int64_t change = change_by_move(group, other_part);
    move(group, other_part);
    if (change + change_by_move(other, part) < 0) {
      move(other, part);
      return true;
    }
    move(group, part);
    return false;
  }

  void improve(Host &host) {
    bool is_better = true;
    for (int pass = 0; is_better && pass < MOST_PASSES; pass++) {
      is_better = false;
      for (int64_t place = 0; place < line.count(); place++) {
        is_better = improve_by_move(line[place]) || is_better;
        int64_t end = std::min(line.count(), place + 1 + EXCHANGE_PARTNERS);
        for (int64_t next = place + 1; next < end; next++) {
          is_better = improve_by_exchange(line[place], line[next]) || is_better;
        }
        host.go_on(1024);
      }
    }
  }
};

}  // namespace pystrat
