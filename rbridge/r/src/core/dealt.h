/* Epochs of the rows of strata, which a plan deals to batches.
 *
 * An epoch has entries: the rows of the dataset and, if its strata are walked, behind them the repetitions of passes.h,
 * stratum by stratum, whole passes before the short one. One permutation orders all entries, and those of a pass go to
 * its places in the layout. If strata are not walked, all rows of a stratum are one pass, of which an epoch takes the
 * first ranks.
 *
 * A stratum of n rows of which an epoch takes k is walked if k is no multiple of n: its rows have a fixed order, that
 * of epoch 0, and epoch e takes k modulo n of them from place e * k modulo n on, cyclically.
 *
 * If batches are permuted, batch i of the epoch is the one that R's sample.int(n_batches)[i] names, which continues the
 * draws of the epoch. Else a stratum of fewer rows than batches would be in the same batches of every epoch.
 */

#ifndef PYSTRAT_DEALT_H
#define PYSTRAT_DEALT_H

#include "epoch_order.h"
#include "length_batches.h"
#include "passes.h"
#include "plan.h"
#include "recipe.h"
#include "scattering.h"

/* The first members are the caller's, who also checks them; the others are zeros at first, and made by the first epoch,
 * with memory that is requested once, however often it is interrupted.
 */
typedef struct {
  Codes codes;
  const int64_t *taken; /* n_strata: the rows of each stratum in an epoch, at least 1 */
  int64_t n_batches;
  bool even, is_shuffled, is_walked, is_permuted;
  uint32_t seed;

  bool is_made;
  int64_t n_taken, n_entries, n_passes;
  void *own_codes;         /* n_entries, unless the recipe's are in the right type */
  const void *entry_codes; /* n_entries: the pass of each; n_passes for those that are in no batch */
  int code_bytes;
  int64_t *offsets;        /* n_batches + 1 */
  int64_t *starts;         /* n_passes + 1: where the ranks of each pass begin in the layout */
  int32_t *layout, *pool;  /* n_entries */
  int32_t *walk;           /* the rows of walked strata, stratum by stratum, each in its fixed order */
  int32_t *repeated;       /* n_entries - n_rows: the rows that the entries behind the dataset stand for */
} Dealt;

/* Refuse codes without a row of some stratum. */
static inline bool check_strata_have_rows(const Codes *codes, Host *host) {
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    if (codes->counts[stratum] == 0) return refuse(host, "recipe", "none", "have a row of each stratum");
  }
  return true;
}

/* The passes of a stratum in an epoch. */
typedef struct {
  int64_t whole, rest; /* whole ones, and the rows of the short one */
} StratumPasses;

static inline StratumPasses passes_of(const Dealt *dealt, int64_t stratum) {
  int64_t taken = dealt->taken[stratum], available = dealt->codes.counts[stratum];
  if (taken <= available) return (StratumPasses){.whole = 1};
  return (StratumPasses){.whole = taken / available, .rest = taken % available};
}

static inline bool is_walked(const Dealt *dealt, int64_t stratum) {
  return dealt->taken[stratum] % dealt->codes.counts[stratum] != 0;
}

/* Count what an epoch has. */
static inline void count_entries(Dealt *dealt) {
  dealt->n_taken = dealt->n_passes = 0;
  dealt->n_entries = dealt->codes.n_rows;
  for (int64_t stratum = 0; stratum < dealt->codes.n_strata; stratum++) {
    StratumPasses passes = passes_of(dealt, stratum);
    dealt->n_taken += dealt->taken[stratum];
    dealt->n_passes += passes.whole + (passes.rest > 0);
    dealt->n_entries += (passes.whole - 1) * dealt->codes.counts[stratum] + passes.rest;
  }
}

/* Refuse a recipe whose batches would lack rows, or hold a row twice. */
static inline bool check_dealt(Dealt *dealt, Host *host) {
  const Codes *codes = &dealt->codes;
  if (!check_strata_have_rows(codes, host)) return false;
  count_entries(dealt);
  if (dealt->n_taken > LARGEST_COUNT || dealt->n_entries >= LARGEST_COUNT) {
    return refuse(host, "recipe", "others", "deal at most %d rows evenly", LARGEST_COUNT);
  }
  int64_t most = dealt->n_taken, n_batches = dealt->n_batches;
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    if (!dealt->even) most = smaller(most, dealt->taken[stratum]);
  }
  const char *batches = most == 1 ? "batch" : "batches";
  if (n_batches > most) {
    char got[SENTENCE];
    snprintf(got, SENTENCE, "%lld batches", (long long)n_batches);
    return refuse(host, "recipe", got, "deal its rows to at most %lld %s", (long long)most, batches);
  }
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    if ((dealt->taken[stratum] - 1) / n_batches + 1 > codes->counts[stratum]) {
      return refuse(host, "recipe", "fewer batches", "need no row twice in a batch");
    }
  }
  return true;
}

static inline int width_of_codes(int64_t n_codes) { return n_codes <= UINT8_MAX ? 1 : n_codes <= UINT16_MAX ? 2 : 4; }

static inline void set_code(void *codes, int code_bytes, int64_t entry, int64_t code) {
  if (code_bytes == 1) {
    ((uint8_t *)codes)[entry] = (uint8_t)code;
  } else if (code_bytes == 2) {
    ((uint16_t *)codes)[entry] = (uint16_t)code;
  } else {
    ((int32_t *)codes)[entry] = (int32_t)code;
  }
}

/* Take the codes of the strata as those of the entries, in the smallest type, if no row is repeated. */
static inline bool keep_codes(Dealt *dealt, Host *host) {
  const Codes *codes = &dealt->codes;
  int64_t n_rows = codes->n_rows;
  dealt->code_bytes = codes->bytes != NULL ? 1 : codes->n_strata <= UINT16_MAX ? 2 : 4;
  dealt->entry_codes = codes->bytes;
  if (dealt->code_bytes == 4) dealt->entry_codes = codes->integers;
  if (dealt->code_bytes != 2) return true;
  uint16_t *narrow = dealt->own_codes = lasting_memory(dealt->own_codes, n_rows * (int64_t)sizeof *narrow, host);
  if (narrow == NULL) return false;
  for (int64_t row = 0; row < n_rows; row++) narrow[row] = (uint16_t)codes->integers[row];
  dealt->entry_codes = narrow;
  return true;
}

/* Number the passes of the entries, and repeat rows. */
static inline bool repeat_rows(Dealt *dealt, Host *host) {
  const Codes *codes = &dealt->codes;
  int64_t n_strata = codes->n_strata, n_rows = codes->n_rows, n_repeated = dealt->n_entries - n_rows;
  dealt->code_bytes = width_of_codes(dealt->n_passes);
  void *numbers = dealt->own_codes = lasting_memory(dealt->own_codes, dealt->n_entries * dealt->code_bytes, host);
  int32_t *repeated = lasting_memory(dealt->repeated, n_repeated * (int64_t)sizeof *repeated, host);
  dealt->repeated = repeated;
  int64_t *own = host->memory(host, FOR_THE_CALL, 2 * (n_strata + 1) * (int64_t)sizeof *own);
  if (numbers == NULL || repeated == NULL || own == NULL) return false;
  int64_t *next = own + n_strata + 1; /* where the next row of a stratum is repeated first */
  int64_t pass = 0, place = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    StratumPasses passes = passes_of(dealt, stratum);
    pass += passes.rest > 0;
    own[stratum] = pass; /* that of the rows of the dataset */
    next[stratum] = place;
    for (int64_t again = 1; again < passes.whole; again++) {
      int64_t end = place + codes->counts[stratum];
      for (; place < end; place++) set_code(numbers, dealt->code_bytes, n_rows + place, pass + again);
    }
    for (int64_t end = place + passes.rest; place < end; place++) {
      set_code(numbers, dealt->code_bytes, n_rows + place, pass - 1);
      repeated[place] = 0; /* the rows of each epoch */
    }
    pass += passes.whole;
    if (!host->go_on(host)) return false;
  }
  own[n_strata] = dealt->n_passes;
  for (int64_t row = 0; row < n_rows; row++) {
    int64_t stratum = code_of(codes, row);
    set_code(numbers, dealt->code_bytes, row, own[stratum]);
    if (stratum == n_strata || dealt->taken[stratum] < 2 * codes->counts[stratum]) continue;
    int64_t first = next[stratum]++, count = codes->counts[stratum];
    for (int64_t again = 1; again < passes_of(dealt, stratum).whole; again++) {
      repeated[first + (again - 1) * count] = (int32_t)row;
    }
  }
  dealt->entry_codes = numbers;
  return host->go_on(host);
}

/* Find the fixed order of the rows of walked strata. */
static inline bool fix_orders(Dealt *dealt, Host *host) {
  const Codes *codes = &dealt->codes;
  int64_t n_walked = 0, n_strata = codes->n_strata;
  int64_t *next = host->memory(host, FOR_THE_CALL, (n_strata + 1) * (int64_t)sizeof *next);
  if (next == NULL) return false;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    next[stratum] = is_walked(dealt, stratum) ? n_walked : -1;
    if (next[stratum] >= 0) n_walked += codes->counts[stratum];
  }
  next[n_strata] = -1;
  int32_t *walk = dealt->walk = lasting_memory(dealt->walk, n_walked * (int64_t)sizeof *walk, host);
  Generator generator;
  seed_generator(&generator, epoch_seed(dealt->seed, 0));
  OrderParts order;
  if (walk == NULL || !begin_order(&order, &generator, codes->n_rows, host)) return false;
  while (order.done < order.n_rows) {
    int64_t begin = order.done, size = smaller(order.n_rows - begin, GO_ON_ROWS);
    if (dealt->is_shuffled) {
      size = next_part(&order);
    } else {
      for (int64_t i = 0; i < size; i++) order.rows[i] = (int32_t)(begin + i);
      order.done += size;
    }
    for (int64_t i = 0; i < size; i++) {
      int64_t *place = &next[code_of(codes, order.rows[i])];
      if (*place >= 0) walk[(*place)++] = order.rows[i];
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Find where the passes begin in the layout. */
static inline void begin_passes(const Dealt *dealt, int64_t *starts) {
  int64_t pass = 0;
  starts[0] = 0;
  for (int64_t stratum = 0; stratum < dealt->codes.n_strata; stratum++) {
    int64_t taken = dealt->taken[stratum], available = dealt->codes.counts[stratum];
    StratumPasses passes = passes_of(dealt, stratum);
    if (passes.rest > 0) {
      starts[pass + 1] = starts[pass] + passes.rest;
      pass += 1;
    }
    int64_t size = dealt->is_walked ? smaller(taken, available) : available;
    for (int64_t whole = 0; whole < passes.whole; whole++, pass++) starts[pass + 1] = starts[pass] + size;
  }
}

/* Make what all epochs share. */
static inline bool make_layout(Dealt *dealt, Host *host) {
  if (dealt->is_made) return true;
  count_entries(dealt);
  const Codes *codes = &dealt->codes;
  int64_t n_batches = dealt->n_batches, n_strata = codes->n_strata, n_entries = dealt->n_entries;
  bool has_codes = n_entries > codes->n_rows ? repeat_rows(dealt, host) : keep_codes(dealt, host);
  if (!has_codes || (dealt->is_walked && !fix_orders(dealt, host))) return false;
  int64_t n_numbers = n_batches + 2 + dealt->n_passes, bytes_of_entries = n_entries * (int64_t)sizeof(int32_t);
  int64_t *next_places = host->memory(host, FOR_THE_CALL, n_batches * (int64_t)sizeof *next_places);
  dealt->offsets = lasting_memory(dealt->offsets, n_numbers * (int64_t)sizeof *dealt->offsets, host);
  dealt->pool = lasting_memory(dealt->pool, bytes_of_entries, host);
  int32_t *layout = dealt->layout = lasting_memory(dealt->layout, bytes_of_entries, host);
  if (next_places == NULL || dealt->offsets == NULL || dealt->pool == NULL || layout == NULL) return false;
  dealt->starts = dealt->offsets + n_batches + 1;
  begin_passes(dealt, dealt->starts);
  if (!fill_offsets(dealt->taken, n_strata, n_batches, dealt->even, dealt->offsets, host)) return false;
  memcpy(next_places, dealt->offsets, (size_t)n_batches * sizeof *next_places);
  dealt->is_made =
      dealt->is_walked
          ? fill_passes_layout(
                dealt->taken, codes->counts, n_strata, n_batches, n_entries, next_places, layout, host
            )
          : fill_layout(
                dealt->taken, n_strata, n_batches, dealt->even, n_entries, next_places, layout, host
            ) && (dealt->starts[n_strata] == dealt->n_taken ||
                  spread_layout(dealt->taken, codes->counts, n_strata, layout, host));
  return dealt->is_made;
}

/* Choose the rows of walked strata in an epoch: those that it leaves out are in no batch by `numbers`, a copy of the
 * codes of the entries, and the others fill the short passes.
 */
static inline bool walk_on(Dealt *dealt, int64_t epoch, void *numbers, Host *host) {
  const int32_t *walk = dealt->walk;
  int64_t place = 0; /* among the repetitions */
  for (int64_t stratum = 0; stratum < dealt->codes.n_strata; stratum++) {
    int64_t taken = dealt->taken[stratum], available = dealt->codes.counts[stratum];
    StratumPasses passes = passes_of(dealt, stratum);
    place += (passes.whole - 1) * available;
    if (!is_walked(dealt, stratum)) continue;
    bool is_part = taken < available;
    int64_t count = is_part ? available - taken : passes.rest;
    int64_t from = (epoch + is_part) * taken % available;
    for (int64_t i = 0; i < count; i++) {
      int32_t row = walk[from];
      from = from + 1 == available ? 0 : from + 1;
      if (is_part) {
        set_code(numbers, dealt->code_bytes, row, dealt->n_passes);
      } else {
        dealt->repeated[place++] = row;
      }
    }
    walk += available;
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Name the rows of repetitions, and defer those that a batch would hold twice. */
static inline bool separate_repetitions(const Dealt *dealt, int32_t *rows, Host *host) {
  const Codes *codes = &dealt->codes;
  int64_t most = 0;
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    most = codes->counts[stratum] > most ? codes->counts[stratum] : most;
  }
  int32_t *seen = host->memory(host, FOR_THE_CALL, (codes->n_rows + most) * (int64_t)sizeof *seen);
  if (seen == NULL) return false;
  memset(seen, 0, (size_t)codes->n_rows * sizeof *seen);
  if (!name_rows(codes->n_rows, dealt->repeated, dealt->n_taken, rows, host)) return false;
  Sequence sequence = {.rows = rows, .first_row = host->first_row, .n_batches = dealt->n_batches, .seen = seen};
  sequence.waiting = seen + codes->n_rows;
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    sequence.places = dealt->layout + sequence.dealt;
    sequence.taken = dealt->taken[stratum];
    sequence.available = codes->counts[stratum];
    bool is_again = is_repeated(sequence.taken, sequence.available);
    if (is_again && !keep_apart(&sequence, host)) return false;
    sequence.dealt += sequence.taken;
  }
  return true;
}

/* Draw an epoch: "rows" and "offsets". */
static inline bool draw_dealt(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  Dealt *dealt = instance;
  if (!make_layout(dealt, host)) return false;
  int64_t n_taken = dealt->n_taken, n_entries = dealt->n_entries, n_offsets = dealt->n_batches + 1;
  size_t bytes_of_cursors = (size_t)(dealt->n_passes + 1) * sizeof(int64_t);
  int64_t *cursors = host->memory(host, FOR_THE_CALL, (int64_t)bytes_of_cursors);
  int32_t *rows = cursors == NULL ? NULL : host->vector(host, "rows", INTEGERS, n_taken);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, n_offsets);
  if (offsets == NULL) return false;
  int32_t *entries = rows;
  bool is_copied = n_entries > n_taken || dealt->is_permuted;
  if (is_copied) entries = host->memory(host, FOR_THE_CALL, n_entries * (int64_t)sizeof *entries);
  void *numbers = NULL;
  if (dealt->is_walked) numbers = host->memory(host, FOR_THE_CALL, n_entries * dealt->code_bytes);
  if (entries == NULL || (dealt->is_walked && numbers == NULL)) return false;
  if (dealt->is_walked) {
    memcpy(numbers, dealt->entry_codes, (size_t)(n_entries * dealt->code_bytes));
    if (!walk_on(dealt, epoch, numbers, host)) return false;
  }
  memcpy(cursors, dealt->starts, bytes_of_cursors);
  const void *codes = numbers == NULL ? dealt->entry_codes : numbers;
  Scattering scattering = {dealt->code_bytes, codes, n_entries, cursors, dealt->layout, host->first_row, entries};
  int32_t *pool = dealt->is_shuffled ? dealt->pool : NULL;
  if (!scatter(&scattering, generator, pool, host)) return false;
  if (dealt->repeated != NULL && !separate_repetitions(dealt, entries, host)) return false;
  if (dealt->is_permuted) {
    const int32_t *order = draw_epoch_order(generator, dealt->n_batches, host);
    return order != NULL && arrange_batches(entries, dealt->offsets, order, dealt->n_batches, offsets, rows, host);
  }
  memcpy(offsets, dealt->offsets, (size_t)n_offsets * sizeof *offsets);
  if (is_copied) memcpy(rows, entries, (size_t)n_taken * sizeof *rows);
  return true;
}

#endif
