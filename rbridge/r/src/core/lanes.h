/* The lanes of a stream of sources: source k belongs to lane k modulo the number of lanes, and all lanes have the same
 * number of batches.
 *
 * In a lane, the row of rank i, from 1, of a stratum of n rows belongs to batch ceil((i * B - h) / n), from 1. The
 * shift h is 0, except for a stratum of fewer rows than batches in a stream that shuffles: then it is drawn below B in
 * each epoch, so that the rows are not in the same batches in all epochs.
 */

#ifndef PYSTRAT_LANES_H
#define PYSTRAT_LANES_H

#include "counts_table.h"
#include "random.h"
#include "sorting.h"
#include "taken_rows.h"

typedef struct {
  CountsTable table; /* its parts are the sources */
  int64_t n_lanes, n_batches;
  int64_t guaranteed; /* rows of each stratum in each batch */
  int64_t *totals; /* n_lanes * n_strata: the rows of each stratum in each lane */
  int64_t *taken;  /* those that an epoch takes; NULL if it takes each once */
} LanePlan;

/* What a user asks of the batches. */
typedef struct {
  SizeRequest size;
  double least_rows;
  int rare, balance;
  bool has_minimums, has_shares;
  double each; /* the number of rows that balances */
} LaneRequest;

/* Return the batch, from 0, of the row of a rank, from 1; rank * n_batches is below 2^53. */
static inline int64_t batch_of_rank(int64_t rank, int64_t total, int64_t n_batches, int64_t shift) {
  return (rank * n_batches - shift - 1) / total;
}

/* Return the most rows of a stratum in a lane of so many batches: one more, times the batches, is below 2^53. */
static inline int64_t most_rows_of_lane(int64_t n_batches) { return ((int64_t)LARGEST_EXACT - 1) / n_batches - 1; }

/* Return floor(number * count / total) of numbers below 2^53, of which the second is not above the third. */
static inline int64_t whole_share(int64_t number, int64_t count, int64_t total) {
  enum { DIGIT_BITS = 10, FIRST_SHIFT = 50 };
  if (count == 0 || number <= INT64_MAX / count) return number * count / total;
  /* The product has more than 64 bits. So the number is read digit by digit: those read so far, times the count, are
   * share * total + left.
   */
  uint64_t share = 0, left = 0;
  for (int shift = FIRST_SHIFT; shift >= 0; shift -= DIGIT_BITS) {
    uint64_t digit = (uint64_t)number >> shift & ((1 << DIGIT_BITS) - 1);
    left = (left << DIGIT_BITS) + digit * (uint64_t)count;
    share = (share << DIGIT_BITS) + left / (uint64_t)total;
    left %= (uint64_t)total;
  }
  return (int64_t)share;
}

/* Add up the rows of the strata in the lanes. */
static inline bool add_up_lanes(LanePlan *plan, Host *host) {
  int64_t n_strata = plan->table.n_strata, n_cells = plan->n_lanes * n_strata;
  plan->totals = host->memory(host, FOR_THE_CALL, n_cells * (int64_t)sizeof *plan->totals);
  if (plan->totals == NULL) return false;
  memset(plan->totals, 0, (size_t)n_cells * sizeof *plan->totals);
  const int64_t *count = plan->table.counts;
  for (int64_t source = 0; source < plan->table.n_parts; source++) {
    int64_t *totals = plan->totals + source % plan->n_lanes * n_strata;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) totals[stratum] += *count++;
  }
  return true;
}

/* Return the fewest rows of the first batch of a lane, if there are so many batches. No batch of a lane has fewer rows
 * than its first one.
 */
static inline int64_t fewest_in_batch(const LanePlan *plan, int64_t n_batches) {
  int64_t fewest = INT64_MAX;
  for (int64_t lane = 0; lane < plan->n_lanes; lane++) {
    int64_t rows = 0;
    const int64_t *totals = plan->totals + lane * plan->table.n_strata;
    for (int64_t stratum = 0; stratum < plan->table.n_strata; stratum++) rows += totals[stratum] / n_batches;
    fewest = smaller(fewest, rows);
  }
  return fewest;
}

/* Return the largest number of batches, up to `most`, of at least so many rows; one batch is possible. */
static inline int64_t most_lane_batches(const LanePlan *plan, int64_t most, int64_t least_rows) {
  int64_t possible = 1;
  while (possible < most) {
    int64_t tried = most - (most - possible) / 2;
    if (fewest_in_batch(plan, tried) >= least_rows) {
      possible = tried;
    } else {
      most = tried - 1;
    }
  }
  return possible;
}

/* Advise to lower or raise a size; return false. */
static inline bool advise_of_lanes(const LanePlan *plan, const char *change, Host *host) {
  const char *fewer = plan->n_lanes > 1 ? "use fewer lanes, " : "";
  return advise(host, "%s it, %sor set 'rare' to 'warn' or 'allow'.", change, fewer);
}

/* The fewest rows of a stratum in a lane. */
typedef struct {
  int64_t count;
  long long lane, stratum;
  char where[SENTENCE]; /* "the rows of 'a' in lane 1 of 2" */
} FewestRows;

static inline void name_rows_of_cell(const LanePlan *plan, int64_t cell, FewestRows *fewest, Host *host) {
  int64_t n_strata = plan->table.n_strata;
  char of[NUMBER] = "";
  if (plan->n_lanes > 1) snprintf(of, NUMBER, " of %lld", (long long)plan->n_lanes);
  fewest->count = plan->totals[cell];
  fewest->lane = (long long)(cell / n_strata + host->first_row);
  fewest->stratum = (long long)(cell % n_strata);
  snprintf(
      fewest->where, SENTENCE, "the rows of {stratum %lld} in lane %lld%s", fewest->stratum, fewest->lane, of
  );
}

static inline void find_fewest_rows(const LanePlan *plan, FewestRows *fewest, Host *host) {
  name_rows_of_cell(plan, smallest_of(plan->totals, plan->n_lanes * plan->table.n_strata), fewest, host);
}

/* Warn of the lane with the fewest rows of a stratum. */
static inline void warn_of_lane(const FewestRows *fewest, const char *consequence, Host *host) {
  char rows[NUMBER];
  snprintf(
      host->warning, SENTENCE, "Lane %lld has %s of {stratum %lld}, %.300s.", fewest->lane,
      show_count(fewest->count, "row", rows), fewest->stratum, consequence
  );
}

/* Choose the most batches of a lane with the minimum of each stratum. */
static inline bool lane_batches_by_minimum(
    const LaneRequest *wanted, const LanePlan *plan, const FewestRows *fewest, int64_t *most, Host *host
) {
  char shown[NUMBER], consequence[SENTENCE];
  double least = wanted->size.minimum;
  *most = (int64_t)((double)fewest->count / least);
  if (*most > 0) return true;
  *most = 1;
  show_number(least, shown);
  if (wanted->rare == RARE_ERROR) {
    refuse(
        host, "min_samples_per_stratum", shown, "be at most %lld, %.400s", (long long)fewest->count, fewest->where
    );
    return advise_of_lanes(plan, "Lower", host);
  }
  snprintf(
      consequence, SENTENCE, "and the 'min_samples_per_stratum' parameter is %s: all rows of a lane are in one batch",
      shown
  );
  if (wanted->rare == RARE_WARN) warn_of_lane(fewest, consequence, host);
  return true;
}

/* Return the batches of a lane by their mean size in all lanes: n rows give n / (mean * lanes), rounded half up. */
static inline int64_t lane_batches_of(int64_t n_rows, double mean, int64_t n_lanes) {
  double size = mean * (double)n_lanes; /* of a batch of each lane */
  return size > (double)n_rows ? 1 : (2 * n_rows + (int64_t)size) / (2 * (int64_t)size);
}

/* Choose the most batches of a lane with the minimums of the strata that are named. */
static inline bool lane_batches_by_minimums(
    const Parts *request, const LaneRequest *wanted, const LanePlan *plan, int64_t *most, Host *host
) {
  int64_t n_strata = plan->table.n_strata, tightest = -1;
  double *minimums = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *minimums);
  if (minimums == NULL) return false;
  if (spread_items(request, "min_samples_per_stratum", n_strata, minimums, host) < 0) return false;
  for (int64_t cell = 0; cell < plan->n_lanes * n_strata; cell++) {
    double minimum = minimums[cell % n_strata];
    if (minimum <= 0) continue;
    int64_t batches = (int64_t)((double)plan->totals[cell] / minimum);
    if (tightest < 0 || batches < *most) {
      tightest = cell;
      *most = batches;
    }
  }
  if (*most > 0) return true;
  *most = 1;
  FewestRows fewest;
  char got[SENTENCE], consequence[SENTENCE], rows[NUMBER];
  name_rows_of_cell(plan, tightest, &fewest, host);
  show_count((int64_t)fmin(minimums[tightest % n_strata], LARGEST_EXACT), "row", rows);
  if (wanted->rare == RARE_ERROR) {
    snprintf(got, SENTENCE, "%s of {stratum %lld}", rows, fewest.stratum);
    const char *required = "ask for at most %lld, %.400s";
    refuse(host, "min_samples_per_stratum", got, required, (long long)fewest.count, fewest.where);
    return advise_of_lanes(plan, "Lower", host);
  }
  snprintf(
      consequence, SENTENCE,
      "and the 'min_samples_per_stratum' parameter asks for %s: all rows of a lane are in one batch", rows
  );
  if (wanted->rare == RARE_WARN) warn_of_lane(&fewest, consequence, host);
  return true;
}

/* Choose the batches of a lane by their mean size. */
static inline bool lane_batches_by_mean(
    const LaneRequest *wanted, const LanePlan *plan, const FewestRows *fewest, int64_t *n_batches, Host *host
) {
  char shown[NUMBER], consequence[SENTENCE];
  int64_t n_rows = 0, n_lanes = plan->n_lanes;
  for (int64_t cell = 0; cell < n_lanes * plan->table.n_strata; cell++) n_rows += plan->totals[cell];
  *n_batches = lane_batches_of(n_rows, wanted->size.mean, n_lanes);
  if (*n_batches <= fewest->count || wanted->rare == RARE_ALLOW) return true;
  char batches[NUMBER], got[SENTENCE];
  show_batches(*n_batches, batches);
  if (wanted->rare == RARE_WARN) {
    snprintf(
        consequence, SENTENCE, "and the 'mean_batch_size' parameter makes %s a lane: some batches hold no row of it",
        batches
    );
    warn_of_lane(fewest, consequence, host);
    return true;
  }
  int64_t least = 2 * n_rows / (n_lanes * (2 * fewest->count + 1)) + 1;
  snprintf(got, SENTENCE, "%s, for %s a lane,", show_number(wanted->size.mean, shown), batches);
  refuse(
      host, "mean_batch_size", got, "be at least %lld, for at most %lld, %.300s", (long long)least,
      (long long)fewest->count, fewest->where
  );
  return advise_of_lanes(plan, "Raise", host);
}

static inline bool refuse_empty_lanes(const FewestRows *fewest, const char *required, Host *host) {
  char got[SENTENCE];
  snprintf(got, SENTENCE, "0 as %.400s", fewest->where);
  refuse(host, "lanes", got, required);
  return advise(host, "Use fewer lanes.");
}

/* Refuse more batches than there may be in all lanes. */
static inline bool check_number_of_lane_batches(const LaneRequest *wanted, const LanePlan *plan, Host *host) {
  if (plan->n_batches <= LARGEST_COUNT / plan->n_lanes) return true;
  char got[SENTENCE], shown[NUMBER];
  const char *name = wanted->size.has_mean ? "mean_batch_size" : "min_samples_per_stratum";
  show_number(wanted->size.has_mean ? wanted->size.mean : wanted->size.minimum, shown);
  snprintf(got, SENTENCE, "%s, for %.0f batches,", shown, (double)plan->n_batches * (double)plan->n_lanes);
  refuse(host, name, got, "make at most %d batches", LARGEST_COUNT);
  return advise(host, "Raise it.");
}

/* Choose the number of batches of each lane, if an epoch takes each row once. */
static inline bool plan_lanes(const Parts *request, const LaneRequest *wanted, LanePlan *plan, Host *host) {
  char shown[NUMBER];
  FewestRows fewest;
  if (!add_up_lanes(plan, host)) return false;
  int64_t rows = fewest_in_batch(plan, 1), most = 0, largest = 0;
  find_fewest_rows(plan, &fewest, host);
  if (rows == 0) return refuse_empty_lanes(&fewest, "leave each lane rows", host);
  if (fewest.count == 0 && wanted->rare == RARE_ERROR) {
    refuse_empty_lanes(&fewest, "leave each lane rows of each stratum", host);
    return advise(host, "Use fewer lanes, or set 'rare' to 'warn' or 'allow'.");
  }
  bool is_chosen = wanted->size.has_mean   ? lane_batches_by_mean(wanted, plan, &fewest, &most, host)
                   : wanted->has_minimums ? lane_batches_by_minimums(request, wanted, plan, &most, host)
                                          : lane_batches_by_minimum(wanted, plan, &fewest, &most, host);
  if (!is_chosen) return false;
  if ((double)rows < wanted->least_rows) {
    const char *required = "be at most %lld, the rows of the smallest lane";
    refuse(host, "min_batch_size", show_number(wanted->least_rows, shown), required, (long long)rows);
    return plan->n_lanes > 1 && advise(host, "Use fewer lanes.");
  }
  plan->n_batches = most_lane_batches(plan, most, (int64_t)wanted->least_rows);
  plan->guaranteed = fewest.count / plan->n_batches;
  if (!check_number_of_lane_batches(wanted, plan, host)) return false;
  for (int64_t i = 0; i < plan->n_lanes * plan->table.n_strata; i++) {
    largest = plan->totals[i] > largest ? plan->totals[i] : largest;
  }
  if (largest <= most_rows_of_lane(plan->n_batches)) return true;
  return refuse(host, "lanes", show_number((double)plan->n_lanes, shown), "be more for so many rows and batches");
}

/* Find the most rows of so many sources of a lane, which are read `together`. */
static inline bool find_largest_group(const LanePlan *plan, int64_t lane, int64_t together, int64_t *rows, Host *host) {
  int64_t n_strata = plan->table.n_strata, n_parts = plan->table.n_parts, n_lanes = plan->n_lanes, n_own = 0;
  int64_t *sizes = host->memory(host, FOR_THE_CALL, 2 * quotient_up(n_parts, n_lanes) * (int64_t)sizeof *sizes);
  if (sizes == NULL) return false;
  for (int64_t source = lane; source < n_parts; source += n_lanes, n_own++) {
    sizes[n_own] = 0;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      sizes[n_own] += plan->table.counts[source * n_strata + stratum];
    }
  }
  enum { BITS = 53 };
  const int64_t *sorted = sort_naturals(sizes, sizes + n_own, n_own, BITS, host);
  if (sorted == NULL) return false;
  *rows = 0;
  for (int64_t place = n_own - smaller(together, n_own); place < n_own; place++) *rows += sorted[place];
  return true;
}

#endif
