/* Batches of rows drawn by weights that may change between batches. */

#include "../first_rows.h"
#include "../place.h"
#include "../request.h"
#include "../row_changes.h"
#include "../row_draws.h"
#include "kinds.h"

typedef struct {
  RowWeighing weighing;
  DrawForm form;
  int64_t batch_size, n_batches;
} Weighted;

/* Check the weights of a user, and that a batch can be drawn by them. */
static bool check_first_weights(const Part *part, int64_t batch_size, DrawForm form, Host *host) {
  Draws draws = {"batch_size", batch_size, 1};
  const double *weights = part->values;
  int64_t n_positive = 0;
  if (part->type != DOUBLES) return refuse(host, "weights", NULL, "hold numbers");
  if (!check_all_weights("weights", weights, part->length, host)) return false;
  int64_t needed = form == DISTINCT_DRAW ? batch_size : 1;
  for (int64_t row = 0; row < part->length && n_positive < needed; row++) n_positive += weights[row] > 0;
  return check_drawable("weights", n_positive, &draws, form, host);
}

static bool plan_weighted(const Parts *request, Host *host) {
  double number, num_replicas;
  bool replacement = false;
  Part weights = find_part(request, "weights");
  int64_t batch_size, n_batches, n = weights.length;
  if (n < 1 || n > LARGEST_COUNT) {
    char shown[NUMBER];
    return refuse(host, "weights", show_count(n, "value", shown), "have from 1 to %d values", LARGEST_COUNT);
  }
  if (!read_whole(request, "batch_size", 1, LARGEST_COUNT, &number, host)) return false;
  if (!read_flag(request, "replacement", &replacement, host)) return false;
  DrawForm form = replacement ? REPLACED_DRAW : DISTINCT_DRAW;
  if (!check_first_weights(&weights, (int64_t)number, form, host)) return false;
  if (!read_sharing(request, &num_replicas, host)) return false;
  if (!read_fixed_size(request, n, num_replicas, &batch_size, &n_batches, host)) return false;
  return host->number(host, "n_rows", (double)n) && host->number(host, "batch_size", (double)batch_size) &&
         host->flag(host, "replacement", replacement) && host->number(host, "n_batches", (double)n_batches) &&
         host->number(host, "num_replicas", num_replicas) && host->keep(host, "weights");
}

static bool prepare_weighted(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Weighted *self = instance;
  double n, batch_size, n_batches, number;
  bool replacement = false;
  (void)seed;
  if (!read_whole(recipe, "batch_size", 1, LARGEST_COUNT, &batch_size, host)) return false;
  if (!read_whole(recipe, "n_batches", 1, LARGEST_COUNT, &n_batches, host)) return false;
  if (!read_flag(recipe, "replacement", &replacement, host)) return false;
  if (!read_whole(recipe, "num_replicas", 1, n_batches, &number, host)) return false;
  if (!read_whole(recipe, "n_rows", 1, LARGEST_COUNT, &n, host)) return false;
  self->weighing = (RowWeighing){.name = "weights", .capacity = (int64_t)n};
  self->form = replacement ? REPLACED_DRAW : DISTINCT_DRAW;
  self->batch_size = (int64_t)batch_size;
  self->n_batches = (int64_t)n_batches;
  return true;
}

static bool check_weighted(const void *instance, const Parts *given, Host *host) {
  const Weighted *self = instance;
  Part weights = find_part(given, "weights");
  int64_t n = self->weighing.capacity;
  if (weights.type != DOUBLES || weights.length != n) {
    refuse(host, "recipe", NULL, "have %lld doubles as 'weights'", (long long)n);
    host->refusal.shown = "weights";
    return false;
  }
  return check_place(given, self->batch_size, self->n_batches, n, host);
}

static bool begin_weighted(const void *instance, const Parts *given, Host *host) {
  const Weighted *self = instance;
  RowWeights rows;
  if (!check_weighted(instance, given, host)) return false;
  FirstRows first = {.values = find_part(given, "weights").values, .n_rows = self->weighing.capacity, .largest = -1};
  first.are_checked = !given->is_recipe && is_given(given, "n_batches"); /* by plan_weighted() */
  return begin_row_weights(&self->weighing, &first, &rows, host);
}

static bool draw_more_weighted(
    const void *instance, const Parts *state, const Parts *wanted, Generator *generator, Host *host
) {
  const Weighted *self = instance;
  RowWeights rows;
  Draws draws;
  return lay_row_weights(&self->weighing, state, &rows, host) && read_draws(wanted, self->batch_size, &draws, host) &&
         draw_weighed_rows(&rows, generator, &draws, self->form, host);
}

static bool tell_weighted(
    const void *instance, const Parts *state, const char *method, const Parts *told, Host *host
) {
  const Weighted *self = instance;
  RowWeights rows;
  (void)method; /* "update" */
  return lay_row_weights(&self->weighing, state, &rows, host) && update_weights(&rows, told, "rows", host);
}

static bool ask_weighted(
    const void *instance, const Parts *state, const char *name, const Parts *asked, Host *host
) {
  const Weighted *self = instance;
  RowWeights rows;
  if (!lay_row_weights(&self->weighing, state, &rows, host)) return false;
  if (strcmp(name, "total") == 0) return host->number(host, "total", total_of(&rows.tree));
  if (strcmp(name, "weights") == 0) return give_row_weights(&rows, asked, "rows", host);
  return give_state(&rows, "weights", host);
}

static const Feedback weighted_feedback = {
    .check = check_weighted,
    .begin = begin_weighted,
    .draw_more = draw_more_weighted,
    .tell = tell_weighted,
    .ask = ask_weighted,
};

static void identify_weighted(const void *instance, const Parts *recipe, Identity *identity) {
  (void)instance;
  (void)recipe;
  identity->has_unused_shares = true; /* only the number of batches depends on them, and it is a part */
}

const Kind weighted_kind = {
    .name = "weighted",
    .instance_bytes = sizeof(Weighted),
    .plan = plan_weighted,
    .prepare = prepare_weighted,
    .identify = identify_weighted,
    .feedback = &weighted_feedback,
};
