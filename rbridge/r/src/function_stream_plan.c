/* What a stream of sources asks before it reads them: its arguments, the plan of its lanes, and the order of sources
 * and rows in an epoch. Sources and lanes have numbers from the first row on.
 */

#include "core/epoch_order.h"
#include "core/functions.h"
#include "core/lane_taken.h"
#include "core/part_seeds.h"
#include "core/request.h"

typedef struct {
  double n_sources, num_replicas, n_lanes, together, most_held;
  LaneRequest batches;
} StreamRequest;

/* Read the size of the batches. */
static bool read_lane_size(const Parts *request, LaneRequest *wanted, Host *host) {
  static const char *const name = "min_samples_per_stratum";
  SizeRequest *size = &wanted->size;
  if (!check_one_size(request, name, host) || !read_mean(request, size, host)) return false;
  wanted->has_minimums = find_part(request, name).is_named;
  if (wanted->has_minimums && !is_given(request, "counts")) {
    return refuse(host, name, NULL, "be a positive integer without 'counts'");
  }
  bool has_minimum = !size->has_mean && !wanted->has_minimums;
  if (has_minimum && !read_one_minimum(request, LARGEST_COUNT, &size->minimum, host)) return false;
  if (wanted->has_minimums && !read_minimums(request, host)) return false;
  if (!read_whole(request, "min_batch_size", 1, LARGEST_COUNT, &wanted->least_rows, host)) return false;
  if (size->has_mean && wanted->least_rows > 1) {
    return refuse(host, "min_batch_size", NULL, "be left out if 'mean_batch_size' is given");
  }
  return read_rare_choice(request, RARE_ALLOW + 1, &wanted->rare, host);
}

static bool read_stream(const Parts *request, StreamRequest *wanted, Host *host) {
  bool is_shuffled = false;
  if (!read_whole(request, "n_sources", 1, LARGEST_COUNT, &wanted->n_sources, host)) return false;
  if (!read_lane_size(request, &wanted->batches, host)) return false;
  if (!read_lane_way(request, &wanted->batches, host)) return false;
  if (!read_sharing(request, &wanted->num_replicas, host)) return false;
  if (!read_whole(request, "lanes", 1, wanted->n_sources, &wanted->n_lanes, host)) return false;
  if (fmod(wanted->n_lanes, wanted->num_replicas) != 0) {
    return refuse(host, "lanes", NULL, "be a multiple of 'num_replicas'");
  }
  if (!read_flag(request, "shuffle", &is_shuffled, host)) return false;
  if (!read_whole(request, "shuffle_sources", 1, wanted->n_sources, &wanted->together, host)) return false;
  if (wanted->together > 1 && !is_shuffled) {
    return refuse(host, "shuffle_sources", NULL, "be 1 if 'shuffle' is false");
  }
  if (is_given(request, "counts") == is_given(request, "strata")) {
    const char *got = is_given(request, "counts") ? "both" : "neither";
    return refuse(host, "counts", got, "be given, or 'strata', but not both");
  }
  if (!is_given(request, "counts") && wanted->batches.size.has_mean) {
    return refuse(host, "mean_batch_size", NULL, "be given together with 'counts'");
  }
  if (!is_given(request, "counts") && wanted->batches.rare != RARE_ERROR) {
    return refuse(host, "rare", NULL, "be 'error' without 'counts'");
  }
  wanted->most_held = INFINITY;
  return !is_given(request, "buffer_size") ||
         read_whole(request, "buffer_size", 1, LARGEST_EXACT, &wanted->most_held, host);
}

/* Make the checked arguments the results; with the table of the sources, "n_batches" of each lane, the
 * "min_samples_per_stratum" that they have, "totals", the rows of each stratum in each lane, those that are "taken" if
 * not each row is taken once, and "rows_held", the most rows that a lane may have to hold.
 */
static bool call_stream_plan(const Parts *request, Host *host) {
  StreamRequest wanted = {0};
  LanePlan plan = {.n_lanes = 0};
  int64_t held;
  if (!read_stream(request, &wanted, host)) return false;
  if (!is_given(request, "table")) {
    return (wanted.batches.has_minimums || keep_size("min_samples_per_stratum", &wanted.batches.size, host)) &&
           host->number(host, "min_batch_size", wanted.batches.least_rows) && host->keep(host, "rare") &&
           host->number(host, "lanes", wanted.n_lanes) &&
           host->keep(host, "shuffle") && host->number(host, "shuffle_sources", wanted.together) &&
           keep_sharing(request, wanted.num_replicas, host) && host->keep(host, "rank") &&
           give_number("buffer_size", is_given(request, "buffer_size"), wanted.most_held, host);
  }
  plan.n_lanes = (int64_t)wanted.n_lanes;
  if (!read_counts_table(request, &plan.table, host)) return false;
  if (plan.table.n_parts != (int64_t)wanted.n_sources) {
    return refuse(host, "counts", "others", "be those of the sources");
  }
  bool takes_again = wanted.batches.has_shares || wanted.batches.balance != NO_BALANCE;
  bool is_planned = takes_again ? plan_taken_lanes(request, &wanted.batches, &plan, host)
                                : plan_lanes(request, &wanted.batches, &plan, host);
  if (!is_planned) return false;
  if (!find_rows_held(&plan, (int64_t)wanted.together, &held, host)) return false;
  if (wanted.most_held < (double)held) {
    return refuse(host, "buffer_size", NULL, "be at least %lld, which these sources need", (long long)held);
  }
  int64_t n_cells = plan.n_lanes * plan.table.n_strata;
  double *totals = host->vector(host, "totals", DOUBLES, n_cells);
  for (int64_t cell = 0; totals != NULL && cell < n_cells; cell++) totals[cell] = (double)plan.totals[cell];
  double *taken = totals != NULL && takes_again ? host->vector(host, "taken", DOUBLES, n_cells) : NULL;
  if (totals == NULL || (takes_again && taken == NULL)) return false;
  for (int64_t cell = 0; takes_again && cell < n_cells; cell++) taken[cell] = (double)plan.taken[cell];
  return host->number(host, "n_batches", (double)plan.n_batches) &&
         host->number(host, "min_samples_per_stratum", (double)plan.guaranteed) &&
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

/* Seed the generator of a part or, after the last one, of the order of the parts. */
static void seed_part(const PartOrder *order, int64_t part, Generator *generator) {
  int64_t n_parts = (int64_t)order->n_parts + 1;
  seed_generator(generator, part_seed((uint32_t)order->seed, (uint32_t)order->epoch, n_parts, part));
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
  Generator generator;
  seed_part(&order, (int64_t)source - first, &generator);
  const int32_t *drawn = rows == NULL ? NULL : draw_epoch_order(&generator, (int64_t)n_rows, host);
  for (int64_t i = 0; drawn != NULL && i < (int64_t)n_rows; i++) rows[i] = drawn[i] + first;
  return drawn != NULL;
}

/* Make "shifts" the result: those of the strata of a lane in an epoch that is shuffled, with the "totals" of the strata
 * in the lane, and its "n_batches". One number is drawn for each stratum of each lane up to this one.
 */
static bool give_shifts(const Parts *request, int64_t lane, Generator *generator, Host *host) {
  double n_batches;
  int64_t n_strata = find_part(request, "totals").length;
  if (!read_whole(request, "n_batches", 1, LARGEST_COUNT, &n_batches, host)) return false;
  double *shifts = host->vector(host, "shifts", DOUBLES, n_strata);
  int64_t *totals = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *totals);
  if (shifts == NULL || totals == NULL) return false;
  if (!read_wholes(request, "totals", n_strata, 0, LARGEST_EXACT, totals, host)) return false;
  uint32_t bits = bits_below((uint64_t)n_batches);
  bool any = false;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    shifts[stratum] = 0;
    any = any || totals[stratum] < (int64_t)n_batches;
  }
  for (int64_t place = 0, since = 0; any && generator != NULL && place < (lane + 1) * n_strata; place++) {
    double shift = (double)index_below(generator, (uint64_t)n_batches, bits);
    int64_t stratum = place - lane * n_strata;
    if (stratum >= 0 && totals[stratum] < (int64_t)n_batches) shifts[stratum] = shift;
    if (!may_go_on(&since, 1, host)) return false;
  }
  return true;
}

/* Make "sources" the result: those of a lane in the order of an epoch, or as they were "given"; with "totals", also the
 * "shifts" of its strata.
 */
static bool call_lane_sources(const Parts *request, Host *host) {
  double lane, n_lanes, n_sources;
  bool is_shuffled = false;
  int32_t first = host->first_row;
  Part given = find_part(request, "given");
  Generator generator;
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
    seed_part(&wanted, n, &generator);
    order = draw_epoch_order(&generator, n, host);
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
  return !is_given(request, "totals") || give_shifts(request, own, is_shuffled ? &generator : NULL, host);
}

const Function stream_plan_function = {"stream_plan", call_stream_plan};
const Function stream_epoch_function = {"stream_epoch", call_stream_epoch};
const Function source_order_function = {"source_order", call_source_order};
const Function lane_sources_function = {"lane_sources", call_lane_sources};
