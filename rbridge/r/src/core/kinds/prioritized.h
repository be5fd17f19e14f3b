/* Prioritized experience replay: batches of rows drawn by (abs(priority) + epsilon)^alpha, or by rank^-alpha. */

#include "../place.h"
#include "../request.h"
#include "../row_weights.h"
#include "kinds.h"

typedef struct {
  RowWeighing weighing;
  DrawForm form;
  int64_t batch_size, n_batches;
  double epsilon; /* 0 for ranks */
} Prioritized;

/* What states hold for each row. */
static const char *entry_of(const RowWeighing *weighing) { return weighing->is_ranked ? "priorities" : "weights"; }

/* Whether the last of `capacity` ranks can be drawn. */
static bool has_last_rank(double capacity, double alpha) { return pow(capacity, -alpha) > 0; }

/* Whether a row of priority 0 has a weight. */
static bool has_least_weight(double epsilon, double alpha) {
  double least = pow(epsilon, alpha);
  return least > 0 && least < INFINITY;
}

/* Read epsilon, or check that ranks need none. */
static bool read_epsilon(
    const Parts *request, bool is_ranked, double capacity, double alpha, double *epsilon, Host *host
) {
  bool has_epsilon = is_given(request, "epsilon");
  *epsilon = is_ranked ? 0 : 1e-6;
  if (is_ranked) {
    if (has_epsilon) return refuse(host, "epsilon", NULL, "not be given if 'method' is 'rank'");
    if (has_last_rank(capacity, alpha)) return true;
    return refuse(host, "alpha", NULL, "give the last of %.0f ranks a weight above 0", capacity);
  }
  if (has_epsilon && !read_positive(request, "epsilon", epsilon, host)) return false;
  if (has_least_weight(*epsilon, alpha)) return true;
  char shown[NUMBER], shown_alpha[NUMBER];
  return refuse(
      host, "epsilon", has_epsilon ? NULL : show_number(*epsilon, shown),
      "neither vanish nor overflow when raised to the power of alpha, %s", show_number(alpha, shown_alpha)
  );
}

/* Make the state of n new rows results. */
static bool give_first_rows(bool is_ranked, int64_t n, int64_t capacity, Host *host) {
  double *values = host->vector(host, is_ranked ? "priorities" : "weights", DOUBLES, n);
  if (values == NULL) return false;
  for (int64_t row = 0; row < n; row++) values[row] = 1;
  return host->number(host, "next_position", (double)(n % capacity));
}

static bool plan_prioritized(const Parts *request, Host *host) {
  static const char *const methods[] = {"proportional", "rank"};
  double n, capacity, num_replicas, alpha, beta = 0, epsilon;
  int64_t batch_size, n_batches;
  int method = 0;
  bool stratified = false, normalize = false, has_capacity = is_given(request, "capacity");
  if (!read_whole(request, "n_rows", has_capacity ? 0 : 1, LARGEST_COUNT, &n, host)) return false;
  capacity = n;
  if (has_capacity && !read_whole(request, "capacity", n < 1 ? 1 : n, LARGEST_COUNT, &capacity, host)) return false;
  if (!read_sharing(request, &num_replicas, host)) return false;
  if (!read_fixed_size(request, (int64_t)capacity, num_replicas, &batch_size, &n_batches, host)) return false;
  if (!read_number(request, "alpha", 0, &alpha, host)) return false;
  bool is_function = !has_part(request, "beta");
  if (!is_function && !read_number(request, "beta", 0, &beta, host)) return false;
  if (!read_choice(request, "method", methods, 2, &method, host)) return false;
  bool is_ranked = method == 1;
  if (!read_epsilon(request, is_ranked, capacity, alpha, &epsilon, host)) return false;
  if (!read_flag(request, "stratified", &stratified, host)) return false;
  if (!read_flag(request, "normalize", &normalize, host)) return false;
  return host->number(host, "capacity", capacity) && host->number(host, "batch_size", (double)batch_size) &&
         host->number(host, "alpha", alpha) && (is_ranked || host->number(host, "epsilon", epsilon)) &&
         host->flag(host, "stratified", stratified) && host->number(host, "n_batches", (double)n_batches) &&
         (!is_ranked || host->keep(host, "method")) && host->number(host, "num_replicas", num_replicas) &&
         give_first_rows(is_ranked, (int64_t)n, (int64_t)capacity, host) &&
         (is_function || host->number(host, "beta", beta)) && host->flag(host, "normalize", normalize);
}

static bool prepare_prioritized(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  static const char *const methods[] = {"rank"};
  Prioritized *self = instance;
  double batch_size, n_batches, number, alpha, capacity;
  int method = 0;
  bool stratified = false, is_ranked = is_given(recipe, "method");
  (void)seed;
  if (!read_whole(recipe, "batch_size", 1, LARGEST_COUNT, &batch_size, host)) return false;
  if (!read_whole(recipe, "n_batches", 1, LARGEST_COUNT, &n_batches, host)) return false;
  if (!read_flag(recipe, "stratified", &stratified, host)) return false;
  if (!read_whole(recipe, "num_replicas", 1, n_batches, &number, host)) return false;
  if (!read_number(recipe, "alpha", 0, &alpha, host)) return false;
  if (!read_whole(recipe, "capacity", 1, LARGEST_COUNT, &capacity, host)) return false;
  if (is_ranked) {
    if (!read_choice(recipe, "method", methods, 1, &method, host)) return false;
    if (is_given(recipe, "epsilon")) return refuse_part(host, "epsilon", "nothing for ranks");
    if (!has_last_rank(capacity, alpha)) return refuse_part(host, "alpha", "a number for which all ranks have weights");
  } else {
    if (!read_number(recipe, "epsilon", 0, &self->epsilon, host)) return false;
    if (!has_least_weight(self->epsilon, alpha)) {
      return refuse_part(host, "epsilon", "a number that has a power of alpha above 0");
    }
  }
  self->weighing = (RowWeighing){
      .name = "priorities", .capacity = (int64_t)capacity, .keeps_least = true, .is_ranked = is_ranked, .alpha = alpha,
  };
  self->form = stratified ? SLICED_DRAW : REPLACED_DRAW;
  self->batch_size = (int64_t)batch_size;
  self->n_batches = (int64_t)n_batches;
  return true;
}

/* Check the weights, or the priorities, of the rows; the numbers themselves only in a recipe. */
static bool check_first_values(const RowWeighing *weighing, const Part *part, bool is_recipe, Host *host) {
  const double *values = part->values;
  if (part->type != DOUBLES || part->length > weighing->capacity) {
    refuse(host, "recipe", NULL, "have from 0 to %lld doubles as '%s'", (long long)weighing->capacity, part->name);
    host->refusal.shown = part->name;
    return false;
  }
  for (int64_t row = 0; is_recipe && row < part->length; row++) {
    bool is_right = weighing->is_ranked ? values[row] >= 0 && values[row] < INFINITY : values[row] > 0;
    if (!is_right) {
      const char *required = weighing->is_ranked ? "finite numbers, none below 0," : "numbers above 0";
      return refuse(host, "recipe", "others", "have %s as '%s'", required, part->name);
    }
    if (row % GO_ON_ROWS == GO_ON_ROWS - 1 && !host->go_on(host)) return false;
  }
  return true;
}

static bool check_prioritized(const void *instance, const Parts *given, Host *host) {
  const Prioritized *self = instance;
  Part values = find_part(given, entry_of(&self->weighing));
  if (!check_first_values(&self->weighing, &values, given->is_recipe, host)) return false;
  bool is_full = values.length == self->weighing.capacity;
  double least = is_full ? 0 : (double)values.length, number;
  double most = is_full ? (double)values.length - 1 : (double)values.length;
  if (!read_whole(given, "next_position", least, most, &number, host)) return false;
  if (is_given(given, "largest") && !read_number(given, "largest", 0, &number, host)) return false;
  return check_place(given, self->batch_size, self->n_batches, values.length, host);
}

static bool begin_prioritized(const void *instance, const Parts *given, Host *host) {
  const Prioritized *self = instance;
  RowWeights rows;
  FirstRows first;
  double next, largest = -1;
  if (!check_prioritized(instance, given, host)) return false;
  if (!read_whole(given, "next_position", 0, LARGEST_COUNT, &next, host)) return false;
  if (is_given(given, "largest") && !read_number(given, "largest", 0, &largest, host)) return false;
  Part values = find_part(given, entry_of(&self->weighing));
  first = (FirstRows){values.values, values.length, (int64_t)next, largest, false};
  return begin_row_weights(&self->weighing, &first, &rows, host);
}

static bool draw_more_prioritized(
    const void *instance, const Parts *state, const Parts *wanted, Generator *generator, Host *host
) {
  const Prioritized *self = instance;
  RowWeights rows;
  Draws draws;
  return lay_row_weights(&self->weighing, state, &rows, host) && read_draws(wanted, self->batch_size, &draws, host) &&
         draw_weighed_rows(&rows, generator, &draws, self->form, host);
}

/* The weight, or for ranks the priority, of a row, given its abs(priority) + epsilon; INFINITY if no double is it. */
static double raised(const RowWeighing *weighing, double size) {
  if (weighing->is_ranked || !isfinite(size)) return isnan(size) ? INFINITY : size;
  return pow(size, weighing->alpha);
}

/* Refuse the first priority that is not finite, or else the first one whose weight is not; return false. */
static bool refuse_priorities(
    const Prioritized *self, const double *priorities, const double *sizes, int64_t count, Host *host
) {
  int64_t wrong = 0;
  char required[SENTENCE], shown[NUMBER];
  while (wrong < count && isfinite(priorities[wrong])) wrong++;
  if (wrong < count) return refuse_at(host, "priorities", wrong, "hold finite numbers");
  for (wrong = 0; raised(&self->weighing, sizes[wrong]) < INFINITY;) wrong++;
  snprintf(
      required, SENTENCE, "stay finite when raised to the power of alpha, %s", show_number(self->weighing.alpha, shown)
  );
  return refuse_at(host, "priorities", wrong, required);
}

static bool update_priorities(const Prioritized *self, RowWeights *rows, const Parts *told, Host *host) {
  int64_t count = 0;
  const int64_t *places = read_places(told, "rows", n_rows_of(rows), &count, host);
  const double *priorities = places == NULL ? NULL : read_row_values(told, "priorities", count, host);
  if (priorities == NULL || count == 0) return priorities != NULL;
  double *sizes = host->memory(host, FOR_THE_CALL, count * (int64_t)sizeof *sizes), largest = 0;
  if (sizes == NULL) return false;
  for (int64_t i = 0; i < count; i++) {
    sizes[i] = fabs(priorities[i]) + self->epsilon;
    largest = sizes[i] <= largest ? largest : sizes[i];
    if (isnan(largest)) break;
  }
  if (!(raised(&self->weighing, largest) < INFINITY)) return refuse_priorities(self, priorities, sizes, count, host);
  if (!self->weighing.is_ranked) {
    for (int64_t begin = 0; begin < count; begin += GO_ON_ROWS) {
      raise_all(sizes + begin, smaller(GO_ON_ROWS, count - begin), self->weighing.alpha, sizes + begin);
      if (!host->go_on(host)) return false;
    }
  }
  if (!change_rows(rows, places, sizes, count, host)) return false;
  if (largest > rows->head[LARGEST]) rows->head[LARGEST] = largest;
  return true;
}

static bool append_priorities(const Prioritized *self, RowWeights *rows, const Parts *told, Host *host) {
  double number, largest = rows->head[LARGEST];
  if (!read_whole(told, "count", 0, (double)self->weighing.capacity, &number, host)) return false;
  int64_t count = (int64_t)number;
  double *values = host->memory(host, FOR_THE_CALL, (count + 1) * (int64_t)sizeof *values);
  if (values == NULL) return false;
  double value = raised(&self->weighing, largest < 0 ? 1 : largest);
  for (int64_t i = 0; i < count; i++) values[i] = value;
  return append_rows(rows, values, count, host);
}

static bool tell_prioritized(
    const void *instance, const Parts *state, const char *method, const Parts *told, Host *host
) {
  const Prioritized *self = instance;
  RowWeights rows;
  if (!lay_row_weights(&self->weighing, state, &rows, host)) return false;
  if (strcmp(method, "append") == 0) return append_priorities(self, &rows, told, host);
  return update_priorities(self, &rows, told, host);
}

/* Give the factors for the losses of rows: "importance_weights". */
static bool give_importance_weights(const RowWeights *rows, const Parts *asked, Host *host) {
  int64_t count = 0;
  double beta;
  bool normalize = false;
  const int64_t *places = read_places(asked, "rows", n_rows_of(rows), &count, host);
  if (places == NULL || !read_number(asked, "beta", 0, &beta, host)) return false;
  if (!read_flag(asked, "normalize", &normalize, host)) return false;
  double *factors = host->vector(host, "importance_weights", DOUBLES, count);
  if (factors == NULL) return false;
  const SumTree *tree = &rows->tree;
  double least = normalize ? least_weight_of(tree) : total_of(tree) / (double)tree->n_positive;
  double least_raised = pow(least, beta);
  for (int64_t i = 0; i < count; i++) {
    double weight = weight_of_row(rows, places[i]);
    /* Of the two orders of division and power, the one that overflows or underflows only if the result does. */
    factors[i] = beta > 1 ? pow(least / weight, beta) : least_raised / pow(weight, beta);
    if (i % GO_ON_ROWS == GO_ON_ROWS - 1 && !host->go_on(host)) return false;
  }
  return true;
}

static bool ask_prioritized(
    const void *instance, const Parts *state, const char *name, const Parts *asked, Host *host
) {
  const Prioritized *self = instance;
  RowWeights rows;
  if (!lay_row_weights(&self->weighing, state, &rows, host)) return false;
  if (strcmp(name, "importance_weights") == 0) return give_importance_weights(&rows, asked, host);
  if (strcmp(name, "n_rows") == 0) return host->number(host, "n_rows", (double)n_rows_of(&rows));
  return give_state(&rows, entry_of(&self->weighing), host);
}

static const Feedback prioritized_feedback = {
    .check = check_prioritized,
    .begin = begin_prioritized,
    .draw_more = draw_more_prioritized,
    .tell = tell_prioritized,
    .ask = ask_prioritized,
};

static void identify_prioritized(const void *instance, const Parts *recipe, Identity *identity) {
  (void)instance;
  (void)recipe;
  identity->has_unused_shares = true; /* only the number of batches depends on them, and it is a part */
}

const Kind prioritized_kind = {
    .name = "prioritized",
    .instance_bytes = sizeof(Prioritized),
    .plan = plan_prioritized,
    .prepare = prepare_prioritized,
    .identify = identify_prioritized,
    .feedback = &prioritized_feedback,
};
