/* What follows from a plan: "counts", the rows of each stratum in an epoch, "n_batches", and "even", whether the rows
 * are dealt in turn.
 */

#include "core/batch_numbers.h"
#include "core/functions.h"
#include "core/plan.h"

typedef struct {
  int64_t n_strata, n_batches, n_rows;
  int64_t *counts;
  bool even;
} Plan;

static bool read_plan(const Parts *request, Plan *plan, Host *host) {
  return read_counts(request, "counts", &plan->n_strata, &plan->counts, &plan->n_rows, host) &&
         read_count(request, "n_batches", 1, (double)plan->n_rows, &plan->n_batches, host) &&
         read_flag(request, "even", &plan->even, host);
}

/* Make "offsets" the result: where in the epoch each batch begins, and where the last one ends. */
static bool call_batch_offsets(const Parts *request, Host *host) {
  Plan plan = {.n_batches = 0};
  if (!read_plan(request, &plan, host)) return false;
  int64_t *offsets = host->vector(host, "offsets", LONGS, plan.n_batches + 1);
  return offsets != NULL && fill_offsets(plan.counts, plan.n_strata, plan.n_batches, plan.even, offsets, host);
}

/* Return the number of the first `place` rows that are dealt to a batch, from 0, if rows are dealt in turn. */
static int64_t dealt_to(int64_t batch, int64_t place, int64_t n_batches) {
  return (place - batch + n_batches - 1) / n_batches;
}

/* Make "rows" the result: those of each stratum in each batch, stratum by stratum. */
static bool call_batch_composition(const Parts *request, Host *host) {
  Plan plan = {.n_batches = 0};
  if (!read_plan(request, &plan, host)) return false;
  int64_t n_batches = plan.n_batches, before = 0;
  int32_t *rows = host->vector(host, "rows", INTEGERS, plan.n_strata * n_batches);
  int64_t *offsets = host->memory(host, FOR_THE_CALL, (n_batches + 1) * (int64_t)sizeof *offsets);
  if (rows == NULL || offsets == NULL) return false;
  for (int64_t stratum = 0; stratum < plan.n_strata; stratum++, rows += n_batches) {
    int64_t count = plan.counts[stratum];
    for (int64_t batch = 0; plan.even && batch < n_batches; batch++) {
      rows[batch] = (int32_t)(dealt_to(batch, before + count, n_batches) - dealt_to(batch, before, n_batches));
    }
    if (!plan.even && !fill_offsets(&count, 1, n_batches, false, offsets, host)) return false;
    for (int64_t batch = 0; !plan.even && batch < n_batches; batch++) {
      rows[batch] = (int32_t)(offsets[batch + 1] - offsets[batch]);
    }
    before += count;
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Make "layout" the result: the place in the epoch of every stratum and rank, in that order, of "n_rows" rows.
 *
 * Of the "available" rows of each stratum, those of the last ranks, which the plan leaves out, go behind the epoch.
 */
static bool call_batch_layout(const Parts *request, Host *host) {
  Plan plan = {.n_batches = 0};
  int64_t *available = NULL, n_strata = 0, n_available = 0, n_rows;
  if (!read_plan(request, &plan, host)) return false;
  if (!read_counts(request, "available", &n_strata, &available, &n_available, host)) return false;
  if (n_strata != plan.n_strata) return refuse(host, "available", "others", "be numbers of rows of each stratum");
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    if (available[stratum] < plan.counts[stratum]) {
      return refuse(host, "available", "fewer", "be at least the rows of each stratum that the plan takes");
    }
  }
  if (!read_count(request, "n_rows", (double)n_available, LARGEST_COUNT, &n_rows, host)) return false;
  int32_t *layout = host->vector(host, "layout", INTEGERS, n_rows);
  int64_t *next_places = host->memory(host, FOR_THE_CALL, (plan.n_batches + 1) * (int64_t)sizeof *next_places);
  return layout != NULL && next_places != NULL &&
         fill_offsets(plan.counts, n_strata, plan.n_batches, plan.even, next_places, host) &&
         fill_layout(plan.counts, n_strata, plan.n_batches, plan.even, n_rows, next_places, layout, host) &&
         (plan.n_rows == n_available || spread_layout(plan.counts, available, n_strata, layout, host));
}

/* Make the largest "minimum" the result for which batches have at most "mean_batch_size" rows on average; without
 * "counts", only check the arguments.
 */
static bool call_min_samples(const Parts *request, Host *host) {
  static const char *const name = "mean_batch_size";
  double mean, num_replicas;
  bool is_read = read_whole(request, name, 1, INFINITY, &mean, host) && read_missing(request, host) &&
                 read_sharing(request, &num_replicas, host);
  if (!is_read || !is_given(request, "counts")) return is_read;
  int64_t *counts = NULL, n_strata = 0, n_rows = 0, n_batches;
  if (!read_counts(request, "counts", &n_strata, &counts, &n_rows, host)) return false;
  Counts rows = new_counts(counts, counts, n_strata);
  return batches_by_size(request, name, &rows, mean, num_replicas, &n_batches, host) &&
         host->number(host, "minimum", (double)(fewest_rows(&rows) / n_batches));
}

const Function batch_offsets_function = {"batch_offsets", call_batch_offsets};
const Function batch_composition_function = {"batch_composition", call_batch_composition};
const Function batch_layout_function = {"batch_layout", call_batch_layout};
const Function min_samples_for_batch_size_function = {"min_samples_for_batch_size", call_min_samples};
