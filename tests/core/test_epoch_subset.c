/* The examples of an epoch: with replacement like other draws of the core, in turn like the published method. */

#include "check.h"
#include "epoch_subset.h"
#include "stream.h"

static void test_rows_are_the_numbers_of_the_stream_in_any_steps(void) {
  enum { COUNT = 3000 };
  static const uint32_t limits[] = {1, 2, 3, 1000, 65535, 65536, 65537, 2147483646, 2147483647};
  static const int64_t steps[] = {1, 7, 511, 512, 513, COUNT};
  for (size_t i = 0; i < LENGTH(limits); i++) {
    for (size_t j = 0; j < LENGTH(steps); j++) {
      Generator generator, expected;
      int32_t *rows = new_array(COUNT, sizeof *rows);
      int64_t *numbers = new_array(COUNT, sizeof *numbers);
      seed_generator(&generator, 5);
      expected = generator;
      draw_numbers(&expected, limits[i], COUNT, numbers);
      for (int64_t done = 0; done < COUNT; done += steps[j]) {
        draw_rows(&generator, limits[i], 0, COUNT - done < steps[j] ? COUNT - done : steps[j], rows + done);
      }
      for (int k = 0; k < COUNT; k++) CHECK_EQUAL(rows[k], numbers[k]);
      CHECK_EQUAL(next_output(&generator), next_output(&expected));
      free(rows);
      free(numbers);
    }
  }
}

static void test_rows_are_counted_from_the_first_one(void) {
  Generator generator;
  int32_t rows[4], others[4];
  seed_generator(&generator, 1);
  draw_rows(&generator, 2147483647, 0, 4, rows);
  seed_generator(&generator, 1);
  draw_rows(&generator, 2147483647, 1, 4, others);
  for (int i = 0; i < 4; i++) CHECK_EQUAL(others[i], (int64_t)rows[i] + 1);
  take_rows_in_turn(10, 4, 1, 1, 0, 4, rows);
  CHECK_EQUAL(rows[0], 9);
  CHECK_EQUAL(rows[1], 2);
}

/* Row after row, as the method was published, for all epochs one after another. */
static void test_rows_in_turn_are_those_of_the_published_method(void) {
  for (int64_t n_rows = 1; n_rows <= 40; n_rows++) {
    for (int64_t sample = 1; sample <= 50; sample++) {
      int64_t step = n_rows / sample > 1 ? n_rows / sample : 1;
      int64_t start = 1, index = 1;
      int32_t *rows = new_array(sample, sizeof *rows);
      for (int64_t epoch = 0; epoch < 8; epoch++) {
        take_rows_in_turn(n_rows, sample, epoch, 1, 0, sample / 3, rows);
        take_rows_in_turn(n_rows, sample, epoch, 1, sample / 3, sample, rows);
        for (int64_t i = 0; i < sample; i++) {
          CHECK_EQUAL(rows[i], index);
          index += step;
          if (index > n_rows) start = index = start % step + 1;
        }
      }
      free(rows);
    }
  }
}

static void test_late_epochs_of_large_datasets(void) {
  enum { SAMPLE = 1000 };
  static const int64_t sizes[] = {2147483647, 2147483646, 1000, 999, 1999, 123456789};
  int32_t *rows = new_array(SAMPLE, sizeof *rows);
  for (size_t i = 0; i < LENGTH(sizes); i++) {
    int64_t step = sizes[i] > SAMPLE ? sizes[i] / SAMPLE : 1;
    take_rows_in_turn(sizes[i], SAMPLE, 6700000, 0, 0, SAMPLE, rows);
    for (int k = 0; k < SAMPLE; k++) {
      CHECK(rows[k] >= 0 && rows[k] < sizes[i]);
      if (k > 0 && rows[k] > rows[k - 1]) CHECK_EQUAL(rows[k] - rows[k - 1], step);
      if (k > 0 && rows[k] <= rows[k - 1]) CHECK_EQUAL(rows[k], (rows[k - 1] % step + 1) % step);
    }
  }
  free(rows);
}

int main(void) {
  test_rows_are_the_numbers_of_the_stream_in_any_steps();
  test_rows_are_counted_from_the_first_one();
  test_rows_in_turn_are_those_of_the_published_method();
  test_late_epochs_of_large_datasets();
  return 0;
}
