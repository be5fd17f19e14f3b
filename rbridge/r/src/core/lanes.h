/* The lanes of a stream of sources: source k belongs to lane k modulo the number of lanes, and all lanes have the same
 * number of batches.
 *
 * In a lane, the row of rank i, from 1, of a stratum of n rows belongs to batch ceil(i * B / n), from 1.
 */

#ifndef PYSTRAT_LANES_H
#define PYSTRAT_LANES_H

#include "counts_table.h"

typedef struct {
  CountsTable table; /* its parts are the sources */
  int64_t n_lanes, n_batches;
  int64_t *totals; /* n_lanes * n_strata: the rows of each stratum in each lane */
} LanePlan;

/* Return the batch, from 0, of the row of a rank, from 1; rank * n_batches is below 2^53. */
static inline int64_t batch_of_rank(int64_t rank, int64_t total, int64_t n_batches) {
  return (rank * n_batches - 1) / total;
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

static inline bool advise_fewer_lanes(const LanePlan *plan, Host *host) {
  return plan->n_lanes > 1 && advise(host, "Use fewer lanes.");
}

/* Choose the number of batches of each lane, with at least so many rows of each stratum, and of all. */
static inline bool plan_lanes(double least, double least_rows, LanePlan *plan, Host *host) {
  char where[SENTENCE], got[SENTENCE], of[NUMBER] = "", shown[NUMBER];
  if (!add_up_lanes(plan, host)) return false;
  int64_t n_strata = plan->table.n_strata, n_cells = plan->n_lanes * n_strata, largest = 0;
  int64_t cell = smallest_of(plan->totals, n_cells), fewest = plan->totals[cell];
  if (plan->n_lanes > 1) snprintf(of, NUMBER, " of %lld", (long long)plan->n_lanes);
  long long lane = (long long)(cell / n_strata + host->first_row), stratum = (long long)(cell % n_strata);
  snprintf(where, SENTENCE, "the rows of {stratum %lld} in lane %lld%s", stratum, lane, of);
  if (fewest == 0) {
    snprintf(got, SENTENCE, "0 as %.400s", where);
    refuse(host, "lanes", got, "leave each lane rows of each stratum");
    return advise(host, "Use fewer lanes.");
  }
  if ((double)fewest < least) {
    refuse(host, "min_samples_per_stratum", show_number(least, shown), "be at most %lld, %s", (long long)fewest, where);
    return advise_fewer_lanes(plan, host);
  }
  int64_t rows = fewest_in_batch(plan, 1);
  if ((double)rows < least_rows) {
    const char *required = "be at most %lld, the rows of the smallest lane";
    refuse(host, "min_batch_size", show_number(least_rows, shown), required, (long long)rows);
    return advise_fewer_lanes(plan, host);
  }
  plan->n_batches = most_lane_batches(plan, fewest / (int64_t)least, (int64_t)least_rows);
  if (plan->n_batches > LARGEST_COUNT / plan->n_lanes) {
    snprintf(got, SENTENCE, "%.0f, for %.0f batches,", least, (double)plan->n_batches * (double)plan->n_lanes);
    refuse(host, "min_samples_per_stratum", got, "make at most %d batches", LARGEST_COUNT);
    return advise(host, "Raise it.");
  }
  for (int64_t i = 0; i < n_cells; i++) largest = plan->totals[i] > largest ? plan->totals[i] : largest;
  if (largest <= most_rows_of_lane(plan->n_batches)) return true;
  return refuse(host, "lanes", show_number((double)plan->n_lanes, shown), "be more for so many rows and batches");
}

/* Find the most rows that a lane may have to hold, whatever the order of its sources.
 *
 * The stratum with the smallest share of its rows read so far determines how many batches are complete. If this is
 * stratum s, and T are the sources read so far, the lane holds the sum over T of n_k - N * n_ks / N_s rows. The sum is
 * largest if T are the sources with positive terms. The source that is being read is added, and a bound on rounding:
 * less than a batch, and one row of each stratum. No lane holds more than all its rows.
 */
static inline bool find_rows_held(const LanePlan *plan, int64_t *most, Host *host) {
  int64_t n_strata = plan->table.n_strata, n_lanes = plan->n_lanes, since = 0;
  int64_t *held = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *held);
  if (held == NULL) return false;
  *most = 0;
  for (int64_t lane = 0; lane < n_lanes; lane++) {
    const int64_t *totals = plan->totals + lane * n_strata;
    int64_t n_rows = 0, largest = 0, most_held = 0;
    memset(held, 0, (size_t)n_strata * sizeof *held);
    for (int64_t stratum = 0; stratum < n_strata; stratum++) n_rows += totals[stratum];
    for (int64_t source = lane; source < plan->table.n_parts; source += n_lanes) {
      const int64_t *counts = plan->table.counts + source * n_strata;
      int64_t size = 0;
      for (int64_t stratum = 0; stratum < n_strata; stratum++) size += counts[stratum];
      largest = size > largest ? size : largest;
      for (int64_t stratum = 0; stratum < n_strata; stratum++) {
        int64_t more = size - whole_share(n_rows, counts[stratum], totals[stratum]);
        held[stratum] += more > 0 ? more : 0;
      }
      if (!may_go_on(&since, n_strata, host)) return false;
    }
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      most_held = held[stratum] > most_held ? held[stratum] : most_held;
    }
    most_held = smaller(n_rows, most_held + largest + quotient_up(n_rows, plan->n_batches) + n_strata);
    *most = most_held > *most ? most_held : *most;
  }
  return true;
}

#endif
