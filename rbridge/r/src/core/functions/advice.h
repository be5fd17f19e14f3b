/* What follows from the rows of the strata before any training: how many rows of each stratum plain batches hold, how
 * large the minimum can be, and which sampler holds a minimum in batches of a given size.
 */

#include "../batch_numbers.h"
#include "functions.h"

/* Plain batches are enough if at most this share of them has too few rows of a stratum. */
#define FEW_BATCHES 0.001

enum { CODE_LINE = 128 /* bytes of a line of code */ };

typedef struct {
  int64_t n_strata, n_rows, n_batches; /* batches of a stratified epoch */
  int64_t *counts;
  int64_t fewest;                      /* rows of a stratum */
  int64_t batch_size, minimum;
  double most_short;                   /* the largest share of plain batches with too few rows of a stratum */
} Question;

/* The samplers that advice names, in the order of "sampler" from 0. */
typedef enum { PLAIN, EVENLY_STRATIFIED, REPEATED, SOME_STRATA, DRAWN_BY_WEIGHT } Advised;

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
    question->most_short = fmax(question->most_short, too_few[stratum]);
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
  if (question->n_strata == 1 || question->most_short <= FEW_BATCHES) return PLAIN;
  if (question->fewest / question->n_batches >= question->minimum) return EVENLY_STRATIFIED;
  if (question->fewest < question->minimum) return DRAWN_BY_WEIGHT;
  return question->minimum <= question->batch_size / question->n_strata ? REPEATED : SOME_STRATA;
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
    snprintf(
        reason, SENTENCE, "A batch has no room for %s of each of %lld strata. With some strata in each batch, it holds "
        "at least %s of each of them.", wanted, (long long)question->n_strata, wanted
    );
    break;
  case DRAWN_BY_WEIGHT:
    snprintf(
        reason, SENTENCE, "The smallest stratum has %s, fewer than a batch shall hold. Rows that are drawn with "
        "replacement may occur in a batch more than once. The number of rows of a stratum is then random.", rows
    );
  }
}

static void write_code(const Question *question, Advised sampler, char *python, char *r) {
  long long size = question->batch_size, minimum = question->minimum, n_strata = size / minimum;
  switch (sampler) {
  case PLAIN:
    snprintf(python, CODE_LINE, "DataLoader(dataset, batch_size=%lld, shuffle=True)", size);
    snprintf(r, CODE_LINE, "torch::dataloader(dataset, batch_size = %lld, shuffle = TRUE)", size);
    break;
  case EVENLY_STRATIFIED:
    snprintf(python, CODE_LINE, "StratifiedBatchSampler(labels, mean_batch_size=%lld)", size);
    snprintf(r, CODE_LINE, "batch_sampler_stratified(mean_batch_size = %lld, strata = labels)", size);
    break;
  case REPEATED:
    snprintf(
        python, CODE_LINE, "StratifiedBatchSampler(labels, %lld, mean_batch_size=%lld, rare=\"repeat\")", minimum, size
    );
    snprintf(
        r, CODE_LINE, "batch_sampler_stratified(%lld, mean_batch_size = %lld, rare = \"repeat\", strata = labels)",
        minimum, size
    );
    break;
  case SOME_STRATA:
    snprintf(python, CODE_LINE, "StrataSubsetBatchSampler(labels, %lld, %lld, exact=True)", n_strata, minimum);
    snprintf(
        r, CODE_LINE, "batch_sampler_strata_subset(%lld, %lld, exact = TRUE, strata = labels)", n_strata, minimum
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
 * "largest_minimum" is possible in batches of at most "batch_size" rows on average. "sampler" is an Advised, with a
 * "reason" and code.
 */
static bool call_advice(const Parts *request, Host *host) {
  static const char *const name = "batch_size";
  Question question = {.n_strata = 0};
  double size, minimum;
  if (!read_whole(request, name, 1, INFINITY, &size, host) || !read_missing(request, host)) return false;
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
  return host->number(host, "sampler", sampler) && give_text(host, "reason", reason) &&
         give_text(host, "python", python) && give_text(host, "r", r);
}

const Function advice_function = {"advice", call_advice};
