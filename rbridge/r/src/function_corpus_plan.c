/* The number of lines of each file in an epoch of a mixture: from the "lines" of the files, at most one of rules,
 * "weights" of the files and a "temperature" or "cap", and "sample" or "epoch_end".
 *
 * A group of files has its share of the weights, and a file its share of the lines of its group. The files of a rule
 * are a group; otherwise each file is one, or all files are the same. All numbers are exact fractions of the decimal
 * numbers that are written.
 *
 * If "assign" is "even", epochs are full batches: the lines to draw are T in all, and each file has the floor or the
 * ceiling of its share of them, by the largest remainders, the first of equal ones.
 */

#include "core/decimal.h"
#include "core/functions.h"
#include "core/request.h"
#include "core/rules.h"

enum { N_TERMS = 2 /* of a fraction */, POWER_DIGITS = 12 /* the same on every machine */ };

enum { END_SAMPLE, END_FIRST, END_ALL, N_ENDS };

static const char *const epoch_ends[] = {"sample", "first_exhausted", "all_exhausted"};

/* The files and how an epoch is divided among them, with room for the computation. */
typedef struct {
  const double *lines;
  double *rules; /* the number of the rule of each file, NAN if it has none; a result */
  int64_t n_files, n_groups;
  int64_t *groups;       /* the group of each file, -1 if nothing is drawn from it */
  bool *keeps;           /* whether each line of a file occurs once, whatever is drawn */
  const char *parameter; /* what divides the files, or NULL if only their lines do */
  Decimal *weights;      /* of each group */
  double *sums;          /* the lines of the files of each group */
  Natural total;         /* of the weights of the groups that have lines; these are whole numbers then */
  Natural requested[N_TERMS]; /* the lines to draw */
  Natural terms[N_TERMS], scratch, rest;
  int64_t room; /* digits of each number */
  double n_kept, n_others;
} Division;

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
  division->rules = host->vector(host, "rule", DOUBLES, part.length);
  if (division->groups == NULL || division->keeps == NULL || division->rules == NULL) return false;
  for (int64_t file = 0; file < part.length; file++) division->rules[file] = NAN;
  return true;
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

/* Return a number with room for its digits; the next one follows at once. */
static Natural next_natural(uint32_t **digits, int64_t room) {
  Natural number = {*digits, 0};
  *digits += room;
  return number;
}

/* Make room for n_groups weights, the longest of so many digits. No number of a plan is a product of more than four. */
static bool make_room(Division *division, int64_t n_groups, int64_t longest, Host *host) {
  int64_t n_digits = longest + 400, room = 4 * (2 * n_digits / 9 + 4); /* a digit holds nine decimal ones */
  int64_t n_numbers = n_groups + 2 * N_TERMS + 3;
  uint32_t *digits = host->memory(host, FOR_THE_CALL, n_numbers * room * (int64_t)sizeof *digits);
  division->n_groups = n_groups;
  division->room = room;
  division->weights = host->memory(host, FOR_THE_CALL, n_groups * (int64_t)sizeof *division->weights);
  division->sums = host->memory(host, FOR_THE_CALL, n_groups * (int64_t)sizeof *division->sums);
  if (digits == NULL || division->weights == NULL || division->sums == NULL) return false;
  division->total = next_natural(&digits, room);
  division->scratch = next_natural(&digits, room);
  division->rest = next_natural(&digits, room);
  for (int term = 0; term < N_TERMS; term++) {
    division->requested[term] = next_natural(&digits, room);
    division->terms[term] = next_natural(&digits, room);
  }
  for (int64_t group = 0; group < n_groups; group++) {
    division->weights[group] = (Decimal){next_natural(&digits, room), 0};
    division->sums[group] = 0;
  }
  return true;
}

/* Divide by the weights of "rules", as they are written; files are chosen by their "names". */
static bool divide_by_rules(const Parts *request, int64_t room, Division *division, Host *host) {
  Rules rules;
  int64_t longest = 0;
  if (!read_rules(request, &rules, host)) return false;
  if (!find_rules(request, &rules, division->n_files, division->rules, host)) return false;
  for (int64_t rule = 0; rule < rules.n_rules; rule++) {
    int64_t length = rules.rules[rule].weight.end - rules.rules[rule].weight.begin;
    longest = length > longest ? length : longest;
  }
  if (!make_room(division, rules.n_rules, longest + room, host)) return false;
  for (int64_t rule = 0; rule < rules.n_rules; rule++) {
    char text[LONGEST_WEIGHT + 1];
    Span weight = rules.rules[rule].weight;
    snprintf(text, sizeof text, "%.*s", (int)(weight.end - weight.begin), (const char *)rules.text + weight.begin);
    if (!is_star(&rules, weight)) read_decimal(text, &division->weights[rule]);
  }
  for (int64_t file = 0; file < division->n_files; file++) {
    int64_t rule = isnan(division->rules[file]) ? -1 : (int64_t)division->rules[file] - 1;
    division->keeps[file] = rule >= 0 && is_star(&rules, rules.rules[rule].weight);
    division->groups[file] = division->keeps[file] ? -1 : rule;
  }
  return true;
}

/* Divide by the weight of each file; "file_weights" are those of the user, with any number for those in "keeps". */
static bool divide_by_weights(const Parts *request, int64_t room, Division *division, Host *host) {
  Part given = find_part(request, "file_weights"), keeps = find_part(request, "keeps");
  const double *weights = given.values;
  if (given.length != division->n_files) {
    char got[NUMBER];
    show_count(given.length, "value", got);
    return refuse(host, "weights", got, "have one entry for each file, %lld", (long long)division->n_files);
  }
  if (!make_room(division, given.length, room, host)) return false;
  for (int64_t file = 0; file < given.length; file++) {
    division->keeps[file] = ((const uint8_t *)keeps.values)[file] != 0;
    division->groups[file] = !division->keeps[file] && weights[file] > 0 ? file : -1;
    if (!division->keeps[file] && !(weights[file] >= 0 && weights[file] <= LARGEST_EXACT)) {
      char got[SENTENCE];
      snprintf(got, SENTENCE, "a list with {weight %lld}", (long long)file + 1);
      return refuse(
          host, "weights", got, "be a list with a number from 0 to %.0f, or '*', for each file", LARGEST_EXACT
      );
    }
    char shown[NUMBER];
    if (division->groups[file] >= 0) read_decimal(show_shortest(weights[file], shown), &division->weights[file]);
  }
  return true;
}

/* Divide in proportion to lines^(1 / temperature), or to the lines; "cap" lines stand for any more. */
static bool divide_by_lines(const Parts *request, int64_t room, Division *division, Host *host) {
  double temperature = 1, cap = LARGEST_EXACT;
  bool has_temperature = is_given(request, "temperature"), is_capped = is_given(request, "cap");
  if (has_temperature && !read_number(request, "temperature", 1, &temperature, host)) return false;
  if (is_capped && !read_whole(request, "cap", 1, INFINITY, &cap, host)) return false;
  bool is_by_file = temperature > 1 || is_capped;
  if (!make_room(division, is_by_file ? division->n_files : 1, room, host)) return false;
  if (!is_by_file) {
    division->parameter = NULL;
    set_natural(&division->weights[0].digits, 1);
  }
  for (int64_t file = 0; file < division->n_files; file++) {
    division->keeps[file] = false;
    division->groups[file] = 0;
    if (!is_by_file) continue;
    double lines = fmin(division->lines[file], cap);
    char shown[NUMBER];
    snprintf(shown, NUMBER, "%.*g", POWER_DIGITS, pow(lines, 1 / temperature));
    if (temperature == 1) snprintf(shown, NUMBER, "%.0f", lines);
    read_decimal(shown, &division->weights[file]);
    division->groups[file] = division->weights[file].digits.length > 0 ? file : -1;
  }
  return true;
}

/* Count the lines that are kept, others, and those of each group; scale the weights to whole numbers, and add up those
 * of the groups that have lines.
 */
static void weigh_groups(Division *division) {
  int64_t n_decimals = 0;
  for (int64_t file = 0; file < division->n_files; file++) {
    double lines = division->lines[file];
    if (division->keeps[file]) {
      division->n_kept += lines;
    } else {
      division->n_others += lines;
    }
    if (lines == 0) division->groups[file] = -1;
    if (division->groups[file] >= 0) division->sums[division->groups[file]] += lines;
  }
  for (int64_t group = 0; group < division->n_groups; group++) {
    int64_t decimals = division->weights[group].n_decimals;
    if (division->sums[group] > 0 && decimals > n_decimals) n_decimals = decimals;
  }
  for (int64_t group = 0; group < division->n_groups; group++) {
    if (division->sums[group] == 0) continue;
    Decimal *weight = &division->weights[group];
    multiply_by_tens(&weight->digits, n_decimals - weight->n_decimals);
    add_natural(&division->total, &weight->digits);
  }
}

static bool divide_files(const Parts *request, Division *division, Host *host) {
  Part ratio = find_part(request, "sample_ratio");
  int64_t room = ratio.type == TEXT ? 2 * (int64_t)strlen(ratio.values) : 0;
  bool (*divide_by)(const Parts *, int64_t, Division *, Host *) = divide_by_lines;
  if (!read_lines(request, division, host) || !choose_parameter(request, division, host)) return false;
  if (division->parameter != NULL && strcmp(division->parameter, "rules") == 0) divide_by = divide_by_rules;
  if (division->parameter != NULL && strcmp(division->parameter, "weights") == 0) divide_by = divide_by_weights;
  if (!divide_by(request, room, division, host)) return false;
  weigh_groups(division);
  return true;
}

/* The lines to draw --------------------------------------------------------------------------------------------- */

/* Multiply two numbers and a number of lines. */
static void multiply_three(Division *division, const Natural *factor, const Natural *other, double lines, Natural *to) {
  Natural count = {(uint32_t[2]){0}, 0};
  set_natural(&count, (uint64_t)lines);
  multiply(factor, other, &division->scratch);
  multiply(&division->scratch, &count, to);
}

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

/* Read a share of the lines that are not kept. */
static bool read_share(const Parts *request, double share, Division *division, Host *host) {
  Part ratio = find_part(request, "sample_ratio");
  Natural *number = &division->terms[0], *divisor = &division->requested[1], one = {(uint32_t[2]){1}, 1};
  char shown[NUMBER];
  number->length = divisor->length = 0;
  if (!(share > 0 && share < 1)) {
    char got[SENTENCE];
    snprintf(got, SENTENCE, "the floating-point number %s", show_double(share, shown));
    refuse(host, "sample", got, "be a share between 0 and 1, or a number of lines: an integer from 1");
    if (!(fabs(share) <= LARGEST_EXACT && floor(share) == share)) return false;
    return advise(host, "A number of lines is written %.0f, in R %.0fL.", share, share);
  }
  if (ratio.type == TEXT) {
    const char *text = read_digits(ratio.values, 16, number);
    if (*text == '/') read_digits(text + 1, 16, divisor);
  } else {
    Decimal decimal = {*number, 0};
    read_decimal(show_shortest(share, shown), &decimal);
    *number = decimal.digits;
    set_natural(divisor, 1);
    multiply_by_tens(divisor, decimal.n_decimals);
  }
  multiply_three(division, number, &one, division->n_others, &division->requested[0]);
  return divisor->length > 0 || refuse(host, "sample", NULL, "be a fraction");
}

/* Read how many lines a sample draws. */
static bool read_sample(const Parts *request, Division *division, Host *host) {
  Part part = find_part(request, "sample");
  double sample, n_kept = division->n_kept;
  bool is_number = is_one_number(&part, &sample), is_count = false;
  const char *required = "be a share between 0 and 1, or a number of lines: an integer from 1";
  if (part.type == FRACTION) sample = *(const double *)part.values;
  if (!is_number) {
    host->refusal.is_type = true;
    return refuse(host, "sample", NULL, "%s", required);
  }
  if (!read_flag(request, "is_count", &is_count, host)) return false;
  if (!is_count) return read_share(request, sample, division, host);
  if (!(sample >= 1 && sample <= LARGEST_EXACT)) return refuse(host, "sample", NULL, "%s", required);
  if (sample < n_kept) {
    return refuse(host, "sample", NULL, "be at least %.0f, the lines that %s keep", n_kept, division->parameter);
  }
  set_natural(&division->requested[0], (uint64_t)(sample - n_kept));
  set_natural(&division->requested[1], 1);
  return true;
}

/* Find how many lines to draw by the shares until the first file has no new lines left, or until all have none: the
 * lines of a group for each part of its weight are then the fewest of all groups, or the most.
 */
static bool count_exhausting(Division *division, bool is_first, Host *host) {
  Natural one = {(uint32_t[2]){1}, 1}, *terms = division->terms;
  int64_t extreme = -1;
  for (int64_t group = 0; group < division->n_groups; group++) {
    if (division->sums[group] == 0) continue;
    bool is_below_extreme = false;
    if (extreme >= 0) {
      multiply_three(division, &division->weights[extreme].digits, &one, division->sums[group], &terms[0]);
      multiply_three(division, &division->weights[group].digits, &one, division->sums[extreme], &terms[1]);
      is_below_extreme = is_below(&terms[0], &terms[1]);
    }
    if (extreme < 0 || is_below_extreme == is_first) extreme = group;
    if (!host->go_on(host)) return false;
  }
  set_natural(&division->requested[1], 1);
  if (extreme < 0) return true;
  const Natural *weight = &division->weights[extreme].digits;
  multiply_three(division, &division->total, &one, division->sums[extreme], &division->requested[0]);
  multiply_three(division, weight, &one, 1, &division->requested[1]);
  return true;
}

static bool read_requested(const Parts *request, Division *division, int *end, Host *host) {
  if (!read_choice(request, "epoch_end", epoch_ends, N_ENDS, end, host)) return false;
  bool has_lines = division->total.length > 0;
  if (*end != END_SAMPLE) {
    if (is_given(request, "sample")) {
      return refuse(host, "sample", NULL, "be left out if 'epoch_end' is '%s'", epoch_ends[*end]);
    }
    if (!has_lines && division->n_kept == 0) return refuse_without_lines(division, "epoch_end", "draw from", host);
    return count_exhausting(division, *end == END_FIRST, host);
  }
  if (!read_sample(request, division, host)) return false;
  if (has_lines || division->requested[0].length == 0) return true;
  double wanted = nearest_share(&division->requested[0], &division->requested[1], &division->rest);
  char shown[NUMBER], purpose[SENTENCE];
  snprintf(purpose, SENTENCE, "draw %s from", show_number(wanted, shown));
  return refuse_without_lines(division, "sample", purpose, host);
}

/* Full batches -------------------------------------------------------------------------------------------------- */

/* Replace the lines to draw by as many as fill all batches: rounded down if the first file without new lines ends an
 * epoch, else up. Return the number of batches in `n_batches`.
 */
static bool fill_batches(const Parts *request, int end, Division *division, double *n_batches, Host *host) {
  double size, num_replicas = 1, n_kept = division->n_kept;
  Natural one = {(uint32_t[2]){1}, 1}, *terms = division->terms, *requested = division->requested;
  if (!read_whole(request, "batch_size", 1, INFINITY, &size, host)) return false;
  bool is_shared = is_given(request, "num_replicas");
  if (is_shared && !read_whole(request, "num_replicas", 1, INFINITY, &num_replicas, host)) return false;
  double step = size * num_replicas;
  if (step > LARGEST_EXACT) return refuse(host, "batch_size", NULL, "give an epoch at most %.0f lines", LARGEST_EXACT);
  *n_batches = ceil(n_kept / step) * num_replicas;
  if (division->total.length == 0) return true; /* all lines are kept */
  terms[0].length = 0;
  if (n_kept > 0) multiply_three(division, &requested[1], &one, n_kept, &terms[0]);
  add_natural(&terms[0], &requested[0]);
  multiply_three(division, &requested[1], &one, step, &terms[1]);
  double count = (double)(end == END_FIRST ? divide(&terms[0], 0, &terms[1], &division->rest)
                                           : divide_up(&terms[0], &terms[1], &division->rest));
  if (count * step > LARGEST_EXACT) return true; /* check_total() refuses it */
  if (count * step <= n_kept) {
    char got[SENTENCE];
    snprintf(got, SENTENCE, "%.0f, for an epoch of fewer lines,", size);
    return refuse(host, "batch_size", got, "be at most the lines that '%s' gives an epoch", epoch_ends[end]);
  }
  *n_batches = count * num_replicas;
  set_natural(&requested[0], (uint64_t)(count * step - n_kept));
  set_natural(&requested[1], 1);
  return true;
}

/* Round the share of each file in the lines to draw, so that they add up to their number. */
static bool round_shares(Division *division, double *drawn, Host *host) {
  int64_t n_files = division->n_files, room = division->room;
  Natural *terms = division->terms, *rests = host->memory(host, FOR_THE_CALL, n_files * (int64_t)sizeof *rests);
  uint32_t *digits = host->memory(host, FOR_THE_CALL, n_files * room * (int64_t)sizeof *digits);
  Natural one = {(uint32_t[2]){1}, 1};
  if (rests == NULL || digits == NULL) return false;
  double left = (double)divide(&division->requested[0], 0, &one, &division->rest);
  for (int64_t file = 0; file < n_files; file++) {
    int64_t group = division->groups[file];
    rests[file] = next_natural(&digits, room);
    if (group < 0) continue;
    multiply_three(
        division, &division->weights[group].digits, &division->requested[0], division->lines[file], &terms[0]
    );
    multiply_three(division, &division->total, &one, division->sums[group], &terms[1]);
    drawn[file] = (double)divide(&terms[0], 0, &terms[1], &rests[file]);
    left -= drawn[file];
    if (!host->go_on(host)) return false;
  }
  for (; left > 0; left--) {
    int64_t most = -1;
    for (int64_t file = 0; file < n_files; file++) {
      if (rests[file].length == 0) continue;
      if (most >= 0) { /* rest / sum of the group; the total of the weights is the same */
        multiply_three(division, &rests[most], &one, division->sums[division->groups[file]], &terms[0]);
        multiply_three(division, &rests[file], &one, division->sums[division->groups[most]], &terms[1]);
      }
      if (most < 0 || is_below(&terms[0], &terms[1])) most = file;
    }
    drawn[most] += 1;
    rests[most].length = 0;
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

/* Set the terms to the share of a file from which lines are drawn. */
static void find_share(Division *division, int64_t file) {
  Natural one = {(uint32_t[2]){1}, 1}, *terms = division->terms;
  int64_t group = division->groups[file];
  multiply_three(division, &division->weights[group].digits, &one, division->lines[file], &terms[0]);
  multiply_three(division, &division->total, &one, division->sums[group], &terms[1]);
}

/* Write a number as bytes, lowest first, of the length of all numbers. */
static void write_natural(const Natural *number, int64_t room, uint8_t *bytes) {
  for (int64_t i = 0; i < 4 * room; i++) {
    uint32_t digit = i / 4 < number->length ? number->digits[i / 4] : 0;
    bytes[i] = (uint8_t)(digit >> (8 * (i % 4)));
  }
}

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
 * the lines that are not kept; and "n_others", the number of the latter.
 *
 * With the flag "exact", "terms" are those of the shares, and then of the lines to draw, as bytes.
 */
static bool call_corpus_plan(const Parts *request, Host *host) {
  Division division = {0};
  Natural *terms = division.terms, *requested = division.requested;
  int end = END_SAMPLE;
  bool exact = false, even = false;
  double n_batches = 1;
  if (!read_even(request, &even, host)) return false;
  if (!divide_files(request, &division, host) || !read_requested(request, &division, &end, host)) return false;
  if (even && !fill_batches(request, end, &division, &n_batches, host)) return false;
  if (!read_flag_if_given(request, "exact", &exact, host)) return false;
  int64_t n_files = division.n_files, room = division.room, width = 4 * room;
  double *drawn = host->vector(host, "drawn", DOUBLES, n_files), *kept = host->vector(host, "kept", DOUBLES, n_files);
  double *share = host->vector(host, "share", DOUBLES, n_files);
  double *uniform = host->vector(host, "uniform_share", DOUBLES, n_files), total = division.n_kept;
  uint8_t *bytes = exact ? host->vector(host, "terms", BYTES, N_TERMS * (n_files + 1) * width) : NULL;
  if (drawn == NULL || kept == NULL || share == NULL || uniform == NULL || (exact && bytes == NULL)) return false;
  for (int64_t file = 0; file < n_files; file++) {
    bool is_kept = division.keeps[file], is_drawn = division.groups[file] >= 0;
    kept[file] = is_kept ? division.lines[file] : 0;
    uniform[file] = is_kept || division.n_others == 0 ? 0 : division.lines[file] / division.n_others;
    drawn[file] = share[file] = 0;
    terms[0].length = 0;
    set_natural(&terms[1], 1);
    if (is_drawn) find_share(&division, file);
    for (int term = 0; exact && term < N_TERMS; term++, bytes += width) write_natural(&terms[term], room, bytes);
    if (!is_drawn) continue;
    share[file] = nearest_share(&terms[0], &terms[1], &division.rest);
    if (even) continue;
    int64_t group = division.groups[file];
    multiply_three(&division, &division.weights[group].digits, &requested[0], division.lines[file], &terms[0]);
    multiply_three(&division, &division.total, &requested[1], division.sums[group], &terms[1]);
    uint64_t count = end == END_FIRST ? divide(&terms[0], 0, &terms[1], &division.rest)
                                      : divide_up(&terms[0], &terms[1], &division.rest);
    drawn[file] = (double)count;
    total += drawn[file];
    if (!host->go_on(host)) return false;
  }
  for (int term = 0; exact && term < N_TERMS; term++, bytes += width) write_natural(&requested[term], room, bytes);
  if (even) {
    total += nearest_share(&requested[0], &requested[1], &division.rest);
    if (!check_total(request, total, host) || !round_shares(&division, drawn, host)) return false;
    if (!check_shares(&division, drawn, end, n_batches, host)) return false;
  }
  return check_total(request, total, host) && host->number(host, "n_others", division.n_others);
}

const Function corpus_plan_function = {"corpus_plan", call_corpus_plan};
