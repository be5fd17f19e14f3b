/* Batches of P strata each, in which all S strata come equally often.
 *
 * An epoch of B batches takes B * P strata, in passes: first a short one of the (B * P) % S strata whose turn it is,
 * then whole ones, each in an order of its own. The turns are those of cycles.h: a take an epoch. The passes are cut
 * into batches of P strata; a stratum that a batch would have twice waits for the next one. The rows of a stratum are
 * those of cycles.h, too: a take each time that it comes.
 *
 * If a take would be more than half of the numbers, the numbers that are left out are taken, and all others come, in
 * their order.
 *
 * The orders of cycles are numbered after those of the epochs: number n_orders * c + i is that of cycle c of what has
 * the number i: 0 is for the strata, and the others for their rows.
 */

#ifndef PYSTRAT_EQUAL_EXPOSURE_H
#define PYSTRAT_EQUAL_EXPOSURE_H

#include "cycles.h"
#include "host.h"

typedef struct {
  int64_t n_strata, n_batches, strata_per_batch;
  int64_t n_orders;
  int64_t most; /* the numbers of the largest order */
  uint32_t seed;
} Exposure;

/* An epoch that is being drawn. */
typedef struct {
  int64_t *earlier; /* n_strata: how often they came in all epochs before */
  int64_t *begins;  /* n_strata + 1: where their batches begin in `batches` */
  int32_t *chosen;  /* strata_per_batch for each batch */
  int32_t *batches; /* as many */
  Cycles cycles;
  int32_t *taken;   /* `most` numbers */
} ExposureEpoch;

static inline bool get_exposure_memory(const Exposure *exposure, ExposureEpoch *drawn, Host *host) {
  int64_t n_strata = exposure->n_strata, n_chosen = exposure->n_batches * exposure->strata_per_batch;
  int64_t most = exposure->most;
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
  drawn->cycles.step = exposure->n_orders;
  return true;
}

/* Begin to choose `count` of n numbers, or those that are left out if they are fewer, at this take. */
static inline void begin_takes(Cycles *cycles, int64_t n, int64_t count, int64_t first, int64_t take) {
  cycles->n = n;
  cycles->size = smaller(count, n - count);
  cycles->first = SAMPLE_EPOCH + first;
  if (cycles->size > 0) go_to_take(cycles, take);
}

/* Fill the next `count` numbers. `taken` has room for a take. */
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
static inline void choose_short_pass(
    const Exposure *exposure, ExposureEpoch *drawn, int64_t n_more, Generator *generator, int64_t epoch
) {
  Cycles *cycles = &drawn->cycles;
  begin_takes(cycles, exposure->n_strata, n_more, 0, epoch);
  bool leaves_out = cycles->size < n_more;
  for (int64_t i = 0; i < exposure->n_strata; i++) {
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
  int64_t n_strata = exposure->n_strata, place = n_chosen % n_strata;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) drawn->earlier[stratum] = epoch * (n_chosen / n_strata);
  if (place > 0) choose_short_pass(exposure, drawn, place, generator, epoch);
  for (; place < n_chosen; place += n_strata) {
    int32_t *pass = drawn->chosen + place;
    fill_in_order(cycles->pool, (uint32_t)n_strata);
    take_rows(generator, cycles->pool, (uint32_t)n_strata, (uint32_t)n_strata, pass);
    int64_t rest = place % exposure->strata_per_batch; /* with which the batch begins that ends in this pass */
    for (int64_t i = 1; i <= rest; i++) cycles->marks[pass[-i]] = 1;
    if (rest > 0) let_marked_wait(pass, exposure->strata_per_batch - rest, cycles->marks, cycles->pool);
    for (int64_t i = 1; i <= rest; i++) cycles->marks[pass[-i]] = 0;
    if (!may_go_on(&since, n_strata, host)) return false;
  }
  return true;
}

/* List the batches of each stratum. */
static inline void list_batches(const Exposure *exposure, ExposureEpoch *drawn) {
  int64_t n_chosen = exposure->n_batches * exposure->strata_per_batch, *begins = drawn->begins;
  memset(begins, 0, (size_t)(exposure->n_strata + 1) * sizeof *begins);
  for (int64_t i = 0; i < n_chosen; i++) begins[drawn->chosen[i] + 1] += 1;
  for (int64_t stratum = 0; stratum < exposure->n_strata; stratum++) begins[stratum + 1] += begins[stratum];
  for (int64_t i = 0; i < n_chosen; i++) {
    drawn->batches[begins[drawn->chosen[i]]++] = (int32_t)(i / exposure->strata_per_batch);
  }
  for (int64_t stratum = exposure->n_strata; stratum > 0; stratum--) begins[stratum] = begins[stratum - 1];
  begins[0] = 0;
}

/* Draw which strata the batches of an epoch have. */
static inline bool draw_exposure(
    const Exposure *exposure, Generator *generator, uint32_t epoch, ExposureEpoch *drawn, Host *host
) {
  bool is_drawn = get_exposure_memory(exposure, drawn, host) && choose_strata(exposure, drawn, generator, epoch, host);
  if (is_drawn) list_batches(exposure, drawn);
  return is_drawn;
}

#endif
