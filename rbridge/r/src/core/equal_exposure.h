/* Batches of P strata with m rows each, in which all strata come equally often.
 *
 * An epoch of B batches takes B * P of the S strata that have at least m rows, in passes: first a short one of the (B *
 * P) % S strata whose turn it is, then whole ones, each in an order of its own. The turns are those of cycles.h: a take
 * an epoch. The passes are cut into batches of P strata; a stratum that a batch would have twice waits for the next
 * one. The rows of a stratum are those of cycles.h, too: a take each time that it comes.
 *
 * If a take would be more than half of the numbers, the numbers that are left out are taken, and all others come, in
 * their order.
 *
 * Number n_orders * c of the orders, after those of the epochs, is that of cycle c of the strata, and number n_orders *
 * c + 1 + s that of cycle c of the rows of stratum s; n_orders is one more than the number of strata.
 */

#ifndef PYSTRAT_EQUAL_EXPOSURE_H
#define PYSTRAT_EQUAL_EXPOSURE_H

#include "cycles.h"
#include "host.h"
#include "recipe.h"

typedef struct {
  const Codes *codes;
  const int64_t *starts; /* n_strata: where the rows of a stratum begin in `rows` */
  const int32_t *rows;   /* stratum by stratum, each in the order of epoch 0 */
  int64_t n_batches, strata_per_batch, rows_of_each;
  uint32_t seed;
} Exposure;

/* An epoch that is being drawn. Strata are numbered among those that have enough rows. */
typedef struct {
  int64_t n_sampled;
  int32_t *sampled;    /* n_strata: their numbers among all strata */
  int64_t *earlier;    /* n_strata: how often they came in all epochs before */
  int64_t *begins;     /* n_strata + 1: where their batches begin in `batches` */
  int32_t *chosen;     /* strata_per_batch for each batch */
  int32_t *batches;    /* as many */
  Cycles cycles;       /* with room for any stratum, and for all of them */
  int32_t *taken;      /* as many numbers as `cycles` has room for */
} ExposureEpoch;

static inline bool get_exposure_memory(const Exposure *exposure, ExposureEpoch *drawn, Host *host) {
  int64_t n_strata = exposure->codes->n_strata, n_chosen = exposure->n_batches * exposure->strata_per_batch;
  int64_t most = n_strata;
  drawn->sampled = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *drawn->sampled);
  if (drawn->sampled == NULL) return false;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    int64_t count = exposure->codes->counts[stratum];
    most = count > most ? count : most;
    if (count >= exposure->rows_of_each) drawn->sampled[drawn->n_sampled++] = (int32_t)stratum;
  }
  drawn->earlier = host->memory(host, FOR_THE_CALL, (2 * n_strata + 1) * (int64_t)sizeof *drawn->earlier);
  drawn->chosen = host->memory(host, FOR_THE_CALL, (2 * n_chosen + 3 * most) * (int64_t)sizeof *drawn->chosen);
  drawn->cycles.marks = host->memory(host, FOR_THE_CALL, most);
  if (drawn->earlier == NULL || drawn->chosen == NULL || drawn->cycles.marks == NULL) return false;
  memset(drawn->cycles.marks, 0, (size_t)most);
  drawn->begins = drawn->earlier + n_strata;
  drawn->batches = drawn->chosen + n_chosen;
  drawn->taken = drawn->batches + n_chosen;
  drawn->cycles.order = drawn->taken + most;
  drawn->cycles.pool = drawn->cycles.order + most;
  drawn->cycles.seed = exposure->seed;
  drawn->cycles.step = n_strata + 1;
  return true;
}

/* Begin to choose `count` of n numbers, or those that are left out if they are fewer, at this take. */
static inline void begin_takes(Cycles *cycles, int64_t n, int64_t count, int64_t first, int64_t take) {
  cycles->n = n;
  cycles->size = smaller(count, n - count);
  cycles->first = SAMPLE_EPOCH + first;
  if (cycles->size > 0) go_to_take(cycles, take);
}

/* Fill the next `count` numbers. */
static inline void fill_take(Cycles *cycles, int64_t count, int32_t *taken, int32_t *numbers) {
  if (cycles->size == count) {
    take_numbers(cycles, numbers);
    return;
  }
  if (cycles->size == 0) {
    fill_in_order(numbers, (uint32_t)count);
    return;
  }
  take_numbers(cycles, taken);
  for (int64_t i = 0; i < cycles->size; i++) cycles->marks[taken[i]] = 1;
  for (int64_t number = 0, n_filled = 0; number < cycles->n; number++) {
    if (!cycles->marks[number]) numbers[n_filled++] = (int32_t)number;
  }
  for (int64_t i = 0; i < cycles->size; i++) cycles->marks[taken[i]] = 0;
}

/* Choose the strata of the short pass, in an order of the epoch, and count how often all of them came before. */
static inline void choose_short_pass(ExposureEpoch *drawn, int64_t n_more, Generator *generator, int64_t epoch) {
  Cycles *cycles = &drawn->cycles;
  begin_takes(cycles, drawn->n_sampled, n_more, 0, epoch);
  bool leaves_out = cycles->size < n_more;
  for (int64_t i = 0; i < drawn->n_sampled; i++) {
    int32_t stratum = cycles->order[i];
    int64_t n_taken = cycles->cycle + (i < cycles->place);
    drawn->earlier[stratum] += leaves_out ? epoch - n_taken : n_taken;
  }
  fill_take(cycles, n_more, drawn->taken, drawn->chosen);
  memcpy(cycles->pool, drawn->chosen, (size_t)n_more * sizeof *drawn->chosen);
  take_rows(generator, cycles->pool, (uint32_t)n_more, (uint32_t)n_more, drawn->chosen);
}

/* Choose the strata of all batches. */
static inline bool choose_strata(
    const Exposure *exposure, ExposureEpoch *drawn, Generator *generator, int64_t epoch, Host *host
) {
  Cycles *cycles = &drawn->cycles;
  int64_t n_chosen = exposure->n_batches * exposure->strata_per_batch, since = 0;
  int64_t n_sampled = drawn->n_sampled, place = n_chosen % n_sampled;
  for (int64_t i = 0; i < n_sampled; i++) drawn->earlier[i] = epoch * (n_chosen / n_sampled);
  if (place > 0) choose_short_pass(drawn, place, generator, epoch);
  for (; place < n_chosen; place += n_sampled) {
    int32_t *pass = drawn->chosen + place;
    fill_in_order(cycles->pool, (uint32_t)n_sampled);
    take_rows(generator, cycles->pool, (uint32_t)n_sampled, (uint32_t)n_sampled, pass);
    int64_t rest = place % exposure->strata_per_batch; /* with which the batch begins that ends in this pass */
    for (int64_t i = 1; i <= rest; i++) cycles->marks[pass[-i]] = 1;
    if (rest > 0) let_marked_wait(pass, exposure->strata_per_batch - rest, cycles->marks, cycles->pool);
    for (int64_t i = 1; i <= rest; i++) cycles->marks[pass[-i]] = 0;
    if (!may_go_on(&since, n_sampled, host)) return false;
  }
  return true;
}

/* List the batches of each stratum. */
static inline void list_batches(const Exposure *exposure, ExposureEpoch *drawn) {
  int64_t n_chosen = exposure->n_batches * exposure->strata_per_batch, *begins = drawn->begins;
  memset(begins, 0, (size_t)(drawn->n_sampled + 1) * sizeof *begins);
  for (int64_t i = 0; i < n_chosen; i++) begins[drawn->chosen[i] + 1] += 1;
  for (int64_t i = 0; i < drawn->n_sampled; i++) begins[i + 1] += begins[i];
  for (int64_t i = 0; i < n_chosen; i++) {
    drawn->batches[begins[drawn->chosen[i]]++] = (int32_t)(i / exposure->strata_per_batch);
  }
  for (int64_t i = drawn->n_sampled; i > 0; i--) begins[i] = begins[i - 1];
  begins[0] = 0;
}

/* Draw an epoch: "rows" and "offsets". */
static inline bool draw_equal_exposure(const Exposure *exposure, Generator *generator, uint32_t epoch, Host *host) {
  ExposureEpoch drawn = {.n_sampled = 0};
  int64_t each = exposure->rows_of_each, size = exposure->strata_per_batch * each, since = 0;
  if (!get_exposure_memory(exposure, &drawn, host)) return false;
  int64_t *ends = host->memory(host, FOR_THE_CALL, exposure->n_batches * (int64_t)sizeof *ends);
  int32_t *rows = ends == NULL ? NULL : host->vector(host, "rows", INTEGERS, exposure->n_batches * size);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, exposure->n_batches + 1);
  if (offsets == NULL || !choose_strata(exposure, &drawn, generator, epoch, host)) return false;
  list_batches(exposure, &drawn);
  for (int64_t batch = 0; batch <= exposure->n_batches; batch++) offsets[batch] = batch * size;
  memcpy(ends, offsets, (size_t)exposure->n_batches * sizeof *ends);
  for (int64_t i = 0; i < drawn.n_sampled; i++) {
    int32_t stratum = drawn.sampled[i];
    if (drawn.begins[i] == drawn.begins[i + 1]) continue;
    const int32_t *of_stratum = exposure->rows + exposure->starts[stratum];
    begin_takes(&drawn.cycles, exposure->codes->counts[stratum], each, 1 + stratum, drawn.earlier[i]);
    for (int64_t j = drawn.begins[i]; j < drawn.begins[i + 1]; j++) {
      int64_t *end = &ends[drawn.batches[j]];
      int32_t *numbers = rows + *end;
      fill_take(&drawn.cycles, each, drawn.taken, numbers);
      for (int64_t row = 0; row < each; row++) numbers[row] = of_stratum[numbers[row]] + host->first_row;
      *end += each;
    }
    if (!may_go_on(&since, each * (drawn.begins[i + 1] - drawn.begins[i]), host)) return false;
  }
  return true;
}

#endif
