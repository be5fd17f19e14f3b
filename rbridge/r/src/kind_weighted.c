/* Batches of rows drawn by weights that may change between batches, or follow the epoch.
 *
 * Weights that follow the epoch are those of stages, one after the other: a weight of each row in each stage. The state
 * has one tree for each stage.
 */

#include "core/first_rows.h"
#include "core/kinds.h"
#include "core/place.h"
#include "core/request.h"
#include "core/row_changes.h"
#include "core/row_draws.h"
#include "core/stages.h"

typedef struct {
  RowWeighing weighing;
  DrawForm form;
  int64_t batch_size, n_batches;
  const double *begins; /* the first epoch of each stage, or NULL: the weights are those of all epochs */
  int64_t n_stages;
} Weighted;

/* Find the number of stages of a request that has a weight of each row for each of them. */
static bool plan_weight_stages(const Parts *request, int64_t *n_stages, Host *host) {
  Part begins = find_part(request, "begins"), counts = find_part(request, "n_weights");
  const double *n_weights = counts.values, length = (double)find_part(request, "weights").length;
  *n_stages = 1;
  if (begins.type == NOTHING) return true;
  bool are_right = are_stages(&begins) && counts.type == DOUBLES && counts.length == begins.length;
  for (int64_t stage = 0; are_right && stage < begins.length; stage++) {
    are_right = is_count_to(n_weights[stage], length);
  }
  if (!are_right) return refuse(host, "weights", "others", "be a table from epochs to weights");
  for (int64_t stage = 1; stage < begins.length; stage++) {
    if (n_weights[stage] == n_weights[0]) continue;
    char got[SENTENCE], shown[NUMBER], other[NUMBER];
    snprintf(
        got, SENTENCE, "%s for epoch 0 and %s for epoch %.0f", show_count((int64_t)n_weights[0], "value", shown),
        show_number(n_weights[stage], other), ((const double *)begins.values)[stage]
    );
    return refuse(host, "weights", got, "have one weight for each row in all epochs");
  }
  *n_stages = begins.length;
  return true;
}

/* Check the weights of a user, and that a batch can be drawn by those of each stage; `begins` is NULL if they are those
 * of all epochs.
 */
static bool check_first_weights(
    const Part *part, const double *begins, int64_t n_stages, int64_t batch_size, DrawForm form, Host *host
) {
  Draws draws = {"batch_size", batch_size, 1};
  const double *weights = part->values;
  int64_t n = part->length / n_stages, needed = form == DISTINCT_DRAW ? batch_size : 1;
  if (part->type != DOUBLES) return refuse(host, "weights", NULL, "hold numbers");
  if (!check_all_weights("weights", weights, part->length, host)) return false;
  for (int64_t stage = 0; stage < n_stages; stage++, weights += n) {
    int64_t n_positive = 0;
    char when[NUMBER] = "";
    for (int64_t row = 0; row < n && n_positive < needed; row++) n_positive += weights[row] > 0;
    if (begins != NULL) snprintf(when, NUMBER, " in epoch %.0f", begins[stage]);
    if (!check_drawable("weights", n_positive, &draws, form, when, host)) return false;
  }
  return true;
}

static bool plan_weighted(const Parts *request, Host *host) {
  double number, num_replicas;
  bool replacement = false;
  Part weights = find_part(request, "weights");
  int64_t batch_size, n_batches, n_stages;
  if (!plan_weight_stages(request, &n_stages, host)) return false;
  int64_t n = weights.length / n_stages;
  if (n < 1 || n > LARGEST_COUNT) {
    char shown[NUMBER];
    return refuse(host, "weights", show_count(n, "value", shown), "have from 1 to %d values", LARGEST_COUNT);
  }
  if (!read_whole(request, "batch_size", 1, LARGEST_COUNT, &number, host)) return false;
  if (!read_flag(request, "replacement", &replacement, host)) return false;
  DrawForm form = replacement ? REPLACED_DRAW : DISTINCT_DRAW;
  const double *begins = is_given(request, "begins") ? find_part(request, "begins").values : NULL;
  if (!check_first_weights(&weights, begins, n_stages, (int64_t)number, form, host)) return false;
  if (!read_sharing(request, &num_replicas, host)) return false;
  if (!read_fixed_size(request, n, num_replicas, &batch_size, &n_batches, host)) return false;
  return host->number(host, "n_rows", (double)n) && host->number(host, "batch_size", (double)batch_size) &&
         host->flag(host, "replacement", replacement) && host->number(host, "n_batches", (double)n_batches) &&
         host->number(host, "num_replicas", num_replicas) &&
         (!is_given(request, "begins") || host->keep(host, "begins")) && host->keep(host, "weights");
}

static bool prepare_weighted(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Weighted *self = instance;
  int64_t n_rows;
  double number;
  bool replacement = false;
  (void)seed;
  if (!read_count(recipe, "batch_size", 1, LARGEST_COUNT, &self->batch_size, host)) return false;
  if (!read_count(recipe, "n_batches", 1, LARGEST_COUNT, &self->n_batches, host)) return false;
  if (!read_flag(recipe, "replacement", &replacement, host)) return false;
  if (!read_whole(recipe, "num_replicas", 1, (double)self->n_batches, &number, host)) return false;
  if (!read_count(recipe, "n_rows", 1, LARGEST_COUNT, &n_rows, host)) return false;
  self->weighing = (RowWeighing){.name = "weights", .capacity = n_rows};
  self->form = replacement ? REPLACED_DRAW : DISTINCT_DRAW;
  self->n_stages = 1;
  Part begins = find_part(recipe, "begins");
  if (begins.type == NOTHING) return true;
  self->begins = begins.values;
  self->n_stages = begins.length;
  return are_stages(&begins) || refuse_part(host, "begins", "epochs from 0, ascending");
}

/* The numbers of the tree of a stage, with its head. */
static int64_t stage_length(const Weighted *self) { return TREE_HEAD + n_tree_numbers(&self->weighing); }

/* Lay the weights of a stage over its tree. */
static bool lay_stage(const Weighted *self, const Parts *state, int64_t stage, RowWeights *rows, Host *host) {
  Part trees = find_part(state, "tree");
  int64_t length = stage_length(self);
  if (trees.type != DOUBLES || trees.length != self->n_stages * length) {
    return refuse(host, "tree", "other numbers", "be a sum tree");
  }
  Part tree = {.name = "tree", .type = DOUBLES, .length = length};
  tree.values = (const double *)trees.values + stage * length;
  Parts of_stage = {.parts = &tree, .n_parts = 1};
  return lay_row_weights(&self->weighing, &of_stage, rows, host);
}

/* Lay the weights of the "epoch" for which rows are drawn or asked. */
static bool lay_epoch(const Weighted *self, const Parts *state, const Parts *asked, RowWeights *rows, Host *host) {
  double epoch = 0;
  if (self->begins != NULL && !read_whole(asked, "epoch", 0, LARGEST_COUNT, &epoch, host)) return false;
  return lay_stage(self, state, stage_at_epoch(self->begins, self->n_stages, epoch), rows, host);
}

static bool check_weighted(const void *instance, const Parts *given, Host *host) {
  const Weighted *self = instance;
  Part weights = find_part(given, "weights");
  int64_t n = self->weighing.capacity;
  if (weights.type != DOUBLES || weights.length != n * self->n_stages) {
    return refuse_row_values(given, &weights, n * self->n_stages, n * self->n_stages, host);
  }
  double next;
  if (has_part(given, "next_position") && !read_whole(given, "next_position", 0, (double)(n - 1), &next, host)) {
    return false;
  }
  return check_place(given, self->batch_size, self->n_batches, n, host);
}

static bool begin_weighted(const void *instance, const Parts *given, Host *host) {
  const Weighted *self = instance;
  const double *weights = find_part(given, "weights").values;
  int64_t n = self->weighing.capacity, length = stage_length(self);
  RowWeights rows;
  if (!check_weighted(instance, given, host)) return false;
  bool are_checked = !given->is_recipe && is_given(given, "n_batches"); /* by plan_weighted() */
  /* Those of all stages at once, because a refusal shows one by its place in the vector. */
  if (!are_checked && !check_all_weights(self->weighing.name, weights, self->n_stages * n, host)) return false;
  FirstRows first = {.n_rows = n, .largest = -1, .are_checked = true};
  double *trees = host->vector(host, "tree", DOUBLES, self->n_stages * length);
  for (int64_t stage = 0; trees != NULL && stage < self->n_stages; stage++) {
    first.values = weights + stage * n;
    double *tree = trees + stage * length;
    if (!fill_row_weights(&self->weighing, &first, tree, NULL, NULL, &rows, host)) return false;
  }
  return trees != NULL;
}

static bool draw_more_weighted(
    const void *instance, const Parts *state, const Parts *wanted, Generator *generator, Host *host
) {
  const Weighted *self = instance;
  RowWeights rows;
  Draws draws;
  return lay_epoch(self, state, wanted, &rows, host) && read_draws(wanted, self->batch_size, &draws, host) &&
         draw_weighed_rows(&rows, generator, &draws, self->form, host);
}

static bool tell_weighted(
    const void *instance, const Parts *state, const char *method, const Parts *told, Host *host
) {
  const Weighted *self = instance;
  RowWeights rows;
  (void)method; /* "update" */
  if (self->begins != NULL) {
    return refuse(host, "weights", "a table by epoch", "be the same for all epochs if they are updated");
  }
  return lay_stage(self, state, 0, &rows, host) && update_weights(&rows, told, "rows", host);
}

/* Give the weights of all stages, in the form of a recipe. */
static bool give_all_weights(const Weighted *self, const Parts *state, Host *host) {
  int64_t n = self->weighing.capacity;
  RowWeights rows;
  double *weights = host->vector(host, "weights", DOUBLES, self->n_stages * n);
  for (int64_t stage = 0; weights != NULL && stage < self->n_stages; stage++) {
    if (!lay_stage(self, state, stage, &rows, host)) return false;
    memcpy(weights + stage * n, leaves_of(&rows.tree), (size_t)n * sizeof *weights);
  }
  return weights != NULL && host->number(host, "next_position", 0);
}

static bool ask_weighted(
    const void *instance, const Parts *state, const char *name, const Parts *asked, Host *host
) {
  const Weighted *self = instance;
  RowWeights rows;
  if (strcmp(name, "state") == 0) return give_all_weights(self, state, host);
  if (!lay_epoch(self, state, asked, &rows, host)) return false;
  if (strcmp(name, "total") == 0) return host->number(host, "total", total_of(&rows.tree));
  return give_row_weights(&rows, asked, "rows", host);
}

static const Feedback weighted_feedback = {
    .check = check_weighted,
    .begin = begin_weighted,
    .draw_more = draw_more_weighted,
    .tell = tell_weighted,
    .ask = ask_weighted,
};

const Kind weighted_kind = {
    .name = "weighted",
    .instance_bytes = sizeof(Weighted),
    .plan = plan_weighted,
    .prepare = prepare_weighted,
    .identify = identify_row_weights,
    .feedback = &weighted_feedback,
};
