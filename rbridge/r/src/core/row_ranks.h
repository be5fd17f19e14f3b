/* The ranks of rows by their priorities, the largest first. */

#ifndef PYSTRAT_ROW_RANKS_H
#define PYSTRAT_ROW_RANKS_H

#include "row_weights.h"

enum {
  SORTED_FROM = 16, /* sorting all rows is faster than moving one in 16 of them */
  DIGIT = 11,       /* bits by which keys are sorted at a time */
  N_DIGITS = 6,     /* of 64 bits */
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
    if (!go_on_after(i, host)) return false;
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
  rank_in_order(&rows->ranking, sort.order, n_after);
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
    set_key(ranking, row, priorities[done]);
    goes_on = go_on_after(done, host);
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

#endif
