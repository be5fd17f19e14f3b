/* Rows that are drawn by weights or priorities that change: what the kinds with a sum tree share.
 *
 * The state of a sampler is the vector "tree": a head, the sums, and the least weights if they are tracked. If rows are
 * drawn by the ranks of their priorities, the tree is over ranks, and there are two more: "priorities", one a row that
 * there is room for, and "ranking": a head, the ranks at which the blocks begin, and the rows of the blocks. They may
 * come from a file, so each call checks them, as far as no draw can leave their memory.
 */

#ifndef PYSTRAT_ROW_WEIGHTS_H
#define PYSTRAT_ROW_WEIGHTS_H

#include "identity.h"
#include "ranking.h"
#include "row_places.h"
#include "weighted.h"

/* The head of a tree, a cache line. */
enum { CAPACITY, N_POSITIVE, KEEPS_LEAST, N_ROWS, NEXT_POSITION, LARGEST, N_ADDED, TREE_HEAD = 8 };

/* The head of a ranking. */
enum { N_RANKED, N_BLOCKS, RANKING_HEAD };

/* What does not change. */
typedef struct {
  const char *name; /* of the weights: "weights" or "priorities" */
  int64_t capacity; /* the rows that there is room for, from 1 to LARGEST_COUNT */
  bool keeps_least; /* the least weight is tracked */
  bool is_ranked;   /* rows are drawn by rank^-alpha */
  double alpha;
} RowWeighing;

typedef struct {
  const RowWeighing *weighing;
  double *head;
  SumTree tree;
  int32_t *ranking_head; /* NULL if there are no ranks */
  Ranking ranking;
} RowWeights;

/* The numbers of a tree, without its head. */
static inline int64_t n_tree_numbers(const RowWeighing *weighing) {
  int64_t n_least = weighing->keeps_least ? sum_tree_least_length(weighing->capacity) : 0;
  return sum_tree_length(weighing->capacity) + n_least;
}

static inline int64_t n_ranking_numbers(int64_t capacity) {
  return ranking_blocks(capacity) + 1 + ranking_length(capacity);
}

/* Lay the weights of rows over the vectors of a state, whose lengths and heads are right. */
static inline void lay_vectors(RowWeights *rows, double *tree, double *priorities, int32_t *ranking) {
  const RowWeighing *weighing = rows->weighing;
  int64_t capacity = weighing->capacity;
  double *sums = tree + TREE_HEAD;
  bool has_least = weighing->keeps_least && sum_tree_least_length(capacity) > 0;
  rows->head = tree;
  init_sum_tree(
      &rows->tree, capacity, sums, has_least ? sums + sum_tree_length(capacity) : NULL, (int64_t)tree[N_POSITIVE]
  );
  rows->ranking_head = ranking;
  if (ranking == NULL) return;
  int32_t *begins = ranking + RANKING_HEAD;
  init_ranking(
      &rows->ranking, capacity, priorities, begins + ranking_blocks(capacity) + 1, begins, ranking[N_RANKED],
      ranking[N_BLOCKS]
  );
}

static inline int64_t n_rows_of(const RowWeights *rows) { return (int64_t)rows->head[N_ROWS]; }

static inline bool is_count_to(double number, double most) {
  return number >= 0 && number <= most && floor(number) == number;
}

static inline bool is_tree(const RowWeighing *weighing, const Part *part) {
  if (part->type != DOUBLES || part->length != TREE_HEAD + n_tree_numbers(weighing)) return false;
  const double *head = part->values;
  return head[CAPACITY] == (double)weighing->capacity && is_count_to(head[N_POSITIVE], head[CAPACITY]) &&
         head[KEEPS_LEAST] == weighing->keeps_least && is_count_to(head[N_ROWS], head[CAPACITY]) &&
         is_count_to(head[NEXT_POSITION], head[CAPACITY] - 1) && (head[LARGEST] == -1 || head[LARGEST] >= 0) &&
         is_count_to(head[N_ADDED], LARGEST_EXACT);
}

/* Whether the numbers that pad the levels are zero: a descent then never leaves the tree, whatever the others are. */
static inline bool is_padded(const SumTree *tree) {
  for (int level = 0; level < tree->n_levels; level++) {
    const double *numbers = tree->sums + tree->begins[level];
    for (int64_t place = tree->sizes[level]; place % SUM_TREE_FAN != 0; place++) {
      if (numbers[place] != 0) return false;
    }
  }
  return true;
}

/* Whether all blocks have separate places, and hold as many rows as there are. */
static inline bool has_blocks(const Ranking *ranking, int64_t n_rows) {
  int64_t n_blocks = ranking->n_blocks;
  bool has_ends = 1 <= n_blocks && n_blocks <= ranking_blocks(ranking->capacity) && ranking->n_ranked == n_rows &&
                  ranking->begins[0] == 0 && ranking->begins[n_blocks] == n_rows;
  if (!has_ends) return false;
  uint32_t least = n_blocks > 1, n_wrong = 0, most = (uint32_t)(2 * ranking->share) - least;
  for (int64_t block = 0; block < n_blocks; block++) {
    uint32_t size = (uint32_t)ranking->begins[block + 1] - (uint32_t)ranking->begins[block];
    n_wrong += size - least > most;
  }
  return n_wrong == 0;
}

/* Lay the weights of rows over the vectors of a state. */
static inline bool lay_row_weights(const RowWeighing *weighing, const Parts *state, RowWeights *rows, Host *host) {
  Part tree = find_part(state, "tree"), priorities = find_part(state, "priorities");
  Part ranking = find_part(state, "ranking");
  rows->weighing = weighing;
  if (!is_tree(weighing, &tree)) return refuse(host, "tree", "other numbers", "be a sum tree");
  bool is_right = !weighing->is_ranked ||
                  (priorities.type == DOUBLES && priorities.length == weighing->capacity && ranking.type == INTEGERS &&
                   ranking.length == RANKING_HEAD + n_ranking_numbers(weighing->capacity));
  if (!is_right) return refuse(host, "ranking", "other numbers", "be a ranking");
  /* The host owns the vectors, for the core to change. */
  lay_vectors(
      rows, (double *)tree.values, weighing->is_ranked ? (double *)priorities.values : NULL,
      weighing->is_ranked ? (int32_t *)ranking.values : NULL
  );
  if (!is_padded(&rows->tree)) return refuse(host, "tree", "other numbers", "be a sum tree");
  is_right = !weighing->is_ranked || has_blocks(&rows->ranking, n_rows_of(rows));
  return is_right || refuse(host, "ranking", "other numbers", "be a ranking");
}

/* Write what has changed besides weights and priorities to the heads. */
static inline void write_heads(RowWeights *rows) {
  rows->head[N_POSITIVE] = (double)rows->tree.n_positive;
  if (rows->ranking_head == NULL) return;
  rows->ranking_head[N_RANKED] = (int32_t)rows->ranking.n_ranked;
  rows->ranking_head[N_BLOCKS] = (int32_t)rows->ranking.n_blocks;
}

static inline bool refuse_sum(Host *host, const char *name) {
  return refuse(host, name, "a total that overflows", "have a finite total");
}

/* Check that weights from `begin` to before `end` are finite and not negative. */
static inline bool check_row_weights(const char *name, const double *weights, int64_t begin, int64_t end, Host *host) {
  int64_t wrong = first_wrong_weight(weights, begin, end);
  return wrong < 0 || refuse_at(host, name, wrong, "hold finite numbers, none below 0");
}

/* Check that weights are finite and not negative. */
static inline bool check_all_weights(const char *name, const double *weights, int64_t count, Host *host) {
  for (int64_t begin = 0; begin < count; begin += GO_ON_ROWS) {
    if (!check_row_weights(name, weights, begin, smaller(begin + GO_ON_ROWS, count), host)) return false;
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* The weight by which a row is drawn. */
static inline double weight_of_row(const RowWeights *rows, int64_t row) {
  return leaves_of(&rows->tree)[rows->weighing->is_ranked ? rank_of_row(&rows->ranking, (int32_t)row) : row];
}

/* Give the weights or priorities of all rows. */
static inline bool give_row_values(const RowWeights *rows, const char *name, Host *host) {
  int64_t n_rows = n_rows_of(rows);
  double *values = host->vector(host, name, DOUBLES, n_rows);
  if (values == NULL) return false;
  const double *kept = rows->weighing->is_ranked ? rows->ranking.keys : leaves_of(&rows->tree);
  memcpy(values, kept, (size_t)n_rows * sizeof *values);
  return true;
}

/* Give the state in the form of a recipe: the values of all rows under this name, and where the next row goes. */
static inline bool give_state(const RowWeights *rows, const char *name, Host *host) {
  double largest = rows->head[LARGEST];
  return give_row_values(rows, name, host) && host->number(host, "next_position", rows->head[NEXT_POSITION]) &&
         (largest < 0 || host->number(host, "largest", largest));
}

/* Give the weights of the rows of a part, of all rows if there is none: "weights". */
static inline bool give_row_weights(const RowWeights *rows, const Parts *asked, const char *name, Host *host) {
  if (!is_given(asked, name)) return give_row_values(rows, "weights", host);
  int64_t count;
  const int64_t *places = read_places(asked, name, n_rows_of(rows), &count, host);
  double *weights = places == NULL ? NULL : host->vector(host, "weights", DOUBLES, count);
  for (int64_t i = 0; weights != NULL && i < count; i++) weights[i] = weight_of_row(rows, places[i]);
  return weights != NULL;
}

static inline void identify_row_weights(const void *instance, const Parts *recipe, Identity *identity) {
  (void)instance;
  (void)recipe;
  identity->has_unused_shares = true; /* only the number of batches depends on them, and it is a part */
}

#endif
