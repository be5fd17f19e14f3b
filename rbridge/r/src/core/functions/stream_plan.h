/* What a stream of sources asks before it reads them: its arguments, the plan of its lanes, and the order of sources
 * and rows in an epoch. Sources and lanes have numbers from the first row on.
 */

#include "../epoch_order.h"
#include "../lanes.h"
#include "../part_seeds.h"
#include "../request.h"
#include "functions.h"

typedef struct {
  double n_sources, least, least_rows, num_replicas, n_lanes, most_held;
} StreamRequest;

static bool read_stream(const Parts *request, StreamRequest *wanted, Host *host) {
  bool any;
  if (!read_whole(request, "n_sources", 1, LARGEST_COUNT, &wanted->n_sources, host)) return false;
  if (!read_one_minimum(request, LARGEST_COUNT, &wanted->least, host)) return false;
  if (!read_whole(request, "min_batch_size", 1, LARGEST_COUNT, &wanted->least_rows, host)) return false;
  if (!read_sharing(request, &wanted->num_replicas, host)) return false;
  if (!read_whole(request, "lanes", 1, wanted->n_sources, &wanted->n_lanes, host)) return false;
  if (fmod(wanted->n_lanes, wanted->num_replicas) != 0) {
    return refuse(host, "lanes", NULL, "be a multiple of 'num_replicas'");
  }
  if (!read_flag(request, "shuffle", &any, host)) return false;
  if (is_given(request, "counts") == is_given(request, "strata")) {
    const char *got = is_given(request, "counts") ? "both" : "neither";
    return refuse(host, "counts", got, "be given, or 'strata', but not both");
  }
  wanted->most_held = INFINITY;
  return !is_given(request, "buffer_size") ||
         read_whole(request, "buffer_size", 1, LARGEST_EXACT, &wanted->most_held, host);
}

/* Make the checked arguments the results; with the table of the sources, "n_batches" of each lane, "totals", the rows
 * of each stratum in each lane, and "rows_held", the most rows that a lane may have to hold.
 */
static bool call_stream_plan(const Parts *request, Host *host) {
  StreamRequest wanted = {0};
  LanePlan plan = {.n_lanes = 0};
  int64_t held;
  if (!read_stream(request, &wanted, host)) return false;
  if (!is_given(request, "table")) {
    bool has_limit = is_given(request, "buffer_size");
    return host->number(host, "min_samples_per_stratum", wanted.least) &&
           host->number(host, "min_batch_size", wanted.least_rows) && host->number(host, "lanes", wanted.n_lanes) &&
           host->keep(host, "shuffle") && keep_sharing(request, wanted.num_replicas, host) &&
           host->keep(host, "rank") &&
           (has_limit ? host->number(host, "buffer_size", wanted.most_held) : host->keep(host, "buffer_size"));
  }
  plan.n_lanes = (int64_t)wanted.n_lanes;
  if (!read_counts_table(request, &plan.table, host)) return false;
  if (plan.table.n_parts != (int64_t)wanted.n_sources) {
    return refuse(host, "counts", "others", "be those of the sources");
  }
  if (!plan_lanes(wanted.least, wanted.least_rows, &plan, host) || !find_rows_held(&plan, &held, host)) {
    return false;
  }
  if (wanted.most_held < (double)held) {
    return refuse(host, "buffer_size", NULL, "be at least %lld, which these sources need", (long long)held);
  }
  int64_t n_cells = plan.n_lanes * plan.table.n_strata;
  double *totals = host->vector(host, "totals", DOUBLES, n_cells);
  for (int64_t cell = 0; totals != NULL && cell < n_cells; cell++) totals[cell] = (double)plan.totals[cell];
  return totals != NULL && host->number(host, "n_batches", (double)plan.n_batches) &&
         host->number(host, "rows_held", (double)held);
}

/* Make the checked "epoch" of so many sources the result. */
static bool call_stream_epoch(const Parts *request, Host *host) {
  double epoch, n_sources;
  bool is_shuffled = false;
  if (!read_whole(request, "epoch", 0, LARGEST_EPOCH, &epoch, host)) return false;
  if (!read_whole(request, "n_sources", 1, LARGEST_COUNT, &n_sources, host)) return false;
  if (!read_flag(request, "shuffle", &is_shuffled, host)) return false;
  int64_t last = is_shuffled ? last_part_epoch((int64_t)n_sources + 1) : LARGEST_EPOCH;
  if (epoch <= (double)last) return host->number(host, "epoch", epoch);
  return refuse(host, "epoch", NULL, "be at most %lld with %.0f sources", (long long)last, n_sources);
}

/* The permutation of a part, or of the parts, in an epoch. */
typedef struct {
  double seed, epoch, n_parts;
} PartOrder;

static bool read_part_order(const Parts *request, PartOrder *order, Host *host) {
  return read_whole(request, "seed", 0, LARGEST_SEED, &order->seed, host) &&
         read_whole(request, "n_sources", 1, LARGEST_COUNT - 1, &order->n_parts, host) &&
         read_whole(request, "epoch", 0, (double)last_part_epoch((int64_t)order->n_parts + 1), &order->epoch, host);
}

/* Return the order of n rows, for a part or, after the last one, for the parts; NULL if it failed. */
static int32_t *draw_part_order(const PartOrder *order, int64_t part, int64_t n, Host *host) {
  Generator generator;
  seed_generator(
      &generator, part_seed((uint32_t)order->seed, (uint32_t)order->epoch, (int64_t)order->n_parts + 1, part)
  );
  return draw_epoch_order(&generator, n, host);
}

/* Make "order" the result: the "n_rows" rows of a "source" in an epoch. */
static bool call_source_order(const Parts *request, Host *host) {
  PartOrder order;
  double source, n_rows;
  int32_t first = host->first_row;
  if (!read_part_order(request, &order, host)) return false;
  if (!read_whole(request, "source", first, order.n_parts - 1 + first, &source, host)) return false;
  if (!read_whole(request, "n_rows", 0, LARGEST_COUNT, &n_rows, host)) return false;
  int32_t *rows = host->vector(host, "order", INTEGERS, (int64_t)n_rows);
  const int32_t *drawn = rows == NULL ? NULL : draw_part_order(&order, (int64_t)source - first, (int64_t)n_rows, host);
  for (int64_t i = 0; drawn != NULL && i < (int64_t)n_rows; i++) rows[i] = drawn[i] + first;
  return drawn != NULL;
}

/* Make "sources" the result: those of a lane in the order of an epoch, or as they were "given". */
static bool call_lane_sources(const Parts *request, Host *host) {
  double lane, n_lanes, n_sources;
  bool is_shuffled = false;
  int32_t first = host->first_row;
  Part given = find_part(request, "given");
  if (!read_flag(request, "shuffle", &is_shuffled, host)) return false;
  if (given.type != INTEGERS || given.length < 1) return refuse(host, "given", "others", "be numbers of sources");
  n_sources = (double)given.length;
  if (!read_whole(request, "lanes", 1, n_sources, &n_lanes, host)) return false;
  if (!read_whole(request, "lane", first, n_lanes - 1 + first, &lane, host)) return false;
  const int32_t *order = given.values;
  int64_t n_found = 0, n = given.length, own = (int64_t)lane - first;
  if (is_shuffled) {
    PartOrder wanted;
    if (!read_part_order(request, &wanted, host)) return false;
    if (wanted.n_parts != n_sources) return refuse(host, "given", "others", "be all sources");
    order = draw_part_order(&wanted, n, n, host);
    if (order == NULL) return false;
  }
  int64_t shift = is_shuffled ? 0 : first;
  for (int64_t i = 0; i < n; i++) n_found += (order[i] - shift) % (int64_t)n_lanes == own;
  int32_t *sources = host->vector(host, "sources", INTEGERS, n_found);
  if (sources == NULL) return false;
  for (int64_t i = 0; i < n; i++) {
    int64_t source = order[i] - shift;
    if (source % (int64_t)n_lanes == own) *sources++ = (int32_t)(source + first);
  }
  return true;
}

const Function stream_plan_function = {"stream_plan", call_stream_plan};
const Function stream_epoch_function = {"stream_epoch", call_stream_epoch};
const Function source_order_function = {"source_order", call_source_order};
const Function lane_sources_function = {"lane_sources", call_lane_sources};
