/* Rows that have several values each, and batches without two rows that share a value.
 *
 * If every row shares values with at most D others, an epoch of n rows has B batches, of q or q + 1 rows, for which
 * (B - D) q >= min(D o, S). Here o is one less than the size of the largest batches, and S the sum of count - 1 over
 * the most frequent values, o for each column. Row i of the epoch, from 0, goes to the first batch from i mod B on that
 * has room and shares no value with it. If there is none, each batch with room has one of the at most D rows that share
 * values with row i. Then at least B - D other batches are full and share no value with it: they have at least
 * (B - D) q rows. At most min(D o, S) rows share values with the at most o rows of a batch with room, and row i is one
 * of these. So one of the others can go there, and row i takes its place.
 */

#ifndef PYSTRAT_SHARED_VALUES_H
#define PYSTRAT_SHARED_VALUES_H

#include "random.h"
#include "sorting.h"
#include "spreading.h"

enum { MOST_COUNTING = 1 << 26 }; /* rows that are visited to count those that share values with others */

typedef struct {
  int64_t n_rows, n_columns, n_values;
  int32_t *values; /* n_columns of each row; -1 for one that an earlier column of the row has */
  int64_t *begins; /* n_values + 1: where the rows of each value begin in */
  int32_t *rows;   /* those of all values */
} ValuedRows;

static inline int64_t count_of_value(const ValuedRows *self, int64_t value) {
  return self->begins[value + 1] - self->begins[value];
}

/* Find the rows of each value; `values` are filled, n_columns of each row, from 0 to below n_values. */
static inline bool find_rows_of_values(ValuedRows *self, Life life, Host *host) {
  int64_t n_columns = self->n_columns, n_entries = self->n_rows * n_columns, work = 0;
  int32_t *last_rows = new_unknown(self->n_values, host);
  self->rows = host->memory(host, life, n_entries * (int64_t)sizeof *self->rows);
  self->begins = host->memory(host, life, (self->n_values + 1) * (int64_t)sizeof *self->begins);
  if (last_rows == NULL || self->rows == NULL || self->begins == NULL) return false;
  memset(self->begins, 0, (size_t)(self->n_values + 1) * sizeof *self->begins);
  for (int64_t entry = 0; entry < n_entries; entry++) {
    int32_t *value = &self->values[entry], row = (int32_t)(entry / n_columns);
    if (last_rows[*value] == row) {
      *value = -1;
    } else {
      last_rows[*value] = row;
      self->begins[*value] += 1;
    }
    if (!may_go_on(&work, 1, host)) return false;
  }
  for (int64_t value = 0, end = 0; value <= self->n_values; value++) {
    end += self->begins[value];
    self->begins[value] = end;
  }
  for (int64_t entry = n_entries; entry-- > 0;) {
    int32_t value = self->values[entry];
    if (value >= 0) self->rows[--self->begins[value]] = (int32_t)(entry / n_columns);
    if (!may_go_on(&work, 1, host)) return false;
  }
  return true;
}

/* The number of batches ------------------------------------------------------------------------------------------ */

/* Return the number of other rows that share values with a row; `seen` has a number for each row, -1 at first. */
static inline int64_t count_alike(const ValuedRows *self, int64_t row, int32_t *seen) {
  int64_t count = 0;
  seen[row] = (int32_t)row;
  for (int64_t column = 0; column < self->n_columns; column++) {
    int32_t value = self->values[row * self->n_columns + column];
    if (value < 0) continue;
    for (int64_t place = self->begins[value]; place < self->begins[value + 1]; place++) {
      int32_t other = self->rows[place];
      count += seen[other] != row;
      seen[other] = (int32_t)row;
    }
  }
  return count;
}

/* Return the most rows that share values with one row, or -1. If counting them visits too many rows, the sum over the
 * values of a row stands for its number.
 */
static inline int64_t most_alike(const ValuedRows *self, Host *host) {
  int32_t *seen = new_unknown(self->n_rows, host);
  if (seen == NULL) return -1;
  int64_t most = 0, visited = 0, work = 0;
  for (int64_t row = 0; row < self->n_rows; row++) {
    int64_t count = 0;
    for (int64_t column = 0; column < self->n_columns; column++) {
      int32_t value = self->values[row * self->n_columns + column];
      if (value >= 0) count += count_of_value(self, value) - 1;
    }
    if (!may_go_on(&work, count > most ? count : self->n_columns, host)) return -1;
    if (count <= most) continue;
    visited += count;
    if (visited <= MOST_COUNTING) count = count_alike(self, row, seen);
    if (count > most) most = count;
  }
  return smaller(most, self->n_rows - 1);
}

/* Find the smallest number of batches that is enough in every epoch, from `least` on in steps of `step`; if there is
 * none of at most n_rows, a larger one.
 */
static inline bool find_enough_batches(
    const ValuedRows *self, int64_t least, int64_t step, int64_t *n_batches, Host *host
) {
  int64_t n_shared = 0, most = most_alike(self, host), n_rows = self->n_rows, work = 0;
  int64_t *others = host->memory(host, FOR_THE_CALL, (2 * self->n_values + 1) * (int64_t)sizeof *others);
  if (most < 0 || others == NULL) return false;
  for (int64_t value = 0; value < self->n_values; value++) {
    if (count_of_value(self, value) > 1) others[n_shared++] = count_of_value(self, value) - 1;
  }
  int64_t *sorted = sort_naturals(others, others + self->n_values, n_shared, bits_below((uint64_t)n_rows), host);
  if (sorted == NULL) return false;
  for (int64_t place = n_shared - 1; place > 0; place--) sorted[place - 1] += sorted[place];
  for (*n_batches = least; *n_batches <= n_rows; *n_batches += step) {
    int64_t besides = quotient_up(n_rows, *n_batches) - 1, n_frequent = smaller(besides * self->n_columns, n_shared);
    int64_t blocked = n_frequent == 0 ? 0 : sorted[n_shared - n_frequent];
    if ((*n_batches - most) * (n_rows / *n_batches) >= smaller(most * besides, blocked)) return true;
    if (!may_go_on(&work, 1, host)) return false;
  }
  return true;
}

/* An epoch --------------------------------------------------------------------------------------------------------- */

typedef struct {
  const ValuedRows *rows;
  int64_t n_batches, *offsets; /* n_batches + 1: where the batches begin in */
  int32_t *members;            /* the rows of all batches */
  int32_t *sizes;              /* n_batches: the rows of each so far */
  int32_t *next_open;          /* n_batches + 1: a batch with room from this one on, which is reached step by step */
  int32_t *batch_of;           /* each row, or -1 */
  int64_t work;
} ValuedDealing;

/* Return the first batch with room from a batch on; n_batches if there is none. */
static inline int32_t open_batch(ValuedDealing *dealing, int64_t batch) {
  int32_t *next = dealing->next_open;
  while (next[batch] != batch) {
    next[batch] = next[next[batch]];
    batch = next[batch];
  }
  return (int32_t)batch;
}

static inline bool is_open(const ValuedDealing *dealing, int64_t batch) { return dealing->next_open[batch] == batch; }

/* Whether a batch has a row with a value: look at the rows of the value, or at those of the batch if they are fewer. */
static inline bool has_value(ValuedDealing *dealing, int32_t batch, int32_t value) {
  const ValuedRows *rows = dealing->rows;
  int64_t n_columns = rows->n_columns, count = count_of_value(rows, value), n_held = dealing->sizes[batch] * n_columns;
  if (count <= n_held) {
    const int32_t *with = rows->rows + rows->begins[value];
    dealing->work += count;
    for (int64_t i = 0; i < count; i++) {
      if (dealing->batch_of[with[i]] == batch) return true;
    }
    return false;
  }
  const int32_t *members = dealing->members + dealing->offsets[batch];
  dealing->work += n_held;
  for (int32_t i = 0; i < dealing->sizes[batch]; i++) {
    const int32_t *values = rows->values + members[i] * n_columns;
    for (int64_t column = 0; column < n_columns; column++) {
      if (values[column] == value) return true;
    }
  }
  return false;
}

/* Whether a row shares no value with the rows of a batch. */
static inline bool fits(ValuedDealing *dealing, int32_t row, int32_t batch) {
  const ValuedRows *rows = dealing->rows;
  for (int64_t column = 0; column < rows->n_columns; column++) {
    int32_t value = rows->values[row * rows->n_columns + column];
    if (value >= 0 && count_of_value(rows, value) > 1 && has_value(dealing, batch, value)) return false;
  }
  return true;
}

static inline void add_to_batch(ValuedDealing *dealing, int32_t row, int32_t batch) {
  int64_t place = dealing->offsets[batch] + dealing->sizes[batch]++;
  dealing->members[place] = row;
  dealing->batch_of[row] = batch;
  if (place + 1 == dealing->offsets[batch + 1]) dealing->next_open[batch] = batch + 1;
}

/* Put a row into the first batch with room that it fits, from `first` on and around; return whether there is one. */
static inline bool put_into_open_batch(ValuedDealing *dealing, int32_t row, int32_t first) {
  int32_t begins[] = {first, 0}, ends[] = {(int32_t)dealing->n_batches, first};
  for (int part = 0; part < 2; part++) {
    int32_t batch = open_batch(dealing, begins[part]);
    while (batch < ends[part] && !fits(dealing, row, batch)) batch = open_batch(dealing, batch + 1);
    if (batch >= ends[part]) continue;
    add_to_batch(dealing, row, batch);
    return true;
  }
  return false;
}

/* Put a row into a full batch that it fits, in place of a row that fits the first batch with room from `first` on. */
static inline bool put_into_full_batch(ValuedDealing *dealing, int32_t row, int32_t first, Host *host) {
  int64_t n_batches = dealing->n_batches;
  int32_t open = open_batch(dealing, first);
  if (open == n_batches) open = open_batch(dealing, 0);
  for (int64_t step = 0; step < n_batches; step++) {
    int32_t full = (int32_t)((first + step) % n_batches);
    if (!may_go_on(&dealing->work, 1, host)) return false;
    if (is_open(dealing, full) || !fits(dealing, row, full)) continue;
    for (int64_t place = dealing->offsets[full]; place < dealing->offsets[full + 1]; place++) {
      int32_t other = dealing->members[place];
      if (!fits(dealing, other, open)) continue;
      add_to_batch(dealing, other, open);
      dealing->members[place] = row;
      dealing->batch_of[row] = full;
      return true;
    }
  }
  return refuse(host, "recipe", "fewer", "have batches enough to keep rows apart that share values");
}

/* Deal the rows to batches, whose `offsets` are filled; fill `batches`, those of the rows in the order of the epoch. */
static inline bool deal_valued_rows(
    const ValuedRows *rows, const int32_t *order, int64_t n_batches, int64_t *offsets, int32_t *batches, Host *host
) {
  int64_t n_rows = rows->n_rows;
  ValuedDealing dealing = {.rows = rows, .n_batches = n_batches, .offsets = offsets};
  dealing.batch_of = new_unknown(2 * n_rows, host);
  dealing.sizes = dealing.batch_of == NULL ? NULL : new_unknown(2 * n_batches + 1, host);
  if (dealing.sizes == NULL) return false;
  dealing.members = dealing.batch_of + n_rows;
  dealing.next_open = dealing.sizes + n_batches;
  memset(dealing.sizes, 0, (size_t)n_batches * sizeof *dealing.sizes);
  for (int64_t batch = 0; batch <= n_batches; batch++) dealing.next_open[batch] = (int32_t)batch;
  for (int64_t place = 0; place < n_rows; place++) {
    int32_t first = (int32_t)(place % n_batches);
    if (!may_go_on(&dealing.work, 1, host)) return false;
    if (put_into_open_batch(&dealing, order[place], first)) continue;
    if (!put_into_full_batch(&dealing, order[place], first, host)) return false;
  }
  for (int64_t place = 0; place < n_rows; place++) batches[place] = dealing.batch_of[order[place]];
  return true;
}

#endif
