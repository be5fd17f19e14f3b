/* The plan of a recipe of the kind "stratified_group": bounds for the rows of each stratum in a batch of any epoch. */

#include "../grouped_rows.h"
#include "functions.h"

/* Make "rows", "groups", "largest", "fewest" and "most" the results, a number for each stratum, and "most_of_group". */
static bool call_group_plan(const Parts *request, Host *host) {
  static const char *const names[] = {"rows", "groups", "largest", "fewest", "most"};
  enum { ROWS, GROUPS, LARGEST, FEWEST, MOST, N_COLUMNS };
  Parts recipe = {.parts = request->parts, .n_parts = request->n_parts, .is_recipe = true};
  RowGroups rows;
  double n_batches, minimum;
  bool together;
  int64_t *columns[N_COLUMNS], largest = 0;
  bool is_read = read_row_groups(&recipe, FOR_THE_CALL, &rows, host) &&
                 read_whole(&recipe, "n_batches", 1, (double)rows.codes.n_rows, &n_batches, host) &&
                 read_whole(&recipe, "min_samples_per_stratum", 1, LARGEST_COUNT, &minimum, host) &&
                 read_flag(&recipe, "together", &together, host);
  const GroupSizes *sizes = is_read ? find_group_sizes(&rows, (int64_t)minimum, host) : NULL;
  if (sizes == NULL) return false;
  for (int column = 0; column < N_COLUMNS; column++) {
    columns[column] = host->vector(host, names[column], LONGS, rows.codes.n_strata);
    if (columns[column] == NULL) return false;
  }
  int64_t batches = (int64_t)n_batches;
  for (int64_t stratum = 0; stratum < rows.codes.n_strata; stratum++) {
    const GroupSizes *of = &sizes[stratum];
    int64_t count = rows.codes.counts[stratum];
    columns[ROWS][stratum] = count;
    columns[GROUPS][stratum] = of->n_groups;
    columns[LARGEST][stratum] = of->largest;
    columns[FEWEST][stratum] = together ? fewest_grouped_rows(of, count, batches) : count / batches;
    columns[MOST][stratum] = together ? (count - of->largest) / batches + of->largest : quotient_up(count, batches);
  }
  for (int64_t group = 0; group < rows.n_groups; group++) {
    if (rows.sizes[group] > largest) largest = rows.sizes[group];
  }
  return host->number(host, "most_of_group", (double)(together ? largest : quotient_up(largest, batches)));
}

const Function group_plan_function = {"group_plan", call_group_plan};
