/* All rows of strata, with a minimum of each stratum in every batch: the rule of plan.h, and plans whose epochs take
 * rows of some strata less or more often than once.
 */

#include "core/dealt.h"
#include "core/kinds.h"
#include "core/taken_rows.h"

enum { ASSIGN_PROPORTIONAL, ASSIGN_EVEN, ASSIGN_CHOICES };

/* The arguments of a user. */
typedef struct {
  bool has_minimum, has_minimums, has_mean, has_shares, is_by_size, drops, is_shuffled;
  double minimum, mean, each, num_replicas; /* `each` is the number of rows that balances */
  double temperature, cap;
  int balance, rare, assign;
} StratifiedRequest;

static const char *const MINIMUM = "min_samples_per_stratum";

/* The ways to share out batches of a size. */
static const char *const ways[] = {"shares", "temperature", "cap", "balance", "drop"};

/* Check that only one of the ways to share out batches is given, and what is given with it. */
static bool check_way(const Parts *request, const char *way, int rare, Host *host) {
  bool is_by_size = strcmp(way, "temperature") == 0; /* and may have a cap */
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    bool is_another = is_given(request, ways[i]) && strcmp(ways[i], way) != 0;
    if (!is_another || (is_by_size && strcmp(ways[i], "cap") == 0)) continue;
    return refuse(host, ways[i], NULL, "be left out if '%s' is given", way);
  }
  bool has_minimum = is_given(request, MINIMUM);
  if (!is_given(request, "mean_batch_size")) {
    refuse(host, way, NULL, "be given together with 'mean_batch_size'");
    return has_minimum && advise(host, "Give that in place of '%s'.", MINIMUM);
  }
  if (has_minimum) return refuse(host, MINIMUM, NULL, "be left out if '%s' is given", way);
  return rare == RARE_ERROR || refuse(host, "rare", NULL, "be left out if '%s' is given", way);
}

/* Check that one of the two sizes is given, or both if rows of rare strata are repeated. */
static bool check_given_sizes(const Parts *request, int rare, Host *host) {
  bool has_minimum = is_given(request, MINIMUM), has_mean = is_given(request, "mean_batch_size");
  if (rare == RARE_REPEAT) {
    const char *got = has_minimum || has_mean ? "one of them" : "neither";
    return (has_minimum && has_mean) ||
           refuse(host, MINIMUM, got, "be given together with 'mean_batch_size' if 'rare' is 'repeat'");
  }
  if (check_one_size(request, MINIMUM, host)) return true;
  return has_minimum && advise(host, "Both may be given if 'rare' is 'repeat'.");
}

/* Read the minimum, or the minimums of the strata that are named. */
static bool read_minimum(const Parts *request, StratifiedRequest *wanted, Host *host) {
  Part part = find_part(request, MINIMUM);
  double number;
  if (part.type == NOTHING) return true;
  if (!part.is_named) {
    wanted->has_minimum = true;
    if (read_whole(request, MINIMUM, 1, INFINITY, &wanted->minimum, host)) return true;
    bool is_fraction = is_one_number(&part, &number) && isfinite(number) && floor(number) != number;
    return is_fraction && advise(host, "To choose the size of the batches instead, pass 'mean_batch_size'.");
  }
  wanted->has_minimums = true;
  return read_minimums(request, host);
}

/* Read how shares follow from the sizes of strata. */
static bool read_weights_by_size(const Parts *request, StratifiedRequest *wanted, Host *host) {
  bool has_temperature = is_given(request, "temperature"), is_capped = is_given(request, "cap");
  wanted->is_by_size = has_temperature || is_capped;
  wanted->temperature = 1;
  wanted->cap = LARGEST_COUNT;
  if (has_temperature && !read_number(request, "temperature", 1, &wanted->temperature, host)) return false;
  return !is_capped || read_whole(request, "cap", 1, INFINITY, &wanted->cap, host);
}

static bool read_stratified(const Parts *request, StratifiedRequest *wanted, Host *host) {
  static const char *const assign[] = {"proportional", "even"};
  static const char *const drop[] = {"balanced"};
  int any;
  if (!read_rare_choice(request, RARE_REPEAT + 1, &wanted->rare, host)) return false;
  size_t number = 0;
  while (number + 1 < sizeof ways / sizeof *ways && !is_given(request, ways[number])) number++;
  const char *way = ways[number];
  bool has_way = is_given(request, way);
  bool fits = has_way ? check_way(request, way, wanted->rare, host) : check_given_sizes(request, wanted->rare, host);
  if (!fits || !read_minimum(request, wanted, host)) return false;
  wanted->has_mean = is_given(request, "mean_batch_size");
  if (wanted->has_mean && !read_whole(request, "mean_batch_size", 1, INFINITY, &wanted->mean, host)) return false;
  if (!read_shares(request, &wanted->has_shares, host) || !read_weights_by_size(request, wanted, host)) return false;
  if (!read_balance(request, &wanted->balance, &wanted->each, host)) return false;
  wanted->drops = is_given(request, "drop");
  return (!wanted->drops || read_choice(request, "drop", drop, 1, &any, host)) &&
         read_flag(request, "shuffle", &wanted->is_shuffled, host) &&
         read_choice(request, "assign", assign, ASSIGN_CHOICES, &wanted->assign, host) &&
         read_missing(request, host) &&
         read_sharing(request, &wanted->num_replicas, host);
}

/* Make the numbers that were read from a part whose values have names a result, by this name. */
static bool give_items(const Parts *request, const char *part, const char *name, Host *host) {
  int64_t count = find_part(request, part).length;
  double *numbers = host->vector(host, name, DOUBLES, count);
  if (numbers == NULL) return false;
  for (int64_t item = 0; item < count; item++) {
    bool is_read = strcmp(part, MINIMUM) == 0 ? read_whole_item(request, part, item, 0, &numbers[item], host)
                                              : read_positive_item(request, part, item, &numbers[item], host);
    if (!is_read) return false;
  }
  return true;
}

/* Make the settings of the request the result. */
static bool keep_stratified(const Parts *request, const StratifiedRequest *wanted, Host *host) {
  if (wanted->has_minimums && !give_items(request, MINIMUM, "minimums", host)) return false;
  if (wanted->has_shares && !give_items(request, "shares", "weights", host)) return false;
  return give_number(MINIMUM, wanted->has_minimum, wanted->minimum, host) &&
         give_number("mean_batch_size", wanted->has_mean, wanted->mean, host) && host->keep(host, "shares") &&
         host->keep(host, "temperature") && give_number("cap", is_given(request, "cap"), wanted->cap, host) &&
         give_number("balance", wanted->balance == BALANCE_NUMBER, wanted->each, host) && host->keep(host, "drop") &&
         host->keep(host, "shuffle") && host->keep(host, "assign") && host->keep(host, "rare") &&
         host->keep(host, "missing") && keep_sharing(request, wanted->num_replicas, host);
}

/* Find the minimum of each stratum, 0 for none. */
static bool spread_minimums(
    const Parts *request, const StratifiedRequest *wanted, const TakenRows *plan, double *minimums, Host *host
) {
  int64_t n_strata = plan->rows->n_strata;
  if (wanted->has_minimums && spread_items(request, MINIMUM, n_strata, minimums, host) < 0) return false;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    minimums[stratum] = wanted->has_minimums ? fmax(minimums[stratum], 0) : wanted->minimum;
  }
  return true;
}

/* Choose the number of batches and the rows of each stratum; whether rows are dealt evenly. `numbers` and `integers`
 * have n_strata numbers.
 */
static bool plan_batches(
    const Parts *request, const StratifiedRequest *wanted, TakenRows *plan, bool *even, double *numbers,
    int64_t *integers, Host *host
) {
  const Counts *rows = plan->rows;
  double replicas = wanted->num_replicas;
  int rare = wanted->rare;
  *even = true;
  if (wanted->has_shares) {
    return spread_shares(request, plan, numbers, host) && take_shares(plan, numbers, integers, host);
  }
  if (wanted->is_by_size) return take_by_size(plan, wanted->temperature, wanted->cap, integers, host);
  if (wanted->balance != NO_BALANCE) {
    double each = rows_that_balance(wanted->balance, wanted->each, rows->counts, rows->n_strata);
    return take_equally(plan, each, host);
  }
  if (wanted->drops) return take_one_size(plan, integers, host);
  bool has_minimums = wanted->has_minimums || rare == RARE_REPEAT;
  if (has_minimums && !spread_minimums(request, wanted, plan, numbers, host)) return false;
  if (rare == RARE_REPEAT) return take_repeatedly(plan, numbers, host);
  memcpy(plan->taken, rows->counts, (size_t)rows->n_strata * sizeof *plan->taken);
  int64_t *n_batches = &plan->n_batches;
  static const char *const advice = REPEAT_ADVICE "'min_samples_per_stratum', too.";
  bool has_batches =
      has_minimums       ? batches_by_quotas(request, rows, numbers, replicas, rare, n_batches, host)
      : wanted->has_mean ? batches_by_mean_for_all(request, rows, wanted->mean, replicas, rare, advice, n_batches, host)
                         : batches_by_minimum(request, rows, wanted->minimum, replicas, rare, n_batches, host);
  /* Proportional batches could be empty if there are more batches than rows of every stratum. */
  *even = wanted->assign == ASSIGN_EVEN || plan->n_batches > fewest_rows(rows);
  return has_batches;
}

/* Make the parts of a recipe the result. */
static bool give_stratified(const TakenRows *plan, bool even, bool is_shuffled, Host *host) {
  const Counts *rows = plan->rows;
  bool takes_again = false, is_permuted = false;
  for (int64_t stratum = 0; stratum < rows->n_strata; stratum++) {
    takes_again = takes_again || plan->taken[stratum] != rows->counts[stratum];
    is_permuted = is_permuted || (is_shuffled && plan->taken[stratum] < plan->n_batches);
  }
  bool kept = host->keep(host, "codes") && host->number(host, "n_strata", (double)rows->n_strata) &&
              host->number(host, "n_batches", (double)plan->n_batches) && host->flag(host, "even", even) &&
              host->flag(host, "shuffle", is_shuffled) && (!is_permuted || host->flag(host, "permuted", true));
  if (!kept || !takes_again) return kept;
  double *taken = host->vector(host, "taken", DOUBLES, rows->n_strata);
  for (int64_t stratum = 0; taken != NULL && stratum < rows->n_strata; stratum++) {
    taken[stratum] = (double)plan->taken[stratum];
  }
  return taken != NULL;
}

static bool plan_stratified(const Parts *request, Host *host) {
  StratifiedRequest wanted = {0};
  if (!read_stratified(request, &wanted, host)) return false;
  if (!is_given(request, "codes")) return keep_stratified(request, &wanted, host);
  Codes codes;
  if (!read_codes(request, FOR_THE_CALL, &codes, host) || !check_strata_have_rows(&codes, host)) return false;
  Counts rows = new_counts(codes.counts, codes.counts, codes.n_strata);
  TakenRows plan = {.request = request, .rows = &rows, .size = wanted.mean, .num_replicas = wanted.num_replicas};
  double *numbers = host->memory(host, FOR_THE_CALL, 3 * codes.n_strata * (int64_t)sizeof *numbers);
  if (numbers == NULL) return false;
  int64_t *integers = (int64_t *)(void *)(numbers + codes.n_strata);
  plan.taken = integers + codes.n_strata;
  bool even;
  return plan_batches(request, &wanted, &plan, &even, numbers, integers, host) &&
         give_stratified(&plan, even, wanted.is_shuffled, host);
}

static bool prepare_stratified(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Dealt *self = instance;
  bool has_taken = is_given(recipe, "taken");
  if (!read_codes(recipe, FOR_THE_INSTANCE, &self->codes, host)) return false;
  int64_t n_strata = self->codes.n_strata;
  double most = has_taken ? (double)LARGEST_COUNT : (double)self->codes.n_rows;
  if (!read_count(recipe, "n_batches", 1, most, &self->n_batches, host)) return false;
  if (!read_flag(recipe, "even", &self->even, host)) return false;
  if (!read_flag(recipe, "shuffle", &self->is_shuffled, host)) return false;
  if (!read_flag_if_given(recipe, "permuted", &self->is_permuted, host)) return false;
  self->seed = seed;
  self->taken = self->codes.counts;
  if (has_taken) {
    int64_t *taken = host->memory(host, FOR_THE_INSTANCE, n_strata * (int64_t)sizeof *taken);
    if (taken == NULL || !read_wholes(recipe, "taken", n_strata, 1, LARGEST_COUNT, taken, host)) return false;
    if (!self->even) return refuse(host, "recipe", "others", "deal at most %d rows evenly", LARGEST_COUNT);
    self->taken = taken;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      self->is_walked = self->is_walked || taken[stratum] != self->codes.counts[stratum];
    }
  }
  return check_dealt(self, host);
}

static void identify_stratified(const void *instance, const Parts *recipe, Identity *identity) {
  const Dealt *self = instance;
  (void)recipe;
  identity->has_unused_seed = !self->is_shuffled && !self->is_permuted;
}

const Kind stratified_kind = {
    .name = "stratified",
    .instance_bytes = sizeof(Dealt),
    .plan = plan_stratified,
    .prepare = prepare_stratified,
    .draw = draw_dealt,
    .identify = identify_stratified,
};
