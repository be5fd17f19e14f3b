/* Assignments of rows with several labels, compared with a search in plain loops. */

#include "multilabel.h"
#include "plain_host.h"

enum { MOST_ROWS = 130, MOST_LABELS = 70, MOST_BATCHES = 64 };

static uint64_t choices = 1; /* the state of what the tests choose */

/* The rows of a test, each with its own labels, and the naive assignment of them. */
typedef struct {
  int64_t n_rows, n_labels, n_batches, minimum;
  uint8_t has[MOST_ROWS][MOST_LABELS];
  int64_t sets[MOST_ROWS]; /* the set of each row, in order of first appearance */
  int64_t batches[MOST_ROWS];
  int64_t held[MOST_BATCHES][MOST_LABELS];
} Table;

static void number_sets(Table *table) {
  int64_t n_sets = 0;
  for (int64_t row = 0; row < table->n_rows; row++) {
    int64_t other = 0;
    while (memcmp(table->has[other], table->has[row], (size_t)table->n_labels) != 0) other++;
    table->sets[row] = other < row ? table->sets[other] : n_sets++;
  }
}

static int64_t labels_of(const Table *table, int64_t row) {
  int64_t n_labels = 0;
  for (int64_t label = 0; label < table->n_labels; label++) n_labels += table->has[row][label];
  return n_labels;
}

/* Move a row from its batch, if it has one, to another. */
static void put(Table *table, int64_t row, int64_t batch) {
  for (int64_t label = 0; label < table->n_labels; label++) {
    if (table->batches[row] >= 0) table->held[table->batches[row]][label] -= table->has[row][label];
    table->held[batch][label] += table->has[row][label];
  }
  table->batches[row] = batch;
}

static int64_t size_of(const Table *table, int64_t batch) {
  int64_t size = 0;
  for (int64_t row = 0; row < table->n_rows; row++) size += table->batches[row] == batch;
  return size;
}

/* Deal the unassigned rows of a label, or all that are left if it is -1, one by one to the lowest batch. */
static void deal_naively(Table *table, int64_t label) {
  int64_t heights[MOST_BATCHES], sizes[MOST_BATCHES];
  for (int64_t batch = 0; batch < table->n_batches; batch++) {
    sizes[batch] = label < 0 ? 0 : size_of(table, batch);
    heights[batch] = label < 0 ? size_of(table, batch) : table->held[batch][label];
  }
  for (;;) {
    int64_t next = -1;
    for (int64_t row = 0; row < table->n_rows; row++) {
      if (table->batches[row] >= 0 || (label >= 0 && !table->has[row][label])) continue;
      int64_t more = next < 0 ? 1 : labels_of(table, row) - labels_of(table, next);
      if (more < 0 || (more == 0 && table->sets[row] >= table->sets[next])) continue;
      next = row;
    }
    if (next < 0) return;
    int64_t lowest = 0;
    for (int64_t batch = 1; batch < table->n_batches; batch++) {
      if (heights[batch] > heights[lowest]) continue;
      if (heights[batch] < heights[lowest] || sizes[batch] < sizes[lowest]) lowest = batch;
    }
    heights[lowest]++;
    put(table, next, lowest);
  }
}

static int64_t missing_in(const Table *table) {
  int64_t missing = 0;
  for (int64_t batch = 0; batch < table->n_batches; batch++) {
    for (int64_t label = 0; label < table->n_labels; label++) {
      int64_t held = table->held[batch][label];
      if (held < table->minimum) missing += table->minimum - held;
    }
  }
  return missing;
}

/* Exchange two rows, or move the first one if there is no second one; return whether fewer rows are lacking. */
static int exchange_helps(Table *table, int64_t row, int64_t batch, int64_t back, int64_t *change) {
  int64_t donor = table->batches[row], before = missing_in(table);
  put(table, row, batch);
  if (back >= 0) put(table, back, donor);
  *change = missing_in(table) - before;
  put(table, row, donor);
  if (back >= 0) put(table, back, batch);
  return *change < 0;
}

static int take_naively(Table *table, int64_t batch, int64_t label, int64_t *effort) {
  uint8_t can_spare[MOST_ROWS] = {0};
  int64_t n_spare = 0, last_set = -1;
  for (int64_t row = 0; row < table->n_rows; row++) {
    if (!table->has[row][label] || table->held[table->batches[row]][label] <= table->minimum) continue;
    can_spare[row] = 1;
    n_spare++;
  }
  if (n_spare == 0) return 0;
  for (int64_t back = -1;;) {
    int64_t best = -1, best_change = 0, change;
    *effort -= table->n_rows + n_spare * table->n_labels;
    if (*effort < 0) return 0;
    for (int64_t row = 0; row < table->n_rows; row++) {
      if (!can_spare[row] || !exchange_helps(table, row, batch, back, &change) || change >= best_change) continue;
      best = row;
      best_change = change;
    }
    if (best >= 0) {
      int64_t donor = table->batches[best];
      put(table, best, batch);
      if (back >= 0) put(table, back, donor);
      return 1;
    }
    int64_t next = -1; /* the first row of the batch in the next set */
    for (int64_t row = table->n_rows - 1; row >= 0; row--) {
      if (table->batches[row] != batch || table->sets[row] <= last_set) continue;
      if (next < 0 || table->sets[row] <= table->sets[next]) next = row;
    }
    if (next < 0) return 0;
    back = next;
    last_set = table->sets[next];
  }
}

static void assign_naively(Table *table) {
  int64_t counts[MOST_LABELS] = {0}, effort = EXCHANGE_EFFORT * table->n_rows * table->n_labels;
  uint8_t done[MOST_LABELS] = {0};
  memset(table->held, 0, sizeof table->held);
  for (int64_t row = 0; row < table->n_rows; row++) {
    table->batches[row] = -1;
    for (int64_t label = 0; label < table->n_labels; label++) counts[label] += table->has[row][label];
  }
  for (int64_t turn = 0; turn < table->n_labels; turn++) {
    int64_t rarest = -1;
    for (int64_t label = 0; label < table->n_labels; label++) {
      if (!done[label] && (rarest < 0 || counts[label] < counts[rarest])) rarest = label;
    }
    done[rarest] = 1;
    deal_naively(table, rarest);
  }
  for (int exchanged = 1; exchanged;) {
    uint8_t lacked[MOST_BATCHES][MOST_LABELS];
    exchanged = 0;
    for (int64_t batch = 0; batch < table->n_batches; batch++) {
      for (int64_t label = 0; label < table->n_labels; label++) {
        lacked[batch][label] = table->held[batch][label] < table->minimum;
      }
    }
    for (int64_t batch = 0; batch < table->n_batches; batch++) {
      for (int64_t label = 0; label < table->n_labels; label++) {
        while (lacked[batch][label] && effort > 0 && table->held[batch][label] < table->minimum) {
          if (!take_naively(table, batch, label, &effort)) break;
          exchanged = 1;
        }
      }
    }
  }
  deal_naively(table, -1);
}

/* The core's assignment of the same rows, which may have been one of more batches before; returns the effort that it
 * left.
 */
static int64_t assignment_is_the_naive_one(Table *table) {
  int64_t n_sets = 0;
  number_sets(table);
  for (int64_t row = 0; row < table->n_rows; row++) n_sets = table->sets[row] >= n_sets ? table->sets[row] + 1 : n_sets;
  uint8_t *sets = new_array(n_sets * table->n_labels, 1);
  int64_t *counts = new_zeros(n_sets);
  int32_t *numbers = new_array(table->n_rows, sizeof *numbers), *order = new_array(table->n_rows, sizeof *order);
  for (int64_t row = 0; row < table->n_rows; row++) { /* they are assigned from the last one of `numbers` on */
    order[row] = (int32_t)(table->n_rows - 1 - row);
    numbers[order[row]] = (int32_t)table->sets[row];
    counts[table->sets[row]]++;
    memcpy(sets + table->sets[row] * table->n_labels, table->has[row], (size_t)table->n_labels);
  }
  Codes codes = {.integers = numbers, .n_rows = table->n_rows, .n_strata = n_sets, .counts = counts};
  LabeledRows given = {
    .sets = sets, .counts = counts, .n_rows = table->n_rows, .n_sets = n_sets, .n_labels = table->n_labels,
    .n_batches = table->n_batches, .minimum = table->minimum
  };
  Assignment a;
  PlainHost host = new_host(NULL, NULL, 1, -1);
  bool is_again = some_number(&choices, 2) == 0 && given.n_batches < MOST_BATCHES;
  given.n_batches += is_again;
  CHECK(new_assignment(&a, &given, &host.host));
  CHECK(!is_again || assign_rows(&a, &codes, order, &host.host));
  a.given.n_batches = table->n_batches;
  CHECK(assign_rows(&a, &codes, order, &host.host));

  assign_naively(table);
  for (int64_t member = 0; member < table->n_rows; member++) {
    CHECK_EQUAL(a.batches[member], table->batches[a.members[member]]);
  }
  for (int64_t batch = 0; batch < table->n_batches; batch++) {
    CHECK_EQUAL(a.sizes[batch], size_of(table, batch));
    for (int64_t label = 0; label < table->n_labels; label++) {
      CHECK_EQUAL(a.held[batch * table->n_labels + label], table->held[batch][label]);
    }
  }
  CHECK_EQUAL(missing_rows(&a), missing_in(table));

  int32_t rows[MOST_ROWS], of_rows[MOST_ROWS];
  int64_t offsets[MOST_BATCHES + 1], cursors[MOST_BATCHES], place = 0;
  CHECK(gather_batches(&a, a.batches, order, of_rows, cursors, offsets, rows, &host.host));
  for (int64_t batch = 0; batch < table->n_batches; batch++) {
    CHECK_EQUAL(offsets[batch], place);
    for (int64_t row = 0; row < table->n_rows; row++) {
      if (table->batches[row] == batch) CHECK_EQUAL(rows[place++], order[row] + 1);
    }
  }
  CHECK_EQUAL(offsets[table->n_batches], table->n_rows);
  free_host(&host);
  free(sets);
  free(counts);
  free(numbers);
  free(order);
  return a.effort;
}

/* Labels that a row has with a chance of one in `rarity`; every label has a row. */
static void some_labels(Table *table, int64_t n_rows, int64_t n_labels, int64_t rarity) {
  table->n_rows = n_rows;
  table->n_labels = n_labels;
  for (int64_t row = 0; row < n_rows; row++) {
    for (int64_t label = 0; label < n_labels; label++) {
      table->has[row][label] = some_number(&choices, rarity) == 0 || row == label % n_rows;
    }
  }
}

static int64_t rows_of_rarest(const Table *table) {
  int64_t fewest = table->n_rows;
  for (int64_t label = 0; label < table->n_labels; label++) {
    int64_t count = 0;
    for (int64_t row = 0; row < table->n_rows; row++) count += table->has[row][label];
    if (count < fewest) fewest = count;
  }
  return fewest;
}

int main(void) {
  static Table table;
  int64_t n_lacking = 0;
  for (int round = 0; round < 400; round++) {
    some_labels(&table, 1 + some_number(&choices, 60), 1 + some_number(&choices, 6), 2 + some_number(&choices, 4));
    table.minimum = 1 + some_number(&choices, 3);
    table.n_batches = 1 + some_number(&choices, rows_of_rarest(&table));
    assignment_is_the_naive_one(&table);
    n_lacking += missing_in(&table) > 0;
  }
  CHECK(n_lacking > 20 && n_lacking < 380);
  int64_t n_given_up = 0;
  for (int round = 0; round < 10; round++) {
    some_labels(&table, 110 + round, 40, 2);
    table.minimum = 1;
    table.n_batches = rows_of_rarest(&table);
    n_given_up += assignment_is_the_naive_one(&table) <= 0;
  }
  CHECK(n_given_up > 0);
  /* Labels beyond one word, and tight batches of all of them */
  for (int round = 0; round < 4; round++) {
    some_labels(&table, MOST_ROWS, 64 + 3 * round - 3, 2);
    table.minimum = 1 + round % 2;
    table.n_batches = rows_of_rarest(&table) / (4 * table.minimum);
    assignment_is_the_naive_one(&table);
  }
  CHECK_EQUAL(count_bits(0), 0);
  CHECK_EQUAL(count_bits(UINT64_MAX), 64);
  CHECK_EQUAL(count_bits(UINT64_C(0x8000000000000001)), 2);
  return 0;
}
