/* New weights or priorities of rows, and new rows. */

#ifndef PYSTRAT_ROW_CHANGES_H
#define PYSTRAT_ROW_CHANGES_H

#include "row_ranks.h"

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

#endif
