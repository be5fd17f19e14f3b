/* The ranking: after any changes of keys, the ranks are those of the newly sorted rows. */

#include "check.h"
#include "powers.h"
#include "ranking.h"

typedef struct {
  Ranking ranking;
  double *keys;
  int32_t *rows;
  int32_t *begins;
} Owned;

static Owned new_ranking(int64_t capacity) {
  Owned owned;
  owned.keys = new_array(capacity, sizeof(double));
  owned.rows = new_array(ranking_length(capacity), sizeof(int32_t));
  owned.begins = new_array(ranking_blocks(capacity) + 1, sizeof(int32_t));
  init_ranking(&owned.ranking, capacity, owned.keys, owned.rows, owned.begins, 0, 1);
  begin_ranking(&owned.ranking, 0);
  return owned;
}

static void free_ranking(Owned *owned) {
  free(owned->keys);
  free(owned->rows);
  free(owned->begins);
}

/* The rank of a row, by counting the rows that come before it. */
static int64_t counted_rank(const Ranking *ranking, int32_t row) {
  int64_t rank = 0;
  for (int32_t other = 0; other < ranking->n_ranked; other++) {
    double key = ranking->keys[row], other_key = ranking->keys[other];
    rank += other_key > key || (other_key == key && other < row);
  }
  return rank;
}

static void check_ranks(const Ranking *ranking) {
  CHECK_EQUAL(ranking->begins[0], 0);
  CHECK_EQUAL(ranking->begins[ranking->n_blocks], ranking->n_ranked);
  for (int64_t block = 0; block < ranking->n_blocks; block++) {
    CHECK(size_of_block(ranking, block) <= 2 * ranking->share);
    CHECK(ranking->n_blocks == 1 || size_of_block(ranking, block) > 0);
  }
  for (int32_t row = 0; row < ranking->n_ranked; row++) {
    int64_t rank = counted_rank(ranking, row);
    CHECK_EQUAL(rank_of_row(ranking, row), rank);
    int32_t found = (int32_t)rank;
    ranks_to_rows(ranking, &found, 1);
    CHECK_EQUAL(found, row);
  }
}

/* Rows are added and get new keys, of which only so many differ; `rising` keys all go to one end. */
static void ranks_are_those_of_the_keys(int64_t capacity, int64_t n_keys, bool rising) {
  Owned owned = new_ranking(capacity);
  Ranking *ranking = &owned.ranking;
  uint64_t state = (uint64_t)(capacity * 31 + n_keys);
  for (int64_t step = 0; step < 6 * capacity + 20; step++) {
    int64_t n_ranked = ranking->n_ranked;
    bool is_new = n_ranked == 0 || (n_ranked < capacity && some_number(&state, 2) == 0);
    int64_t row = is_new ? n_ranked : some_number(&state, n_ranked);
    double key = rising ? (double)step : (double)some_number(&state, n_keys);
    set_key(ranking, (int32_t)row, key);
    CHECK(owned.keys[row] == key);
    if (step % 7 == 0 || capacity < 20) check_ranks(ranking);
  }
  CHECK_EQUAL(ranking->n_ranked, capacity);
  check_ranks(ranking);
  free_ranking(&owned);
}

/* Rows that are placed in order, and then changed. */
static void a_sorted_order_is_taken(int64_t capacity, int64_t n_ranked) {
  Owned owned = new_ranking(capacity);
  int32_t *order = new_array(n_ranked, sizeof(int32_t));
  for (int32_t row = 0; row < n_ranked; row++) {
    owned.keys[row] = (double)row;
    order[n_ranked - 1 - row] = row;
  }
  rank_in_order(&owned.ranking, order, n_ranked);
  check_ranks(&owned.ranking);
  for (int32_t row = 0; row < n_ranked; row++) set_key(&owned.ranking, row, -1);
  check_ranks(&owned.ranking);
  free(order);
  free_ranking(&owned);
}

/* Rows and places that are none do not lead out of the vectors. */
static void damaged_vectors_are_harmless(void) {
  Owned owned = new_ranking(50);
  for (int32_t row = 0; row < 50; row++) set_key(&owned.ranking, row, row % 7);
  uint64_t state = 5;
  for (int64_t step = 0; step < 2000; step++) {
    owned.rows[some_number(&state, ranking_length(50))] = (int32_t)some_number(&state, 1000) - 500;
    int32_t row = (int32_t)some_number(&state, 50);
    set_key(&owned.ranking, row, (double)some_number(&state, 9));
    int32_t rank = (int32_t)some_number(&state, 50);
    ranks_to_rows(&owned.ranking, &rank, 1);
    CHECK(0 <= rank && rank < 50);
    CHECK_EQUAL(owned.ranking.n_ranked, 50);
  }
  free_ranking(&owned);
}

int main(void) {
  const int64_t capacities[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 100, 257};
  for (size_t i = 0; i < LENGTH(capacities); i++) {
    int64_t capacity = capacities[i];
    ranks_are_those_of_the_keys(capacity, 1, false);
    ranks_are_those_of_the_keys(capacity, 3, false);
    ranks_are_those_of_the_keys(capacity, 1000, false);
    ranks_are_those_of_the_keys(capacity, 1, true);
    for (int64_t n_ranked = 0; n_ranked <= capacity; n_ranked += 1 + capacity / 8) {
      a_sorted_order_is_taken(capacity, n_ranked);
    }
  }
  damaged_vectors_are_harmless();
  double weights[3];
  weigh_ranks(1, 3, 1, weights);
  CHECK(weights[0] == 0.5 && weights[1] == 1.0 / 3 && weights[2] == 0.25);
  raise_all(weights, 3, -2, weights);
  CHECK(weights[0] == 4 && weights[1] == pow(1.0 / 3, -2) && weights[2] == 16);
  return 0;
}
