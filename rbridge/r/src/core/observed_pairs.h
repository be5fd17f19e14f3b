/* Pairs that were observed, and how pairs that were not are drawn and counted; shared by the kind "pairs" and what asks
 * it for counts.
 */

#ifndef PYSTRAT_OBSERVED_PAIRS_H
#define PYSTRAT_OBSERVED_PAIRS_H

#include "negatives.h"
#include "positives.h"

enum { UNIFORM_NEGATIVES, PER_USER_NEGATIVES, POPULAR_NEGATIVES, METHOD_CHOICES };

/* What determines how negatives are drawn. */
typedef struct {
  int method;
  bool unique, free_only; /* `free_only`: no positive is drawn */
  double power;           /* of "popularity" */
} NegativesWay;

static inline bool read_method(const Parts *parts, NegativesWay *way, Host *host) {
  static const char *const methods[] = {"uniform", "per_user", "popularity"};
  return read_choice(parts, "method", methods, METHOD_CHOICES, &way->method, host);
}

/* Read how negatives are drawn from a recipe. */
static inline bool read_way(const Parts *recipe, NegativesWay *way, Host *host) {
  return read_method(recipe, way, host) && read_flag(recipe, "unique", &way->unique, host) &&
         read_flag(recipe, "reject_positives", &way->free_only, host) &&
         (way->method != POPULAR_NEGATIVES || read_number(recipe, "power", 0, &way->power, host));
}

/* Return the weights by which items are drawn, in memory of the call, or NULL. */
static inline double *weigh_items(const Positives *positives, double power, Host *host) {
  int64_t n_items = positives->n_items;
  int64_t *counts = host->memory(host, FOR_THE_CALL, n_items * (int64_t)sizeof *counts);
  double *weights = counts == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_items * (int64_t)sizeof *weights);
  if (weights == NULL) return NULL;
  bool is_done = weigh_columns(positives->cells, positives->n_positives, n_items, power, counts, weights, host);
  return is_done ? weights : NULL;
}

/* Find the share of the draws by popularity that is kept; refuse if it is too small, in total or for a user. */
static inline bool find_acceptance(const Positives *positives, const double *weights, double *acceptance, Host *host) {
  int64_t n_users = positives->n_users, user = 0;
  double *lost = host->memory(host, FOR_THE_CALL, n_users * (int64_t)sizeof *lost);
  if (lost == NULL) return false;
  if (!add_lost_shares(positives->cells, positives->n_distinct, n_users, positives->n_items, weights, lost, host)) {
    return false;
  }
  double kept = 0;
  for (int64_t i = 0; i < positives->n_positives; i++) kept += 1 - lost[user_of(positives, i)];
  for (int64_t i = 1; i < n_users; i++) user = lost[i] > lost[user] ? i : user;
  *acceptance = kept / (double)positives->n_positives;
  double least = 1.0 / 100 - 1e-9; /* sums of shares have a smaller rounding error */
  bool is_low = *acceptance < least;
  if (!is_low && 1 - lost[user] >= least) return true;
  char got[SENTENCE];
  double found = rint((is_low ? *acceptance : 1 - lost[user]) * 1e6) / 1e6 + 0.0;
  snprintf(got, SENTENCE, "'popularity', which keeps %.3g for %s,", found, is_low ? "all users" : "user {name}");
  host->refusal.stratum = user;
  refuse(host, "method", got, "keep at least 1/100 of what is drawn");
  return advise(host, "Lower 'power', use another method, or set 'reject_positives' to false.");
}

#endif
