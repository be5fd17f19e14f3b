/* What a recipe of the kind "pairs" implies: the number of users with positives who get no negatives, because all items
 * are their positives, and the share of the draws that is kept.
 */

#include "core/functions.h"
#include "core/observed_pairs.h"

static bool count_full_users(const Positives *positives, int64_t *n_full, Host *host) {
  int64_t *starts = starts_of_users(positives, host);
  if (starts == NULL) return false;
  for (int64_t user = 0; user < positives->n_users; user++) *n_full += free_items(positives, starts, user) == 0;
  return true;
}

static bool count_pairs(const Parts *request, Host *host) {
  Parts recipe = *request;
  NegativesWay way = {.power = 0};
  Positives positives = {.cells = NULL};
  int64_t n_full = 0;
  double acceptance = 1;
  recipe.is_recipe = true;
  if (!read_way(&recipe, &way, host) || !read_positives(&recipe, &positives, host)) return false;
  if (way.free_only && way.method == PER_USER_NEGATIVES && !count_full_users(&positives, &n_full, host)) return false;
  if (way.free_only && way.method == POPULAR_NEGATIVES) {
    const double *weights = weigh_items(&positives, way.power, host);
    if (weights == NULL || !find_acceptance(&positives, weights, &acceptance, host)) return false;
  }
  return host->number(host, "n_skipped_users", (double)n_full) && host->number(host, "acceptance", acceptance);
}

const Function pair_counts_function = {"pair_counts", count_pairs};
