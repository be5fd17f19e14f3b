/* Batches of rows with any number of labels, each with a minimum of rows of every label.
 *
 * An epoch has max(1, n_min / m) batches, rounded down, for the minimum m and n_min rows of the rarest label, or a
 * largest number that is less; or as many as a mean size makes, with the largest minimum found that they keep.
 *
 * Its rows are assigned to batches in their order. If that leaves more rows lacking than the order of the dataset does,
 * the batches of that order are refilled with rows of the same label sets. Epochs in which a label has fewer rows than
 * there are batches are permuted at last, since ties of batches are broken by their numbers.
 */

#include "core/batch_numbers.h"
#include "core/epoch_order.h"
#include "core/kinds.h"
#include "core/label_sets.h"
#include "core/length_batches.h"
#include "core/multilabel.h"

typedef struct {
  Codes codes; /* the label set of each row */
  LabeledRows given;
  bool is_shuffled, is_permuted;
  bool is_made;
  int32_t *refilled; /* the batches in the order of the dataset, made by the first epoch that lacks rows */
  int64_t n_missing; /* the rows that these lack */
} Multilabel;

/* The arguments of a user. */
typedef struct {
  SizeRequest size;
  double max_batches, num_replicas;
  int rare;
  bool is_shuffled;
  bool finds_most; /* of the numbers of batches, the largest that is found to keep the minimum */
} MultilabelRequest;

static const char *const LABEL_MINIMUM = "min_samples_per_label";

static bool read_max_batches(const Parts *request, MultilabelRequest *wanted, Host *host) {
  if (read_whole(request, "max_batches", 1, INFINITY, &wanted->max_batches, host)) return true;
  return refuse(host, "max_batches", NULL, "be a positive integer, 'auto', or nothing");
}

static bool read_multilabel(const Parts *request, MultilabelRequest *wanted, Host *host) {
  Part limit = find_part(request, "max_batches");
  wanted->max_batches = INFINITY;
  wanted->finds_most = limit.type == TEXT && strcmp(limit.values, "auto") == 0;
  if (!read_sharing(request, &wanted->num_replicas, host)) return false;
  if (!check_one_size(request, LABEL_MINIMUM, host) || !read_mean(request, &wanted->size, host)) return false;
  if (wanted->size.has_mean && limit.type != NOTHING) {
    return refuse(host, "max_batches", NULL, "be left out if 'mean_batch_size' is given");
  }
  return (wanted->size.has_mean || read_whole(request, LABEL_MINIMUM, 1, INFINITY, &wanted->size.minimum, host)) &&
         (limit.type == NOTHING || wanted->finds_most || read_max_batches(request, wanted, host)) &&
         read_rare_choice(request, RARE_ALLOW + 1, &wanted->rare, host) &&
         read_flag(request, "shuffle", &wanted->is_shuffled, host);
}

/* Make the settings of the request the result. */
static bool keep_multilabel(const Parts *request, const MultilabelRequest *wanted, Host *host) {
  bool is_limited = is_given(request, "max_batches") && !wanted->finds_most;
  return keep_size(LABEL_MINIMUM, &wanted->size, host) &&
         give_number("max_batches", is_limited, wanted->max_batches, host) && host->keep(host, "rare") &&
         host->keep(host, "shuffle") &&
         keep_sharing(request, wanted->num_replicas, host);
}

/* Find the label sets of the rows, in memory of the call and as parts of the recipe. */
static bool give_label_sets(const LabelMatrix *matrix, LabeledRows *given, Codes *codes, Host *host) {
  int64_t *wide, n_rows = matrix->n_rows, n_sets = number_label_sets(matrix, &wide, host);
  if (n_sets < 0) return false;
  int64_t *counts = host->memory(host, FOR_THE_CALL, n_sets * (int64_t)sizeof *counts);
  void *narrow = counts == NULL ? NULL : host->vector(host, "codes", n_sets <= UINT8_MAX ? BYTES : INTEGERS, n_rows);
  uint8_t *sets = narrow == NULL ? NULL : host->vector(host, "sets", BYTES, n_sets * matrix->n_labels);
  if (sets == NULL) return false;
  *codes = (Codes){.n_rows = n_rows, .n_strata = n_sets, .counts = counts};
  if (n_sets <= UINT8_MAX) codes->bytes = narrow;
  if (n_sets > UINT8_MAX) codes->integers = narrow;
  for (int64_t row = 0; row < n_rows; row++) {
    if (codes->bytes != NULL) ((uint8_t *)narrow)[row] = (uint8_t)wide[row];
    if (codes->bytes == NULL) ((int32_t *)narrow)[row] = (int32_t)wide[row];
  }
  fill_label_sets(matrix, wide, sets, counts);
  *given = (LabeledRows){.sets = sets, .counts = counts, .n_rows = n_rows, .n_sets = n_sets};
  given->n_labels = matrix->n_labels;
  return host->go_on(host);
}

/* Find the rarest label, the first of several, and its number of rows. */
static int64_t find_rarest_label(const LabeledRows *given, int64_t *n_min) {
  int64_t rarest = 0;
  *n_min = given->n_rows + 1;
  for (int64_t label = 0; label < given->n_labels; label++) {
    int64_t count = 0;
    for (int64_t set = 0; set < given->n_sets; set++) {
      if (given->sets[set * given->n_labels + label] != 0) count += given->counts[set];
    }
    if (count < *n_min) {
      *n_min = count;
      rarest = label;
    }
  }
  return rarest;
}

/* Choose the number of batches that the counts of the labels allow; of a mean size, also the largest minimum. */
static bool choose_label_batches(
    const Parts *request, const MultilabelRequest *wanted, LabeledRows *given, Host *host
) {
  int64_t n_min, rarest = find_rarest_label(given, &n_min);
  char shown[NUMBER];
  double minimum = wanted->size.minimum, replicas = wanted->num_replicas;
  host->refusal.stratum = rarest;
  if (n_min == 0) {
    refuse(host, "labels", "no row of label '{stratum}'", "have a row of every label");
    return advise(host, "Leave the label out.");
  }
  if (wanted->size.has_mean) {
    int64_t most = wanted->rare == RARE_ERROR ? n_min : LARGEST_COUNT, *n_batches = &given->n_batches;
    if (!batches_by_mean(request, given->n_rows, wanted->size.mean, replicas, most, n_batches, host)) return false;
    given->minimum = n_min < given->n_batches ? 1 : n_min / given->n_batches;
    return true;
  }
  if (minimum > (double)n_min && wanted->rare == RARE_ERROR) {
    char count[NUMBER];
    refuse(
        host, LABEL_MINIMUM, number_read(request, LABEL_MINIMUM, minimum, shown),
        "be at most %lld: the rarest label, '{stratum}', has %s", (long long)n_min, show_count(n_min, "row", count)
    );
    return advise(host, "Lower " RARE_ADVICE);
  }
  /* One batch lacks the same rows, however large the minimum. */
  given->minimum = (int64_t)fmin(minimum, LARGEST_COUNT);
  given->n_batches = n_min < given->minimum ? 1 : n_min / given->minimum;
  if (wanted->max_batches < (double)given->n_batches) given->n_batches = (int64_t)wanted->max_batches;
  return share_batches(request, replicas, &given->n_batches, host);
}

/* Write what the first batch with too few rows of a label lacks, into `shown` of SENTENCE bytes; return how many there
 * are.
 */
static int64_t describe_shortfall(const Assignment *assigned, double minimum, Host *host, char *shown) {
  int64_t n_labels = assigned->given.n_labels, n_lacking = 0, first = 0;
  for (int64_t entry = 0; entry < assigned->given.n_batches * n_labels; entry++) {
    if (assigned->held[entry] >= assigned->given.minimum) continue;
    if (n_lacking == 0) first = entry;
    n_lacking += 1;
  }
  if (n_lacking == 0) return 0;
  char missing[NUMBER], more[NUMBER + 16] = "";
  int64_t held = assigned->held[first];
  host->refusal.stratum = first % n_labels;
  if (n_lacking > 1) snprintf(more, sizeof more, ", and %lld more such", (long long)n_lacking - 1);
  snprintf(
      shown, SENTENCE, "batch %lld lacks %s of label '{stratum}'%s", (long long)(first / n_labels) + host->first_row,
      show_count((int64_t)fmin(minimum, LARGEST_EXACT) - held, "row", missing), more
  );
  return n_lacking;
}

/* Find a number of batches below that of the assignment with which nothing is lacking, by bisection; a multiple of the
 * replicas, 0 if none was found.
 */
static bool find_filled_batches(
    Assignment *assigned, const Codes *codes, int64_t replicas, int64_t *found, Host *host
) {
  int64_t fewest = 0, most = assigned->given.n_batches / replicas; /* times the replicas: `fewest` works, `most` not */
  while (most - fewest > 1) {
    int64_t middle = (fewest + most) / 2;
    assigned->given.n_batches = middle * replicas;
    if (!assign_rows(assigned, codes, NULL, host)) return false;
    if (missing_rows(assigned) == 0) {
      fewest = middle;
    } else {
      most = middle;
    }
  }
  *found = fewest * replicas;
  return true;
}

/* Find the largest minimum, by bisection, with which no batch lacks rows; 1 if there is none. */
static bool find_kept_minimum(Assignment *assigned, const Codes *codes, Host *host) {
  int64_t kept = 0, too_large = assigned->given.minimum + 1, middle = assigned->given.minimum;
  while (too_large - kept > 1) {
    assigned->given.minimum = middle;
    if (!assign_rows(assigned, codes, NULL, host)) return false;
    if (missing_rows(assigned) == 0) {
      kept = middle;
    } else {
      too_large = middle;
    }
    middle = (kept + too_large) / 2;
  }
  assigned->given.minimum = kept == 0 ? 1 : kept;
  return assign_rows(assigned, codes, NULL, host);
}

/* Refuse the number of batches for the first of what lacks; name one with which nothing is lacking. */
static bool refuse_shortfall(
    const Parts *request, const MultilabelRequest *wanted, const LabeledRows *given, int64_t found, const char *lacks,
    Host *host
) {
  char shown[NUMBER], got[SENTENCE], batches[NUMBER];
  if (found == 0) {
    refuse(
        host, "num_replicas", number_read(request, "num_replicas", wanted->num_replicas, shown),
        "be lower: no number of batches was found of which each holds enough rows of every label"
    );
    return advise(host, "Lower " RARE_ADVICE);
  }
  bool is_limited = is_given(request, "max_batches");
  const char *limit = is_limited ? show_number(wanted->max_batches, shown) : "nothing";
  if (wanted->size.has_mean) limit = show_number(wanted->size.mean, shown);
  snprintf(got, SENTENCE, "%s, for %s: %.300s,", limit, show_batches(given->n_batches, batches), lacks);
  if (wanted->size.has_mean) {
    long long least = least_mean(given->n_rows, found, (int64_t)wanted->num_replicas);
    refuse(host, "mean_batch_size", got, "be at least %lld, for at most %s", least, show_batches(found, batches));
    return advise(host, "Raise " RARE_ADVICE);
  }
  refuse(host, "max_batches", got, "be at most %lld", (long long)found);
  return advise(host, "Set it to that or to 'auto', or set 'rare' to 'warn' or 'allow'.");
}

/* Refuse, or warn of, what batches lack in the order of the dataset; or make fewer batches, which lack nothing. */
static bool check_shortfall(
    const Parts *request, const MultilabelRequest *wanted, LabeledRows *given, const Codes *codes, Host *host
) {
  Assignment assigned;
  char lacks[SENTENCE];
  int64_t found = 0;
  bool has_mean = wanted->size.has_mean;
  if (wanted->rare == RARE_ALLOW && !wanted->finds_most && !has_mean) return true;
  if (!new_assignment(&assigned, given, host)) return false;
  if (has_mean ? !find_kept_minimum(&assigned, codes, host) : !assign_rows(&assigned, codes, NULL, host)) return false;
  given->minimum = assigned.given.minimum;
  double minimum = has_mean ? (double)given->minimum : wanted->size.minimum;
  if (describe_shortfall(&assigned, minimum, host, lacks) == 0) return true;
  if (wanted->finds_most || wanted->rare == RARE_ERROR) {
    if (!find_filled_batches(&assigned, codes, (int64_t)wanted->num_replicas, &found, host)) return false;
  }
  if (wanted->finds_most && found > 0) {
    given->n_batches = found;
    return true;
  }
  if (wanted->rare == RARE_ERROR) {
    return refuse_shortfall(request, wanted, given, found, lacks, host);
  }
  if (wanted->rare == RARE_WARN) snprintf(host->warning, SENTENCE, "%.400s, in the order of the dataset.", lacks);
  return true;
}

static bool plan_multilabel(const Parts *request, Host *host) {
  MultilabelRequest wanted = {0};
  LabelMatrix matrix = {.values = NULL};
  LabeledRows given = {.sets = NULL};
  Codes codes = {.bytes = NULL};
  if (!read_multilabel(request, &wanted, host)) return false;
  if (!is_given(request, "labels")) return keep_multilabel(request, &wanted, host);
  bool is_chosen = read_labels(request, &matrix, host) && give_label_sets(&matrix, &given, &codes, host) &&
                   choose_label_batches(request, &wanted, &given, host) &&
                   check_shortfall(request, &wanted, &given, &codes, host);
  if (!is_chosen) return false;
  int64_t n_min;
  find_rarest_label(&given, &n_min);
  bool is_permuted = wanted.is_shuffled && n_min < given.n_batches;
  double minimum = wanted.size.has_mean ? (double)given.minimum : wanted.size.minimum;
  return host->number(host, "n_labels", (double)given.n_labels) &&
         host->number(host, "n_batches", (double)given.n_batches) &&
         host->number(host, "minimum", fmin(minimum, LARGEST_EXACT)) &&
         host->flag(host, "shuffle", wanted.is_shuffled) && (!is_permuted || host->flag(host, "permuted", true));
}

/* Read the labels of each set. */
static bool read_label_sets(const Parts *recipe, LabeledRows *given, Host *host) {
  Part sets = find_part(recipe, "sets");
  given->sets = sets.values;
  given->n_sets = sets.length / given->n_labels;
  bool is_whole = sets.length % given->n_labels == 0 && given->n_sets >= 1 && given->n_sets <= given->n_rows;
  if (sets.type != BYTES || !is_whole) return refuse_part(host, "sets", "bytes, one for each label of each set,");
  for (int64_t i = 0; i < sets.length; i++) {
    if (given->sets[i] > 1) return refuse(host, "recipe", "others", "have 0 and 1 as 'sets'");
  }
  return true;
}

/* Read and count the label sets of the rows. */
static bool read_set_codes(const Parts *recipe, Codes *codes, Host *host) {
  Part part = find_part(recipe, "codes");
  codes->bytes = part.type == BYTES ? part.values : NULL;
  codes->integers = part.type == BYTES ? NULL : part.values;
  codes->counts = host->memory(host, FOR_THE_INSTANCE, (codes->n_strata + 1) * (int64_t)sizeof(int64_t));
  if (codes->counts == NULL) return false;
  memset(codes->counts, 0, (size_t)(codes->n_strata + 1) * sizeof(int64_t));
  for (int64_t begin = 0; begin < codes->n_rows; begin += GO_ON_ROWS) {
    bool are_codes = count_codes_between(codes, begin, smaller(begin + GO_ON_ROWS, codes->n_rows));
    if (!are_codes || codes->counts[codes->n_strata] > 0) {
      return refuse(host, "recipe", "others", "have numbers of label sets as 'codes'");
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool prepare_multilabel(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Multilabel *self = instance;
  LabeledRows *given = &self->given;
  Part codes = find_part(recipe, "codes");
  (void)seed;
  if ((codes.type != BYTES && codes.type != INTEGERS) || codes.length < 1 || codes.length > LARGEST_COUNT) {
    return refuse_part(host, "codes", "numbers of label sets, raw or integer,");
  }
  if (!read_count(recipe, "n_labels", 1, LARGEST_COUNT, &given->n_labels, host)) return false;
  if (!read_count(recipe, "n_batches", 1, (double)codes.length, &given->n_batches, host)) return false;
  if (!read_count(recipe, "minimum", 1, LARGEST_EXACT, &given->minimum, host)) return false;
  if (!read_flag(recipe, "shuffle", &self->is_shuffled, host)) return false;
  if (!read_flag_if_given(recipe, "permuted", &self->is_permuted, host)) return false;
  given->n_rows = codes.length;
  given->minimum = smaller(given->minimum, LARGEST_COUNT);
  if (given->n_labels > INT64_MAX / 256 / given->n_rows) return refuse_part(host, "n_labels", "fewer");
  if (!read_label_sets(recipe, given, host)) return false;
  self->codes = (Codes){.n_rows = given->n_rows, .n_strata = given->n_sets};
  if (!read_set_codes(recipe, &self->codes, host)) return false;
  given->counts = self->codes.counts;
  return true;
}

/* Find the batches in the order of the dataset, in the memory of another assignment, whose members stay. */
static bool make_refilled(Multilabel *self, const Assignment *epoch, Host *host) {
  if (self->is_made) return true;
  Assignment in_order = *epoch;
  int64_t n_bytes = self->given.n_rows * (int64_t)sizeof(int32_t);
  in_order.members = host->memory(host, FOR_THE_CALL, n_bytes);
  in_order.batches = self->refilled = lasting_memory(self->refilled, n_bytes, host);
  if (in_order.members == NULL || in_order.batches == NULL) return false;
  if (!assign_rows(&in_order, &self->codes, NULL, host)) return false;
  self->n_missing = missing_rows(&in_order);
  self->is_made = true;
  return true;
}

/* Count the rows of each label in each batch, batch after batch. */
static bool count_held(const Assignment *assigned, const int32_t *batches, int32_t *held, Host *host) {
  int64_t n_labels = assigned->given.n_labels;
  memset(held, 0, (size_t)(assigned->given.n_batches * n_labels) * sizeof *held);
  for (int64_t set = 0; set < assigned->given.n_sets; set++) {
    const uint8_t *has = assigned->given.sets + set * n_labels;
    const int32_t *of_set = batches + assigned->starts[set];
    for (int64_t member = 0; member < assigned->given.counts[set]; member++) {
      for (int64_t label = 0; label < n_labels; label++) held[of_set[member] * n_labels + label] += has[label];
    }
  }
  return host->go_on(host);
}

/* Put the batches and what they hold into another order. */
static bool permute_labeled_batches(
    const LabeledRows *given, Generator *generator, int64_t *offsets, int32_t *rows, int32_t *held, Host *host
) {
  int64_t n_labels = given->n_labels, n_held = given->n_batches * n_labels;
  const int32_t *order = permute_batches(generator, given->n_batches, offsets, rows, host);
  int32_t *drawn = order == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_held * (int64_t)sizeof *drawn);
  if (drawn == NULL) return false;
  memcpy(drawn, held, (size_t)n_held * sizeof *drawn);
  for (int64_t batch = 0; batch < given->n_batches; batch++) {
    memcpy(held + batch * n_labels, drawn + order[batch] * n_labels, (size_t)n_labels * sizeof *held);
  }
  return host->go_on(host);
}

/* Draw the batches, and "held", the rows of each label in each of them, batch after batch. */
static bool draw_multilabel(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  Multilabel *self = instance;
  const LabeledRows *given = &self->given;
  Assignment assigned;
  (void)epoch;
  int32_t *rows = host->vector(host, "rows", INTEGERS, given->n_rows);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, given->n_batches + 1);
  int64_t n_held = given->n_batches * given->n_labels;
  int32_t *held = offsets == NULL ? NULL : host->vector(host, "held", INTEGERS, n_held);
  if (held == NULL || !new_assignment(&assigned, given, host)) return false;
  const int32_t *order = NULL, *batches = assigned.batches;
  if (self->is_shuffled) {
    order = draw_epoch_order(generator, given->n_rows, host);
    if (order == NULL) return false;
  }
  if (!assign_rows(&assigned, &self->codes, order, host)) return false;
  for (int64_t entry = 0; entry < n_held; entry++) held[entry] = (int32_t)assigned.held[entry];
  int64_t n_missing = missing_rows(&assigned);
  if (self->is_shuffled && n_missing > 0) {
    if (!make_refilled(self, &assigned, host)) return false;
    if (n_missing > self->n_missing) batches = self->refilled;
  }
  if (batches != assigned.batches && !count_held(&assigned, batches, held, host)) return false;
  /* The scratch space of the assignment has room for the cursors. */
  int32_t *of_rows = host->memory(host, FOR_THE_CALL, given->n_rows * (int64_t)sizeof *of_rows);
  if (of_rows == NULL) return false;
  if (!gather_batches(&assigned, batches, order, of_rows, assigned.order, offsets, rows, host)) return false;
  return !self->is_permuted || permute_labeled_batches(given, generator, offsets, rows, held, host);
}

static void identify_multilabel(const void *instance, const Parts *recipe, Identity *identity) {
  const Multilabel *self = instance;
  (void)recipe;
  identity->has_unused_seed = !self->is_shuffled;
}

const Kind multilabel_kind = {
    .name = "multilabel",
    .instance_bytes = sizeof(Multilabel),
    .plan = plan_multilabel,
    .prepare = prepare_multilabel,
    .draw = draw_multilabel,
    .identify = identify_multilabel,
};
