/* The functions of the core, by small plans that were counted by hand, and requests that they refuse. */

#include "batch_numbers.h"
#include "decimal.h"
#include "function_advice.c"
#include "function_batch_plan.c"
#include "function_corpus_plan.c"
#include "function_density_weights.c"
#include "function_digest_parts.c"
#include "function_group_plan.c"
#include "function_number_values.c"
#include "function_pair_counts.c"
#include "function_part_order.c"
#include "function_read_rules.c"
#include "function_sharded_plan.c"
#include "function_stratified_split.c"
#include "function_stream_dealing.c"
#include "function_stream_plan.c"
#include "function_stream_taken.c"
#include "functions.h"
#include "lane_taken.h"
#include "lanes.h"
#include "plain_host.h"
#include "rules.h"

static PlainHost called(const char *name, Part *parts, int64_t n_parts, bool succeeds) {
  Parts request = {.parts = parts, .n_parts = n_parts};
  PlainHost host = new_host(&request, NULL, 0, -1);
  CHECK(find_function(name)->call(&request, &host.host) == succeeds);
  if (!succeeds) check_failure(&host);
  return host;
}

static void test_offsets_and_composition(void) {
  double counts[] = {3, 5}, n_batches = 3;
  int32_t even = 0;
  Part parts[] = {
      {.name = "counts", .type = DOUBLES, .length = 2, .values = counts},
      {.name = "n_batches", .type = DOUBLES, .length = 1, .values = &n_batches},
      {.name = "even", .type = FLAG, .length = 1, .values = &even},
  };
  const int64_t ends[2][4] = {{0, 2, 5, 8}, {0, 3, 6, 8}};
  const int32_t held[2][6] = {{1, 1, 1, 1, 2, 2}, {1, 1, 1, 2, 2, 1}};
  for (even = 0; even <= 1; even++) {
    PlainHost host = called("batch_offsets", parts, LENGTH(parts), true);
    const int64_t *offsets = given_as(&host, "offsets")->values;
    for (int i = 0; i < 4; i++) CHECK_EQUAL(offsets[i], ends[even][i]);
    free_host(&host);
    host = called("batch_composition", parts, LENGTH(parts), true);
    const int32_t *rows = given_as(&host, "rows")->values;
    for (int i = 0; i < 6; i++) CHECK_EQUAL(rows[i], held[even][i]);
    free_host(&host);
  }
  counts[0] = 0.5;
  PlainHost host = called("batch_offsets", parts, LENGTH(parts), false);
  free_host(&host);
}

static void test_the_largest_minimum(void) {
  double counts[] = {600, 19400}, batch_size = 100;
  Part parts[] = {
      {.name = "counts", .type = DOUBLES, .length = 2, .values = counts},
      {.name = "mean_batch_size", .type = DOUBLES, .length = 1, .values = &batch_size},
      {.name = "missing", .type = TEXT, .length = 1, .values = "drop"},
  };
  PlainHost host = called("min_samples_for_batch_size", parts, LENGTH(parts), true);
  CHECK_EQUAL(*(const double *)given_as(&host, "minimum")->values, 3);
  free_host(&host);
  batch_size = 10;
  host = called("min_samples_for_batch_size", parts, LENGTH(parts), false);
  free_host(&host);
}

/* Two strata of 4 and 5 rows, in groups of 2, 1 and 1, and of 3, 1 and 1. */
static void test_the_plan_of_groups(void) {
  static const char *const names[] = {"rows", "groups", "largest", "fewest", "most"};
  static const int64_t planned[2][5][2] = {
      {{4, 5}, {3, 3}, {2, 3}, {2, 2}, {2, 3}},
      {{4, 5}, {3, 3}, {2, 3}, {2, 2}, {3, 4}},
  };
  const uint8_t codes[] = {0, 1, 0, 1, 0, 1, 0, 1, 1};
  const int32_t groups[] = {0, 3, 0, 3, 1, 3, 2, 4, 5};
  double n_strata = 2, n_groups = 6, n_batches = 2, minimum = 2;
  int32_t together = 0;
  Part parts[] = {
      {.name = "codes", .type = BYTES, .length = 9, .values = codes},
      {.name = "groups", .type = INTEGERS, .length = 9, .values = groups},
      {.name = "n_strata", .type = DOUBLES, .length = 1, .values = &n_strata},
      {.name = "n_groups", .type = DOUBLES, .length = 1, .values = &n_groups},
      {.name = "n_batches", .type = DOUBLES, .length = 1, .values = &n_batches},
      {.name = "min_samples_per_stratum", .type = DOUBLES, .length = 1, .values = &minimum},
      {.name = "together", .type = INTEGERS, .length = 1, .values = &together},
  };
  for (together = 0; together <= 1; together++) {
    PlainHost host = called("group_plan", parts, LENGTH(parts), true);
    for (int column = 0; column < 5; column++) {
      const int64_t *numbers = given_as(&host, names[column])->values;
      for (int stratum = 0; stratum < 2; stratum++) CHECK_EQUAL(numbers[stratum], planned[together][column][stratum]);
    }
    CHECK_EQUAL(*(const double *)given_as(&host, "most_of_group")->values, together ? 3 : 2);
    free_host(&host);
  }
  n_batches = 10;
  PlainHost host = called("group_plan", parts, LENGTH(parts), false);
  free_host(&host);
}

/* Products of more than 64 bits. */
static void test_whole_shares(void) {
  static const int64_t cases[][4] = {
      {INT64_C(10), INT64_C(3), INT64_C(7), INT64_C(4)},
      {INT64_C(9007199254740990), INT64_C(9007199254740880), INT64_C(9007199254740881), INT64_C(9007199254740988)},
      {INT64_C(9007199254740986), INT64_C(4503599627370497), INT64_C(9007199254740881), INT64_C(4503599627370549)},
      {INT64_C(4503599627370496), INT64_C(4503599627370495), INT64_C(4503599627370496), INT64_C(4503599627370495)},
      {INT64_C(9007199254740991), INT64_C(1), INT64_C(9007199254740991), INT64_C(1)},
      {INT64_C(9007199254740991), INT64_C(0), INT64_C(3), INT64_C(0)},
      {INT64_C(3037000500), INT64_C(3037000500), INT64_C(3037000501), INT64_C(3037000499)},
      {INT64_C(9007199254740881), INT64_C(4611686018427), INT64_C(9007199254740880), INT64_C(4611686018427)},
  };
  for (size_t i = 0; i < LENGTH(cases); i++) {
    CHECK_EQUAL(whole_share(cases[i][0], cases[i][1], cases[i][2]), cases[i][3]);
  }
}

/* A lane of as many rows as its batches allow is planned and dealt; the next ones are not. */
static void test_the_largest_lane(void) {
  for (double n_batches = 1; n_batches < 100000; n_batches = n_batches * 37 + 1) {
    double most = (double)most_rows_of_lane((int64_t)n_batches), least = floor(most / n_batches), seen = 0, count = 1;
    double next = n_batches, no_shift = 0;
    CHECK((most + 1) * n_batches < LARGEST_EXACT && (most + 2) * n_batches >= LARGEST_EXACT);
    Part parts[] = {
        {.name = "totals", .type = DOUBLES, .length = 1, .values = &most},
        {.name = "seen", .type = DOUBLES, .length = 1, .values = &seen},
        {.name = "shifts", .type = DOUBLES, .length = 1, .values = &no_shift},
        {.name = "n_batches", .type = DOUBLES, .length = 1, .values = &n_batches},
        {.name = "next", .type = DOUBLES, .length = 1, .values = &next},
        {.name = "counts", .type = DOUBLES, .length = 1, .values = &count},
        {.name = "codes", .type = INTEGERS, .length = 1, .values = (const int32_t[]){0}},
    };
    for (int more = 0; more <= 1; more++, most++) {
      int64_t total = (int64_t)most;
      LanePlan plan = {.table = {.n_parts = 1, .n_strata = 1, .counts = &total}, .n_lanes = 1};
      PlainHost host = new_host(NULL, NULL, 0, -1);
      LaneRequest wanted = {.size = {.minimum = least}, .least_rows = least};
      CHECK(plan_lanes(NULL, &wanted, &plan, &host.host) == (more == 0));
      if (more == 0) CHECK_EQUAL(plan.n_batches, n_batches);
      free_host(&host);
      host = called("needs_rows", parts, LENGTH(parts), more == 0);
      free_host(&host);
      host = called("deal_rows", parts, LENGTH(parts), more == 0);
      free_host(&host);
    }
    most = 5;
    seen = 6; /* more than there are */
    PlainHost host = called("deal_rows", parts, LENGTH(parts), false);
    free_host(&host);
    seen = 0;
    next = n_batches + 1;
    host = called("deal_rows", parts, LENGTH(parts), false);
    free_host(&host);
  }
}

/* Numbers that a caller has no reason to give are refused, or give batches that exist: no sum or product overflows. */
static void test_mutated_dealing(void) {
  static const double numbers[] = {-1, 0, 1, 2, 3, 6, 2147483646, 2147483647, 2147483648.0, 9007199254740992.0, NAN};
  uint64_t state = 1;
  int n_accepted = 0;
  for (int trial = 0; trial < 20000; trial++) {
    double totals[] = {4, 2}, seen[] = {1, 0}, shifts[] = {0, 1}, n_batches = 2, next = 1, counts[] = {1, 1};
    double *const changed[] = {&totals[0], &totals[1], &seen[0], &shifts[0], &n_batches, &next, &counts[0]};
    static const int32_t codes[] = {1, 0, 0};
    Part parts[] = {
        {.name = "totals", .type = DOUBLES, .length = 2, .values = totals},
        {.name = "seen", .type = DOUBLES, .length = 2, .values = seen},
        {.name = "shifts", .type = DOUBLES, .length = 2, .values = shifts},
        {.name = "n_batches", .type = DOUBLES, .length = 1, .values = &n_batches},
        {.name = "next", .type = DOUBLES, .length = 1, .values = &next},
        {.name = "counts", .type = DOUBLES, .length = 2, .values = counts},
        {.name = "codes", .type = INTEGERS, .length = 3, .values = codes},
    };
    for (int64_t i = some_number(&state, 4); i >= 0; i--) {
      *changed[some_number(&state, LENGTH(changed))] = numbers[some_number(&state, LENGTH(numbers))];
    }
    for (int is_dealt = 0; is_dealt <= 1; is_dealt++) {
      Parts request = {.parts = parts, .n_parts = LENGTH(parts)};
      PlainHost host = new_host(&request, NULL, 0, -1);
      bool is_accepted = find_function(is_dealt ? "deal_rows" : "needs_rows")->call(&request, &host.host);
      if (!is_accepted) check_failure(&host);
      const Given *batches = is_accepted && is_dealt ? given_as(&host, "batches") : NULL;
      for (int64_t run = 0; batches != NULL && run < batches->count; run++) {
        int32_t batch = ((const int32_t *)batches->values)[run];
        CHECK(batch >= next && batch < n_batches);
      }
      n_accepted += is_accepted;
      free_host(&host);
    }
  }
  CHECK(n_accepted > 5000);
}

/* In each epoch, k of n rows are taken, and in any number of epochs each row equally often, for all small numbers. */
static void test_each_place_is_taken_equally_often(void) {
  for (int64_t n = 1; n <= 7; n++) {
    for (int64_t k = 1; k <= 20; k++) {
      for (int64_t first = 0; first < n; first++) {
        int64_t times[7] = {0};
        for (int64_t n_epochs = 1; n_epochs <= 2 * n; n_epochs++) {
          CHECK_EQUAL(taken_between(0, n, first + n_epochs - 1, n, k), k);
          for (int64_t place = 0; place < n; place++) {
            times[place] += taken_between(place, 1, first + n_epochs - 1, n, k);
            CHECK(times[place] == n_epochs * k / n || times[place] == quotient_up(n_epochs * k, n));
          }
        }
      }
    }
  }
}

/* Two sources of two strata, of which the first is taken less and the second more often than once, in three batches. */
typedef struct {
  double totals[2], taken[2], n_batches, next, epoch, together, n_strata, seed, table[4], before[2], n_sources, source;
  double windows[12];
  int32_t sources[2], codes[6], shuffle, copies[6];
  Part parts[17];
} Taking;

enum { WINDOWS_PART = 15 }; /* the first of those that row_copies() and deal_taken() need besides */

static void begin_taking(Taking *taking) {
  *taking = (Taking){
      .totals = {8, 3}, .taken = {6, 6}, .n_batches = 3, .next = 1, .together = 1, .n_strata = 2, .seed = 1,
      .table = {4, 2, 4, 1}, .n_sources = 2, .windows = {0, 4, 3, 0, 0, 3, 0, 3}, .sources = {0, 1},
      .codes = {0, 1, 0, 0, 1, 0}, .copies = {0, 2, 1, 1, 2, 1},
  };
  const Part parts[] = {
      {.name = "totals", .type = DOUBLES, .length = 2, .values = taking->totals},
      {.name = "taken", .type = DOUBLES, .length = 2, .values = taking->taken},
      {.name = "n_batches", .type = DOUBLES, .length = 1, .values = &taking->n_batches},
      {.name = "next", .type = DOUBLES, .length = 1, .values = &taking->next},
      {.name = "epoch", .type = DOUBLES, .length = 1, .values = &taking->epoch},
      {.name = "shuffle_sources", .type = DOUBLES, .length = 1, .values = &taking->together},
      {.name = "sources", .type = INTEGERS, .length = 2, .values = taking->sources},
      {.name = "table", .type = DOUBLES, .length = 4, .values = taking->table},
      {.name = "n_strata", .type = DOUBLES, .length = 1, .values = &taking->n_strata},
      {.name = "codes", .type = INTEGERS, .length = 6, .values = taking->codes},
      {.name = "shuffle", .type = FLAG, .length = 1, .values = &taking->shuffle},
      {.name = "seed", .type = DOUBLES, .length = 1, .values = &taking->seed},
      {.name = "n_sources", .type = DOUBLES, .length = 1, .values = &taking->n_sources},
      {.name = "source", .type = DOUBLES, .length = 1, .values = &taking->source},
      {.name = "before", .type = DOUBLES, .length = 2, .values = taking->before},
      {.name = "windows", .type = DOUBLES, .length = 12, .values = taking->windows},
      {.name = "copies", .type = INTEGERS, .length = 6, .values = taking->copies},
  };
  memcpy(taking->parts, parts, sizeof parts);
}

static void test_rows_that_are_taken_are_in_wanted_batches(void) {
  Taking taking;
  begin_taking(&taking);
  PlainHost windows = called("lane_windows", taking.parts, WINDOWS_PART, true);
  const int32_t *needed = given_as(&windows, "needed")->values;
  CHECK(needed[0] && needed[1]);
  PlainHost copies = called("row_copies", taking.parts, WINDOWS_PART, true);
  const int32_t *times = given_as(&copies, "copies")->values;
  const int32_t expected[] = {0, 2, 1, 1, 2, 1};
  for (int row = 0; row < 6; row++) CHECK_EQUAL(times[row], expected[row]);
  /* Of the first stratum, ranks 1 to 3 are read, in batches 0, 0 and 1; of the second, 1, 2, 4 and 5 of a window. */
  taking.parts[WINDOWS_PART].values = given_as(&windows, "windows")->values;
  taking.parts[WINDOWS_PART + 1].values = times;
  PlainHost dealt = called("deal_taken", taking.parts, LENGTH(taking.parts), true);
  const Given *places = given_as(&dealt, "places"), *batches = given_as(&dealt, "batches");
  const int32_t *place = places->values, *batch = batches->values;
  CHECK(places->count == 3 && place[0] == 5 && place[1] == 1 && place[2] == 4);
  CHECK(batches->count == 3 && batch[0] == 1 && batch[1] == 1 && batch[2] == 2);
  CHECK_EQUAL(*(const double *)given_as(&dealt, "complete")->values, 0);
  free_host(&dealt);
  free_host(&copies);
  free_host(&windows);
}

/* As test_mutated_dealing(). */
static void test_mutated_taking(void) {
  static const double numbers[] = {-1, 0, 1, 2, 3, 6, 2147483646, 2147483647, 2147483648.0, 9007199254740992.0, NAN};
  static const char *const functions[] = {"lane_windows", "row_copies", "deal_taken"};
  uint64_t state = 2;
  int n_accepted[] = {0, 0, 0};
  for (int trial = 0; trial < 20000; trial++) {
    Taking taking;
    begin_taking(&taking);
    taking.shuffle = trial % 2;
    double *const changed[] = {&taking.totals[0],  &taking.totals[1],  &taking.taken[0],    &taking.taken[1],
                               &taking.n_batches,  &taking.next,       &taking.epoch,       &taking.together,
                               &taking.table[0],   &taking.table[3],   &taking.before[0],   &taking.source,
                               &taking.windows[0], &taking.windows[1], &taking.windows[2],  &taking.windows[6],
                               &taking.windows[7], &taking.windows[9], &taking.windows[10], &taking.windows[11]};
    for (int64_t i = some_number(&state, 3); i >= 0; i--) {
      *changed[some_number(&state, LENGTH(changed))] = numbers[some_number(&state, LENGTH(numbers))];
    }
    if (some_number(&state, 4) == 0) taking.copies[some_number(&state, 6)] = (int32_t)some_number(&state, 4) - 1;
    Parts request = {.parts = taking.parts, .n_parts = LENGTH(taking.parts)};
    for (size_t function = 0; function < LENGTH(functions); function++) {
      PlainHost host = new_host(&request, NULL, 0, -1);
      bool is_accepted = find_function(functions[function])->call(&request, &host.host);
      if (!is_accepted) check_failure(&host);
      const Given *batches = is_accepted && function == 2 ? given_as(&host, "batches") : NULL;
      for (int64_t run = 0; batches != NULL && run < batches->count; run++) {
        int32_t batch = ((const int32_t *)batches->values)[run];
        CHECK(batch >= taking.next && batch < taking.n_batches);
      }
      n_accepted[function] += is_accepted;
      free_host(&host);
    }
  }
  CHECK(n_accepted[0] > 1000 && n_accepted[1] > 1000 && n_accepted[2] > 1000);
}

/* Rows of two strata for two batches, of which the first is not wanted; a row too many is refused. */
static void test_rows_of_wanted_batches_have_places(void) {
  double totals[] = {4, 2}, seen[] = {1, 0}, shifts[] = {0, 0}, n_batches = 2, next = 1;
  int32_t codes[] = {1, 0, 0, 1, 0, 0};
  Part parts[] = {
      {.name = "totals", .type = DOUBLES, .length = 2, .values = totals},
      {.name = "seen", .type = DOUBLES, .length = 2, .values = seen},
      {.name = "shifts", .type = DOUBLES, .length = 2, .values = shifts},
      {.name = "n_batches", .type = DOUBLES, .length = 1, .values = &n_batches},
      {.name = "next", .type = DOUBLES, .length = 1, .values = &next},
      {.name = "codes", .type = INTEGERS, .length = 5, .values = codes},
  };
  PlainHost host = called("deal_rows", parts, LENGTH(parts), true);
  const Given *places = given_as(&host, "places"), *batches = given_as(&host, "batches");
  const int32_t *place = places->values, *batch = batches->values, *size = given_as(&host, "sizes")->values;
  CHECK(places->count == 3 && place[0] == 2 && place[1] == 4 && place[2] == 3);
  CHECK(batches->count == 2 && batch[0] == 1 && batch[1] == 1 && size[0] == 2 && size[1] == 1);
  CHECK_EQUAL(*(const double *)given_as(&host, "complete")->values, 2);
  free_host(&host);
  parts[LENGTH(parts) - 1].length = 6;
  host = called("deal_rows", parts, LENGTH(parts), false);
  free_host(&host);
}

static void test_numbers_of_values(void) {
  double values[] = {3, -1, 3, NAN, 0.5, NAN, -1};
  const int64_t codes[] = {1, 2, 1, 3, 4, 3, 2};
  Part part = {.name = "values", .type = DOUBLES, .length = LENGTH(values), .values = values};
  Parts request = {.parts = &part, .n_parts = 1};
  PlainHost host = new_host(&request, NULL, 1, -1);
  CHECK(number_values_function.call(&request, &host.host));
  const Given *given = given_as(&host, "codes"), *distinct = given_as(&host, "values");
  for (int row = 0; row < 7; row++) CHECK_EQUAL(((const int64_t *)given->values)[row], codes[row]);
  CHECK(distinct->count == 4 && ((const double *)distinct->values)[3] == 0.5);
  free_host(&host);
  part.type = INTEGERS;
  host = called("number_values", &part, 1, false);
  free_host(&host);
}

static void test_weights_by_density(void) {
  double values[] = {1, 1, 1, 9}, power = 1, bandwidth = 1, n_bins = 8;
  static const double expected[] = {2.0 / 3, 2.0 / 3, 2.0 / 3, 2};
  Part parts[] = {
      {.name = "values", .type = DOUBLES, .length = 4, .values = values},
      {.name = "power", .type = DOUBLES, .length = 1, .values = &power},
      {.name = "bandwidth", .type = DOUBLES, .length = 1, .values = &bandwidth},
      {.name = "n_bins", .type = DOUBLES, .length = 1, .values = &n_bins},
  };
  PlainHost host = called("density_weights", parts, LENGTH(parts), true);
  for (int row = 0; row < 4; row++) {
    CHECK(fabs(((const double *)given_as(&host, "weights")->values)[row] - expected[row]) < 1e-12);
  }
  free_host(&host);
  values[3] = 1; /* all are equal */
  host = called("density_weights", parts, LENGTH(parts), true);
  CHECK(((const double *)given_as(&host, "weights")->values)[3] == 1);
  free_host(&host);
  values[3] = INFINITY;
  host = called("density_weights", parts, LENGTH(parts), false);
  free_host(&host);
  values[3] = 9;
  bandwidth = 0;
  host = called("density_weights", parts, LENGTH(parts), false);
  free_host(&host);
}

static bool says(PlainHost *host, const char *name, const char *text) {
  const Given *given = given_as(host, name);
  return given->count == (int64_t)strlen(text) && memcmp(given->values, text, strlen(text)) == 0;
}

static void test_advice(void) {
  double counts[] = {2, 4}, batch_size = 3, minimum = 1;
  static const double too_few[] = {0.2, 0}; /* 4 of the 20 samples of 3 rows are of the second stratum alone */
  Part parts[] = {
      {.name = "batch_size", .type = DOUBLES, .length = 1, .values = &batch_size},
      {.name = "min_samples_per_stratum", .type = DOUBLES, .length = 1, .values = &minimum},
      {.name = "missing", .type = TEXT, .length = 1, .values = "error"},
      {.name = "counts", .type = DOUBLES, .length = 2, .values = counts},
  };
  PlainHost host = called("advice", parts, LENGTH(parts), true);
  for (int stratum = 0; stratum < 2; stratum++) {
    CHECK(fabs(((const double *)given_as(&host, "too_few")->values)[stratum] - too_few[stratum]) < 1e-15);
    CHECK(fabs(((const double *)given_as(&host, "mean")->values)[stratum] - counts[stratum] / 2) < 1e-15);
  }
  CHECK(((const double *)given_as(&host, "mean_batch_sizes")->values)[1] == 6);
  CHECK(says(&host, "python", "StratifiedBatchSampler(labels, mean_batch_size=3)"));
  CHECK(says(&host, "sampler", "stratified"));
  free_host(&host);
  minimum = 3; /* more rows than the first stratum has */
  host = called("advice", parts, LENGTH(parts), true);
  CHECK(says(&host, "r", "batch_sampler_weighted(inverse_frequency_weights(labels), 3)"));
  free_host(&host);
  host = called("advice", parts, 3, true); /* only the arguments */
  free_host(&host);
  minimum = 4;
  host = called("advice", parts, LENGTH(parts), false);
  free_host(&host);
  minimum = 1, batch_size = 7;
  host = called("advice", parts, LENGTH(parts), false);
  free_host(&host);
}

static void test_the_plan_of_a_corpus(void) {
  double lines[] = {5, 5, 5, 7}, weights[] = {0.3, 0.6, 0.9, 0}, sample = 17, most = 1000;
  static const double drawn[] = {2, 4, 5, 0}; /* the last share of 10 lines is 5 exactly, which doubles miss */
  uint8_t keeps[] = {0, 0, 0, 1};
  int32_t is_count = 1;
  Part parts[] = {
      {.name = "lines", .type = DOUBLES, .length = 4, .values = lines},
      {.name = "weights", .type = OTHER},
      {.name = "file_weights", .type = DOUBLES, .length = 4, .values = weights},
      {.name = "keeps", .type = BYTES, .length = 4, .values = keeps},
      {.name = "sample", .type = DOUBLES, .length = 1, .values = &sample},
      {.name = "is_count", .type = FLAG, .length = 1, .values = &is_count},
      {.name = "epoch_end", .type = TEXT, .length = 1, .values = "sample"},
      {.name = "most_lines", .type = DOUBLES, .length = 1, .values = &most},
  };
  PlainHost host = called("corpus_plan", parts, LENGTH(parts), true);
  for (int file = 0; file < 4; file++) {
    CHECK_EQUAL(((const double *)given_as(&host, "drawn")->values)[file], drawn[file]);
    CHECK_EQUAL(((const double *)given_as(&host, "kept")->values)[file], file == 3 ? 7 : 0);
  }
  CHECK_EQUAL(((const double *)given_as(&host, "share")->values)[2], 0.5);
  free_host(&host);
  sample = 6; /* fewer than are kept */
  host = called("corpus_plan", parts, LENGTH(parts), false);
  free_host(&host);
  sample = 1000;
  most = 999;
  host = called("corpus_plan", parts, LENGTH(parts), false);
  free_host(&host);
}

/* Call a function with rules and names in memory of their length, which a sanitizer guards. */
static PlainHost with_rules(const char *name, const char *rules, bool succeeds) {
  static const char names[] = "it\0web"; /* without the last zero byte */
  double lines[] = {3, 4}, sample = 2, most = 1000;
  int32_t is_count = 1;
  int64_t length = (int64_t)strlen(rules), n_bytes = (int64_t)sizeof names - 1;
  char *text = new_array(length, 1), *bytes = new_array(n_bytes, 1);
  memcpy(text, rules, (size_t)length);
  memcpy(bytes, names, (size_t)n_bytes);
  Part parts[] = {
      {.name = "rules", .type = BYTES, .length = length, .values = text},
      {.name = "names", .type = BYTES, .length = n_bytes, .values = bytes},
      {.name = "lines", .type = DOUBLES, .length = 2, .values = lines},
      {.name = "sample", .type = DOUBLES, .length = 1, .values = &sample},
      {.name = "is_count", .type = FLAG, .length = 1, .values = &is_count},
      {.name = "epoch_end", .type = TEXT, .length = 1, .values = "sample"},
      {.name = "most_lines", .type = DOUBLES, .length = 1, .values = &most},
  };
  PlainHost host = called(name, parts, LENGTH(parts), succeeds);
  free(text);
  free(bytes);
  return host;
}

static void test_rules(void) {
  static const double places[] = {5, 10, 11, 13, 17, 18, 19, 20};
  static const char *const refused[] = {"* 1 2", "*", "* 0", "* .", "* 1.1.", "a,,b 1", ", 1", "[a 1", "#x\na"};
  PlainHost host = with_rules("read_rules", "#  1\nit,we 2.\r\n \t* *", true);
  for (int i = 0; i < 8; i++) CHECK_EQUAL(((const double *)given_as(&host, "places")->values)[i], places[i]);
  free_host(&host);
  host = with_rules("corpus_plan", "i 1\nt,b 1", true);
  CHECK_EQUAL(((const double *)given_as(&host, "rule")->values)[0], 1);
  CHECK_EQUAL(((const double *)given_as(&host, "rule")->values)[1], 2);
  free_host(&host);
  host = with_rules("corpus_plan", "it 1\nx 1", true);
  CHECK(isnan(((const double *)given_as(&host, "rule")->values)[1]));
  free_host(&host);
  for (size_t i = 0; i < LENGTH(refused); i++) {
    host = with_rules("read_rules", refused[i], false);
    free_host(&host);
  }
}

static void test_decimal_numbers(void) {
  static const char *const written[] = {"0.1", ".5", "30", "1e-05", "5.80325716335e+12", "2."};
  static const uint64_t digits[] = {1, 5, 30, 1, 5803257163350, 2};
  static const int64_t decimals[] = {1, 1, 0, 5, 0, 0};
  for (size_t i = 0; i < LENGTH(written); i++) {
    uint32_t room[20];
    Decimal decimal = {{room, 0}, 0};
    CHECK(read_decimal(written[i], &decimal));
    CHECK_EQUAL(decimal.n_decimals, decimals[i]);
    CHECK_EQUAL(decimal.digits.digits[0], (uint32_t)digits[i]);
    CHECK_EQUAL(decimal.digits.length, digits[i] >> 32 == 0 ? 1 : 2);
  }
  char shown[NUMBER];
  CHECK(strcmp(show_shortest(1.0 / 3, shown), "0.3333333333333333") == 0);
  CHECK(strcmp(show_shortest(0x1p-24, shown), "5.960464477539063e-08") == 0);
  CHECK(strcmp(show_double(100000, shown), "100000.0") == 0 && strcmp(show_double(INFINITY, shown), "inf") == 0);
}

/* Rows of two strata in two parts, and some in none; sizes that cannot be; failures at every call of the host. */
static void test_parts_of_strata(void) {
  double sizes[] = {2, 3}, seed = 1, n_strata = 2, n_groups = 4;
  static const int32_t codes[] = {0, 0, 1, 0, 0, 2, 1, 1, 0}; /* the sixth row is of no stratum */
  static const int32_t groups[] = {0, 0, 1, 1, 2, 2, 2, 3, 3};
  const Part items[] = {
      {.name = "", .type = DOUBLES, .length = 1, .values = &sizes[0]},
      {.name = "", .type = DOUBLES, .length = 1, .values = &sizes[1]},
  };
  Part parts[] = {
      {.name = "sizes", .type = OTHER, .is_named = true, .length = 2, .items = items},
      {.name = "missing", .type = TEXT, .length = 1, .values = "drop"},
      {.name = "seed", .type = DOUBLES, .length = 1, .values = &seed},
      {.name = "codes", .type = INTEGERS, .length = 9, .values = codes},
      {.name = "n_strata", .type = DOUBLES, .length = 1, .values = &n_strata},
      {.name = "groups", .type = INTEGERS, .length = 9, .values = groups},
      {.name = "n_groups", .type = DOUBLES, .length = 1, .values = &n_groups},
  };
  for (int64_t n_parts = 5; n_parts <= 7; n_parts += 2) {
    PlainHost host = called("stratified_split", parts, n_parts, true);
    const int64_t *offsets = given_as(&host, "offsets")->values, *rows = given_as(&host, "rows")->values;
    if (n_parts == 5) CHECK(offsets[1] == 2 && offsets[2] == 5);
    CHECK(offsets[0] == 0 && offsets[1] > 0 && offsets[2] > offsets[1]);
    for (int64_t i = 0; i < offsets[2]; i++) {
      CHECK(rows[i] != 5 && (i == 0 || i == offsets[1] || rows[i] > rows[i - 1]));
    }
    int64_t n_calls = host.n_calls;
    free_host(&host);
    for (int64_t fails_at = 0; fails_at < n_calls; fails_at++) {
      Parts request = {.parts = parts, .n_parts = n_parts};
      host = new_host(&request, NULL, 0, fails_at);
      CHECK(!stratified_split_function.call(&request, &host.host));
      check_failure(&host);
      free_host(&host);
    }
  }
  static const double refused[][2] = {{5, 4}, {0.5, 2}, {0, 1}, {0.5, 0.4}, {0.999, 0.001}, {1e300, 1}, {NAN, 1}};
  for (size_t i = 0; i < LENGTH(refused); i++) {
    memcpy(sizes, refused[i], sizeof sizes);
    PlainHost host = called("stratified_split", parts, 5, false);
    free_host(&host);
  }
}

/* Shares of the most rows there are, by the largest remainder. */
static void test_the_largest_shares(void) {
  static const struct {
    double shares[3];
    int64_t n_rows, rows[3];
  } cases[] = {
      {{0.3, 0.1, 0.6}, 5, {2, 0, 3}}, /* equal remainders */
      {{1.0 / 3, 1.0 / 3, 1.0 / 3}, 8, {3, 3, 2}},
      {{0.7, 0.2, 0.1}, LARGEST_COUNT, {1503238553, 429496729, 214748365}},
      {{0.05, 0.05, 0.9}, 30, {2, 1, 27}},
  };
  for (size_t i = 0; i < LENGTH(cases); i++) {
    double shares[3];
    int64_t rows[3];
    memcpy(shares, cases[i].shares, sizeof shares);
    PartSizes sizes = {.are_shares = true, .n_given = 3, .n_parts = 3, .numbers = shares, .rows = rows};
    PlainHost host = new_host(NULL, NULL, 0, -1);
    CHECK(share_rows(&sizes, cases[i].n_rows, &host.host));
    for (int part = 0; part < 3; part++) CHECK_EQUAL(rows[part], cases[i].rows[part]);
    free_host(&host);
  }
}

int main(void) {
  test_parts_of_strata();
  test_the_largest_shares();
  test_whole_shares();
  test_the_largest_lane();
  test_mutated_dealing();
  test_each_place_is_taken_equally_often();
  test_rows_that_are_taken_are_in_wanted_batches();
  test_mutated_taking();
  test_rows_of_wanted_batches_have_places();
  test_weights_by_density();
  test_advice();
  test_the_plan_of_a_corpus();
  test_rules();
  test_decimal_numbers();
  test_offsets_and_composition();
  test_the_largest_minimum();
  test_the_plan_of_groups();
  test_numbers_of_values();
  CHECK(find_function("another") == NULL);
  return 0;
}
