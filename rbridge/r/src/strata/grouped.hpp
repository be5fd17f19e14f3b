/* Rows of strata that also have groups: which rows each group has, and bounds on the rows of a stratum in a batch. */

#pragma once

#include <numeric>

#include "../core/codes.hpp"
#include "../core/scatter.hpp"
#include "../core/sizes.hpp"

namespace pystrat {

/* The places 0, ..., count - 1 in the order of their keys, which are below n_keys; equal ones stay in order. */
template <class Key>
Rows sorted_by(int64_t count, int64_t n_keys, Key key, Host &host) {
  List<int64_t> next(n_keys + 1);
  Rows places(count);
  host.in_steps(count, [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end; place++) next[key(place) + 1]++;
  });
  std::partial_sum(next.begin(), next.end(), next.begin());
  host.in_steps(count, [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end; place++) places[next[key(place)]++] = static_cast<int32_t>(place);
  });
  return places;
}

struct RowGroups {
  Codes strata;
  int64_t n_groups, n_rows;  /* without rows that are in no batch */
  Rows of_row;               /* the group of each row; n_groups for those */
  List<int32_t> sizes;       /* the rows of each group */
  List<int32_t> stratum_of;  /* that of the first row of each group */
  bool are_mixed = false;    /* a group has rows of several strata */

  RowGroups(const Values &given, Host &host) : strata(given, host) {
    Codes groups(given, host, "groups", "groups");
    if (groups.n_rows != strata.n_rows) {
      std::string requirement = text("have one value for each row of 'strata', ", strata.n_rows);
      refuse("groups", count_of(groups.n_rows, "value"), requirement);
    }
    n_groups = groups.n_strata;
    if (groups.counts[n_groups] > 0) refuse("groups", "others", "be numbers of groups from 0");
    n_rows = strata.n_rows - strata.counts[strata.n_strata];
    of_row = Rows(strata.n_rows);
    sizes = stratum_of = List<int32_t>(n_groups);
    host.in_steps(strata.n_rows, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) {
        int32_t group = static_cast<int32_t>(groups[row]), stratum = static_cast<int32_t>(strata[row]);
        bool is_taken = stratum < strata.n_strata;
        of_row[row] = is_taken ? group : static_cast<int32_t>(n_groups);
        if (!is_taken) continue;
        if (sizes[group]++ == 0) stratum_of[group] = stratum;
        are_mixed = are_mixed || stratum_of[group] != stratum;
      }
    });
  }

  int32_t largest() const { return *std::max_element(sizes.begin(), sizes.end()); }
};

/* What groups hold, by stratum and by group. Of each group, all rows are the last entry, as those of a stratum behind
 * all others, which has the groups that have rows.
 */
struct GroupContents {
  List<int64_t> starts;       /* n_strata + 2: where the entries of each stratum begin */
  Rows groups, held;          /* the group of each of them, and its rows of the stratum */
  List<int64_t> begins;       /* n_groups + 1: where the entries of each group begin */
  List<int32_t> strata, counts; /* the stratum of each of them, in ascending order, and the rows of it */

  GroupContents(const RowGroups &rows, Host &host) : starts(1), begins(rows.n_groups + 1) {
    const Codes &codes = rows.strata;
    auto stratum_of = [&](int64_t row) { return codes[row]; };
    Rows sorted = sorted_by(codes.n_rows, codes.n_strata + 1, stratum_of, host);
    const int32_t *row = sorted.data();
    List<int32_t> found(rows.n_groups);
    auto end_stratum = [&] {
      for (int64_t entry = starts.back(); entry < groups.count(); entry++) {
        held.push_back(std::exchange(found[groups[entry]], 0));
        begins[groups[entry] + 1]++;
      }
      starts.push_back(groups.count());
    };
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      for (const int32_t *end = row + codes.rows_of(stratum); row < end; row++) {
        int32_t group = rows.of_row[*row];
        if (found[group]++ == 0) groups.push_back(group);
      }
      end_stratum();
      host.go_on(codes.rows_of(stratum));
    }
    for (int32_t group = 0; group < rows.n_groups; group++) {
      found[group] = rows.sizes[group];
      if (found[group] > 0) groups.push_back(group);
    }
    end_stratum();
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    List<int64_t> next = begins;
    strata = counts = List<int32_t>(groups.count());
    for (int32_t stratum = 0; stratum <= codes.n_strata; stratum++) {
      for (int64_t entry = starts[stratum]; entry < starts[stratum + 1]; entry++) {
        int64_t place = next[groups[entry]]++;
        strata[place] = stratum;
        counts[place] = held[entry];
      }
      host.go_on(starts[stratum + 1] - starts[stratum]);
    }
  }

  /* Call use(stratum, count) for what a group holds, all of its rows last. */
  template <class Use>
  void for_each(int64_t group, Use use) const {
    for (int64_t entry = begins[group]; entry < begins[group + 1]; entry++) use(strata[entry], counts[entry]);
  }

  int64_t groups_of(int64_t stratum) const { return starts[stratum + 1] - starts[stratum]; }

  /* The number of groups that have rows. */
  int64_t n_groups() const { return groups_of(starts.count() - 2); }
};

/* The sizes of the groups of a stratum, of which only rows of the stratum count. A group of at least the minimum is
 * large.
 */
struct GroupSizes {
  int64_t minimum = 1, n_groups = 0, n_large = 0, largest = 0, least_large = 0; /* 0 if there is none */
  int64_t rest = 0, largest_small = 1, divisor = 0; /* of others: their rows, and their greatest common divisor */

  void add(int64_t size) {
    n_groups++;
    largest = std::max(largest, size);
    if (size >= minimum) {
      least_large = n_large == 0 ? size : std::min(least_large, size);
      n_large++;
    } else {
      rest += size;
      largest_small = std::max(largest_small, size);
      divisor = std::gcd(divisor, size);
    }
  }

  int64_t step() const { return std::max<int64_t>(divisor, 1); }

  /* Batches for which the stratum always keeps the minimum, nearly always the most.
   *
   * If the last batch to be filled had fewer rows, no other batch would exceed it by more than one small group.
   */
  int64_t sure_batches() const {
    int64_t slack = largest_small - step(), wanted = quotient_up(minimum, step()) * step();
    return n_large + (rest + slack) / (wanted + slack);
  }

  /* No division into whole groups exceeds them if every batch has the minimum: a large group, or as many other rows. */
  int64_t most_batches() const { return n_large + rest / minimum; }

  /* The fewest of `count` rows that a batch can have: the better of two bounds. One considers only the batches without
   * a large group, the other all batches.
   */
  int64_t fewest_rows(int64_t count, int64_t n_batches) const {
    int64_t fewest = least_large, without = n_batches - n_large;
    if (without > 0) {
      int64_t left = std::max<int64_t>(rest - (without - 1) * largest_small, 0);
      left = quotient_up(left, without * step()) * step();
      fewest = n_large > 0 ? std::min(left, least_large) : left;
    }
    int64_t others = std::max<int64_t>(count - (n_batches - 1) * largest, 0);
    return std::max(quotient_up(others, n_batches), fewest);
  }
};

/* Those of all strata: each group counts for all strata of which it has rows, if `contents` are given, or for one. */
inline List<GroupSizes> sizes_of_groups(const RowGroups &rows, const GroupContents *contents, int64_t minimum) {
  List<GroupSizes> sizes(rows.strata.n_strata, GroupSizes{minimum});
  for (int64_t stratum = 0; contents != nullptr && stratum < rows.strata.n_strata; stratum++) {
    for (int64_t entry = contents->starts[stratum]; entry < contents->starts[stratum + 1]; entry++) {
      sizes[stratum].add(contents->held[entry]);
    }
  }
  for (int64_t group = 0; contents == nullptr && group < rows.n_groups; group++) {
    if (rows.sizes[group] > 0) sizes[rows.stratum_of[group]].add(rows.sizes[group]);
  }
  return sizes;
}

/* The number of batches that a bound allows all strata. */
inline int64_t batches_of_all(const List<GroupSizes> &sizes, int64_t (GroupSizes::*bound)() const) {
  int64_t least = LARGEST_COUNT;
  for (const GroupSizes &of : sizes) least = std::min(least, (of.*bound)());
  return least;
}

/* Give the offsets of batches of these sizes in this order; return where each batch begins. */
inline List<int64_t> give_offsets(const List<int64_t> &sizes, const Rows &order, Host &host) {
  int64_t *offset = host.make<int64_t>("offsets", sizes.count() + 1);
  List<int64_t> begins(sizes.count());
  *offset = 0;
  for (int32_t batch : order) {
    begins[batch] = *offset;
    offset[1] = offset[0] + sizes[batch];
    offset++;
  }
  return begins;
}

}  // namespace pystrat
