/* batches.h: parts of epochs, and offsets outside of them. */

#include <string.h>

#include "batches.h"
#include "check.h"

static void check_part(
    const int64_t *offsets, int64_t n_batches, const unsigned char *rows, int64_t item_size, int64_t first, int64_t step
) {
  int64_t length = part_length(n_batches, first, step);
  int64_t *part_offsets = new_array(length + 1, sizeof *part_offsets);
  CHECK_EQUAL(fill_part_offsets(offsets, n_batches, offsets[n_batches], first, step, part_offsets), -1);
  unsigned char *part = new_array(part_offsets[length], (size_t)item_size);
  int64_t half = length / 2;
  copy_part(rows, (size_t)item_size, offsets, first, step, part_offsets, half, length, part);
  copy_part(rows, (size_t)item_size, offsets, first, step, part_offsets, 0, half, part);

  int64_t place = 0;
  int64_t n_bytes = 0;
  for (int64_t batch = first; batch < n_batches; batch += step) {
    CHECK_EQUAL(part_offsets[place++] * item_size, n_bytes);
    for (int64_t byte = offsets[batch] * item_size; byte < offsets[batch + 1] * item_size; byte++) {
      CHECK_EQUAL(part[n_bytes++], rows[byte]);
    }
  }
  CHECK_EQUAL(place, length);
  CHECK_EQUAL(part_offsets[length] * item_size, n_bytes);
  free(part_offsets);
  free(part);
}

static void test_every_part(void) {
  enum { MOST = 9, LARGEST = 4 };
  static const int64_t item_sizes[] = {1, 4, 8};
  uint64_t state = 1;
  for (int64_t n_batches = 0; n_batches <= MOST; n_batches++) {
    int64_t *offsets = new_array(n_batches + 1, sizeof *offsets);
    offsets[0] = 0;
    for (int64_t batch = 0; batch < n_batches; batch++) {
      offsets[batch + 1] = offsets[batch] + some_number(&state, LARGEST + 1); /* some batches are empty */
    }
    for (size_t i = 0; i < LENGTH(item_sizes); i++) {
      int64_t n_bytes = offsets[n_batches] * item_sizes[i];
      unsigned char *rows = new_array(n_bytes, 1);
      for (int64_t byte = 0; byte < n_bytes; byte++) rows[byte] = (unsigned char)some_number(&state, 256);
      for (int64_t first = 0; first <= n_batches + 1; first++) {
        for (int64_t step = 1; step <= n_batches + 2; step++) {
          check_part(offsets, n_batches, rows, item_sizes[i], first, step);
        }
      }
      free(rows);
    }
    free(offsets);
  }
}

static void test_a_part_without_rows_needs_no_array(void) {
  static const int64_t offsets[] = {0, 0, 0};
  int64_t part_offsets[3];
  CHECK_EQUAL(fill_part_offsets(offsets, 2, 0, 0, 1, part_offsets), -1);
  copy_part(NULL, 4, offsets, 0, 1, part_offsets, 0, 2, NULL);
}

static void test_offsets_outside_of_the_epoch(void) {
  static const int64_t good[] = {0, 2, 2, 5, 7};
  static const int64_t bad[] = {-1, INT64_MIN, 8, INT64_MAX};
  int64_t offsets[LENGTH(good)];
  int64_t part_offsets[LENGTH(good)];
  for (int64_t batch = 0; batch < 4; batch++) CHECK(batch_is_within(good, batch, 7));
  for (size_t place = 0; place < LENGTH(good); place++) {
    for (size_t i = 0; i < LENGTH(bad); i++) {
      memcpy(offsets, good, sizeof good);
      offsets[place] = bad[i];
      int64_t first_bad = place > 0 ? (int64_t)place - 1 : 0;
      CHECK(!batch_is_within(offsets, first_bad, 7));
      CHECK_EQUAL(fill_part_offsets(offsets, 4, 7, 0, 1, part_offsets), first_bad);
      /* A part that has neither of the two batches at this place is fine. */
      if (place == 4) CHECK_EQUAL(fill_part_offsets(offsets, 4, 7, 0, 2, part_offsets), -1);
    }
  }
  memcpy(offsets, good, sizeof good);
  offsets[3] = 1; /* a batch that ends before it begins */
  CHECK_EQUAL(fill_part_offsets(offsets, 4, 7, 0, 1, part_offsets), 2);
  CHECK_EQUAL(fill_part_offsets(good, 4, 6, 0, 1, part_offsets), 3);
}

int main(void) {
  test_every_part();
  test_a_part_without_rows_needs_no_array();
  test_offsets_outside_of_the_epoch();
  return 0;
}
