/* The number of batches that follows from the rows of the strata, and why it is refused, with a value that works. */

#ifndef PYSTRAT_BATCH_NUMBERS_H
#define PYSTRAT_BATCH_NUMBERS_H

#include "request.h"

#define RARE_ADVICE "it, or set 'rare' to 'warn' or 'allow'."

/* The size of batches that a user chooses: the minimum of every stratum or label, or the mean number of rows. */
typedef struct {
  bool has_mean;
  double minimum, mean;
} SizeRequest;

/* Check that one of the two is given; `name` is the parameter of the minimum. */
static inline bool check_one_size(const Parts *request, const char *name, Host *host) {
  bool has_minimum = is_given(request, name);
  if (has_minimum != is_given(request, "mean_batch_size")) return true;
  if (has_minimum) return refuse(host, name, NULL, "be left out if 'mean_batch_size' is given");
  refuse(host, name, "nothing", "be given if 'mean_batch_size' is not");
  const char *noun = name + strlen("min_samples_per_"); /* "stratum" or "label" */
  return advise(
      host, "Pass one of them: the fewest rows of every %s in a batch, or the mean number of rows in a batch.", noun
  );
}

static inline bool read_mean(const Parts *request, SizeRequest *size, Host *host) {
  size->has_mean = is_given(request, "mean_batch_size");
  return !size->has_mean || read_whole(request, "mean_batch_size", 1, INFINITY, &size->mean, host);
}

/* Read the size of a kind that takes one minimum for all strata. */
static inline bool read_one_size(const Parts *request, SizeRequest *size, Host *host) {
  if (!check_one_size(request, "min_samples_per_stratum", host) || !read_mean(request, size, host)) return false;
  return size->has_mean || read_one_minimum(request, INFINITY, &size->minimum, host);
}

/* Make the size a result. */
static inline bool keep_size(const char *name, const SizeRequest *size, Host *host) {
  if (size->has_mean) return host->keep(host, name) && host->number(host, "mean_batch_size", size->mean);
  return host->number(host, name, size->minimum) && host->keep(host, "mean_batch_size");
}

static inline const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

/* Write "1 batch" or "2 batches" into `shown` of NUMBER bytes; return it. */
static inline const char *show_batches(int64_t n_batches, char *shown) {
  snprintf(shown, NUMBER, "%lld batch%s", (long long)n_batches, n_batches == 1 ? "" : "es");
  return shown;
}

static inline bool refuse_large_epoch(const char *parameter, Host *host) {
  return refuse(host, parameter, NULL, "give an epoch at most %d rows", LARGEST_COUNT);
}

/* Read numbers of rows, one for each stratum, and their sum. */
static inline bool read_counts(
    const Parts *request, const char *name, int64_t *n_strata, int64_t **counts, int64_t *n_rows, Host *host
) {
  Part part = find_part(request, name);
  const double *given = part.values;
  if (part.type != DOUBLES || part.length < 1 || part.length > LARGEST_COUNT) {
    return refuse(host, name, NULL, "be doubles, one for each stratum");
  }
  *n_strata = part.length;
  *counts = host->memory(host, FOR_THE_CALL, part.length * (int64_t)sizeof **counts);
  if (*counts == NULL) return false;
  *n_rows = 0;
  for (int64_t stratum = 0; stratum < part.length; stratum++) {
    double count = given[stratum];
    bool is_count = count >= 1 && count <= (double)LARGEST_COUNT && floor(count) == count;
    if (!is_count) return refuse(host, name, "others", "be integers from 1 to %d", LARGEST_COUNT);
    (*counts)[stratum] = (int64_t)count;
    *n_rows += (*counts)[stratum];
    if (*n_rows > LARGEST_COUNT) return refuse(host, name, "more", "add up to at most %d", LARGEST_COUNT);
  }
  return true;
}

/* The rows of strata in an epoch, or their groups. */
typedef struct {
  int64_t n_strata, n_rows;
  const char *noun;   /* of what is counted: "row" or "group" */
  int64_t *counts;
  int64_t *available; /* the rows in the dataset, of which `counts` are kept; or `counts` */
  int64_t smallest;   /* the stratum with the fewest rows, if possible one that is whole: keeping more rows of others
                         would not help */
  int64_t most_batches; /* a larger number of batches is lowered to it */
} Counts;

static inline Counts new_counts(int64_t *counts, int64_t *available, int64_t n_strata) {
  Counts rows = {
      .n_strata = n_strata, .noun = "row", .counts = counts, .available = available, .most_batches = LARGEST_COUNT
  };
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    int64_t least = counts[rows.smallest];
    bool is_whole = counts[stratum] == available[stratum];
    bool is_better = is_whole && counts[rows.smallest] < available[rows.smallest];
    if (counts[stratum] < least || (counts[stratum] == least && is_better)) rows.smallest = stratum;
    rows.n_rows += counts[stratum];
  }
  return rows;
}

static inline int64_t fewest_rows(const Counts *rows) { return rows->counts[rows->smallest]; }

static inline bool is_kept_part(const Counts *rows) { return fewest_rows(rows) < rows->available[rows->smallest]; }

/* Write what messages say of the smallest stratum, without "The", into `shown` of SENTENCE bytes; return it. */
static inline const char *show_smallest(const Counts *rows, Host *host, char *shown) {
  long long count = fewest_rows(rows), available = rows->available[rows->smallest];
  host->refusal.stratum = rows->smallest;
  if (is_kept_part(rows)) {
    snprintf(
        shown, SENTENCE, "smallest stratum, '{stratum}', keeps %lld of %lld %s%s", count, available, rows->noun,
        plural(available)
    );
  } else {
    snprintf(shown, SENTENCE, "smallest stratum, '{stratum}', has %lld %s%s", count, rows->noun, plural(count));
  }
  return shown;
}

/* Refuse the number of replicas that exceeds the rows of the smallest stratum. */
static inline bool refuse_replicas(
    const Parts *request, const Counts *rows, double num_replicas, const char *advice, Host *host
) {
  char shown[NUMBER], smallest[SENTENCE];
  refuse(
      host, "num_replicas", number_read(request, "num_replicas", num_replicas, shown), "be at most %lld: the %.300s",
      (long long)fewest_rows(rows), show_smallest(rows, host, smallest)
  );
  return advise(host, "%s", advice);
}

/* Return the stratum with the fewest rows, the first of several. */
static inline int64_t smallest_stratum(const Codes *codes) {
  int64_t smallest = 0;
  for (int64_t stratum = 1; stratum < codes->n_strata; stratum++) {
    if (codes->counts[stratum] < codes->counts[smallest]) smallest = stratum;
  }
  return smallest;
}

/* Refuse a minimum that the smallest stratum does not have. */
static inline bool refuse_rare(const Parts *request, const Codes *codes, double minimum, Host *host) {
  int64_t smallest = smallest_stratum(codes), count = codes->counts[smallest];
  if ((double)count >= minimum) return true;
  char shown[NUMBER];
  host->refusal.stratum = smallest;
  refuse(
      host, "min_samples_per_stratum", number_read(request, "min_samples_per_stratum", minimum, shown),
      "be at most %lld: the smallest stratum, '{stratum}', has %lld row%s", (long long)count, (long long)count,
      count == 1 ? "" : "s"
  );
  return advise(host, "Lower it, or set 'rare' to 'warn' or 'allow'.");
}

/* Warn of n_rare strata with fewer rows than the minimum, if there are any. */
static inline void warn_of_rare(
    int64_t n_rare, int64_t n_strata, double minimum, const char *consequence, Host *host
) {
  if (n_rare == 0) return;
  snprintf(
      host->warning, SENTENCE, "%lld of %lld strata have fewer than %.0f row%s: %s.", (long long)n_rare,
      (long long)n_strata, minimum, minimum == 1 ? "" : "s", consequence
  );
}

/* The least mean for which rounding half up, then down to a multiple of the replicas, gives at most `most` batches. */
static inline int64_t least_mean(int64_t n_rows, int64_t most, int64_t replicas) {
  return 2 * n_rows / (2 * (most + replicas - 1) + 1) + 1;
}

/* Refuse `n_batches` batches of `mean` rows on average: there may be at most `most`, for this reason. */
static inline bool refuse_mean(
    double mean, int64_t n_batches, int64_t n_rows, int64_t most, int64_t replicas, const char *reason, Host *host
) {
  char shown[NUMBER], batches[NUMBER], at_most[NUMBER], got[SENTENCE];
  snprintf(got, SENTENCE, "%s, for %s,", show_number(mean, shown), show_batches(n_batches, batches));
  return refuse(
      host, "mean_batch_size", got, "be at least %lld, for at most %s: %.304s",
      (long long)least_mean(n_rows, most, replicas), show_batches(most, at_most), reason
  );
}

/* Return the number of batches of `mean` rows on average, rounded half up. */
static inline int64_t count_by_mean(int64_t n_rows, double mean) {
  int64_t size = (int64_t)fmin(mean, LARGEST_EXACT), n_batches = (2 * n_rows + size) / (2 * size);
  return n_batches == 0 ? 1 : n_batches;
}

/* The number of batches of `mean` rows on average, of n_rows rows. With other means, there are at most `reachable`. */
static inline bool batches_by_mean(
    const Parts *request, int64_t n_rows, double mean, double num_replicas, int64_t reachable, int64_t *n_batches,
    Host *host
) {
  bool may_fit = (double)reachable >= num_replicas;
  *n_batches = count_by_mean(n_rows, mean);
  if (!may_fit) *n_batches = smaller(*n_batches, reachable);
  if (share_batches(request, num_replicas, n_batches, host)) return true;
  long long largest = 2 * n_rows / (2 * limited(num_replicas) - 1);
  return may_fit && largest > 0 && advise(host, "Lower 'mean_batch_size' to at most %lld.", largest);
}

/* The same, for batches that all need a row of every stratum, unless rare strata are allowed. `advice` follows that. */
static inline bool batches_by_mean_for_all(
    const Parts *request, const Counts *rows, double mean, double num_replicas, int rare, const char *advice,
    int64_t *n_batches, Host *host
) {
  char batches[NUMBER], reason[SENTENCE], smallest[SENTENCE];
  int64_t fewest = fewest_rows(rows), replicas = limited(num_replicas), most = rows->most_batches;
  int64_t count = count_by_mean(rows->n_rows, mean), reachable = rare == RARE_ERROR ? smaller(fewest, most) : most;
  if (rare == RARE_ERROR && fewest < replicas && fewest <= smaller(count, most)) {
    const char *lower = smaller(count, most) < replicas ? "Lower it." : "Lower " RARE_ADVICE;
    return refuse_replicas(request, rows, num_replicas, lower, host);
  }
  if (!batches_by_mean(request, rows->n_rows, mean, num_replicas, reachable, n_batches, host)) return false;
  *n_batches = smaller(*n_batches, most - most % replicas);
  if (*n_batches <= fewest || rare == RARE_ALLOW) return true;
  show_smallest(rows, host, smallest);
  if (rare == RARE_WARN) {
    snprintf(
        host->warning, SENTENCE,
        "The %.300s, and the 'mean_batch_size' parameter makes %s: some batches hold no row of it.", smallest,
        show_batches(*n_batches, batches)
    );
    return true;
  }
  most = fewest - fewest % replicas;
  snprintf(reason, SENTENCE, "the %.300s", smallest);
  refuse_mean(mean, *n_batches, rows->n_rows, most, replicas, reason, host);
  return advise(host, "Raise " RARE_ADVICE "%s", mean < (double)rows->n_strata ? "" : advice);
}

/* The fewest batches of at most `size` rows, the part `name`, a multiple of the replicas, each with a row of every
 * stratum.
 */
static inline bool batches_by_size(
    const Parts *request, const char *name, const Counts *rows, double size, double num_replicas, int64_t *n_batches,
    Host *host
) {
  char shown[NUMBER], batches[NUMBER], at_most[NUMBER], got[SENTENCE], smallest[SENTENCE];
  int64_t replicas = limited(num_replicas), fewest = fewest_rows(rows);
  *n_batches = quotient_up(quotient_up(rows->n_rows, limited(size)), replicas) * replicas;
  if (*n_batches <= fewest) return true;
  int64_t most = fewest - fewest % replicas;
  bool is_part = is_kept_part(rows);
  if (most == 0) {
    const char *advice = is_part ? "Lower it, or raise 'multiplier'." : "Lower it.";
    return refuse_replicas(request, rows, num_replicas, advice, host);
  }
  snprintf(got, SENTENCE, "%s, for %s,", show_number(size, shown), show_batches(*n_batches, batches));
  refuse(
      host, name, got, "be at least %lld, for at most %s: the %.300s",
      (long long)quotient_up(rows->n_rows, most), show_batches(most, at_most), show_smallest(rows, host, smallest)
  );
  return advise(host, is_part ? "Raise it, or 'multiplier'." : "Raise it.");
}

#endif
