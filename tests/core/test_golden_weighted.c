/* Golden vectors of uniform, weighted and prioritized batches. A case is:
 *
 *   what the rows are drawn by, see below; the number of rows that there is room for
 *   the rows of a batch, the number of batches, how they are drawn, how many are drawn at a time, the seed, the epoch
 *   alpha, which only ranks have
 *   for each batch, what changes before it: the number of rows, and each row with its weight or key
 *   the list of the epoch's rows
 *   the number of draws outside epochs, the rows of each, and the list of these rows
 */

#include "golden.h"
#include "permutation.h"
#include "ranking.h"
#include "stream.h"
#include "weighted.h"

/* What rows are drawn by. */
enum { UNIFORM, BY_WEIGHT, BY_RANK };

/* How a batch is drawn. */
enum { WITH_REPLACEMENT, FROM_SLICES, WITHOUT_REPLACEMENT };

enum { SAMPLE_EPOCH = 6700001 };

/* The rows of a case with their weights, or, by rank, ranks with weights and rows with ranks. */
typedef struct {
  int64_t by, capacity, how;
  double alpha;
  SumTree tree;
  Ranking ranking;
} Source;

static void make_source(Source *source) {
  int64_t capacity = source->capacity;
  int64_t length = sum_tree_length(capacity);
  double *sums = new_array(length, sizeof *sums);
  for (int64_t i = 0; i < length; i++) sums[i] = 0;
  init_sum_tree(&source->tree, capacity, sums, NULL, 0);
  double *keys = new_array(capacity, sizeof *keys);
  int32_t *rows = new_array(ranking_length(capacity), sizeof *rows);
  int32_t *begins = new_array(ranking_blocks(capacity) + 1, sizeof *begins);
  init_ranking(&source->ranking, capacity, keys, rows, begins, 0, 1);
  begin_ranking(&source->ranking, 0);
}

static void free_source(Source *source) {
  free(source->tree.sums);
  free(source->ranking.keys);
  free(source->ranking.rows);
  free(source->ranking.begins);
}

/* Set the keys of rows, and the weights of the ranks that are new. */
static void change_keys(Source *source, const int64_t *rows, const double *keys, int64_t count) {
  int64_t n_before = source->ranking.n_ranked;
  for (int64_t i = 0; i < count; i++) set_key(&source->ranking, (int32_t)rows[i], keys[i]);
  int64_t n_ranked = source->ranking.n_ranked;
  double *weights = new_array(n_ranked, sizeof *weights);
  weigh_ranks(0, n_ranked, source->alpha, weights);
  if (n_ranked > n_before) fill_rows(&source->tree, weights, n_before, n_ranked);
  free(weights);
}

/* Read the changes before a batch, and make them. */
static void read_changes(Source *source) {
  int64_t count = next_number();
  int64_t *rows = new_array(count, sizeof *rows);
  double *numbers = new_array(count, sizeof *numbers);
  double *previous = new_array(count, sizeof *previous);
  for (int64_t i = 0; i < count; i++) {
    rows[i] = next_number();
    numbers[i] = read_double();
  }
  if (source->by == BY_RANK) {
    change_keys(source, rows, numbers, count);
  } else if (count > 0) {
    update_rows(&source->tree, rows, numbers, 0, count, previous);
  }
  free(rows);
  free(numbers);
  free(previous);
}

static bool go_on(Host *host) {
  (void)host;
  return true;
}

static void draw_distinct_rows(SumTree *tree, Generator *generator, int64_t size, int32_t *rows) {
  Host host = {.go_on = go_on};
  DistinctDraw draw = {.size = size, .rows = rows};
  draw.table = new_array(INT64_C(1) << hash_set_bits(size), sizeof *draw.table);
  draw.removed = new_array(size, sizeof *draw.removed);
  draw.weights = new_array(size, sizeof *draw.weights);
  CHECK(draw_distinct(tree, generator, &draw, &host));
  free(draw.table);
  free(draw.removed);
  free(draw.weights);
}

static void draw_uniform(const Source *source, Generator *generator, int64_t size, int32_t *rows) {
  if (source->how == WITH_REPLACEMENT) {
    int64_t *numbers = new_array(size, sizeof *numbers);
    draw_numbers(generator, (uint64_t)source->capacity, size, numbers);
    for (int64_t i = 0; i < size; i++) rows[i] = (int32_t)numbers[i];
    free(numbers);
    return;
  }
  int32_t *pool = new_array(source->capacity, sizeof *pool);
  uint32_t *places = new_array(size, sizeof *places);
  fill_in_order(pool, (uint32_t)source->capacity);
  draw_subset_part(generator, pool, (uint32_t)source->capacity, 0, (uint32_t)size, places, rows);
  free(pool);
  free(places);
}

static void draw_batch(Source *source, Generator *generator, int64_t size, int32_t *rows) {
  if (source->by == UNIFORM) {
    draw_uniform(source, generator, size, rows);
  } else if (source->how == WITH_REPLACEMENT) {
    draw_by_weight(&source->tree, generator, size, rows);
  } else if (source->how == FROM_SLICES) {
    draw_from_slices(&source->tree, generator, size, 0, size, rows);
  } else {
    draw_distinct_rows(&source->tree, generator, size, rows);
  }
  if (source->by == BY_RANK) ranks_to_rows(&source->ranking, rows, size);
}

/* Draw rows outside epochs, by a generator of their own. */
static void check_samples(Source *source, uint32_t seed) {
  enum { MOST_SAMPLES = 100 };
  int32_t rows[MOST_SAMPLES];
  Generator generator;
  seed_generator(&generator, epoch_seed(seed, SAMPLE_EPOCH));
  int64_t n_samples = next_number();
  int64_t n_drawn = 0;
  for (int64_t i = 0; i < n_samples; i++) {
    int64_t size = next_number();
    CHECK(n_drawn + size <= MOST_SAMPLES);
    draw_batch(source, &generator, size, rows + n_drawn);
    n_drawn += size;
  }
  check_rows(rows, n_drawn, 0);
}

static void check_case(void) {
  Source source;
  source.by = next_number();
  source.capacity = next_number();
  int64_t size = next_number();
  int64_t n_batches = next_number();
  source.how = next_number();
  int64_t n_at_a_time = next_number();
  uint32_t seed = (uint32_t)next_number();
  uint32_t epoch = (uint32_t)next_number();
  source.alpha = read_double();
  make_source(&source);
  Generator generator;
  seed_generator(&generator, epoch_seed(seed, epoch));
  int32_t *rows = new_array(n_batches * size, sizeof *rows);
  for (int64_t batch = 0; batch < n_batches; batch++) {
    read_changes(&source);
    if (batch % n_at_a_time != 0) continue; /* drawn already */
    for (int64_t i = batch; i < batch + n_at_a_time; i++) draw_batch(&source, &generator, size, rows + i * size);
  }
  check_rows(rows, n_batches * size, 0);
  check_samples(&source, seed);
  free(rows);
  free_source(&source);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
