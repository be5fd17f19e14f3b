/* Rows that are drawn by weights or priorities that change: what the kinds with a sum tree share.
 *
 * The state of a sampler is the vector "tree": a head, the sums, and the least weights if they are tracked. If rows are
 * drawn by the ranks of their priorities, the tree is over ranks, and there are two more: "priorities", one a row that
 * there is room for, and "ranking": a head, the ranks at which the blocks begin, and the rows of the blocks. They may
 * come from a file, so each call checks them, as far as no draw can leave their memory.
 */

#ifndef PYSTRAT_ROW_WEIGHTS_H
#define PYSTRAT_ROW_WEIGHTS_H

#include "powers.h"
#include "ranking.h"
#include "row_places.h"
#include "weighted.h"

/* The head of a tree, a cache line. */
enum { CAPACITY, N_POSITIVE, KEEPS_LEAST, N_ROWS, NEXT_POSITION, LARGEST, N_ADDED, TREE_HEAD = 8 };

/* The head of a ranking. */
enum { N_RANKED, N_BLOCKS, RANKING_HEAD };

/* How a batch is drawn. */
typedef enum { REPLACED_DRAW, SLICED_DRAW, DISTINCT_DRAW } DrawForm;

enum {
  SORTED_FROM = 16 /* sorting all rows is faster than moving one in 16 of them */
};

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

/* Ranks ------------------------------------------------------------------------------------------------------------ */

enum {
  DIGIT = 11,     /* bits by which keys are sorted at a time */
  N_DIGITS = 6,   /* of 64 bits */
  N_VALUES = 1 << DIGIT
};

/* Keys of rows, in the order of rows, and room to sort them. */
typedef struct {
  uint64_t *keys, *other_keys;
  int32_t *order, *other_order; /* the rows in the order of their keys */
} KeySort;

static inline bool begin_key_sort(KeySort *sort, int64_t n_rows, Host *host) {
  sort->keys = host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof *sort->keys);
  sort->other_keys = sort->keys == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof(uint64_t));
  sort->order = sort->other_keys == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof(int32_t));
  sort->other_order = sort->order == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof(int32_t));
  return sort->other_order != NULL;
}

/* The key of a priority that is not negative: the largest priority has the smallest key. */
static inline uint64_t key_of(double priority) {
  uint64_t bits;
  double plain = priority + 0.0; /* no -0 */
  memcpy(&bits, &plain, sizeof bits);
  return ~bits;
}

/* Move rows and keys to the places of one digit; `ends` are the places after those of smaller digits. */
static inline bool sort_by_digit(KeySort *sort, int64_t n_rows, int shift, int64_t *places, Host *host) {
  for (int64_t i = 0; i < n_rows; i++) {
    int64_t place = places[sort->keys[i] >> shift & (N_VALUES - 1)]++;
    sort->other_keys[place] = sort->keys[i];
    sort->other_order[place] = sort->order[i];
    if (i % GO_ON_ROWS == GO_ON_ROWS - 1 && !host->go_on(host)) return false;
  }
  uint64_t *keys = sort->keys;
  int32_t *order = sort->order;
  sort->keys = sort->other_keys;
  sort->order = sort->other_order;
  sort->other_keys = keys;
  sort->other_order = order;
  return true;
}

/* Sort all rows by their keys, ties by row number. */
static inline bool sort_rows(KeySort *sort, int64_t n_rows, Host *host) {
  int64_t n_right = 1; /* in order from the beginning */
  for (int64_t row = 0; row < n_rows; row++) sort->order[row] = (int32_t)row;
  while (n_right < n_rows && sort->keys[n_right - 1] <= sort->keys[n_right]) n_right++;
  if (n_right >= n_rows) return true;
  for (int digit = 0; digit < N_DIGITS; digit++) {
    int64_t places[N_VALUES] = {0}, begin = 0;
    int shift = digit * DIGIT;
    for (int64_t i = 0; i < n_rows; i++) places[sort->keys[i] >> shift & (N_VALUES - 1)] += 1;
    if (n_rows == 0 || places[sort->keys[0] >> shift & (N_VALUES - 1)] == n_rows) continue;
    for (int value = 0; value < N_VALUES; value++) {
      int64_t count = places[value];
      places[value] = begin;
      begin += count;
    }
    if (!host->go_on(host) || !sort_by_digit(sort, n_rows, shift, places, host)) return false;
  }
  return true;
}

/* Give ranks to rows in this order. */
static inline void rank_in_order(RowWeights *rows, const int32_t *order, int64_t n_rows) {
  begin_ranking(&rows->ranking, n_rows);
  fill_ranking(&rows->ranking, order, 0, n_rows);
}

/* Set priorities and rank all rows, of which there are n_after then. */
static inline bool rank_again(
    RowWeights *rows, const int64_t *places, const double *priorities, int64_t count, int64_t n_after, Host *host
) {
  KeySort sort;
  double *all = rows->ranking.keys;
  if (!begin_key_sort(&sort, n_after, host)) return false;
  for (int64_t row = 0; row < n_after; row++) sort.keys[row] = key_of(all[row]);
  for (int64_t i = 0; i < count; i++) sort.keys[places[i]] = key_of(priorities[i]);
  if (!sort_rows(&sort, n_after, host)) return false;
  for (int64_t i = 0; i < count; i++) all[places[i]] = priorities[i];
  rank_in_order(rows, sort.order, n_after);
  return true;
}

/* Set priorities one by one. `previous` stores the previous ones, -1 for rows that had no rank. */
static inline bool move_rows(
    RowWeights *rows, const int64_t *places, const double *priorities, int64_t count, double *previous, Host *host
) {
  Ranking *ranking = &rows->ranking;
  int64_t done = 0;
  bool goes_on = true;
  for (; done < count && goes_on; done++) {
    int32_t row = (int32_t)places[done];
    previous[done] = row < ranking->n_ranked ? ranking->keys[row] : -1;
    set_keys(ranking, places, priorities, done, done + 1);
    goes_on = done % GO_ON_ROWS != GO_ON_ROWS - 1 || host->go_on(host);
  }
  while (!goes_on && done-- > 0) {
    int32_t row = (int32_t)places[done];
    if (!take_row_out(ranking, row)) continue;
    ranking->keys[row] = previous[done];
    if (previous[done] >= 0) put_row_in(ranking, row);
  }
  return goes_on;
}

/* Set the priorities of rows; rows without a rank are the next ones, in order. */
static inline bool change_priorities(
    RowWeights *rows, const int64_t *places, const double *priorities, int64_t count, Host *host
) {
  int64_t n_before = rows->ranking.n_ranked, n_after = n_before;
  for (int64_t i = 0; i < count; i++) n_after = places[i] >= n_after ? places[i] + 1 : n_after;
  if (count * SORTED_FROM > n_before) {
    if (!rank_again(rows, places, priorities, count, n_after, host)) return false;
  } else {
    double *previous = host->memory(host, FOR_THE_CALL, count * (int64_t)sizeof *previous);
    if (previous == NULL) return false;
    bool are_moved = move_rows(rows, places, priorities, count, previous, host);
    write_heads(rows); /* rows that were moved back may be in other blocks */
    if (!are_moved) return false;
  }
  if (n_after > n_before) {
    weigh_ranks(n_before, n_after - n_before, rows->weighing->alpha, leaves_of(&rows->tree) + n_before);
    rows->tree.n_positive += n_after - n_before;
    refresh_range(&rows->tree, n_before, n_after);
  }
  write_heads(rows);
  return true;
}

/* Weights ---------------------------------------------------------------------------------------------------------- */

/* Set the weights of rows; of repeated rows, the last one counts. */
static inline bool change_weights(
    RowWeights *rows, const int64_t *places, const double *weights, int64_t count, Host *host
) {
  SumTree *tree = &rows->tree;
  if (count == 0) return true;
  double *previous = host->memory(host, FOR_THE_CALL, count * (int64_t)sizeof *previous);
  if (previous == NULL) return false;
  int64_t done = 0;
  bool goes_on = true;
  while (done < count && goes_on) {
    int64_t end = smaller(done + GO_ON_ROWS, count);
    update_rows(tree, places, weights, done, end, previous);
    done = end;
    goes_on = done == count || host->go_on(host);
  }
  if (!goes_on || overflows(tree)) {
    undo_updates(tree, places, previous, 0, done);
    return goes_on && refuse_sum(host, rows->weighing->name);
  }
  write_heads(rows);
  return true;
}

/* Set the weights, or the priorities, of rows. */
static inline bool change_rows(
    RowWeights *rows, const int64_t *places, const double *values, int64_t count, Host *host
) {
  if (rows->weighing->is_ranked) return change_priorities(rows, places, values, count, host);
  return change_weights(rows, places, values, count, host);
}

/* Return numbers, one for each of n_rows rows, or NULL. */
static inline const double *read_row_values(
    const Parts *told, const char *name, int64_t n_rows, Host *host
) {
  Part part = find_part(told, name);
  if (part.type != DOUBLES) {
    refuse(host, name, NULL, "hold numbers");
    return NULL;
  }
  if (part.length != n_rows) {
    char shown[NUMBER];
    refuse(
        host, name, show_count(part.length, "value", shown), "have one value for each row, %lld", (long long)n_rows
    );
    return NULL;
  }
  return part.values;
}

/* Check that weights are finite and not negative. */
static inline bool check_all_weights(const char *name, const double *weights, int64_t count, Host *host) {
  for (int64_t begin = 0; begin < count; begin += GO_ON_ROWS) {
    if (!check_row_weights(name, weights, begin, smaller(begin + GO_ON_ROWS, count), host)) return false;
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Set the weights of the rows whose positions are the part of this name. */
static inline bool update_weights(RowWeights *rows, const Parts *told, const char *name, Host *host) {
  int64_t count = 0;
  const int64_t *places = read_places(told, name, n_rows_of(rows), &count, host);
  const double *weights = places == NULL ? NULL : read_row_values(told, "weights", count, host);
  return weights != NULL && check_all_weights("weights", weights, count, host) &&
         change_weights(rows, places, weights, count, host);
}

/* Give `values` to the next rows, which replace the oldest ones if there is no room: "rows". */
static inline bool append_rows(RowWeights *rows, const double *values, int64_t count, Host *host) {
  int64_t capacity = rows->weighing->capacity, next = (int64_t)rows->head[NEXT_POSITION];
  int64_t *places = host->memory(host, FOR_THE_CALL, (count + 1) * (int64_t)sizeof *places);
  int64_t *positions = places == NULL ? NULL : host->vector(host, "rows", LONGS, count);
  if (positions == NULL) return false;
  for (int64_t i = 0; i < count; i++) {
    places[i] = (next + i) % capacity;
    positions[i] = places[i] + host->first_row;
  }
  if (!change_rows(rows, places, values, count, host)) return false;
  rows->head[N_ROWS] = (double)smaller(n_rows_of(rows) + count, capacity);
  rows->head[NEXT_POSITION] = (double)((next + count) % capacity);
  rows->head[N_ADDED] += (double)count;
  return true;
}

/* Beginning -------------------------------------------------------------------------------------------------------- */

/* What the vectors of a new sampler hold. */
typedef struct {
  const double *values; /* weights, or priorities, of the first rows */
  int64_t n_rows, next_position;
  double n_added;   /* rows that were ever added */
  double largest;   /* the largest priority that was ever set, or -1 */
  bool are_checked; /* the values are finite and not negative */
} FirstRows;

static inline bool fill_weights(RowWeights *rows, const FirstRows *first, Host *host) {
  for (int64_t begin = 0; begin < first->n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, first->n_rows);
    bool are_right = first->are_checked || check_row_weights(rows->weighing->name, first->values, begin, end, host);
    if (!are_right) return false;
    fill_rows(&rows->tree, first->values, begin, end);
    if (!host->go_on(host)) return false;
  }
  return !overflows(&rows->tree) || refuse_sum(host, rows->weighing->name);
}

static inline bool fill_ranks(RowWeights *rows, const FirstRows *first, Host *host) {
  const RowWeighing *weighing = rows->weighing;
  int64_t n_rows = first->n_rows;
  KeySort sort;
  if (!first->are_checked && !check_all_weights(weighing->name, first->values, n_rows, host)) return false;
  if (!begin_key_sort(&sort, n_rows, host)) return false;
  for (int64_t row = 0; row < n_rows; row++) {
    rows->ranking.keys[row] = first->values[row];
    sort.keys[row] = key_of(first->values[row]);
  }
  if (!sort_rows(&sort, n_rows, host)) return false;
  rank_in_order(rows, sort.order, n_rows);
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_rows);
    weigh_ranks(begin, end - begin, weighing->alpha, leaves_of(&rows->tree) + begin);
    refresh_range(&rows->tree, begin, end);
    if (!host->go_on(host)) return false;
  }
  rows->tree.n_positive = n_rows;
  return true;
}

/* Make the vectors of the state. */
static inline bool begin_row_weights(
    const RowWeighing *weighing, const FirstRows *first, RowWeights *rows, Host *host
) {
  int64_t capacity = weighing->capacity, n_sums = sum_tree_length(capacity), n_numbers = n_tree_numbers(weighing);
  double *tree = host->vector(host, "tree", DOUBLES, TREE_HEAD + n_numbers), *priorities = NULL;
  if (tree == NULL) return false;
  int32_t *ranking = NULL;
  if (weighing->is_ranked) {
    priorities = host->vector(host, "priorities", DOUBLES, capacity);
    int64_t n_ranking = RANKING_HEAD + n_ranking_numbers(capacity);
    ranking = priorities == NULL ? NULL : host->vector(host, "ranking", INTEGERS, n_ranking);
    if (ranking == NULL) return false;
    memset(priorities, 0, (size_t)capacity * sizeof *priorities);
    memset(ranking, 0, (size_t)n_ranking * sizeof *ranking);
    ranking[N_BLOCKS] = 1;
  }
  memset(tree, 0, (size_t)(TREE_HEAD + n_sums) * sizeof *tree);
  for (int64_t i = n_sums; i < n_numbers; i++) tree[TREE_HEAD + i] = INFINITY;
  tree[CAPACITY] = (double)capacity;
  tree[KEEPS_LEAST] = weighing->keeps_least;
  tree[N_ROWS] = (double)first->n_rows;
  tree[NEXT_POSITION] = (double)first->next_position;
  tree[LARGEST] = first->largest;
  tree[N_ADDED] = first->n_added;
  rows->weighing = weighing;
  lay_vectors(rows, tree, priorities, ranking);
  if (!(weighing->is_ranked ? fill_ranks(rows, first, host) : fill_weights(rows, first, host))) return false;
  write_heads(rows);
  return true;
}

/* Drawing ---------------------------------------------------------------------------------------------------------- */

/* How many rows are drawn: `count` times `size`; `name` is that of the size in messages. */
typedef struct {
  const char *name;
  int64_t size, count;
} Draws;

/* Read "count", and "k" unless batches are drawn. */
static inline bool read_draws(const Parts *wanted, int64_t batch_size, Draws *draws, Host *host) {
  double count, k = 0;
  bool has_k = has_part(wanted, "k");
  if (!read_whole(wanted, "count", 1, LARGEST_COUNT, &count, host)) return false;
  if (has_k && !read_whole(wanted, "k", 0, LARGEST_COUNT, &k, host)) return false;
  *draws = (Draws){has_k ? "k" : "batch_size", has_k ? (int64_t)k : batch_size, (int64_t)count};
  return true;
}

/* Check that rows can be drawn by weights of this name, so many of which are positive. */
static inline bool check_drawable(
    const char *name, int64_t n_positive, const Draws *draws, DrawForm form, Host *host
) {
  if (draws->size > 0 && n_positive == 0) {
    return refuse(host, name, "no positive weight", "not all be 0 when rows are drawn");
  }
  if (form != DISTINCT_DRAW || draws->size <= n_positive) return true;
  char shown[NUMBER];
  return refuse(
      host, draws->name, show_number((double)draws->size, shown),
      "be at most %lld, the number of positive weights, without replacement", (long long)n_positive
  );
}

static inline bool draw_row_by_row(
    RowWeights *rows, Generator *generator, int64_t size, int64_t n_drawn, bool is_sliced, int32_t *drawn, Host *host
) {
  for (int64_t begin = 0; begin < n_drawn; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_drawn);
    if (is_sliced) {
      draw_from_slices(&rows->tree, generator, size, begin, end, drawn);
    } else {
      draw_by_weight(&rows->tree, generator, end - begin, drawn + begin);
    }
    if (end < n_drawn && !host->go_on(host)) return false;
  }
  return true;
}

static inline bool draw_apart(
    RowWeights *rows, Generator *generator, int64_t size, int64_t n_drawn, int32_t *drawn, Host *host
) {
  DistinctDraw draw = {.size = size};
  int64_t since = 0;
  draw.table = host->memory(host, FOR_THE_CALL, (int64_t)sizeof(int64_t) << hash_set_bits(size));
  draw.removed = draw.table == NULL ? NULL : host->memory(host, FOR_THE_CALL, size * (int64_t)sizeof(int64_t));
  draw.weights = draw.removed == NULL ? NULL : host->memory(host, FOR_THE_CALL, size * (int64_t)sizeof(double));
  if (draw.weights == NULL) return false;
  for (int64_t begin = 0; begin < n_drawn; begin += size) {
    draw.rows = drawn + begin;
    if (!draw_distinct(&rows->tree, generator, &draw, host)) return false;
    since += size;
    if (since >= GO_ON_ROWS && begin + size < n_drawn) {
      since = 0;
      if (!host->go_on(host)) return false;
    }
  }
  return true;
}

/* Replace ranks by their rows. */
static inline bool find_ranked_rows(const RowWeights *rows, int32_t *drawn, int64_t n_drawn, Host *host) {
  for (int64_t begin = 0; begin < n_drawn; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_drawn);
    ranks_to_rows(&rows->ranking, drawn + begin, end - begin);
    if (end < n_drawn && !host->go_on(host)) return false;
  }
  return true;
}

/* Draw "rows". */
static inline bool draw_weighed_rows(
    RowWeights *rows, Generator *generator, const Draws *draws, DrawForm form, Host *host
) {
  int64_t size = draws->size, n_drawn = size * draws->count;
  if (!check_drawable(rows->weighing->name, rows->tree.n_positive, draws, form, host)) return false;
  if (n_drawn > host->most_rows) {
    char shown[NUMBER];
    return refuse(
        host, "n_batches", show_number((double)draws->count, shown),
        "be at most %lld, so that R can number the rows of an epoch", (long long)(host->most_rows / size)
    );
  }
  int32_t *drawn = host->vector(host, "rows", INTEGERS, n_drawn);
  if (drawn == NULL) return false;
  bool is_drawn = n_drawn == 0;
  if (!is_drawn && form == DISTINCT_DRAW) {
    is_drawn = draw_apart(rows, generator, size, n_drawn, drawn, host);
  } else if (!is_drawn) {
    is_drawn = draw_row_by_row(rows, generator, size, n_drawn, form == SLICED_DRAW, drawn, host);
  }
  if (!is_drawn || (rows->weighing->is_ranked && !find_ranked_rows(rows, drawn, n_drawn, host))) return false;
  for (int64_t i = 0; host->first_row != 0 && i < n_drawn; i++) drawn[i] += host->first_row;
  return true;
}

/* Asking ----------------------------------------------------------------------------------------------------------- */

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

#endif
