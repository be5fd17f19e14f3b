/* R's generator, and the numbers that R draws from it.
 *
 * This is R's set.seed(s, "Mersenne-Twister", "Inversion", "Rejection") (M. Matsumoto and T. Nishimura, 1998; R's
 * sources, src/main/RNG.c). Several calls draw the same as one call for all.
 */

#pragma once

#include <algorithm>
#include <cstdint>

namespace pystrat {

/* Rows handled together, so that the memory of all of them is prefetched before the first one needs it. */
constexpr uint32_t BLOCK_SIZE = 512;

/* The seed of an epoch: (seed + 1327217885 * epoch) mod (2^31 - 1); seed < 2^31 - 1, epoch < 2^32. */
inline uint32_t epoch_seed(uint32_t seed, uint32_t epoch) {
  return static_cast<uint32_t>((seed + UINT64_C(1327217885) * epoch) % UINT64_C(2147483647));
}

/* The least number of bits b with limit <= 2^b: R's ceil(log2(limit)). The limit is from 1 to 2^53. */
inline uint32_t bits_below(int64_t limit) {
  uint32_t bits = 0;
  while ((int64_t(1) << bits) < limit) bits++;
  return bits;
}

class Generator {
 public:
  static constexpr int N_WORDS = 624; /* of the Mersenne-Twister */
  static constexpr int N_NUMBERS = N_WORDS + 1;

  Generator() = default;

  explicit Generator(uint32_t seed) { begin(seed); }

  /* R's set.seed(): 50 steps of a congruential generator, one value discarded, then the state. */
  void begin(uint32_t seed) {
    position = N_WORDS;
    for (int i = 0; i < 51; i++) seed = 69069u * seed + 1u;
    for (uint32_t &word : state) {
      seed = 69069u * seed + 1u;
      word = seed;
    }
  }

  /* Write the state as N_NUMBERS numbers, in the form of R's .Random.seed: the position, then the words. */
  void save(double *numbers) const {
    numbers[0] = position;
    std::copy(state, state + N_WORDS, numbers + 1);
  }

  /* Continue from such numbers; return whether they are a state. If not, the generator does not change. */
  bool restore(const double *numbers, int64_t length) {
    auto is_word = [](double number) {
      return number >= 0 && number <= UINT32_MAX && number == static_cast<double>(static_cast<uint32_t>(number));
    };
    if (length != N_NUMBERS || !std::all_of(numbers, numbers + length, is_word) || numbers[0] > N_WORDS) return false;
    std::transform(numbers + 1, numbers + length, state, [](double word) { return static_cast<uint32_t>(word); });
    temper();
    position = static_cast<uint32_t>(numbers[0]);
    return true;
  }

  /* Draw 32 random bits. */
  uint32_t next() {
    if (position == N_WORDS) refill();
    return outputs[position++];
  }

  /* Draw a multiple of 2^-53 in [0, 1), made of two outputs. All its steps are exact. */
  double uniform() {
    uint64_t upper = next() >> 5;
    uint64_t lower = next() >> 6;
    return static_cast<double>((upper << 26) | lower) / 9007199254740992.0;
  }

  /* Draw R's index below a limit of 1 to 2^53 that needs `bits` bits: 16 per output, until it is below the limit. */
  int64_t below(int64_t limit, uint32_t bits) {
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (;;) {
      uint64_t value = 0;
      for (uint32_t drawn = 0; drawn <= bits; drawn += 16) value = (value << 16) | (next() >> 16);
      int64_t index = static_cast<int64_t>(value & mask);
      if (index < limit) return index;
    }
  }

  /* Draw numbers below a limit of 1 to 2^53, with replacement: R's sample.int(limit, count, replace = TRUE) - 1. */
  void draw(int64_t limit, int64_t count, int64_t *numbers) {
    uint32_t bits = bits_below(limit);
    if (bits >= 32) {
      std::generate_n(numbers, count, [&] { return below(limit, bits); });
      return;
    }
    uint32_t indices[BLOCK_SIZE];
    for (int64_t done = 0; done < count;) {
      uint32_t wanted = static_cast<uint32_t>(std::min<int64_t>(count - done, BLOCK_SIZE));
      draw_indices(static_cast<uint32_t>(limit), 0, bits, wanted, indices);
      std::copy(indices, indices + wanted, numbers + done);
      done += wanted;
    }
  }

  /* Draw R's index below each of limit, limit - step, limit - 2 * step, ..., `wanted` of them, into `indices`.
   *
   * All limits need the same number of bits, at most 31. Below 2^16 an index takes one output, otherwise two, upper
   * half first. An index that is not below its limit is overwritten by the next one.
   */
  void draw_indices(uint32_t limit, uint32_t step, uint32_t bits, uint32_t wanted, uint32_t *indices) {
    uint32_t mask = (UINT32_C(1) << bits) - 1;
    uint32_t count = 0;
    while (count < wanted) {
      if (bits >= 16 && position == N_WORDS - 1) { /* the two outputs straddle a refill */
        uint32_t value = next() & 0xFFFF0000u;
        value = (value | (next() >> 16)) & mask;
        indices[count] = value;
        count += value < limit - step * count;
      }
      if (position == N_WORDS) refill();
      uint32_t place = position;
      if (bits < 16) {
        while (count < wanted && place < N_WORDS) {
          uint32_t value = (outputs[place] >> 16) & mask;
          indices[count] = value;
          count += value < limit - step * count;
          place += 1;
        }
      } else {
        while (count < wanted && place + 1 < N_WORDS) {
          uint32_t value = outputs[place] & 0xFFFF0000u;
          value = (value | (outputs[place + 1] >> 16)) & mask;
          indices[count] = value;
          count += value < limit - step * count;
          place += 2;
        }
      }
      position = place;
    }
  }

 private:
  static constexpr int SHIFT = 397;

  uint32_t state[N_WORDS];
  uint32_t outputs[N_WORDS]; /* R's uniform is an output times 2^-32 */
  uint32_t position;         /* the next output to use, N_WORDS if none is left */

  static uint32_t twisted(uint32_t upper, uint32_t lower, uint32_t shifted) {
    uint32_t mixed = (upper & 0x80000000u) | (lower & 0x7FFFFFFFu);
    return shifted ^ (mixed >> 1) ^ ((0u - (lower & 1u)) & 0x9908B0DFu);
  }

  /* Make the outputs of the state. */
  void temper() {
    for (int i = 0; i < N_WORDS; i++) {
      uint32_t value = state[i];
      value ^= value >> 11;
      value ^= (value << 7) & 0x9D2C5680u;
      value ^= (value << 15) & 0xEFC60000u;
      value ^= value >> 18;
      outputs[i] = value;
    }
  }

  /* Make the next 624 outputs, in loops without branches, which compilers turn into vector code.
   *
   * The first 227 words take two loops, because gcc -O2 vectorizes only loops whose length is a multiple of the vector
   * size.
   */
  void refill() {
    for (int i = 0; i < 224; i++) state[i] = twisted(state[i], state[i + 1], state[i + SHIFT]);
    for (int i = 224; i < N_WORDS - SHIFT; i++) state[i] = twisted(state[i], state[i + 1], state[i + SHIFT]);
    for (int i = N_WORDS - SHIFT; i < N_WORDS - 1; i++) {
      state[i] = twisted(state[i], state[i + 1], state[i + SHIFT - N_WORDS]);
    }
    state[N_WORDS - 1] = twisted(state[N_WORDS - 1], state[0], state[SHIFT - 1]);
    temper();
    position = 0;
  }
};

}  // namespace pystrat
