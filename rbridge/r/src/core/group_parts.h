/* Groups of rows that are divided into parts, each group as a whole, with about the wanted rows of every stratum.
 *
 * Larger groups come first, of equal ones the one with the first row of a shuffled order. A group goes to a part that
 * still lacks rows: the one that lacks most, on average over the rows of the group, of their strata and of all rows,
 * each in proportion to its size. When there are only as many groups left as parts without any, each of these gets one.
 * So no part exceeds its rows by as many as the largest group has. Parts that lack as many get groups of others, and at
 * last groups are moved and exchanged while what all parts lack or exceed becomes less.
 */

#ifndef PYSTRAT_GROUP_PARTS_H
#define PYSTRAT_GROUP_PARTS_H

#include <stdlib.h>

#include "grouped_rows.h"
#include "random.h"
#include "sorting.h"

enum {
  MOST_PASSES = 20,      /* over all groups, to improve */
  EXCHANGE_PARTNERS = 100 /* groups behind another one that it may be exchanged with */
};

typedef struct {
  const RowGroups *rows;
  int64_t n_parts, n_needed;    /* the first ones must not be empty */
  const int64_t *part_sizes;    /* the wanted rows of each part; their sum is that of all rows */
  int64_t n_groups;             /* those with rows, */
  int32_t *order;               /* from the largest to the smallest */
  GroupContents contents;          /* what each group has */
  int64_t n_rows, *stratum_sizes; /* the rows of each stratum, the last one that of all rows */
  int32_t *held;                /* the rows of each stratum in each part */
  int32_t *part_of;             /* of each group; -1 */
  int64_t *groups_in;           /* each part */
  int64_t largest;              /* the rows of the largest group */
} GroupParts;

/* Return what a part lacks of a stratum, if it has so many rows of it, as rows of a stratum of all rows. */
static inline int64_t lack_of(const GroupParts *self, int64_t stratum, int64_t part, int64_t held) {
  int64_t size = self->stratum_sizes[stratum];
  return (size * self->part_sizes[part] - self->n_rows * held) / size;
}

static inline int32_t *held_by(const GroupParts *self, int64_t stratum, int64_t part) {
  return &self->held[stratum * self->n_parts + part];
}

static inline int64_t size_of_group(const GroupParts *self, int64_t group) { return self->rows->sizes[group]; }

/* Return the rows that a part lacks in all. */
static inline int64_t lack_of_rows(const GroupParts *self, int64_t part) {
  return self->part_sizes[part] - *held_by(self, self->rows->codes.n_strata, part);
}

/* Add a group to a part, with `sign` 1, or take it away, with -1. */
static inline void count_group(GroupParts *self, int64_t group, int64_t part, int32_t sign) {
  for (int64_t entry = self->contents.begins[group]; entry < self->contents.begins[group + 1]; entry++) {
    *held_by(self, self->contents.strata[entry], part) += sign * self->contents.counts[entry];
  }
  self->groups_in[part] += sign;
  self->part_of[group] = sign > 0 ? (int32_t)part : -1;
}

static inline void move_group(GroupParts *self, int64_t group, int64_t part) {
  count_group(self, group, self->part_of[group], -1);
  count_group(self, group, part, 1);
}

/* Return by how much all that parts lack or exceed would change if a part got a group, or lost it, with `sign` -1. */
static inline int64_t change_by(const GroupParts *self, int64_t group, int64_t part, int64_t sign) {
  int64_t change = 0;
  for (int64_t entry = self->contents.begins[group]; entry < self->contents.begins[group + 1]; entry++) {
    int64_t stratum = self->contents.strata[entry], held = *held_by(self, stratum, part);
    change += llabs(lack_of(self, stratum, part, held + sign * self->contents.counts[entry]));
    change -= llabs(lack_of(self, stratum, part, held));
  }
  return change;
}

/* The same for a group that moves to another part. */
static inline int64_t change_by_move(const GroupParts *self, int64_t group, int64_t part) {
  return change_by(self, group, self->part_of[group], -1) + change_by(self, group, part, 1);
}

/* The order of groups, and what they hold ---------------------------------------------------------------------- */

/* Sort the groups that have rows. */
static inline bool order_groups(GroupParts *self, const int32_t *row_order, Host *host) {
  const RowGroups *rows = self->rows;
  int64_t n_groups = rows->n_groups, n_found = 0;
  int64_t *keys = host->memory(host, FOR_THE_CALL, 2 * n_groups * (int64_t)sizeof *keys);
  int32_t *found = keys == NULL ? NULL : host->memory(host, FOR_THE_CALL, 2 * n_groups * (int64_t)sizeof *found);
  if (found == NULL) return false;
  self->part_of = found + n_groups;
  for (int64_t group = 0; group < n_groups; group++) {
    self->part_of[group] = -1;
    if (rows->sizes[group] > self->largest) self->largest = rows->sizes[group];
  }
  for (int64_t place = 0; place < rows->codes.n_rows; place++) {
    int32_t group = rows->groups[row_order[place]];
    if (group == n_groups || self->part_of[group] == 0) continue;
    self->part_of[group] = 0; /* for now: it is found */
    keys[n_found] = (self->largest - rows->sizes[group]) * n_groups + n_found;
    found[n_found++] = group;
  }
  int64_t bits = bits_below((uint64_t)self->largest * (uint64_t)n_groups);
  int64_t *sorted = sort_naturals(keys, keys + n_groups, n_found, bits, host);
  self->n_groups = n_found;
  self->order = sorted == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_found * (int64_t)sizeof *self->order);
  if (self->order == NULL) return false;
  for (int64_t place = 0; place < n_found; place++) {
    self->order[place] = found[sorted[place] % n_groups];
    self->part_of[self->order[place]] = -1;
  }
  return true;
}

/* Make the table of what the parts hold, which is nothing. */
static inline bool make_held(GroupParts *self, Host *host) {
  const Codes *codes = &self->rows->codes;
  int64_t n_strata = codes->n_strata, n_cells = (n_strata + 1) * self->n_parts;
  self->stratum_sizes = host->memory(host, FOR_THE_CALL, (n_strata + 1) * (int64_t)sizeof *self->stratum_sizes);
  self->groups_in = host->memory(host, FOR_THE_CALL, self->n_parts * (int64_t)sizeof *self->groups_in);
  self->held = host->memory(host, FOR_THE_CALL, n_cells * (int64_t)sizeof *self->held);
  if (self->stratum_sizes == NULL || self->groups_in == NULL || self->held == NULL) return false;
  memset(self->held, 0, (size_t)n_cells * sizeof *self->held);
  memset(self->groups_in, 0, (size_t)self->n_parts * sizeof *self->groups_in);
  memcpy(self->stratum_sizes, codes->counts, (size_t)n_strata * sizeof *self->stratum_sizes);
  self->stratum_sizes[n_strata] = self->n_rows;
  return true;
}

/* The parts ---------------------------------------------------------------------------------------------------- */

/* Return the part for a group: of those that lack rows, or of those that need a group, the one that lacks most. */
static inline int64_t part_for_group(const GroupParts *self, int64_t group, bool only_empty) {
  int64_t best = -1, most = 0;
  for (int64_t part = 0; part < self->n_parts; part++) {
    bool is_open = only_empty ? part < self->n_needed && self->groups_in[part] == 0 : lack_of_rows(self, part) > 0;
    if (!is_open) continue;
    int64_t lack = 0;
    for (int64_t entry = self->contents.begins[group]; entry < self->contents.begins[group + 1]; entry++) {
      int64_t stratum = self->contents.strata[entry];
      lack += self->contents.counts[entry] * lack_of(self, stratum, part, *held_by(self, stratum, part));
    }
    if (best >= 0 && lack <= most) continue;
    best = part;
    most = lack;
  }
  return best;
}

static inline bool assign_groups(GroupParts *self, Host *host) {
  int64_t n_empty = self->n_needed;
  for (int64_t place = 0; place < self->n_groups; place++) {
    int64_t group = self->order[place];
    int64_t part = part_for_group(self, group, self->n_groups - place == n_empty);
    n_empty -= part < self->n_needed && self->groups_in[part] == 0;
    count_group(self, group, part, 1);
    if (place % 1024 == 0 && !host->go_on(host)) return false;
  }
  return true;
}

/* Whether a part may lose a group. */
static inline bool may_lose(const GroupParts *self, int64_t part) {
  return part >= self->n_needed || self->groups_in[part] > 1;
}

/* Whether a part may have so many rows more: then it misses its rows by fewer than the largest group has, or by no more
 * than before.
 */
static inline bool may_change(const GroupParts *self, int64_t part, int64_t more) {
  int64_t lack = lack_of_rows(self, part), after = llabs(lack - more);
  return after < self->largest || after <= llabs(lack);
}

/* Give groups to parts that lack as many rows as the largest group has, of parts that exceed theirs. */
static inline bool fill_parts(GroupParts *self, Host *host) {
  for (int64_t part = 0; part < self->n_parts; part++) {
    while (lack_of_rows(self, part) >= self->largest) {
      int64_t best = -1, least = 0;
      for (int64_t place = 0; place < self->n_groups; place++) {
        int64_t group = self->order[place], other = self->part_of[group];
        if (lack_of_rows(self, other) >= 0 || !may_lose(self, other)) continue;
        int64_t change = change_by_move(self, group, part);
        if (best >= 0 && change >= least) continue;
        best = group;
        least = change;
      }
      if (best < 0) break; /* parts that are smaller than the groups hold one each */
      move_group(self, best, part);
      if (!host->go_on(host)) return false;
    }
  }
  return true;
}

/* Move a group to the part where it is best. */
static inline bool improve_by_move(GroupParts *self, int64_t group) {
  int64_t from = self->part_of[group], size = size_of_group(self, group), best = -1, least = 0;
  if (!may_lose(self, from) || !may_change(self, from, -size)) return false;
  int64_t change = change_by(self, group, from, -1);
  for (int64_t part = 0; part < self->n_parts; part++) {
    if (part == from || !may_change(self, part, size)) continue;
    int64_t in_all = change + change_by(self, group, part, 1);
    if (in_all >= least) continue;
    best = part;
    least = in_all;
  }
  if (best >= 0) move_group(self, group, best);
  return best >= 0;
}

/* Exchange two groups of different parts if that is better. */
static inline bool improve_by_exchange(GroupParts *self, int64_t group, int64_t other) {
  int64_t part = self->part_of[group], other_part = self->part_of[other];
  int64_t less = size_of_group(self, group) - size_of_group(self, other);
  if (part == other_part || !may_change(self, part, -less) || !may_change(self, other_part, less)) return false;
  int64_t change = change_by_move(self, group, other_part);
  move_group(self, group, other_part);
  if (change + change_by_move(self, other, part) < 0) {
    move_group(self, other, part);
    return true;
  }
  move_group(self, group, part);
  return false;
}

static inline bool improve_parts(GroupParts *self, Host *host) {
  bool is_better = true;
  for (int pass = 0; is_better && pass < MOST_PASSES; pass++) {
    is_better = false;
    for (int64_t place = 0; place < self->n_groups; place++) {
      is_better = improve_by_move(self, self->order[place]) || is_better;
      int64_t end = smaller(self->n_groups, place + 1 + EXCHANGE_PARTNERS);
      for (int64_t next = place + 1; next < end; next++) {
        is_better = improve_by_exchange(self, self->order[place], self->order[next]) || is_better;
      }
      if (place % 64 == 0 && !host->go_on(host)) return false;
    }
  }
  return true;
}

/* Find the part of each group. There are at least n_needed groups with rows: see count_groups(). */
static inline bool divide_groups(GroupParts *self, const int32_t *row_order, Host *host) {
  return order_groups(self, row_order, host) &&
         find_group_contents(self->rows, FOR_THE_CALL, &self->contents, host) && make_held(self, host) &&
         assign_groups(self, host) && fill_parts(self, host) && improve_parts(self, host);
}

/* Return the number of groups that have rows. */
static inline int64_t count_groups(const RowGroups *rows) {
  int64_t n_groups = 0;
  for (int64_t group = 0; group < rows->n_groups; group++) n_groups += rows->sizes[group] > 0;
  return n_groups;
}

#endif
