/* Batches that keep groups together: all rows of a group are in one batch.
 *
 * Every group belongs to one stratum, or counts for one of those that its rows have: see groups_mixed.h. The strata are
 * dealt one after another, and the groups of a stratum in the order of their first rows in the epoch, except that the
 * first n_batches large groups, with at least `minimum` rows of it, come before all others. Each group goes to the
 * batch with the fewest rows of its stratum. Ties are broken by the number of rows of earlier strata, then by the
 * number of the batch.
 */

#ifndef PYSTRAT_GROUPS_TOGETHER_H
#define PYSTRAT_GROUPS_TOGETHER_H

#include <stdbool.h>
#include <stdint.h>

/* The groups of an epoch. The caller owns the arrays. */
typedef struct {
  int64_t n_strata;
  int64_t n_groups;
  int64_t n_batches;
  int64_t minimum;
  const int32_t *sizes;     /* n_groups numbers: the rows of each group in an epoch, which may be 0 */
  const int32_t *counts;    /* n_groups numbers: those that are of its stratum */
  const int32_t *strata_of; /* n_groups numbers: the stratum of each group */
  int64_t n_found;          /* groups that were found, 0 at first */
  int32_t *found;           /* n_groups numbers: these groups, in the order of the epoch */
  int64_t *n_first;         /* n_strata numbers, zeros at first: the large groups that come first in each stratum */
  int64_t *n_other;         /* n_strata numbers, zeros at first: the other groups of each stratum */
  int32_t *line;            /* n_groups numbers: the groups that were found, in the order of dealing */
  int32_t *next_places;     /* n_groups numbers, -1 at first: where the next row of each group goes in the end */
  int32_t *batch_of;        /* n_groups numbers: the batch of each group, from 0 */
} GroupedRows;

/* Whether a group is large and one of the first n_batches large groups; `n_before` of them came before. */
static inline bool comes_first(const GroupedRows *grouped, int32_t group, int64_t n_before) {
  return grouped->counts[group] >= grouped->minimum && n_before < grouped->n_batches;
}

/* Find the groups of the rows from place `begin` to before `end` of the order of the epoch.
 *
 * `groups` has the group of each row, n_groups for rows that the epoch leaves out. Rows are counted from 0.
 */
static inline void find_groups(
    const int32_t *order, const int32_t *groups, int64_t begin, int64_t end, GroupedRows *grouped
) {
  for (int64_t place = begin; place < end; place++) {
    int32_t group = groups[order[place]];
    if (group >= grouped->n_groups || grouped->next_places[group] >= 0) continue;
    grouped->next_places[group] = 0;
    grouped->found[grouped->n_found++] = group;
    int32_t stratum = grouped->strata_of[group];
    if (comes_first(grouped, group, grouped->n_first[stratum])) {
      grouped->n_first[stratum] += 1;
    } else {
      grouped->n_other[stratum] += 1;
    }
  }
}

/* Find where in the line each stratum begins, after all groups were found.
 *
 * `firsts` and `others` have n_strata numbers each: the place of the next large group that comes first, and that of the
 * next other group.
 */
static inline void begin_line(const GroupedRows *grouped, int64_t *firsts, int64_t *others) {
  int64_t begin = 0;
  for (int64_t stratum = 0; stratum < grouped->n_strata; stratum++) {
    firsts[stratum] = begin;
    others[stratum] = begin + grouped->n_first[stratum];
    begin = others[stratum] + grouped->n_other[stratum];
  }
}

/* Put the groups from `begin` to before `end` of those that were found into the line; `n_first` is used up. */
static inline void line_up_groups(
    GroupedRows *grouped, int64_t begin, int64_t end, int64_t *firsts, int64_t *others
) {
  for (int64_t i = begin; i < end; i++) {
    int32_t group = grouped->found[i];
    int32_t stratum = grouped->strata_of[group];
    bool is_first = grouped->counts[group] >= grouped->minimum && grouped->n_first[stratum] > 0;
    if (is_first) grouped->n_first[stratum] -= 1;
    int64_t *place = is_first ? &firsts[stratum] : &others[stratum];
    grouped->line[*place] = group;
    *place += 1;
  }
}

/* The state of dealing the groups to the batches. The caller owns the arrays. */
typedef struct {
  int64_t n_batches;
  int64_t dealt;   /* the number of groups of the line that are dealt */
  int32_t *held;   /* n_batches numbers: rows of the stratum that is being dealt */
  int32_t *totals; /* n_batches numbers: rows of the strata before */
  int32_t *heap;   /* n_batches numbers: the batches, the one that gets the next group on top */
} GroupDealing;

/* Whether a batch gets a group before another batch does. */
static inline bool batch_is_before(const GroupDealing *dealing, int32_t batch, int32_t other) {
  if (dealing->held[batch] != dealing->held[other]) return dealing->held[batch] < dealing->held[other];
  if (dealing->totals[batch] != dealing->totals[other]) return dealing->totals[batch] < dealing->totals[other];
  return batch < other;
}

/* Move the batch at a place of the heap down until the heap is in order. */
static inline void sink_batch(GroupDealing *dealing, int64_t place) {
  int32_t *heap = dealing->heap;
  int32_t moved = heap[place];
  while (2 * place + 1 < dealing->n_batches) {
    int64_t child = 2 * place + 1;
    if (child + 1 < dealing->n_batches && batch_is_before(dealing, heap[child + 1], heap[child])) child += 1;
    if (batch_is_before(dealing, moved, heap[child])) break;
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = moved;
}

/* Begin to deal: no batch has any rows. */
static inline void begin_dealing_groups(GroupDealing *dealing) {
  dealing->dealt = 0;
  for (int64_t batch = 0; batch < dealing->n_batches; batch++) {
    dealing->held[batch] = dealing->totals[batch] = 0;
    dealing->heap[batch] = (int32_t)batch;
  }
}

/* Continue with the next stratum: no batch has rows of it. */
static inline void end_stratum(GroupDealing *dealing) {
  for (int64_t batch = 0; batch < dealing->n_batches; batch++) {
    dealing->totals[batch] += dealing->held[batch];
    dealing->held[batch] = 0;
  }
  for (int64_t place = dealing->n_batches / 2; place-- > 0;) sink_batch(dealing, place);
}

/* Deal the groups of the line up to place `end`.
 *
 * The time is proportional to the number of groups, if each stratum has at least n_batches of them.
 */
static inline void deal_groups(GroupedRows *grouped, GroupDealing *dealing, int64_t end) {
  for (; dealing->dealt < end; dealing->dealt++) {
    int32_t group = grouped->line[dealing->dealt];
    int32_t batch = dealing->heap[0];
    grouped->batch_of[group] = batch;
    dealing->held[batch] += grouped->sizes[group];
    sink_batch(dealing, 0);
    bool is_last = dealing->dealt + 1 == grouped->n_found;
    if (is_last || grouped->strata_of[grouped->line[dealing->dealt + 1]] != grouped->strata_of[group]) {
      end_stratum(dealing);
    }
  }
}

/* Fill `offsets`, of n_batches + 1 numbers: where each batch begins, and where the last one ends. */
static inline void fill_group_offsets(const GroupDealing *dealing, int64_t *offsets) {
  offsets[0] = 0;
  for (int64_t batch = 0; batch < dealing->n_batches; batch++) {
    offsets[batch + 1] = offsets[batch] + dealing->totals[batch];
  }
}

/* Find where the rows of the groups from place `begin` to before `end` of the line go.
 *
 * `next_free` has n_batches numbers: at first the offsets, then the first free place of each batch.
 */
static inline void place_groups(GroupedRows *grouped, int64_t begin, int64_t end, int64_t *next_free) {
  for (int64_t i = begin; i < end; i++) {
    int32_t group = grouped->line[i];
    int64_t *place = &next_free[grouped->batch_of[group]];
    grouped->next_places[group] = (int32_t)*place;
    *place += grouped->sizes[group];
  }
}

/* Write the rows from place `begin` to before `end` of the order of the epoch, counted from `first_row`. */
static inline void write_grouped_rows(
    const int32_t *order, const int32_t *groups, int32_t first_row, int64_t begin, int64_t end, GroupedRows *grouped,
    int32_t *rows
) {
  for (int64_t place = begin; place < end; place++) {
    int32_t group = groups[order[place]];
    if (group < grouped->n_groups) rows[grouped->next_places[group]++] = order[place] + first_row;
  }
}

#endif
