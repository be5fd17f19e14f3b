/* What follows from the rows of the strata before any training: how many rows of each stratum plain batches hold, how
 * large the minimum can be, and which sampler holds a minimum in batches of a given size.
 */

#include "core/batch_numbers.h"
#include "core/functions.h"

/* Plain batches are enough if at most this share of them has too few rows of any stratum. */
#define FEW_BATCHES 0.001

enum { CODE_LINE = 256 /* bytes of a line of code */ };

typedef struct {
  int64_t n_strata, n_rows, n_batches; /* batches of a stratified epoch */
  int64_t *counts;
  int64_t fewest;                      /* rows of a stratum */
  int64_t batch_size, minimum;
  double short_batches;                /* no smaller than the share of plain batches with too few rows of any stratum */
  int missing;                         /* what to do with missing values */
} Question;

typedef enum { PLAIN, EVENLY_STRATIFIED, REPEATED, SOME_STRATA, DRAWN_BY_WEIGHT } Advised;

static const char *const advised_names[] = {"plain", "stratified", "repeated", "some strata", "weighted"};

/* Find the probability of fewer than `minimum` of `count` rows in a sample of `size` of all rows, without replacement:
 * the hypergeometric distribution, from its least value on. Logarithms keep the smallest probabilities.
 */
static bool probability_below(
    int64_t minimum, int64_t count, int64_t size, int64_t n_rows, double *probability, int64_t *since, Host *host
) {
  int64_t others = n_rows - count, least = size > others ? size - others : 0;
  /* With the least number, either all sampled rows are others, or all rows that are left out are of the stratum. */
  int64_t taken = least > 0 ? n_rows - size : smaller(size, count);
  double of = (double)(least > 0 ? count : size < count ? others : n_rows - size), logarithm = 0;
  *probability = 0;
  for (int64_t row = 0; row < taken && minimum > least; row++) {
    logarithm += log((of - (double)row) / (double)(n_rows - row));
    if (!may_go_on(since, 1, host)) return false;
  }
  for (int64_t held = least; held < minimum && held <= smaller(count, size); held++) {
    *probability += exp(logarithm);
    double more = (double)(count - held) * (double)(size - held);
    logarithm += log(more / ((double)(held + 1) * (double)(others - size + held + 1)));
    if (!may_go_on(since, 1, host)) return false;
  }
  *probability = fmin(*probability, 1);
  return true;
}

static bool describe_plain_batches(Question *question, Host *host) {
  double *means = host->vector(host, "mean", DOUBLES, question->n_strata);
  double *variances = host->vector(host, "variance", DOUBLES, question->n_strata);
  double *too_few = host->vector(host, "too_few", DOUBLES, question->n_strata);
  if (means == NULL || variances == NULL || too_few == NULL) return false;
  double size = (double)question->batch_size, n_rows = (double)question->n_rows;
  int64_t since = 0;
  for (int64_t stratum = 0; stratum < question->n_strata; stratum++) {
    double share = (double)question->counts[stratum] / n_rows;
    double left_out = n_rows > 1 ? (n_rows - size) / (n_rows - 1) : 0;
    means[stratum] = size * share;
    variances[stratum] = size * share * (1 - share) * left_out;
    bool is_found = probability_below(
        question->minimum, question->counts[stratum], question->batch_size, question->n_rows, &too_few[stratum], &since,
        host
    );
    if (!is_found) return false;
    question->short_batches += too_few[stratum]; /* the events may exclude each other */
  }
  return true;
}

/* Write 1, 2, 5, 10, 20, 50 and so on up to the rows of the smallest stratum, if there is room; return their number. */
static int64_t list_minimums(int64_t fewest, double *minimums) {
  static const int64_t factors[] = {1, 2, 5};
  int64_t n = 0;
  for (int64_t power = 1; power <= fewest; power *= 10) {
    for (int place = 0; place < 3 && factors[place] * power <= fewest; place++, n++) {
      if (minimums != NULL) minimums[n] = (double)(factors[place] * power);
    }
  }
  return n;
}

/* Make the price of minimums the result: the number of batches, and their mean size. */
static bool describe_minimums(const Question *question, Host *host) {
  int64_t n = list_minimums(question->fewest, NULL);
  double *minimums = host->vector(host, "minimums", DOUBLES, n);
  double *n_batches = host->vector(host, "n_batches", DOUBLES, n);
  double *sizes = host->vector(host, "mean_batch_sizes", DOUBLES, n);
  if (minimums == NULL || n_batches == NULL || sizes == NULL) return false;
  list_minimums(question->fewest, minimums);
  for (int64_t place = 0; place < n; place++) {
    n_batches[place] = floor((double)question->fewest / minimums[place]);
    sizes[place] = (double)question->n_rows / n_batches[place];
  }
  int64_t most_batches = quotient_up(question->n_rows, question->batch_size);
  return host->number(host, "largest_minimum", (double)(question->fewest / most_batches));
}

static Advised sampler_for(const Question *question) {
  if (question->n_strata == 1 || question->short_batches <= FEW_BATCHES) return PLAIN;
  if (question->fewest / question->n_batches >= question->minimum) return EVENLY_STRATIFIED;
  if (question->fewest < question->minimum) return DRAWN_BY_WEIGHT;
  return question->minimum <= question->batch_size / question->n_strata ? REPEATED : SOME_STRATA;
}

/* The number of strata in a batch, if not all; at least two, because a batch of one stratum has nothing to compare. */
static int64_t strata_in_batch(const Question *question) {
  int64_t n_strata = question->batch_size / question->minimum;
  return n_strata > 2 ? n_strata : 2;
}

static void say_why_some_strata(const Question *question, const char *wanted, char *reason) {
  if (question->batch_size / question->minimum >= 2) {
    snprintf(
        reason, SENTENCE, "A batch has no room for %s of each of %lld strata. With some strata in each batch, it holds "
        "at least %s of each of them.", wanted, (long long)question->n_strata, wanted
    );
    return;
  }
  char size[NUMBER], needed[NUMBER];
  show_count(question->batch_size, "row", size);
  show_count(2 * question->minimum, "row", needed);
  snprintf(
      reason, SENTENCE, "A batch of %s has no room for %s of each of two strata. Batches of %s have it, which the code "
      "makes instead.", size, wanted, needed
  );
}

static void say_why_by_weight(const Question *question, const char *wanted, const char *rows, char *reason) {
  double mean = (double)question->batch_size / (double)question->n_strata;
  char needed[NUMBER], ending[4 * NUMBER];
  show_count(question->minimum * question->n_strata, "row", needed);
  if (mean < (double)question->minimum) {
    snprintf(ending, sizeof ending, "fewer than %s: that takes batches of %s", wanted, needed);
  } else {
    snprintf(ending, sizeof ending, "at random, so some batches hold fewer than %s", wanted);
  }
  snprintf(
      reason, SENTENCE, "The smallest stratum has %s, fewer than the %s that a batch must hold. Rows that are drawn "
      "with replacement may occur in a batch more than once. A batch holds %.*f rows of each stratum on average, %s.",
      rows, wanted, mean == floor(mean) ? 0 : 2, mean, ending
  );
}

static void say_why(const Question *question, Advised sampler, char *reason) {
  char wanted[NUMBER], held[NUMBER], batches[NUMBER], rows[NUMBER];
  show_count(question->minimum, "row", wanted);
  show_count(question->fewest / question->n_batches, "row", held);
  show_count(question->fewest, "row", rows);
  show_batches(question->n_batches, batches);
  switch (sampler) {
  case PLAIN:
    snprintf(
        reason, SENTENCE, question->n_strata == 1
            ? "There is one stratum, so all batches are alike."
            : "At most 1 in 1,000 plain batches has fewer than %s of a stratum, so plain batches are enough.", wanted
    );
    break;
  case EVENLY_STRATIFIED:
    snprintf(
        reason, SENTENCE, "Stratified batches of this size hold at least %s of every stratum, and an epoch visits "
        "every row once.", held
    );
    break;
  case REPEATED:
    snprintf(
        reason, SENTENCE, "The smallest stratum has %s, too few for %s in each of %s. If rare rows are repeated, every "
        "batch holds at least %s of every stratum.", rows, wanted, batches, wanted
    );
    break;
  case SOME_STRATA:
    say_why_some_strata(question, wanted, reason);
    break;
  case DRAWN_BY_WEIGHT:
    say_why_by_weight(question, wanted, rows, reason);
  }
  /* Plain batches and weights have no parameter for missing values. */
  size_t length = strlen(reason), room = SENTENCE - length;
  if (question->missing == MISSING_DROP && (sampler == PLAIN || sampler == DRAWN_BY_WEIGHT)) {
    snprintf(reason + length, room, " First leave the rows without a stratum out of the dataset and the labels.");
  }
  if (question->missing == MISSING_STRATUM && sampler == DRAWN_BY_WEIGHT) {
    snprintf(reason + length, room, " First replace missing values of the labels with a value of their own.");
  }
}

static void write_code(const Question *question, Advised sampler, char *python, char *r) {
  static const char *const python_choices[] = {"", ", missing=\"stratum\"", ", missing=\"drop\""};
  static const char *const r_choices[] = {"", ", missing = \"stratum\"", ", missing = \"drop\""};
  const char *in_python = python_choices[question->missing], *in_r = r_choices[question->missing];
  long long size = question->batch_size, minimum = question->minimum, n_strata = strata_in_batch(question);
  switch (sampler) {
  case PLAIN: /* the last batch may be small, and have too few rows of a stratum */
    snprintf(python, CODE_LINE, "DataLoader(dataset, batch_size=%lld, shuffle=True, drop_last=True)", size);
    snprintf(r, CODE_LINE, "torch::dataloader(dataset, batch_size = %lld, shuffle = TRUE, drop_last = TRUE)", size);
    break;
  case EVENLY_STRATIFIED:
    snprintf(python, CODE_LINE, "StratifiedBatchSampler(labels, mean_batch_size=%lld%s)", size, in_python);
    snprintf(r, CODE_LINE, "batch_sampler_stratified(mean_batch_size = %lld, strata = labels%s)", size, in_r);
    break;
  case REPEATED:
    snprintf(
        python, CODE_LINE, "StratifiedBatchSampler(labels, %lld, mean_batch_size=%lld, rare=\"repeat\"%s)", minimum,
        size, in_python
    );
    snprintf(
        r, CODE_LINE, "batch_sampler_stratified(%lld, mean_batch_size = %lld, rare = \"repeat\", strata = labels%s)",
        minimum, size, in_r
    );
    break;
  case SOME_STRATA:
    snprintf(
        python, CODE_LINE, "StrataSubsetBatchSampler(labels, %lld, %lld, exact=True%s)", n_strata, minimum, in_python
    );
    snprintf(
        r, CODE_LINE, "batch_sampler_strata_subset(%lld, %lld, exact = TRUE, strata = labels%s)", n_strata, minimum,
        in_r
    );
    break;
  case DRAWN_BY_WEIGHT:
    snprintf(python, CODE_LINE, "WeightedBatchSampler(inverse_frequency_weights(labels), %lld)", size);
    snprintf(r, CODE_LINE, "batch_sampler_weighted(inverse_frequency_weights(labels), %lld)", size);
  }
}

/* Make a text in ASCII the result. */
static bool give_text(Host *host, const char *name, const char *text) {
  int64_t length = (int64_t)strlen(text);
  uint8_t *bytes = host->vector(host, name, BYTES, length);
  if (bytes != NULL) memcpy(bytes, text, (size_t)length);
  return bytes != NULL;
}

/* Make advice the result; without "counts", only check the arguments.
 *
 * "mean", "variance" and "too_few" describe each stratum in plain batches: its rows, and the share of batches with
 * fewer than the minimum. "minimums", "n_batches" and "mean_batch_sizes" are what a minimum costs, and
 * "largest_minimum" is possible in batches of at most "batch_size" rows on average. "sampler" is the name of what fits,
 * with a "reason" and code.
 */
static bool call_advice(const Parts *request, Host *host) {
  static const char *const name = "batch_size";
  Question question = {.n_strata = 0};
  double size, minimum = 0;
  if (!read_whole(request, name, 1, INFINITY, &size, host)) return false;
  if (!read_missing_choice(request, &question.missing, host)) return false;
  if (!read_one_minimum(request, INFINITY, &minimum, host)) return false;
  if (minimum > size) {
    char shown[NUMBER];
    return refuse(host, "min_samples_per_stratum", NULL, "be at most 'batch_size', %s", show_number(size, shown));
  }
  if (!is_given(request, "counts")) return true;
  if (!read_counts(request, "counts", &question.n_strata, &question.counts, &question.n_rows, host)) return false;
  if (size > (double)question.n_rows) {
    char got[NUMBER];
    const char *shown = number_read(request, name, size, got);
    return refuse(host, name, shown, "be at most the number of rows, %lld", (long long)question.n_rows);
  }
  question.batch_size = (int64_t)size;
  question.minimum = (int64_t)minimum;
  Counts rows = new_counts(question.counts, question.counts, question.n_strata);
  question.fewest = fewest_rows(&rows);
  question.n_batches = (2 * question.n_rows + question.batch_size) / (2 * question.batch_size);
  if (!describe_plain_batches(&question, host) || !describe_minimums(&question, host)) return false;
  Advised sampler = sampler_for(&question);
  char reason[SENTENCE], python[CODE_LINE], r[CODE_LINE];
  say_why(&question, sampler, reason);
  write_code(&question, sampler, python, r);
  return give_text(host, "sampler", advised_names[sampler]) && give_text(host, "reason", reason) &&
         give_text(host, "python", python) && give_text(host, "r", r);
}

const Function advice_function = {"advice", call_advice};
