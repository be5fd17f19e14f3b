/* Rows with any number of labels, and their assignment to batches with a minimum of rows of every label in each, as far
 * as possible.
 *
 * Rows with exactly the same labels form a set. Labels are processed from the rarest to the most frequent; the
 * unassigned rows of a label are dealt to the batches that have the fewest rows of it. Then each batch that lacks a
 * label takes a row from another batch, and returns one or none, as long as fewer rows are lacking afterwards. Finally,
 * the rows without labels even out the sizes. Everything is computed in integers, and ties are broken by number, so the
 * same rows in the same order give the same batches.
 */

#pragma once

#include "grouped.hpp"

namespace pystrat {

/* The codes of rows are the numbers of their sets. */
struct LabeledRows {
  Codes codes;
  View<uint8_t> sets; /* 1 if the rows of a set have a label, else 0; set after set */
  int64_t n_sets, n_labels;

  LabeledRows(const Values &given, Host &host)
      : codes(given, host), sets(given.array<uint8_t>("sets", "be the labels of sets, in bytes")),
        n_sets(codes.n_strata), n_labels(sets.length / n_sets) {
    bool are_sets = n_labels > 0 && sets.length % n_sets == 0 && codes.rows_of(n_sets) == 0;
    are_sets = are_sets && std::all_of(sets.begin(), sets.end(), [](uint8_t has) { return has <= 1; });
    if (!are_sets) refuse("labels", "others", "have the label set of each row");
  }

  const uint8_t *labels_of(int64_t set) const { return sets.begin() + set * n_labels; }

  List<int64_t> rows_of_labels() const {
    List<int64_t> counts(n_labels);
    for (int64_t set = 0; set < n_sets; set++) {
      for (int64_t label = 0; label < n_labels; label++) counts[label] += labels_of(set)[label] * codes.rows_of(set);
    }
    return counts;
  }
};

/* The order in which labels and sets are dealt. Members are the rows in the order of their sets. */
struct DealingOrder {
  Rows labels; /* rarest first */
  Rows sets;   /* by the rarest of their labels, then by their number of labels, largest first: so rows with the same
                  labels are dealt together, and go to different batches */
  List<int64_t> ends;   /* n_labels + 1: of the sets that are dealt with each of the labels, and with none */
  List<int64_t> starts; /* of the members of each set */
  List<int64_t> begins; /* n_sets + 1: of the labels of each set, */
  Rows held;            /* which are these */

  explicit DealingOrder(const LabeledRows &rows)
      : labels(in_order(rows.n_labels)), sets(in_order(rows.n_sets)), ends(rows.n_labels + 1), starts(rows.n_sets),
        begins(1) {
    List<int64_t> counts = rows.rows_of_labels(), turns(rows.n_sets);
    std::stable_sort(labels.begin(), labels.end(), [&](int32_t one, int32_t other) {
      return counts[one] < counts[other];
    });
    for (int64_t set = 0; set < rows.n_sets; set++) {
      const uint8_t *own = rows.labels_of(set);
      while (turns[set] < rows.n_labels && own[labels[turns[set]]] == 0) turns[set]++;
      ends[turns[set]]++;
      for (int32_t label = 0; label < rows.n_labels; label++) {
        if (own[label]) held.push_back(label);
      }
      begins.push_back(held.count());
    }
    std::stable_sort(sets.begin(), sets.end(), [&](int32_t one, int32_t other) {
      if (turns[one] != turns[other]) return turns[one] < turns[other];
      return labels_of(one).length > labels_of(other).length;
    });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    int64_t start = 0;
    for (int64_t set : sets) {
      starts[set] = start;
      start += rows.codes.rows_of(set);
    }
  }

  View<int32_t> labels_of(int64_t set) const { return {&held[begins[set]], begins[set + 1] - begins[set]}; }
};

class Assignment {
 public:
  Rows members;        /* of each member: the row, from 0 in the order in which rows are assigned */
  Rows batches;        /* of each member */
  List<int64_t> sizes; /* of the batches */
  List<int32_t> held;  /* the rows of each label in each batch, batch after batch */

  Assignment(const LabeledRows &rows, const DealingOrder &dealing, int64_t n_batches, int64_t minimum)
      : members(rows.codes.n_rows), batches(rows.codes.n_rows), sizes(n_batches), held(n_batches * rows.n_labels),
        rows(rows), dealing(dealing), n_batches(n_batches), minimum(minimum) {}

  /* Assign the rows in an order, once. */
  void assign(const Rows &order, Host &host) {
    List<int64_t> nexts = dealing.starts;
    host.in_steps(rows.codes.n_rows, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) members[nexts[rows.codes[order[i]]]++] = static_cast<int32_t>(i);
    });
    std::fill(batches.begin(), batches.end(), -1);
    for (int64_t turn = 0; turn < rows.n_labels; turn++) deal_sets(turn, dealing.labels[turn], host);
    exchange_all(host);
    deal_sets(rows.n_labels, -1, host);
  }

  /* The rows that batches lack in all. */
  int64_t missing() const {
    int64_t n_missing = 0;
    for (int64_t n_held : held) n_missing += std::max<int64_t>(0, minimum - n_held);
    return n_missing;
  }

 private:
  static constexpr int64_t EXCHANGE_EFFORT = 100; /* how often, on average, exchanges may look at a label of a row */

  struct Member {
    int64_t set = -1, place = -1;
  };

  const LabeledRows &rows;
  const DealingOrder &dealing;
  int64_t n_batches, minimum;
  int64_t effort = 0; /* labels of rows that may still be looked at */

  int64_t held_of(int64_t batch, int64_t label) const { return held[batch * rows.n_labels + label]; }

  void add(int64_t set, int64_t batch, int32_t sign) {
    for (int32_t label : dealing.labels_of(set)) held[batch * rows.n_labels + label] += sign;
    sizes[batch] += sign;
  }

  /* Deal the rows of the sets whose turn it is with a label, or, if the label is -1, of those without one. */
  void deal_sets(int64_t turn, int64_t label, Host &host) {
    int64_t begin = turn > 0 ? dealing.ends[turn - 1] : 0, end = dealing.ends[turn], count = 0;
    for (int64_t i = begin; i < end; i++) count += rows.codes.rows_of(dealing.sets[i]);
    if (count == 0) return;
    deal(label, count, &batches[dealing.starts[dealing.sets[begin]]], host);
    for (int64_t i = begin; i < end; i++) {
      int64_t set = dealing.sets[i], start = dealing.starts[set], n_members = rows.codes.rows_of(set);
      for (int64_t member = start; member < start + n_members; member++) add(set, batches[member], 1);
      host.go_on(n_members);
    }
  }

  /* Deal rows one by one, each to the lowest batch, among equals to the smallest one: that with the fewest rows of the
   * label, or, without one, that of the fewest rows.
   *
   * A batch that gets a row rises by 1. `dealt` gets the batches. The rows that raise batches from one height to the
   * next are consecutive; `places` has the beginning of those of each height.
   */
  void deal(int64_t label, int64_t count, int32_t *dealt, Host &host) const {
    List<int64_t> heights = sizes, places(count + 1);
    Rows order = label >= 0 ? Rows() : in_order(n_batches);
    if (label >= 0) {
      int64_t least = *std::min_element(sizes.begin(), sizes.end());
      int64_t n_sizes = *std::max_element(sizes.begin(), sizes.end()) - least + 1;
      order = sorted_by(n_batches, n_sizes, [&](int64_t batch) { return sizes[batch] - least; }, host);
      for (int64_t batch = 0; batch < n_batches; batch++) heights[batch] = held_of(batch, label);
    }
    int64_t lowest = *std::min_element(heights.begin(), heights.end());
    for (int64_t &height : heights) {
      height -= lowest;
      if (height <= count) places[height]++;
    }
    /* All batches below the level are raised to it, and the first `left` ones above it. */
    int64_t level = 0, left = count, n_reached = places[0];
    places[0] = 0;
    while (left >= n_reached) {
      left -= n_reached;
      n_reached += places[++level];
      places[level] = count - left;
    }
    for (int32_t batch : order) {
      for (int64_t raised = heights[batch]; raised < level; raised++) {
        dealt[places[raised]++] = batch;
      }
      if (heights[batch] > level || left == 0) continue;
      dealt[places[level]++] = batch;
      left--;
    }
  }

  /* The rows of a label in batches with more of it than the minimum. */
  int64_t spare_of(int64_t label) const {
    int64_t spare = 0;
    for (int64_t batch = 0; batch < n_batches; batch++) {
      if (held_of(batch, label) > minimum) spare += held_of(batch, label);
    }
    return spare;
  }

  /* The change in the number of missing rows if a batch takes a row of a set from another one, `donor`, and returns a
   * row, or none. Only labels of one of both rows matter: a batch that has less than the minimum gains by a row, and
   * one that has at most the minimum loses by giving one.
   */
  int64_t change_of_missing(int64_t batch, int64_t donor, int64_t taken, int64_t returned) const {
    int64_t change = 0;
    auto move = [&](int64_t set, int64_t other_set, int64_t from, int64_t to) {
      for (int32_t label : dealing.labels_of(set)) {
        if (other_set >= 0 && rows.labels_of(other_set)[label]) continue;
        change += (held_of(from, label) <= minimum) - (held_of(to, label) < minimum);
      }
    };
    move(taken, returned, donor, batch);
    if (returned >= 0) move(returned, taken, batch, donor);
    return change;
  }

  void move(const Member &member, int64_t batch) {
    add(member.set, batches[member.place], -1);
    add(member.set, batch, 1);
    batches[member.place] = static_cast<int32_t>(batch);
  }

  /* Let a batch take the best row of a label that another batch can spare, in exchange for a member or for none.
   *
   * The best row leaves the fewest rows missing; among equals, it is the first. Returns whether fewer rows are missing
   * than before; if not, nothing has changed.
   */
  bool take_best(int64_t batch, int64_t label, const Member &returned) {
    int64_t least = 0;
    Member best;
    for (int64_t set = 0; set < rows.n_sets; set++) {
      if (!rows.labels_of(set)[label]) continue;
      int64_t start = dealing.starts[set], end = start + rows.codes.rows_of(set);
      for (int64_t place = start; place < end; place++) {
        int64_t donor = batches[place];
        if (held_of(donor, label) <= minimum) continue;
        int64_t change = change_of_missing(batch, donor, set, returned.set);
        bool is_earlier = change == least && best.place >= 0 && members[place] < members[best.place];
        if (change >= least && !is_earlier) continue;
        least = change;
        best = {set, place};
      }
    }
    if (best.place < 0) return false;
    int64_t donor = batches[best.place];
    move(best, batch);
    if (returned.place >= 0) move(returned, donor);
    return true;
  }

  /* Find the next row that a batch can return: the first one of the next set of which it has a row. */
  bool find_next(int64_t batch, Member &member) const {
    while (++member.set < rows.n_sets) {
      const int32_t *begin = &batches[dealing.starts[member.set]], *end = begin + rows.codes.rows_of(member.set);
      const int32_t *found = std::find(begin, end, static_cast<int32_t>(batch));
      member.place = found - batches.data();
      if (found != end) return true;
    }
    return false;
  }

  /* Let a batch take rows of a label that it lacks, as long as exchanges help and go on; return whether one did. */
  bool exchange(int64_t batch, int64_t label, Host &host) {
    bool has_exchanged = false, is_taken = true;
    while (is_taken && effort > 0 && held_of(batch, label) < minimum) {
      int64_t spare = spare_of(label);
      if (spare == 0) break;
      Member returned;
      do {
        effort -= rows.codes.n_rows + spare * rows.n_labels;
        is_taken = effort >= 0 && take_best(batch, label, returned);
        host.go_on(rows.codes.n_rows);
      } while (!is_taken && effort >= 0 && find_next(batch, returned));
      has_exchanged = has_exchanged || is_taken;
    }
    return has_exchanged;
  }

  /* Exchange rows for what batches lack, until that helps no more or has taken too long. */
  void exchange_all(Host &host) {
    if (missing() == 0) return;
    effort = EXCHANGE_EFFORT * rows.codes.n_rows * rows.n_labels;
    bool has_exchanged = true;
    while (has_exchanged && effort > 0) {
      has_exchanged = false;
      for (int64_t batch = 0; batch < n_batches; batch++) {
        for (int64_t label = 0; label < rows.n_labels; label++) {
          has_exchanged = exchange(batch, label, host) || has_exchanged;
        }
        host.go_on(rows.n_labels);
      }
    }
  }
};

}  // namespace pystrat
