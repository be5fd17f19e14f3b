/* Epochs that take the rows of a stratum less or more often than once, put together from the functions of the core as
 * the languages do it.
 *
 * An epoch orders entries: the rows of the dataset, then the repetitions, stratum after stratum. A surplus is taken in
 * turn: each stratum has a fixed order, that of epoch 0, and an epoch continues where the one before has ended.
 */

#ifndef PYSTRAT_TAKEN_EPOCHS_H
#define PYSTRAT_TAKEN_EPOCHS_H

#include <stdbool.h>
#include <string.h>

#include "epochs.h"
#include "golden_strata.h"
#include "takings.h"

/* What all epochs of a sampler share. */
typedef struct {
  const Strata *strata;
  Taking taking;    /* of these strata */
  int64_t *begins;  /* n_strata + 1: of the rows of each stratum in the next two */
  int32_t *dataset; /* the rows of the strata in the order of the dataset */
  int32_t *fixed;   /* the same in the order in which they are taken in turn */
  bool is_shuffled;
  uint32_t seed;
} TakenEpochs;

/* Fill the rows of the strata, stratum after stratum, each in the given order of all rows. */
static inline void group_rows(const TakenEpochs *epochs, const int32_t *order, int32_t *grouped) {
  const Strata *strata = epochs->strata;
  int64_t *cursors = new_array(strata->n_strata, sizeof *cursors);
  memcpy(cursors, epochs->begins, (size_t)strata->n_strata * sizeof *cursors);
  for (int64_t i = 0; i < strata->n_rows; i++) {
    int64_t code = strata->codes[order[i]];
    if (code < strata->n_strata) grouped[cursors[code]++] = order[i];
  }
  free(cursors);
}

/* Prepare the epochs that take taken[s] of the rows of stratum s. The arrays that are passed must outlive them. */
static inline TakenEpochs new_taken_epochs(
    const Strata *strata, const int64_t *taken, const int64_t *offsets, int64_t n_batches, bool is_shuffled,
    uint32_t seed
) {
  TakenEpochs epochs = {.strata = strata, .is_shuffled = is_shuffled, .seed = seed};
  epochs.taking = (Taking){strata->n_strata, n_batches, taken, strata->counts, offsets};
  epochs.begins = new_array(strata->n_strata + 1, sizeof(int64_t));
  epochs.dataset = new_array(strata->n_rows, sizeof(int32_t));
  epochs.fixed = new_array(strata->n_rows, sizeof(int32_t));
  fill_starts(strata->counts, strata->n_strata, epochs.begins);
  int32_t *order = new_array(strata->n_rows, sizeof *order);
  fill_in_order(order, (uint32_t)strata->n_rows);
  group_rows(&epochs, order, epochs.dataset);
  if (is_shuffled) draw_order(strata->n_rows, epoch_seed(seed, 0), order);
  group_rows(&epochs, order, epochs.fixed);
  free(order);
  return epochs;
}

static inline void free_taken_epochs(TakenEpochs *epochs) {
  free(epochs->begins);
  free(epochs->dataset);
  free(epochs->fixed);
}

/* The entries of an epoch. */
typedef struct {
  int64_t n_entries, n_passes, n_taken;
  int64_t *codes;    /* of each entry: its pass, -1 if it is in no batch */
  int64_t *starts;   /* n_passes + 1: where the entries of each pass begin in the layout */
  int32_t *repeated; /* the rows of the entries behind the dataset */
} Entries;

/* Add an entry behind the dataset. */
static inline int64_t add_entry(const TakenEpochs *epochs, int64_t entry, int64_t pass, int32_t row, Entries *entries) {
  entries->codes[entry] = pass;
  entries->repeated[entry - epochs->strata->n_rows] = row;
  return entry + 1;
}

/* Add the passes of a stratum, a short one first, and its entries behind the dataset, from `next` on, those of the
 * short pass last; return the entry after them.
 */
static inline int64_t add_passes(
    const TakenEpochs *epochs, int64_t stratum, int64_t epoch, int64_t next, Entries *entries
) {
  const int32_t *fixed = epochs->fixed + epochs->begins[stratum];
  int64_t taken = epochs->taking.taken[stratum], size = epochs->taking.available[stratum];
  int64_t n_whole = taken / size, surplus = taken % size, turn = epoch * taken % size;
  int64_t pass = entries->n_passes, *starts = entries->starts;
  if (n_whole > 0 && surplus > 0) {
    starts[pass + 1] = starts[pass] + surplus;
    pass += 1;
  }
  for (int64_t i = 0; i < size; i++) {
    entries->codes[fixed[(turn + i) % size]] = n_whole > 0 || i < surplus ? pass : -1;
  }
  starts[pass + 1] = starts[pass] + (n_whole > 0 ? size : surplus);
  pass += 1;
  for (int64_t again = 1; again < n_whole; again++, pass++) {
    starts[pass + 1] = starts[pass] + size;
    for (int64_t i = 0; i < size; i++) {
      next = add_entry(epochs, next, pass, epochs->dataset[epochs->begins[stratum] + i], entries);
    }
  }
  for (int64_t i = 0; i < surplus && n_whole > 0; i++) {
    next = add_entry(epochs, next, entries->n_passes, fixed[(turn + i) % size], entries);
  }
  entries->n_passes = pass;
  return next;
}

static inline Entries new_entries(const TakenEpochs *epochs, int64_t epoch) {
  const Strata *strata = epochs->strata;
  const Taking *taking = &epochs->taking;
  Entries entries = {.n_entries = strata->n_rows};
  for (int64_t stratum = 0; stratum < taking->n_strata; stratum++) {
    int64_t taken = taking->taken[stratum], available = taking->available[stratum];
    entries.n_taken += taken;
    entries.n_entries += is_repeated(taken, available) ? taken - available : 0;
  }
  entries.codes = new_array(entries.n_entries, sizeof *entries.codes);
  entries.repeated = new_array(entries.n_entries - strata->n_rows, sizeof *entries.repeated);
  entries.starts = new_zeros(entries.n_taken + 1); /* a pass has at least one entry */
  for (int64_t row = 0; row < strata->n_rows; row++) entries.codes[row] = -1;
  int64_t next = strata->n_rows;
  for (int64_t stratum = 0; stratum < taking->n_strata; stratum++) {
    next = add_passes(epochs, stratum, epoch, next, &entries);
  }
  CHECK_EQUAL(next, entries.n_entries);
  return entries;
}

static inline void free_entries(Entries *entries) {
  free(entries->codes);
  free(entries->starts);
  free(entries->repeated);
}

/* Draw the rows of an epoch, n_taken of them, counted from first_row, by codes of code_bytes bytes, in steps. */
static inline void draw_taken(
    const TakenEpochs *epochs, const Entries *entries, uint32_t seed, int code_bytes, int32_t first_row, uint32_t step,
    int32_t *rows
) {
  int64_t n_rows = epochs->strata->n_rows;
  int32_t *layout = new_array(entries->n_entries, sizeof *layout);
  int32_t *drawn = new_array(entries->n_entries, sizeof *drawn);
  lay_out_passes(&epochs->taking, entries->n_entries, step, layout);
  Scatter scatter = {
      entries->n_entries, entries->n_passes + 1, entries->codes, entries->starts, layout, epochs->is_shuffled,
  };
  scatter_rows(&scatter, seed, code_bytes, first_row, step, drawn);
  memcpy(rows, drawn, (size_t)entries->n_taken * sizeof *rows);
  for (int64_t begin = 0; begin < entries->n_taken; begin += step) {
    int64_t end = begin + step < entries->n_taken ? begin + step : entries->n_taken;
    name_rows(n_rows, entries->repeated, first_row, begin, end, rows);
  }
  separate_rows(&epochs->taking, layout, n_rows, first_row, step, rows);
  free(layout);
  free(drawn);
}

#endif
