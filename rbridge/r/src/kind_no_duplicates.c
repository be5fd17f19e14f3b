/* Batches without two rows that share a value of a key.
 *
 * An epoch of n rows has at least the ceiling of n / batch_size batches, whose sizes differ by at most 1, the larger
 * ones first. With one key or two, the number of batches is also at least that of the rows with the most frequent
 * value. Then the rows of each value can be spread over the batches, see groups_apart.h; with one key, those of each
 * stratum as well. Three and more keys, and keys whose values count in all columns, need the number of batches of
 * shared_values.h.
 */

#include "core/batch_numbers.h"
#include "core/dealt.h"
#include "core/kinds.h"
#include "core/shared_values.h"

/* The keys of rows, and their strata if there are any. */
typedef struct {
  const int32_t *codes; /* of n_rows rows for each column: the value, from 0 */
  int64_t n_rows, n_columns;
  int64_t n_kinds;      /* of values: one for each column, or only one for all columns */
  int64_t *n_values;    /* of each kind */
  Codes strata;         /* n_strata is 0 if there are none */
} Keys;

typedef struct {
  Keys keys;
  int64_t n_batches;
  bool is_nested;          /* each value of the second side has rows with only one value of the first */
  GraphSide sides[2];      /* with one key or two: the labels and their counts */
  ValuedRows valued;       /* with others */
} NoDuplicates;

/* The arguments of a user. */
typedef struct {
  double batch_size, minimum, num_replicas;
  bool has_minimum;
} NoDuplicatesRequest;

static bool read_no_duplicates(const Parts *request, NoDuplicatesRequest *wanted, Host *host) {
  bool any;
  wanted->has_minimum = is_given(request, "min_samples_per_stratum");
  return read_whole(request, "batch_size", 1, INFINITY, &wanted->batch_size, host) &&
         read_flag(request, "across_columns", &any, host) &&
         (!wanted->has_minimum || read_one_minimum(request, INFINITY, &wanted->minimum, host)) &&
         read_sharing(request, &wanted->num_replicas, host);
}

/* Make the settings of the request the result. */
static bool keep_no_duplicates(const Parts *request, const NoDuplicatesRequest *wanted, Host *host) {
  return host->number(host, "batch_size", wanted->batch_size) && host->keep(host, "across_columns") &&
         give_number("min_samples_per_stratum", wanted->has_minimum, wanted->minimum, host) &&
         keep_sharing(request, wanted->num_replicas, host);
}

static bool read_keys(const Parts *parts, Life life, Keys *keys, Host *host) {
  Part codes = find_part(parts, "keys");
  int64_t n_kinds = find_part(parts, "n_values").length;
  if (!read_count(parts, "n_columns", 1, LARGEST_COUNT, &keys->n_columns, host)) return false;
  if (codes.type != INTEGERS || codes.length < 1 || codes.length > LARGEST_COUNT ||
      codes.length % keys->n_columns != 0) {
    refuse(host, "recipe", NULL, "have numbers of values for each column as 'keys'");
    host->refusal.shown = "keys";
    return false;
  }
  keys->codes = codes.values;
  keys->n_rows = codes.length / keys->n_columns;
  keys->n_kinds = n_kinds == 1 ? 1 : keys->n_columns;
  keys->n_values = host->memory(host, life, keys->n_kinds * (int64_t)sizeof *keys->n_values);
  if (keys->n_values == NULL) return false;
  double most = (double)(keys->n_kinds == 1 ? codes.length : keys->n_rows);
  if (!read_wholes(parts, "n_values", keys->n_kinds, 1, most, keys->n_values, host)) return false;
  keys->strata.n_strata = 0;
  if (!is_given(parts, "codes")) return true;
  if (!read_codes(parts, life, &keys->strata, host) || !check_strata_have_rows(&keys->strata, host)) return false;
  if (keys->strata.n_rows != keys->n_rows) {
    char got[NUMBER];
    const char *name = parts->is_recipe ? "recipe" : "strata";
    show_count(keys->strata.n_rows, "value", got);
    return refuse(host, name, got, "have one value for each row of 'keys', %lld", (long long)keys->n_rows);
  }
  bool are_all = keys->strata.counts[keys->strata.n_strata] == 0 && keys->n_columns == 1;
  return are_all || refuse(host, "recipe", "others", "have a single key, and a stratum of each row");
}

/* Whether the keys are one or two, which can be spread over batches. */
static bool are_sides(const Keys *keys) {
  return keys->n_columns == 1 || (keys->n_columns == 2 && keys->n_kinds == 2);
}

/* Refuse a number that is not one of the values of a column. */
static bool check_value(const Keys *keys, int64_t column, int32_t value, Host *host) {
  if (value >= 0 && value < keys->n_values[keys->n_kinds == 1 ? 0 : column]) return true;
  return refuse(host, "recipe", "others", "have numbers of values from 0 as 'keys'");
}

/* Count the values of a column; `counts` are zeros at first. */
static bool count_values(const Keys *keys, int64_t column, int32_t *counts, Host *host) {
  const int32_t *values = keys->codes + column * keys->n_rows;
  for (int64_t row = 0, work = 0; row < keys->n_rows; row++) {
    if (!check_value(keys, column, values[row], host) || !may_go_on(&work, 1, host)) return false;
    counts[values[row]] += 1;
  }
  return true;
}

/* Make counts of the values of a kind, zeros; or return NULL. */
static int32_t *new_counts_of_kind(const Keys *keys, int64_t kind, Life life, Host *host) {
  int64_t bytes = keys->n_values[kind] * (int64_t)sizeof(int32_t);
  int32_t *counts = host->memory(host, life, bytes);
  if (counts != NULL) memset(counts, 0, (size_t)bytes);
  return counts;
}

/* Find the rows of each value of all columns. */
static bool value_rows(const Keys *keys, Life life, ValuedRows *valued, Host *host) {
  int64_t n_rows = keys->n_rows, n_columns = keys->n_columns, first = 0, work = 0;
  *valued = (ValuedRows){.n_rows = n_rows, .n_columns = n_columns};
  valued->values = host->memory(host, life, n_rows * n_columns * (int64_t)sizeof *valued->values);
  if (valued->values == NULL) return false;
  for (int64_t column = 0; column < n_columns; column++) {
    for (int64_t row = 0; row < n_rows; row++) {
      int32_t value = keys->codes[column * n_rows + row];
      if (!check_value(keys, column, value, host) || !may_go_on(&work, 1, host)) return false;
      valued->values[row * n_columns + column] = (int32_t)first + value;
    }
    if (keys->n_kinds > 1) first += keys->n_values[column];
  }
  valued->n_values = keys->n_kinds == 1 ? keys->n_values[0] : first;
  return find_rows_of_values(valued, life, host);
}

/* The most frequent value of each kind, the first one of equals, and its rows; and the kind with the most of them. */
typedef struct {
  double *values, *counts;
  int64_t kind;
} Frequent;

static void count_frequent(Frequent *frequent, int64_t kind, int64_t value, int64_t count) {
  if ((double)count <= frequent->counts[kind]) return;
  frequent->values[kind] = (double)value;
  frequent->counts[kind] = (double)count;
  if ((double)count > frequent->counts[frequent->kind]) frequent->kind = kind;
}

/* Find them for one key or two. */
static bool find_frequent_of_sides(const Keys *keys, Frequent *frequent, Host *host) {
  for (int64_t column = 0; column < keys->n_columns; column++) {
    int32_t *counts = new_counts_of_kind(keys, column, FOR_THE_CALL, host);
    if (counts == NULL || !count_values(keys, column, counts, host)) return false;
    for (int64_t value = 0; value < keys->n_values[column]; value++) {
      count_frequent(frequent, column, value, counts[value]);
    }
  }
  return true;
}

/* Find them among the rows of all values. */
static void find_frequent_of_values(const Keys *keys, const ValuedRows *valued, Frequent *frequent) {
  for (int64_t kind = 0, first = 0; kind < keys->n_kinds; first += keys->n_values[kind++]) {
    for (int64_t value = 0; value < keys->n_values[kind]; value++) {
      count_frequent(frequent, kind, value, count_of_value(valued, first + value));
    }
  }
}

/* Write what a host replaces by the name of the most frequent value, into `shown` of NUMBER bytes; return it. */
static const char *name_frequent(const Frequent *frequent, char *shown) {
  snprintf(shown, NUMBER, "{value %lld %.0f}", (long long)frequent->kind, frequent->values[frequent->kind]);
  return shown;
}

/* Refuse a minimum that a stratum cannot have in so many batches. */
static bool check_minimum(
    const Codes *strata, double minimum, int64_t n_batches, const Frequent *frequent, Host *host
) {
  for (int64_t stratum = 0; stratum < strata->n_strata; stratum++) {
    int64_t count = strata->counts[stratum], at_most = count / n_batches;
    if (minimum <= (double)at_most) continue;
    char shown[NUMBER], rows[NUMBER], batches[NUMBER];
    host->refusal.stratum = stratum;
    show_count(count, "row", rows);
    if (at_most == 0) {
      refuse(host, "strata", rows, "have at least %lld rows of '{stratum}', one for each batch", (long long)n_batches);
    } else {
      refuse(
          host, "min_samples_per_stratum", show_number(minimum, shown),
          "be at most %lld for %s, since '{stratum}' has %s", (long long)at_most, show_batches(n_batches, batches), rows
      );
    }
    if ((double)n_batches <= frequent->counts[0]) {
      return advise(host, "The value '%s' needs as many batches.", name_frequent(frequent, shown));
    }
    return advise(host, at_most == 0 ? "Raise 'batch_size'." : "Lower it, or raise 'batch_size'.");
  }
  return true;
}

/* Refuse a minimum without strata or the other way round, and with several keys. */
static bool check_given_together(const Parts *request, const NoDuplicatesRequest *wanted, Host *host) {
  static const char *const minimum = "min_samples_per_stratum";
  double n_columns;
  bool has_strata = is_given(request, "codes");
  if (has_strata && !wanted->has_minimum) return refuse(host, minimum, "nothing", "be given together with 'strata'");
  if (!wanted->has_minimum) return true;
  if (!has_strata) return refuse(host, "strata", "nothing", "be given together with '%s'", minimum);
  if (!read_whole(request, "n_columns", 1, LARGEST_COUNT, &n_columns, host)) return false;
  if (n_columns == 1) return true;
  refuse(host, minimum, NULL, "be given for a single key only");
  return advise(host, "'keys' has %.0f columns.", n_columns);
}

/* Choose the number of batches, a multiple of the replicas, and find the most frequent values. */
static bool choose_distinct_batches(
    const Parts *request, const NoDuplicatesRequest *wanted, const Keys *keys, Frequent *frequent, int64_t *n_batches,
    Host *host
) {
  int64_t n_rows = keys->n_rows, replicas = limited(wanted->num_replicas);
  int64_t asked = quotient_up(quotient_up(n_rows, limited(wanted->batch_size)), replicas) * replicas;
  *n_batches = asked;
  if (are_sides(keys)) {
    if (!find_frequent_of_sides(keys, frequent, host)) return false;
    int64_t least = (int64_t)frequent->counts[frequent->kind];
    if (asked < least) *n_batches = quotient_up(least, replicas) * replicas;
  } else {
    ValuedRows valued;
    if (!value_rows(keys, FOR_THE_CALL, &valued, host)) return false;
    find_frequent_of_values(keys, &valued, frequent);
    if (!find_enough_batches(&valued, asked, replicas, n_batches, host)) return false;
  }
  char shown[NUMBER], rows[NUMBER], name[NUMBER];
  if (*n_batches > n_rows) {
    return refuse(
        host, "num_replicas", number_read(request, "num_replicas", wanted->num_replicas, shown),
        "leave each batch a row: there are %lld for %lld batches", (long long)n_rows, (long long)*n_batches
    );
  }
  if (*n_batches > asked) {
    snprintf(
        host->warning, SENTENCE,
        "Rows that share values are dealt to %lld batches, which are enough for every order, instead of the %lld that "
        "the 'batch_size' parameter asks for. A batch has at most %s. The most frequent value, '%s', has %s.",
        (long long)*n_batches, (long long)asked, show_count(quotient_up(n_rows, *n_batches), "row", shown),
        name_frequent(frequent, name), show_count((int64_t)frequent->counts[frequent->kind], "row", rows)
    );
  }
  return true;
}

/* Make the recipe, and "frequent" and "largest": the most frequent value of each kind, and its rows. */
static bool plan_no_duplicates(const Parts *request, Host *host) {
  NoDuplicatesRequest wanted = {0};
  Keys keys;
  int64_t n_batches;
  if (!read_no_duplicates(request, &wanted, host)) return false;
  if (!is_given(request, "keys")) return keep_no_duplicates(request, &wanted, host);
  if (!check_given_together(request, &wanted, host) || !read_keys(request, FOR_THE_CALL, &keys, host)) return false;
  Frequent frequent = {.values = host->vector(host, "frequent", DOUBLES, keys.n_kinds)};
  frequent.counts = frequent.values == NULL ? NULL : host->vector(host, "largest", DOUBLES, keys.n_kinds);
  if (frequent.counts == NULL) return false;
  for (int64_t kind = 0; kind < keys.n_kinds; kind++) frequent.values[kind] = frequent.counts[kind] = 0;
  if (!choose_distinct_batches(request, &wanted, &keys, &frequent, &n_batches, host)) return false;
  if (!check_minimum(&keys.strata, wanted.minimum, n_batches, &frequent, host)) return false;
  bool is_kept = host->keep(host, "keys") && host->number(host, "n_columns", (double)keys.n_columns) &&
                 host->keep(host, "n_values") && host->number(host, "n_batches", (double)n_batches);
  if (!is_kept || keys.strata.n_strata == 0) return is_kept;
  return host->keep(host, "codes") && host->number(host, "n_strata", (double)keys.strata.n_strata);
}

/* Fill the first side: the strata, or one label for all rows. */
static bool fill_strata_side(const Keys *keys, GraphSide *side, Host *host) {
  int64_t n_rows = keys->n_rows, work = 0;
  bool has_strata = keys->strata.n_strata > 0;
  side->n_labels = has_strata ? keys->strata.n_strata : 1;
  int32_t *labels = host->memory(host, FOR_THE_INSTANCE, (n_rows + side->n_labels) * (int64_t)sizeof *labels);
  if (labels == NULL) return false;
  int32_t *counts = labels + n_rows;
  for (int64_t label = 0; label < side->n_labels; label++) {
    counts[label] = (int32_t)(has_strata ? keys->strata.counts[label] : n_rows);
  }
  for (int64_t row = 0; row < n_rows; row++) {
    labels[row] = has_strata ? (int32_t)code_of(&keys->strata, row) : 0;
    if (!may_go_on(&work, 1, host)) return false;
  }
  side->labels = labels;
  side->counts = counts;
  return true;
}

/* Refuse fewer batches than rows of a value. */
static bool check_enough_batches(const NoDuplicates *self, int64_t count, Host *host) {
  return count <= self->n_batches || refuse(host, "recipe", "fewer", "have a batch for each row of a value");
}

/* Find the rows of each value of all columns; refuse fewer batches than rows of a value. */
static bool fill_valued_rows(NoDuplicates *self, Host *host) {
  if (!value_rows(&self->keys, FOR_THE_INSTANCE, &self->valued, host)) return false;
  for (int64_t value = 0; value < self->valued.n_values; value++) {
    if (!check_enough_batches(self, count_of_value(&self->valued, value), host)) return false;
  }
  return true;
}

/* Fill a side with a column; refuse fewer batches than rows of a value. */
static bool fill_key_side(const NoDuplicates *self, int64_t column, GraphSide *side, Host *host) {
  const Keys *keys = &self->keys;
  int32_t *counts = new_counts_of_kind(keys, column, FOR_THE_INSTANCE, host);
  if (counts == NULL || !count_values(keys, column, counts, host)) return false;
  *side = (GraphSide){.n_labels = keys->n_values[column], .labels = keys->codes + column * keys->n_rows};
  side->counts = counts;
  for (int64_t value = 0; value < side->n_labels; value++) {
    if (!check_enough_batches(self, counts[value], host)) return false;
  }
  return true;
}

/* Find out whether each value of the second side has rows with only one value of the first. */
static bool find_nesting(NoDuplicates *self, Host *host) {
  const GraphSide *outer = &self->sides[0], *inner = &self->sides[1];
  int32_t *outer_of = new_unknown(inner->n_labels, host);
  int64_t work = 0;
  if (outer_of == NULL) return false;
  self->is_nested = true;
  for (int64_t row = 0; self->is_nested && row < self->keys.n_rows; row++) {
    int32_t *known = &outer_of[inner->labels[row]];
    if (*known < 0) *known = outer->labels[row];
    self->is_nested = *known == outer->labels[row];
    if (!may_go_on(&work, 1, host)) return false;
  }
  return true;
}

static bool prepare_no_duplicates(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  NoDuplicates *self = instance;
  const Keys *keys = &self->keys;
  (void)seed;
  if (!read_keys(recipe, FOR_THE_INSTANCE, &self->keys, host)) return false;
  if (!read_count(recipe, "n_batches", 1, (double)keys->n_rows, &self->n_batches, host)) return false;
  if (!are_sides(keys)) return fill_valued_rows(self, host);
  bool is_filled = keys->n_columns == 1 ? fill_strata_side(keys, &self->sides[0], host)
                                        : fill_key_side(self, 0, &self->sides[0], host);
  return is_filled && fill_key_side(self, keys->n_columns - 1, &self->sides[1], host) && find_nesting(self, host);
}

static bool draw_no_duplicates(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  const NoDuplicates *self = instance;
  int64_t n_rows = self->keys.n_rows, n_batches = self->n_batches, work = 0;
  (void)epoch;
  int32_t *rows = host->vector(host, "rows", INTEGERS, n_rows);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, n_batches + 1);
  int64_t *next = offsets == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_batches * (int64_t)sizeof *next);
  const int32_t *order = next == NULL ? NULL : draw_epoch_order(generator, n_rows, host);
  if (order == NULL) return false;
  fill_even_offsets(n_rows, n_batches, offsets);
  RowGraph graph = {.n_batches = n_batches, .n_edges = n_rows, .sides = {self->sides[0], self->sides[1]}};
  if (are_sides(&self->keys)) {
    if (!spread_rows(order, n_rows, self->is_nested, &graph, host)) return false;
  } else {
    graph.colors = new_unknown(n_rows, host);
    if (graph.colors == NULL) return false;
    if (!deal_valued_rows(&self->valued, order, n_batches, offsets, graph.colors, host)) return false;
  }
  memcpy(next, offsets, (size_t)n_batches * sizeof *next);
  for (int64_t place = 0; place < n_rows; place++) {
    rows[next[graph.colors[place]]++] = order[place] + host->first_row;
    if (!may_go_on(&work, 1, host)) return false;
  }
  return true;
}

const Kind no_duplicates_kind = {
    .name = "no_duplicates",
    .instance_bytes = sizeof(NoDuplicates),
    .plan = plan_no_duplicates,
    .prepare = prepare_no_duplicates,
    .draw = draw_no_duplicates,
};
