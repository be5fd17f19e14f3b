/* The number of lines of each file in an epoch of a mixture: from the "lines" of the files, at most one of "rules",
 * "weights" and a "temperature" or "cap", and "sample" or "epoch_end".
 *
 * A group of files has its share of the weights, and a file its share of the lines of its group. The files of a rule
 * are a group; otherwise each file is one, or all files are the same.
 *
 * If "assign" is "even", epochs are full batches: the lines to draw are T in all, and each file has the floor or the
 * ceiling of its share of them, by the largest remainders, the first of equal ones.
 */

#include "core/functions.h"
#include "core/request.h"

enum { END_SAMPLE, END_FIRST, END_ALL, N_ENDS };

static const char *const epoch_ends[] = {"sample", "first_exhausted", "all_exhausted"};

/* The files and how an epoch is divided among them. */
typedef struct {
  const double *lines;
  int64_t n_files, n_groups;
  int64_t *groups;       /* the group of each file, -1 if nothing is drawn from it */
  bool *keeps;           /* whether each line of a file occurs once, whatever is drawn */
  const char *parameter; /* what divides the files, or NULL if only their lines do */
  double *weights;       /* of each group */
  double *sums;          /* the lines of the files of each group */
  double total;          /* of the weights of the groups that have lines */
  double requested;      /* the lines to draw */
  double n_kept, n_others;
} Division;

/* What a product was meant to be: without the tolerance, 0.1 * 30 would need 4 whole lines. */
static double rounded_up(double number) { return ceil(number * (1 - 1e-12)); }
static double rounded_down(double number) { return floor(number * (1 + 1e-12)); }

/* Groups -------------------------------------------------------------------------------------------------------- */

static bool read_lines(const Parts *request, Division *division, Host *host) {
  Part part = find_part(request, "lines");
  double sum = 0;
  if (part.type != DOUBLES) return refuse(host, "lines", NULL, "be doubles, one for each file");
  division->lines = part.values;
  division->n_files = part.length;
  for (int64_t file = 0; file < part.length; file++) {
    double lines = division->lines[file];
    bool is_count = lines >= 0 && lines <= LARGEST_EXACT && floor(lines) == lines;
    if (!is_count) return refuse(host, "lines", "others", "be whole numbers from 0 to %.0f", LARGEST_EXACT);
    sum += lines;
    if (sum > LARGEST_EXACT) return refuse(host, "lines", "more", "add up to at most %.0f", LARGEST_EXACT);
  }
  division->groups = host->memory(host, FOR_THE_CALL, part.length * (int64_t)sizeof *division->groups);
  division->keeps = host->memory(host, FOR_THE_CALL, part.length * (int64_t)sizeof *division->keeps);
  return division->groups != NULL && division->keeps != NULL;
}

/* Choose what divides the files; refuse two of them. */
static bool choose_parameter(const Parts *request, Division *division, Host *host) {
  static const char *const names[] = {"rules", "weights", "temperature", "cap"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!is_given(request, names[i])) continue;
    bool is_by_lines = division->parameter != NULL && strcmp(division->parameter, "temperature") == 0;
    if (is_by_lines && strcmp(names[i], "cap") == 0) continue; /* both together are a way */
    if (division->parameter != NULL) {
      return refuse(host, names[i], NULL, "be left out if '%s' is given", division->parameter);
    }
    division->parameter = names[i];
  }
  return true;
}

static bool make_room(Division *division, int64_t n_groups, Host *host) {
  division->n_groups = n_groups;
  division->weights = host->memory(host, FOR_THE_CALL, n_groups * (int64_t)sizeof *division->weights);
  division->sums = host->memory(host, FOR_THE_CALL, n_groups * (int64_t)sizeof *division->sums);
  if (division->weights == NULL || division->sums == NULL) return false;
  for (int64_t group = 0; group < n_groups; group++) division->weights[group] = division->sums[group] = 0;
  return true;
}

/* Divide by rules: "file_rules" are the rules of the files, from 1, NAN for none, and "rules" the weights of all rules,
 * NAN for those that keep all lines.
 */
static bool divide_by_rules(const Parts *request, Division *division, Host *host) {
  Part weights = find_part(request, "rules"), rules = find_part(request, "file_rules");
  const double *numbers = rules.values;
  if (!make_room(division, weights.length, host)) return false;
  memcpy(division->weights, weights.values, (size_t)weights.length * sizeof(double));
  for (int64_t file = 0; file < division->n_files; file++) {
    int64_t rule = isnan(numbers[file]) ? -1 : (int64_t)numbers[file] - 1;
    division->keeps[file] = rule >= 0 && isnan(division->weights[rule]);
    division->groups[file] = division->keeps[file] ? -1 : rule;
  }
  return true;
}

/* Divide by the weight of each file; "file_weights" are those of the user, with any number for those in "keeps". */
static bool divide_by_weights(const Parts *request, Division *division, Host *host) {
  Part given = find_part(request, "file_weights"), keeps = find_part(request, "keeps");
  const double *weights = given.values;
  if (given.length != division->n_files) {
    char got[NUMBER];
    show_count(given.length, "value", got);
    return refuse(host, "weights", got, "have one entry for each file, %lld", (long long)division->n_files);
  }
  if (!make_room(division, given.length, host)) return false;
  for (int64_t file = 0; file < given.length; file++) {
    division->keeps[file] = ((const uint8_t *)keeps.values)[file] != 0;
    division->groups[file] = !division->keeps[file] && weights[file] > 0 ? file : -1;
    division->weights[file] = weights[file];
    if (division->keeps[file] || (weights[file] >= 0 && weights[file] <= LARGEST_EXACT)) continue;
    char got[SENTENCE];
    snprintf(got, SENTENCE, "a list with {weight %lld}", (long long)file + 1);
    return refuse(
        host, "weights", got, "be a list with a number from 0 to %.0f, or '*', for each file", LARGEST_EXACT
    );
  }
  return true;
}

/* Divide in proportion to lines^(1 / temperature), or to the lines; "cap" lines stand for any more. */
static bool divide_by_lines(const Parts *request, Division *division, Host *host) {
  double temperature = 1, cap = LARGEST_EXACT;
  bool is_capped = is_given(request, "cap");
  if (is_given(request, "temperature") && !read_number(request, "temperature", 1, &temperature, host)) return false;
  if (is_capped && !read_whole(request, "cap", 1, INFINITY, &cap, host)) return false;
  bool is_by_file = temperature > 1 || is_capped;
  if (!make_room(division, is_by_file ? division->n_files : 1, host)) return false;
  if (!is_by_file) {
    division->parameter = NULL;
    division->weights[0] = 1;
  }
  for (int64_t file = 0; file < division->n_files; file++) {
    double lines = fmin(division->lines[file], cap);
    division->keeps[file] = false;
    division->groups[file] = is_by_file ? file : 0;
    if (is_by_file) division->weights[file] = temperature == 1 ? lines : pow(lines, 1 / temperature);
  }
  return true;
}

/* Count the lines that are kept, others, and those of each group; add up the weights of the groups that have lines. */
static void weigh_groups(Division *division) {
  for (int64_t file = 0; file < division->n_files; file++) {
    double lines = division->lines[file];
    *(division->keeps[file] ? &division->n_kept : &division->n_others) += lines;
    if (lines == 0) division->groups[file] = -1;
    if (division->groups[file] >= 0) division->sums[division->groups[file]] += lines;
  }
  for (int64_t group = 0; group < division->n_groups; group++) {
    if (division->sums[group] > 0) division->total += division->weights[group];
  }
}

static bool divide_files(const Parts *request, Division *division, Host *host) {
  bool (*divide_by)(const Parts *, Division *, Host *) = divide_by_lines;
  if (!read_lines(request, division, host) || !choose_parameter(request, division, host)) return false;
  if (division->parameter != NULL && strcmp(division->parameter, "rules") == 0) divide_by = divide_by_rules;
  if (division->parameter != NULL && strcmp(division->parameter, "weights") == 0) divide_by = divide_by_weights;
  if (!divide_by(request, division, host)) return false;
  weigh_groups(division);
  return true;
}

/* The share of a file in the lines to draw. */
static double share_of(const Division *division, int64_t file) {
  int64_t group = division->groups[file];
  if (group < 0) return 0;
  return division->weights[group] / division->total * (division->lines[file] / division->sums[group]);
}

/* The lines to draw --------------------------------------------------------------------------------------------- */

/* Refuse parameters that leave no lines; `otherwise` is the parameter, unless rules or weights divide the files. */
static bool refuse_without_lines(const Division *division, const char *otherwise, const char *purpose, Host *host) {
  const char *name = division->parameter == NULL ? "" : division->parameter;
  char got[SENTENCE];
  show_count(division->n_files, "file", got);
  snprintf(got + strlen(got), SENTENCE / 2, " without any to %s", purpose);
  if (strcmp(name, "rules") == 0) return refuse(host, name, got, "match a file that has lines");
  if (strcmp(name, "weights") == 0) return refuse(host, name, got, "be above 0 for a file that has lines");
  return refuse(host, otherwise, got, "be taken from files that have lines");
}

/* Read how many lines a sample draws. */
static bool read_sample(const Parts *request, Division *division, Host *host) {
  static const char *const required = "be a share between 0 and 1, or a number of lines: an integer from 1";
  Part part = find_part(request, "sample");
  double sample, n_kept = division->n_kept;
  bool is_number = is_one_number(&part, &sample), is_count = false;
  if (part.type == FRACTION) sample = *(const double *)part.values;
  if (!is_number) {
    host->refusal.is_type = true;
    return refuse(host, "sample", NULL, "%s", required);
  }
  if (!read_flag(request, "is_count", &is_count, host)) return false;
  if (!is_count && sample > 0 && sample < 1) {
    division->requested = sample * division->n_others;
    return true;
  }
  if (!is_count) {
    char got[SENTENCE], shown[NUMBER];
    bool is_whole = fabs(sample) <= LARGEST_EXACT && floor(sample) == sample; /* 1.0 is not the integer 1 */
    snprintf(got, SENTENCE, "the floating-point number %s%s", show_number(sample, shown), is_whole ? ".0" : "");
    refuse(host, "sample", got, "%s", required);
    if (!is_whole) return false;
    return advise(host, "A number of lines is written %.0f, in R %.0fL.", sample, sample);
  }
  if (!(sample >= 1 && sample <= LARGEST_EXACT)) return refuse(host, "sample", NULL, "%s", required);
  if (sample < n_kept) {
    return refuse(host, "sample", NULL, "be at least %.0f, the lines that %s keep", n_kept, division->parameter);
  }
  division->requested = sample - n_kept;
  return true;
}

static bool read_requested(const Parts *request, Division *division, int *end, Host *host) {
  if (!read_choice(request, "epoch_end", epoch_ends, N_ENDS, end, host)) return false;
  if (*end == END_SAMPLE) {
    if (!read_sample(request, division, host)) return false;
    if (division->total > 0 || division->requested == 0) return true;
    char shown[NUMBER], purpose[SENTENCE];
    snprintf(purpose, SENTENCE, "draw %s from", show_number(division->requested, shown));
    return refuse_without_lines(division, "sample", purpose, host);
  }
  if (is_given(request, "sample")) {
    return refuse(host, "sample", NULL, "be left out if 'epoch_end' is '%s'", epoch_ends[*end]);
  }
  if (division->total == 0 && division->n_kept == 0) {
    return refuse_without_lines(division, "epoch_end", "draw from", host);
  }
  /* The lines of a group for each part of its weight are the fewest of all groups, or the most. */
  double extreme = *end == END_FIRST ? INFINITY : 0;
  for (int64_t group = 0; group < division->n_groups; group++) {
    if (division->sums[group] == 0) continue;
    double ratio = division->sums[group] / division->weights[group];
    extreme = *end == END_FIRST ? fmin(extreme, ratio) : fmax(extreme, ratio);
  }
  division->requested = division->total > 0 ? division->total * extreme : 0;
  return true;
}

/* Full batches -------------------------------------------------------------------------------------------------- */

/* Replace the lines to draw by as many as fill all batches: rounded down if the first file without new lines ends an
 * epoch, else up. Return the number of batches in `n_batches`.
 */
static bool fill_batches(const Parts *request, int end, Division *division, double *n_batches, Host *host) {
  double size, num_replicas = 1, n_kept = division->n_kept;
  if (!read_whole(request, "batch_size", 1, INFINITY, &size, host)) return false;
  bool is_shared = is_given(request, "num_replicas");
  if (is_shared && !read_whole(request, "num_replicas", 1, INFINITY, &num_replicas, host)) return false;
  double step = size * num_replicas;
  if (step > LARGEST_EXACT) return refuse(host, "batch_size", NULL, "give an epoch at most %.0f lines", LARGEST_EXACT);
  *n_batches = ceil(n_kept / step) * num_replicas;
  if (division->total == 0) return true; /* all lines are kept */
  double count = (n_kept + division->requested) / step;
  count = end == END_FIRST ? rounded_down(count) : rounded_up(count);
  if (count * step > LARGEST_EXACT) return true; /* check_total() refuses it */
  if (count * step <= n_kept) {
    char got[SENTENCE];
    snprintf(got, SENTENCE, "%.0f, for an epoch of fewer lines,", size);
    return refuse(host, "batch_size", got, "be at most the lines that '%s' gives an epoch", epoch_ends[end]);
  }
  *n_batches = count * num_replicas;
  division->requested = count * step - n_kept;
  return true;
}

/* Round the share of each file in the lines to draw, so that they add up to their number. */
static bool round_shares(const Division *division, double *drawn, Host *host) {
  double left = division->requested;
  double *rests = host->memory(host, FOR_THE_CALL, division->n_files * (int64_t)sizeof *rests);
  if (rests == NULL) return false;
  for (int64_t file = 0; file < division->n_files; file++) {
    double exact = division->requested * share_of(division, file);
    drawn[file] = rounded_down(exact);
    rests[file] = division->groups[file] < 0 ? -1 : exact - drawn[file];
    left -= drawn[file];
  }
  for (; left > 0; left--) {
    int64_t most = 0;
    for (int64_t file = 1; file < division->n_files; file++) {
      if (rests[file] > rests[most] + 1e-9) most = file;
    }
    drawn[most] += 1;
    rests[most] = -1;
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Refuse files that are drawn from without a line in an epoch, and lines that would be in a batch twice. */
static bool check_shares(const Division *division, const double *drawn, int end, double n_batches, Host *host) {
  const char *by = end == END_SAMPLE ? "sample" : "epoch_end";
  const char *name = division->parameter == NULL ? by : division->parameter;
  char got[SENTENCE];
  for (int64_t file = 0; file < division->n_files; file++) {
    if (division->groups[file] < 0) continue;
    double most = ceil(drawn[file] / n_batches);
    if (drawn[file] == 0) {
      snprintf(got, SENTENCE, "none for {file %lld}", (long long)file + 1);
      return refuse(host, name, got, "give each file with a share at least one line of an epoch");
    }
    if (most <= division->lines[file]) continue;
    snprintf(got, SENTENCE, "%.0f", most);
    refuse(
        host, name, got, "ask for at most %.0f line%s of {file %lld} in a batch", division->lines[file],
        division->lines[file] == 1 ? "" : "s", (long long)file + 1
    );
    return advise(host, "No line occurs twice in a batch.");
  }
  return true;
}

/* The plan ------------------------------------------------------------------------------------------------------ */

/* Refuse an epoch of no lines, or of more than "most_lines". */
static bool check_total(const Parts *request, double total, Host *host) {
  char got[SENTENCE], shown[NUMBER];
  double most_lines, sample;
  if (!read_whole(request, "most_lines", 1, LARGEST_EXACT, &most_lines, host)) return false;
  if (total >= 1 && total <= most_lines) return true;
  Part part = find_part(request, "sample"), end = find_part(request, "epoch_end");
  bool is_sample = is_one_number(&part, &sample) || part.type == FRACTION;
  if (part.type == FRACTION) sample = *(const double *)part.values;
  if (is_sample) {
    snprintf(got, SENTENCE, "%s, for ", show_number(sample, shown));
  } else {
    snprintf(got, SENTENCE, "'%s', for ", text_at(&end, 0));
  }
  if (total < 1) {
    snprintf(got + strlen(got), NUMBER, "none");
  } else if (total <= LARGEST_EXACT) {
    snprintf(got + strlen(got), NUMBER, "%.0f", total);
  } else {
    snprintf(got + strlen(got), NUMBER, "more than %.0f", LARGEST_EXACT);
  }
  const char *name = is_sample ? "sample" : "epoch_end";
  if (total < 1) return refuse(host, name, got, "give an epoch at least one line");
  return refuse(host, name, got, "give an epoch at most %.0f lines", most_lines);
}

/* Make the numbers of each file results: "drawn", "kept", its "share" of the lines to draw, and its "uniform_share" of
 * the lines that are not kept; and "requested", the lines to draw.
 */
static bool call_corpus_plan(const Parts *request, Host *host) {
  Division division = {0};
  int end = END_SAMPLE;
  bool even = false;
  double n_batches = 1;
  if (!read_even(request, &even, host)) return false;
  if (!divide_files(request, &division, host) || !read_requested(request, &division, &end, host)) return false;
  if (even && !fill_batches(request, end, &division, &n_batches, host)) return false;
  int64_t n_files = division.n_files;
  double *drawn = host->vector(host, "drawn", DOUBLES, n_files), *kept = host->vector(host, "kept", DOUBLES, n_files);
  double *share = host->vector(host, "share", DOUBLES, n_files);
  double *uniform = host->vector(host, "uniform_share", DOUBLES, n_files), total = division.n_kept;
  if (drawn == NULL || kept == NULL || share == NULL || uniform == NULL) return false;
  for (int64_t file = 0; file < n_files; file++) {
    bool is_kept = division.keeps[file];
    kept[file] = is_kept ? division.lines[file] : 0;
    uniform[file] = is_kept || division.n_others == 0 ? 0 : division.lines[file] / division.n_others;
    share[file] = share_of(&division, file);
    double exact = division.requested * share[file];
    drawn[file] = even ? 0 : end == END_FIRST ? rounded_down(exact) : rounded_up(exact);
    total += drawn[file];
  }
  if (even) {
    total += division.requested;
    if (!check_total(request, total, host) || !round_shares(&division, drawn, host)) return false;
    if (!check_shares(&division, drawn, end, n_batches, host)) return false;
  }
  return check_total(request, total, host) && host->number(host, "requested", division.requested);
}

const Function corpus_plan_function = {"corpus_plan", call_corpus_plan};
