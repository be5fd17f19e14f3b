/* Prioritized experience replay: batches of rows drawn by (abs(priority) + epsilon)^alpha, or by rank^-alpha.
 *
 * Rows that were drawn may be overwritten before their priorities are told. The clock of a buffer is the number of rows
 * that were ever added, of which the one with the number i is in place i mod capacity. So place r was written since the
 * clock showed c if (r - c) mod capacity is below the number of rows added since, and no place needs a clock.
 */

#include "core/first_rows.h"
#include "core/kinds.h"
#include "core/place.h"
#include "core/powers.h"
#include "core/request.h"
#include "core/row_changes.h"
#include "core/row_draws.h"

typedef struct {
  RowWeighing weighing;
  DrawForm form;
  int64_t batch_size, n_batches;
  double epsilon; /* 0 for ranks, and if rows of priority 0 are never drawn */
} Prioritized;

/* What states hold for each row. */
static const char *entry_of(const RowWeighing *weighing) { return weighing->is_ranked ? "priorities" : "weights"; }

/* Whether the last of `capacity` ranks can be drawn. */
static bool has_last_rank(double capacity, double alpha) { return pow(capacity, -alpha) > 0; }

/* Whether every row has a weight, or only those whose priority is above 0, as users may want. */
static bool has_least_weight(double epsilon, double alpha) {
  if (epsilon == 0) return true;
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
  if (has_epsilon && !read_number(request, "epsilon", 0, epsilon, host)) return false;
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
  return host->number(host, "next_position", (double)(n % capacity)) && host->number(host, "n_added", (double)n);
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
  double number, alpha, capacity;
  int method = 0;
  bool stratified = false, is_ranked = is_given(recipe, "method");
  (void)seed;
  if (!read_count(recipe, "batch_size", 1, LARGEST_COUNT, &self->batch_size, host)) return false;
  if (!read_count(recipe, "n_batches", 1, LARGEST_COUNT, &self->n_batches, host)) return false;
  if (!read_flag(recipe, "stratified", &stratified, host)) return false;
  if (!read_whole(recipe, "num_replicas", 1, (double)self->n_batches, &number, host)) return false;
  if (!read_number(recipe, "alpha", 0, &alpha, host)) return false;
  if (!read_whole(recipe, "capacity", 1, LARGEST_COUNT, &capacity, host)) return false;
  if (is_ranked) {
    if (!read_choice(recipe, "method", methods, 1, &method, host)) return false;
    if (is_given(recipe, "epsilon")) return refuse_part(host, "epsilon", "nothing for ranks");
    if (!has_last_rank(capacity, alpha)) return refuse_part(host, "alpha", "a number for which all ranks have weights");
  } else {
    if (!read_number(recipe, "epsilon", 0, &self->epsilon, host)) return false;
    if (!has_least_weight(self->epsilon, alpha)) {
      return refuse_part(host, "epsilon", "0, or a number that has a power of alpha above 0");
    }
  }
  self->weighing = (RowWeighing){
      .name = "priorities", .capacity = (int64_t)capacity, .keeps_least = true, .is_ranked = is_ranked, .alpha = alpha,
  };
  self->form = stratified ? SLICED_DRAW : REPLACED_DRAW;
  return true;
}

/* Check the weights, or the priorities, of the rows; the numbers themselves only in a recipe and in a state. */
static bool check_first_values(const Prioritized *self, const Parts *given, const Part *part, Host *host) {
  const RowWeighing *weighing = &self->weighing;
  const double *values = part->values;
  bool may_be_0 = self->epsilon == 0; /* so for ranks */
  if (part->type != DOUBLES || part->length > weighing->capacity) {
    return refuse_row_values(given, part, 0, weighing->capacity, host);
  }
  bool is_planned = is_given(given, "n_batches"); /* then plan_prioritized() has checked them */
  for (int64_t row = 0; !is_planned && row < part->length; row++) {
    bool is_right = (may_be_0 ? values[row] >= 0 : values[row] > 0) && values[row] < INFINITY;
    if (!is_right && !given->is_recipe && values[row] == 0) return refuse(host, "state", "0", "hold weights above 0");
    if (!is_right && given->is_recipe) {
      const char *required = may_be_0 ? "finite numbers, none below 0," : "finite numbers above 0";
      return refuse(host, "recipe", "others", "have %s as '%s'", required, part->name);
    }
    if (!go_on_after(row, host)) return false;
  }
  return true;
}

/* Read how many rows were ever added, which follows from the next position until all rows have been replaced once. */
static bool read_n_added(
    const Prioritized *self, const Parts *given, int64_t n_rows, double next, double *n_added, Host *host
) {
  double capacity = (double)self->weighing.capacity;
  *n_added = (double)n_rows + ((double)n_rows == capacity ? next : 0);
  if (!is_given(given, "n_added")) return true;
  if (!read_whole(given, "n_added", (double)n_rows, LARGEST_EXACT, n_added, host)) return false;
  bool is_full = (double)n_rows == capacity;
  if (is_full ? fmod(*n_added, capacity) == next : *n_added == (double)n_rows) return true;
  const char *required = "the number of rows that were ever added";
  if (given->is_recipe) return refuse_part(host, "n_added", "%s", required);
  return refuse(host, "n_added", NULL, "be %s", required);
}

static bool check_prioritized(const void *instance, const Parts *given, Host *host) {
  const Prioritized *self = instance;
  Part values = find_part(given, entry_of(&self->weighing));
  if (!check_first_values(self, given, &values, host)) return false;
  bool is_full = values.length == self->weighing.capacity;
  double least = is_full ? 0 : (double)values.length, number;
  double most = is_full ? (double)values.length - 1 : (double)values.length;
  if (!read_whole(given, "next_position", least, most, &number, host)) return false;
  if (!read_n_added(self, given, values.length, number, &number, host)) return false;
  if (is_given(given, "largest") && !read_number(given, "largest", 0, &number, host)) return false;
  return check_place(given, self->batch_size, self->n_batches, values.length, host);
}

static bool begin_prioritized(const void *instance, const Parts *given, Host *host) {
  const Prioritized *self = instance;
  RowWeights rows;
  FirstRows first;
  double next, n_added, largest = -1;
  if (!check_prioritized(instance, given, host)) return false;
  if (!read_whole(given, "next_position", 0, LARGEST_COUNT, &next, host)) return false;
  if (is_given(given, "largest") && !read_number(given, "largest", 0, &largest, host)) return false;
  Part values = find_part(given, entry_of(&self->weighing));
  if (!read_n_added(self, given, values.length, next, &n_added, host)) return false;
  first = (FirstRows){
      .values = values.values, .n_rows = values.length, .next_position = (int64_t)next, .n_added = n_added,
      .largest = largest,
  };
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
  return size == 0 ? 0 : pow(size, weighing->alpha); /* never drawn, even if alpha is 0 */
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

/* Raise sizes as raised() does. */
static bool raise_sizes(const Prioritized *self, double *sizes, int64_t count, Host *host) {
  for (int64_t begin = 0; begin < count; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, count);
    if (self->weighing.alpha > 0) {
      raise_all(sizes + begin, end - begin, self->weighing.alpha, sizes + begin);
    } else {
      for (int64_t i = begin; i < end; i++) sizes[i] = sizes[i] > 0;
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Return the weights, or for ranks the absolute values, of `count` priorities that were told, or NULL. */
static double *read_told_sizes(const Prioritized *self, const double *priorities, int64_t count, Host *host) {
  double *sizes = host->memory(host, FOR_THE_CALL, (count + 1) * (int64_t)sizeof *sizes), largest = 0;
  if (sizes == NULL) return NULL;
  for (int64_t i = 0; i < count; i++) {
    sizes[i] = fabs(priorities[i]) + self->epsilon;
    largest = sizes[i] <= largest ? largest : sizes[i];
    if (isnan(largest)) break;
  }
  if (!(raised(&self->weighing, largest) < INFINITY)) {
    refuse_priorities(self, priorities, sizes, count, host);
    return NULL;
  }
  return self->weighing.is_ranked || raise_sizes(self, sizes, count, host) ? sizes : NULL;
}

/* Note the largest of priorities that were told, plus epsilon. */
static void note_largest(const Prioritized *self, RowWeights *rows, const double *priorities, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    double size = fabs(priorities[i]) + self->epsilon;
    if (size > rows->head[LARGEST]) rows->head[LARGEST] = size;
  }
}

/* Leave out the rows that append has written since `since` rows had been added; return how many are left. */
static int64_t leave_out_overwritten(
    const RowWeights *rows, double since, int64_t *places, double *sizes, double *priorities, int64_t count
) {
  int64_t capacity = rows->weighing->capacity, first = (int64_t)fmod(since, (double)capacity), kept = 0;
  double n_written = rows->head[N_ADDED] - since;
  for (int64_t i = 0; i < count; i++) {
    int64_t distance = places[i] - first + (places[i] < first ? capacity : 0);
    if ((double)distance < n_written) continue;
    places[kept] = places[i];
    priorities[kept] = priorities[i];
    sizes[kept++] = sizes[i];
  }
  return kept;
}

static bool update_priorities(const Prioritized *self, RowWeights *rows, const Parts *told, Host *host) {
  int64_t count = 0;
  double since;
  int64_t *places = read_places(told, "rows", n_rows_of(rows), &count, host);
  const double *priorities = places == NULL ? NULL : read_row_values(told, "priorities", count, host);
  double *sizes = priorities == NULL ? NULL : read_told_sizes(self, priorities, count, host);
  if (sizes == NULL) return false;
  if (is_given(told, "since")) {
    if (!read_whole(told, "since", 0, rows->head[N_ADDED], &since, host)) return false;
    double *copies = host->memory(host, FOR_THE_CALL, (count + 1) * (int64_t)sizeof *copies);
    if (copies == NULL) return false;
    memcpy(copies, priorities, (size_t)count * sizeof *copies);
    count = leave_out_overwritten(rows, since, places, sizes, copies, count);
    priorities = copies;
  }
  if (count == 0) return true;
  if (!change_rows(rows, places, sizes, count, host)) return false;
  note_largest(self, rows, priorities, count);
  return true;
}

/* Add rows: "count" of them, or one for each of "priorities". */
static bool append_priorities(const Prioritized *self, RowWeights *rows, const Parts *told, Host *host) {
  bool have_priorities = is_given(told, "priorities");
  Part part = find_part(told, "priorities");
  double number = have_priorities ? (double)part.length : 1, capacity = (double)self->weighing.capacity;
  if (is_given(told, "count") && !read_whole(told, "count", 0, capacity, &number, host)) return false;
  int64_t count = (int64_t)number;
  if (have_priorities) {
    const double *priorities = read_row_values(told, "priorities", count, host);
    if (priorities != NULL && count > self->weighing.capacity) {
      char shown[NUMBER];
      return refuse(
          host, "priorities", show_count(count, "value", shown),
          "have at most as many values as there is room for, %lld", (long long)self->weighing.capacity
      );
    }
    double *sizes = priorities == NULL ? NULL : read_told_sizes(self, priorities, count, host);
    if (sizes == NULL || !append_rows(rows, sizes, count, host)) return false;
    note_largest(self, rows, priorities, count);
    return true;
  }
  double largest = rows->head[LARGEST];
  double *values = host->memory(host, FOR_THE_CALL, (count + 1) * (int64_t)sizeof *values);
  if (values == NULL) return false;
  /* A row of priority 0 is never drawn, except by its rank; it does not keep new rows from being drawn. */
  bool is_told = largest > 0 || (largest == 0 && self->weighing.is_ranked);
  double value = raised(&self->weighing, is_told ? largest : 1);
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
  double least_raised = tree->n_positive == 0 ? 0 : pow(least, beta);
  for (int64_t i = 0; i < count; i++) {
    double weight = weight_of_row(rows, places[i]);
    factors[i] = 0;
    if (weight == 0) continue; /* it is never drawn */
    /* Of the two orders of division and power, the one that overflows or underflows only if the result does. */
    factors[i] = beta > 1 ? pow(least / weight, beta) : least_raised / pow(weight, beta);
    if (!go_on_after(i, host)) return false;
  }
  return true;
}

/* Give the absolute priorities of the rows of a part, of all rows if there is none: "priorities". */
static bool give_priorities(const Prioritized *self, const RowWeights *rows, const Parts *asked, Host *host) {
  const RowWeighing *weighing = rows->weighing;
  int64_t count = n_rows_of(rows);
  const int64_t *places = NULL;
  if (!weighing->is_ranked && weighing->alpha == 0) {
    return refuse(host, "alpha", "0", "be above 0 to read priorities, which have no effect otherwise");
  }
  if (is_given(asked, "rows")) {
    places = read_places(asked, "rows", count, &count, host);
    if (places == NULL) return false;
  }
  double *priorities = host->vector(host, "priorities", DOUBLES, count);
  if (priorities == NULL) return false;
  for (int64_t i = 0; i < count; i++) {
    int64_t row = places == NULL ? i : places[i];
    if (weighing->is_ranked) {
      priorities[i] = rows->ranking.keys[row];
    } else {
      double priority = pow(leaves_of(&rows->tree)[row], 1 / weighing->alpha) - self->epsilon;
      priorities[i] = priority > 0 ? priority : 0;
    }
    if (!go_on_after(i, host)) return false;
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
  if (strcmp(name, "priorities") == 0) return give_priorities(self, &rows, asked, host);
  if (strcmp(name, "n_rows") == 0) return host->number(host, "n_rows", (double)n_rows_of(&rows));
  if (strcmp(name, "n_added") == 0) return host->number(host, "n_added", rows.head[N_ADDED]);
  return give_state(&rows, entry_of(&self->weighing), host) && host->number(host, "n_added", rows.head[N_ADDED]);
}

static const Feedback prioritized_feedback = {
    .check = check_prioritized,
    .begin = begin_prioritized,
    .draw_more = draw_more_prioritized,
    .tell = tell_prioritized,
    .ask = ask_prioritized,
};

const Kind prioritized_kind = {
    .name = "prioritized",
    .instance_bytes = sizeof(Prioritized),
    .plan = plan_prioritized,
    .prepare = prepare_prioritized,
    .identify = identify_row_weights,
    .feedback = &prioritized_feedback,
};
