/* Epochs of a stream that take rows of some strata less or more often than once.
 *
 * In a lane, an epoch takes k of the n rows of a stratum. The place p of a row, from 1, is its rank among the rows of
 * the stratum in the lane: first those of sources before, in the order of names, then in a fixed order of its source,
 * that of epoch 0. With f(x) = floor(x * k / n) and e' = e modulo n, epoch e takes the row f(p + e') - f(p + e' - 1)
 * times. Over n epochs, a row has all places in turn, so any E epochs in succession take it floor or ceiling of E * k
 * / n times.
 *
 * What is taken has ranks from 1 to k, which belong to batches as ranks of rows do. With q = floor(k / n), a row is
 * taken q or q + 1 times. If q is 0, or k is n, ranks are in the order of reading. Otherwise, sources are joined to
 * windows of at least w rows of the stratum. A window takes its rows q times, one pass after another, and at last
 * those that are taken once more, which come first in each pass. So the same row comes again after as many ranks as
 * the window has rows, and not twice in a batch, because w is at least ceiling(k / B).
 */

#ifndef PYSTRAT_LANE_TAKEN_H
#define PYSTRAT_LANE_TAKEN_H

#include "lanes.h"

enum { BATCHES_APART = 10 /* in which the same row is, if the lane has enough rows */ };

/* Return how many ranks the places from `from` to before `from + count` have in an epoch; from 0. */
static inline int64_t taken_between(int64_t from, int64_t count, int64_t epoch, int64_t available, int64_t taken) {
  int64_t begin = from + epoch % available;
  return (begin + count) * taken / available - begin * taken / available;
}

/* Whether rows of a stratum are taken more than once each, window by window. */
static inline bool has_windows(int64_t available, int64_t taken) { return taken > available; }

/* Return the fewest rows of a window. */
static inline int64_t rows_of_window(int64_t available, int64_t taken, int64_t n_batches) {
  return smaller(available, BATCHES_APART * quotient_up(taken, n_batches));
}

/* Read how an epoch takes the rows of strata, if not each of them once. */
static inline bool read_lane_way(const Parts *request, LaneRequest *wanted, Host *host) {
  static const char *const ways[] = {"shares", "balance"};
  for (int way = 0; way < 2; way++) {
    if (!is_given(request, ways[way])) continue;
    if (is_given(request, ways[1 - way])) {
      return refuse(host, ways[1 - way], NULL, "be left out if '%s' is given", ways[way]);
    }
    if (!wanted->size.has_mean) {
      refuse(host, ways[way], NULL, "be given together with 'mean_batch_size'");
      return advise(host, "Give that in place of 'min_samples_per_stratum'.");
    }
    if (wanted->rare != RARE_ERROR) return refuse(host, "rare", NULL, "be left out if '%s' is given", ways[way]);
  }
  return read_shares(request, &wanted->has_shares, host) &&
         read_balance(request, &wanted->balance, &wanted->each, host);
}

/* Choose how many rows of each stratum an epoch takes of all lanes, and those of a lane by the places in turn. */
static inline bool choose_each(const LaneRequest *wanted, const LanePlan *plan, double *each, Host *host) {
  int64_t n_strata = plan->table.n_strata;
  const int64_t *totals = count_strata(&plan->table, host);
  if (totals == NULL) return false;
  *each = rows_that_balance(wanted->balance, wanted->each, totals, n_strata);
  if (*each < (double)plan->n_lanes) {
    return refuse(host, "balance", NULL, "be at least %lld, the number of lanes", (long long)plan->n_lanes);
  }
  return *each * (double)n_strata <= (double)LARGEST_COUNT || refuse_large_epoch("balance", host);
}

/* Refuse what a lane cannot take: fewer rows of a stratum than batches, or so many that products are not exact. */
static inline bool check_taken_lane(const LaneRequest *wanted, const LanePlan *plan, int64_t lane, Host *host) {
  int64_t n_strata = plan->table.n_strata, n_batches = plan->n_batches;
  char shown[NUMBER], rows[NUMBER], got[SENTENCE];
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    int64_t taken = plan->taken[lane * n_strata + stratum], available = plan->totals[lane * n_strata + stratum];
    if (taken < n_batches) {
      snprintf(
          got, SENTENCE, "%s, for %s of {stratum %lld} in %lld batches,", show_number(wanted->size.mean, shown),
          show_count(taken, "row", rows), (long long)stratum, (long long)n_batches
      );
      refuse(host, "mean_batch_size", got, "leave each batch a row of each stratum");
      return advise(host, "Raise it.");
    }
    bool is_exact = 2.0 * (double)available * (double)taken < LARGEST_EXACT;
    if (!is_exact || taken > most_rows_of_lane(n_batches)) {
      show_number((double)plan->n_lanes, shown);
      return refuse(host, "lanes", shown, "be more for so many rows and batches");
    }
  }
  return true;
}

/* Choose the number of batches of each lane, and how many rows of each stratum an epoch takes in it. */
static inline bool plan_taken_lanes(const Parts *request, const LaneRequest *wanted, LanePlan *plan, Host *host) {
  FewestRows fewest;
  if (!add_up_lanes(plan, host)) return false;
  find_fewest_rows(plan, &fewest, host);
  if (fewest.count == 0) return refuse_empty_lanes(&fewest, "leave each lane rows of each stratum", host);
  int64_t n_strata = plan->table.n_strata, n_lanes = plan->n_lanes, n_cells = n_lanes * n_strata;
  double each = 0, mean = wanted->size.mean, n_rows = 0;
  if (wanted->has_shares) {
    for (int64_t cell = 0; cell < n_cells; cell++) n_rows += (double)plan->totals[cell];
  } else {
    if (!choose_each(wanted, plan, &each, host)) return false;
    n_rows = each * (double)n_strata;
  }
  plan->n_batches = lane_batches_of((int64_t)n_rows, mean, n_lanes);
  double total = (double)plan->n_batches * mean; /* by shares */
  if (!check_number_of_lane_batches(wanted, plan, host)) return false;
  if (wanted->has_shares && total > (double)LARGEST_COUNT) return refuse_large_epoch("mean_batch_size", host);
  plan->taken = host->memory(host, FOR_THE_CALL, n_cells * (int64_t)sizeof *plan->taken);
  double *shares = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *shares);
  int64_t *weights = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *weights);
  if (plan->taken == NULL || shares == NULL || weights == NULL) return false;
  plan->guaranteed = INT64_MAX;
  for (int64_t lane = 0; lane < n_lanes; lane++) {
    int64_t *available = plan->totals + lane * n_strata;
    Counts rows = {.n_strata = n_strata, .noun = "row", .counts = available, .available = available};
    TakenRows own = {.request = request, .rows = &rows, .size = mean, .n_batches = plan->n_batches};
    own.taken = plan->taken + lane * n_strata;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      own.taken[stratum] = (int64_t)each / n_lanes + (lane < (int64_t)each % n_lanes);
    }
    bool is_taken = wanted->has_shares ? spread_shares(request, &own, shares, host) &&
                                             share_out(&own, total, shares, weights, host)
                                       : refuse_twice_in_a_batch(&own, "mean_batch_size", host);
    if (!is_taken || !check_taken_lane(wanted, plan, lane, host)) return false;
    int64_t least = own.taken[smallest_of(own.taken, n_strata)] / plan->n_batches;
    plan->guaranteed = smaller(plan->guaranteed, least);
  }
  return true;
}

/* What an epoch takes of the rows of a stratum in a source, or in a lane. */
static inline int64_t distinct_rows(int64_t count, int64_t available, int64_t taken) {
  return taken >= available ? count : quotient_up(count * taken, available);
}

/* The fewest ranks of so many rows, in any epoch. */
static inline int64_t fewest_ranks(int64_t count, int64_t available, int64_t taken) {
  return taken == available ? count : count * taken / available;
}

/* What strata with windows add to the rows that a lane may have to hold. */
typedef struct {
  int64_t rows;     /* the most rows of a window */
  int64_t rounding; /* a row for each source with rows of the stratum */
} WindowBound;

/* Bound the windows of a stratum of a lane. A window has fewer than w rows before the sources that fill it; if fewer
 * than w are left, they are added.
 */
static inline WindowBound bound_window(const LanePlan *plan, int64_t lane, int64_t stratum, int64_t together) {
  int64_t n_strata = plan->table.n_strata, cell = lane * n_strata + stratum, largest = 0;
  int64_t available = plan->totals[cell], taken = plan->taken == NULL ? available : plan->taken[cell];
  WindowBound bound = {.rows = 0};
  if (!has_windows(available, taken)) return bound;
  for (int64_t source = lane; source < plan->table.n_parts; source += plan->n_lanes) {
    int64_t count = plan->table.counts[source * n_strata + stratum];
    largest = count > largest ? count : largest;
    bound.rounding += count > 0;
  }
  int64_t least = rows_of_window(available, taken, plan->n_batches);
  bound.rows = available;
  if (largest <= available / together) bound.rows = smaller(available, 2 * (least - 1) + together * largest);
  return bound;
}

/* Find the most rows that a lane may have to hold, whatever the order of its sources, if so many of them are shuffled
 * `together`. A row that is in several batches counts once.
 *
 * The stratum with the smallest share of its ranks complete determines how many batches are complete. If this is
 * stratum s, and T are the sources read so far, the lane holds the sum over T of n_k - N * r_ks / k_s rows, where n_k
 * are the rows that source k adds, N those of all sources, and r_ks the ranks of its rows of s, of k_s. The sum is
 * largest if T are the sources with positive terms. The sources that are being read are added, and a bound on
 * rounding: less than a batch, and one row of each stratum. If s has windows, the ranks of one may be incomplete,
 * which is a part of N; and each stratum with windows may hold the rows of one until its last pass, and one row of
 * each source for rounding. No lane holds more than all its rows.
 */
static inline bool find_rows_held(const LanePlan *plan, int64_t together, int64_t *most, Host *host) {
  int64_t n_strata = plan->table.n_strata, n_lanes = plan->n_lanes, since = 0;
  int64_t *held = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *held);
  if (held == NULL) return false;
  *most = 0;
  for (int64_t lane = 0; lane < n_lanes; lane++) {
    const int64_t *totals = plan->totals + lane * n_strata;
    const int64_t *taken = plan->taken == NULL ? totals : plan->taken + lane * n_strata;
    int64_t n_rows = 0, n_distinct = 0, windows = 0, largest, most_held = 0;
    if (!find_largest_group(plan, lane, together, &largest, host)) return false;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      n_rows += totals[stratum];
      n_distinct += smaller(totals[stratum], taken[stratum]);
      held[stratum] = 0;
    }
    for (int64_t source = lane; source < plan->table.n_parts; source += n_lanes) {
      const int64_t *counts = plan->table.counts + source * n_strata;
      int64_t size = 0;
      for (int64_t stratum = 0; stratum < n_strata; stratum++) {
        if (counts[stratum] > 0) size += distinct_rows(counts[stratum], totals[stratum], taken[stratum]);
      }
      for (int64_t stratum = 0; stratum < n_strata; stratum++) {
        if (totals[stratum] == 0) continue;
        int64_t ranks = fewest_ranks(counts[stratum], totals[stratum], taken[stratum]);
        int64_t more = size - whole_share(n_distinct, ranks, taken[stratum]);
        held[stratum] += more > 0 ? more : 0;
      }
      if (!may_go_on(&since, n_strata, host)) return false;
    }
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      WindowBound bound = bound_window(plan, lane, stratum, together);
      if (bound.rows > 0) held[stratum] += whole_share(n_distinct, bound.rows, totals[stratum]) + 1;
      most_held = held[stratum] > most_held ? held[stratum] : most_held;
      windows += bound.rows + bound.rounding;
      if (!may_go_on(&since, plan->table.n_parts / n_lanes, host)) return false;
    }
    most_held = smaller(n_rows, most_held + windows + largest + quotient_up(n_distinct, plan->n_batches) + n_strata);
    *most = most_held > *most ? most_held : *most;
  }
  return true;
}

/* How the rows of a stratum in sources that are read together have ranks. */
typedef struct {
  int64_t before;        /* the ranks before the window */
  int64_t n_rows;        /* in the window */
  int64_t n_extra;       /* those of them that are taken once more than others */
  int64_t extra_before;  /* of these, those in sources of the window that are read before */
  int64_t others_before; /* the same of the others */
  int64_t complete;      /* the ranks that are complete once the sources are read */
} Window;

enum { WINDOW_NUMBERS = sizeof(Window) / sizeof(int64_t) };

#endif
