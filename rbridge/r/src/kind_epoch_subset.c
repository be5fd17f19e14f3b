/* Part of a dataset in every epoch: rows drawn with or without replacement, or taken in turn.
 *
 * The rows may depend on the epoch, such as by difficulty. From the epoch begins[i] on, before begins[i + 1], they are
 * the next n_candidates[i] of the part "rows", of which no row is twice in a stage. Places among them are drawn.
 */

#include "core/cutting.h"
#include "core/epoch_subset.h"
#include "core/kinds.h"
#include "core/row_places.h"
#include "core/sorting.h"
#include "core/stages.h"

enum { UNIFORM, WITHOUT_REPLACEMENT, PARTITION, N_METHODS };

static const char *const methods[] = {"uniform", "uniform_without_replacement", "partition"};

/* The rows of which epochs visit a part, from some epoch on. */
typedef struct {
  uint32_t begin;
  int64_t n_candidates;
  const int32_t *candidates; /* numbers from 0, or NULL: all rows */
} Candidates;

typedef struct {
  int64_t n_rows, sample;
  int method;
  Cutting cutting;
  const double *begins, *n_candidates; /* one for each stage, or NULL: all rows in all epochs */
  const int32_t *candidates;
  int64_t n_stages;
} EpochSubset;

static Candidates candidates_of(const EpochSubset *self, uint32_t epoch) {
  if (self->candidates == NULL) return (Candidates){0, self->n_rows, NULL};
  int64_t stage = stage_at_epoch(self->begins, self->n_stages, epoch), first = 0;
  for (int64_t before = 0; before < stage; before++) first += (int64_t)self->n_candidates[before];
  return (Candidates){
      (uint32_t)self->begins[stage], (int64_t)self->n_candidates[stage], self->candidates + first
  };
}

/* Check that no stage has a row twice; the refusal of a request names the row. Anyone may have written a recipe, so the
 * memory is for the rows that are listed, however many the dataset has.
 */
static bool check_candidates_differ(
    const Parts *parts, const double *n_candidates, int64_t n_stages, const int32_t *rows, int64_t n_listed,
    int64_t n_rows, Host *host
) {
  int64_t *numbers = host->memory(host, FOR_THE_CALL, 2 * n_listed * (int64_t)sizeof *numbers);
  if (numbers == NULL) return false;
  int64_t row_bits = bits_below((uint64_t)n_rows), place = 0;
  for (int64_t stage = 0; stage < n_stages; stage++) {
    for (int64_t end = place + (int64_t)n_candidates[stage]; place < end; place++) {
      numbers[place] = stage << row_bits | rows[place];
      if (!go_on_after(place, host)) return false;
    }
  }
  int64_t bits = row_bits + bits_below((uint64_t)n_stages);
  const int64_t *sorted = sort_naturals(numbers, numbers + n_listed, n_listed, bits, host);
  if (sorted == NULL) return false;
  for (int64_t i = 1; i < n_listed; i++) {
    if (sorted[i] == sorted[i - 1]) {
      if (parts->is_recipe) return refuse_part(host, "rows", "different rows in each stage");
      char shown[NUMBER];
      double row = (double)(sorted[i] & ((INT64_C(1) << row_bits) - 1)) + host->first_row;
      return refuse(host, "rows", show_number(row, shown), "have no row twice for an epoch");
    }
    if (!go_on_after(i, host)) return false;
  }
  return true;
}

/* Read the first epochs of the stages, and how many rows each of them has; return the number of stages, or 0. */
static int64_t read_stages(
    const Parts *parts, int64_t n_listed, const double **begins, const double **n_candidates, Host *host
) {
  Part first = find_part(parts, "begins"), counts = find_part(parts, "n_candidates");
  bool are_right = are_stages(&first) && counts.type == DOUBLES && counts.length == first.length;
  *begins = first.values;
  *n_candidates = counts.values;
  double listed = 0;
  for (int64_t stage = 0; are_right && stage < first.length; stage++) {
    double count = (*n_candidates)[stage];
    are_right = count == floor(count) && count >= 1 && count <= (double)n_listed;
    listed += count;
  }
  if (are_right && listed == (double)n_listed) return first.length;
  refuse_part(host, "begins", "epochs from 0, ascending, each with a number of rows");
  return 0;
}

/* Make the rows by epoch of a request results, if there are any; the fewest rows of a stage become `fewest`. */
static bool plan_candidates(const Parts *request, double n_rows, double *fewest, Host *host) {
  int64_t n_listed = 0;
  const double *begins, *n_candidates;
  if (!is_given(request, "rows")) return true;
  const int64_t *places = read_places(request, "rows", (int64_t)n_rows, &n_listed, host);
  int64_t n_stages = places == NULL ? 0 : read_stages(request, n_listed, &begins, &n_candidates, host);
  int32_t *rows = n_stages == 0 ? NULL : host->vector(host, "rows", INTEGERS, n_listed);
  if (rows == NULL) return false;
  for (int64_t i = 0; i < n_listed; i++) rows[i] = (int32_t)places[i];
  for (int64_t stage = 0; stage < n_stages; stage++) {
    if (n_candidates[stage] < *fewest) *fewest = n_candidates[stage];
  }
  return check_candidates_differ(request, n_candidates, n_stages, rows, n_listed, (int64_t)n_rows, host) &&
         host->keep(host, "begins") && host->keep(host, "n_candidates");
}

static bool plan_epoch_subset(const Parts *request, Host *host) {
  double n, sample, fewest;
  int method = UNIFORM;
  CutRequest wanted;
  if (!read_sample_request(request, &n, &sample, &wanted, host)) return false;
  if (!read_choice(request, "method", methods, N_METHODS, &method, host)) return false;
  fewest = n;
  if (!plan_candidates(request, n, &fewest, host)) return false;
  if (method == WITHOUT_REPLACEMENT && sample > fewest) {
    char shown[NUMBER];
    refuse(
        host, "sample", number_read(request, "sample", sample, shown),
        "be at most %.0f, the %s, without replacement", fewest,
        is_given(request, "rows") ? "fewest examples of an epoch" : "number of examples"
    );
    return advise(host, "Set 'method' to 'uniform'.");
  }
  return keep_sample_request(request, n, sample, &wanted, host) && host->keep(host, "method");
}

static bool read_candidates(EpochSubset *self, const Parts *recipe, Host *host) {
  Part rows = find_part(recipe, "rows");
  if (rows.type == NOTHING) {
    bool has_stages = find_part(recipe, "begins").type != NOTHING || find_part(recipe, "n_candidates").type != NOTHING;
    return !has_stages || refuse_part(host, "rows", "integers");
  }
  if (rows.type != INTEGERS) return refuse_part(host, "rows", "integers");
  self->candidates = rows.values;
  self->n_stages = read_stages(recipe, rows.length, &self->begins, &self->n_candidates, host);
  if (self->n_stages == 0) return false;
  for (int64_t i = 0; i < rows.length; i++) {
    if (self->candidates[i] < 0 || self->candidates[i] >= self->n_rows) {
      return refuse_part(host, "rows", "integers from 0 to %lld", (long long)self->n_rows - 1);
    }
    if (!go_on_after(i, host)) return false;
  }
  for (int64_t stage = 0; self->method == WITHOUT_REPLACEMENT && stage < self->n_stages; stage++) {
    if (!read_count(recipe, "sample", 1, self->n_candidates[stage], &self->sample, host)) return false;
  }
  return check_candidates_differ(
      recipe, self->n_candidates, self->n_stages, self->candidates, rows.length, self->n_rows, host
  );
}

static bool prepare_epoch_subset(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  EpochSubset *self = instance;
  (void)seed;
  return read_sample_recipe(recipe, &self->n_rows, &self->sample, &self->cutting, host) &&
         read_choice(recipe, "method", methods, N_METHODS, &self->method, host) &&
         (self->method != WITHOUT_REPLACEMENT ||
          read_count(recipe, "sample", 1, (double)self->n_rows, &self->sample, host)) &&
         read_candidates(self, recipe, host);
}

/* Draw the rows of an epoch, counted from `first_row`. */
static bool draw_sample(
    const EpochSubset *self, Generator *generator, uint32_t epoch, int32_t first_row, int32_t *rows, Host *host
) {
  Candidates among = candidates_of(self, epoch);
  int32_t *pool = NULL, first = among.candidates == NULL ? first_row : 0;
  int64_t n = among.n_candidates;
  if (self->method == WITHOUT_REPLACEMENT) {
    pool = host->memory(host, FOR_THE_CALL, n * (int64_t)sizeof *pool);
    if (pool == NULL) return false;
    for (int64_t row = 0; row < n; row++) pool[row] = (int32_t)row + first;
  }
  for (int64_t begin = 0; begin < self->sample; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, self->sample);
    if (self->method == UNIFORM) {
      draw_rows(generator, (uint32_t)n, first, end - begin, rows + begin);
    } else if (self->method == PARTITION) {
      take_rows_in_turn(n, self->sample, epoch - among.begin, first, begin, end, rows);
    } else {
      take_rows(generator, pool, (uint32_t)(n - begin), (uint32_t)(end - begin), rows + begin);
    }
    for (int64_t i = begin; among.candidates != NULL && i < end; i++) rows[i] = among.candidates[rows[i]] + first_row;
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool draw_epoch_subset(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  const EpochSubset *self = instance;
  int64_t sample = self->sample;
  if (self->cutting.lengths == NULL) {
    int32_t *rows = host->vector(host, "rows", INTEGERS, sample);
    return rows != NULL && give_cut_offsets(&self->cutting, sample, host) &&
           draw_sample(self, generator, epoch, host->first_row, rows, host);
  }
  int32_t *drawn = host->memory(host, FOR_THE_CALL, sample * (int64_t)sizeof *drawn);
  return drawn != NULL && draw_sample(self, generator, epoch, 0, drawn, host) &&
         give_cut_rows(&self->cutting, generator, drawn, NULL, sample, host);
}

static int64_t count_epoch_subset(const void *instance, uint32_t epoch) {
  const EpochSubset *self = instance;
  (void)epoch;
  return count_cut(&self->cutting, self->sample);
}

static void identify_epoch_subset(const void *instance, const Parts *recipe, Identity *identity) {
  const EpochSubset *self = instance;
  (void)recipe;
  identify_cutting(&self->cutting, self->sample, identity);
  /* Rows that are taken in turn have one order; batches by length are shuffled. */
  identity->has_unused_seed = self->method == PARTITION && self->cutting.lengths == NULL;
}

const Kind epoch_subset_kind = {
    .name = "epoch_subset",
    .instance_bytes = sizeof(EpochSubset),
    .plan = plan_epoch_subset,
    .prepare = prepare_epoch_subset,
    .draw = draw_epoch_subset,
    .count_batches = count_epoch_subset,
    .identify = identify_epoch_subset,
};
