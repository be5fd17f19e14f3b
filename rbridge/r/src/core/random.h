/* R's generator, and the numbers that R draws from it.
 *
 * This is R's set.seed(s, "Mersenne-Twister", "Inversion", "Rejection") (M. Matsumoto and T. Nishimura, 1998; R's
 * sources, src/main/RNG.c). The whole state is a Generator, which the caller owns.
 */

#ifndef PYSTRAT_RANDOM_H
#define PYSTRAT_RANDOM_H

#include <stdint.h>

enum {
  STATE_SIZE = 624, /* words of the Mersenne-Twister */
  STATE_SHIFT = 397
};

typedef struct {
  uint32_t state[STATE_SIZE];
  uint32_t outputs[STATE_SIZE]; /* R's uniform is an output times 2^-32 */
  uint32_t position;            /* the next output to use, STATE_SIZE if none is left */
} Generator;

/* The seed of an epoch: (seed + 1327217885 * epoch) mod (2^31 - 1); seed < 2^31 - 1, epoch < 2^32. */
static inline uint32_t epoch_seed(uint32_t seed, uint32_t epoch) {
  return (uint32_t)((seed + UINT64_C(1327217885) * epoch) % UINT64_C(2147483647));
}

/* R's set.seed(): 50 steps of a congruential generator, one value discarded, then the state. */
static inline void seed_generator(Generator *generator, uint32_t seed) {
  for (int i = 0; i < 51; i++) seed = 69069u * seed + 1u;
  for (int i = 0; i < STATE_SIZE; i++) {
    seed = 69069u * seed + 1u;
    generator->state[i] = seed;
  }
  generator->position = STATE_SIZE;
}

static inline uint32_t twisted(uint32_t upper, uint32_t lower, uint32_t shifted) {
  uint32_t mixed = (upper & 0x80000000u) | (lower & 0x7FFFFFFFu);
  return shifted ^ (mixed >> 1) ^ ((0u - (lower & 1u)) & 0x9908B0DFu);
}

/* Make the outputs of the state. */
static inline void temper(Generator *generator) {
  for (int i = 0; i < STATE_SIZE; i++) {
    uint32_t value = generator->state[i];
    value ^= value >> 11;
    value ^= (value << 7) & 0x9D2C5680u;
    value ^= (value << 15) & 0xEFC60000u;
    value ^= value >> 18;
    generator->outputs[i] = value;
  }
}

/* Make the next 624 outputs, in loops without branches, which compilers turn into vector code.
 *
 * The first 227 words take two loops, because gcc -O2 vectorizes only loops whose length is a multiple of the vector
 * size.
 */
static inline void refill(Generator *generator) {
  uint32_t *state = generator->state;
  for (int i = 0; i < 224; i++) state[i] = twisted(state[i], state[i + 1], state[i + STATE_SHIFT]);
  for (int i = 224; i < STATE_SIZE - STATE_SHIFT; i++) {
    state[i] = twisted(state[i], state[i + 1], state[i + STATE_SHIFT]);
  }
  for (int i = STATE_SIZE - STATE_SHIFT; i < STATE_SIZE - 1; i++) {
    state[i] = twisted(state[i], state[i + 1], state[i + STATE_SHIFT - STATE_SIZE]);
  }
  state[STATE_SIZE - 1] = twisted(state[STATE_SIZE - 1], state[0], state[STATE_SHIFT - 1]);
  temper(generator);
  generator->position = 0;
}

/* Draw 32 random bits. */
static inline uint32_t next_output(Generator *generator) {
  if (generator->position == STATE_SIZE) refill(generator);
  return generator->outputs[generator->position++];
}

/* Draw a multiple of 2^-53 in [0, 1), made of two outputs. All its steps are exact. */
static inline double next_uniform(Generator *generator) {
  uint64_t upper = next_output(generator) >> 5;
  uint64_t lower = next_output(generator) >> 6;
  return (double)((upper << 26) | lower) / 9007199254740992.0;
}

/* The least number of bits b with limit <= 2^b: R's ceil(log2(limit)). The limit is from 1 to 2^53. */
static inline uint32_t bits_below(uint64_t limit) {
  uint32_t bits = 0;
  while ((UINT64_C(1) << bits) < limit) bits++;
  return bits;
}

/* Draw R's index below a limit of 1 to 2^53 that needs `bits` bits: 16 per output, until it is below the limit. */
static inline uint64_t index_below(Generator *generator, uint64_t limit, uint32_t bits) {
  uint64_t mask = (UINT64_C(1) << bits) - 1;
  for (;;) {
    uint64_t value = 0;
    for (uint32_t drawn = 0; drawn <= bits; drawn += 16) value = (value << 16) | (next_output(generator) >> 16);
    value &= mask;
    if (value < limit) return value;
  }
}

/* Draw R's index below each of limit, limit - step, limit - 2 * step, ..., `wanted` of them, into `indices`.
 *
 * All limits need the same number of bits, at most 31. Below 2^16 an index takes one output, otherwise two, upper half
 * first. An index that is not below its limit is overwritten by the next one.
 */
static inline void draw_indices(
    Generator *generator, uint32_t limit, uint32_t step, uint32_t bits, uint32_t wanted, uint32_t *indices
) {
  uint32_t mask = (UINT32_C(1) << bits) - 1;
  uint32_t count = 0;
  while (count < wanted) {
    if (bits >= 16 && generator->position == STATE_SIZE - 1) { /* the two outputs straddle a refill */
      uint32_t value = next_output(generator) & 0xFFFF0000u;
      value = (value | (next_output(generator) >> 16)) & mask;
      indices[count] = value;
      count += value < limit - step * count;
    }
    if (generator->position == STATE_SIZE) refill(generator);
    uint32_t position = generator->position;
    if (bits < 16) {
      while (count < wanted && position < STATE_SIZE) {
        uint32_t value = (generator->outputs[position] >> 16) & mask;
        indices[count] = value;
        count += value < limit - step * count;
        position += 1;
      }
    } else {
      while (count < wanted && position + 1 < STATE_SIZE) {
        uint32_t value = generator->outputs[position] & 0xFFFF0000u;
        value = (value | (generator->outputs[position + 1] >> 16)) & mask;
        indices[count] = value;
        count += value < limit - step * count;
        position += 2;
      }
    }
    generator->position = position;
  }
}

#endif
