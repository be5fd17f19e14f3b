/* The sum tree and weighted draws, compared with plain loops. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sum_tree.h"
#include "weighted.h"

enum { MOST_ROWS = 5000, NAIVE_LEVELS = 6 };

static const int64_t SIZES[] = {1, 2, 7, 8, 9, 63, 64, 65, 100, 511, 512, 513, 4097, MOST_ROWS};
enum { N_SIZES = sizeof(SIZES) / sizeof(SIZES[0]) };

static Generator choices; /* what the tests themselves choose */

static int64_t below(int64_t limit) {
  return (int64_t)index_below(&choices, (uint64_t)limit, bits_below((uint64_t)limit));
}

/* A weight over some binary orders of magnitude; one in three is zero, half of these -0. */
static double any_weight(int64_t orders) {
  if (below(3) == 0) return below(2) == 0 ? 0.0 : -0.0;
  return ldexp(next_uniform(&choices), -(int)below(orders));
}

static double *some_weights(int64_t n_rows, int64_t orders) {
  double *weights = malloc((size_t)n_rows * sizeof(double));
  for (int64_t row = 0; row < n_rows; row++) weights[row] = any_weight(orders);
  weights[below(n_rows)] = 0.75;
  return weights;
}

/* An empty tree in memory of exactly the length that it asks for. */
static SumTree new_tree(int64_t n_rows, int minimum) {
  SumTree tree;
  int64_t length = sum_tree_length(n_rows), least_length = minimum ? sum_tree_least_length(n_rows) : 0;
  double *sums = calloc((size_t)length, sizeof(double)), *least = NULL;
  if (least_length > 0) {
    least = malloc((size_t)least_length * sizeof(double));
    for (int64_t i = 0; i < least_length; i++) least[i] = INFINITY;
  }
  init_sum_tree(&tree, n_rows, sums, least, 0);
  return tree;
}

static SumTree tree_of(const double *weights, int64_t n_rows, int minimum) {
  SumTree tree = new_tree(n_rows, minimum);
  fill_rows(&tree, weights, 0, n_rows);
  return tree;
}

static void free_tree(SumTree *tree) {
  free(tree->sums);
  free(tree->least);
}

static int same_trees(const SumTree *tree, const SumTree *other) {
  size_t length = (size_t)sum_tree_length(tree->n_rows), least_length = (size_t)sum_tree_least_length(tree->n_rows);
  return tree->n_rows == other->n_rows && tree->n_positive == other->n_positive &&
         memcmp(tree->sums, other->sums, length * sizeof(double)) == 0 &&
         (tree->least == NULL) == (other->least == NULL) &&
         (tree->least == NULL || memcmp(tree->least, other->least, least_length * sizeof(double)) == 0);
}

/* The levels of a tree, the leaves first, each in an array of its own. */
static double naive[NAIVE_LEVELS][MOST_ROWS + 8];
static int n_naive;

static void make_naive(const double *weights, int64_t n_rows) {
  int64_t size = n_rows;
  memset(naive, 0, sizeof(naive));
  for (int64_t row = 0; row < n_rows; row++) naive[0][row] = weights[row] + 0.0;
  n_naive = 1;
  while (size > 8) {
    size = (size + 7) / 8;
    for (int64_t i = 0; i < size; i++) {
      const double *c = &naive[n_naive - 1][8 * i];
      naive[n_naive][i] = ((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7]));
    }
    n_naive++;
  }
}

static double naive_total(void) {
  const double *c = naive[n_naive - 1];
  return ((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7]));
}

static int64_t naive_row(double value) {
  int64_t place = 0;
  for (int level = n_naive - 1; level >= 0; level--) {
    const double *parts = &naive[level][8 * place];
    double before[8] = {0};
    int64_t child = 0;
    for (int i = 1; i < 8; i++) {
      before[i] = before[i - 1] + parts[i - 1];
      child += value >= before[i];
    }
    while (parts[child] == 0) child--;
    value -= before[child];
    place = 8 * place + child;
  }
  return place;
}

static int64_t naive_draw(Generator *generator) {
  volatile double value = next_uniform(generator) * naive_total();
  return naive_row(value);
}

static void trees_are_the_naive_ones(int64_t n_rows) {
  double *weights = some_weights(n_rows, 30);
  SumTree tree = tree_of(weights, n_rows, 1);
  int64_t n_positive = 0;
  double least = INFINITY;
  make_naive(weights, n_rows);
  CHECK(tree.n_levels == n_naive);
  for (int level = 0; level < n_naive; level++) {
    size_t size = (size_t)(tree.sizes[level] + 7) / 8 * 8;
    CHECK(memcmp(tree.sums + tree.begins[level], naive[level], size * sizeof(double)) == 0);
  }
  for (int64_t row = 0; row < n_rows; row++) {
    n_positive += weights[row] > 0;
    if (weights[row] > 0 && weights[row] < least) least = weights[row];
  }
  CHECK(total_of(&tree) == naive_total());
  CHECK(tree.n_positive == n_positive);
  CHECK(least_weight_of(&tree) == least);
  free_tree(&tree);
  free(weights);
}

static void steps_of_filling_change_nothing(int64_t n_rows) {
  double *weights = some_weights(n_rows, 30);
  SumTree whole = tree_of(weights, n_rows, 1), tree = new_tree(n_rows, 1);
  for (int64_t begin = 0, end; begin < n_rows; begin = end) {
    end = begin + 1 + below(n_rows - begin);
    fill_rows(&tree, weights, begin, end);
  }
  CHECK(same_trees(&tree, &whole));
  free_tree(&whole);
  free_tree(&tree);
  free(weights);
}

static void updated_trees_are_fresh_trees(int64_t n_rows, int minimum) {
  double *current = some_weights(n_rows, 30);
  SumTree tree = tree_of(current, n_rows, minimum);
  int64_t rows[600];
  double weights[600], previous[600];
  for (int round = 0; round < 20; round++) {
    int64_t count = below(601);
    for (int64_t i = 0; i < count; i++) {
      rows[i] = below(n_rows);
      weights[i] = any_weight(30);
      current[rows[i]] = weights[i] + 0.0;
    }
    int64_t middle = below(count + 1);
    update_rows(&tree, rows, weights, 0, middle, previous);
    update_rows(&tree, rows, weights, middle, count, previous);
    SumTree fresh = tree_of(current, n_rows, minimum);
    CHECK(same_trees(&tree, &fresh));
    free_tree(&fresh);
  }
  free_tree(&tree);
  free(current);
}

/* Errors of rounding would add up. */
static void after_two_million_updates_a_tree_is_a_fresh_one(void) {
  enum { N_ROUNDS = 4000, N_UPDATES = 500 };
  double *current = some_weights(MOST_ROWS, 30), weights[N_UPDATES], previous[N_UPDATES];
  int64_t rows[N_UPDATES];
  SumTree tree = tree_of(current, MOST_ROWS, 1);
  for (int round = 0; round < N_ROUNDS; round++) {
    for (int64_t i = 0; i < N_UPDATES; i++) {
      rows[i] = below(MOST_ROWS);
      weights[i] = any_weight(30);
      current[rows[i]] = weights[i] + 0.0;
    }
    update_rows(&tree, rows, weights, 0, N_UPDATES, previous);
  }
  SumTree fresh = tree_of(current, MOST_ROWS, 1);
  CHECK(same_trees(&tree, &fresh));
  free_tree(&fresh);
  free_tree(&tree);
  free(current);
}

static void overflows_are_undone(int64_t n_rows) {
  double *weights = some_weights(n_rows, 30);
  SumTree tree = tree_of(weights, n_rows, 1), before = tree_of(weights, n_rows, 1);
  int64_t rows[300];
  double large[300], previous[300];
  for (int64_t i = 0; i < 300; i++) {
    rows[i] = below(n_rows);
    large[i] = below(4) == 0 ? 0 : DBL_MAX;
  }
  rows[298] = rows[299] = 0;
  large[298] = 1;
  large[299] = DBL_MAX;
  rows[0] = n_rows - 1;
  update_rows(&tree, rows, large, 0, 100, previous);
  update_rows(&tree, rows, large, 100, 300, previous);
  CHECK(overflows(&tree) || tree.n_positive == 1);
  undo_updates(&tree, rows, previous, 100, 300);
  undo_updates(&tree, rows, previous, 0, 100);
  CHECK(same_trees(&tree, &before));
  CHECK(!overflows(&tree));
  free_tree(&tree);
  free_tree(&before);
  free(weights);
}

static void an_overflow_within_the_steps_is_none(void) {
  const double weights[] = {DBL_MAX, 0, 0};
  const int64_t rows[] = {1, 0};
  const double changes[] = {DBL_MAX, 1};
  double previous[2];
  SumTree tree = tree_of(weights, 3, 0);
  update_rows(&tree, rows, changes, 0, 1, previous);
  CHECK(overflows(&tree));
  update_rows(&tree, rows, changes, 1, 2, previous);
  CHECK(total_of(&tree) == DBL_MAX); /* DBL_MAX + 1 is rounded to it */
  CHECK(!overflows(&tree) && tree.n_positive == 2);
  free_tree(&tree);
}

static void draws_are_the_naive_ones(int64_t n_rows) {
  double *weights = some_weights(n_rows, 30);
  SumTree tree = tree_of(weights, n_rows, 0);
  Generator generator, again, plain;
  int32_t rows[500], in_steps[500];
  seed_generator(&generator, 5);
  again = plain = generator;
  make_naive(weights, n_rows);
  draw_by_weight(&tree, &generator, 500, rows);
  for (int64_t begin = 0, count; begin < 500; begin += count) {
    count = 1 + below(500 - begin);
    draw_by_weight(&tree, &again, count, in_steps + begin);
  }
  for (int i = 0; i < 500; i++) {
    CHECK(rows[i] == naive_draw(&plain));
    CHECK(weights[rows[i]] > 0);
  }
  CHECK(memcmp(rows, in_steps, sizeof(rows)) == 0);
  free_tree(&tree);
  free(weights);
}

static void slices_give_a_row_each(int64_t n_rows, int64_t size) {
  double *weights = some_weights(n_rows, 30);
  SumTree tree = tree_of(weights, n_rows, 0);
  Generator generator, again, plain;
  int32_t rows[300], in_steps[300];
  seed_generator(&generator, 6);
  again = plain = generator;
  make_naive(weights, n_rows);
  draw_from_slices(&tree, &generator, size, 0, 300, rows);
  for (int64_t begin = 0, end; begin < 300; begin = end) {
    end = begin + 1 + below(300 - begin);
    draw_from_slices(&tree, &again, size, begin, end, in_steps);
  }
  for (int i = 0; i < 300; i++) {
    volatile double share = ((double)(i % size) + next_uniform(&plain)) / (double)size;
    volatile double value = share * naive_total();
    CHECK(rows[i] == naive_row(value));
  }
  CHECK(memcmp(rows, in_steps, sizeof(rows)) == 0);
  free_tree(&tree);
  free(weights);
}

/* With integer weights all sums are exact, so a value's row is known at all boundaries and beside them. */
static void values_belong_to_the_rows_of_their_intervals(int64_t n_rows) {
  SumTree tree = new_tree(n_rows, 0);
  double *weights = malloc((size_t)n_rows * sizeof(double));
  for (int64_t row = 0; row < n_rows; row++) weights[row] = (double)below(4);
  weights[below(n_rows)] = 1;
  fill_rows(&tree, weights, 0, n_rows);
  double begin = 0, values[2];
  int32_t rows[2];
  for (int64_t row = 0; row < n_rows; row++) {
    if (weights[row] == 0) continue;
    values[0] = begin;
    values[1] = nextafter(begin + weights[row], 0);
    find_rows(&tree, 1, values, 2, rows);
    CHECK(rows[0] == row && rows[1] == row);
    begin += weights[row];
  }
  free_tree(&tree);
  free(weights);
}

static void zero_weights_are_never_found(int64_t n_rows, int64_t orders) {
  double *weights = some_weights(n_rows, orders);
  SumTree tree = tree_of(weights, n_rows, 0);
  double total = total_of(&tree), end = 0;
  for (int64_t row = 0; row < n_rows; row++) {
    end += weights[row];
    double values[5] = {end, nextafter(end, 0), nextafter(end, INFINITY), total - end, total};
    int32_t rows[5];
    for (int i = 0; i < 5; i++) values[i] = values[i] < 0 ? 0 : values[i] > total ? total : values[i];
    find_rows(&tree, 1, values, 5, rows);
    for (int i = 0; i < 5; i++) CHECK(weights[rows[i]] > 0);
  }
  free_tree(&tree);
  free(weights);
}

/* With 32 bits, a third of the rows of these weights could not be drawn. */
static void every_row_has_a_random_number_of_53_bits(void) {
  double weights[MOST_ROWS], total = 0, begin = 0;
  for (int row = 0; row < MOST_ROWS; row++) {
    weights[row] = floor(pow(10, 12 * next_uniform(&choices)));
    total += weights[row];
  }
  SumTree tree = tree_of(weights, MOST_ROWS, 0);
  for (int row = 0; row < MOST_ROWS; row++) {
    double value = ldexp(ceil(ldexp(begin / total, 53)) + 1, -53) * total;
    int32_t found;
    find_rows(&tree, 1, &value, 1, &found);
    CHECK_EQUAL(found, row);
    begin += weights[row];
  }
  free_tree(&tree);
}

/* A power of 2 changes no row, also if the total has few digits. */
static void slices_of_tiny_weights_are_those_of_larger_ones(void) {
  double weights[100], tiny[100];
  int32_t rows[300], tiny_rows[300];
  for (int row = 0; row < 100; row++) {
    weights[row] = (double)below(3);
    tiny[row] = ldexp(weights[row], -1060);
  }
  SumTree tree = tree_of(weights, 100, 0), tiny_tree = tree_of(tiny, 100, 0);
  Generator generator, again;
  seed_generator(&generator, 1);
  again = generator;
  draw_from_slices(&tree, &generator, 10, 0, 300, rows);
  draw_from_slices(&tiny_tree, &again, 10, 0, 300, tiny_rows);
  CHECK(memcmp(rows, tiny_rows, sizeof rows) == 0);
  free_tree(&tree);
  free_tree(&tiny_tree);
}

/* How often a host may still go on. */
static int n_calls;

static bool go_on(Host *host) {
  (void)host;
  return n_calls-- > 0;
}

/* Draw without replacement; the host interrupts the call after so many. */
static bool draw_all(SumTree *tree, Generator *generator, int64_t size, int most_calls, int32_t *rows) {
  Host host = {.go_on = go_on};
  DistinctDraw draw = {.size = size, .rows = rows};
  draw.table = malloc(sizeof(int64_t) << hash_set_bits(size));
  draw.removed = malloc((size_t)size * sizeof(int64_t));
  draw.weights = malloc((size_t)size * sizeof(double));
  n_calls = most_calls;
  bool is_drawn = draw_distinct(tree, generator, &draw, &host);
  free(draw.table);
  free(draw.removed);
  free(draw.weights);
  return is_drawn;
}

static void naive_distinct(double *weights, int64_t n_rows, Generator *generator, int64_t size, int32_t *rows) {
  double kept[MOST_ROWS];
  int64_t n_drawn = 0;
  memcpy(kept, weights, (size_t)n_rows * sizeof(double));
  make_naive(weights, n_rows);
  for (int64_t tries = 0; tries < 2 * size && n_drawn < size; tries++) {
    int32_t row = (int32_t)naive_draw(generator);
    int repeated = 0;
    for (int64_t i = 0; i < n_drawn; i++) repeated |= rows[i] == row;
    if (!repeated) rows[n_drawn++] = row;
  }
  while (n_drawn < size) {
    for (int64_t i = 0; i < n_drawn; i++) weights[rows[i]] = 0;
    make_naive(weights, n_rows);
    rows[n_drawn++] = (int32_t)naive_draw(generator);
  }
  memcpy(weights, kept, (size_t)n_rows * sizeof(double));
}

static void draws_without_replacement_are_distinct(int64_t n_rows, int64_t orders) {
  double *weights = some_weights(n_rows, orders);
  SumTree tree = tree_of(weights, n_rows, 1);
  int32_t rows[MOST_ROWS], plain_rows[MOST_ROWS];
  char seen[MOST_ROWS];
  Generator generator, plain;
  seed_generator(&generator, 7);
  plain = generator;
  for (int round = 0; round < 3; round++) {
    int64_t size = round == 0 ? tree.n_positive : 1 + below(tree.n_positive);
    if (n_rows > 600 && size > 50) size = 50; /* the naive way takes long */
    CHECK(draw_all(&tree, &generator, size, 0, rows));
    naive_distinct(weights, n_rows, &plain, size, plain_rows);
    CHECK(memcmp(rows, plain_rows, (size_t)size * sizeof(int32_t)) == 0);
    memset(seen, 0, sizeof(seen));
    for (int64_t i = 0; i < size; i++) {
      CHECK(weights[rows[i]] > 0);
      CHECK(!seen[rows[i]]);
      seen[rows[i]] = 1;
    }
    SumTree fresh = tree_of(weights, n_rows, 1);
    CHECK(same_trees(&tree, &fresh));
    free_tree(&fresh);
  }
  uint32_t output = next_output(&plain);
  CHECK(next_output(&generator) == output);
  free_tree(&tree);
  free(weights);
}

/* One row is drawn again and again, so nearly all rows are drawn by removal; the host interrupts either. */
static void a_draw_that_is_interrupted_leaves_the_tree_as_it_was(void) {
  enum { N = 80000, SIZE = 70000 };
  double *weights = malloc(N * sizeof(double));
  int32_t *rows = malloc(SIZE * sizeof(int32_t));
  for (int i = 0; i < N; i++) weights[i] = i == 3 ? 1e15 : 1;
  SumTree tree = tree_of(weights, N, 1), before = tree_of(weights, N, 1);
  for (int most_calls = 0; most_calls < 4; most_calls++) {
    Generator generator;
    seed_generator(&generator, 1);
    CHECK(draw_all(&tree, &generator, SIZE, most_calls, rows) == (most_calls == 3));
    CHECK(same_trees(&tree, &before));
  }
  free_tree(&tree);
  free_tree(&before);
  free(weights);
  free(rows);
}

static void wrong_weights_are_found(void) {
  const double wrong[] = {-1, -DBL_MIN, INFINITY, -INFINITY, NAN};
  double weights[] = {0, -0.0, DBL_MAX, 1, DBL_MIN};
  CHECK(first_wrong_weight(weights, 0, 5) == -1);
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    weights[3] = wrong[i];
    CHECK(first_wrong_weight(weights, 0, 5) == 3);
    CHECK(first_wrong_weight(weights, 3, 5) == 3);
    CHECK(first_wrong_weight(weights, 0, 3) == -1 && first_wrong_weight(weights, 4, 5) == -1);
  }
}

/* Rows drawn by this tree as it was before C. Its weights need rounding, which no contraction may change. */
static void known_answers(void) {
  double weights[MOST_ROWS];
  int32_t rows[9000];
  Generator generator;
  seed_generator(&generator, 1);
  for (int i = 0; i < MOST_ROWS; i++) weights[i] = ldexp(next_uniform(&generator), -(i % 40));
  SumTree tree = tree_of(weights, MOST_ROWS, 0);
  seed_generator(&generator, 2);
  draw_by_weight(&tree, &generator, 3000, rows);
  draw_from_slices(&tree, &generator, 30, 0, 3000, rows + 3000);
  CHECK(draw_all(&tree, &generator, 3000, 0, rows + 6000));
  uint64_t sums[3] = {0, 0, 0};
  for (uint64_t i = 0; i < 9000; i++) sums[i / 3000] += (uint64_t)rows[i] * (i % 3000 + 1);
  CHECK(total_of(&tree) == 0x1.ee77975d65290p+6);
  CHECK(sums[0] == UINT64_C(11331807874));
  CHECK(sums[1] == UINT64_C(11056035250));
  CHECK(sums[2] == UINT64_C(11211777308));
  free_tree(&tree);
}

int main(void) {
  seed_generator(&choices, 1);
  for (int64_t n_rows = 1; n_rows <= 80; n_rows++) {
    trees_are_the_naive_ones(n_rows);
    updated_trees_are_fresh_trees(n_rows, 1);
    draws_are_the_naive_ones(n_rows);
  }
  for (int i = 0; i < N_SIZES; i++) {
    trees_are_the_naive_ones(SIZES[i]);
    steps_of_filling_change_nothing(SIZES[i]);
    updated_trees_are_fresh_trees(SIZES[i], 0);
    updated_trees_are_fresh_trees(SIZES[i], 1);
    overflows_are_undone(SIZES[i]);
    draws_are_the_naive_ones(SIZES[i]);
    for (int64_t size = 1; size <= 70; size += 23) slices_give_a_row_each(SIZES[i], size);
    values_belong_to_the_rows_of_their_intervals(SIZES[i]);
    for (int64_t orders = 1; orders <= 1001; orders += 250) zero_weights_are_never_found(SIZES[i], orders);
    draws_without_replacement_are_distinct(SIZES[i], 3);
    draws_without_replacement_are_distinct(SIZES[i], 60);
  }
  after_two_million_updates_a_tree_is_a_fresh_one();
  every_row_has_a_random_number_of_53_bits();
  slices_of_tiny_weights_are_those_of_larger_ones();
  an_overflow_within_the_steps_is_none();
  a_draw_that_is_interrupted_leaves_the_tree_as_it_was();
  wrong_weights_are_found();
  known_answers();
  return 0;
}
