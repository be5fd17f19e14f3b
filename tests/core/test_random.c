/* random.h, permutation.h and stream.h: R's own results, and a plain implementation of the generator. */

#include "check.h"
#include "permutation.h"
#include "prefetch.h"
#include "random.h"
#include "stream.h"

static const uint32_t SEEDS[] = {0, 1, 20260101, 2147483645, 2147483646};

/* R's generator, one output at a time. */
typedef struct {
  uint32_t words[624];
  int position;
} Reference;

static Reference seeded_reference(uint32_t seed) {
  Reference reference = {.position = 624};
  for (int i = 0; i < 50; i++) seed = 69069u * seed + 1u;
  seed = 69069u * seed + 1u;
  for (int i = 0; i < 624; i++) {
    seed = 69069u * seed + 1u;
    reference.words[i] = seed;
  }
  return reference;
}

static uint32_t reference_output(Reference *reference) {
  uint32_t *words = reference->words;
  if (reference->position == 624) {
    for (int i = 0; i < 624; i++) {
      uint32_t mixed = (words[i] & 0x80000000u) | (words[(i + 1) % 624] & 0x7FFFFFFFu);
      words[i] = words[(i + 397) % 624] ^ (mixed >> 1);
      if (mixed % 2 == 1) words[i] ^= 0x9908B0DFu;
    }
    reference->position = 0;
  }
  uint32_t output = words[reference->position++];
  output ^= output >> 11;
  output ^= (output << 7) & 0x9D2C5680u;
  output ^= (output << 15) & 0xEFC60000u;
  return output ^ (output >> 18);
}

static uint64_t reference_index(Reference *reference, uint64_t limit) {
  int bits = 0;
  while ((UINT64_C(1) << bits) < limit) bits++;
  for (;;) {
    uint64_t value = 0;
    for (int drawn = 0; drawn <= bits; drawn += 16) value = 65536 * value + reference_output(reference) / 65536;
    value %= UINT64_C(1) << bits;
    if (value < limit) return value;
  }
}

static void fill_reference_permutation(Reference *reference, uint32_t n_rows, int32_t *rows) {
  int32_t *pool = new_array(n_rows, sizeof *pool);
  for (uint32_t row = 0; row < n_rows; row++) pool[row] = (int32_t)row;
  for (uint32_t i = 0; i < n_rows; i++) {
    uint32_t left = n_rows - i;
    uint64_t index = reference_index(reference, left);
    rows[i] = pool[index];
    pool[index] = pool[left - 1];
  }
  free(pool);
}

/* set.seed(seed); sample(n), in R 4 with its default kinds. */
static void test_permutations_are_those_of_r(void) {
  static const struct {
    uint32_t seed, n_rows;
    int32_t first[6];
  } cases[] = {
      {0, 6, {6, 1, 4, 3, 5, 2}},
      {0, 20000, {17401, 4775, 13218, 10539, 8462, 4050}},
      {0, 100000, {82937, 13218, 61911, 41230, 79035, 45025}},
      {1, 6, {1, 4, 3, 6, 2, 5}},
      {1, 20000, {17401, 4775, 13218, 10539, 8462, 4050}},
      {1, 100000, {24388, 59521, 43307, 69586, 11571, 25173}},
      {2147483646, 6, {2, 6, 3, 1, 4, 5}},
      {2147483646, 20000, {7282, 12853, 12315, 10628, 4566, 5545}},
      {2147483646, 100000, {88790, 12315, 76164, 57847, 76131, 23456}},
  };
  for (size_t i = 0; i < LENGTH(cases); i++) {
    Generator generator;
    int32_t *pool = new_array(cases[i].n_rows, sizeof *pool);
    int32_t rows[6];
    seed_generator(&generator, cases[i].seed);
    fill_in_order(pool, cases[i].n_rows);
    take_rows(&generator, pool, cases[i].n_rows, 6, rows);
    for (int place = 0; place < 6; place++) CHECK_EQUAL(rows[place] + 1, cases[i].first[place]);
    free(pool);
  }
}

/* set.seed(1); c(sample.int(2^40, 4, TRUE), sample.int(4.5e15, 2, TRUE), sample.int(2^31 - 1, 2, TRUE)) - 1 */
static void test_numbers_below_large_limits_are_those_of_r(void) {
  static const int64_t wanted[] = {
      1066750153382, 550622062076, 921961144589, 898532781362,
      108116223229801, 1686570864854790, 1867003470, 651436068
  };
  Generator generator;
  int64_t numbers[8];
  seed_generator(&generator, 1);
  draw_numbers(&generator, UINT64_C(1) << 40, 4, &numbers[0]);
  draw_numbers(&generator, UINT64_C(4500000000000000), 2, &numbers[4]);
  draw_numbers(&generator, 2147483647, 2, &numbers[6]);
  for (int i = 0; i < 8; i++) CHECK_EQUAL(numbers[i], wanted[i]);
}

static void test_outputs_are_those_of_the_reference(void) {
  for (size_t i = 0; i < LENGTH(SEEDS); i++) {
    Generator generator;
    Reference reference = seeded_reference(SEEDS[i]);
    seed_generator(&generator, SEEDS[i]);
    for (int drawn = 0; drawn < 5000; drawn++) CHECK_EQUAL(next_output(&generator), reference_output(&reference));
    for (int drawn = 0; drawn < 1001; drawn++) {
      double upper = reference_output(&reference) >> 5;
      double lower = reference_output(&reference) >> 6;
      double wanted = (upper * 67108864.0 + lower) / 9007199254740992.0; /* every step is exact */
      double got = next_uniform(&generator);
      CHECK(got == wanted && 0 <= got && got < 1);
    }
  }
}

/* (a + b) mod (2^31 - 1), so that sums of epochs need no product. */
static uint32_t sum_of_seeds(uint32_t a, uint32_t b) { return (uint32_t)(((uint64_t)a + b) % 2147483647u); }

static void test_seeds_of_epochs(void) {
  CHECK_EQUAL(epoch_seed(0, 0), 0);
  CHECK_EQUAL(epoch_seed(2147483646, 0), 2147483646);
  CHECK_EQUAL(epoch_seed(0, 1), 1327217885);
  CHECK_EQUAL(epoch_seed(2147483646, 1), 1327217884);
  uint32_t step = 0;
  for (uint32_t epoch = 0; epoch <= 6700000; epoch++) {
    if (epoch % 1000 == 0) {
      for (size_t i = 0; i < LENGTH(SEEDS); i++) CHECK_EQUAL(epoch_seed(SEEDS[i], epoch), sum_of_seeds(SEEDS[i], step));
    }
    step = sum_of_seeds(step, 1327217885);
  }
  uint32_t last = 0; /* of epoch 2^32 - 1, by doubling */
  for (int bit = 0; bit < 32; bit++) last = sum_of_seeds(sum_of_seeds(last, last), 1327217885);
  CHECK_EQUAL(epoch_seed(0, UINT32_MAX), last);
  CHECK_EQUAL(epoch_seed(2147483646, UINT32_MAX), sum_of_seeds(last, 2147483646));
}

static void test_bits_below(void) {
  CHECK_EQUAL(bits_below(1), 0);
  for (uint32_t bits = 0; bits < 53; bits++) {
    uint64_t power = UINT64_C(1) << bits;
    CHECK_EQUAL(bits_below(power), bits);
    CHECK_EQUAL(bits_below(power + 1), bits + 1);
  }
  CHECK_EQUAL(bits_below(UINT64_C(1) << 53), 53);
}

static void test_numbers_are_those_of_the_reference_in_any_steps(void) {
  enum { COUNT = 3000 };
  static const uint64_t limits[] = {
      1,          2,           3,           255,         32767,      32768,      65535,
      65536,      65537,       1000000,     2147483647,  2147483648, 2147483649, UINT64_C(4294967295),
      UINT64_C(4294967296), UINT64_C(4294967297), UINT64_C(100000000000), UINT64_C(9007199254740991),
      UINT64_C(9007199254740992)
  };
  static const int64_t steps[] = {1, 7, 511, 512, 513, COUNT};
  int64_t *numbers = new_array(COUNT, sizeof *numbers);
  for (size_t i = 0; i < LENGTH(limits); i++) {
    for (size_t j = 0; j < LENGTH(steps); j++) {
      Generator generator;
      Reference reference = seeded_reference(7);
      seed_generator(&generator, 7);
      for (int64_t done = 0; done < COUNT; done += steps[j]) {
        int64_t count = COUNT - done < steps[j] ? COUNT - done : steps[j];
        draw_numbers(&generator, limits[i], count, &numbers[done]);
      }
      for (int drawn = 0; drawn < COUNT; drawn++) CHECK_EQUAL(numbers[drawn], reference_index(&reference, limits[i]));
    }
  }
  free(numbers);
}

static const uint32_t SIZES[] = {1, 2, 3, 6, 255, 256, 257, 511, 512, 513, 1025, 32769, 65535, 65536, 65537, 100000};

static void test_permutations_in_steps_are_those_of_one_call(void) {
  static const uint32_t steps[] = {1, 2, 7, 511, 512, 513, 1000, 2147483647};
  for (size_t i = 0; i < LENGTH(SIZES); i++) {
    uint32_t n_rows = SIZES[i];
    int32_t *pool = new_array(n_rows, sizeof *pool);
    int32_t *rows = new_array(n_rows, sizeof *rows);
    int32_t *wanted = new_array(n_rows, sizeof *wanted);
    Reference reference = seeded_reference(2147483646);
    fill_reference_permutation(&reference, n_rows, wanted);
    for (size_t j = 0; j < LENGTH(steps); j++) {
      Generator generator;
      seed_generator(&generator, 2147483646);
      fill_in_order(pool, n_rows);
      for (uint32_t left = n_rows; left > 0;) {
        uint32_t size = left < steps[j] ? left : steps[j];
        take_rows(&generator, pool, left, size, &rows[n_rows - left]);
        left -= size;
      }
      for (uint32_t row = 0; row < n_rows; row++) CHECK_EQUAL(rows[row], wanted[row]);
    }
    free(pool);
    free(rows);
    free(wanted);
  }
}

static void test_subsets_begin_permutations_and_put_the_pool_back(void) {
  enum { COUNT = 3 };
  for (size_t i = 0; i < LENGTH(SIZES); i++) {
    uint32_t n_rows = SIZES[i];
    const uint32_t sizes[] = {0, 1, n_rows / 2, n_rows - 1, n_rows};
    int32_t *pool = new_array(n_rows, sizeof *pool);
    int32_t *wanted = new_array(n_rows, sizeof *wanted);
    fill_in_order(pool, n_rows);
    for (size_t j = 0; j < LENGTH(sizes); j++) {
      uint32_t size = sizes[j];
      uint32_t *places = new_array(size, sizeof *places);
      int32_t *rows = new_array(COUNT * (int64_t)size, sizeof *rows);
      Generator generator, expected;
      seed_generator(&generator, 1);
      expected = generator;
      for (uint32_t subset = 0; subset < COUNT; subset++) {
        draw_subset_part(&generator, pool, n_rows, 0, size, places, &rows[subset * size]);
        put_rows_back(pool, places, size);
        for (uint32_t row = 0; row < n_rows; row++) CHECK_EQUAL(pool[row], row);
      }
      for (uint32_t subset = 0; subset < COUNT; subset++) {
        take_rows(&expected, pool, n_rows, size, wanted);
        fill_in_order(pool, n_rows);
        for (uint32_t place = 0; place < size; place++) CHECK_EQUAL(rows[subset * size + place], wanted[place]);
      }
      CHECK_EQUAL(next_output(&generator), next_output(&expected));
      free(places);
      free(rows);
    }
    free(pool);
    free(wanted);
  }
}

static void test_a_subset_in_steps_is_that_of_one_step(void) {
  for (size_t i = 0; i < LENGTH(SIZES); i++) {
    uint32_t n_rows = SIZES[i];
    uint32_t size = n_rows - n_rows / 3;
    int32_t *pool = new_array(n_rows, sizeof *pool);
    uint32_t *places = new_array(size, sizeof *places);
    int32_t *wanted = new_array(size, sizeof *wanted);
    int32_t *rows = new_array(size, sizeof *rows);
    Generator generator, expected;
    seed_generator(&generator, 3);
    expected = generator;
    fill_in_order(pool, n_rows);
    draw_subset_part(&expected, pool, n_rows, 0, size, places, wanted);
    put_rows_back(pool, places, size);
    for (uint32_t step = 1; step <= size; step = 3 * step + 1) {
      seed_generator(&generator, 3);
      for (uint32_t begin = 0; begin < size; begin += step) {
        uint32_t end = size - begin < step ? size : begin + step;
        draw_subset_part(&generator, pool, n_rows, begin, end, places, rows);
      }
      put_rows_back(pool, places, size);
      for (uint32_t place = 0; place < size; place++) CHECK_EQUAL(rows[place], wanted[place]);
      for (uint32_t row = 0; row < n_rows; row++) CHECK_EQUAL(pool[row], row);
      Generator following = expected;
      CHECK_EQUAL(next_output(&generator), next_output(&following));
    }
    free(pool);
    free(places);
    free(wanted);
    free(rows);
  }
}

static void test_a_restored_generator_goes_on(void) {
  static const int positions[] = {0, 1, 623, 624, 625, 2000};
  uint32_t *words = new_array(STATE_SIZE + 1, sizeof *words);
  for (size_t i = 0; i < LENGTH(positions); i++) {
    Generator generator, restored;
    seed_generator(&generator, 3);
    seed_generator(&restored, 4);
    for (int drawn = 0; drawn < positions[i]; drawn++) next_output(&generator);
    save_generator(&generator, words);
    CHECK(words[0] <= STATE_SIZE);
    CHECK(restore_generator(&restored, words));
    for (int drawn = 0; drawn < 1500; drawn++) CHECK_EQUAL(next_output(&restored), next_output(&generator));
  }
  Generator generator, before;
  seed_generator(&generator, 5);
  next_output(&generator);
  before = generator;
  words[0] = STATE_SIZE + 1;
  CHECK(!restore_generator(&generator, words));
  words[0] = UINT32_MAX;
  CHECK(!restore_generator(&generator, words));
  for (int drawn = 0; drawn < 700; drawn++) CHECK_EQUAL(next_output(&generator), next_output(&before));
  free(words);
}

static void test_uniforms_in_steps_are_those_of_one_call(void) {
  double uniforms[1000];
  Generator generator, expected;
  seed_generator(&generator, 1);
  expected = generator;
  draw_uniforms(&generator, 313, &uniforms[0]);
  draw_uniforms(&generator, 0, &uniforms[313]);
  draw_uniforms(&generator, 687, &uniforms[313]);
  for (int i = 0; i < 1000; i++) CHECK(uniforms[i] == next_uniform(&expected));
}

int main(void) {
  test_permutations_are_those_of_r();
  test_numbers_below_large_limits_are_those_of_r();
  test_outputs_are_those_of_the_reference();
  test_seeds_of_epochs();
  test_bits_below();
  test_numbers_are_those_of_the_reference_in_any_steps();
  test_permutations_in_steps_are_those_of_one_call();
  test_subsets_begin_permutations_and_put_the_pool_back();
  test_a_subset_in_steps_is_that_of_one_step();
  test_a_restored_generator_goes_on();
  test_uniforms_in_steps_are_those_of_one_call();
  return 0;
}
