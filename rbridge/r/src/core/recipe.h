/* The parts of a request of a user, and of a recipe, which anyone may have written; and the functions that read them.
 *
 * A reader checks one part and returns whether it is accepted. A request is refused under the name of its parameter, a
 * recipe under "recipe".
 */

#ifndef PYSTRAT_RECIPE_H
#define PYSTRAT_RECIPE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "host.h"
#include "largest_numbers.h"

enum {
  N_TABLES = 4 /* in which bytes are counted in turn: an addition would wait for the one before of the same code */
};

typedef struct Part Part;

struct Part {
  const char *name;
  PartType type;
  bool is_named;     /* its values have names, as those of a mapping have */
  bool is_single;    /* one value, in a language that tells it from a vector of one value */
  int64_t length;
  const void *values;
  const Part *items; /* of a request, if it is named: a part for each value */
};

typedef struct {
  const Part *parts;
  int64_t n_parts;
  bool is_recipe; /* or a request */
} Parts;

/* Return the part of this name; one of the type NOTHING if there is none. */
static inline Part find_part(const Parts *parts, const char *name) {
  for (int64_t i = 0; i < parts->n_parts; i++) {
    if (strcmp(parts->parts[i].name, name) == 0) return parts->parts[i];
  }
  return (Part){.name = name, .type = NOTHING};
}

/* Whether there is a part of this name, which may have no value. */
static inline bool has_part(const Parts *parts, const char *name) {
  for (int64_t i = 0; i < parts->n_parts; i++) {
    if (strcmp(parts->parts[i].name, name) == 0) return true;
  }
  return false;
}

static inline bool is_given(const Parts *parts, const char *name) { return find_part(parts, name).type != NOTHING; }

static inline bool are_texts(const Part *part) { return part->type == TEXT || part->type == TEXTS; }

/* Return one of the texts of a part. */
static inline const char *text_at(const Part *part, int64_t place) {
  return part->type == TEXT ? part->values : ((const char *const *)part->values)[place];
}

/* Refuse the value of a part of a recipe, which must have something; return false. */
static inline bool refuse_part(Host *host, const char *name, const char *requirement, ...) {
  char had[SENTENCE];
  va_list values;
  va_start(values, requirement);
  vsnprintf(had, SENTENCE, requirement, values);
  va_end(values);
  refuse(host, "recipe", NULL, "have %.400s as '%s'", had, name);
  host->refusal.shown = name;
  return false;
}

/* Whether a part is one number; return it in `number`, or one that is not whole in place of a fraction. */
static inline bool is_one_number(const Part *part, double *number) {
  *number = 0.5;
  if (part->length != 1) return false;
  if (part->type == INTEGERS) *number = *(const int32_t *)part->values;
  if (part->type == DOUBLES) *number = *(const double *)part->values;
  return part->type == INTEGERS || part->type == DOUBLES || part->type == FRACTION;
}

/* The whole number that a product of doubles, such as 0.07 * 100, was meant to be; else the number. */
static inline double nearly_whole(double number) {
  double nearest = round(number);
  return fabs(number - nearest) <= fmin(1e-9 * fabs(number), 1e-6) ? nearest : number;
}

/* Write a count with its noun, into `shown` of NUMBER bytes; return it: "1 row", "2 rows". */
static inline const char *show_count(int64_t count, const char *noun, char *shown) {
  snprintf(shown, NUMBER, "%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
  return shown;
}

/* Write a number as messages show it, into `shown` of NUMBER bytes; return it. */
static inline const char *show_number(double number, char *shown) {
  if (isfinite(number)) {
    snprintf(shown, NUMBER, "%.15g", number);
  } else {
    snprintf(shown, NUMBER, isnan(number) ? "NaN" : number > 0 ? "Inf" : "-Inf");
  }
  return shown;
}

/* Read a whole number of at least `least`, which is 0 or 1 if `most` is INFINITY, and at most `most`. */
static inline bool read_whole(
    const Parts *parts, const char *name, double least, double most, double *number, Host *host
) {
  Part part = find_part(parts, name);
  bool is_number = is_one_number(&part, number);
  if (is_number && part.type == DOUBLES && !parts->is_recipe) *number = nearly_whole(*number);
  bool is_whole = is_number && isfinite(*number) && floor(*number) == *number;
  if (is_whole && *number >= least && *number <= most) return true;
  if (parts->is_recipe && most == INFINITY) return refuse_part(host, name, "an integer from %.0f on", least);
  if (parts->is_recipe && least == most) return refuse_part(host, name, "%.0f", least);
  if (parts->is_recipe) return refuse_part(host, name, "an integer from %.0f to %.0f", least, most);
  host->refusal.is_type = !is_number;
  if (least == most) return refuse(host, name, NULL, "be %.0f", least);
  if (most < INFINITY) return refuse(host, name, NULL, "be an integer from %.0f to %.0f", least, most);
  return refuse(host, name, NULL, least == 1 ? "be a positive integer" : "be a non-negative integer");
}

/* Read a whole number of at most LARGEST_EXACT, as read_whole() does. */
static inline bool read_count(
    const Parts *parts, const char *name, double least, double most, int64_t *count, Host *host
) {
  double number;
  if (!read_whole(parts, name, least, most, &number, host)) return false;
  *count = (int64_t)number;
  return true;
}

/* How messages show the number that was read from a part: NULL if it is the part itself, which the host shows, and not
 * the whole number that the part was meant to be. `shown` has room for NUMBER bytes.
 */
static inline const char *number_read(const Parts *parts, const char *name, double number, char *shown) {
  Part part = find_part(parts, name);
  double given;
  return is_one_number(&part, &given) && given == number ? NULL : show_number(number, shown);
}

/* Read a finite number of at least `least`. */
static inline bool read_number(const Parts *parts, const char *name, double least, double *number, Host *host) {
  Part part = find_part(parts, name);
  bool is_number = is_one_number(&part, number);
  if (part.type == FRACTION) *number = *(const double *)part.values;
  if (is_number && isfinite(*number) && *number >= least) return true;
  char shown[NUMBER];
  show_number(least, shown);
  if (parts->is_recipe) return refuse_part(host, name, "a finite number of at least %s", shown);
  host->refusal.is_type = !is_number;
  return refuse(host, name, NULL, "be a finite number of at least %s", shown);
}

/* Read true or false: a number in a recipe. */
static inline bool read_flag(const Parts *parts, const char *name, bool *flag, Host *host) {
  if (parts->is_recipe) {
    double number;
    if (!read_whole(parts, name, 0, 1, &number, host)) return false;
    *flag = number == 1;
    return true;
  }
  Part part = find_part(parts, name);
  if (part.type != FLAG) {
    host->refusal.is_type = true;
    return refuse(host, name, NULL, "be true or false");
  }
  *flag = *(const int32_t *)part.values != 0;
  return true;
}

/* Read a flag, which remains what it is if it is not given. */
static inline bool read_flag_if_given(const Parts *parts, const char *name, bool *flag, Host *host) {
  return !is_given(parts, name) || read_flag(parts, name, flag, host);
}

/* Read one of `n_choices` texts; return its number. */
static inline bool read_choice(
    const Parts *parts, const char *name, const char *const *choices, int n_choices, int *choice, Host *host
) {
  Part part = find_part(parts, name);
  char listed[SENTENCE] = "";
  for (int i = 0; i < n_choices; i++) {
    if (part.type == TEXT && strcmp(part.values, choices[i]) == 0) {
      *choice = i;
      return true;
    }
    size_t end = strlen(listed);
    snprintf(listed + end, SENTENCE - end, "%s'%s'", i == 0 ? "" : ", ", choices[i]);
  }
  if (parts->is_recipe) return refuse_part(host, name, "one of %.380s", listed);
  return refuse(host, name, NULL, "be one of %.400s", listed);
}

/* Read `count` whole numbers, stored as doubles in a recipe, into `numbers`. */
static inline bool read_wholes(
    const Parts *recipe, const char *name, int64_t count, double least, double most, int64_t *numbers, Host *host
) {
  Part part = find_part(recipe, name);
  const double *values = part.values;
  bool is_right = part.type == DOUBLES && part.length == count;
  for (int64_t i = 0; is_right && i < count; i++) {
    is_right = values[i] >= least && values[i] <= most && floor(values[i]) == values[i];
    if (is_right) numbers[i] = (int64_t)values[i];
  }
  if (is_right) return true;
  return refuse_part(
      host, name, "%lld integer%s from %.0f to %.0f", (long long)count, count == 1 ? "" : "s", least, most
  );
}

/* The stratum of each row, from 0; rows that are in no batch have the number of strata. */
typedef struct {
  const uint8_t *bytes; /* or NULL */
  const int32_t *integers;
  int64_t n_rows, n_strata;
  int64_t *counts; /* n_strata + 1: the rows of each stratum, then those that are in no batch */
} Codes;

static inline int64_t code_of(const Codes *codes, int64_t row) {
  return codes->bytes != NULL ? codes->bytes[row] : codes->integers[row];
}

/* Return the rows of all strata, without those that are in no batch. */
static inline int64_t rows_of_strata(const Codes *codes) {
  int64_t n_rows = 0;
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) n_rows += codes->counts[stratum];
  return n_rows;
}

/* Count the codes from `begin` to before `end`; return whether all of them are numbers of strata. */
static inline bool count_codes_between(Codes *codes, int64_t begin, int64_t end) {
  int64_t n_strata = codes->n_strata, *counts = codes->counts;
  if (codes->bytes == NULL) {
    for (int64_t row = begin; row < end; row++) {
      int32_t code = codes->integers[row];
      if (code < 0 || code > n_strata) return false;
      counts[code] += 1;
    }
    return true;
  }
  int64_t found[N_TABLES][UINT8_MAX + 1] = {{0}};
  int64_t row = begin;
  for (; row + N_TABLES <= end; row += N_TABLES) {
    for (int table = 0; table < N_TABLES; table++) found[table][codes->bytes[row + table]] += 1;
  }
  for (; row < end; row++) found[0][codes->bytes[row]] += 1;
  for (int64_t code = 0; code <= UINT8_MAX; code++) {
    int64_t count = 0;
    for (int table = 0; table < N_TABLES; table++) count += found[table][code];
    if (code > n_strata && count > 0) return false;
    if (code <= n_strata) counts[code] += count;
  }
  return true;
}

/* Count the codes, unless a request has their "counts", doubles as Codes has them. */
static inline bool count_codes(const Parts *parts, Codes *codes, Host *host) {
  Part known = find_part(parts, "counts");
  if (!parts->is_recipe && known.type == DOUBLES && known.length == codes->n_strata) {
    const double *counts = known.values;
    for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) codes->counts[stratum] = (int64_t)counts[stratum];
    return true;
  }
  for (int64_t begin = 0; begin < codes->n_rows; begin += GO_ON_ROWS) {
    if (!count_codes_between(codes, begin, smaller(begin + GO_ON_ROWS, codes->n_rows))) {
      return refuse(host, "codes", "others", "be numbers of strata from 0, or the number of strata");
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Find the codes of rows. */
static inline bool find_codes(const Parts *parts, Codes *codes, Host *host) {
  Part part = find_part(parts, "codes");
  if ((part.type != BYTES && part.type != INTEGERS) || part.length < 1 || part.length > LARGEST_COUNT) {
    refuse(host, "recipe", NULL, "have numbers of strata as 'codes', raw or integer");
    host->refusal.shown = "codes";
    return false;
  }
  codes->bytes = part.type == BYTES ? part.values : NULL;
  codes->integers = part.type == BYTES ? NULL : part.values;
  codes->n_rows = part.length;
  return true;
}

/* Read the codes of strata and count them, in memory of this life. */
static inline bool read_codes(const Parts *parts, Life life, Codes *codes, Host *host) {
  if (!find_codes(parts, codes, host)) return false;
  if (!read_count(parts, "n_strata", 1, (double)codes->n_rows, &codes->n_strata, host)) return false;
  codes->counts = host->memory(host, life, (codes->n_strata + 1) * (int64_t)sizeof(int64_t));
  if (codes->counts == NULL) return false;
  memset(codes->counts, 0, (size_t)(codes->n_strata + 1) * sizeof(int64_t));
  return count_codes(parts, codes, host);
}

#endif
