/* All kinds with mutated requests and recipes, and with hosts that fail: no crash, every refusal says why, every epoch
 * has rows of the dataset in order of batches, and a call that failed leaves the instance as it was.
 */

#include "decimal.h"
#include "epoch_order.h"
#include "functions/advice.h"
#include "functions/batch_plan.h"
#include "functions/corpus_plan.h"
#include "functions/density_weights.h"
#include "functions/digest_parts.h"
#include "functions/functions.h"
#include "functions/group_plan.h"
#include "functions/number_values.h"
#include "functions/pair_counts.h"
#include "functions/part_order.h"
#include "functions/sharded_plan.h"
#include "functions/stratified_split.h"
#include "functions/stream_dealing.h"
#include "functions/stream_plan.h"
#include "functions/stream_taken.h"
#include "dealt.h"
#include "kinds/downsampled.h"
#include "kinds/epoch_subset.h"
#include "kinds/mixture.h"
#include "kinds/multilabel.h"
#include "kinds/per_label.h"
#include "kinds/pairs.h"
#include "kinds/perplexity.h"
#include "kinds/prioritized.h"
#include "kinds/rare_events.h"
#include "kinds/sharded.h"
#include "kinds/no_duplicates.h"
#include "kinds/one_stratum.h"
#include "kinds/strata_subset.h"
#include "kinds/stratified.h"
#include "kinds/stratified_group.h"
#include "kinds/sum_tree.h"
#include "kinds/tree.h"
#include "kinds/triples.h"
#include "kinds/uniform.h"
#include "kinds/weighted.h"
#include "grouped_rows.h"
#include "label_sets.h"
#include "mixed_plan.h"
#include "observed_pairs.h"
#include "plain_host.h"
#include "first_rows.h"
#include "row_changes.h"
#include "row_draws.h"
#include "row_places.h"
#include "row_ranks.h"
#include "row_weights.h"
#include "place.h"
#include "positives.h"
#include "request.h"
#include "spreading.h"
#include "stages.h"
#include "taken_rows.h"
#include "tree_values.h"

enum { MOST_PARTS = 32, MOST_VALUES = 64, MOST_ITEMS = 6, N_EPOCHS = 3 };
enum { MOST_CALLS = 24 /* of the host by an epoch: a persistent one may have to repeat 2^31 draws */ };

/* A request or a recipe whose parts can be changed. */
typedef struct {
  Part parts[MOST_PARTS];
  Part items[MOST_ITEMS]; /* of the part that is named */
  double room[MOST_PARTS][MOST_VALUES]; /* the values of each, in their type */
  int64_t n_parts;
} Mutable;

static size_t width_of(PartType type) {
  switch (type) {
    case BYTES:
    case TEXT: return 1;
    case INTEGERS:
    case FLAG: return 4;
    case DOUBLES:
    case TEXTS:
    case FRACTION: return 8;
    default: return 0;
  }
}

static size_t bytes_of(const Part *part, const void *values) {
  return part->type == TEXT ? strlen(values) + 1 : (size_t)part->length * width_of(part->type);
}

static int64_t n_mutable; /* parts of a request that are from users, if the host makes the others of them; or 0 */

/* Return a part for each value of a named part, of which doubles have as many as there is room for. */
static const Part *items_of(Mutable *given, Part *part) {
  if (part->type != DOUBLES || part->length > MOST_ITEMS) part->length = 0;
  const double *values = part->values;
  for (int64_t item = 0; item < part->length; item++) {
    given->items[item] = (Part){.name = "", .type = DOUBLES, .length = 1, .values = &values[item]};
  }
  return given->items;
}

/* Return the parts, with values in arrays of exactly their size; free_memory() them. */
static Parts parts_of(Mutable *given, bool is_recipe, Memory *memory) {
  for (int64_t i = 0; i < given->n_parts; i++) {
    Part *part = &given->parts[i];
    size_t bytes = bytes_of(part, given->room[i]);
    void *values = memory->blocks[memory->n_blocks++] = new_array((int64_t)bytes, 1);
    memcpy(values, given->room[i], bytes);
    part->values = values;
    part->items = part->is_named ? items_of(given, part) : NULL;
  }
  return (Parts){.parts = given->parts, .n_parts = given->n_parts, .is_recipe = is_recipe};
}

static void add_part(Mutable *given, const char *name, PartType type, int64_t length, const void *values) {
  CHECK(given->n_parts < MOST_PARTS);
  int64_t place = given->n_parts++;
  given->parts[place] = (Part){.name = name, .type = type, .length = length};
  size_t bytes = bytes_of(&given->parts[place], values);
  CHECK(bytes <= sizeof given->room[place]);
  if (bytes > 0) memcpy(given->room[place], values, bytes);
}

static void add_number(Mutable *given, const char *name, double value) { add_part(given, name, DOUBLES, 1, &value); }

static void add_flag(Mutable *given, const char *name, int32_t value) { add_part(given, name, FLAG, 1, &value); }

static Mutable uniform_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  add_number(&request, "n_rows", (double)(1 + some_number(state, 40)));
  add_number(&request, "batch_size", (double)(1 + some_number(state, 8)));
  add_flag(&request, "replacement", (int32_t)some_number(state, 2));
  if (some_number(state, 2) == 0) add_number(&request, "n_batches", (double)(1 + some_number(state, 9)));
  if (some_number(state, 2) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 3)));
  return request;
}

static Mutable subset_request(uint64_t *state) {
  static const char *const balance[] = {"mean", "over", "under"};
  static const char *const rare[] = {"error", "warn", "allow"};
  Mutable request = {.n_parts = 0};
  uint8_t bytes[MOST_VALUES];
  int32_t integers[MOST_VALUES];
  int64_t n_strata = 1 + some_number(state, 6), n_rows = n_strata + some_number(state, MOST_VALUES - n_strata);
  for (int64_t row = 0; row < n_rows; row++) {
    integers[row] = (int32_t)(row < n_strata ? row : some_number(state, n_strata + 1));
    bytes[row] = (uint8_t)integers[row];
  }
  add_number(&request, "strata_per_batch", (double)(1 + some_number(state, n_strata)));
  bool has_mean = some_number(state, 4) == 0;
  double size = (double)(1 + some_number(state, has_mean ? 20 : 3));
  add_number(&request, has_mean ? "mean_batch_size" : "min_samples_per_stratum", size);
  add_flag(&request, "exact", (int32_t)(!has_mean && some_number(state, 2) == 0));
  int64_t balanced = has_mean ? 8 : some_number(state, 8);
  if (balanced < 3) add_part(&request, "balance", TEXT, 1, balance[balanced]);
  if (balanced == 3) add_number(&request, "balance", (double)(1 + some_number(state, 9)));
  add_part(&request, "rare", TEXT, 1, rare[some_number(state, 3)]);
  add_part(&request, "missing", TEXT, 1, "drop");
  bool is_narrow = some_number(state, 2) == 0;
  add_part(&request, "codes", is_narrow ? BYTES : INTEGERS, n_rows, is_narrow ? (void *)bytes : (void *)integers);
  add_number(&request, "n_strata", (double)n_strata);
  if (some_number(state, 2) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 2)));
  return request;
}

static Mutable epoch_subset_request(uint64_t *state) {
  static const char *const names[] = {"uniform", "uniform_without_replacement", "partition"};
  Mutable request = {.n_parts = 0};
  double doubles[MOST_VALUES];
  int32_t integers[MOST_VALUES];
  int64_t n = 1 + some_number(state, MOST_VALUES), sample = 1 + some_number(state, n);
  for (int64_t row = 0; row < n; row++) {
    integers[row] = (int32_t)some_number(state, 300);
    doubles[row] = integers[row];
  }
  add_number(&request, "n_rows", (double)n);
  add_number(&request, "sample", (double)sample);
  bool has_tokens = some_number(state, 3) == 0, has_window = some_number(state, 3) == 0;
  if (has_tokens || has_window) {
    bool is_narrow = some_number(state, 2) == 0;
    add_part(&request, "lengths", is_narrow ? INTEGERS : DOUBLES, n, is_narrow ? (void *)integers : (void *)doubles);
  }
  if (has_tokens) add_number(&request, "max_tokens", (double)(299 + some_number(state, 2000)));
  if (has_window) add_number(&request, "window", (double)(1 + some_number(state, 70)));
  bool has_size = !has_tokens || some_number(state, 2) == 0;
  if (has_size) add_number(&request, "batch_size", (double)(1 + some_number(state, 9)));
  add_part(&request, "method", TEXT, 1, names[some_number(state, 3)]);
  if (some_number(state, 2) == 0) {
    add_number(&request, "num_replicas", (double)(1 + some_number(state, 3)));
    if (has_tokens || has_window) add_flag(&request, "balance_replicas", (int32_t)some_number(state, 2));
  }
  if (n + sample <= MOST_VALUES && some_number(state, 2) == 0) { /* all rows, and from some epoch on fewer */
    double begins[] = {0, (double)(1 + some_number(state, 9))}, counts[] = {(double)n, (double)sample};
    for (int64_t row = 0; row < n + sample; row++) integers[row] = (int32_t)(row < n ? row : row - n);
    add_part(&request, "rows", INTEGERS, n + sample, integers);
    add_part(&request, "begins", DOUBLES, 2, begins);
    add_part(&request, "n_candidates", DOUBLES, 2, counts);
  }
  return request;
}

/* The lines of up to four files in one stage or two, of which limits may exclude some. */
static Mutable mixture_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  double all[4], drawn[8], kept[8], begins[] = {0, 2};
  uint8_t bits[8] = {0};
  int32_t lengths[MOST_VALUES];
  bool has_limits = some_number(state, 3) == 0, has_tokens = some_number(state, 3) == 0;
  int64_t n_files = 1 + some_number(state, 4), n_stages = 1 + some_number(state, 2), n_lines = 0;
  for (int64_t file = 0; file < n_files; file++) {
    int64_t size = some_number(state, MOST_VALUES / 4), n_remaining = 0;
    for (int64_t i = 0; i < size; i++, n_lines++) {
      bool remains = !has_limits || some_number(state, 3) > 0;
      if (remains) bits[n_lines / 8] |= (uint8_t)(1 << n_lines % 8);
      lengths[n_lines] = (int32_t)some_number(state, 30);
      n_remaining += remains;
    }
    all[file] = (double)size;
    for (int64_t place = file; place < n_files * n_stages; place += n_files) {
      drawn[place] = n_remaining > 0 ? (double)some_number(state, 3 * n_remaining) : 0;
      kept[place] = some_number(state, 4) == 0 ? (double)n_remaining : 0;
    }
  }
  int32_t shuffle = (int32_t)some_number(state, 2);
  add_flag(&request, "shuffle", shuffle);
  add_part(&request, "epoch_end", TEXT, 1, some_number(state, 2) == 0 ? "sample" : "all_exhausted");
  add_number(&request, "batch_size", (double)(1 + some_number(state, 9)));
  if (!has_tokens && some_number(state, 2) == 0) add_part(&request, "assign", TEXT, 1, "even");
  if (has_tokens) add_number(&request, "max_tokens", (double)(29 + some_number(state, 200)));
  if (some_number(state, 3) == 0) {
    add_number(&request, "num_replicas", (double)(1 + some_number(state, 3)));
    if (has_tokens && shuffle) add_flag(&request, "balance_replicas", (int32_t)some_number(state, 2));
  }
  n_mutable = request.n_parts;
  add_part(&request, "lines", DOUBLES, n_files, all);
  add_part(&request, "drawn", DOUBLES, n_files * n_stages, drawn);
  add_part(&request, "kept", DOUBLES, n_files * n_stages, kept);
  if (n_stages > 1) add_part(&request, "begins", DOUBLES, 2, begins);
  if (has_limits) add_part(&request, "remaining", BYTES, (n_lines + 7) / 8, bits);
  if (has_tokens) add_part(&request, "lengths", INTEGERS, n_lines, lengths);
  return request;
}

static Mutable rare_events_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  double lines[8], n_negative_files = (double)(1 + some_number(state, 5));
  int64_t n_positive_files = 1 + some_number(state, 3), n_files = n_positive_files + (int64_t)n_negative_files;
  for (int64_t file = 0; file < n_files; file++) {
    lines[file] = (double)(file < n_positive_files ? 1 + some_number(state, 4) : some_number(state, 30));
  }
  add_number(&request, "multiplier", (double)(1 + some_number(state, 40)) / 8);
  add_number(&request, "batch_size", (double)(4 + some_number(state, 30)));
  add_number(&request, "positive_weight", 0.1);
  add_number(&request, "n_negative_files", n_negative_files);
  add_part(&request, "lines", DOUBLES, n_files, lines);
  if (some_number(state, 3) == 0) add_number(&request, "negative_files_per_epoch", n_negative_files);
  if (some_number(state, 3) == 0) add_part(&request, "multiplier_ratio", TEXT, 1, "a/3");
  if (some_number(state, 3) == 0) add_number(&request, "negative_weight", 3);
  if (some_number(state, 3) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 3)));
  return request;
}

/* Users and items of one positive for each, with few items left to some users. */
static void add_positives(Mutable *request, uint64_t *state) {
  double users[MOST_VALUES], items[MOST_VALUES];
  int64_t n_users = 1 + some_number(state, 6), n_items = 1 + some_number(state, 9);
  int64_t n_positives = 1 + some_number(state, MOST_VALUES / 2);
  for (int64_t i = 0; i < n_positives; i++) {
    users[i] = (double)(1 + some_number(state, n_users));
    items[i] = (double)(1 + some_number(state, n_items));
  }
  add_part(request, "users", DOUBLES, n_positives, users);
  add_part(request, "items", DOUBLES, n_positives, items);
  if (some_number(state, 2) == 0) add_number(request, "n_users", (double)n_users);
  if (some_number(state, 4) > 0) add_number(request, "n_items", (double)(n_items + some_number(state, 9)));
  add_number(request, "batch_size", (double)(1 + some_number(state, 60)));
  if (some_number(state, 4) == 0) add_number(request, "num_replicas", (double)(1 + some_number(state, 2)));
}

static Mutable pairs_request(uint64_t *state) {
  static const char *const methods[] = {"uniform", "per_user", "popularity"};
  static const double ratios[] = {0.5, 0.3, 0.25, 1.0 / 3, 0.8, 0.05};
  static const double terms[][3] = {{2, 0, 1}, {0, 1, 3}, {1, 4294967290, 4294967295}, {1e9, 0, 1}, {INFINITY, 0, 1}};
  Mutable request = {.n_parts = 0};
  int64_t method = some_number(state, METHOD_CHOICES);
  add_positives(&request, state);
  add_number(&request, "ratio", ratios[some_number(state, LENGTH(ratios))]);
  int64_t choice = some_number(state, 4 * (int64_t)LENGTH(terms));
  if (choice < (int64_t)LENGTH(terms)) add_part(&request, "ratio_terms", DOUBLES, 3, terms[choice]);
  add_part(&request, "method", TEXT, 1, methods[method]);
  add_flag(&request, "unique", method != POPULAR_NEGATIVES && some_number(state, 2) == 0);
  add_flag(&request, "reject_positives", some_number(state, 3) > 0);
  if (method == POPULAR_NEGATIVES && some_number(state, 2) == 0) add_number(&request, "power", 0.5);
  add_part(&request, "full_users", TEXT, 1, method == PER_USER_NEGATIVES ? "skip" : "error");
  return request;
}

static Mutable triples_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  add_positives(&request, state);
  add_number(&request, "negatives_per_positive", (double)(1 + some_number(state, 3)));
  add_flag(&request, "unique", (int32_t)some_number(state, 2));
  add_part(&request, "full_users", TEXT, 1, some_number(state, 3) > 0 ? "skip" : "error");
  return request;
}

/* A tree of up to seven nodes, with conditions, clones, weights and auxiliary values. */
static Mutable tree_request(uint64_t *state) {
  static const char *const names[] = {"root", "a", "b", "c", "d", "e", "f"};
  static const char *const values[] = {"u", "n"}, *const functions[] = {"uniform", "choice"};
  static const char *const kinds[] = {"number", "text"}, *const texts[] = {"left", "right"};
  Mutable request = {.n_parts = 0};
  int64_t n_nodes = 1 + some_number(state, 7), n_rows = 1 + some_number(state, 10), n_taken = 0;
  int32_t parents[7], columns[7], times[7], none[7], weighted[7], codes[40], n_values = 4, n_arguments[] = {2, 2};
  uint8_t conditions[7], taken[7 * 5], missing[7], prunes[7], modes[7], forms[7];
  uint8_t written[] = {AS_VALUES, AS_LIST}, are_whole[] = {0, 0};
  double fixed[7], numbers[40];
  double arguments[] = {-1, some_number(state, 3) > 0 ? 2 : 1e300}; /* beyond all integers */
  for (int64_t row = 0; row < n_rows; row++) {
    codes[row] = (int32_t)some_number(state, 5) - 1;
    numbers[row] = (double)some_number(state, 5) / 2;
  }
  for (int64_t node = 0; node < n_nodes; node++) {
    parents[node] = (int32_t)(node > 0 && some_number(state, 2) == 0 ? node - 1 : node > 0 ? 0 : -1);
    columns[node] = (int32_t)some_number(state, 2) - 1;
    conditions[node] = columns[node] == 0 && (node == 0 || some_number(state, 2) == 0);
    for (int i = 0; conditions[node] && i <= n_values; i++) taken[n_taken++] = some_number(state, 4) > 0;
    missing[node] = (uint8_t)(1 + some_number(state, 2));
    prunes[node] = (uint8_t)(1 + some_number(state, 2));
    modes[node] = (uint8_t)some_number(state, 3);
    times[node] = (int32_t)(1 + some_number(state, 3));
    forms[node] = (uint8_t)some_number(state, 4);
    fixed[node] = (double)some_number(state, 3);
    none[node] = forms[node] == SUM_OF_ROWS ? 0 : -1;
    bool is_leaf = node + 1 == n_nodes;
    weighted[node] = is_leaf && modes[node] == WITH_REPLACEMENT && some_number(state, 2) == 0 ? 0 : -1;
  }
  bool ends = some_number(state, 8) > 0;
  add_number(&request, "batch_size", (double)(1 + some_number(state, 9)));
  if (ends && some_number(state, 3) > 0) add_number(&request, "length", (double)(1 + some_number(state, 40)));
  if (ends && request.n_parts == 1) add_part(&request, "length", TEXT, 1, names[some_number(state, n_nodes)]);
  add_flag(&request, "drop_last", (int32_t)some_number(state, 2));
  add_flag(&request, "persistent", (int32_t)(ends && some_number(state, 2)));
  n_mutable = request.n_parts;
  add_number(&request, "n_rows", (double)n_rows);
  add_part(&request, "names", n_nodes == 1 ? TEXT : TEXTS, n_nodes, n_nodes == 1 ? (const void *)names[0] : names);
  add_part(&request, "parents", INTEGERS, n_nodes, parents);
  add_part(&request, "columns", INTEGERS, n_nodes, columns);
  add_part(&request, "n_values", INTEGERS, 1, &n_values);
  add_part(&request, "are_conditions", BYTES, n_nodes, conditions);
  add_part(&request, "taken", BYTES, n_taken, taken);
  add_part(&request, "missing", BYTES, n_nodes, missing);
  add_part(&request, "prunes", BYTES, n_nodes, prunes);
  add_part(&request, "node_modes", BYTES, n_nodes, modes);
  add_part(&request, "times", INTEGERS, n_nodes, times);
  add_part(&request, "forms", BYTES, n_nodes, forms);
  add_part(&request, "fixed_weights", DOUBLES, n_nodes, fixed);
  add_part(&request, "summed", INTEGERS, n_nodes, none);
  add_part(&request, "row_weights", INTEGERS, n_nodes, weighted);
  add_part(&request, "codes0", INTEGERS, n_rows, codes);
  add_part(&request, "numbers0", DOUBLES, n_rows, numbers);
  if (some_number(state, 2) == 0) return request;
  add_part(&request, "auxiliary", TEXTS, 2, values);
  add_part(&request, "functions", TEXTS, 2, functions);
  add_part(&request, "kinds", TEXTS, 2, kinds);
  add_part(&request, "n_arguments", INTEGERS, 2, n_arguments);
  add_part(&request, "are_whole", BYTES, 2, are_whole);
  add_part(&request, "written", BYTES, 2, written);
  add_part(&request, "arguments", DOUBLES, 2, arguments);
  add_part(&request, "texts", TEXTS, 2, texts);
  return request;
}

static void add_codes(Mutable *request, uint64_t *state, int64_t n_strata) {
  uint8_t bytes[MOST_VALUES];
  int32_t integers[MOST_VALUES];
  int64_t n_rows = n_strata + some_number(state, MOST_VALUES - n_strata);
  for (int64_t row = 0; row < n_rows; row++) {
    integers[row] = (int32_t)(row < n_strata ? row : some_number(state, n_strata + 1));
    bytes[row] = (uint8_t)integers[row];
  }
  bool is_narrow = some_number(state, 2) == 0;
  add_part(request, "codes", is_narrow ? BYTES : INTEGERS, n_rows, is_narrow ? (void *)bytes : (void *)integers);
  add_number(request, "n_strata", (double)n_strata);
}

/* Add numbers of all strata, and which strata these are. */
static void add_named(Mutable *request, const char *name, const char *strata, int64_t n_strata, uint64_t *state) {
  double numbers[MOST_ITEMS], places[MOST_ITEMS];
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    places[stratum] = (double)(n_strata - 1 - stratum);
    numbers[stratum] = (double)(1 + some_number(state, 3));
  }
  add_part(request, name, DOUBLES, n_strata, numbers);
  request->parts[request->n_parts - 1].is_named = true;
  add_part(request, strata, DOUBLES, n_strata, places);
}

static Mutable one_stratum_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  add_codes(&request, state, 1 + some_number(state, MOST_ITEMS));
  add_number(&request, "batch_size", (double)(1 + some_number(state, 9)));
  add_part(&request, "order", TEXT, 1, some_number(state, 2) == 0 ? "proportional" : "round_robin");
  add_flag(&request, "shuffle", (int32_t)some_number(state, 2));
  add_part(&request, "missing", TEXT, 1, "drop");
  if (some_number(state, 2) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 3)));
  return request;
}

/* Rows of one to three keys, which may count across columns, or of one key and strata. */
static Mutable no_duplicates_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  int32_t keys[MOST_VALUES];
  double n_values[3];
  bool has_strata = some_number(state, 3) == 0;
  if (has_strata) add_codes(&request, state, 1 + some_number(state, 3));
  if (has_strata) add_number(&request, "min_samples_per_stratum", 1);
  int64_t n_columns = has_strata ? 1 : 1 + some_number(state, 3), n_kinds = some_number(state, 2) ? n_columns : 1;
  int64_t n_rows = has_strata ? request.parts[0].length : 1 + some_number(state, MOST_VALUES / 3);
  for (int64_t kind = 0; kind < n_kinds; kind++) n_values[kind] = (double)(1 + some_number(state, n_rows));
  for (int64_t i = 0; i < n_rows * n_columns; i++) {
    keys[i] = (int32_t)some_number(state, (int64_t)n_values[n_kinds == 1 ? 0 : i / n_rows]);
  }
  add_number(&request, "batch_size", (double)(1 + some_number(state, 9)));
  add_flag(&request, "across_columns", n_kinds < n_columns);
  if (some_number(state, 2) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 3)));
  add_part(&request, "keys", INTEGERS, n_rows * n_columns, keys);
  add_number(&request, "n_columns", (double)n_columns);
  add_part(&request, "n_values", DOUBLES, n_kinds, n_values);
  return request;
}

static Mutable stratified_request(uint64_t *state) {
  static const char *const rare[] = {"error", "warn", "allow"};
  Mutable request = {.n_parts = 0};
  int64_t n_strata = 1 + some_number(state, MOST_ITEMS), way = some_number(state, 8);
  add_codes(&request, state, n_strata);
  add_flag(&request, "shuffle", (int32_t)some_number(state, 2));
  add_part(&request, "assign", TEXT, 1, some_number(state, 2) == 0 ? "even" : "proportional");
  add_part(&request, "missing", TEXT, 1, "drop");
  bool has_way = way != 6 && way >= 3, is_capped = way == 7 && some_number(state, 2) == 0;
  add_part(&request, "rare", TEXT, 1, way == 6 ? "repeat" : has_way ? "error" : rare[some_number(state, 3)]);
  if (way == 0) add_number(&request, "min_samples_per_stratum", (double)(1 + some_number(state, 3)));
  if (way == 1 || way == 6) add_named(&request, "min_samples_per_stratum", "named_strata", n_strata, state);
  if (way >= 2) add_number(&request, "mean_batch_size", (double)(1 + some_number(state, 20)));
  if (way == 3) add_named(&request, "shares", "named_strata", n_strata, state);
  if (way == 4 && some_number(state, 2) == 0) add_part(&request, "balance", TEXT, 1, "over");
  if (way == 4 && !is_given(&(Parts){.parts = request.parts, .n_parts = request.n_parts}, "balance")) {
    add_number(&request, "balance", (double)(1 + some_number(state, 30)));
  }
  if (way == 5) add_part(&request, "drop", TEXT, 1, "balanced");
  if (is_capped) add_number(&request, "cap", (double)(1 + some_number(state, 9)));
  if (way == 7 && (!is_capped || some_number(state, 2) == 0)) add_number(&request, "temperature", 1.5);
  if (some_number(state, 2) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 2)));
  return request;
}

static Mutable downsampled_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  int64_t n_strata = 2 + some_number(state, MOST_ITEMS - 1);
  add_codes(&request, state, n_strata);
  add_number(&request, "batch_size", (double)(1 + some_number(state, 40)));
  add_flag(&request, "in_turn", (int32_t)some_number(state, 2));
  if (some_number(state, 2) == 0) {
    add_named(&request, "multiplier", "multiplier_strata", n_strata, state);
  } else {
    add_number(&request, "multiplier", (double)(1 + some_number(state, 9)) / 4);
    add_number(&request, "majority_stratum", (double)some_number(state, n_strata));
    add_part(&request, "majority", TEXT, 1, "a");
  }
  if (some_number(state, 2) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 2)));
  return request;
}

static Mutable sharded_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  double table[12], shards[3];
  int64_t n_strata = 1 + some_number(state, 4), n_shards = 1 + some_number(state, 3), n_rows = 0;
  int64_t n_own = 1 + some_number(state, n_shards), first = some_number(state, n_shards);
  int32_t codes[MOST_VALUES];
  for (int64_t cell = 0; cell < n_shards * n_strata; cell++) table[cell] = (double)(1 + some_number(state, 4));
  for (int64_t place = 0; place < n_own; place++) {
    int64_t shard = (first + place) % n_shards;
    shards[place] = (double)shard;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      for (int64_t row = 0; row < (int64_t)table[shard * n_strata + stratum]; row++) codes[n_rows++] = (int32_t)stratum;
    }
  }
  add_number(&request, "seed", 1);
  bool has_mean = some_number(state, 2) == 0;
  add_number(&request, has_mean ? "mean_batch_size" : "min_samples_per_stratum", has_mean ? 48 : 1);
  add_flag(&request, "shuffle", (int32_t)some_number(state, 2));
  add_part(&request, "scope", TEXT, 1, some_number(state, 2) == 0 ? "local" : "global");
  add_part(&request, "table", DOUBLES, n_shards * n_strata, table);
  add_number(&request, "n_strata", (double)n_strata);
  add_part(&request, "shards", DOUBLES, n_own, shards);
  add_part(&request, "codes", INTEGERS, n_rows, codes);
  add_part(&request, "plan", TEXT, 1, "0123456789abcdef");
  return request;
}

static Mutable group_request(uint64_t *state) {
  static const char *const rare[] = {"error", "warn", "allow"};
  Mutable request = {.n_parts = 0};
  int32_t groups[MOST_VALUES];
  uint8_t bytes[MOST_VALUES];
  int64_t n_strata = 1 + some_number(state, 4), n_groups = n_strata * (1 + some_number(state, 5));
  bool is_apart = some_number(state, 2) == 0, is_narrow = some_number(state, 2) == 0;
  bool is_nested = !is_apart && some_number(state, 2) == 0;
  add_codes(&request, state, n_strata);
  int64_t n_rows = request.parts[0].length;
  n_groups = smaller(n_groups, n_rows);
  for (int64_t row = 0; row < n_rows; row++) {
    const void *codes = request.room[0];
    int64_t stratum = request.parts[0].type == BYTES ? ((const uint8_t *)codes)[row] : ((const int32_t *)codes)[row];
    int64_t group = some_number(state, n_groups);
    if (is_nested) group = (stratum + n_strata * some_number(state, n_groups)) % n_groups;
    groups[row] = (int32_t)group;
    bytes[row] = (uint8_t)group;
  }
  add_part(&request, "groups", is_narrow ? BYTES : INTEGERS, n_rows, is_narrow ? (void *)bytes : (void *)groups);
  add_number(&request, "n_groups", (double)n_groups);
  const char *size = some_number(state, 2) == 0 ? "min_samples_per_stratum" : "mean_batch_size";
  add_number(&request, size, (double)(1 + some_number(state, 3)));
  add_part(&request, "keep", TEXT, 1, is_apart ? "apart" : "together");
  add_part(&request, "rare", TEXT, 1, rare[some_number(state, 3)]);
  add_part(&request, "missing", TEXT, 1, "drop");
  if (some_number(state, 3) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 2)));
  return request;
}

static Mutable multilabel_request(uint64_t *state) {
  static const char *const shortfall[] = {"error", "warn", "allow"};
  Mutable request = {.n_parts = 0};
  uint8_t labels[MOST_VALUES * sizeof(double)];
  int64_t n_labels = 1 + some_number(state, 6), n_rows = n_labels + some_number(state, MOST_VALUES - n_labels);
  int32_t is_by_label = (int32_t)some_number(state, 2);
  for (int64_t i = 0; i < n_rows * n_labels; i++) {
    int64_t row = is_by_label ? i % n_rows : i / n_labels, label = is_by_label ? i / n_rows : i % n_labels;
    labels[i] = row == label || some_number(state, 2 + n_labels) == 0;
  }
  bool has_mean = some_number(state, 2) == 0;
  add_number(&request, has_mean ? "mean_batch_size" : "min_samples_per_label", (double)(1 + some_number(state, 3)));
  int64_t limit = has_mean ? 2 : some_number(state, 3);
  if (limit == 0) add_number(&request, "max_batches", (double)(1 + some_number(state, 5)));
  if (limit == 1) add_part(&request, "max_batches", TEXT, 1, "auto");
  add_part(&request, "rare", TEXT, 1, shortfall[some_number(state, 3)]);
  add_flag(&request, "shuffle", (int32_t)some_number(state, 4) > 0);
  if (some_number(state, 3) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 2)));
  add_number(&request, "n_labels", (double)n_labels);
  add_flag(&request, "by_label", is_by_label);
  n_mutable = request.n_parts; /* the host has checked that labels are 0 and 1 */
  add_part(&request, "labels", BYTES, n_rows * n_labels, labels);
  return request;
}

static Mutable per_label_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  uint8_t labels[MOST_VALUES * sizeof(double)];
  int64_t n_labels = 1 + some_number(state, 6), n_rows = 2 + n_labels + some_number(state, MOST_VALUES - n_labels - 2);
  for (int64_t i = 0; i < n_rows * n_labels; i++) {
    int64_t row = i / n_labels, label = i % n_labels;
    labels[i] = row == label || (row != label + 1 && some_number(state, 3) == 0);
  }
  add_number(&request, "positives_per_label", (double)(1 + some_number(state, 2)));
  add_number(&request, "negatives_per_label", (double)(1 + some_number(state, 2)));
  if (some_number(state, 2) == 0) add_number(&request, "labels_per_batch", (double)(1 + some_number(state, n_labels)));
  if (some_number(state, 2) == 0) add_number(&request, "n_batches", (double)(1 + some_number(state, 9)));
  if (some_number(state, 3) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 2)));
  add_number(&request, "n_labels", (double)n_labels);
  add_flag(&request, "by_label", 0);
  n_mutable = request.n_parts; /* the host has checked that labels are 0 and 1 */
  add_part(&request, "labels", BYTES, n_rows * n_labels, labels);
  return request;
}

static void add_shared_settings(Mutable *request, uint64_t *state) {
  add_number(request, "batch_size", (double)(1 + some_number(state, 4)));
  if (some_number(state, 2) == 0) add_number(request, "n_batches", (double)(1 + some_number(state, 9)));
  if (some_number(state, 2) == 0) add_number(request, "num_replicas", (double)(1 + some_number(state, 2)));
}

static Mutable weighted_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  double weights[60], begins[] = {0, 1, 3}, n_weights[3];
  int64_t n_stages = 1 + some_number(state, 3), n = 4 + some_number(state, 16);
  for (int64_t place = 0; place < n_stages * n; place++) {
    weights[place] = place % n == 0 ? 1 : (double)some_number(state, 4);
    n_weights[place / n] = (double)n;
  }
  add_part(&request, "weights", DOUBLES, n_stages * n, weights);
  if (n_stages > 1 || some_number(state, 3) == 0) {
    add_part(&request, "begins", DOUBLES, n_stages, begins);
    add_part(&request, "n_weights", DOUBLES, n_stages, n_weights);
  }
  add_flag(&request, "replacement", some_number(state, 4) != 0);
  add_shared_settings(&request, state);
  return request;
}

static Mutable prioritized_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  bool is_ranked = some_number(state, 2) == 0;
  double n = (double)some_number(state, 20);
  add_number(&request, "n_rows", n);
  add_number(&request, "capacity", n + 4 + (double)some_number(state, 20));
  add_number(&request, "alpha", (double)some_number(state, 5) / 2);
  if (some_number(state, 2) == 0) add_number(&request, "beta", (double)some_number(state, 5) / 2);
  add_part(&request, "method", TEXT, 1, is_ranked ? "rank" : "proportional");
  if (!is_ranked && some_number(state, 2) == 0) add_number(&request, "epsilon", (double)some_number(state, 2) / 4);
  add_flag(&request, "stratified", (int32_t)some_number(state, 2));
  add_flag(&request, "normalize", (int32_t)some_number(state, 2));
  add_shared_settings(&request, state);
  return request;
}

static Mutable perplexity_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  int32_t lengths[40];
  int64_t n = 1 + some_number(state, 40);
  add_number(&request, "n_rows", (double)n);
  add_number(&request, "sample", (double)(1 + some_number(state, 60)));
  if (some_number(state, 4) != 0) add_number(&request, "batch_size", (double)(1 + some_number(state, 9)));
  if (some_number(state, 4) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 3)));
  if (some_number(state, 2) == 0) {
    for (int64_t row = 0; row < n; row++) lengths[row] = (int32_t)some_number(state, 9);
    add_part(&request, "lengths", INTEGERS, n, lengths);
    add_number(&request, "max_tokens", (double)(9 + some_number(state, 30)));
    if (some_number(state, 2) == 0) add_number(&request, "window", (double)(1 + some_number(state, 30)));
  }
  add_number(&request, "initial", 1 + (double)(1 + some_number(state, 9)) / 2);
  bool has_maximum = some_number(state, 3) != 0;
  if (has_maximum) add_number(&request, "maximum", (double)some_number(state, 9) / 2 - 1.75);
  add_flag(&request, "clip", has_maximum && some_number(state, 2) == 0);
  return request;
}

static Mutable sum_tree_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  add_number(&request, "capacity", (double)(1 + some_number(state, 40)));
  if (some_number(state, 2) == 0) add_number(&request, "seed", 1);
  return request;
}

/* Change the type, the length or a value of a part, or leave it out. */
static void mutate(Mutable *given, uint64_t *state) {
  static const double numbers[] = {
      -1, 0, 0.5, 1, 2, 3, 7, 63, 64, 65, 255, 256, 2147483646, 2147483647, 2147483648.0, 9007199254740992.0, 1e300,
  };
  Part *part = &given->parts[some_number(state, n_mutable > 0 ? n_mutable : given->n_parts)];
  double *room = given->room[part - given->parts];
  if (part->type == TEXTS) { /* pointers stay what they are */
    part->length = some_number(state, 2) == 0 ? some_number(state, part->length + 1) : part->length;
    if (some_number(state, 4) == 0) part->type = OTHER;
    part->length = part->type == OTHER ? 0 : part->length;
    return;
  }
  switch (some_number(state, 6)) {
    case 0: part->type = (PartType)some_number(state, OTHER + 1); break;
    case 1: part->name = "another"; break;
    case 2: part->length = some_number(state, part->length + 1); break;
    case 3:
      if (part->type == DOUBLES) room[some_number(state, MOST_VALUES)] = some_number(state, 2) == 0 ? NAN : INFINITY;
      break;
    case 4:
      if (part->type == DOUBLES) {
        room[part->length == 0 ? 0 : some_number(state, part->length)] = numbers[some_number(state, LENGTH(numbers))];
      }
      break;
    default: {
      uint8_t *byte = (uint8_t *)room + some_number(state, (int64_t)sizeof given->room[0]);
      *byte ^= (uint8_t)(1 << some_number(state, 8));
    }
  }
  /* Texts and single values keep what their types promise. */
  if (part->type == TEXT) ((char *)room)[sizeof given->room[0] - 1] = '\0';
  if (part->type == TEXT || part->type == FLAG || part->type == FRACTION) part->length = 1;
  if (part->type == TEXTS) part->type = OTHER;
  if (part->type == NOTHING || part->type == OTHER) part->length = 0;
  if (part->type == LONGS || part->type == LARGE) part->type = DOUBLES;
  if (part->type == FLAG) *(int32_t *)(void *)room = *(int32_t *)(void *)room != 0;
  part->is_named = some_number(state, 50) == 0;
}

/* Whether the results of plan() have room in a recipe; those of a request with a large number may not. */
static bool has_room(const PlainHost *host) {
  for (int i = 0; i < host->n_given; i++) {
    const Given *given = &host->given[i];
    Part part = {.type = given->type, .length = given->count};
    if (bytes_of(&part, given->values) > MOST_VALUES * sizeof(double)) return false;
  }
  return true;
}

/* The results of plan() as a recipe. */
static Mutable recipe_of(const PlainHost *host) {
  Mutable recipe = {.n_parts = 0};
  for (int i = 0; i < host->n_given; i++) {
    const Given *given = &host->given[i];
    add_part(&recipe, given->name, given->type, given->count, given->values);
  }
  return recipe;
}

/* Add a state to a recipe of a sampler by perplexity, in some cases one within an epoch. */
static void add_reports(Mutable *recipe, uint64_t *state) {
  double reported[MOST_VALUES];
  int32_t drawn[2 * MOST_VALUES];
  int64_t n = 0, sample = 0;
  for (int64_t i = 0; i < recipe->n_parts; i++) {
    if (strcmp(recipe->parts[i].name, "n_rows") == 0) n = (int64_t)recipe->room[i][0];
    if (strcmp(recipe->parts[i].name, "sample") == 0) sample = (int64_t)recipe->room[i][0];
  }
  if (n > MOST_VALUES || sample > 2 * MOST_VALUES) return;
  for (int64_t row = 0; row < n; row++) {
    reported[row] = some_number(state, 3) == 0 ? NAN : 1 + (double)some_number(state, 50) / 4;
  }
  add_part(recipe, "reported", DOUBLES, n, reported);
  add_flag(recipe, "started", (int32_t)some_number(state, 2));
  recipe->parts[recipe->n_parts - 1].type = INTEGERS;
  if (some_number(state, 2) == 0) return;
  for (int64_t i = 0; i < sample; i++) drawn[i] = (int32_t)some_number(state, n);
  add_number(recipe, "epoch", (double)some_number(state, 4));
  add_number(recipe, "batch", (double)some_number(state, 4));
  add_number(recipe, "weighted", (double)some_number(state, 2));
  add_part(recipe, "drawn", INTEGERS, sample, drawn);
}

/* Whether numbers stand for pairs, of a user and an item or of a row and a label. */
static bool has_pairs(const Parts *recipe) { return is_given(recipe, "cells") || is_given(recipe, "positives"); }

/* Check that an epoch is rows, or pair numbers, in order of batches. */
static void check_epoch(const PlainHost *host, int64_t most) {
  const Given *rows = given_as(host, "rows"), *offsets = given_as(host, "offsets");
  CHECK((rows->type == INTEGERS || rows->type == LARGE) && offsets->type == LONGS && offsets->count >= 2);
  const int64_t *offset = offsets->values;
  int32_t first = rows->type == INTEGERS || !has_pairs(host->parts) ? host->host.first_row : 0;
  for (int64_t i = 0; i < rows->count; i++) {
    int64_t row = rows->type == LARGE ? ((int64_t *)rows->values)[i] : ((int32_t *)rows->values)[i];
    CHECK(row >= first && row < most + first);
  }
  CHECK_EQUAL(offset[0], 0);
  CHECK_EQUAL(offset[offsets->count - 1], rows->count);
  for (int64_t i = 1; i < offsets->count; i++) CHECK(offset[i - 1] <= offset[i]);
}

static int64_t number_in(const Parts *recipe, const char *name) {
  double number = 0;
  Part part = find_part(recipe, name);
  CHECK(is_one_number(&part, &number));
  return (int64_t)number;
}

/* How many rows or pair numbers there are. */
static int64_t rows_of(const Parts *recipe) {
  if (is_given(recipe, "cells")) return 2 * number_in(recipe, "n_users") * number_in(recipe, "n_items");
  if (is_given(recipe, "positives")) return 2 * number_in(recipe, "n_rows") * number_in(recipe, "n_labels");
  if (is_given(recipe, "keys")) return find_part(recipe, "keys").length / number_in(recipe, "n_columns");
  if (is_given(recipe, "codes")) return find_part(recipe, "codes").length;
  Part lines = find_part(recipe, "lines");
  if (is_given(recipe, "n_rows")) return number_in(recipe, "n_rows");
  if (lines.type == NOTHING) return number_in(recipe, "n_rows");
  double n_rows = 0;
  for (int64_t file = 0; file < lines.length; file++) n_rows += ((const double *)lines.values)[file];
  return (int64_t)n_rows;
}

/* Count what the pairs of a recipe imply. */
static void check_counts_of(const Parts *recipe, int64_t fails_at) {
  PlainHost host = new_host(recipe, NULL, 0, fails_at);
  if (pair_counts_function.call(recipe, &host.host)) {
    double acceptance = *(const double *)given_as(&host, "acceptance")->values;
    CHECK(acceptance > 0 && acceptance < 1 + 1e-9 && *(const double *)given_as(&host, "n_skipped_users")->values >= 0);
  } else {
    check_failure(&host);
  }
  free_host(&host);
}

/* Return an instance of a recipe, which is right. */
static PlainInstance prepared_instance(const Kind *kind, uint32_t seed, const Parts *recipe, int32_t first_row) {
  PlainInstance instance = new_instance(kind, seed);
  PlainHost host = new_host(recipe, &instance.memory, first_row, -1);
  CHECK(kind->prepare(instance.self, recipe, seed, &host.host));
  free_host(&host);
  return instance;
}

/* Draw the first epoch of an instance with a host that fails at every call in turn: at last, the rows and the memory of
 * the instance are those of a draw that is not interrupted.
 */
static void check_interrupted(const Kind *kind, uint32_t seed, const Parts *recipe, int32_t first_row, uint32_t epoch) {
  PlainInstance without = prepared_instance(kind, seed, recipe, first_row);
  PlainInstance instance = prepared_instance(kind, seed, recipe, first_row);
  PlainHost whole = new_host(recipe, &without.memory, first_row, -1);
  CHECK(draw_epoch(kind, without.self, seed, epoch, &whole.host));
  const Given *rows = given_as(&whole, "rows");
  for (int64_t at = 0;; at++) {
    CHECK(at < 1000);
    PlainHost host = new_host(recipe, &instance.memory, first_row, at);
    bool is_drawn = draw_epoch(kind, instance.self, seed, epoch, &host.host);
    if (is_drawn) {
      CHECK_EQUAL(given_as(&host, "rows")->count, rows->count);
      size_t width = rows->type == LARGE ? 8 : 4;
      CHECK(memcmp(given_as(&host, "rows")->values, rows->values, (size_t)rows->count * width) == 0);
    } else {
      check_failure(&host);
    }
    free_host(&host);
    if (is_drawn) break;
  }
  CHECK_EQUAL(instance.memory.n_blocks, without.memory.n_blocks);
  free_host(&whole);
  free_instance(&without);
  free_instance(&instance);
}

/* Check the digest of what determines the batches: the same at each call, whatever call of the host fails before. */
static void check_identity(const PlainInstance *instance, const Parts *recipe) {
  uint8_t found[2][DIGEST_SIZE];
  for (int64_t round = 0, at = 0; round < 2; at++) {
    PlainHost host = new_host(recipe, NULL, 0, round == 0 ? -1 : at);
    bool is_done = identify_recipe(instance->kind, instance->self, recipe, instance->seed, &host.host);
    if (is_done) memcpy(found[round++], given_as(&host, "digest")->values, DIGEST_SIZE);
    if (!is_done) check_failure(&host);
    free_host(&host);
  }
  CHECK(memcmp(found[0], found[1], DIGEST_SIZE) == 0);
}

/* Prepare a recipe and draw epochs; return whether it was accepted. */
static bool try_recipe(const Kind *kind, Mutable *given, uint64_t *state) {
  Memory memory = {.n_blocks = 0};
  Parts recipe = parts_of(given, true, &memory);
  PlainInstance instance = new_instance(kind, (uint32_t)some_number(state, 2147483647));
  int32_t first_row = (int32_t)some_number(state, 2);
  int64_t fails_at = some_number(state, 40) - 1 > 30 ? some_number(state, 4) : -1;
  PlainHost host = new_host(&recipe, &instance.memory, first_row, fails_at);
  bool is_accepted = kind->prepare(instance.self, &recipe, instance.seed, &host.host);
  if (!is_accepted) check_failure(&host);
  free_host(&host);
  if (is_accepted) check_identity(&instance, &recipe);
  if (kind == &pairs_kind) check_counts_of(&recipe, some_number(state, 4) == 0 ? some_number(state, 9) : -1);
  for (int epoch = 0; is_accepted && epoch < N_EPOCHS; epoch++) {
    /* All draws before an epoch of a persistent sampler are repeated. */
    uint32_t number = epoch == 2 && !is_given(&recipe, "persistent") ? 6700000 : (uint32_t)some_number(state, 3);
    PlainHost drawing = new_host(&recipe, &instance.memory, first_row, MOST_CALLS);
    bool is_drawn = draw_epoch(kind, instance.self, instance.seed, number, &drawing.host);
    if (is_drawn) {
      check_epoch(&drawing, rows_of(&recipe));
    } else {
      check_failure(&drawing);
    }
    free_host(&drawing);
    bool is_small = is_drawn && given_as(&drawing, "rows")->count < 10000;
    if (is_small && epoch == 1) check_interrupted(kind, instance.seed, &recipe, first_row, number);
  }
  free_instance(&instance);
  free_memory(&memory);
  return is_accepted;
}

/* The vectors of a state, and a copy of their bytes. */
typedef struct {
  Part parts[MOST_GIVEN];
  Parts state;
  char *copies[MOST_GIVEN];
} StateVectors;

static void copy_bytes(StateVectors *vectors) {
  for (int64_t i = 0; i < vectors->state.n_parts; i++) {
    size_t bytes = bytes_of(&vectors->parts[i], vectors->parts[i].values);
    free(vectors->copies[i]);
    vectors->copies[i] = new_array((int64_t)bytes, 1);
    memcpy(vectors->copies[i], vectors->parts[i].values, bytes);
  }
}

static void check_unchanged(const StateVectors *vectors) {
  for (int64_t i = 0; i < vectors->state.n_parts; i++) {
    const Part *part = &vectors->parts[i];
    CHECK(memcmp(vectors->copies[i], part->values, bytes_of(part, part->values)) == 0);
  }
}

/* Change a bit of a vector, as a file may. */
static void damage(StateVectors *vectors, uint64_t *state) {
  Part *part = &vectors->parts[some_number(state, vectors->state.n_parts)];
  uint8_t *bytes = (uint8_t *)part->values;
  size_t n_bytes = bytes_of(part, part->values);
  if (n_bytes > 0) bytes[some_number(state, (int64_t)n_bytes)] ^= (uint8_t)(1 << some_number(state, 8));
}

/* What the last epoch visits that a sampler by perplexity began. */
static int32_t visited[2 * MOST_VALUES];
static int64_t n_visited = 0;

static void remember_visited(const PlainHost *host) {
  for (int i = 0; i < host->n_given; i++) {
    const Given *given = &host->given[i];
    if (strcmp(given->name, "drawn") != 0 || given->count > 2 * MOST_VALUES) continue;
    n_visited = given->count;
    memcpy(visited, given->values, (size_t)n_visited * sizeof *visited);
  }
}

/* What is told, asked or wanted: positions, values, and numbers, some of them wrong. */
static Mutable some_feedback(uint64_t *state) {
  static const char *const values[] = {"weights", "priorities", "nll"};
  Mutable told = {.n_parts = 0};
  double rows[8], numbers[8];
  int64_t count = some_number(state, 8);
  for (int64_t i = 0; i < count; i++) {
    rows[i] = (double)some_number(state, some_number(state, 20) == 0 ? 50 : 5);
    numbers[i] = (double)some_number(state, 5) / 2 - (some_number(state, 30) == 0);
  }
  add_part(&told, "rows", DOUBLES, count, rows);
  add_part(&told, "indices", DOUBLES, count, rows);
  int64_t n_values = count - (some_number(state, 30) == 0 && count > 0);
  for (size_t i = 0; i < LENGTH(values); i++) add_part(&told, values[i], DOUBLES, n_values, numbers);
  add_number(&told, "count", (double)(1 + some_number(state, 4)));
  if (some_number(state, 2) == 0) add_number(&told, "k", (double)some_number(state, 9));
  add_flag(&told, "replacement", (int32_t)some_number(state, 2));
  add_number(&told, "beta", (double)some_number(state, 5) / 2);
  add_flag(&told, "normalize", (int32_t)some_number(state, 2));
  add_number(&told, "epoch", (double)some_number(state, 3));
  add_number(&told, "next_epoch", 1);
  if (some_number(state, 2) == 0) {
    add_number(&told, "running", 2);
    add_flag(&told, "weighted", (int32_t)some_number(state, 2));
    add_part(&told, "drawn", INTEGERS, n_visited, visited);
  }
  if (some_number(state, 4) == 0) mutate(&told, state);
  return told;
}

/* Check that the rows among results, if there are any, are those of a sampler with this room. */
static void check_rows_of(const PlainHost *host, int32_t first_row, int64_t capacity) {
  for (int i = 0; i < host->n_given; i++) {
    const Given *rows = &host->given[i];
    if (strcmp(rows->name, "rows") != 0 || rows->type != INTEGERS) continue;
    for (int64_t place = 0; place < rows->count; place++) {
      int64_t row = ((int32_t *)rows->values)[place] - first_row;
      CHECK(row >= 0 && row < capacity);
    }
  }
}

/* Tell, ask and draw; a call that fails leaves vectors that are right as they were, and so do all draws. */
static void try_feedback(
    PlainInstance *instance, StateVectors *vectors, bool are_right, int64_t capacity, uint64_t *state
) {
  static const char *const methods[] = {"update", "append", "begin"}, *const names[] = {
      "weights", "state", "total", "n_rows", "importance_weights", "epoch", "perplexities", "share_above_maximum",
      "rows", "priorities", "n_added",
  };
  const Feedback *feedback = instance->kind->feedback;
  Generator generator;
  seed_generator(&generator, 1);
  for (int step = 0; step < 12; step++) {
    Memory memory = {.n_blocks = 0};
    Mutable given = some_feedback(state);
    Parts parts = parts_of(&given, false, &memory);
    int32_t first_row = (int32_t)some_number(state, 2);
    PlainHost host = new_host(&parts, NULL, first_row, some_number(state, 3) == 0 ? some_number(state, 9) : -1);
    bool is_done = false;
    copy_bytes(vectors);
    int64_t what = some_number(state, feedback->draw_more == NULL ? 2 : 3);
    if (what == 0) {
      is_done = feedback->tell(instance->self, &vectors->state, methods[some_number(state, 3)], &parts, &host.host);
      if (is_done) remember_visited(&host);
      if (!is_done && are_right) check_unchanged(vectors);
    } else if (what == 1) {
      const char *name = names[some_number(state, LENGTH(names))];
      is_done = feedback->ask(instance->self, &vectors->state, name, &parts, &host.host);
      if (is_done) check_rows_of(&host, first_row, capacity);
      check_unchanged(vectors);
    } else {
      is_done = feedback->draw_more(instance->self, &vectors->state, &parts, &generator, &host.host);
      if (is_done) check_rows_of(&host, first_row, capacity);
      if (are_right) check_unchanged(vectors);
    }
    if (!is_done) check_failure(&host);
    free_host(&host);
    free_memory(&memory);
  }
}

/* Prepare a recipe with feedback and begin its state; return whether it was accepted. */
static bool try_state(const Kind *kind, Mutable *given, uint64_t *state) {
  Memory memory = {.n_blocks = 0};
  Parts recipe = parts_of(given, true, &memory);
  PlainInstance instance = new_instance(kind, 1);
  PlainHost preparing = new_host(&recipe, &instance.memory, 0, -1);
  PlainHost host = new_host(&recipe, NULL, 0, some_number(state, 9) == 0 ? some_number(state, 5) : -1);
  bool is_prepared = kind->prepare(instance.self, &recipe, 1, &preparing.host);
  if (!is_prepared) check_failure(&preparing);
  bool is_begun = is_prepared && kind->feedback->begin(instance.self, &recipe, &host.host);
  if (is_prepared && !is_begun) check_failure(&host);
  if (is_begun) {
    StateVectors vectors = {.copies = {NULL}};
    for (int i = 0; i < host.n_given; i++) {
      const Given *vector = &host.given[i];
      vectors.parts[i] = (Part){.name = vector->name, .type = vector->type, .length = vector->count};
      vectors.parts[i].values = vector->values;
    }
    vectors.state = (Parts){vectors.parts, host.n_given, true};
    int64_t capacity = number_in(&recipe, is_given(&recipe, "capacity") ? "capacity" : "n_rows");
    try_feedback(&instance, &vectors, true, capacity, state);
    damage(&vectors, state);
    try_feedback(&instance, &vectors, false, capacity, state);
    for (int i = 0; i < MOST_GIVEN; i++) free(vectors.copies[i]);
  }
  free_host(&preparing);
  free_host(&host);
  free_instance(&instance);
  free_memory(&memory);
  return is_begun;
}

/* Plan a request, then try its recipe, as it is and mutated; return whether the request was accepted. */
static bool try_request(const Kind *kind, Mutable *given, uint64_t *state, int64_t *n_accepted) {
  Memory memory = {.n_blocks = 0};
  Parts request = parts_of(given, false, &memory);
  PlainHost host = new_host(&request, NULL, 1, some_number(state, 20) == 0 ? some_number(state, 8) : -1);
  bool is_planned = kind->plan(&request, &host.host);
  if (!is_planned) check_failure(&host);
  bool takes_labels = kind == &multilabel_kind || kind == &per_label_kind;
  bool needs_data = kind == &strata_subset_kind || kind == &one_stratum_kind || kind == &pairs_kind ||
                    kind == &triples_kind || kind == &sharded_kind || kind == &stratified_group_kind ||
                    kind == &no_duplicates_kind;
  bool has_table = kind != &sharded_kind || is_given(&request, "table");
  bool has_data = (is_given(&request, "codes") && has_table) || is_given(&request, "users");
  if (kind == &no_duplicates_kind) has_data = is_given(&request, "keys");
  if (takes_labels) has_data = is_given(&request, "labels");
  bool has_recipe = is_planned && ((!needs_data && !takes_labels) || has_data) && has_room(&host);
  if (has_recipe) {
    int64_t of_user = n_mutable;
    n_mutable = 0;
    Mutable recipe = recipe_of(&host);
    if (kind == &perplexity_kind) add_reports(&recipe, state);
    bool (*try_it)(const Kind *, Mutable *, uint64_t *) = kind->feedback == NULL ? try_recipe : try_state;
    *n_accepted += try_it(kind, &recipe, state);
    for (int i = 0; i < 8; i++) {
      Mutable mutated = recipe;
      for (int64_t changes = 1 + some_number(state, 2); changes > 0; changes--) mutate(&mutated, state);
      *n_accepted += try_it(kind, &mutated, state);
    }
    n_mutable = of_user;
  }
  free_host(&host);
  free_memory(&memory);
  return is_planned;
}

/* The orders of cycles repeat after as many cycles as there are seeds, also if the number of one exceeds 64 bits. */
static void test_numbered_orders(void) {
  enum { N_NUMBERS = 50 };
  int32_t order[N_NUMBERS], pool[N_NUMBERS], expected[N_NUMBERS];
  int64_t n_seeds = INT64_C(1) + LARGEST_SEED;
  Cycles cycles = {.seed = 7, .n = N_NUMBERS, .first = SAMPLE_EPOCH, .step = LARGEST_COUNT - 2};
  cycles.order = order;
  cycles.pool = pool;
  for (int64_t cycle = 0; cycle < 9; cycle++) {
    draw_numbered_order(&cycles, cycle);
    memcpy(expected, order, sizeof order);
    draw_numbered_order(&cycles, cycle + n_seeds * (n_seeds - 1));
    CHECK(memcmp(expected, order, sizeof order) == 0);
  }
}

static void test_mutations(const Kind *kind, Mutable (*valid_request)(uint64_t *state), int n_trials) {
  uint64_t state = 1;
  int64_t n_planned = 0, n_accepted = 0, n_mutated = 0;
  for (int trial = 0; trial < n_trials; trial++) {
    Mutable valid = valid_request(&state);
    n_planned += try_request(kind, &valid, &state, &n_accepted);
    Mutable mutated = valid;
    mutate(&mutated, &state);
    n_mutated += try_request(kind, &mutated, &state, &n_accepted);
  }
  CHECK(n_planned > n_trials / 8 && n_mutated > n_trials / 15 && n_accepted > n_trials / 3);
}

int main(void) {
  test_numbered_orders();
  test_mutations(&uniform_kind, uniform_request, 1500);
  test_mutations(&strata_subset_kind, subset_request, 1500);
  test_mutations(&one_stratum_kind, one_stratum_request, 1500);
  test_mutations(&no_duplicates_kind, no_duplicates_request, 1500);
  test_mutations(&epoch_subset_kind, epoch_subset_request, 1500);
  test_mutations(&mixture_kind, mixture_request, 1500);
  n_mutable = 0;
  test_mutations(&rare_events_kind, rare_events_request, 1500);
  test_mutations(&stratified_kind, stratified_request, 1500);
  test_mutations(&downsampled_kind, downsampled_request, 1500);
  test_mutations(&sharded_kind, sharded_request, 1500);
  test_mutations(&pairs_kind, pairs_request, 1500);
  test_mutations(&triples_kind, triples_request, 1500);
  test_mutations(&stratified_group_kind, group_request, 1500);
  test_mutations(&multilabel_kind, multilabel_request, 1500);
  test_mutations(&per_label_kind, per_label_request, 1500);
  test_mutations(&weighted_kind, weighted_request, 1000);
  test_mutations(&prioritized_kind, prioritized_request, 1000);
  test_mutations(&sum_tree_kind, sum_tree_request, 500);
  test_mutations(&perplexity_kind, perplexity_request, 1000);
  CHECK(find_function("pair_counts") == &pair_counts_function && find_function("another") == NULL);
  test_mutations(&tree_kind, tree_request, 200);
  CHECK(find_kind("uniform") == &uniform_kind && find_kind("strata_subset") == &strata_subset_kind);
  CHECK(find_kind("another") == NULL);
  return 0;
}
