/* Part of a dataset in every epoch, drawn in proportion to the perplexities of the examples, which are reported.
 *
 * The state is two vectors: "reported", the perplexity of each row, NaN if it was never reported; and a head. The host
 * keeps what the running epoch visits, the rows in drawn order, and asks for its batches with them.
 */

#include "core/cutting.h"
#include "core/epoch_subset.h"
#include "core/kinds.h"
#include "core/perplexity.h"
#include "core/row_places.h"

/* The head: whether an epoch was drawn in proportion to perplexity, and whether the warning was given. */
enum { HAS_STARTED, HAS_WARNED, PERPLEXITY_HEAD };

static const double published_maximum = -1.5;
static const double noted_share = 0.05; /* of the reported rows; if more count as noise, a warning is given */

typedef struct {
  int64_t n_rows, sample;
  double initial;
  double maximum; /* INFINITY if there is none; below 0, so many spreads above the mode */
  bool clip;
  uint32_t seed;
  Cutting cutting;
} Perplexity;

/* Read the settings of the weights, in the same words for requests and recipes. */
static bool read_perplexity_rule(const Parts *parts, Perplexity *self, Host *host) {
  Part initial = find_part(parts, "initial"), maximum = find_part(parts, "maximum");
  bool is_number = is_one_number(&initial, &self->initial);
  if (initial.type == FRACTION) self->initial = *(const double *)initial.values;
  if (!is_number || !(self->initial > 1 && self->initial <= MAX_PERPLEXITY)) {
    host->refusal.is_type = !is_number;
    return refuse(host, "initial", NULL, "be a number above 1 and at most %.0f", MAX_PERPLEXITY);
  }
  self->maximum = INFINITY;
  if (!parts->is_recipe && maximum.type == TEXT && strcmp(maximum.values, "published") == 0) {
    self->maximum = published_maximum;
  } else if (maximum.type != NOTHING) {
    is_number = is_one_number(&maximum, &self->maximum);
    if (maximum.type == FRACTION) self->maximum = *(const double *)maximum.values;
    if (!is_number || !isfinite(self->maximum) || self->maximum == 0) {
      host->refusal.is_type = !is_number;
      return refuse(host, "maximum", NULL, "be a finite number other than 0, 'published', or nothing");
    }
  }
  if (!read_flag(parts, "clip", &self->clip, host)) return false;
  if (!self->clip || maximum.type != NOTHING) return true;
  return refuse(host, "clip", NULL, "be false if there is no maximum");
}

static bool plan_perplexity(const Parts *request, Host *host) {
  double n, sample;
  CutRequest wanted;
  Perplexity rule = {0};
  return read_sample_request(request, &n, &sample, &wanted, host) && read_perplexity_rule(request, &rule, host) &&
         keep_sample_request(request, n, sample, &wanted, host) && host->number(host, "initial", rule.initial) &&
         keep_given(request, "maximum", rule.maximum, host) && host->flag(host, "clip", rule.clip);
}

static bool prepare_perplexity(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Perplexity *self = instance;
  self->seed = seed;
  return read_sample_recipe(recipe, &self->n_rows, &self->sample, &self->cutting, host) &&
         read_perplexity_rule(recipe, self, host);
}

static int64_t count_perplexity(const void *instance, uint32_t epoch) {
  const Perplexity *self = instance;
  (void)epoch;
  return count_cut(&self->cutting, self->sample);
}

static void identify_perplexity(const void *instance, const Parts *recipe, Identity *identity) {
  const Perplexity *self = instance;
  (void)recipe;
  identify_cutting(&self->cutting, self->sample, identity);
}

/* The state ----------------------------------------------------------------------------------------------------- */

typedef struct {
  double *reported, *head;
} PerplexityState;

/* Find the vectors of a state, which may come from a file. */
static bool lay_perplexity(const Perplexity *self, const Parts *state, PerplexityState *found, Host *host) {
  Part reported = find_part(state, "reported"), head = find_part(state, "head");
  bool is_right = reported.type == DOUBLES && reported.length == self->n_rows && head.type == DOUBLES &&
                  head.length == PERPLEXITY_HEAD;
  /* The host owns the vectors, for the core to change. */
  *found = (PerplexityState){(double *)reported.values, (double *)head.values};
  return is_right || refuse(host, "reported", "other numbers", "be the perplexities of the rows");
}

/* Whether a part of a state is a whole number from 0 to `most`. */
static bool is_whole_up_to(const Parts *given, const char *name, double most) {
  Part part = find_part(given, name);
  double number;
  return is_one_number(&part, &number) && number >= 0 && number <= most && floor(number) == number;
}

static bool are_rows(const int32_t *rows, int64_t count, int32_t first, int64_t n_rows) {
  bool are_right = true;
  for (int64_t i = 0; i < count; i++) are_right &= (uint64_t)((int64_t)rows[i] - first) < (uint64_t)n_rows;
  return are_right;
}

/* Check the place of a sampler that was saved within an epoch, and what the epoch visits. */
static bool check_running(const Perplexity *self, const Parts *given, Host *host) {
  int64_t sample = self->sample, n_batches = count_cut(&self->cutting, sample);
  Part drawn = find_part(given, "drawn");
  if (!is_given(given, "epoch")) return true;
  if (!is_whole_up_to(given, "epoch", LARGEST_EPOCH)) {
    return refuse_part(host, "epoch", "the number of an epoch");
  }
  if (!is_whole_up_to(given, "batch", (double)(n_batches > 0 ? n_batches : sample))) {
    return refuse_part(host, "batch", "a number of batches");
  }
  if (self->cutting.lengths != NULL && !is_whole_up_to(given, "weighted", 1)) {
    return refuse_part(host, "weighted", "0 or 1");
  }
  bool is_right = drawn.type == INTEGERS && drawn.length == sample && are_rows(drawn.values, sample, 0, self->n_rows);
  if (is_right) return true;
  return refuse_part(host, "drawn", "%lld row%s from 0", (long long)sample, sample == 1 ? "" : "s");
}

static bool check_perplexity(const void *instance, const Parts *given, Host *host) {
  const Perplexity *self = instance;
  Part reported = find_part(given, "reported");
  bool is_new = reported.type == NOTHING && !given->is_recipe;
  if (!is_new && (reported.type != DOUBLES || reported.length != self->n_rows)) {
    return refuse_part(host, "reported", "%lld number%s", (long long)self->n_rows, self->n_rows == 1 ? "" : "s");
  }
  if (!is_new && !is_whole_up_to(given, "started", 1)) return refuse_part(host, "started", "0 or 1");
  return check_running(self, given, host);
}

/* Copy the perplexities of a state, or none. */
static bool copy_reported(const Perplexity *self, const double *given, double *reported, Host *host) {
  for (int64_t row = 0; row < self->n_rows; row++) {
    reported[row] = given == NULL ? NAN : given[row];
    if (!isnan(reported[row]) && !is_reported(reported[row])) {
      return refuse(host, "reported", "others", "be perplexities from 1 to %.0f", MAX_PERPLEXITY);
    }
    if (!go_on_after(row, host)) return false;
  }
  return true;
}

/* Refuse the number of batches of a state if the epoch has fewer, which only its rows tell. */
static bool check_batch_by_length(const Perplexity *self, const Parts *given, Host *host) {
  Part drawn = find_part(given, "drawn"), batch = find_part(given, "batch");
  double number;
  if (!is_given(given, "epoch") || count_cut(&self->cutting, self->sample) > 0) return true;
  int64_t n_batches = count_cut_rows(&self->cutting, drawn.values, self->sample, host);
  if (n_batches == 0) return false;
  is_one_number(&batch, &number);
  return number <= (double)n_batches || refuse_part(host, "batch", "a number of batches");
}

static bool begin_perplexity(const void *instance, const Parts *given, Host *host) {
  const Perplexity *self = instance;
  Part reported = find_part(given, "reported"), started = find_part(given, "started");
  Part has_warned = find_part(given, "has_warned");
  if (!check_perplexity(instance, given, host) || !check_batch_by_length(self, given, host)) return false;
  PerplexityState state = {host->vector(host, "reported", DOUBLES, self->n_rows), NULL};
  if (state.reported != NULL) state.head = host->vector(host, "head", DOUBLES, PERPLEXITY_HEAD);
  if (state.head == NULL) return false;
  if (!is_one_number(&started, &state.head[HAS_STARTED])) state.head[HAS_STARTED] = 0;
  if (!is_one_number(&has_warned, &state.head[HAS_WARNED])) state.head[HAS_WARNED] = 0;
  return copy_reported(self, reported.values, state.reported, host);
}

/* Epochs -------------------------------------------------------------------------------------------------------- */

/* Find the perplexity above which rows count as noise; INFINITY if there is none. */
static bool find_maximum(const Perplexity *self, const double *reported, double *maximum, Host *host) {
  *maximum = self->maximum;
  return self->maximum > 0 || find_ceiling(reported, self->n_rows, -self->maximum, maximum, host);
}

static bool draw_weighted_visits(
    const Perplexity *self, const double *reported, Generator *generator, int32_t first_row, int32_t *rows, Host *host
) {
  double maximum;
  double *sums = host->memory(host, FOR_THE_CALL, self->n_rows * (int64_t)sizeof *sums);
  if (sums == NULL || !find_maximum(self, reported, &maximum, host)) return false;
  double weight_above = self->clip ? maximum : 1;
  return add_up_weights(reported, self->n_rows, self->initial, maximum, weight_above, sums, host) &&
         draw_by_sums(generator, sums, self->n_rows, first_row, self->sample, rows, host);
}

static bool draw_uniform_visits(
    const Perplexity *self, Generator *generator, int32_t first_row, int32_t *rows, Host *host
) {
  for (int64_t begin = 0; begin < self->sample; begin += GO_ON_ROWS) {
    int64_t count = smaller(GO_ON_ROWS, self->sample - begin);
    draw_rows(generator, (uint32_t)self->n_rows, first_row, count, rows + begin);
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Take from the generator what a draw took. */
static bool skip_visits(const Perplexity *self, bool is_weighted, Generator *generator, Host *host) {
  if (!is_weighted) {
    int32_t *rows = host->memory(host, FOR_THE_CALL, self->sample * (int64_t)sizeof *rows);
    return rows != NULL && draw_uniform_visits(self, generator, 0, rows, host);
  }
  for (int64_t i = 0; i < self->sample; i++) {
    next_uniform(generator); /* whatever the weights were */
    if (!go_on_after(i, host)) return false;
  }
  return true;
}

/* Draw what an epoch visits that begins now; find out whether it is drawn in proportion to perplexity. */
static bool draw_visits(
    const Perplexity *self, const PerplexityState *state, Generator *generator, int32_t first_row, int32_t *rows,
    bool *is_weighted, Host *host
) {
  *is_weighted = state->head[HAS_STARTED] != 0;
  if (!*is_weighted && !compare_mean(state->reported, self->n_rows, self->initial, is_weighted, host)) return false;
  if (!*is_weighted) return draw_uniform_visits(self, generator, first_row, rows, host);
  return draw_weighted_visits(self, state->reported, generator, first_row, rows, host);
}

/* Read the number of an epoch that is asked for, and begin its stream. */
static bool read_epoch(const Perplexity *self, const Parts *asked, Generator *generator, Host *host) {
  double epoch;
  if (!read_whole(asked, "epoch", 0, LARGEST_COUNT, &epoch, host)) return false;
  seed_generator(generator, epoch_seed(self->seed, (uint32_t)epoch));
  return true;
}

/* Give the batches of an epoch again that visits "drawn", rows counted from 0. */
static bool give_running(const Perplexity *self, const Parts *asked, Generator *generator, Host *host) {
  Part drawn = find_part(asked, "drawn");
  const int32_t *visited = drawn.values;
  int64_t sample = self->sample;
  bool is_weighted = false;
  if (drawn.type != INTEGERS || drawn.length != sample || !are_rows(visited, sample, 0, self->n_rows)) {
    return refuse(host, "drawn", "others", "be the rows of an epoch");
  }
  if (self->cutting.lengths != NULL) {
    return read_flag(asked, "weighted", &is_weighted, host) && skip_visits(self, is_weighted, generator, host) &&
           give_cut_rows(&self->cutting, generator, visited, NULL, sample, host);
  }
  int32_t *rows = host->vector(host, "rows", INTEGERS, sample);
  if (rows == NULL) return false;
  for (int64_t i = 0; i < sample; i++) rows[i] = visited[i] + host->first_row;
  return give_cut_offsets(&self->cutting, sample, host);
}

/* Give the batches of an epoch: of the running one, or of the next one, if it began now. */
static bool give_epoch(const Perplexity *self, const PerplexityState *state, const Parts *asked, Host *host) {
  Generator generator;
  double epoch, next, running = -1;
  bool is_running = is_given(asked, "running"), is_weighted = false;
  if (!read_epoch(self, asked, &generator, host)) return false;
  if (!read_whole(asked, "epoch", 0, LARGEST_COUNT, &epoch, host)) return false;
  if (!read_whole(asked, "next_epoch", 0, LARGEST_COUNT, &next, host)) return false;
  if (is_running && !read_whole(asked, "running", 0, LARGEST_COUNT, &running, host)) return false;
  if (epoch == running) return give_running(self, asked, &generator, host);
  if (epoch != next) {
    char shown[SENTENCE] = "";
    if (is_running) snprintf(shown, SENTENCE, "%.0f, the running epoch, or ", running);
    refuse(host, "epoch", NULL, "be %s%.0f, the next", shown, next);
    return advise(host, "Others depend on reports that are gone or have yet to come.");
  }
  if (self->cutting.lengths == NULL) {
    int32_t *rows = host->vector(host, "rows", INTEGERS, self->sample);
    return rows != NULL && draw_visits(self, state, &generator, host->first_row, rows, &is_weighted, host) &&
           give_cut_offsets(&self->cutting, self->sample, host);
  }
  int32_t *drawn = host->memory(host, FOR_THE_CALL, self->sample * (int64_t)sizeof *drawn);
  return drawn != NULL && draw_visits(self, state, &generator, 0, drawn, &is_weighted, host) &&
         give_cut_rows(&self->cutting, &generator, drawn, NULL, self->sample, host);
}

/* Telling and asking -------------------------------------------------------------------------------------------- */

/* Store the perplexities of "rows" by their losses, "nll"; the last one of a row counts. */
static bool report_losses(const Perplexity *self, PerplexityState *state, const Parts *told, Host *host) {
  Part losses = find_part(told, "nll");
  int64_t count = find_part(told, "rows").length;
  if (losses.type != DOUBLES || losses.length != count) {
    char shown[NUMBER];
    show_count(losses.length, "value", shown);
    return refuse(host, "nll", shown, "have one value for each of the rows, %lld", (long long)count);
  }
  const int64_t *places = read_places(told, "rows", self->n_rows, &count, host);
  if (places == NULL) return false;
  int64_t wrong = first_wrong_loss(losses.values, count);
  if (wrong < count) {
    char got[SENTENCE], shown[NUMBER];
    snprintf(
        got, SENTENCE, "%s for row position %lld, counted from %d,",
        show_number(((const double *)losses.values)[wrong], shown), (long long)places[wrong] + host->first_row,
        (int)host->first_row
    );
    return refuse(host, "nll", got, "be finite and at least 0");
  }
  double *perplexities = host->memory(host, FOR_THE_CALL, (count + 1) * (int64_t)sizeof *perplexities);
  if (perplexities == NULL || !find_all_perplexities(losses.values, count, perplexities, host)) return false;
  for (int64_t i = 0; i < count; i++) state->reported[places[i]] = perplexities[i];
  return true;
}

static bool count_seen(const Perplexity *self, const double *reported, double above, int64_t *count, Host *host) {
  *count = 0;
  for (int64_t row = 0; row < self->n_rows; row++) {
    *count += reported[row] > above;
    if (!go_on_after(row, host)) return false;
  }
  return true;
}

/* Find the share of the reported rows that are above the maximum. */
static bool find_share_above(
    const Perplexity *self, const double *reported, double *maximum, double *share, Host *host
) {
  int64_t n_seen, n_above;
  if (!find_maximum(self, reported, maximum, host)) return false;
  if (!count_seen(self, reported, *maximum, &n_above, host)) return false;
  if (!count_seen(self, reported, 0, &n_seen, host)) return false;
  *share = n_seen > 0 ? (double)n_above / (double)n_seen : 0;
  return true;
}

/* Warn once if rows that are not rare count as noise. */
static bool warn_of_maximum(const Perplexity *self, const PerplexityState *state, bool *warns, Host *host) {
  double maximum, share;
  *warns = false;
  if (state->head[HAS_WARNED] != 0 || self->clip || self->maximum == INFINITY) return true;
  if (!find_share_above(self, state->reported, &maximum, &share, host)) return false;
  *warns = share > noted_share;
  if (!*warns) return true;
  snprintf(
      host->warning, SENTENCE,
      "%.1f %% of the reported examples are above the maximum, a perplexity of %.2f. They count as noise and are drawn "
      "with the weight 1, the least of all. Choose a higher maximum, none, or clip them.",
      100 * share, maximum
  );
  return true;
}

/* Begin an epoch: give what it visits as "drawn", rows counted from 0, and by length also its batches. */
static bool begin_epoch(const Perplexity *self, PerplexityState *state, const Parts *told, Host *host) {
  Generator generator;
  bool is_weighted = false, warns = false;
  int32_t *drawn = host->vector(host, "drawn", INTEGERS, self->sample);
  if (drawn == NULL || !read_epoch(self, told, &generator, host)) return false;
  if (!draw_visits(self, state, &generator, 0, drawn, &is_weighted, host)) return false;
  bool by_length = self->cutting.lengths != NULL;
  if (by_length && !give_cut_rows(&self->cutting, &generator, drawn, NULL, self->sample, host)) return false;
  if (is_weighted && !warn_of_maximum(self, state, &warns, host)) return false;
  if (!host->flag(host, "weighted", is_weighted)) return false;
  if (is_weighted) state->head[HAS_STARTED] = 1;
  if (warns) state->head[HAS_WARNED] = 1;
  return true;
}

static bool tell_perplexity(
    const void *instance, const Parts *state, const char *method, const Parts *told, Host *host
) {
  const Perplexity *self = instance;
  PerplexityState found;
  if (!lay_perplexity(self, state, &found, host)) return false;
  if (strcmp(method, "begin") == 0) return begin_epoch(self, &found, told, host);
  return report_losses(self, &found, told, host);
}

/* Give a copy of the perplexities, with `initial` in place of those that were never reported. */
static bool give_perplexities(
    const Perplexity *self, const double *reported, const char *name, double initial, Host *host
) {
  double *values = host->vector(host, name, DOUBLES, self->n_rows);
  for (int64_t row = 0; values != NULL && row < self->n_rows; row++) {
    values[row] = isnan(reported[row]) ? initial : reported[row];
    if (!go_on_after(row, host)) return false;
  }
  return values != NULL;
}

static bool ask_perplexity(const void *instance, const Parts *state, const char *name, const Parts *asked, Host *host) {
  const Perplexity *self = instance;
  PerplexityState found;
  double maximum, share;
  int64_t n_reported;
  if (!lay_perplexity(self, state, &found, host)) return false;
  if (strcmp(name, "epoch") == 0) return give_epoch(self, &found, asked, host);
  if (strcmp(name, "perplexities") == 0) return give_perplexities(self, found.reported, name, self->initial, host);
  if (strcmp(name, "started") == 0) return host->flag(host, name, found.head[HAS_STARTED] != 0);
  if (strcmp(name, "share_above_maximum") == 0) {
    return find_share_above(self, found.reported, &maximum, &share, host) && host->number(host, name, share);
  }
  if (strcmp(name, "n_reported") == 0) {
    return count_seen(self, found.reported, 0, &n_reported, host) && host->number(host, name, (double)n_reported);
  }
  return give_perplexities(self, found.reported, "reported", NAN, host) &&
         host->flag(host, "started", found.head[HAS_STARTED] != 0) &&
         host->flag(host, "has_warned", found.head[HAS_WARNED] != 0);
}

static const Feedback perplexity_feedback = {
    .check = check_perplexity,
    .begin = begin_perplexity,
    .tell = tell_perplexity,
    .ask = ask_perplexity,
};

const Kind perplexity_kind = {
    .name = "perplexity",
    .instance_bytes = sizeof(Perplexity),
    .plan = plan_perplexity,
    .prepare = prepare_perplexity,
    .count_batches = count_perplexity,
    .identify = identify_perplexity,
    .feedback = &perplexity_feedback,
};
