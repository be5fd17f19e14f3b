/* Rows drawn by weights that may change, without batches: what sum trees of users are. */

#include "core/first_rows.h"
#include "core/kinds.h"
#include "core/request.h"
#include "core/row_changes.h"
#include "core/row_draws.h"

typedef struct {
  RowWeighing weighing;
} SumTreeRows;

static bool plan_sum_tree(const Parts *request, Host *host) {
  Part weights = find_part(request, "weights");
  double capacity = (double)weights.length, seed;
  if (weights.length == 0 && !is_given(request, "capacity")) {
    if (weights.type == NOTHING) return refuse(host, "capacity", "nothing", "be given if 'weights' are not");
    return refuse(host, "weights", "0 values", "not be empty without 'capacity'");
  }
  if (is_given(request, "capacity")) {
    if (!read_whole(request, "capacity", 1, LARGEST_COUNT, &capacity, host)) return false;
    if (capacity < (double)weights.length) {
      return refuse(host, "capacity", NULL, "be at least %lld, the number of weights", (long long)weights.length);
    }
  }
  if (is_given(request, "seed") && !read_whole(request, "seed", 0, LARGEST_SEED, &seed, host)) return false;
  return host->number(host, "capacity", capacity);
}

static bool prepare_sum_tree(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  SumTreeRows *self = instance;
  (void)seed;
  self->weighing = (RowWeighing){.name = "weights"};
  return read_count(recipe, "capacity", 1, LARGEST_COUNT, &self->weighing.capacity, host);
}

static bool check_sum_tree(const void *instance, const Parts *given, Host *host) {
  const SumTreeRows *self = instance;
  Part weights = find_part(given, "weights");
  bool has_room = weights.length <= self->weighing.capacity;
  if (weights.type == NOTHING || (weights.type == DOUBLES && has_room)) return true;
  if (given->is_recipe) return refuse_part(host, "weights", "at most %lld doubles", (long long)self->weighing.capacity);
  char shown[NUMBER];
  return refuse(
      host, "weights", show_count(weights.length, "value", shown), "have at most %lld values, the capacity",
      (long long)self->weighing.capacity
  );
}

static bool begin_sum_tree(const void *instance, const Parts *given, Host *host) {
  const SumTreeRows *self = instance;
  RowWeights rows;
  if (!check_sum_tree(instance, given, host)) return false;
  Part weights = find_part(given, "weights");
  FirstRows first = {.values = weights.values, .n_rows = weights.length, .largest = -1};
  double next = (double)(weights.length % self->weighing.capacity);
  bool is_kept = is_given(given, "next_position"), is_full = weights.length == self->weighing.capacity;
  double least = is_full ? 0 : next, most = is_full ? (double)self->weighing.capacity - 1 : next;
  if (is_kept && !read_whole(given, "next_position", least, most, &next, host)) return false;
  first.next_position = (int64_t)next;
  return begin_row_weights(&self->weighing, &first, &rows, host);
}

static bool draw_more_sum_tree(
    const void *instance, const Parts *state, const Parts *wanted, Generator *generator, Host *host
) {
  const SumTreeRows *self = instance;
  RowWeights rows;
  Draws draws;
  bool replacement = false;
  if (!lay_row_weights(&self->weighing, state, &rows, host) || !read_draws(wanted, 0, &draws, host)) return false;
  if (!read_flag(wanted, "replacement", &replacement, host)) return false;
  return draw_weighed_rows(&rows, generator, &draws, replacement ? REPLACED_DRAW : DISTINCT_DRAW, host);
}

static bool tell_sum_tree(
    const void *instance, const Parts *state, const char *method, const Parts *told, Host *host
) {
  const SumTreeRows *self = instance;
  RowWeights rows;
  if (!lay_row_weights(&self->weighing, state, &rows, host)) return false;
  if (strcmp(method, "update") == 0) return update_weights(&rows, told, "indices", host);
  int64_t count = find_part(told, "weights").length;
  const double *weights = read_row_values(told, "weights", count, host);
  return weights != NULL && check_all_weights("weights", weights, count, host) &&
         append_rows(&rows, weights, count, host);
}

/* Give the rows in whose shares of the total the "values" lie: "rows". */
static bool give_rows_at(const RowWeights *rows, const Parts *asked, Host *host) {
  Part part = find_part(asked, "values");
  double total = total_of(&rows->tree), scale = draw_scale(total);
  if (part.type != DOUBLES) return refuse(host, "values", NULL, "hold numbers");
  const double *values = part.values;
  double *left = host->memory(host, FOR_THE_CALL, (part.length + 1) * (int64_t)sizeof *left);
  int32_t *found = left == NULL ? NULL : host->vector(host, "rows", INTEGERS, part.length);
  if (found == NULL) return false;
  for (int64_t begin = 0; begin < part.length; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, part.length);
    for (int64_t i = begin; i < end; i++) {
      if (!(values[i] >= 0 && values[i] < total)) {
        char shown[NUMBER], required[SENTENCE];
        snprintf(required, SENTENCE, "hold numbers from 0 to below the total, %s", show_number(total, shown));
        return refuse_at(host, "values", i, required);
      }
      left[i] = values[i] * scale;
    }
    find_rows(&rows->tree, scale, left + begin, end - begin, found + begin);
    if (!host->go_on(host)) return false;
  }
  for (int64_t i = 0; i < part.length; i++) found[i] += host->first_row;
  return true;
}

static bool ask_sum_tree(
    const void *instance, const Parts *state, const char *name, const Parts *asked, Host *host
) {
  const SumTreeRows *self = instance;
  RowWeights rows;
  if (!lay_row_weights(&self->weighing, state, &rows, host)) return false;
  if (strcmp(name, "total") == 0) return host->number(host, "total", total_of(&rows.tree));
  if (strcmp(name, "n_rows") == 0) return host->number(host, "n_rows", (double)n_rows_of(&rows));
  if (strcmp(name, "rows") == 0) return give_rows_at(&rows, asked, host);
  if (strcmp(name, "weights") == 0) return give_row_weights(&rows, asked, "indices", host);
  return give_state(&rows, "weights", host);
}

static const Feedback sum_tree_feedback = {
    .check = check_sum_tree,
    .begin = begin_sum_tree,
    .draw_more = draw_more_sum_tree,
    .tell = tell_sum_tree,
    .ask = ask_sum_tree,
};

const Kind sum_tree_kind = {
    .name = "sum_tree",
    .instance_bytes = sizeof(SumTreeRows),
    .plan = plan_sum_tree,
    .prepare = prepare_sum_tree,
    .feedback = &sum_tree_feedback,
};
