/* Whole arrays from a generator, and its state in the form of R's .Random.seed. Several calls draw the same as one call
 * for all.
 */

#ifndef PYSTRAT_STREAM_H
#define PYSTRAT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "prefetch.h"
#include "random.h"

/* Write the state into STATE_SIZE + 1 words: the position, then the words of the Mersenne-Twister. */
static inline void save_generator(const Generator *generator, uint32_t *words) {
  words[0] = generator->position;
  for (int i = 0; i < STATE_SIZE; i++) words[i + 1] = generator->state[i];
}

/* Continue from a state of STATE_SIZE + 1 words; return whether it is valid. If not, the generator does not change. */
static inline bool restore_generator(Generator *generator, const uint32_t *words) {
  if (words[0] > STATE_SIZE) return false;
  for (int i = 0; i < STATE_SIZE; i++) generator->state[i] = words[i + 1];
  temper(generator);
  generator->position = words[0];
  return true;
}

/* The same from `length` numbers, which may be no state. */
static inline bool restore_from_numbers(Generator *generator, const double *numbers, int64_t length) {
  if (length != STATE_SIZE + 1) return false;
  uint32_t words[STATE_SIZE + 1];
  for (int i = 0; i <= STATE_SIZE; i++) {
    if (!(numbers[i] >= 0 && numbers[i] <= UINT32_MAX)) return false;
    words[i] = (uint32_t)numbers[i];
    if ((double)words[i] != numbers[i]) return false;
  }
  return restore_generator(generator, words);
}

/* Draw numbers below a limit of 1 to 2^53, with replacement: R's sample.int(limit, count, replace = TRUE) - 1. */
static inline void draw_numbers(Generator *generator, uint64_t limit, int64_t count, int64_t *numbers) {
  uint32_t bits = bits_below(limit);
  if (bits >= 32) {
    for (int64_t i = 0; i < count; i++) numbers[i] = (int64_t)index_below(generator, limit, bits);
    return;
  }
  uint32_t indices[BLOCK_SIZE];
  for (int64_t done = 0; done < count;) {
    uint32_t wanted = count - done < BLOCK_SIZE ? (uint32_t)(count - done) : BLOCK_SIZE;
    draw_indices(generator, (uint32_t)limit, 0, bits, wanted, indices);
    for (uint32_t i = 0; i < wanted; i++) numbers[done + i] = indices[i];
    done += wanted;
  }
}

/* Draw `count` multiples of 2^-53 in [0, 1), of two outputs each. */
static inline void draw_uniforms(Generator *generator, int64_t count, double *uniforms) {
  for (int64_t i = 0; i < count; i++) uniforms[i] = next_uniform(generator);
}

#endif
