/* Plans whose epochs take rows of some strata less or more often than once: shares, balance, repeats, one size. */

#ifndef PYSTRAT_TAKEN_ROWS_H
#define PYSTRAT_TAKEN_ROWS_H

#include <stdlib.h>

#include "batch_numbers.h"

/* A plan that is being made: taken[s] of the rows of each stratum in an epoch. */
typedef struct {
  const Parts *request;
  const Counts *rows;
  double size, num_replicas; /* "mean_batch_size" */
  int64_t n_batches;
  int64_t *taken;
} TakenRows;

/* In the order of the choices of "balance". */
enum { NO_BALANCE, BALANCE_OVER, BALANCE_UNDER, BALANCE_NUMBER };

static inline bool read_balance(const Parts *request, int *balance, double *each, Host *host) {
  static const char *const choices[] = {"over", "under"};
  static const char *const required = "be 'over', 'under' or a positive integer";
  return read_choice_or_rows(request, "balance", choices, 2, required, balance, each, host);
}

/* Return how many rows of each stratum balance the strata. */
static inline double rows_that_balance(int balance, double each, const int64_t *counts, int64_t n_strata) {
  if (balance == BALANCE_NUMBER) return each;
  int64_t found = counts[0];
  for (int64_t stratum = 1; stratum < n_strata; stratum++) {
    bool is_better = balance == BALANCE_OVER ? counts[stratum] > found : counts[stratum] < found;
    if (is_better) found = counts[stratum];
  }
  return (double)found;
}

static inline bool read_shares(const Parts *request, bool *has_shares, Host *host) {
  Part part = find_part(request, "shares");
  double number;
  *has_shares = part.type != NOTHING;
  if (!*has_shares) return true;
  if (!part.is_named) return refuse(host, "shares", NULL, "be numbers with names of strata");
  if (part.length == 0) return refuse(host, "shares", "no stratum", "name every stratum");
  for (int64_t item = 0; item < part.length; item++) {
    if (!read_positive_item(request, "shares", item, &number, host)) return false;
  }
  return true;
}

/* Read a minimum for each stratum that is named. */
static inline bool read_minimums(const Parts *request, Host *host) {
  static const char *const name = "min_samples_per_stratum";
  Part part = find_part(request, name);
  double any = 0, number;
  for (int64_t item = 0; item < part.length; item++) {
    if (!read_whole_item(request, name, item, 0, &number, host)) return false;
    any = fmax(any, number);
  }
  if (any > 0) return true;
  const char *got = part.length == 0 ? "no stratum" : "0 of each";
  return refuse(host, name, got, "ask for at least one row of some stratum");
}

/* Spread the values that have names over the strata, whose numbers are "named_strata"; return how many are named, or -1
 * after a refusal.
 */
static inline int64_t spread_items(
    const Parts *request, const char *name, int64_t n_strata, double *values, Host *host
) {
  Part items = find_part(request, name), strata = find_part(request, "named_strata");
  if (strata.type != DOUBLES || strata.length != items.length) {
    refuse(host, name, "others", "name strata");
    return -1;
  }
  const double *numbers = strata.values;
  int64_t n_named = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) values[stratum] = -1;
  for (int64_t item = 0; item < items.length; item++) {
    bool is_stratum = numbers[item] >= 0 && numbers[item] < (double)n_strata;
    if (!is_stratum) {
      refuse(host, name, "others", "name strata");
      return -1;
    }
    double *value = &values[(int64_t)numbers[item]];
    n_named += *value < 0;
    bool is_minimum = strcmp(name, "min_samples_per_stratum") == 0;
    bool is_read = is_minimum ? read_whole_item(request, name, item, 0, value, host)
                              : read_positive_item(request, name, item, value, host);
    if (!is_read) return -1;
  }
  return n_named;
}

static inline bool spread_shares(const Parts *request, const TakenRows *plan, double *shares, Host *host) {
  int64_t n_strata = plan->rows->n_strata, n_named = spread_items(request, "shares", n_strata, shares, host);
  if (n_named == n_strata || n_named < 0) return n_named == n_strata;
  char got[SENTENCE];
  int64_t absent = 0, n_few = n_strata - n_named;
  while (shares[absent] >= 0) absent += 1;
  host->refusal.stratum = absent;
  snprintf(got, SENTENCE, "%lld name%s too few, '{stratum}' among them,", (long long)n_few, plural(n_few));
  return refuse(host, "shares", got, "name every stratum");
}

/* Refuse `most` rows of a stratum in a batch if there are fewer. */
static inline bool refuse_more_rows(
    const char *parameter, double most, int64_t stratum, int64_t count, const char *advice, Host *host
) {
  if (most <= (double)count) return true;
  char got[SENTENCE];
  snprintf(got, SENTENCE, "%.0f", most);
  host->refusal.stratum = stratum;
  refuse(
      host, parameter, got, "ask for at most %lld row%s of '{stratum}' in a batch", (long long)count, plural(count)
  );
  return advise(host, "%s", advice);
}

static inline bool refuse_twice_in_a_batch(const TakenRows *plan, const char *parameter, Host *host) {
  for (int64_t stratum = 0; stratum < plan->rows->n_strata; stratum++) {
    double most = (double)quotient_up(plan->taken[stratum], plan->n_batches);
    const char *advice = "No row occurs twice in a batch. Lower 'mean_batch_size'.";
    if (!refuse_more_rows(parameter, most, stratum, plan->rows->counts[stratum], advice, host)) return false;
  }
  return true;
}

/* Divide a total by cumulative rounding: each part is the floor or the ceiling of its share. */
static inline void divide_in_proportion(int64_t total, const int64_t *weights, int64_t n_parts, int64_t *parts) {
  int64_t sum = 0, before = 0;
  for (int64_t i = 0; i < n_parts; i++) sum += weights[i];
  for (int64_t i = 0, done = 0; i < n_parts; i++) {
    done += weights[i];
    int64_t end = total * done / sum;
    parts[i] = end - before;
    before = end;
  }
}

/* Return the digits of a number, without zeros behind, and how many of them follow the point, which may be below 0.
 *
 * A fraction, or a number from 2^53 on, has the 15 digits with which it is shown.
 */
static inline double decimal_digits(double number, int *behind) {
  char shown[SENTENCE];
  int exponent = 0;
  bool is_whole = floor(number) == number && number < LARGEST_EXACT;
  snprintf(shown, SENTENCE, is_whole ? "%.0f" : "%.14e", number);
  double digits = 0, zeros = 1;
  *behind = -1;
  for (const char *at = shown; *at >= '0' || *at == '.'; at++) {
    if (*at == 'e') {
      exponent = (int)strtol(at + 1, NULL, 10);
      break;
    }
    if (*at == '.') continue;
    *behind += 1;
    zeros *= 10;
    if (*at == '0') continue;
    digits = digits * zeros + (*at - '0');
    zeros = 1;
  }
  if (is_whole) exponent = *behind;
  for (; zeros > 1; zeros /= 10) *behind -= 1;
  *behind -= exponent;
  return digits;
}

/* Turn shares into whole numbers without a common divisor; return their sum, at least 2^53 if they are too large. */
static inline double whole_weights(const double *shares, int64_t n_strata, int64_t *weights) {
  int last = INT32_MIN, behind;
  double sum = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    decimal_digits(shares[stratum], &behind);
    last = behind > last ? behind : last;
  }
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    double whole = decimal_digits(shares[stratum], &behind);
    for (; behind < last && whole < LARGEST_EXACT; behind++) whole *= 10;
    sum += whole;
    if (sum >= LARGEST_EXACT) return sum;
    weights[stratum] = (int64_t)whole;
  }
  int64_t divisor = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    for (int64_t other = weights[stratum]; other > 0;) {
      int64_t rest = divisor % other;
      divisor = other;
      other = rest;
    }
  }
  for (int64_t stratum = 0; stratum < n_strata; stratum++) weights[stratum] /= divisor;
  return sum / (double)divisor;
}

/* The rows of an epoch of full batches; 0 after a refusal. */
static inline double plan_full_batches(TakenRows *plan, Host *host) {
  const Parts *request = plan->request;
  int64_t n_rows = plan->rows->n_rows, *n_batches = &plan->n_batches;
  if (!batches_by_mean(request, n_rows, plan->size, plan->num_replicas, LARGEST_COUNT, n_batches, host)) return 0;
  double total = (double)plan->n_batches * plan->size;
  if (total <= (double)LARGEST_COUNT) return total;
  refuse_large_epoch("mean_batch_size", host);
  return 0;
}

/* With the weights w_s, their sum W and sums up to a stratum W_s, an epoch of T rows has floor(T * W_s / W) - floor(T *
 * W_(s-1) / W) of stratum s.
 */
static inline bool take_in_proportion(
    TakenRows *plan, double total, const int64_t *weights, const char *name, Host *host
) {
  divide_in_proportion((int64_t)total, weights, plan->rows->n_strata, plan->taken);
  for (int64_t stratum = 0; stratum < plan->rows->n_strata; stratum++) {
    if (plan->taken[stratum] > 0) continue;
    char got[SENTENCE];
    snprintf(got, SENTENCE, "none of %.0f for '{stratum}'", total);
    host->refusal.stratum = stratum;
    return refuse(host, name, got, "give each stratum at least one row of an epoch");
  }
  return refuse_twice_in_a_batch(plan, name, host);
}

/* Return whole weights near shares of which not all are whole, such as 40 / 49: their sum is below `most`. */
static inline void near_weights(const double *shares, int64_t n_strata, double most, int64_t *weights) {
  double largest = 0, sum = 0, units = floor(most) - (double)n_strata;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) largest = fmax(largest, shares[stratum]);
  for (int64_t stratum = 0; stratum < n_strata; stratum++) sum += shares[stratum] / largest;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    weights[stratum] = (int64_t)fmax(1, round(shares[stratum] / largest / sum * units));
  }
}

/* Divide the rows of an epoch by shares; `weights` has n_strata numbers. */
static inline bool share_out(TakenRows *plan, double total, const double *shares, int64_t *weights, Host *host) {
  int64_t n_strata = plan->rows->n_strata;
  double sum = whole_weights(shares, n_strata, weights);
  bool are_whole = true;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) are_whole &= floor(shares[stratum]) == shares[stratum];
  if (total * sum >= LARGEST_EXACT && are_whole) {
    char shown[NUMBER], got[SENTENCE];
    snprintf(shown, NUMBER, sum < LARGEST_EXACT ? "%.0f" : "2^53 or more", sum);
    snprintf(got, SENTENCE, "a sum of %s, for %.0f rows,", shown, total);
    refuse(host, "shares", got, "have whole weights whose sum, times the rows of an epoch, is below 2^53");
    return advise(host, "Give small whole numbers, such as 1 and 3.");
  }
  if (total * sum >= LARGEST_EXACT) near_weights(shares, n_strata, LARGEST_EXACT / total, weights);
  return take_in_proportion(plan, total, weights, "shares", host);
}

static inline bool take_shares(TakenRows *plan, const double *shares, int64_t *weights, Host *host) {
  double total = plan_full_batches(plan, host);
  return total > 0 && share_out(plan, total, shares, weights, host);
}

/* The weight of a stratum of n rows is min(n, cap); by a temperature, it is the part of the largest such number, to the
 * power of 1 / temperature, in millionths, rounded, and at least 1. No product exceeds 2^62.
 */
static inline bool take_by_size(TakenRows *plan, double temperature, double cap, int64_t *weights, Host *host) {
  const Counts *rows = plan->rows;
  double total = plan_full_batches(plan, host), most = 1;
  if (total == 0) return false;
  double unit = fmin(1e6, floor(0x1p62 / (total * (double)rows->n_strata)));
  for (int64_t stratum = 0; stratum < rows->n_strata; stratum++) {
    weights[stratum] = (int64_t)fmin((double)rows->counts[stratum], cap);
    most = fmax(most, (double)weights[stratum]);
  }
  for (int64_t stratum = 0; temperature > 1 && stratum < rows->n_strata; stratum++) {
    double share = floor(unit * pow((double)weights[stratum] / most, 1 / temperature) + 0.5);
    weights[stratum] = share > 1 ? (int64_t)share : 1;
  }
  return take_in_proportion(plan, total, weights, temperature > 1 ? "temperature" : "cap", host);
}

/* The same number of rows of every stratum. */
static inline bool take_equally(TakenRows *plan, double each, Host *host) {
  int64_t n_strata = plan->rows->n_strata;
  if (each * (double)n_strata > (double)LARGEST_COUNT) return refuse_large_epoch("balance", host);
  for (int64_t stratum = 0; stratum < n_strata; stratum++) plan->taken[stratum] = (int64_t)each;
  int64_t total = (int64_t)each * n_strata, *n_batches = &plan->n_batches;
  return batches_by_mean(plan->request, total, plan->size, plan->num_replicas, LARGEST_COUNT, n_batches, host) &&
         refuse_twice_in_a_batch(plan, "mean_batch_size", host);
}

static inline double rows_with_repeats(const Counts *rows, const double *minimums, double n_batches) {
  double sum = 0;
  for (int64_t stratum = 0; stratum < rows->n_strata; stratum++) {
    sum += fmax((double)rows->counts[stratum], n_batches * minimums[stratum]);
  }
  return sum;
}

/* Return the least multiple of the replicas for which the rows of an epoch fit into full batches. */
static inline double fewest_batches(const TakenRows *plan, const double *minimums) {
  double least = 0, most = 1, replicas = plan->num_replicas; /* `least` does not fit, or is 0 */
  while (rows_with_repeats(plan->rows, minimums, most * replicas) > most * replicas * plan->size) {
    least = most;
    most *= 2;
  }
  while (most - least > 1) {
    double middle = floor((least + most) / 2), n_batches = middle * replicas;
    if (rows_with_repeats(plan->rows, minimums, n_batches) <= n_batches * plan->size) {
      most = middle;
    } else {
      least = middle;
    }
  }
  return most * replicas;
}

/* The fewest batches that keep the minimums: an epoch takes max(rows, batches * minimum) of each stratum. */
static inline bool take_repeatedly(TakenRows *plan, const double *minimums, Host *host) {
  const Counts *rows = plan->rows;
  double asked = 0;
  bool asks_none = false;
  for (int64_t stratum = 0; stratum < rows->n_strata; stratum++) {
    const char *name = "min_samples_per_stratum", *advice = "No row occurs twice in a batch.";
    if (!refuse_more_rows(name, minimums[stratum], stratum, rows->counts[stratum], advice, host)) return false;
    asked += minimums[stratum];
    asks_none = asks_none || minimums[stratum] == 0;
  }
  asked += asks_none;
  if (plan->size < asked) {
    return refuse(
        host, "mean_batch_size", NULL,
        "be at least %.0f, for the rows that 'min_samples_per_stratum' asks for in a batch", asked
    );
  }
  double n_batches = fewest_batches(plan, minimums);
  double total = rows_with_repeats(rows, minimums, n_batches);
  if (total > (double)LARGEST_COUNT) return refuse_large_epoch("mean_batch_size", host);
  plan->n_batches = (int64_t)n_batches;
  for (int64_t stratum = 0; stratum < rows->n_strata; stratum++) {
    plan->taken[stratum] = (int64_t)fmax((double)rows->counts[stratum], n_batches * minimums[stratum]);
  }
  return true;
}

/* Batches of one size: surplus rows are left out in proportion to what strata have beyond one row per batch. `spare`
 * has n_strata numbers.
 */
static inline bool take_one_size(TakenRows *plan, int64_t *spare, Host *host) {
  const Counts *rows = plan->rows;
  const char *name = "mean_batch_size";
  if (plan->size > (double)rows->n_rows) {
    return refuse(host, name, NULL, "be at most %lld, the number of rows", (long long)rows->n_rows);
  }
  int64_t size = (int64_t)plan->size, n_spare = 0;
  plan->n_batches = rows->n_rows / size;
  if (!share_batches(plan->request, plan->num_replicas, &plan->n_batches, host)) return false;
  int64_t over = rows->n_rows - plan->n_batches * size;
  for (int64_t stratum = 0; stratum < rows->n_strata; stratum++) {
    spare[stratum] = rows->counts[stratum] - smaller(rows->counts[stratum], plan->n_batches);
    n_spare += spare[stratum];
  }
  char shown[NUMBER], got[SENTENCE];
  snprintf(got, SENTENCE, "%s, which leaves out %lld,", show_number(plan->size, shown), (long long)over);
  if (over > n_spare) {
    return refuse(host, name, got, "leave out at most %lld rows, which strata can spare", (long long)n_spare);
  }
  if ((double)over * (double)n_spare >= LARGEST_EXACT) {
    return refuse(host, name, got, "leave out fewer rows, so that all products are below 2^53");
  }
  if (over > 0) divide_in_proportion(over, spare, rows->n_strata, plan->taken);
  for (int64_t stratum = 0; stratum < rows->n_strata; stratum++) {
    plan->taken[stratum] = rows->counts[stratum] - (over > 0 ? plan->taken[stratum] : 0);
  }
  return true;
}

#endif
