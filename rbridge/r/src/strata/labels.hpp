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

#include <bitset>
#include <tuple>

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
  int64_t n_words;
  List<uint64_t> has;   /* the labels of each set, a bit each */

  explicit DealingOrder(const LabeledRows &rows)
      : labels(in_order(rows.n_labels)), sets(in_order(rows.n_sets)), ends(rows.n_labels + 1), starts(rows.n_sets),
        n_words((rows.n_labels + 63) / 64), has(rows.n_sets * n_words) {
    List<int64_t> counts = rows.rows_of_labels(), turns(rows.n_sets), n_absent(rows.n_sets);
    std::stable_sort(labels.begin(), labels.end(), [&](int32_t one, int32_t other) {
      return counts[one] < counts[other];
    });
    for (int64_t set = 0; set < rows.n_sets; set++) {
      const uint8_t *own = rows.labels_of(set);
      while (turns[set] < rows.n_labels && own[labels[turns[set]]] == 0) turns[set]++;
      ends[turns[set]]++;
      for (int64_t label = 0; label < rows.n_labels; label++) {
        n_absent[set] += own[label] == 0;
        has[set * n_words + label / 64] |= static_cast<uint64_t>(own[label]) << (label % 64);
      }
    }
    std::stable_sort(sets.begin(), sets.end(), [&](int32_t one, int32_t other) {
      return std::tie(turns[one], n_absent[one]) < std::tie(turns[other], n_absent[other]);
    });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    int64_t start = 0;
    for (int64_t set : sets) {
      starts[set] = start;
      start += rows.codes.rows_of(set);
    }
  }
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
  List<uint64_t> below, at_most; /* the labels of which each batch has less than the minimum, or at most that */
  List<int64_t> spare;           /* the rows of each label in batches with more of it than the minimum */
  int64_t effort = 0;            /* labels of rows that may still be looked at */

  void add(int64_t set, int64_t batch, int32_t sign) {
    const uint8_t *own = rows.labels_of(set);
    int32_t *in_batch = &held[batch * rows.n_labels];
    for (int64_t label = 0; label < rows.n_labels; label++) in_batch[label] += sign * own[label];
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
      for (int64_t batch = 0; batch < n_batches; batch++) heights[batch] = held[batch * rows.n_labels + label];
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

  bool has_bit(const List<uint64_t> &labels, int64_t item, int64_t label) const {
    return labels[item * dealing.n_words + label / 64] >> (label % 64) & 1;
  }

  /* Note the labels of which a batch has less than the minimum, at most the minimum, and more. */
  void note_batch(int64_t batch) {
    std::fill_n(&below[batch * dealing.n_words], dealing.n_words, uint64_t(0));
    std::fill_n(&at_most[batch * dealing.n_words], dealing.n_words, uint64_t(0));
    for (int64_t label = 0; label < rows.n_labels; label++) {
      int64_t word = batch * dealing.n_words + label / 64, n_held = held[batch * rows.n_labels + label];
      below[word] |= static_cast<uint64_t>(n_held < minimum) << (label % 64);
      at_most[word] |= static_cast<uint64_t>(n_held <= minimum) << (label % 64);
    }
    count_spare(batch, 1);
  }

  void count_spare(int64_t batch, int64_t sign) {
    for (int64_t label = 0; label < rows.n_labels; label++) {
      int64_t n_held = held[batch * rows.n_labels + label];
      if (n_held > minimum) spare[label] += sign * n_held;
    }
  }

  /* The change in the number of missing rows if a batch takes a row of a set from another one, `donor`, and returns a
   * row, or none. Only labels of one of both rows matter: a batch that has less than the minimum gains by a row, and
   * one that has at most the minimum loses by giving one.
   */
  int64_t change_of_missing(int64_t batch, int64_t donor, int64_t taken, int64_t returned) const {
    int64_t change = 0, n_words = dealing.n_words;
    auto count = [](uint64_t bits) { return static_cast<int64_t>(std::bitset<64>(bits).count()); };
    for (int64_t word = 0; word < n_words; word++) {
      uint64_t in = dealing.has[taken * n_words + word];
      uint64_t out = returned < 0 ? 0 : dealing.has[returned * n_words + word];
      uint64_t only_in = in & ~out, only_out = out & ~in;
      change += count(only_in & at_most[donor * n_words + word]) - count(only_in & below[batch * n_words + word]);
      change += count(only_out & at_most[batch * n_words + word]) - count(only_out & below[donor * n_words + word]);
    }
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
      if (!has_bit(dealing.has, set, label)) continue;
      int64_t start = dealing.starts[set], end = start + rows.codes.rows_of(set);
      for (int64_t place = start; place < end; place++) {
        int64_t donor = batches[place];
        if (has_bit(at_most, donor, label)) continue;
        int64_t change = change_of_missing(batch, donor, set, returned.set);
        bool is_earlier = change == least && best.place >= 0 && members[place] < members[best.place];
        if (change >= least && !is_earlier) continue;
        least = change;
        best = {set, place};
      }
    }
    if (best.place < 0) return false;
    int64_t donor = batches[best.place];
    count_spare(batch, -1);
    count_spare(donor, -1);
    move(best, batch);
    if (returned.place >= 0) move(returned, donor);
    note_batch(batch);
    note_batch(donor);
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
    bool has_exchanged = false;
    while (effort > 0 && has_bit(below, batch, label) && spare[label] > 0) {
      bool is_taken = false;
      Member returned;
      do {
        effort -= rows.codes.n_rows + spare[label] * rows.n_labels;
        is_taken = effort >= 0 && take_best(batch, label, returned);
        host.go_on(rows.codes.n_rows);
      } while (!is_taken && effort >= 0 && find_next(batch, returned));
      if (!is_taken) break;
      has_exchanged = true;
    }
    return has_exchanged;
  }

  /* Exchange rows for what batches lack, until that helps no more or has taken too long. */
  void exchange_all(Host &host) {
    if (missing() == 0) return;
    below = at_most = List<uint64_t>(n_batches * dealing.n_words);
    spare = List<int64_t>(rows.n_labels);
    for (int64_t batch = 0; batch < n_batches; batch++) note_batch(batch);
    effort = EXCHANGE_EFFORT * rows.codes.n_rows * rows.n_labels;
    bool has_exchanged = true;
    while (has_exchanged && effort > 0) {
      has_exchanged = false;
      const List<uint64_t> lacking = below;
      for (int64_t batch = 0; batch < n_batches; batch++) {
        for (int64_t label = 0; label < rows.n_labels; label++) {
          if (has_bit(lacking, batch, label)) has_exchanged = exchange(batch, label, host) || has_exchanged;
        }
        host.go_on(rows.n_labels);
      }
    }
  }
};

}  // namespace pystrat
