/* group_parts.h: random groups, against all ways to divide them. */

#include "group_parts.h"
#include "plain_host.h"

enum { MOST_GROUPS = 7, MOST_STRATA = 3, MOST_PARTS = 3, MOST_ROWS = 200 };

typedef struct {
  int64_t n_groups, n_strata, n_parts, n_rows, largest;
  int64_t counts[MOST_GROUPS][MOST_STRATA];
  int64_t sizes[MOST_PARTS], stratum_sizes[MOST_STRATA + 1];
  uint8_t codes[MOST_ROWS], groups[MOST_ROWS];
  int32_t order[MOST_ROWS];
} Case;

static void make_case(uint64_t *state, Case *made) {
  *made = (Case){.n_strata = 1 + some_number(state, MOST_STRATA), .n_parts = 2 + some_number(state, MOST_PARTS - 1)};
  made->n_groups = made->n_parts + some_number(state, MOST_GROUPS - made->n_parts + 1);
  for (int64_t group = 0; group < made->n_groups; group++) {
    int64_t size = 0;
    for (int64_t stratum = 0; stratum < made->n_strata; stratum++) {
      int64_t count = some_number(state, 5) + (group == 0 || stratum == 0); /* no group and no stratum is empty */
      made->counts[group][stratum] = count;
      made->stratum_sizes[stratum] += count;
      size += count;
      for (int64_t i = 0; i < count; i++, made->n_rows++) {
        made->codes[made->n_rows] = (uint8_t)stratum;
        made->groups[made->n_rows] = (uint8_t)group;
      }
    }
    if (size > made->largest) made->largest = size;
  }
  made->stratum_sizes[made->n_strata] = made->n_rows;
  for (int32_t row = 0; row < made->n_rows; row++) made->order[row] = row;
  int64_t left = made->n_rows;
  for (int64_t part = 0; part < made->n_parts; part++) {
    int64_t others = made->n_parts - part - 1;
    made->sizes[part] = others == 0 ? left : 1 + some_number(state, left - others);
    left -= made->sizes[part];
  }
}

/* Return what the parts lack or exceed in all; -1 if a part is empty. `most` is the most that one differs by. */
static int64_t missed_by(const Case *of, const int64_t *part_of, int64_t *most) {
  int64_t held[MOST_STRATA + 1][MOST_PARTS] = {{0}}, groups_in[MOST_PARTS] = {0}, missed = 0;
  for (int64_t group = 0; group < of->n_groups; group++) {
    for (int64_t stratum = 0; stratum < of->n_strata; stratum++) {
      held[stratum][part_of[group]] += of->counts[group][stratum];
      held[of->n_strata][part_of[group]] += of->counts[group][stratum];
    }
    groups_in[part_of[group]] += 1;
  }
  *most = 0;
  for (int64_t part = 0; part < of->n_parts; part++) {
    if (groups_in[part] == 0) return -1;
    int64_t more = llabs(held[of->n_strata][part] - of->sizes[part]);
    if (more > *most) *most = more;
    for (int64_t stratum = 0; stratum <= of->n_strata; stratum++) {
      int64_t size = of->stratum_sizes[stratum];
      missed += llabs(size * of->sizes[part] - of->n_rows * held[stratum][part]) / size;
    }
  }
  return missed;
}

/* Return the least of all ways that differ by less than the largest group. */
static int64_t least_missed(const Case *of) {
  int64_t part_of[MOST_GROUPS] = {0}, least = INT64_MAX, most;
  for (;;) {
    int64_t missed = missed_by(of, part_of, &most);
    if (missed >= 0 && most < of->largest && missed < least) least = missed;
    int64_t group = 0;
    while (group < of->n_groups && ++part_of[group] == of->n_parts) part_of[group++] = 0;
    if (group == of->n_groups) return least;
  }
}

static void divide(Case *of, int64_t *part_of) {
  double n_strata = (double)of->n_strata, n_groups = (double)of->n_groups;
  Part parts[] = {
      {.name = "codes", .type = BYTES, .length = of->n_rows, .values = of->codes},
      {.name = "n_strata", .type = DOUBLES, .length = 1, .values = &n_strata},
      {.name = "groups", .type = BYTES, .length = of->n_rows, .values = of->groups},
      {.name = "n_groups", .type = DOUBLES, .length = 1, .values = &n_groups},
  };
  Parts request = {.parts = parts, .n_parts = LENGTH(parts)};
  PlainHost host = new_host(&request, NULL, 0, -1);
  RowGroups rows;
  CHECK(read_row_groups(&request, FOR_THE_CALL, &rows, &host.host));
  GroupParts divided = {
      .rows = &rows, .n_parts = of->n_parts, .n_needed = of->n_parts, .part_sizes = of->sizes, .n_rows = of->n_rows
  };
  CHECK(divide_groups(&divided, of->order, &host.host));
  for (int64_t group = 0; group < of->n_groups; group++) part_of[group] = divided.part_of[group];
  free_host(&host);
}

static void test_random_groups(void) {
  uint64_t state = 1;
  int64_t n_least = 0, n_cases = 0;
  for (int trial = 0; trial < 3000; trial++) {
    Case made;
    int64_t part_of[MOST_GROUPS], most, smallest = MOST_ROWS;
    make_case(&state, &made);
    divide(&made, part_of);
    int64_t missed = missed_by(&made, part_of, &most);
    CHECK(missed >= 0); /* no part is empty */
    for (int64_t part = 0; part < made.n_parts; part++) smallest = smaller(smallest, made.sizes[part]);
    if (smallest < made.largest) continue;
    CHECK(most < made.largest);
    int64_t least = least_missed(&made);
    CHECK(missed >= least);
    n_least += missed == least;
    n_cases++;
  }
  CHECK(n_cases > 300 && n_least * 2 > n_cases); /* more than half of them cannot be divided better */
}

int main(void) {
  test_random_groups();
  return 0;
}
