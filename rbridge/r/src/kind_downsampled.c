/* All rows of rare classes and a part of the rows of frequent ones, dealt evenly: those of the first ranks, or rows in
 * turn.
 */

#include "core/batch_numbers.h"
#include "core/dealt.h"
#include "core/kinds.h"
#include "core/multiplier.h"

/* The arguments of a user. */
typedef struct {
  double multiplier, batch_size, num_replicas;
  bool has_multipliers, has_weights, walks;
} DownsampledRequest;

/* Read a number above 0, or one for each class that is named. */
static bool read_by_class(const Parts *request, const char *name, double *number, Host *host) {
  Part part = find_part(request, name);
  if (!part.is_named) return read_positive(request, name, number, host);
  if (part.length == 0) return refuse(host, name, "0 values", "name at least one class");
  for (int64_t item = 0; item < part.length; item++) {
    if (!read_positive_item(request, name, item, number, host)) return false;
  }
  return true;
}

static bool read_downsampled(const Parts *request, DownsampledRequest *wanted, Host *host) {
  double any;
  wanted->has_multipliers = find_part(request, "multiplier").is_named;
  wanted->has_weights = is_given(request, "weights");
  if (!read_by_class(request, "multiplier", &wanted->multiplier, host)) return false;
  if (!read_whole(request, "batch_size", 1, INFINITY, &wanted->batch_size, host)) return false;
  if (!read_flag(request, "in_turn", &wanted->walks, host)) return false;
  if (wanted->has_weights && !find_part(request, "weights").is_named) {
    host->refusal.is_type = true;
    return refuse(host, "weights", NULL, "name the classes");
  }
  if (wanted->has_weights && !read_by_class(request, "weights", &any, host)) return false;
  return read_sharing(request, &wanted->num_replicas, host);
}

/* Read the stratum of an item, from a part with the strata of all items. */
static bool read_class(
    const Parts *request, const char *name, int64_t item, int64_t n_strata, int64_t *stratum, Host *host
) {
  Part part = find_part(request, name);
  double number = part.type == DOUBLES && item < part.length ? ((const double *)part.values)[item] : -1;
  *stratum = number >= 0 && number < (double)n_strata ? (int64_t)number : -1;
  return *stratum >= 0 || refuse(host, name, "others", "be numbers of strata");
}

/* Find the class that is downsampled, if the multiplier names none. */
static bool find_majority(const Parts *request, const Codes *codes, int64_t *majority, Host *host) {
  const int64_t *counts = codes->counts;
  if (is_given(request, "majority")) return read_class(request, "majority_stratum", 0, codes->n_strata, majority, host);
  *majority = counts[1] > counts[0];
  if (codes->n_strata == 2 && counts[0] != counts[1]) return true;
  char same[SENTENCE] = "";
  if (codes->n_strata == 2) {
    snprintf(same, SENTENCE, ", both of %lld row%s", (long long)counts[0], plural(counts[0]));
  }
  return refuse(
      host, "majority", "nothing", "be given if there are not two classes of different sizes: there are %lld%s",
      (long long)codes->n_strata, same
  );
}

/* Limit the rows of a class to a multiple of the minority, of the multiplier or its item. */
static bool keep_multiple(
    const Parts *request, double multiplier, int64_t item, int64_t minority, int64_t *kept, Host *host
) {
  uint64_t multiple = 0;
  if (!read_kept(request, multiplier, item, minority, &multiple, host)) return false;
  if (multiple < (uint64_t)*kept) *kept = (int64_t)multiple;
  return true;
}

/* Find the rows of each class in an epoch. */
static bool find_kept(
    const Parts *request, const DownsampledRequest *wanted, const Codes *codes, int64_t *kept, Host *host
) {
  const int64_t *counts = codes->counts;
  int64_t n_strata = codes->n_strata, minority = counts[0], n_rows = 0, stratum;
  if (n_strata < 2) return refuse(host, "strata", "1 class", "have at least two classes");
  for (int64_t i = 0; i < n_strata; i++) {
    kept[i] = counts[i];
    n_rows += counts[i];
    minority = smaller(minority, counts[i]);
  }
  if (!wanted->has_multipliers) {
    if (!find_majority(request, codes, &stratum, host)) return false;
    minority = n_rows - counts[stratum];
    return keep_multiple(request, wanted->multiplier, 0, minority, &kept[stratum], host);
  }
  if (is_given(request, "majority")) {
    return refuse(host, "majority", NULL, "be left out if 'multiplier' names the classes");
  }
  for (int64_t item = 0; item < find_part(request, "multiplier").length; item++) {
    double multiplier;
    bool is_kept = read_class(request, "multiplier_strata", item, n_strata, &stratum, host) &&
                   read_positive_item(request, "multiplier", item, &multiplier, host) &&
                   keep_multiple(request, multiplier, item + 1, minority, &kept[stratum], host);
    if (!is_kept) return false;
  }
  return true;
}

/* Make the weights of all classes a result: those that are given, and rows / kept rows. */
static bool give_weights(const Parts *request, const Counts *rows, Host *host) {
  double *weights = host->vector(host, "weights", DOUBLES, rows->n_strata);
  if (weights == NULL) return false;
  for (int64_t stratum = 0; stratum < rows->n_strata; stratum++) {
    weights[stratum] = (double)rows->available[stratum] / (double)rows->counts[stratum];
  }
  for (int64_t item = 0; item < find_part(request, "weights").length; item++) {
    int64_t stratum;
    if (!read_class(request, "weights_strata", item, rows->n_strata, &stratum, host)) return false;
    if (!read_positive_item(request, "weights", item, &weights[stratum], host)) return false;
  }
  return true;
}

/* Make the settings of the request the result. */
static bool keep_downsampled(const Parts *request, const DownsampledRequest *wanted, Host *host) {
  return host->keep(host, "multiplier") && host->number(host, "batch_size", wanted->batch_size) &&
         host->keep(host, "majority") && host->keep(host, "in_turn") && host->keep(host, "weights") &&
         keep_sharing(request, wanted->num_replicas, host);
}

static bool plan_downsampled(const Parts *request, Host *host) {
  DownsampledRequest wanted = {0};
  if (!read_downsampled(request, &wanted, host)) return false;
  if (!is_given(request, "codes")) return keep_downsampled(request, &wanted, host);
  Codes codes;
  if (!read_codes(request, FOR_THE_CALL, &codes, host) || !check_strata_have_rows(&codes, host)) return false;
  int64_t n_batches, n_strata = codes.n_strata;
  int64_t *kept = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *kept);
  if (kept == NULL || !find_kept(request, &wanted, &codes, kept, host)) return false;
  Counts rows = new_counts(kept, codes.counts, n_strata);
  double size = wanted.batch_size, num_replicas = wanted.num_replicas;
  if (!batches_by_size(request, "batch_size", &rows, size, num_replicas, &n_batches, host)) return false;
  if (!host->keep(host, "codes") || !host->number(host, "n_strata", (double)n_strata)) return false;
  double *numbers = host->vector(host, "kept", DOUBLES, n_strata);
  for (int64_t i = 0; numbers != NULL && i < n_strata; i++) numbers[i] = (double)kept[i];
  return numbers != NULL && host->number(host, "n_batches", (double)n_batches) &&
         host->flag(host, "in_turn", wanted.walks) && (!wanted.has_weights || give_weights(request, &rows, host));
}

static bool check_given_weights(const Parts *recipe, int64_t n_strata, Host *host) {
  Part part = find_part(recipe, "weights");
  const double *weights = part.values;
  if (part.type == NOTHING) return true;
  if (part.type != DOUBLES || part.length != n_strata) {
    return refuse_part(host, "weights", "%lld number%s", (long long)n_strata, plural(n_strata));
  }
  for (int64_t i = 0; i < n_strata; i++) {
    char shown[NUMBER];
    if (isfinite(weights[i]) && weights[i] > 0) continue;
    return refuse(host, "recipe", show_number(weights[i], shown), "have finite numbers above 0 as 'weights'");
  }
  return true;
}

static bool prepare_downsampled(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Dealt *self = instance;
  if (!read_codes(recipe, FOR_THE_INSTANCE, &self->codes, host)) return false;
  int64_t n_strata = self->codes.n_strata;
  if (!read_count(recipe, "n_batches", 1, (double)self->codes.n_rows, &self->n_batches, host)) return false;
  if (!read_flag(recipe, "in_turn", &self->is_walked, host)) return false;
  int64_t *kept = host->memory(host, FOR_THE_INSTANCE, n_strata * (int64_t)sizeof *kept);
  if (kept == NULL || !read_wholes(recipe, "kept", n_strata, 1, LARGEST_COUNT, kept, host)) return false;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    if (kept[stratum] > self->codes.counts[stratum]) {
      return refuse(host, "recipe", "more", "keep at most the rows that there are");
    }
  }
  self->taken = kept;
  self->even = self->is_shuffled = true;
  self->seed = seed;
  return check_given_weights(recipe, n_strata, host) && check_dealt(self, host);
}

const Kind downsampled_kind = {
    .name = "downsampled",
    .instance_bytes = sizeof(Dealt),
    .plan = plan_downsampled,
    .prepare = prepare_downsampled,
    .draw = draw_dealt,
};
