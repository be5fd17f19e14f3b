/* Rows of strata that also have groups: which rows each group has, and bounds on the rows of a stratum in a batch. */

#ifndef PYSTRAT_GROUPED_ROWS_H
#define PYSTRAT_GROUPED_ROWS_H

#include "plan.h"
#include "recipe.h"

typedef struct {
  Codes codes;        /* the stratum of each row */
  int64_t n_groups;
  int32_t *groups;    /* n_rows: the group of each row; n_groups for rows that are in no batch */
  int32_t *sizes;     /* n_groups: the rows of each group, without these */
  int32_t *strata_of; /* n_groups: the stratum of the first row of each group */
  int64_t crossing;   /* the first row whose stratum is not that of its group; -1 if there is none */
} RowGroups;

/* Find the groups of the rows; refuse others than numbers of groups. */
static inline bool find_row_groups(RowGroups *rows, const Part *given, Host *host) {
  const uint8_t *bytes = given->type == BYTES ? given->values : NULL;
  const int32_t *integers = given->type == BYTES ? NULL : given->values;
  for (int64_t row = 0; row < given->length; row++) {
    if (!go_on_after(row, host)) return false;
    int32_t group = bytes != NULL ? bytes[row] : integers[row];
    if (group < 0 || group >= rows->n_groups) {
      return refuse(host, "recipe", "others", "have numbers of groups as 'groups'");
    }
    int64_t stratum = code_of(&rows->codes, row);
    rows->groups[row] = stratum < rows->codes.n_strata ? group : (int32_t)rows->n_groups;
    if (stratum == rows->codes.n_strata) continue;
    if (rows->sizes[group]++ == 0) rows->strata_of[group] = (int32_t)stratum;
    if (rows->strata_of[group] != stratum && rows->crossing < 0) rows->crossing = row;
  }
  return true;
}

/* Check that the "groups" of a request are as many as its "codes". */
static inline bool check_groups_of_rows(const Parts *request, Host *host) {
  int64_t n_rows = find_part(request, "codes").length, n_given = find_part(request, "groups").length;
  if (n_given == n_rows) return true;
  char got[NUMBER];
  show_count(n_given, "value", got);
  return refuse(host, "groups", got, "have one value for each row of 'strata', %lld", (long long)n_rows);
}

/* Read the strata and the groups of rows, in memory of this life. */
static inline bool read_row_groups(const Parts *parts, Life life, RowGroups *rows, Host *host) {
  Part given = find_part(parts, "groups");
  if (!read_codes(parts, life, &rows->codes, host)) return false;
  int64_t n_rows = rows->codes.n_rows;
  if ((given.type != BYTES && given.type != INTEGERS) || given.length != n_rows) {
    refuse(host, "recipe", NULL, "have one group for each row as 'groups', raw or integer");
    host->refusal.shown = "groups";
    return false;
  }
  if (!read_count(parts, "n_groups", 1, (double)n_rows, &rows->n_groups, host)) return false;
  rows->crossing = -1;
  rows->groups = host->memory(host, life, n_rows * (int64_t)sizeof(int32_t));
  rows->sizes = rows->groups == NULL ? NULL : host->memory(host, life, 2 * rows->n_groups * (int64_t)sizeof(int32_t));
  if (rows->sizes == NULL) return false;
  rows->strata_of = rows->sizes + rows->n_groups;
  memset(rows->sizes, 0, 2 * (size_t)rows->n_groups * sizeof(int32_t));
  return find_row_groups(rows, &given, host);
}

/* What groups of rows hold: the rows of each stratum that they have, by stratum and by group. Of each group, all rows
 * are the last entry, as those of a stratum behind all others, which has the groups that have rows.
 */
typedef struct {
  int64_t n_entries;
  int64_t *starts;        /* n_strata + 2: where the entries of each stratum begin, */
  int32_t *groups, *held; /* the group of each, and its rows of the stratum */
  int64_t *begins;          /* n_groups + 1: where the entries of each group begin, */
  int32_t *strata, *counts; /* the stratum of each, in ascending order, and the rows of it */
} GroupContents;

/* Put the groups of the rows of each stratum side by side, into `sorted`; return where the strata begin, or NULL. */
static inline int64_t *sort_groups_by_stratum(const RowGroups *rows, int32_t *sorted, Host *host) {
  const Codes *codes = &rows->codes;
  int64_t n_strata = codes->n_strata;
  int64_t *starts = host->memory(host, FOR_THE_CALL, (2 * n_strata + 1) * (int64_t)sizeof *starts);
  if (starts == NULL) return NULL;
  int64_t *next = starts + n_strata + 1;
  fill_starts(codes->counts, n_strata, starts);
  memcpy(next, starts, (size_t)n_strata * sizeof *next);
  for (int64_t row = 0; row < codes->n_rows; row++) {
    int64_t stratum = code_of(codes, row);
    if (stratum < n_strata) sorted[next[stratum]++] = rows->groups[row];
  }
  return host->go_on(host) ? starts : NULL;
}

/* Count the entries of each stratum and of each group, in the numbers after theirs. `found` has zeros, and then again.
 */
static inline void count_group_contents(
    const RowGroups *rows, const int64_t *row_starts, const int32_t *sorted, int32_t *found, GroupContents *contents
) {
  int64_t n_strata = rows->codes.n_strata;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    for (int64_t place = row_starts[stratum]; place < row_starts[stratum + 1]; place++) {
      if (found[sorted[place]]++ > 0) continue;
      contents->starts[stratum + 1] += 1;
      contents->begins[sorted[place] + 1] += 1;
    }
    for (int64_t place = row_starts[stratum]; place < row_starts[stratum + 1]; place++) found[sorted[place]] = 0;
  }
  for (int64_t group = 0; group < rows->n_groups; group++) {
    bool has_rows = rows->sizes[group] > 0;
    contents->starts[n_strata + 1] += has_rows;
    contents->begins[group + 1] += contents->begins[group] + has_rows;
  }
  for (int64_t stratum = 0; stratum <= n_strata; stratum++) contents->starts[stratum + 1] += contents->starts[stratum];
}

/* Fill in the entries, whose numbers are counted. */
static inline void fill_group_contents(
    const RowGroups *rows, const int64_t *row_starts, const int32_t *sorted, int32_t *found, GroupContents *contents
) {
  int64_t n_strata = rows->codes.n_strata, n_entries = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    for (int64_t place = row_starts[stratum]; place < row_starts[stratum + 1]; place++) found[sorted[place]] += 1;
    for (int64_t place = row_starts[stratum]; place < row_starts[stratum + 1]; place++) {
      int32_t group = sorted[place];
      if (found[group] == 0) continue;
      contents->groups[n_entries] = group;
      contents->held[n_entries++] = found[group];
      found[group] = 0;
    }
  }
  for (int64_t group = 0; group < rows->n_groups; group++) {
    if (rows->sizes[group] == 0) continue;
    contents->groups[n_entries] = (int32_t)group;
    contents->held[n_entries++] = rows->sizes[group];
  }
  for (int64_t stratum = 0; stratum <= n_strata; stratum++) {
    for (int64_t entry = contents->starts[stratum]; entry < contents->starts[stratum + 1]; entry++) {
      int32_t group = contents->groups[entry];
      int64_t place = contents->begins[group] + found[group]++;
      contents->strata[place] = (int32_t)stratum;
      contents->counts[place] = contents->held[entry];
    }
  }
}

/* Find what the groups of rows hold, in memory of this life. */
static inline bool find_group_contents(const RowGroups *rows, Life life, GroupContents *contents, Host *host) {
  int64_t n_rows = rows->codes.n_rows, n_starts = rows->codes.n_strata + 2, n_begins = rows->n_groups + 1;
  int32_t *sorted = host->memory(host, FOR_THE_CALL, (n_rows + rows->n_groups) * (int64_t)sizeof *sorted);
  int64_t *row_starts = sorted == NULL ? NULL : sort_groups_by_stratum(rows, sorted, host);
  if (row_starts == NULL) return false;
  int32_t *found = sorted + n_rows;
  memset(found, 0, (size_t)rows->n_groups * sizeof *found);
  contents->starts = host->memory(host, life, (n_starts + n_begins) * (int64_t)sizeof *contents->starts);
  if (contents->starts == NULL) return false;
  contents->begins = contents->starts + n_starts;
  memset(contents->starts, 0, (size_t)(n_starts + n_begins) * sizeof *contents->starts);
  count_group_contents(rows, row_starts, sorted, found, contents);
  int64_t n_entries = contents->n_entries = contents->starts[n_starts - 1];
  contents->groups = host->memory(host, life, 4 * n_entries * (int64_t)sizeof *contents->groups);
  if (contents->groups == NULL) return false;
  contents->held = contents->groups + n_entries;
  contents->strata = contents->held + n_entries;
  contents->counts = contents->strata + n_entries;
  fill_group_contents(rows, row_starts, sorted, found, contents);
  return host->go_on(host);
}

/* The sizes of the groups of a stratum, of which only rows of the stratum count. A group of at least the minimum is
 * large.
 */
typedef struct {
  int64_t n_groups, n_large;
  int64_t largest, least_large;         /* 0 if there is none */
  int64_t rest, largest_small, divisor; /* of groups that are not large: their rows, the largest, and the greatest
                                           common divisor; the last two are 1 if there are none */
} GroupSizes;

static inline void add_group(GroupSizes *sizes, int64_t size, int64_t minimum) {
  sizes->n_groups += 1;
  if (size > sizes->largest) sizes->largest = size;
  if (size >= minimum) {
    sizes->least_large = sizes->n_large == 0 ? size : smaller(sizes->least_large, size);
    sizes->n_large += 1;
    return;
  }
  sizes->rest += size;
  if (size > sizes->largest_small) sizes->largest_small = size;
  for (int64_t rest; size > 0; size = rest) {
    rest = sizes->divisor % size;
    sizes->divisor = size;
  }
}

/* Add the groups of all strata, some of which have rows of several strata. */
static inline void add_crossing_groups(
    const GroupContents *contents, int64_t n_strata, int64_t minimum, GroupSizes *sizes
) {
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    for (int64_t entry = contents->starts[stratum]; entry < contents->starts[stratum + 1]; entry++) {
      add_group(&sizes[stratum], contents->held[entry], minimum);
    }
  }
}

/* Complete the sizes of strata, to which all groups were added. */
static inline void end_group_sizes(int64_t n_strata, GroupSizes *sizes) {
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    if (sizes[stratum].divisor > 0) continue;
    sizes[stratum].divisor = sizes[stratum].largest_small = 1;
  }
}

/* Fill in the sizes of the groups of all strata. */
static inline bool fill_group_sizes(const RowGroups *rows, int64_t minimum, GroupSizes *sizes, Host *host) {
  int64_t n_strata = rows->codes.n_strata;
  memset(sizes, 0, (size_t)n_strata * sizeof *sizes);
  if (rows->crossing < 0) {
    for (int64_t group = 0; group < rows->n_groups; group++) {
      if (rows->sizes[group] > 0) add_group(&sizes[rows->strata_of[group]], rows->sizes[group], minimum);
    }
  } else {
    GroupContents contents;
    if (!find_group_contents(rows, FOR_THE_CALL, &contents, host)) return false;
    add_crossing_groups(&contents, n_strata, minimum, sizes);
  }
  end_group_sizes(n_strata, sizes);
  return host->go_on(host);
}

/* Return the sizes of the groups of all strata, in memory of the call, or NULL. */
static inline GroupSizes *find_group_sizes(const RowGroups *rows, int64_t minimum, Host *host) {
  GroupSizes *sizes = host->memory(host, FOR_THE_CALL, rows->codes.n_strata * (int64_t)sizeof *sizes);
  return sizes != NULL && fill_group_sizes(rows, minimum, sizes, host) ? sizes : NULL;
}

/* Return a number of batches for which a stratum always keeps the minimum, nearly always the largest.
 *
 * If the last batch to be filled had fewer rows, no other batch would exceed it by more than one small group.
 */
static inline int64_t most_grouped_batches(const GroupSizes *sizes, int64_t minimum) {
  int64_t slack = sizes->largest_small - sizes->divisor;
  int64_t wanted = quotient_up(minimum, sizes->divisor) * sizes->divisor;
  return sizes->n_large + (sizes->rest + slack) / (wanted + slack);
}

/* Return a number of batches that no division into whole groups exceeds if every batch has the minimum of each stratum.
 *
 * A batch has a large group, or as many rows of small groups.
 */
static inline int64_t bound_of_batches(const GroupSizes *sizes, int64_t n_strata, int64_t minimum) {
  int64_t most = LARGEST_COUNT;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    most = smaller(most, sizes[stratum].n_large + sizes[stratum].rest / minimum);
  }
  return most;
}

/* Return the fewest of the rows of a stratum that a batch can have: the better of two bounds.
 *
 * One bound considers only the batches without a large group, the other all batches.
 */
static inline int64_t fewest_grouped_rows(const GroupSizes *sizes, int64_t count, int64_t n_batches) {
  int64_t fewest = sizes->least_large, without = n_batches - sizes->n_large;
  if (without > 0) {
    int64_t rest = sizes->rest - (without - 1) * sizes->largest_small;
    rest = rest > 0 ? quotient_up(rest, without * sizes->divisor) * sizes->divisor : 0;
    fewest = sizes->n_large > 0 ? smaller(rest, sizes->least_large) : rest;
  }
  int64_t others = count - (n_batches - 1) * sizes->largest;
  int64_t of_all = others > 0 ? quotient_up(others, n_batches) : 0;
  return of_all > fewest ? of_all : fewest;
}

#endif
