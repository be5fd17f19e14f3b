/* Batches of rows with any number of labels, each batch with a minimum of rows of every label, as far as possible.
 *
 * Rows with exactly the same labels form a set. Labels are processed from the rarest to the most frequent; the
 * unassigned rows of a label are dealt to the batches that have the fewest rows of it. Then each batch that lacks a
 * label takes a row from another batch, and returns one or none, as long as fewer rows are lacking afterwards. Finally,
 * the rows without labels even out the sizes. Everything is computed in integers, and ties are broken by number, so the
 * same rows in the same order give the same batches.
 */

#ifndef PYSTRAT_MULTILABEL_H
#define PYSTRAT_MULTILABEL_H

#include "grouping.h"
#include "recipe.h"

enum {
  LABELS_OF_WORD = 64,
  EXCHANGE_EFFORT = 100 /* how often, on average, the exchanges may look at an entry of the matrix of labels */
};

/* The rows to assign to batches. The caller owns the arrays, which do not change. */
typedef struct {
  const uint8_t *sets;   /* n_sets * n_labels: 1 if the rows of a set have a label, else 0; set after set */
  const int64_t *counts; /* n_sets: the rows of each set */
  int64_t n_rows;        /* below 2^31 */
  int64_t n_sets;
  int64_t n_labels;      /* at least 1 */
  int64_t n_batches;     /* from 1 to n_rows */
  int64_t minimum;       /* the minimum rows of each label in a batch, from 1 to 2^31 */
} LabeledRows;

/* An assignment of rows to batches: its result, and its scratch space.
 *
 * Members are the rows in the order of their sets, and within a set in the order in which the rows are assigned.
 */
typedef struct {
  LabeledRows given;
  int64_t *starts;     /* n_sets: the beginning of the members of each set; the order of the sets is that of `dealt` */
  int32_t *members;    /* n_rows: the row of each member, from 0 in the order in which rows are assigned */
  int32_t *batches;    /* n_rows: the result, the batch of each member */
  int64_t *held;       /* n_batches * n_labels: the rows of each label in each batch; batch after batch */
  int64_t *sizes;      /* n_batches: the rows of each batch */
  int64_t *labels;     /* n_labels: the labels, rarest first */
  int64_t *dealt;      /* n_sets: the sets in the order in which they are dealt */
  int64_t *spare;      /* n_labels: the rows of each label in batches with more of it than the minimum */
  int64_t *ends;       /* n_labels + 1: the end of the sets that are dealt with each of these labels, and with none */
  int64_t *keys;       /* scratch: the larger of n_sets and n_labels; after begin_assignment(), a copy of `starts` */
  int64_t *order;      /* scratch: the larger of n_sets and n_batches */
  int64_t *places;     /* scratch: the larger of n_rows and n_labels, and 2 more */
  uint64_t *has;       /* n_sets * n_words: the labels of each set, a bit each */
  uint64_t *below;     /* n_batches * n_words: the labels of which a batch has less than the minimum */
  uint64_t *at_most;   /* n_batches * n_words: the labels of which it has at most the minimum */
  uint64_t *to_do;     /* n_batches * n_words: the labels of which it had less when the sweep began */
  uint64_t *none;      /* n_words: no label */
  int64_t n_words;
  int64_t effort;      /* entries of the matrix of labels that may still be looked at */
  int64_t back;        /* the member that is returned in an exchange, or -1 */
  int64_t back_set;    /* its set, -1 before the first one */
  bool has_exchanged;  /* whether the sweep has changed anything */
  int64_t since;       /* rows since the last call of go_on() */
} Assignment;

static inline int64_t larger_of(int64_t one, int64_t other) { return one > other ? one : other; }

static inline int64_t words_of(int64_t n_labels) { return (n_labels + LABELS_OF_WORD - 1) / LABELS_OF_WORD; }

/* The number of 64-bit numbers that an assignment needs in one array, besides `members`, `batches` and `held`. */
static inline int64_t assignment_length(const LabeledRows *given) {
  int64_t n_numbers = 2 * given->n_sets + given->n_batches + 3 * given->n_labels + 1;
  n_numbers += larger_of(given->n_sets, given->n_labels) + larger_of(given->n_sets, given->n_batches);
  n_numbers += larger_of(given->n_rows, given->n_labels) + 2;
  return n_numbers + words_of(given->n_labels) * (given->n_sets + 3 * given->n_batches + 1);
}

/* Sort items from 0 to `count` - 1, or those in `before` if it is not NULL, by keys from `least` to `most`, stably.
 *
 * `places` has most - least + 2 numbers of scratch space; `sorted` gets the items.
 */
static inline void sort_items(
    const int64_t *keys, int64_t least, int64_t most, const int64_t *before, int64_t count, int64_t *places,
    int64_t *sorted
) {
  memset(places, 0, (size_t)(most - least + 2) * sizeof(int64_t));
  for (int64_t i = 0; i < count; i++) places[keys[i] - least + 1]++;
  for (int64_t key = 0; key < most - least; key++) places[key + 1] += places[key];
  for (int64_t i = 0; i < count; i++) {
    int64_t item = before == NULL ? i : before[i];
    sorted[places[keys[item] - least]++] = item;
  }
}

/* Sort the labels by the number of their rows, rarest first. */
static inline void sort_labels(Assignment *a) {
  int64_t n_labels = a->given.n_labels;
  memset(a->keys, 0, (size_t)n_labels * sizeof(int64_t));
  for (int64_t set = 0; set < a->given.n_sets; set++) {
    const uint8_t *has = a->given.sets + set * n_labels;
    for (int64_t label = 0; label < n_labels; label++) a->keys[label] += has[label] ? a->given.counts[set] : 0;
  }
  sort_items(a->keys, 0, a->given.n_rows, NULL, n_labels, a->places, a->labels);
}

/* Sort the sets by the rarest of their labels, and then by their number of labels, largest first.
 *
 * So rows with the same labels are dealt together, and go to different batches.
 */
static inline void sort_sets(Assignment *a) {
  int64_t n_labels = a->given.n_labels;
  for (int64_t set = 0; set < a->given.n_sets; set++) {
    const uint8_t *has = a->given.sets + set * n_labels;
    a->keys[set] = n_labels;
    for (int64_t label = 0; label < n_labels; label++) a->keys[set] -= has[label];
  }
  sort_items(a->keys, 0, n_labels, NULL, a->given.n_sets, a->places, a->order);
  memset(a->ends, 0, (size_t)(n_labels + 1) * sizeof(int64_t));
  for (int64_t set = 0; set < a->given.n_sets; set++) {
    const uint8_t *has = a->given.sets + set * n_labels;
    int64_t turn = 0;
    while (turn < n_labels && !has[a->labels[turn]]) turn++;
    a->keys[set] = turn;
    a->ends[turn]++;
  }
  sort_items(a->keys, 0, n_labels, a->order, a->given.n_sets, a->places, a->dealt);
  for (int64_t turn = 0; turn < n_labels; turn++) a->ends[turn + 1] += a->ends[turn];
}

/* Provide the memory of an assignment of `given`, or of fewer batches, for the call. */
static inline bool new_assignment(Assignment *a, const LabeledRows *given, Host *host) {
  int64_t n_words = words_of(given->n_labels), n_rows = given->n_rows, n_held = given->n_batches * given->n_labels;
  *a = (Assignment){.given = *given, .n_words = n_words};
  int64_t *numbers = host->memory(host, FOR_THE_CALL, assignment_length(given) * (int64_t)sizeof *numbers);
  a->members = numbers == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof *a->members);
  a->batches = a->members == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof *a->batches);
  a->held = a->batches == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_held * (int64_t)sizeof *a->held);
  if (a->held == NULL) return false;
  a->starts = numbers;
  a->sizes = a->starts + given->n_sets;
  a->labels = a->sizes + given->n_batches;
  a->dealt = a->labels + given->n_labels;
  a->spare = a->dealt + given->n_sets;
  a->ends = a->spare + given->n_labels;
  a->keys = a->ends + given->n_labels + 1;
  a->order = a->keys + larger_of(given->n_sets, given->n_labels);
  a->places = a->order + larger_of(given->n_sets, given->n_batches);
  a->has = (uint64_t *)(a->places + larger_of(given->n_rows, given->n_labels) + 2);
  a->below = a->has + given->n_sets * n_words;
  a->at_most = a->below + given->n_batches * n_words;
  a->to_do = a->at_most + given->n_batches * n_words;
  a->none = a->to_do + given->n_batches * n_words;
  return true;
}

/* Begin: no row is assigned, and a->keys has the place of the first member of each set. */
static inline void begin_assignment(Assignment *a) {
  const LabeledRows *given = &a->given;
  memset(a->held, 0, (size_t)(given->n_batches * given->n_labels) * sizeof(int64_t));
  memset(a->sizes, 0, (size_t)given->n_batches * sizeof(int64_t));
  sort_labels(a);
  sort_sets(a);
  int64_t start = 0;
  for (int64_t place = 0; place < given->n_sets; place++) {
    a->starts[a->dealt[place]] = start;
    start += given->counts[a->dealt[place]];
  }
  memcpy(a->keys, a->starts, (size_t)given->n_sets * sizeof(int64_t));
  memset(a->batches, 0xFF, (size_t)given->n_rows * sizeof(int32_t)); /* -1, which is not a batch */
}

/* The height of a batch in a deal: its rows of the label, or, without a label, its size. */
static inline int64_t height_of(const Assignment *a, int64_t label, int64_t batch) {
  return label < 0 ? a->sizes[batch] : a->held[batch * a->given.n_labels + label];
}

/* Sort the batches by size if there is a label, else by number. */
static inline void sort_batches(Assignment *a, int64_t label) {
  int64_t n_batches = a->given.n_batches;
  if (label < 0) {
    for (int64_t batch = 0; batch < n_batches; batch++) a->order[batch] = batch;
    return;
  }
  int64_t least = a->sizes[0];
  int64_t most = least;
  for (int64_t batch = 1; batch < n_batches; batch++) {
    if (a->sizes[batch] < least) least = a->sizes[batch];
    if (a->sizes[batch] > most) most = a->sizes[batch];
  }
  sort_items(a->sizes, least, most, NULL, n_batches, a->places, a->order);
}

/* Deal `count` rows one by one, each to the lowest batch, among equals the first in a->order.
 *
 * A batch that gets a row rises by 1. `dealt` gets the batches. The rows that raise batches from one height to the next
 * are consecutive; a->places has the beginning of those of each height.
 */
static inline void deal(Assignment *a, int64_t label, int64_t count, int32_t *dealt) {
  int64_t n_batches = a->given.n_batches;
  int64_t *places = a->places;
  int64_t lowest = height_of(a, label, 0);
  for (int64_t batch = 1; batch < n_batches; batch++) {
    int64_t height = height_of(a, label, batch);
    if (height < lowest) lowest = height;
  }
  memset(places, 0, (size_t)(count + 1) * sizeof(int64_t));
  for (int64_t batch = 0; batch < n_batches; batch++) {
    int64_t height = height_of(a, label, batch) - lowest;
    if (height <= count) places[height]++;
  }
  int64_t level = 0; /* all batches below it are raised to it, and the first `left` ones above it */
  int64_t left = count;
  int64_t n_reached = places[0];
  places[0] = 0;
  while (left >= n_reached) {
    left -= n_reached;
    level++;
    n_reached += places[level];
    places[level] = count - left;
  }
  for (int64_t i = 0; i < n_batches; i++) {
    int64_t batch = a->order[i];
    int64_t height = height_of(a, label, batch) - lowest;
    for (int64_t raised = height; raised < level; raised++) dealt[places[raised]++] = (int32_t)batch;
    if (height <= level && left > 0) {
      dealt[places[level]++] = (int32_t)batch;
      left--;
    }
  }
}

/* Deal the rows of the sets whose turn it is with a label, or, if the label is -1, of those without one. */
static inline bool deal_sets(Assignment *a, int64_t turn, int64_t label, Host *host) {
  int64_t n_labels = a->given.n_labels;
  int64_t begin = turn > 0 ? a->ends[turn - 1] : 0;
  int64_t count = 0;
  for (int64_t place = begin; place < a->ends[turn]; place++) count += a->given.counts[a->dealt[place]];
  if (count == 0) return true;
  sort_batches(a, label);
  deal(a, label, count, a->batches + a->starts[a->dealt[begin]]);
  for (int64_t place = begin; place < a->ends[turn]; place++) {
    int64_t set = a->dealt[place];
    const uint8_t *has = a->given.sets + set * n_labels;
    int64_t member = a->starts[set], last = member + a->given.counts[set];
    while (member < last) {
      int64_t first = member, end = smaller(first + GO_ON_ROWS, last);
      for (; member < end; member++) {
        int64_t *held = a->held + a->batches[member] * n_labels;
        a->sizes[a->batches[member]]++;
        for (int64_t i = 0; i < n_labels; i++) held[i] += has[i];
      }
      if (!may_go_on(&a->since, end - first, host)) return false;
    }
  }
  return true;
}

/* The total number of missing rows. */
static inline int64_t missing_rows(const Assignment *a) {
  int64_t missing = 0;
  for (int64_t entry = 0; entry < a->given.n_batches * a->given.n_labels; entry++) {
    if (a->held[entry] < a->given.minimum) missing += a->given.minimum - a->held[entry];
  }
  return missing;
}

/* Add to a->spare, or subtract from it, the rows of the labels of which a batch has more than the minimum. */
static inline void count_spare(Assignment *a, int64_t batch, int64_t sign) {
  const int64_t *held = a->held + batch * a->given.n_labels;
  for (int64_t label = 0; label < a->given.n_labels; label++) {
    if (held[label] > a->given.minimum) a->spare[label] += sign * held[label];
  }
}

/* Store of which labels a batch has less than the minimum, at most the minimum, and more. */
static inline void note_batch(Assignment *a, int64_t batch) {
  const int64_t *held = a->held + batch * a->given.n_labels;
  uint64_t *below = a->below + batch * a->n_words;
  uint64_t *at_most = a->at_most + batch * a->n_words;
  memset(below, 0, (size_t)a->n_words * sizeof(uint64_t));
  memset(at_most, 0, (size_t)a->n_words * sizeof(uint64_t));
  for (int64_t label = 0; label < a->given.n_labels; label++) {
    uint64_t bit = UINT64_C(1) << (label % LABELS_OF_WORD);
    if (held[label] < a->given.minimum) below[label / LABELS_OF_WORD] |= bit;
    if (held[label] <= a->given.minimum) at_most[label / LABELS_OF_WORD] |= bit;
  }
  count_spare(a, batch, 1);
}

/* Store the labels of all sets and what all batches lack. */
static inline void begin_exchanges(Assignment *a) {
  int64_t n_labels = a->given.n_labels;
  memset(a->has, 0, (size_t)(a->given.n_sets * a->n_words) * sizeof(uint64_t));
  memset(a->none, 0, (size_t)a->n_words * sizeof(uint64_t));
  memset(a->spare, 0, (size_t)n_labels * sizeof(int64_t));
  for (int64_t set = 0; set < a->given.n_sets; set++) {
    for (int64_t label = 0; label < n_labels; label++) {
      uint64_t bit = (uint64_t)(a->given.sets[set * n_labels + label] != 0) << (label % LABELS_OF_WORD);
      a->has[set * a->n_words + label / LABELS_OF_WORD] |= bit;
    }
  }
  for (int64_t batch = 0; batch < a->given.n_batches; batch++) note_batch(a, batch);
  a->effort = EXCHANGE_EFFORT * a->given.n_rows * n_labels;
}

/* The number of bits that are 1. */
static inline int64_t count_bits(uint64_t word) {
  word -= (word >> 1) & UINT64_C(0x5555555555555555);
  word = (word & UINT64_C(0x3333333333333333)) + ((word >> 2) & UINT64_C(0x3333333333333333));
  word = (word + (word >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
  return (int64_t)((word * UINT64_C(0x0101010101010101)) >> 56);
}

static inline bool has_bit(const uint64_t *words, int64_t label) {
  return (words[label / LABELS_OF_WORD] >> (label % LABELS_OF_WORD)) & 1;
}

/* The change in the number of missing rows if a batch takes a row from another one, `donor`, and returns one.
 *
 * `taken` and `given` are the labels of the two rows. Only labels of one of them alone matter: a batch that has less
 * than the minimum gains by a row, and one that has at most the minimum loses by giving one.
 */
static inline int64_t change_of_missing(
    const Assignment *a, int64_t batch, int64_t donor, const uint64_t *taken, const uint64_t *given
) {
  const uint64_t *below = a->below + batch * a->n_words;
  const uint64_t *at_most = a->at_most + batch * a->n_words;
  const uint64_t *donor_below = a->below + donor * a->n_words;
  const uint64_t *donor_at_most = a->at_most + donor * a->n_words;
  int64_t change = 0;
  for (int64_t word = 0; word < a->n_words; word++) {
    uint64_t only_taken = taken[word] & ~given[word];
    uint64_t only_given = given[word] & ~taken[word];
    change += count_bits(only_taken & donor_at_most[word]) - count_bits(only_taken & below[word]);
    change += count_bits(only_given & at_most[word]) - count_bits(only_given & donor_below[word]);
  }
  return change;
}

/* Move a member to another batch. */
static inline void move_member(Assignment *a, int64_t set, int64_t member, int64_t batch) {
  int64_t n_labels = a->given.n_labels;
  const uint8_t *has = a->given.sets + set * n_labels;
  int64_t before = a->batches[member];
  for (int64_t label = 0; label < n_labels; label++) {
    a->held[before * n_labels + label] -= has[label];
    a->held[batch * n_labels + label] += has[label];
  }
  a->sizes[before]--;
  a->sizes[batch]++;
  a->batches[member] = (int32_t)batch;
}

/* Let a batch take the best row of a label that another batch can spare, in exchange for the row a->back or for none.
 *
 * The best row leaves the fewest rows missing; among equals, it is the first. Returns whether fewer rows are missing
 * than before; if not, nothing has changed.
 */
static inline bool take_best(Assignment *a, int64_t batch, int64_t label) {
  const uint64_t *given = a->back < 0 ? a->none : a->has + a->back_set * a->n_words;
  int64_t best_change = 0;
  int64_t best = -1;
  int64_t best_set = -1;
  for (int64_t set = 0; set < a->given.n_sets; set++) {
    const uint64_t *taken = a->has + set * a->n_words;
    if (!has_bit(taken, label)) continue;
    for (int64_t member = a->starts[set]; member < a->starts[set] + a->given.counts[set]; member++) {
      int64_t donor = a->batches[member];
      if (has_bit(a->at_most + donor * a->n_words, label)) continue;
      int64_t change = change_of_missing(a, batch, donor, taken, given);
      if (change < best_change || (change == best_change && best >= 0 && a->members[member] < a->members[best])) {
        best_change = change;
        best = member;
        best_set = set;
      }
    }
  }
  if (best < 0) return false;
  int64_t donor = a->batches[best];
  count_spare(a, batch, -1);
  count_spare(a, donor, -1);
  move_member(a, best_set, best, batch);
  if (a->back >= 0) move_member(a, a->back_set, a->back, donor);
  note_batch(a, batch);
  note_batch(a, donor);
  return true;
}

/* Find the next row that a batch can return: the first one of the next set of which it has a row. */
static inline bool find_back(Assignment *a, int64_t batch) {
  for (int64_t set = a->back_set + 1; set < a->given.n_sets; set++) {
    for (int64_t member = a->starts[set]; member < a->starts[set] + a->given.counts[set]; member++) {
      if (a->batches[member] != batch) continue;
      a->back = member;
      a->back_set = set;
      return true;
    }
  }
  return false;
}

/* Let a batch take rows of a label that it lacks, one after another, as long as exchanges help and go on. */
static inline bool exchange_rows(Assignment *a, int64_t batch, int64_t label, Host *host) {
  int64_t words = batch * a->n_words;
  while (a->effort > 0 && has_bit(a->below + words, label) && a->spare[label] > 0) {
    bool is_taken = false;
    a->back = a->back_set = -1;
    do {
      a->effort -= a->given.n_rows + a->spare[label] * a->given.n_labels;
      is_taken = a->effort >= 0 && take_best(a, batch, label);
      if (!may_go_on(&a->since, a->given.n_rows, host)) return false;
    } while (!is_taken && a->effort >= 0 && find_back(a, batch));
    if (!is_taken) return true;
    a->has_exchanged = true;
  }
  return true;
}

/* Exchange rows for what batches lack, until that helps no more or has taken too long. */
static inline bool exchange_all_rows(Assignment *a, Host *host) {
  int64_t n_batches = a->given.n_batches, n_labels = a->given.n_labels;
  begin_exchanges(a);
  do {
    memcpy(a->to_do, a->below, (size_t)(n_batches * a->n_words) * sizeof(uint64_t));
    a->has_exchanged = false;
    for (int64_t batch = 0; batch < n_batches; batch++) {
      for (int64_t label = 0; label < n_labels; label++) {
        if (!has_bit(a->to_do + batch * a->n_words, label)) continue;
        if (!exchange_rows(a, batch, label, host)) return false;
      }
      if (!may_go_on(&a->since, n_labels, host)) return false;
    }
  } while (a->has_exchanged && a->effort > 0);
  return true;
}

/* Assign rows, whose codes are the numbers of their sets, in an order; if it is NULL, in that of the codes. */
static inline bool assign_rows(Assignment *a, const Codes *codes, const int32_t *order, Host *host) {
  int64_t n_rows = a->given.n_rows, n_labels = a->given.n_labels;
  begin_assignment(a);
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_rows);
    for (int64_t i = begin; i < end; i++) {
      a->members[a->keys[code_of(codes, order == NULL ? i : order[i])]++] = (int32_t)i;
    }
    if (!host->go_on(host)) return false;
  }
  for (int64_t turn = 0; turn < n_labels; turn++) {
    if (!deal_sets(a, turn, a->labels[turn], host)) return false;
  }
  return exchange_all_rows(a, host) && deal_sets(a, n_labels, -1, host);
}

/* Write the rows of the batches of all members, each batch in the order of assignment, and where batches begin.
 *
 * `order` is that of assign_rows(); `rows` have n_rows numbers and count from the host's first row, `offsets` have
 * n_batches + 1 numbers, `of_rows` and `cursors` are scratch space for n_rows and n_batches numbers.
 */
static inline bool gather_batches(
    const Assignment *a, const int32_t *batches, const int32_t *order, int32_t *of_rows, int64_t *cursors,
    int64_t *offsets, int32_t *rows, Host *host
) {
  int64_t n_rows = a->given.n_rows, n_batches = a->given.n_batches;
  memset(offsets, 0, (size_t)(n_batches + 1) * sizeof *offsets);
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_rows);
    for (int64_t member = begin; member < end; member++) {
      of_rows[a->members[member]] = batches[member];
      offsets[batches[member] + 1]++;
    }
    if (!host->go_on(host)) return false;
  }
  begin_groups(n_batches, offsets, cursors);
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_rows);
    for (int64_t i = begin; i < end; i++) {
      rows[cursors[of_rows[i]]++] = (order == NULL ? (int32_t)i : order[i]) + host->first_row;
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

#endif
