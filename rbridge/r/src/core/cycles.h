/* Numbers that are taken a few at a time, in turn, with a new order in each cycle.
 *
 * Take t, from 0, has the places t * size, ..., (t + 1) * size - 1 of a sequence of cycles. Each cycle has all n
 * numbers once, in the order of R's sample.int(n). If the last numbers of a cycle do not fill a take, the first numbers
 * of the next cycle that are not among them do; numbers that would be taken twice wait, in their order, for the next
 * take. So after any number of takes, all numbers have been taken equally often to within one, and after n / gcd(n,
 * size) takes equally often.
 *
 * A take is at most half of the numbers. The numbers that wait are then among the first `size` of a cycle, and those
 * that they wait for among its last ones, so that a cycle follows from its own order and that of the cycle before.
 */

#ifndef PYSTRAT_CYCLES_H
#define PYSTRAT_CYCLES_H

#include <stdbool.h>
#include <string.h>

#include "largest_numbers.h"
#include "permutation.h"

/* The caller owns the arrays, of n numbers each. */
typedef struct {
  uint32_t seed;
  int64_t n, size;     /* `size` is at least 1 */
  int64_t first, step; /* the order of cycle c has the number first + c * step */
  int64_t cycle, place;
  int32_t *order, *pool;
  uint8_t *marks;      /* zeros */
} Cycles;

/* Draw an order: that of the epoch of its number; 2^31 - 1 numbers have different seeds. */
static inline void draw_numbered_order(Cycles *cycles, int64_t cycle) {
  int64_t n_seeds = INT64_C(1) + LARGEST_SEED, number = cycles->first + cycle % n_seeds * cycles->step;
  Generator generator;
  seed_generator(&generator, epoch_seed(cycles->seed, (uint32_t)(number % n_seeds)));
  fill_in_order(cycles->pool, (uint32_t)cycles->n);
  take_rows(&generator, cycles->pool, (uint32_t)cycles->n, (uint32_t)cycles->n, cycles->order);
}

/* Put the first `wanted` numbers without a mark before those that have one, which are in `waiting` meanwhile. */
static inline void let_marked_wait(int32_t *numbers, int64_t wanted, const uint8_t *marks, int32_t *waiting) {
  int64_t n_waiting = 0, kept = 0;
  for (int64_t next = 0; kept < wanted; next++) {
    if (marks[numbers[next]]) {
      waiting[n_waiting++] = numbers[next];
    } else {
      numbers[kept++] = numbers[next];
    }
  }
  if (n_waiting > 0) memcpy(numbers + kept, waiting, (size_t)n_waiting * sizeof *numbers);
}

/* Begin a cycle; `order` is that of the cycle before, or is not yet known. */
static inline void begin_cycle(Cycles *cycles, bool is_known) {
  int64_t rest = cycles->cycle * cycles->n % cycles->size; /* with which the first take begins */
  if (rest > 0 && !is_known) draw_numbered_order(cycles, cycles->cycle - 1);
  for (int64_t i = cycles->n - rest; i < cycles->n; i++) cycles->marks[cycles->order[i]] = 1;
  draw_numbered_order(cycles, cycles->cycle);
  if (rest == 0) return;
  let_marked_wait(cycles->order, cycles->size - rest, cycles->marks, cycles->pool);
  memset(cycles->marks, 0, (size_t)cycles->n);
}

/* Go to a take. Numbers wait within the first `size` places only. */
static inline void go_to_take(Cycles *cycles, int64_t take) {
  cycles->cycle = take * cycles->size / cycles->n;
  cycles->place = take * cycles->size % cycles->n;
  if (cycles->place < cycles->size) {
    begin_cycle(cycles, false);
  } else {
    draw_numbered_order(cycles, cycles->cycle);
  }
}

/* Take the next numbers. */
static inline void take_numbers(Cycles *cycles, int32_t *taken) {
  for (int64_t i = 0; i < cycles->size; i++) {
    if (cycles->place == cycles->n) {
      cycles->place = 0;
      cycles->cycle += 1;
      begin_cycle(cycles, true);
    }
    taken[i] = cycles->order[cycles->place++];
  }
}

#endif
