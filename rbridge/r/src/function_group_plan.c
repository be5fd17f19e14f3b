/* The plan of a recipe of the kind "stratified_group": bounds for the rows of each stratum in a batch of any epoch. */

#include "core/functions.h"
#include "core/groups_mixed.h"

/* The bounds that do not depend on the stratum. */
static bool give_bounds_of_all(
    const RowGroups *rows, const GroupSizes *sizes, int64_t batches, int64_t minimum, int64_t most, bool together,
    Host *host
) {
  int64_t n_strata = rows->codes.n_strata, largest = 0, bound = LARGEST_COUNT;
  for (int64_t group = 0; group < rows->n_groups; group++) {
    if (rows->sizes[group] > largest) largest = rows->sizes[group];
  }
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    bound = smaller(bound, rows->codes.counts[stratum] / minimum);
  }
  if (together) bound = bound_of_batches(sizes, n_strata, minimum);
  return host->number(host, "most_of_group", (double)(together ? largest : quotient_up(largest, batches))) &&
         host->number(host, "most_of_batch", (double)most) &&
         host->number(host, "most_batches", (double)(bound > batches ? bound : batches)) &&
         host->flag(host, "mixed", together && rows->crossing >= 0);
}

/* Make "rows", "groups", "largest", "fewest" and "most" the results, a number for each stratum; "most_of_group",
 * "most_of_batch", and "most_batches", which no batches with the minimum exceed; and "mixed", whether groups that are
 * together have rows of several strata.
 */
static bool call_group_plan(const Parts *request, Host *host) {
  static const char *const names[] = {"rows", "groups", "largest", "fewest", "most"};
  enum { ROWS, GROUPS, LARGEST, FEWEST, MOST, N_COLUMNS };
  Parts recipe = {.parts = request->parts, .n_parts = request->n_parts, .is_recipe = true};
  RowGroups rows;
  MixedBounds bounds = {.most = 0};
  bool together;
  int64_t batches, minimum, *columns[N_COLUMNS], most_of_batch = 0, n_taken = 0;
  bool is_read = read_row_groups(&recipe, FOR_THE_CALL, &rows, host) &&
                 read_count(&recipe, "n_batches", 1, (double)rows.codes.n_rows, &batches, host) &&
                 read_count(&recipe, "min_samples_per_stratum", 1, LARGEST_COUNT, &minimum, host) &&
                 read_flag(&recipe, "together", &together, host);
  const GroupSizes *sizes = is_read ? find_group_sizes(&rows, minimum, host) : NULL;
  if (sizes == NULL) return false;
  bool is_mixed = together && rows.crossing >= 0;
  if (is_mixed && !read_mixed_bounds(&recipe, &rows, batches, minimum, FOR_THE_CALL, &bounds, host)) return false;
  for (int column = 0; column < N_COLUMNS; column++) {
    columns[column] = host->vector(host, names[column], LONGS, rows.codes.n_strata);
    if (columns[column] == NULL) return false;
  }
  for (int64_t stratum = 0; stratum < rows.codes.n_strata; stratum++) {
    const GroupSizes *of = &sizes[stratum];
    int64_t count = rows.codes.counts[stratum];
    columns[ROWS][stratum] = count;
    columns[GROUPS][stratum] = of->n_groups;
    columns[LARGEST][stratum] = of->largest;
    if (is_mixed) {
      int64_t floor = bounds.floors[stratum], rest = count - (batches - 1) * bounds.most;
      columns[FEWEST][stratum] = rest > floor ? rest : floor;
      columns[MOST][stratum] = smaller(count - (batches - 1) * floor, bounds.most);
    } else {
      columns[FEWEST][stratum] = together ? fewest_grouped_rows(of, count, batches) : count / batches;
      columns[MOST][stratum] = together ? (count - of->largest) / batches + of->largest : quotient_up(count, batches);
    }
    most_of_batch += columns[MOST][stratum];
    n_taken += count;
  }
  if (is_mixed) most_of_batch = bounds.most;
  if (!together) most_of_batch = quotient_up(n_taken, batches);
  return give_bounds_of_all(&rows, sizes, batches, minimum, most_of_batch, together, host);
}

const Function group_plan_function = {"group_plan", call_group_plan};
