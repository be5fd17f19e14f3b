/* groups_together.h against the rule, told group by group: random cases, in steps of several sizes. */

#include "check.h"
#include "groups_together.h"

enum { MOST_STRATA = 4, MOST_GROUPS = 30, MOST_ROWS = 200 };

/* The rows of an epoch, and what the core makes of them. */
typedef struct {
  int64_t n_rows;
  int32_t order[MOST_ROWS];
  int32_t groups[MOST_ROWS];
  int32_t sizes[MOST_GROUPS];
  int32_t strata_of[MOST_GROUPS];
  int32_t rows[MOST_ROWS];
  int64_t offsets[MOST_GROUPS + 1];
} Epoch;

static int64_t step_end(int64_t begin, int64_t end, int64_t wanted) {
  return wanted < end - begin ? begin + wanted : end;
}

/* Draw the groups of rows, each in a stratum; the last rows are left out. Return the fewest groups of a stratum. */
static int64_t make_epoch(uint64_t *state, GroupedRows *grouped, Epoch *epoch) {
  int64_t n_groups_of[MOST_STRATA] = {0};
  epoch->n_rows = 0;
  for (int64_t group = 0; group < grouped->n_groups; group++) {
    epoch->sizes[group] = (int32_t)some_number(state, 6);
    epoch->strata_of[group] = (int32_t)some_number(state, grouped->n_strata);
    n_groups_of[epoch->strata_of[group]] += epoch->sizes[group] > 0;
    for (int32_t i = 0; i < epoch->sizes[group]; i++) epoch->groups[epoch->n_rows++] = (int32_t)group;
  }
  for (int64_t i = 0; i < 3; i++) epoch->groups[epoch->n_rows++] = (int32_t)grouped->n_groups;
  for (int32_t row = 0; row < epoch->n_rows; row++) {
    int64_t place = some_number(state, row + 1);
    epoch->order[row] = epoch->order[place];
    epoch->order[place] = row;
  }
  grouped->sizes = grouped->counts = epoch->sizes;
  grouped->strata_of = epoch->strata_of;
  int64_t fewest = MOST_GROUPS;
  for (int64_t stratum = 0; stratum < grouped->n_strata; stratum++) {
    if (n_groups_of[stratum] < fewest) fewest = n_groups_of[stratum];
  }
  return fewest;
}

/* Deal by the core in steps of so many rows or groups. */
static void deal_in_steps(int64_t wanted, GroupedRows *grouped, Epoch *epoch) {
  int64_t firsts[MOST_STRATA], others[MOST_STRATA], n_first[MOST_STRATA] = {0}, n_other[MOST_STRATA] = {0};
  grouped->n_found = 0;
  grouped->n_first = n_first;
  grouped->n_other = n_other;
  for (int64_t group = 0; group < grouped->n_groups; group++) grouped->next_places[group] = -1;
  for (int64_t done = 0, end; done < epoch->n_rows; done = end) {
    end = step_end(done, epoch->n_rows, wanted);
    find_groups(epoch->order, epoch->groups, done, end, grouped);
  }
  begin_line(grouped, firsts, others);
  for (int64_t done = 0, end; done < grouped->n_found; done = end) {
    end = step_end(done, grouped->n_found, wanted);
    line_up_groups(grouped, done, end, firsts, others);
  }
  int32_t *memory = new_array(3 * grouped->n_batches, sizeof *memory);
  GroupDealing dealing = {.n_batches = grouped->n_batches, .held = memory, .totals = memory + grouped->n_batches};
  dealing.heap = memory + 2 * grouped->n_batches;
  begin_dealing_groups(&dealing);
  while (dealing.dealt < grouped->n_found) {
    deal_groups(grouped, &dealing, step_end(dealing.dealt, grouped->n_found, wanted));
  }
  fill_group_offsets(&dealing, epoch->offsets);
  int64_t next_free[MOST_GROUPS];
  for (int64_t batch = 0; batch < grouped->n_batches; batch++) next_free[batch] = epoch->offsets[batch];
  for (int64_t done = 0, end; done < grouped->n_found; done = end) {
    end = step_end(done, grouped->n_found, wanted);
    place_groups(grouped, done, end, next_free);
  }
  for (int64_t done = 0, end; done < epoch->n_rows; done = end) {
    end = step_end(done, epoch->n_rows, wanted);
    write_grouped_rows(epoch->order, epoch->groups, 1, done, end, grouped, epoch->rows);
  }
  free(memory);
}

/* What the rule has dealt so far. */
typedef struct {
  int64_t held[MOST_STRATA][MOST_GROUPS]; /* rows of each stratum in each batch */
  bool is_dealt[MOST_GROUPS];
  int64_t n_dealt;
} Told;

/* See that the next group of the line is this one, and that it goes to the batch that the rule says. */
static void check_group(const GroupedRows *grouped, int32_t group, Told *told) {
  int32_t stratum = grouped->strata_of[group];
  int64_t best = 0, rows_before_best = 0;
  for (int64_t batch = 0; batch < grouped->n_batches; batch++) {
    int64_t rows_before = 0;
    for (int32_t before = 0; before < stratum; before++) rows_before += told->held[before][batch];
    int64_t more = told->held[stratum][batch] - told->held[stratum][best];
    if (batch == 0 || more < 0 || (more == 0 && rows_before < rows_before_best)) {
      best = batch;
      rows_before_best = rows_before;
    }
  }
  CHECK_EQUAL(grouped->line[told->n_dealt], group);
  CHECK_EQUAL(grouped->batch_of[group], best);
  told->held[stratum][best] += grouped->sizes[group];
  told->is_dealt[group] = true;
  told->n_dealt += 1;
}

/* See that the groups of a stratum are dealt as the rule says: the first large ones, then the others. */
static void check_stratum(const GroupedRows *grouped, const Epoch *epoch, int32_t stratum, Told *told) {
  int64_t n_first = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t place = 0; place < epoch->n_rows; place++) {
      int32_t group = epoch->groups[epoch->order[place]];
      if (group == grouped->n_groups || told->is_dealt[group] || grouped->strata_of[group] != stratum) continue;
      bool is_first = grouped->sizes[group] >= grouped->minimum && n_first < grouped->n_batches;
      if (pass == 0 && !is_first) continue;
      n_first += pass == 0;
      check_group(grouped, group, told);
    }
  }
}

/* See that the rows of the batches are those of their groups, in the order of the line and of the epoch. */
static void check_rows(const GroupedRows *grouped, const Epoch *epoch) {
  int64_t next = 0;
  for (int64_t batch = 0; batch < grouped->n_batches; batch++) {
    CHECK_EQUAL(epoch->offsets[batch], next);
    for (int64_t i = 0; i < grouped->n_found; i++) {
      if (grouped->batch_of[grouped->line[i]] != batch) continue;
      for (int64_t place = 0; place < epoch->n_rows; place++) {
        int32_t row = epoch->order[place];
        if (epoch->groups[row] == grouped->line[i]) CHECK_EQUAL(epoch->rows[next++], row + 1);
      }
    }
  }
  CHECK_EQUAL(epoch->offsets[grouped->n_batches], next);
  CHECK_EQUAL(next, epoch->n_rows - 3);
}

static void test_any_groups(void) {
  static const int64_t steps[] = {1, 3, INT64_MAX};
  uint64_t state = 1;
  int64_t n_cases = 0;
  for (int trial = 0; trial < 20000; trial++) {
    GroupedRows grouped = {.n_strata = 1 + some_number(&state, MOST_STRATA)};
    grouped.n_groups = 1 + some_number(&state, MOST_GROUPS);
    grouped.minimum = 1 + some_number(&state, 6);
    Epoch epoch;
    int64_t most = make_epoch(&state, &grouped, &epoch);
    if (most == 0) continue;
    n_cases += 1;
    grouped.n_batches = 1 + some_number(&state, most);
    int32_t *memory = new_array(4 * grouped.n_groups, sizeof *memory);
    grouped.found = memory;
    grouped.line = memory + grouped.n_groups;
    grouped.next_places = memory + 2 * grouped.n_groups;
    grouped.batch_of = memory + 3 * grouped.n_groups;
    for (size_t step = 0; step < LENGTH(steps); step++) {
      deal_in_steps(steps[step], &grouped, &epoch);
      Told told = {.n_dealt = 0};
      for (int32_t stratum = 0; stratum < grouped.n_strata; stratum++) check_stratum(&grouped, &epoch, stratum, &told);
      CHECK_EQUAL(told.n_dealt, grouped.n_found);
      check_rows(&grouped, &epoch);
    }
    free(memory);
  }
  CHECK(n_cases > 10000);
}

int main(void) {
  test_any_groups();
  return 0;
}
