/* Batches of groups with rows of several strata, each group as a whole, with the wanted rows of every stratum in each.
 *
 * A group counts for the rarest of its strata. The groups of the rarest stratum are dealt first; each goes to the batch
 * with the fewest rows of that stratum, ties broken as for other groups: see groups_together.h. Then batches are
 * repaired: while some lack rows, a group of a stratum moves to a batch that lacks it, by itself or in exchange for
 * another group, if all batches together do not lack more afterwards. The same steps, of any groups to any batches,
 * make other batches of those that lack nothing. A batch may also have too many rows, which counts as a lack.
 */

#ifndef PYSTRAT_GROUPS_MIXED_H
#define PYSTRAT_GROUPS_MIXED_H

#include "grouped_rows.h"
#include "groups_together.h"
#include "random.h"
#include "sorting.h"

enum {
  TRIES_PER_GROUP = 100, /* to repair batches, or to change them, */
  MOST_TRIES = 1 << 21,  /* but no more in all */
  STEPS_PER_GROUP = 20,  /* that change batches; fewer if the tries come to their end */
  REPAIR_PARTS = 64,     /* of the tries of a repair, after each of which it may stop */
  FEWEST_HELPFUL = 8     /* steps that must be missing, and places that no step mends, before a repair stops */
};

/* Groups, and the stratum for which each counts. */
typedef struct {
  const RowGroups *rows;
  GroupContents contents;
  int32_t *order;  /* n_strata: the strata, the one with the fewest rows first */
  int32_t *ranks;  /* n_groups: the place in this order of the stratum for which each group counts */
  int32_t *counts; /* n_groups: the rows of this stratum in each group; 0 if it has no rows */
} MixedGroups;

/* Groups in batches. */
typedef struct {
  const MixedGroups *groups;
  int64_t n_batches;
  int32_t *floors;          /* n_strata: the rows of each stratum that every batch must have */
  int64_t most;             /* the most rows of a batch */
  int32_t *batch_of;        /* n_groups: the batch of each group; -1 */
  int32_t *next, *previous; /* n_groups: those in the ring of the groups of the same batch */
  int32_t *first;           /* n_batches: where these rings begin; -1 for a batch without groups */
  int32_t *held;            /* for each batch, n_strata + 1: its rows of each stratum, and all of them */
  int64_t lack;             /* the rows that all batches lack, or have too many */
  int64_t n_lacking;
  int32_t *lacking, *places; /* which of `held` lack rows, and where each of them is among these */
} MixedBatches;

static inline int64_t width_of_batch(const MixedBatches *self) { return self->groups->rows->codes.n_strata + 1; }

/* Return the number of groups that have rows. */
static inline int64_t count_mixed_groups(const MixedGroups *groups) {
  const int64_t *starts = groups->contents.starts;
  int64_t n_strata = groups->rows->codes.n_strata;
  return starts[n_strata + 1] - starts[n_strata];
}

/* Return how many numbers of rows a table of strata and of all rows has. */
static inline int64_t cells_of_batches(const RowGroups *rows, int64_t n_batches) {
  return (rows->codes.n_strata + 1) * n_batches;
}

/* Return the rows that batches need not exceed: the mean without the largest group, and this group. */
static inline int64_t most_rows_of_batch(const RowGroups *rows, int64_t n_batches) {
  int64_t n_rows = rows->codes.n_rows - rows->codes.counts[rows->codes.n_strata], largest = 0;
  for (int64_t group = 0; group < rows->n_groups; group++) {
    if (rows->sizes[group] > largest) largest = rows->sizes[group];
  }
  return (n_rows - largest) / n_batches + largest;
}

/* Return the "skeleton" of a recipe, the batch of each group, or NULL. */
static inline const int32_t *read_skeleton(const Parts *recipe, const RowGroups *rows, int64_t n_batches, Host *host) {
  Part part = find_part(recipe, "skeleton");
  const int32_t *skeleton = part.values;
  bool is_right = part.type == INTEGERS && part.length == rows->n_groups;
  for (int64_t group = 0; is_right && group < rows->n_groups; group++) {
    is_right = skeleton[group] >= 0 && skeleton[group] < n_batches;
  }
  if (is_right) return skeleton;
  refuse_part(
      host, "skeleton", "%lld integer%s from 0 to %lld, the batches of groups", (long long)rows->n_groups,
      rows->n_groups == 1 ? "" : "s", (long long)n_batches - 1
  );
  return NULL;
}

/* What batches are bounded by: a skeleton, which has the batch of each group. */
typedef struct {
  const int32_t *skeleton; /* n_groups; NULL in a plan */
  int32_t *floors; /* n_strata: the rows of each stratum in every batch: the minimum, or as many as the skeleton has */
  int64_t most;    /* rows of a batch: as above, or as many as the skeleton has */
} MixedBounds;

/* Find the bounds by a skeleton, in memory of this life; refuse one in which a batch has no group. */
static inline bool find_mixed_bounds(
    const RowGroups *rows, const int32_t *skeleton, int64_t n_batches, int64_t minimum, Life life, MixedBounds *bounds,
    Host *host
) {
  const Codes *codes = &rows->codes;
  int64_t width = codes->n_strata + 1, n_cells = cells_of_batches(rows, n_batches), fewest = LARGEST_COUNT, most = 0;
  bounds->floors = host->memory(host, life, codes->n_strata * (int64_t)sizeof *bounds->floors);
  int32_t *held = bounds->floors == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_cells * (int64_t)sizeof *held);
  if (held == NULL) return false;
  memset(held, 0, (size_t)n_cells * sizeof *held);
  for (int64_t row = 0; row < codes->n_rows; row++) {
    int64_t stratum = code_of(codes, row);
    if (stratum == codes->n_strata) continue;
    int32_t *of_batch = &held[skeleton[rows->groups[row]] * width];
    of_batch[stratum] += 1;
    of_batch[codes->n_strata] += 1;
  }
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) bounds->floors[stratum] = (int32_t)minimum;
  for (int64_t batch = 0; batch < n_batches; batch++) {
    const int32_t *of_batch = &held[batch * width];
    for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
      if (of_batch[stratum] < bounds->floors[stratum]) bounds->floors[stratum] = of_batch[stratum];
    }
    fewest = smaller(fewest, of_batch[codes->n_strata]);
    if (of_batch[codes->n_strata] > most) most = of_batch[codes->n_strata];
  }
  if (fewest == 0) return refuse(host, "recipe", "fewer", "have a group for each batch in 'skeleton'");
  bounds->most = most_rows_of_batch(rows, n_batches);
  if (most > bounds->most) bounds->most = most;
  return host->go_on(host);
}

/* Read the skeleton of a recipe and find its bounds. */
static inline bool read_mixed_bounds(
    const Parts *recipe, const RowGroups *rows, int64_t n_batches, int64_t minimum, Life life, MixedBounds *bounds,
    Host *host
) {
  if (cells_of_batches(rows, n_batches) > LARGEST_COUNT) {
    return refuse(host, "recipe", "more", "have at most %d strata times batches", LARGEST_COUNT);
  }
  const int32_t *skeleton = bounds->skeleton = read_skeleton(recipe, rows, n_batches, host);
  return skeleton != NULL && find_mixed_bounds(rows, skeleton, n_batches, minimum, life, bounds, host);
}

/* Find what the groups hold and for which stratum they count, in memory of this life. */
static inline bool find_mixed_groups(const RowGroups *rows, Life life, MixedGroups *groups, Host *host) {
  int64_t n_strata = rows->codes.n_strata, n_groups = rows->n_groups;
  groups->rows = rows;
  if (!find_group_contents(rows, life, &groups->contents, host)) return false;
  int32_t *scratch = host->memory(host, FOR_THE_CALL, 3 * n_strata * (int64_t)sizeof *scratch);
  if (scratch == NULL) return false;
  groups->order = host->memory(host, life, (n_strata + 2 * n_groups) * (int64_t)sizeof *groups->order);
  if (groups->order == NULL) return false;
  groups->ranks = groups->order + n_strata;
  groups->counts = groups->ranks + n_groups;
  int32_t *rank_of = scratch + 2 * n_strata;
  int64_t bits = bits_below((uint64_t)rows->codes.n_rows + 1);
  const int32_t *sorted = sort_places(rows->codes.counts, scratch, scratch + n_strata, n_strata, bits, host);
  if (sorted == NULL) return false;
  memcpy(groups->order, sorted, (size_t)n_strata * sizeof *sorted);
  for (int32_t rank = 0; rank < n_strata; rank++) rank_of[sorted[rank]] = rank;
  const GroupContents *contents = &groups->contents;
  for (int64_t group = 0; group < n_groups; group++) {
    groups->ranks[group] = groups->counts[group] = 0;
    for (int64_t entry = contents->begins[group]; entry + 1 < contents->begins[group + 1]; entry++) {
      int32_t rank = rank_of[contents->strata[entry]];
      if (groups->counts[group] > 0 && rank > groups->ranks[group]) continue;
      groups->ranks[group] = rank;
      groups->counts[group] = contents->counts[entry];
    }
  }
  return host->go_on(host);
}

/* Give the batches their memory, for the call and for at most `n_batches`. */
static inline bool new_mixed_batches(const MixedGroups *groups, int64_t n_batches, MixedBatches *self, Host *host) {
  int64_t n_groups = groups->rows->n_groups, n_cells = cells_of_batches(groups->rows, n_batches);
  int64_t n_numbers = groups->rows->codes.n_strata + 3 * n_groups + n_batches + 3 * n_cells;
  self->groups = groups;
  self->floors = host->memory(host, FOR_THE_CALL, n_numbers * (int64_t)sizeof *self->floors);
  if (self->floors == NULL) return false;
  self->batch_of = self->floors + groups->rows->codes.n_strata;
  self->next = self->batch_of + n_groups;
  self->previous = self->next + n_groups;
  self->first = self->previous + n_groups;
  self->held = self->first + n_batches;
  self->lacking = self->held + n_cells;
  self->places = self->lacking + n_cells;
  return true;
}

/* What batches lack -------------------------------------------------------------------------------------------- */

/* Return what a batch lacks of a stratum, or how many rows it has too many, if it has so many. */
static inline int64_t lack_at(const MixedBatches *self, int64_t stratum, int64_t held) {
  bool is_total = stratum + 1 == width_of_batch(self);
  int64_t lack = is_total ? held - self->most : self->floors[stratum] - held;
  return lack > 0 ? lack : 0;
}

/* Add rows of a stratum to a batch. */
static inline void add_to_cell(MixedBatches *self, int64_t batch, int64_t stratum, int32_t more) {
  int64_t cell = batch * width_of_batch(self) + stratum;
  int64_t before = lack_at(self, stratum, self->held[cell]);
  self->held[cell] += more;
  int64_t after = lack_at(self, stratum, self->held[cell]);
  self->lack += after - before;
  if ((before == 0) == (after == 0)) return;
  if (after > 0) {
    self->places[cell] = (int32_t)self->n_lacking;
    self->lacking[self->n_lacking++] = (int32_t)cell;
  } else {
    int32_t last = self->lacking[--self->n_lacking];
    self->lacking[self->places[cell]] = last;
    self->places[last] = self->places[cell];
  }
}

/* Begin with batches that have no groups. */
static inline void begin_mixed_batches(MixedBatches *self, int64_t n_batches) {
  int64_t n_strata = width_of_batch(self) - 1;
  self->n_batches = n_batches;
  self->lack = self->n_lacking = 0;
  memset(self->batch_of, 0xFF, (size_t)self->groups->rows->n_groups * sizeof *self->batch_of);
  memset(self->first, 0xFF, (size_t)n_batches * sizeof *self->first);
  for (int64_t batch = 0; batch < n_batches; batch++) {
    for (int64_t stratum = 0; stratum <= n_strata; stratum++) {
      int64_t cell = batch * (n_strata + 1) + stratum;
      self->held[cell] = 0;
      if (stratum == n_strata || self->floors[stratum] == 0) continue;
      self->lack += self->floors[stratum];
      self->places[cell] = (int32_t)self->n_lacking;
      self->lacking[self->n_lacking++] = (int32_t)cell;
    }
  }
}

static inline void put_group(MixedBatches *self, int32_t group, int64_t batch) {
  const GroupContents *contents = &self->groups->contents;
  for (int64_t entry = contents->begins[group]; entry < contents->begins[group + 1]; entry++) {
    add_to_cell(self, batch, contents->strata[entry], contents->counts[entry]);
  }
  int32_t behind = self->first[batch] < 0 ? group : self->first[batch];
  if (behind == group) {
    self->first[batch] = self->previous[group] = group;
  } else {
    self->previous[group] = self->previous[behind];
    self->next[self->previous[behind]] = group;
    self->previous[behind] = group;
  }
  self->next[group] = behind;
  self->batch_of[group] = (int32_t)batch;
}

static inline void take_group(MixedBatches *self, int32_t group) {
  const GroupContents *contents = &self->groups->contents;
  int32_t batch = self->batch_of[group], behind = self->next[group];
  for (int64_t entry = contents->begins[group]; entry < contents->begins[group + 1]; entry++) {
    add_to_cell(self, batch, contents->strata[entry], -contents->counts[entry]);
  }
  self->next[self->previous[group]] = behind;
  self->previous[behind] = self->previous[group];
  if (self->first[batch] == group) self->first[batch] = behind == group ? -1 : behind;
  self->batch_of[group] = -1;
}

/* Put the groups into the batches of a skeleton, a number for each group; into others in their place if `order`, of
 * n_batches numbers, is not NULL.
 */
static inline void put_skeleton(MixedBatches *self, const int32_t *skeleton, int64_t n_batches, const int32_t *order) {
  begin_mixed_batches(self, n_batches);
  for (int32_t group = 0; group < self->groups->rows->n_groups; group++) {
    if (self->groups->counts[group] == 0) continue;
    put_group(self, group, order == NULL ? skeleton[group] : order[skeleton[group]]);
  }
}

/* Return the next group of a batch, one after another; -1 if there is none. */
static inline int32_t next_group_of(MixedBatches *self, int64_t batch) {
  int32_t group = self->first[batch];
  if (group >= 0) self->first[batch] = self->next[group];
  return group;
}

/* Return how much more is lacking if a batch has so many rows of a stratum more. */
static inline int64_t more_at(const MixedBatches *self, int64_t batch, int64_t stratum, int64_t more) {
  int64_t held = self->held[batch * width_of_batch(self) + stratum];
  return lack_at(self, stratum, held + more) - lack_at(self, stratum, held);
}

/* Return how much more is lacking if a group moves to a batch, in exchange for another group unless that is -1. */
static inline int64_t more_by_step(const MixedBatches *self, int32_t group, int32_t other, int64_t batch) {
  const GroupContents *contents = &self->groups->contents;
  int64_t from = self->batch_of[group], more = 0;
  int64_t entry = contents->begins[group], end = contents->begins[group + 1];
  int64_t entry_of_other = other < 0 ? 0 : contents->begins[other];
  int64_t end_of_other = other < 0 ? 0 : contents->begins[other + 1];
  while (entry < end || entry_of_other < end_of_other) {
    int64_t stratum = entry < end ? contents->strata[entry] : INT32_MAX, change = 0;
    if (entry_of_other < end_of_other) stratum = smaller(stratum, contents->strata[entry_of_other]);
    if (entry < end && contents->strata[entry] == stratum) change += contents->counts[entry++];
    if (entry_of_other < end_of_other && contents->strata[entry_of_other] == stratum) {
      change -= contents->counts[entry_of_other++];
    }
    more += more_at(self, from, stratum, -change) + more_at(self, batch, stratum, change);
  }
  return more;
}

/* Move a group to another batch, in exchange for a group of it unless that is -1; return whether that was done: not if
 * batches lacked more, or if one had no group.
 */
static inline bool try_step(MixedBatches *self, int32_t group, int32_t other, int64_t batch) {
  int32_t from = self->batch_of[group];
  if (other < 0 && self->next[group] == group) return false;
  if (more_by_step(self, group, other, batch) > 0) return false;
  take_group(self, group);
  if (other >= 0) {
    take_group(self, other);
    put_group(self, other, from);
  }
  put_group(self, group, batch);
  return true;
}

/* Dealing, repair and change ----------------------------------------------------------------------------------- */

/* Deal the groups of a line, in the order of the strata for which they count, to the batches, which have none.
 *
 * If `of_all`, groups that were dealt for other strata count for how many rows of a stratum a batch has.
 */
static inline bool deal_mixed_groups(
    MixedBatches *self, const int32_t *line, bool of_all, GroupDealing *dealing, Host *host
) {
  const MixedGroups *groups = self->groups;
  int64_t n_found = count_mixed_groups(groups), width = width_of_batch(self), since = 0;
  dealing->n_batches = self->n_batches;
  for (int32_t batch = 0; batch < self->n_batches; batch++) dealing->heap[batch] = batch;
  for (int64_t place = 0; place < n_found; place++) {
    int32_t group = line[place], rank = groups->ranks[group];
    if (place == 0 || groups->ranks[line[place - 1]] != rank) {
      for (int64_t batch = 0; batch < self->n_batches; batch++) {
        dealing->held[batch] = of_all ? self->held[batch * width + groups->order[rank]] : 0;
        dealing->totals[batch] = self->held[batch * width + width - 1];
      }
      for (int64_t top = self->n_batches / 2; top-- > 0;) sink_batch(dealing, top);
      if (!may_go_on(&since, self->n_batches, host)) return false;
    }
    int32_t batch = dealing->heap[0];
    put_group(self, group, batch);
    dealing->held[batch] += groups->counts[group];
    dealing->totals[batch] += groups->rows->sizes[group];
    sink_batch(dealing, 0);
    if (!may_go_on(&since, 1, host)) return false;
  }
  return true;
}

static inline int64_t some_index(Generator *generator, int64_t limit) {
  return (int64_t)index_below(generator, (uint64_t)limit, bits_below((uint64_t)limit));
}

/* Return one of the groups of a stratum, or of all groups if it is the number of strata. */
static inline int32_t some_group(const MixedGroups *groups, int64_t stratum, Generator *generator) {
  const int64_t *starts = groups->contents.starts;
  int64_t count = starts[stratum + 1] - starts[stratum];
  return groups->contents.groups[starts[stratum] + some_index(generator, count)];
}

static inline int64_t tries_of_groups(const MixedGroups *groups) {
  return smaller(TRIES_PER_GROUP * count_mixed_groups(groups), MOST_TRIES);
}

/* How often a repair was helped: how many steps lowered what batches lack, by the tries before. */
typedef struct {
  int64_t n_tries, n_helpful;
  int64_t helpful[REPAIR_PARTS + 1]; /* at the beginning, and after each part of the tries */
} RepairProgress;

/* Return whether a repair, before its try number `n_done`, is too slow to come to its end.
 *
 * Steps that help become rarer, so that the later half of the tries until now says how many will come at most. Each
 * mends about one place that lacks rows. If they came as often as the places need, so few would hardly ever have come
 * by accident. Few places say nothing: luck may mend them with the last tries.
 */
static inline bool is_hopeless(RepairProgress *progress, int64_t n_done, int64_t n_lacking) {
  int64_t part = n_done * REPAIR_PARTS / progress->n_tries;
  if (part == 0 || n_done != (part * progress->n_tries + REPAIR_PARTS - 1) / REPAIR_PARTS) return false;
  progress->helpful[part] = progress->n_helpful;
  int64_t before = part / 2, n_seen = progress->n_helpful - progress->helpful[before];
  return (n_lacking - FEWEST_HELPFUL) * (part - before) > (REPAIR_PARTS - part) * (2 * n_seen + FEWEST_HELPFUL);
}

/* Try one step to repair batches that lack rows. */
static inline void try_to_repair(MixedBatches *self, Generator *generator) {
  int64_t width = width_of_batch(self), cell = self->lacking[some_index(generator, self->n_lacking)];
  int64_t batch = cell / width, stratum = cell % width;
  int32_t group;
  if (stratum + 1 == width) { /* too many rows */
    group = next_group_of(self, batch);
    batch = some_index(generator, self->n_batches);
  } else {
    group = some_group(self->groups, stratum, generator);
  }
  if (self->batch_of[group] == batch || try_step(self, group, -1, batch)) return;
  int32_t other = next_group_of(self, batch);
  if (other >= 0) try_step(self, group, other, batch);
}

/* Repair batches, until they lack nothing or the tries come to their end; or, if it `may_stop`, until that is hopeless.
 */
static inline bool repair_batches(MixedBatches *self, bool may_stop, Generator *generator, Host *host) {
  RepairProgress progress = {.n_tries = tries_of_groups(self->groups)};
  int64_t since = 0;
  for (int64_t i = 0; i < progress.n_tries && self->lack > 0; i++) {
    if (may_stop && is_hopeless(&progress, i, self->n_lacking)) return true;
    int64_t before = self->lack;
    try_to_repair(self, generator);
    progress.n_helpful += self->lack < before;
    if (!may_go_on(&since, 1, host)) return false;
  }
  return true;
}

/* Change batches that lack nothing into others. */
static inline bool change_batches(MixedBatches *self, Generator *generator, Host *host) {
  int64_t n_tries = tries_of_groups(self->groups), most_steps = STEPS_PER_GROUP * count_mixed_groups(self->groups);
  int64_t n_strata = width_of_batch(self) - 1, n_steps = 0, since = 0;
  for (int64_t i = 0; i < n_tries && n_steps < most_steps; i++) {
    int32_t group = some_group(self->groups, n_strata, generator);
    int64_t batch = some_index(generator, self->n_batches);
    if (self->batch_of[group] != batch) {
      n_steps += try_step(self, group, i % 2 == 0 ? -1 : next_group_of(self, batch), batch);
    }
    if (!may_go_on(&since, 1, host)) return false;
  }
  return true;
}

#endif
