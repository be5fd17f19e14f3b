/* Epochs that take the rows of a stratum less or more often than once.
 *
 * An epoch takes taken[s] of the available[s] rows of stratum s. If taken[s] is larger, the rows come in passes: first
 * a short one, of the surplus taken[s] % available[s] rows, then whole ones, each in its own order. The passes of a
 * stratum, in this order, form its sequence, which has taken[s] entries.
 *
 * A stratum that is taken at most once is dealt to the batches in turn, as by the even rule of plan.h. The sequence of
 * one that is taken more often goes to the same batches in the same numbers, but in runs: the first entries to the
 * first batch, the next ones to the second batch. A batch takes at most available[s] entries of a stratum. So only a
 * batch in which one pass ends and another begins can contain a row twice, and keep_apart() defers such a row to the
 * next batch. It always finds a replacement: the passes after a short one are whole.
 */

#ifndef PYSTRAT_PASSES_H
#define PYSTRAT_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "plan.h"

/* Whether an epoch takes some row of a stratum more than once. */
static inline bool is_repeated(int64_t taken, int64_t available) { return taken > available; }

/* The number of entries of a stratum that a batch takes, from 0, after `dealt` entries of the strata before it. */
static inline int64_t entries_in_batch(int64_t taken, int64_t dealt, int64_t n_batches, int64_t batch) {
  int64_t turn = (batch - dealt % n_batches + n_batches) % n_batches;
  return taken / n_batches + (turn < taken % n_batches);
}

/* Lay out the sequence of a stratum in runs; return the batch at which the dealing of the next stratum begins. */
static inline int64_t lay_out_runs(
    int64_t count, int64_t dealt, int64_t n_batches, int64_t *next_places, int32_t *layout
) {
  int64_t rank = 0;
  for (int64_t batch = 0; rank < count; batch++) {
    int64_t end = rank + entries_in_batch(count, dealt, n_batches, batch);
    int64_t place = next_places[batch];
    while (rank < end) layout[rank++] = (int32_t)place++;
    next_places[batch] = place;
  }
  return (dealt + count) % n_batches;
}

/* Fill the layout.
 *
 * Like fill_layout() of plan.h by the even rule, with the sequences of the strata.
 */
static inline bool fill_passes_layout(
    const int64_t *taken, const int64_t *available, int64_t n_strata, int64_t n_batches, int64_t n_places,
    int64_t *next_places, int32_t *layout, Host *host
) {
  int64_t batch = 0, place = 0, since = 0;
  for (int64_t stratum = 0; stratum < n_strata; place += taken[stratum++]) {
    int64_t count = taken[stratum];
    if (is_repeated(count, available[stratum])) {
      batch = lay_out_runs(count, batch, n_batches, next_places, layout + place);
      if (!may_go_on(&since, count, host)) return false;
    } else if (!lay_out_evenly(count, n_batches, &batch, next_places, layout + place, &since, host)) {
      return false;
    }
  }
  for (; place < n_places; place++) layout[place] = (int32_t)place;
  return true;
}

/* Replace `count` numbers by the rows that they represent: a number below n_rows is a row itself, and the others
 * represent the rows in `repeated`. All are counted as the host does, except those in `repeated`, from 0.
 */
static inline bool name_rows(int64_t n_rows, const int32_t *repeated, int64_t count, int32_t *rows, Host *host) {
  int32_t first_row = host->first_row;
  for (int64_t i = 0; i < count; i++) {
    int64_t entry = (int64_t)rows[i] - first_row;
    if (entry >= n_rows) rows[i] = repeated[entry - n_rows] + first_row;
    if (!go_on_after(i, host)) return false;
  }
  return true;
}

/* The sequence of a stratum in the rows of an epoch. */
typedef struct {
  const int32_t *places; /* taken numbers: the place of each entry */
  int32_t *rows;         /* of the epoch, counted from first_row */
  int32_t first_row;
  int64_t taken;
  int64_t available;
  int64_t dealt; /* entries of the strata before it */
  int64_t n_batches;
  int32_t *seen;    /* a number for each row of the dataset, below 1 before the first stratum */
  int32_t *waiting; /* memory of as many numbers as the stratum has rows */
} Sequence;

/* Defer the rows that one batch would contain twice; the batch takes the entries from `begin` to before `end`. */
static inline void keep_apart_in_batch(const Sequence *sequence, int64_t batch, int64_t begin, int64_t end) {
  const int32_t *places = sequence->places;
  int32_t *rows = sequence->rows;
  int32_t *seen = sequence->seen;
  int32_t mark = (int32_t)batch + 1;
  int64_t n_waiting = 0;
  int64_t next = begin;
  while (begin < end && next < sequence->taken) {
    int32_t row = rows[places[next++]];
    if (seen[row - sequence->first_row] == mark) {
      sequence->waiting[n_waiting++] = row;
    } else {
      seen[row - sequence->first_row] = mark;
      rows[places[begin++]] = row;
    }
  }
  for (int64_t i = 0; i < n_waiting; i++) rows[places[begin + i]] = sequence->waiting[i];
}

/* Defer the rows of a stratum that a batch would contain twice. */
static inline bool keep_apart(const Sequence *sequence, Host *host) {
  int64_t begin = 0, short_pass = sequence->taken % sequence->available;
  for (int64_t batch = 0; batch < sequence->n_batches; batch++) {
    int64_t end = begin + entries_in_batch(sequence->taken, sequence->dealt, sequence->n_batches, batch);
    /* The first entry after the batch's first one with which a pass begins. */
    int64_t passes = begin < short_pass ? 0 : (begin - short_pass) / sequence->available + 1;
    if (short_pass + passes * sequence->available < end) keep_apart_in_batch(sequence, batch, begin, end);
    begin = end;
    if (!go_on_after(batch, host)) return false;
  }
  return true;
}

#endif
