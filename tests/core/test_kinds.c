/* All kinds with mutated requests and recipes, and with hosts that fail: no crash, every refusal says why, every epoch
 * has rows of the dataset in order of batches, and a call that failed leaves the instance as it was.
 */

#include "epoch_order.h"
#include "functions/batch_plan.h"
#include "functions/functions.h"
#include "functions/pair_counts.h"
#include "dealt.h"
#include "kept_rows.h"
#include "kinds/downsampled.h"
#include "kinds/epoch_subset.h"
#include "kinds/pairs.h"
#include "kinds/rare_events.h"
#include "kinds/strata_subset.h"
#include "kinds/stratified.h"
#include "kinds/tree.h"
#include "kinds/triples.h"
#include "kinds/uniform.h"
#include "observed_pairs.h"
#include "plain_host.h"
#include "order.h"
#include "positives.h"
#include "request.h"
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
  add_number(&request, "n", (double)(1 + some_number(state, 40)));
  add_number(&request, "batch_size", (double)(1 + some_number(state, 8)));
  add_flag(&request, "replacement", (int32_t)some_number(state, 2));
  if (some_number(state, 2) == 0) add_number(&request, "n_batches", (double)(1 + some_number(state, 9)));
  if (some_number(state, 2) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 3)));
  return request;
}

static Mutable subset_request(uint64_t *state) {
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
  add_number(&request, "min_samples_per_stratum", (double)(1 + some_number(state, 3)));
  add_flag(&request, "exact", (int32_t)some_number(state, 2));
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
  add_number(&request, "n", (double)n);
  add_number(&request, "sample", (double)sample);
  bool has_tokens = some_number(state, 3) == 0, has_window = some_number(state, 3) == 0;
  if (has_tokens || has_window) {
    bool is_narrow = some_number(state, 2) == 0;
    add_part(&request, "lengths", is_narrow ? INTEGERS : DOUBLES, n, is_narrow ? (void *)integers : (void *)doubles);
  }
  if (has_tokens) add_number(&request, "max_tokens", (double)(299 + some_number(state, 2000)));
  if (has_window) add_number(&request, "window", (double)(1 + some_number(state, 70)));
  if (!has_tokens || some_number(state, 2) == 0) add_number(&request, "batch_size", (double)(1 + some_number(state, 9)));
  add_part(&request, "method", TEXT, 1, names[some_number(state, 3)]);
  if (some_number(state, 2) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 3)));
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
  double fixed[7], numbers[40], arguments[] = {-1, 2};
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

static Mutable stratified_request(uint64_t *state) {
  static const char *const rare[] = {"error", "warn", "allow"};
  Mutable request = {.n_parts = 0};
  int64_t n_strata = 1 + some_number(state, MOST_ITEMS), way = some_number(state, 7);
  add_codes(&request, state, n_strata);
  add_flag(&request, "shuffle", (int32_t)some_number(state, 2));
  add_part(&request, "assign", TEXT, 1, some_number(state, 2) == 0 ? "even" : "proportional");
  add_part(&request, "missing", TEXT, 1, "drop");
  bool has_way = way >= 3 && way < 6;
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
  if (some_number(state, 2) == 0) add_number(&request, "num_replicas", (double)(1 + some_number(state, 2)));
  return request;
}

static Mutable downsampled_request(uint64_t *state) {
  Mutable request = {.n_parts = 0};
  int64_t n_strata = 2 + some_number(state, MOST_ITEMS - 1);
  add_codes(&request, state, n_strata);
  add_number(&request, "batch_size", (double)(1 + some_number(state, 40)));
  add_flag(&request, "walk", (int32_t)some_number(state, 2));
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

/* Check that an epoch is rows, or pair numbers, in order of batches. */
static void check_epoch(const PlainHost *host, int64_t most) {
  const Given *rows = given_as(host, "rows"), *offsets = given_as(host, "offsets");
  CHECK((rows->type == INTEGERS || rows->type == LARGE) && offsets->type == LONGS && offsets->count >= 2);
  const int64_t *offset = offsets->values;
  int32_t first = rows->type == INTEGERS ? host->host.first_row : 0;
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
  if (is_given(recipe, "codes")) return find_part(recipe, "codes").length;
  Part lines = find_part(recipe, "lines");
  if (is_given(recipe, "n_rows")) return number_in(recipe, "n_rows");
  if (lines.type == NOTHING) return number_in(recipe, "n");
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

/* Draw an epoch with a host that fails at every call in turn; the same rows must come of it then. */
static void check_interrupted(PlainInstance *instance, const Parts *recipe, int32_t first_row, uint32_t epoch) {
  PlainHost whole = new_host(recipe, &instance->memory, first_row, -1);
  CHECK(draw_epoch(instance->kind, instance->self, instance->seed, epoch, &whole.host));
  const Given *rows = given_as(&whole, "rows");
  for (int64_t at = 0;; at++) {
    CHECK(at < 1000);
    PlainHost host = new_host(recipe, &instance->memory, first_row, at);
    bool is_drawn = draw_epoch(instance->kind, instance->self, instance->seed, epoch, &host.host);
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
  free_host(&whole);
}

/* Prepare a recipe and draw epochs; return whether it was accepted. */
static bool try_recipe(const Kind *kind, Mutable *given, uint64_t *state) {
  Memory memory = {.n_blocks = 0};
  Parts recipe = parts_of(given, true, &memory);
  PlainInstance instance = new_instance(kind, (uint32_t)some_number(state, 2147483647));
  int32_t first_row = (int32_t)some_number(state, 2);
  PlainHost host = new_host(&recipe, &instance.memory, first_row, some_number(state, 40) - 1 > 30 ? some_number(state, 4) : -1);
  bool is_accepted = kind->prepare(instance.self, &recipe, instance.seed, &host.host);
  if (!is_accepted) check_failure(&host);
  free_host(&host);
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
    if (is_small && epoch == 1) check_interrupted(&instance, &recipe, first_row, number);
  }
  free_instance(&instance);
  free_memory(&memory);
  return is_accepted;
}

/* Plan a request, then try its recipe, as it is and mutated; return whether the request was accepted. */
static bool try_request(const Kind *kind, Mutable *given, uint64_t *state, int64_t *n_accepted) {
  Memory memory = {.n_blocks = 0};
  Parts request = parts_of(given, false, &memory);
  PlainHost host = new_host(&request, NULL, 1, some_number(state, 20) == 0 ? some_number(state, 8) : -1);
  bool is_planned = kind->plan(&request, &host.host);
  if (!is_planned) check_failure(&host);
  bool needs_data = kind == &strata_subset_kind || kind == &pairs_kind || kind == &triples_kind;
  bool has_data = is_given(&request, "codes") || is_given(&request, "users");
  bool has_recipe = is_planned && (!needs_data || has_data) && has_room(&host);
  if (has_recipe) {
    int64_t of_user = n_mutable;
    n_mutable = 0;
    Mutable recipe = recipe_of(&host);
    *n_accepted += try_recipe(kind, &recipe, state);
    for (int i = 0; i < 8; i++) {
      Mutable mutated = recipe;
      for (int64_t changes = 1 + some_number(state, 2); changes > 0; changes--) mutate(&mutated, state);
      *n_accepted += try_recipe(kind, &mutated, state);
    }
    n_mutable = of_user;
  }
  free_host(&host);
  free_memory(&memory);
  return is_planned;
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
  test_mutations(&uniform_kind, uniform_request, 1500);
  test_mutations(&strata_subset_kind, subset_request, 1500);
  test_mutations(&epoch_subset_kind, epoch_subset_request, 1500);
  test_mutations(&rare_events_kind, rare_events_request, 1500);
  test_mutations(&stratified_kind, stratified_request, 1500);
  test_mutations(&downsampled_kind, downsampled_request, 1500);
  test_mutations(&pairs_kind, pairs_request, 1500);
  test_mutations(&triples_kind, triples_request, 1500);
  CHECK(find_function("pair_counts") == &pair_counts_function && find_function("another") == NULL);
  test_mutations(&tree_kind, tree_request, 200);
  CHECK(find_kind("uniform") == &uniform_kind && find_kind("strata_subset") == &strata_subset_kind);
  CHECK(find_kind("another") == NULL);
  return 0;
}
