/* What users ask of several kinds: a seed, replicas, batches of one size. */

#ifndef PYSTRAT_REQUEST_H
#define PYSTRAT_REQUEST_H

#include "recipe.h"

/* What to do with strata of too few rows. */
enum { RARE_ERROR, RARE_WARN, RARE_ALLOW, RARE_REPEAT };

/* Read what to do with rare strata: the first `n_choices`. */
static inline bool read_rare_choice(const Parts *request, int n_choices, int *rare, Host *host) {
  static const char *const choices[] = {"error", "warn", "allow", "repeat"};
  return read_choice(request, "rare", choices, n_choices, rare, host);
}

/* What to do with missing values. */
enum { MISSING_ERROR, MISSING_STRATUM, MISSING_DROP };

static inline bool read_missing_choice(const Parts *request, int *missing, Host *host) {
  static const char *const choices[] = {"error", "stratum", "drop"};
  return read_choice(request, "missing", choices, 3, missing, host);
}

/* Check what to do with missing values, which the host does. */
static inline bool read_missing(const Parts *request, Host *host) {
  int any;
  return read_missing_choice(request, &any, host);
}

/* Read the minimum of all strata, for kinds that do not take one for each stratum. */
static inline bool read_one_minimum(const Parts *request, double most, double *minimum, Host *host) {
  static const char *const name = "min_samples_per_stratum";
  Part part = find_part(request, name);
  if (!part.is_named) return read_whole(request, name, 1, most, minimum, host);
  char got[NUMBER];
  host->refusal.is_type = true;
  refuse(host, name, show_count(part.length, "value", got), "be a positive integer");
  return advise(host, "Only the stratified batch sampler and streams with counts take a minimum for each stratum.");
}

/* Find out whether lines of files are dealt to batches evenly; by default, they are shuffled. */
static inline bool read_even(const Parts *request, bool *even, Host *host) {
  static const char *const choices[] = {"shuffled", "even"};
  int choice = 0;
  if (is_given(request, "assign") && !read_choice(request, "assign", choices, 2, &choice, host)) return false;
  *even = choice == 1;
  return true;
}

/* Read the seed, if there is one, and how many processes share an epoch; check the rank of this one. */
static inline bool read_sharing(const Parts *request, double *num_replicas, Host *host) {
  double number;
  if (is_given(request, "seed") && !read_whole(request, "seed", 0, LARGEST_SEED, &number, host)) return false;
  *num_replicas = 1;
  bool is_shared = is_given(request, "num_replicas");
  if (is_shared && !read_whole(request, "num_replicas", 1, INFINITY, num_replicas, host)) return false;
  if (!is_given(request, "rank")) return true;
  if (!is_shared) return refuse(host, "rank", NULL, "be given together with 'num_replicas'");
  if (!read_whole(request, "rank", 0, *num_replicas - 1, &number, host)) return false;
  if (is_given(request, "seed")) return true;
  refuse(host, "seed", "nothing", "be given together with 'rank'");
  return advise(host, "Pass the same seed on all ranks, so that they draw the same epoch.");
}

/* Make a number that was read a result; one that was not is kept as it is. */
static inline bool give_number(const char *name, bool is_read, double number, Host *host) {
  return is_read ? host->number(host, name, number) : host->keep(host, name);
}

/* Make these settings results; one that is not given is kept as it is. */
static inline bool keep_sharing(const Parts *request, double num_replicas, Host *host) {
  double seed = 0;
  bool has_seed = is_given(request, "seed");
  if (has_seed && !read_whole(request, "seed", 0, LARGEST_SEED, &seed, host)) return false;
  return give_number("seed", has_seed, seed, host) &&
         give_number("num_replicas", is_given(request, "num_replicas"), num_replicas, host);
}

/* Round the number of batches down to a multiple of the number of replicas; refuse if some replicas would get none. */
static inline bool share_batches(
    const Parts *request, double num_replicas, int64_t *n_batches, Host *host
) {
  if ((double)*n_batches < num_replicas) {
    char shown[NUMBER];
    return refuse(
        host, "num_replicas", number_read(request, "num_replicas", num_replicas, shown),
        "be at most %lld, the number of batches", (long long)*n_batches
    );
  }
  *n_batches -= *n_batches % (int64_t)num_replicas;
  return true;
}

#endif
