/* The number of rows of each stratum in each part of the data, such as a shard or a source: a request has it as
 * "table", doubles part by part, and the number of strata as "n_strata".
 *
 * Messages name a part and a stratum, which the host fills in: "{shard 0}", "{stratum 2}".
 */

#ifndef PYSTRAT_COUNTS_TABLE_H
#define PYSTRAT_COUNTS_TABLE_H

#include "recipe.h"

typedef struct {
  int64_t n_parts, n_strata;
  int64_t *counts; /* n_parts * n_strata, part by part; they add up to less than 2^53 */
} CountsTable;

/* Read the table into memory of the call. */
static inline bool read_counts_table(const Parts *request, CountsTable *table, Host *host) {
  Part part = find_part(request, "table");
  const double *given = part.values;
  double n_strata, sum = 0;
  if (part.type != DOUBLES || part.length < 1) return refuse(host, "counts", "others", "be doubles");
  if (!read_whole(request, "n_strata", 1, (double)part.length, &n_strata, host)) return false;
  table->n_strata = (int64_t)n_strata;
  table->n_parts = part.length / table->n_strata;
  table->counts = host->memory(host, FOR_THE_CALL, part.length * (int64_t)sizeof *table->counts);
  if (table->counts == NULL) return false;
  bool is_right = part.length % table->n_strata == 0 && table->n_parts <= LARGEST_COUNT;
  for (int64_t cell = 0; is_right && cell < part.length; cell++) {
    sum += given[cell];
    is_right = given[cell] >= 0 && floor(given[cell]) == given[cell] && sum < LARGEST_EXACT;
    if (is_right) table->counts[cell] = (int64_t)given[cell];
  }
  if (is_right) return true;
  return refuse(host, "counts", "others", "hold whole numbers from 0 that add up to less than 2^53");
}

/* Return the rows of each stratum in all parts, in memory of the call; or NULL. */
static inline int64_t *count_strata(const CountsTable *table, Host *host) {
  int64_t *totals = host->memory(host, FOR_THE_CALL, table->n_strata * (int64_t)sizeof *totals);
  if (totals == NULL) return NULL;
  memset(totals, 0, (size_t)table->n_strata * sizeof *totals);
  const int64_t *count = table->counts;
  for (int64_t part = 0; part < table->n_parts; part++) {
    for (int64_t stratum = 0; stratum < table->n_strata; stratum++) totals[stratum] += *count++;
  }
  return totals;
}

/* Return the place of the smallest of some numbers, the first one of them. */
static inline int64_t smallest_of(const int64_t *numbers, int64_t count) {
  int64_t smallest = 0;
  for (int64_t i = 1; i < count; i++) smallest = numbers[i] < numbers[smallest] ? i : smallest;
  return smallest;
}

#endif
