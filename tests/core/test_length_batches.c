/* Batches by length: windows are sorted, and the limits of numbers. */

#include "check.h"
#include "length_batches.h"
#include "patient_host.h"

typedef struct {
  int64_t n_rows, n_batches;
  int32_t *order;   /* n_rows */
  int64_t *offsets; /* n_batches + 1 */
} Cut;

static int32_t longest_of(const int32_t *lengths, int64_t n_rows) {
  int32_t longest = 0;
  for (int64_t i = 0; i < n_rows; i++) longest = lengths[i] > longest ? lengths[i] : longest;
  return longest;
}

static Cut cut_rows(const int32_t *lengths, int64_t n_rows, const LengthLimits *limits) {
  Host host = patient_host();
  Cut cut = {.n_rows = n_rows, .order = new_array(n_rows, sizeof(int32_t))};
  int32_t *spare = new_array(n_rows, sizeof *spare);
  CHECK(sort_by_length(lengths, n_rows, limits->window, longest_of(lengths, n_rows), cut.order, spare, &host));
  free(spare);
  int64_t n_filled;
  CHECK(cut_by_length(lengths, cut.order, n_rows, limits, NULL, &cut.n_batches, &host));
  cut.offsets = new_array(cut.n_batches + 1, sizeof *cut.offsets);
  CHECK(cut_by_length(lengths, cut.order, n_rows, limits, cut.offsets, &n_filled, &host));
  CHECK_EQUAL(n_filled, cut.n_batches);
  cut.offsets[cut.n_batches] = n_rows;
  return cut;
}

static void free_cut(Cut *cut) {
  free(cut->order);
  free(cut->offsets);
}

static void test_digits_of_lengths(void) {
  CHECK_EQUAL(count_length_digits(0), 1);
  CHECK_EQUAL(count_length_digits(255), 1);
  CHECK_EQUAL(count_length_digits(256), 2);
  CHECK_EQUAL(count_length_digits(65535), 2);
  CHECK_EQUAL(count_length_digits(65536), 3);
  CHECK_EQUAL(count_length_digits(1 << 24), 4);
  CHECK_EQUAL(count_length_digits(INT32_MAX), 4);
}

/* Lengths of one to four digits, in windows of any size: each window is sorted, and equal ones stay in order. */
static void test_windows_are_sorted_and_ties_stay_in_order(void) {
  enum { N_ROWS = 500 };
  static const int64_t limits[] = {1, 3, 256, 257, 65536, 65537, 1 << 25, INT32_MAX};
  static const int64_t windows[] = {1, 2, 7, 499, 500, 501, INT32_MAX};
  uint64_t state = 1;
  for (size_t limit = 0; limit < LENGTH(limits); limit++) {
    for (size_t window = 0; window < LENGTH(windows); window++) {
      int32_t *lengths = new_array(N_ROWS, sizeof *lengths);
      for (int i = 0; i < N_ROWS; i++) lengths[i] = (int32_t)some_number(&state, limits[limit]);
      LengthLimits batches = {windows[window], N_ROWS, INT64_MAX};
      Cut cut = cut_rows(lengths, N_ROWS, &batches);
      for (int64_t i = 1; i < N_ROWS; i++) {
        int32_t before = cut.order[i - 1], place = cut.order[i];
        CHECK_EQUAL(place / windows[window], i / windows[window]);
        if (i % windows[window] == 0) continue;
        CHECK(lengths[before] < lengths[place] || (lengths[before] == lengths[place] && before < place));
      }
      CHECK_EQUAL(cut.n_batches, (N_ROWS - 1) / smaller(windows[window], N_ROWS) + 1);
      free_cut(&cut);
      free(lengths);
    }
  }
}

static void test_products_of_large_lengths(void) {
  static const int32_t lengths[] = {INT32_MAX, INT32_MAX, INT32_MAX, 0, 0};
  LengthLimits limits = {5, 5, 2 * (int64_t)INT32_MAX};
  Cut cut = cut_rows(lengths, 5, &limits);
  static const int64_t expected[] = {0, 2, 4, 5};
  CHECK_EQUAL(cut.n_batches, 3); /* an empty row takes the tokens of the longest, too */
  for (int i = 0; i < 4; i++) CHECK_EQUAL(cut.offsets[i], expected[i]);
  free_cut(&cut);
}

int main(void) {
  test_digits_of_lengths();
  test_windows_are_sorted_and_ties_stay_in_order();
  test_products_of_large_lengths();
  return 0;
}
