/* groups_mixed.h: after any steps, what batches hold and lack is what their groups say; and steps never add to it. */

#include "groups_mixed.h"
#include "plain_host.h"

enum { MOST_GROUPS = 12, MOST_STRATA = 4, MOST_ROWS = 300 };

typedef struct {
  int64_t n_rows, n_strata, n_groups;
  uint8_t codes[MOST_ROWS], groups[MOST_ROWS];
} Case;

static Case make_case(uint64_t *state) {
  Case made = {.n_strata = 1 + some_number(state, MOST_STRATA), .n_groups = 1 + some_number(state, MOST_GROUPS)};
  for (int64_t group = 0; group < made.n_groups; group++) {
    for (int64_t stratum = 0; stratum < made.n_strata; stratum++) {
      int64_t count = some_number(state, 5) + (stratum == 0); /* no group and no stratum is empty */
      for (int64_t i = 0; i < count + (group == 0); i++, made.n_rows++) {
        made.codes[made.n_rows] = (uint8_t)stratum;
        made.groups[made.n_rows] = (uint8_t)group;
      }
    }
  }
  return made;
}

/* Return how many rows batches lack or have too many, counted afresh, and see that each ring has the groups it should.
 */
static int64_t lack_by_rows(const Case *of, const MixedBatches *batches) {
  int64_t lack = 0, n_lacking = 0;
  for (int32_t batch = 0; batch < batches->n_batches; batch++) {
    int64_t held[MOST_STRATA + 1] = {0}, n_groups = 0, n_in_ring = 0;
    for (int64_t row = 0; row < of->n_rows; row++) {
      if (batches->batch_of[of->groups[row]] != batch) continue;
      held[of->codes[row]] += 1;
      held[of->n_strata] += 1;
    }
    for (int64_t group = 0; group < of->n_groups; group++) n_groups += batches->batch_of[group] == batch;
    int32_t first = batches->first[batch], group = first;
    while (group >= 0 && (n_in_ring == 0 || group != first)) {
      CHECK_EQUAL(batches->batch_of[group], batch);
      CHECK_EQUAL(batches->previous[batches->next[group]], group);
      group = batches->next[group];
      CHECK(n_in_ring++ < n_groups);
    }
    CHECK_EQUAL(n_in_ring, n_groups);
    for (int64_t stratum = 0; stratum <= of->n_strata; stratum++) {
      int64_t cell = batch * (of->n_strata + 1) + stratum;
      CHECK_EQUAL(batches->held[cell], held[stratum]);
      int64_t missing = batches->floors[stratum < of->n_strata ? stratum : 0] - held[stratum];
      if (stratum == of->n_strata) missing = held[stratum] - batches->most;
      if (missing <= 0) continue;
      lack += missing;
      n_lacking += 1;
      CHECK_EQUAL(batches->lacking[batches->places[cell]], cell);
    }
  }
  CHECK_EQUAL(batches->n_lacking, n_lacking);
  return lack;
}

static void try_case(uint64_t *state) {
  Case made = make_case(state);
  double n_strata = (double)made.n_strata, n_groups = (double)made.n_groups;
  Part parts[] = {
      {.name = "codes", .type = BYTES, .length = made.n_rows, .values = made.codes},
      {.name = "n_strata", .type = DOUBLES, .length = 1, .values = &n_strata},
      {.name = "groups", .type = BYTES, .length = made.n_rows, .values = made.groups},
      {.name = "n_groups", .type = DOUBLES, .length = 1, .values = &n_groups},
  };
  Parts given = {.parts = parts, .n_parts = 4};
  Memory of_instance = {.n_blocks = 0};
  PlainHost host = new_host(&given, &of_instance, 0, -1);
  RowGroups rows;
  MixedGroups groups;
  MixedBatches batches;
  int64_t n_batches = 1 + some_number(state, made.n_groups);
  CHECK(read_row_groups(&given, FOR_THE_CALL, &rows, &host.host));
  CHECK(find_mixed_groups(&rows, FOR_THE_CALL, &groups, &host.host));
  CHECK(new_mixed_batches(&groups, n_batches, &batches, &host.host));
  CHECK_EQUAL(count_mixed_groups(&groups), made.n_groups);
  for (int64_t stratum = 0; stratum < made.n_strata; stratum++) {
    batches.floors[stratum] = (int32_t)some_number(state, 6);
  }
  batches.most = made.n_rows / n_batches + some_number(state, 9);
  begin_mixed_batches(&batches, n_batches);
  CHECK_EQUAL(batches.lack, lack_by_rows(&made, &batches));
  for (int32_t group = 0; group < made.n_groups; group++) {
    put_group(&batches, group, group < n_batches ? group : some_number(state, n_batches));
    CHECK_EQUAL(batches.lack, lack_by_rows(&made, &batches));
  }
  for (int i = 0; i < 100; i++) {
    int32_t group = (int32_t)some_number(state, made.n_groups), from = batches.batch_of[group];
    int64_t batch = some_number(state, n_batches), before = batches.lack;
    if (from == batch) continue;
    int32_t other = some_number(state, 2) == 0 ? -1 : next_group_of(&batches, batch);
    bool is_done = try_step(&batches, group, other, batch);
    CHECK(batches.lack <= before && lack_by_rows(&made, &batches) == batches.lack);
    CHECK_EQUAL(batches.batch_of[group], is_done ? batch : from);
    if (other >= 0) CHECK_EQUAL(batches.batch_of[other], is_done ? from : batch);
    for (int64_t each = 0; each < n_batches; each++) CHECK(batches.first[each] >= 0);
  }
  free_host(&host);
}

/* Return the try before which a repair stops that is helped after every `period` tries, or -1. */
static int64_t stop_of(int64_t period, int64_t n_lacking) {
  RepairProgress progress = {.n_tries = 6400};
  for (int64_t i = 0; i < progress.n_tries; i++) {
    if (is_hopeless(&progress, i, n_lacking - progress.n_helpful)) return i;
    progress.n_helpful += i % period == period - 1;
  }
  return -1;
}

static void check_hopeless_repairs(void) {
  CHECK_EQUAL(stop_of(1, 6400), -1);     /* enough help until the end */
  CHECK_EQUAL(stop_of(2, 3200), -1);
  CHECK_EQUAL(stop_of(6401, 8), -1);     /* luck may mend few places */
  CHECK_EQUAL(stop_of(6401, 1000), 100); /* no help at all: 992 > 63 * 8 after the first part */
  CHECK_EQUAL(stop_of(10, 1000), 3100);  /* too little: 682 * 16 > 33 * (2 * 160 + 8) after 31 parts, not before */
}

int main(void) {
  uint64_t state = 1;
  check_hopeless_repairs();
  for (int trial = 0; trial < 300; trial++) try_case(&state);
  return 0;
}
