/* Free cells, subsets within groups, positives and deals, compared with plain loops. */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "free_cells.h"
#include "largest_numbers.h"
#include "pairs.h"
#include "plain_host.h"
#include "subsets.h"

enum { MOST_CELLS = 3000, MOST_DRAWN = 3000 };

static Generator choices; /* what the tests themselves choose */

static int64_t below(int64_t limit) {
  return (int64_t)index_below(&choices, (uint64_t)limit, bits_below((uint64_t)limit));
}

/* Mark about one cell in `share` as a positive, or whole blocks of cells, and list them; return how many they are. */
static int64_t some_positives(int64_t n_cells, int64_t share, int64_t block, uint8_t *marks, double *positives) {
  int64_t n_positives = 0;
  for (int64_t begin = 0; begin < n_cells; begin += block) {
    uint8_t mark = share > 0 && below(share) == 0;
    for (int64_t cell = begin; cell < begin + block && cell < n_cells; cell++) {
      marks[cell] = mark;
      if (mark) positives[n_positives++] = (double)cell;
    }
  }
  return n_positives;
}

static void ranks_are_those_of_the_free_cells(int64_t n_cells, int64_t share, int64_t block) {
  uint8_t marks[MOST_CELLS];
  double listed[MOST_CELLS];
  int64_t n_free = 0;
  int64_t n_positives = some_positives(n_cells, share, block, marks, listed);
  double *positives = new_array(n_positives, sizeof *positives);
  FreeCells free_cells = {.buckets = NULL};
  Memory memory = {.n_blocks = 0};
  PlainHost host = new_host(NULL, &memory, 0, -1);
  if (n_positives > 0) memcpy(positives, listed, (size_t)n_positives * sizeof *positives);
  CHECK(index_free_cells(&free_cells, positives, n_positives, n_cells, &host.host));
  CHECK(2 * free_cells.n_buckets <= n_positives + 2);
  CHECK(free_cells.count == n_cells - n_positives);
  int64_t *ranks = malloc((size_t)free_cells.count * sizeof(int64_t));
  for (int64_t rank = 0; rank < free_cells.count; rank++) ranks[rank] = rank;
  CHECK(find_free_cells(&free_cells, ranks, free_cells.count, &host.host));
  for (int64_t cell = 0; cell < n_cells; cell++) {
    if (!marks[cell]) CHECK(ranks[n_free++] == cell);
  }
  CHECK(n_free == free_cells.count);
  free(ranks);
  free_memory(&memory);
  free(positives);
}

/* The free cells of a table of 2^52 cells, of which few are positives. */
static void large_tables_have_free_cells(void) {
  const int64_t last = (INT64_C(1) << 52) - 1;
  const double listed[] = {0, 1, 5, (double)(last / 2), (double)(last - 1), (double)last};
  volatile int64_t n_positives = 6; /* volatile, because gcc would warn of comparisons that 6 positives do not reach */
  double *positives = new_array(n_positives, sizeof *positives);
  FreeCells free_cells = {.buckets = NULL};
  Memory memory = {.n_blocks = 0};
  PlainHost host = new_host(NULL, &memory, 0, -1);
  int64_t ranks[] = {0, 3, last / 2 - 4, last / 2 - 3, last - 6};
  const int64_t cells[] = {2, 6, last / 2 - 1, last / 2 + 1, last - 2};
  memcpy(positives, listed, sizeof listed);
  CHECK(index_free_cells(&free_cells, positives, n_positives, last + 1, &host.host));
  CHECK(free_cells.n_buckets < 8);
  CHECK(find_free_cells(&free_cells, ranks, 5, &host.host));
  CHECK(memcmp(ranks, cells, sizeof(cells)) == 0);
  free_memory(&memory);
  free(positives);
}

static void indices_are_those_of_the_generator(int64_t first, int64_t limit) {
  int64_t drawn[100];
  Generator generator, plain;
  seed_generator(&generator, 3);
  plain = generator;
  draw_indices_within(&generator, first, limit, 40, drawn);
  draw_indices_within(&generator, first, limit, 60, drawn + 40);
  for (int i = 0; i < 100; i++) {
    int64_t index = (int64_t)index_below(&plain, (uint64_t)limit, bits_below((uint64_t)limit));
    CHECK(drawn[i] == first + index);
    CHECK(0 <= index && index < limit);
  }
}

/* R's sample.int(limit, count): from a pool of all numbers, or, without one, dropping what repeats. */
static void naive_subset(Generator *generator, int64_t limit, int64_t count, int64_t *drawn) {
  int hashed = limit > LARGEST_COUNT || (limit > 10000000 && 2 * count <= limit);
  int64_t *pool = hashed ? NULL : malloc((size_t)limit * sizeof(int64_t)), left = limit;
  for (int64_t i = 0; !hashed && i < limit; i++) pool[i] = i;
  for (int64_t n_drawn = 0; n_drawn < count;) {
    uint64_t limit_now = (uint64_t)(hashed ? limit : left);
    int64_t index = (int64_t)index_below(generator, limit_now, bits_below(limit_now));
    if (hashed) {
      int repeated = 0;
      for (int64_t i = 0; i < n_drawn; i++) repeated |= drawn[i] == index;
      if (!repeated) drawn[n_drawn++] = index;
    } else {
      drawn[n_drawn++] = pool[index];
      pool[index] = pool[--left];
    }
  }
  free(pool);
}

typedef struct {
  int64_t first, limit, count;
} Group;

static void subsets_are_those_of_r(const Group *groups, int n_groups) {
  static int64_t drawn[MOST_DRAWN], plain_drawn[MOST_DRAWN];
  SubsetScratch scratch = {NULL, NULL, NULL, 0, 0, 0};
  Generator generator, plain;
  seed_generator(&generator, 4);
  plain = generator;
  for (int i = 0; i < n_groups; i++) enlarge_subset_scratch(&scratch, groups[i].limit, groups[i].count);
  scratch.pool = malloc((size_t)scratch.n_pool * sizeof(int32_t));
  scratch.places = malloc((size_t)scratch.n_places * sizeof(uint32_t));
  scratch.table = malloc((size_t)scratch.n_table * sizeof(int64_t));
  for (int64_t i = 0; i < scratch.n_pool; i++) scratch.pool[i] = (int32_t)i;
  for (int i = 0; i < n_groups; i++) {
    Group group = groups[i];
    for (int64_t begin = 0, end; begin < group.count; begin = end) {
      end = below(3) == 0 ? group.count : begin + 1 + below(group.count - begin);
      draw_subset_within(&generator, &scratch, group.first, group.limit, group.count, begin, end, drawn + begin);
    }
    naive_subset(&plain, group.limit, group.count, plain_drawn);
    for (int64_t j = 0; j < group.count; j++) CHECK(drawn[j] == group.first + plain_drawn[j]);
    for (int64_t j = 0; j < scratch.n_pool; j++) CHECK(scratch.pool[j] == j);
  }
  CHECK(next_output(&generator) == next_output(&plain));
  free(scratch.pool);
  free(scratch.places);
  free(scratch.table);
}

static void small_subsets_are_those_of_r(void) {
  Group groups[40];
  for (int i = 0; i < 40; i++) {
    int64_t limit = 1 + below(1500);
    Group group = {below(INT64_C(1) << 51), limit, below(limit + 1)};
    groups[i] = group;
  }
  subsets_are_those_of_r(groups, 40);
}

static void hashed_subsets_are_those_of_r(void) {
  const Group groups[] = {
      {5, 10000001, 300}, {0, 2147483648, 1}, {7, INT64_C(1) << 51, 700}, {3, 4, 4}, {1, 2147483647, 50},
  };
  CHECK(is_hashed(10000002, 5000001));
  CHECK(is_hashed(10000001, 5000000) && !is_hashed(10000001, 5000001) && !is_hashed(10000000, 1));
  CHECK(LARGEST_COUNT == 2147483647);
  CHECK(is_hashed(2147483648, 2147483648) && !is_hashed(LARGEST_COUNT, LARGEST_COUNT));
  subsets_are_those_of_r(groups, 5);
}

static void positives_are_found(int64_t n_rows, int64_t n_columns, int64_t share) {
  uint8_t marks[MOST_CELLS], *found;
  double listed[MOST_CELLS];
  int64_t *starts = malloc((size_t)(n_rows + 1) * sizeof(int64_t)), n_found = 0;
  int64_t n_cells = n_rows * n_columns, n_positives = some_positives(n_cells, share, 1, marks, listed);
  double *positives = new_array(n_positives, sizeof *positives);
  int64_t *cells = malloc((size_t)n_cells * sizeof(int64_t));
  if (n_positives > 0) memcpy(positives, listed, (size_t)n_positives * sizeof *positives);
  for (int64_t row = 0; row <= n_rows; row++) {
    while (n_found < n_positives && positives[n_found] < (double)(row * n_columns)) n_found++;
    starts[row] = n_found;
  }
  found = malloc((size_t)n_cells);
  for (int64_t i = 0; i < n_cells; i++) cells[i] = n_cells - 1 - i;
  find_positives(positives, n_positives, starts, n_columns, cells, n_cells, found);
  for (int64_t i = 0; i < n_cells; i++) CHECK(found[i] == marks[cells[i]]);
  free(starts);
  free(positives);
  free(cells);
  free(found);
}

static void pairs_are_dealt_in_turn(int64_t n_positives, int64_t n_negatives, int64_t n_batches) {
  enum { MOST = 2000 };
  int32_t order[MOST];
  double positives[MOST];
  int64_t negatives[MOST], offsets[MOST + 1], numbers[MOST], expected[MOST], lengths[MOST] = {0};
  int64_t n_pairs = n_positives + n_negatives, n_dealt = 0;
  for (int64_t i = 0; i < n_pairs; i++) {
    order[i] = (int32_t)i;
    positives[i] = (double)below(INT64_C(1) << 52);
    negatives[i] = below(INT64_C(1) << 52);
  }
  for (int64_t i = n_pairs; i > 1; i--) {
    int64_t place = below(i);
    int32_t swapped = order[place];
    order[place] = order[i - 1];
    order[i - 1] = swapped;
  }
  offsets[0] = 0;
  for (int64_t batch = 0; batch < n_batches; batch++) {
    offsets[batch + 1] = offsets[batch] + n_pairs / n_batches + (batch < n_pairs % n_batches);
  }
  for (int label = 1; label >= 0; label--) {
    for (int64_t i = 0; i < n_pairs; i++) {
      if ((order[i] < n_positives) != label) continue;
      int64_t cell = label ? (int64_t)positives[order[i]] : negatives[order[i] - n_positives];
      int64_t batch = n_dealt++ % n_batches;
      expected[offsets[batch] + lengths[batch]++] = 2 * cell + label;
    }
  }
  Deal deal = {order, positives, negatives, offsets, n_pairs, n_positives, n_batches};
  PlainHost host = new_host(NULL, NULL, 0, -1);
  CHECK(deal_pairs(&deal, numbers, &host.host));
  free_host(&host);
  CHECK(memcmp(numbers, expected, (size_t)n_pairs * sizeof(int64_t)) == 0);
}

static void groups_are_written_in_order(int64_t n_positives, int64_t per_positive) {
  enum { MOST = 700, MOST_EACH = 5 };
  int32_t order[MOST];
  double positives[MOST];
  int64_t negatives[MOST * MOST_EACH], numbers[MOST * (MOST_EACH + 1)];
  for (int64_t i = 0; i < n_positives; i++) {
    order[i] = (int32_t)((i * 577 + 3) % n_positives);
    positives[i] = (double)below(INT64_C(1) << 52);
    for (int64_t j = 0; j < per_positive; j++) negatives[i * per_positive + j] = below(INT64_C(1) << 52);
  }
  PlainHost host = new_host(NULL, NULL, 0, -1);
  CHECK(write_groups(order, positives, negatives, per_positive, n_positives, numbers, &host.host));
  free_host(&host);
  const int64_t *next = numbers;
  for (int64_t i = 0; i < n_positives; i++) {
    CHECK(*next++ == 2 * (int64_t)positives[order[i]] + 1);
    for (int64_t j = 0; j < per_positive; j++) CHECK(*next++ == 2 * negatives[order[i] * per_positive + j]);
  }
}

int main(void) {
  seed_generator(&choices, 1);
  for (int64_t n_cells = 1; n_cells <= 60; n_cells++) {
    for (int64_t share = 0; share <= 5; share++) ranks_are_those_of_the_free_cells(n_cells, share, 1);
  }
  for (int64_t block = 1; block <= 600; block += 150) {
    for (int64_t share = 1; share <= 9; share += 2) ranks_are_those_of_the_free_cells(MOST_CELLS, share, block);
  }
  large_tables_have_free_cells();
  for (int64_t limit = 1; limit < INT64_C(1) << 52; limit *= 7) indices_are_those_of_the_generator(limit / 3, limit);
  for (int round = 0; round < 20; round++) small_subsets_are_those_of_r();
  hashed_subsets_are_those_of_r();
  for (int64_t share = 0; share <= 20; share += 4) {
    positives_are_found(1, 7, share);
    positives_are_found(50, 60, share);
    positives_are_found(1000, 3, share);
  }
  for (int64_t n_positives = 0; n_positives < 1000; n_positives += 111) {
    for (int64_t n_negatives = 1; n_negatives < 1000; n_negatives += 99) {
      for (int64_t n_batches = 1; n_batches < 50; n_batches += 8) {
        pairs_are_dealt_in_turn(n_positives, n_negatives, n_batches);
      }
    }
  }
  for (int64_t n_positives = 1; n_positives <= 700; n_positives += 233) {
    for (int64_t per_positive = 1; per_positive <= 5; per_positive++) {
      groups_are_written_in_order(n_positives, per_positive);
    }
  }
  return 0;
}
