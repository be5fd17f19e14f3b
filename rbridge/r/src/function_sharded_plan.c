/* What follows from the rows of each stratum in each shard: the plan of sharded batches, and what it shows. */

#include "core/functions.h"
#include "core/shards.h"

/* Make "n_batches" the result, and "min_samples_per_stratum", which they are guaranteed to have; without the
 * table, only check the arguments.
 */
static bool call_sharded_plan(const Parts *request, Host *host) {
  ShardsPlan plan = {.n_batches = 0};
  int64_t guaranteed;
  if (!is_given(request, "table")) return read_shards_plan(request, &plan, host);
  return plan_shards(request, &plan, &guaranteed, host) && host->number(host, "n_batches", (double)plan.n_batches) &&
         host->number(host, "min_samples_per_stratum", (double)guaranteed);
}

/* Make "sizes" the result: the rows of each batch in all shards. */
static bool call_sharded_sizes(const Parts *request, Host *host) {
  ShardsPlan plan = {.n_batches = 0};
  int64_t guaranteed, n_rows = 0;
  if (!plan_shards(request, &plan, &guaranteed, host) || !check_shard_batches(&plan, guaranteed, host)) return false;
  int64_t *sizes = host->vector(host, "sizes", LARGE, plan.n_batches);
  if (sizes == NULL) return false;
  for (int64_t cell = 0; cell < plan.table.n_parts * plan.table.n_strata; cell++) n_rows += plan.table.counts[cell];
  for (int64_t batch = 0; batch < plan.n_batches; batch++) {
    sizes[batch] = n_rows / plan.n_batches + (batch < n_rows % plan.n_batches);
    if (!go_on_after(batch, host)) return false;
  }
  return true;
}

/* Make "fewest" the result: the fewest rows in a batch of the "shards". */
static bool call_sharded_fewest(const Parts *request, Host *host) {
  ShardsPlan plan = {.n_batches = 0};
  ShardCells cells = {.n_cells = 0};
  int64_t guaranteed, fewest;
  return plan_shards(request, &plan, &guaranteed, host) && find_own_cells(request, &plan, &cells, host) &&
         find_fewest(&cells, &fewest, host) && host->number(host, "fewest", (double)fewest);
}

/* Make "rows", "fewest" and "most" the results: of each stratum, and its fewest and most rows in a batch. */
static bool call_sharded_strata(const Parts *request, Host *host) {
  ShardsPlan plan = {.n_batches = 0};
  int64_t guaranteed;
  if (!plan_shards(request, &plan, &guaranteed, host)) return false;
  int64_t n_strata = plan.table.n_strata, n_shards = plan.table.n_parts, n_batches = plan.n_batches;
  const int64_t *totals = count_strata(&plan.table, host);
  int64_t *rows = host->vector(host, "rows", LARGE, n_strata);
  int64_t *fewest = rows == NULL ? NULL : host->vector(host, "fewest", LARGE, n_strata);
  int64_t *most = fewest == NULL ? NULL : host->vector(host, "most", LARGE, n_strata);
  if (totals == NULL || most == NULL) return false;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    rows[stratum] = totals[stratum];
    fewest[stratum] = totals[stratum] / n_batches;
    most[stratum] = quotient_up(totals[stratum], n_batches);
    if (!plan.is_local) continue;
    fewest[stratum] = most[stratum] = 0;
    for (int64_t shard = 0; shard < n_shards; shard++) {
      int64_t count = plan.table.counts[shard * n_strata + stratum];
      fewest[stratum] += count / n_batches;
      most[stratum] += quotient_up(count, n_batches);
    }
  }
  return true;
}

/* Make "rows", "fewest" and "most" the results for each cell of the "codes" of shards of "sizes". */
static bool call_sharded_cells(const Parts *request, Host *host) {
  Codes codes = {.n_rows = 0};
  Parts recipe = *request;
  int64_t n_batches;
  recipe.is_recipe = true;
  if (!find_codes(&recipe, &codes, host)) return false;
  if (!read_count(&recipe, "n_strata", 1, LARGEST_COUNT - 1, &codes.n_strata, host)) return false;
  if (!read_count(&recipe, "n_batches", 1, LARGEST_COUNT, &n_batches, host)) return false;
  int64_t n_own = find_part(request, "sizes").length, n_rows = 0;
  int64_t *sizes = host->memory(host, FOR_THE_CALL, n_own * (int64_t)sizeof *sizes);
  if (sizes == NULL || !read_wholes(&recipe, "sizes", n_own, 0, LARGEST_COUNT, sizes, host)) return false;
  for (int64_t shard = 0; shard < n_own; shard++) n_rows += sizes[shard];
  if (n_rows != codes.n_rows) return refuse(host, "recipe", "others", "have 'sizes' that add up to the rows");
  const int64_t *counts = count_cells(&codes, sizes, n_own, FOR_THE_CALL, host);
  if (counts == NULL) return false;
  int64_t n_cells = n_own * codes.n_strata;
  int32_t *rows = host->vector(host, "rows", INTEGERS, n_cells);
  int32_t *fewest = rows == NULL ? NULL : host->vector(host, "fewest", INTEGERS, n_cells);
  int32_t *most = fewest == NULL ? NULL : host->vector(host, "most", INTEGERS, n_cells);
  for (int64_t cell = 0; most != NULL && cell < n_cells; cell++) {
    rows[cell] = (int32_t)counts[cell];
    fewest[cell] = (int32_t)(counts[cell] / n_batches);
    most[cell] = (int32_t)quotient_up(counts[cell], n_batches);
  }
  return most != NULL;
}

const Function sharded_plan_function = {"sharded_plan", call_sharded_plan};
const Function sharded_sizes_function = {"sharded_sizes", call_sharded_sizes};
const Function sharded_fewest_function = {"sharded_fewest", call_sharded_fewest};
const Function sharded_strata_function = {"sharded_strata", call_sharded_strata};
const Function sharded_cells_function = {"sharded_cells", call_sharded_cells};
