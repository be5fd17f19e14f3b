/* passes.h against the rule, entry by entry: every small case of two strata. */

#include <string.h>

#include "check.h"
#include "passes.h"
#include "plain_host.h"

enum { N_STRATA = 2, MOST = 64 };

/* A plan, and the sequences of its strata: entry j of stratum s is sequences[s][j], a row counted from first_row. */
typedef struct {
  int64_t taken[N_STRATA];
  int64_t available[N_STRATA];
  int64_t n_batches;
  int32_t first_row;
  int32_t sequences[N_STRATA][MOST];
} Case;

/* Fill the sequences: a short pass, then whole ones, each shuffled. */
static void make_sequences(Case *given, uint64_t *state) {
  int32_t row = given->first_row;
  for (int stratum = 0; stratum < N_STRATA; stratum++) {
    int64_t size = given->available[stratum];
    int64_t count = given->taken[stratum];
    int64_t begin = 0;
    while (begin < count) {
      int64_t length = begin == 0 && count % size > 0 ? count % size : size;
      int32_t pass[MOST];
      for (int64_t i = 0; i < size; i++) pass[i] = row + (int32_t)i;
      for (int64_t i = 0; i < length; i++) {
        int64_t chosen = i + some_number(state, size - i);
        int32_t swapped = pass[chosen];
        pass[chosen] = pass[i];
        pass[i] = swapped;
        given->sequences[stratum][begin + i] = swapped;
      }
      begin += length;
    }
    row += (int32_t)size;
  }
}

/* Deal by the rule: `batches` gets the rows batch by batch, `sizes` how many of a stratum each batch has. */
static void deal_by_rule(const Case *given, int32_t batches[][MOST], int64_t *sizes) {
  int64_t dealt = 0;
  for (int64_t batch = 0; batch < given->n_batches; batch++) sizes[batch] = 0;
  for (int stratum = 0; stratum < N_STRATA; stratum++) {
    int64_t count = given->taken[stratum];
    int32_t left[MOST];
    memcpy(left, given->sequences[stratum], sizeof left);
    int64_t n_left = count;
    for (int64_t batch = 0; batch < given->n_batches; batch++) {
      int64_t begin = sizes[batch];
      for (int64_t j = 0; j < count; j++) {
        if ((dealt + j) % given->n_batches != batch) continue;
        if (count <= given->available[stratum]) {
          batches[batch][sizes[batch]++] = given->sequences[stratum][j];
          continue;
        }
        int64_t next = -1;
        bool is_there = true;
        while (is_there) {
          CHECK(++next < n_left);
          is_there = false;
          for (int64_t i = begin; i < sizes[batch]; i++) is_there = is_there || batches[batch][i] == left[next];
        }
        batches[batch][sizes[batch]++] = left[next];
        memmove(left + next, left + next + 1, (size_t)(n_left - next - 1) * sizeof *left);
        n_left -= 1;
      }
    }
    dealt += count;
  }
}

/* Defer the rows that a batch would contain twice; the dataset has n_rows rows. */
static void separate_rows(const Case *given, const int32_t *layout, int64_t n_rows, int32_t *rows, Host *host) {
  Sequence sequence = {.rows = rows, .first_row = given->first_row, .n_batches = given->n_batches};
  sequence.seen = new_equal(n_rows, 0);
  sequence.waiting = new_array(n_rows, sizeof *sequence.waiting);
  for (int stratum = 0; stratum < N_STRATA; stratum++) {
    sequence.places = layout + sequence.dealt;
    sequence.taken = given->taken[stratum];
    sequence.available = given->available[stratum];
    if (is_repeated(sequence.taken, sequence.available)) CHECK(keep_apart(&sequence, host));
    sequence.dealt += sequence.taken;
  }
  free(sequence.seen);
  free(sequence.waiting);
}

/* Do the same by the core, and compare. */
static void check_case(const Case *given) {
  PlainHost host = new_host(NULL, NULL, 0, -1);
  int64_t n_taken = given->taken[0] + given->taken[1];
  int64_t n_rows = given->available[0] + given->available[1];
  int64_t n_places = n_taken + 2; /* two entries are in no batch */
  int64_t *offsets = new_array(given->n_batches + 1, sizeof *offsets);
  int32_t *layout = new_array(n_places, sizeof *layout);
  fill_even_offsets(n_taken, given->n_batches, offsets);
  int64_t *next_places = new_array(given->n_batches, sizeof *next_places);
  memcpy(next_places, offsets, (size_t)given->n_batches * sizeof *next_places);
  CHECK(fill_passes_layout(
      given->taken, given->available, N_STRATA, given->n_batches, n_places, next_places, layout, &host.host
  ));
  free(next_places);
  CHECK_EQUAL(layout[n_taken], n_taken);
  CHECK_EQUAL(layout[n_taken + 1], n_taken + 1);

  int32_t *rows = new_array(n_taken, sizeof *rows);
  for (int64_t place = 0; place < n_taken; place++) {
    int64_t behind = place - given->taken[0];
    rows[layout[place]] = behind < 0 ? given->sequences[0][place] : given->sequences[1][behind];
  }
  separate_rows(given, layout, n_rows, rows, &host.host);

  static int32_t batches[MOST][MOST];
  int64_t sizes[MOST];
  deal_by_rule(given, batches, sizes);
  for (int64_t batch = 0; batch < given->n_batches; batch++) {
    CHECK_EQUAL(offsets[batch + 1] - offsets[batch], sizes[batch]);
    for (int64_t i = 0; i < sizes[batch]; i++) CHECK_EQUAL(rows[offsets[batch] + i], batches[batch][i]);
  }
  free(offsets);
  free(layout);
  free(rows);
}

static void test_batches_take_the_sequences_and_no_row_twice(void) {
  uint64_t state = 1;
  Case given;
  for (int64_t number = 0; number < 4 * 4 * 12 * 12; number++) {
    given.available[0] = 1 + number % 4;
    given.available[1] = 1 + number / 4 % 4;
    given.taken[0] = 1 + number / 16 % 12;
    given.taken[1] = 1 + number / 192;
    for (given.n_batches = 1; given.n_batches <= 14; given.n_batches++) {
      bool is_possible = given.n_batches <= given.taken[0] + given.taken[1];
      for (int stratum = 0; stratum < N_STRATA; stratum++) {
        int64_t most = (given.taken[stratum] + given.n_batches - 1) / given.n_batches;
        is_possible = is_possible && most <= given.available[stratum];
      }
      if (!is_possible) continue;
      given.first_row = (int32_t)(number % 2);
      make_sequences(&given, &state);
      check_case(&given);
    }
  }
}

static void test_entries_behind_the_dataset_stand_for_rows(void) {
  const int32_t repeated[] = {2, 0, 2};
  int32_t rows[] = {4, 1, 5, 3, 6, 2};
  PlainHost host = new_host(NULL, NULL, 1, -1);
  CHECK(name_rows(3, repeated, 6, rows, &host.host));
  free_host(&host);
  const int32_t expected[] = {3, 1, 1, 3, 3, 2};
  for (size_t i = 0; i < LENGTH(rows); i++) CHECK_EQUAL(rows[i], expected[i]);
}

int main(void) {
  test_batches_take_the_sequences_and_no_row_twice();
  test_entries_behind_the_dataset_stand_for_rows();
  return 0;
}
