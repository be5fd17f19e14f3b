/* All kinds with the requests, recipes and feedback of samplers in Python, which core_calls.py writes to standard
 * input: as they are, varied and mutated, and with hosts that fail. No crash, every refusal says why, every epoch has
 * rows of the dataset in order of batches, and a call that failed leaves the instance as it was. Nothing names a kind.
 */

#include "all_defined.h" /* all kinds and functions; test_core.py writes it */
#include "dealt.h"
#include "decimal.h"
#include "epoch_order.h"
#include "first_rows.h"
#include "golden.h"
#include "grouped_rows.h"
#include "label_sets.h"
#include "mixed_plan.h"
#include "observed_pairs.h"
#include "place.h"
#include "plain_host.h"
#include "positives.h"
#include "request.h"
#include "row_changes.h"
#include "row_draws.h"
#include "row_places.h"
#include "row_ranks.h"
#include "row_weights.h"
#include "spreading.h"
#include "stages.h"
#include "taken_rows.h"
#include "tree_values.h"

enum { MOST_PARTS = 48, MOST_VALUES = 130, MOST_ITEMS = 6, MOST_LEARNED = 256, N_EPOCHS = 3 };
enum { MOST_CALLS = 24 /* of the host by an epoch: a persistent one may have to repeat 2^31 draws */ };
enum { N_TRIALS = 2500, N_RECIPES = 8 /* mutated ones of each request */, LARGEST_ROWS = 64 };

/* What is asked of a kind; as METHODS of core_calls.py. */
typedef enum { PLAN, PREPARE, BEGIN, DRAW_MORE, TELL, ASK, APPLY } Method;

typedef union {
  double doubles[MOST_VALUES];
  int64_t longs[MOST_VALUES];
  int32_t integers[MOST_VALUES];
  uint8_t bytes[sizeof(double[MOST_VALUES])];
  char text[sizeof(double[MOST_VALUES])];
  const char *texts[MOST_VALUES];
} Values;

/* A request or a recipe whose parts can be changed. */
typedef struct {
  Part parts[MOST_PARTS];
  Part items[MOST_ITEMS]; /* of the part that is named */
  Values room[MOST_PARTS]; /* of the values of each part */
  int64_t n_parts, n_mutable; /* the first ones; the others of a request are what the host has checked */
} Mutable;

typedef struct {
  Method method;
  const char *kind, *name; /* what is told or asked, the function that is applied to recipes, or "" */
  Mutable given;
} Call;

static Call *calls;
static int64_t n_calls;

static size_t width_of(PartType type) {
  switch (type) {
    case BYTES:
    case TEXT: return 1;
    case INTEGERS:
    case FLAG: return 4;
    case DOUBLES:
    case TEXTS:
    case LONGS:
    case LARGE:
    case FRACTION: return 8;
    default: return 0;
  }
}

static size_t bytes_of(const Part *part, const void *values) {
  return part->type == TEXT ? strlen(values) + 1 : (size_t)part->length * width_of(part->type);
}

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
    size_t bytes = bytes_of(part, &given->room[i]);
    void *values = memory->blocks[memory->n_blocks++] = new_array((int64_t)bytes, 1);
    memcpy(values, &given->room[i], bytes);
    part->values = values;
    part->items = part->is_named ? items_of(given, part) : NULL;
  }
  return (Parts){.parts = given->parts, .n_parts = given->n_parts, .is_recipe = is_recipe};
}

/* The calls of Python ---------------------------------------------------------------------------------------------- */

static char *read_text(void) {
  int64_t length = next_number();
  char *text = new_array(length + 1, 1);
  for (int64_t i = 0; i < length; i++) text[i] = (char)next_number();
  text[length] = '\0';
  return text;
}

static void read_part(Part *part, Values *room) {
  part->name = read_text();
  part->type = (PartType)next_number();
  part->is_single = next_number() != 0;
  part->is_named = next_number() != 0;
  if (part->type == TEXT) {
    char *text = read_text();
    part->length = 1;
    CHECK(strlen(text) < sizeof room->text);
    strcpy(room->text, text);
    free(text);
    return;
  }
  part->length = next_number();
  CHECK(part->length < MOST_VALUES);
  for (int64_t i = 0; i < part->length; i++) {
    if (part->type == TEXTS) room->texts[i] = read_text();
    if (part->type == BYTES) room->bytes[i] = (uint8_t)next_number();
    if (part->type == INTEGERS || part->type == FLAG) room->integers[i] = (int32_t)next_number();
    if (part->type == DOUBLES || part->type == LONGS || part->type == FRACTION) room->longs[i] = next_number();
  }
}

static void read_calls(void) {
  n_calls = next_number();
  calls = malloc((size_t)n_calls * sizeof *calls);
  CHECK(calls != NULL);
  memset(calls, 0, (size_t)n_calls * sizeof *calls);
  for (Call *call = calls; call < calls + n_calls; call++) {
    call->method = (Method)next_number();
    call->kind = read_text();
    call->name = read_text();
    call->given.n_parts = next_number();
    call->given.n_mutable = next_number();
    CHECK(call->given.n_parts <= MOST_PARTS);
    for (int64_t i = 0; i < call->given.n_parts; i++) read_part(&call->given.parts[i], &call->given.room[i]);
  }
}

/* Return one of the calls of a method of a kind, NULL if there is none. */
static const Call *some_call(const Kind *kind, Method method, uint64_t *state) {
  const Call *found = NULL;
  int64_t n_found = 0;
  for (const Call *call = calls; call < calls + n_calls; call++) {
    if (call->method != method || strcmp(call->kind, kind->name) != 0) continue;
    if (some_number(state, ++n_found) == 0) found = call;
  }
  return found;
}

/* Texts that refusals name ----------------------------------------------------------------------------------------- */

static struct { char parameter[NUMBER], text[NUMBER]; } learned[MOST_LEARNED];
static int64_t n_learned;

static void learn_text(const char *parameter, const char *text, size_t length) {
  if (strlen(parameter) >= NUMBER || length >= NUMBER || n_learned == MOST_LEARNED) return;
  for (int64_t i = 0; i < n_learned; i++) {
    bool is_same = strncmp(learned[i].text, text, length) == 0 && learned[i].text[length] == '\0';
    if (is_same && strcmp(learned[i].parameter, parameter) == 0) return;
  }
  strcpy(learned[n_learned].parameter, parameter);
  memcpy(learned[n_learned].text, text, length);
  learned[n_learned++].text[length] = '\0';
}

/* Check that a call that failed says why, and learn the texts in quotes that the parameter may be. */
static void check_and_learn(const PlainHost *host) {
  check_failure(host);
  const Refusal *refusal = &host->host.refusal;
  if (refusal->parameter == NULL || strcmp(refusal->parameter, "recipe") == 0) return;
  const char *begin = strchr(refusal->requirement, '\'');
  while (begin != NULL) {
    const char *end = strchr(begin + 1, '\'');
    if (end == NULL) return;
    learn_text(refusal->parameter, begin + 1, (size_t)(end - begin - 1));
    begin = strchr(end + 1, '\'');
  }
}

/* Mutations -------------------------------------------------------------------------------------------------------- */

static Part single_part(const char *name, PartType type) {
  return (Part){.name = name, .type = type, .length = type != NOTHING, .is_single = type == DOUBLES};
}

/* Give a part a text that a refusal has named. */
static void set_text(Part *part, Values *room, uint64_t *state) {
  int64_t n_found = 0;
  *part = single_part(part->name, TEXT);
  strcpy(room->text, "another");
  for (int64_t i = 0; i < n_learned; i++) {
    if (strcmp(learned[i].parameter, part->name) != 0 || some_number(state, ++n_found) > 0) continue;
    strcpy(room->text, learned[i].text);
  }
}

/* Give a single value, or none, another one that a user may give. */
static void vary_part(Part *part, Values *room, uint64_t *state) {
  PartType before = part->type;
  bool is_on = before == FLAG && room->integers[0] != 0;
  if (before != FLAG && some_number(state, 3) == 0) {
    *part = single_part(part->name, NOTHING);
  } else if (before == TEXT || (before == NOTHING && some_number(state, 3) == 0)) {
    set_text(part, room, state);
  } else if (before == FLAG || (before == NOTHING && some_number(state, 3) == 0)) {
    *part = single_part(part->name, FLAG);
    room->integers[0] = !is_on;
  } else {
    *part = single_part(part->name, DOUBLES);
    int64_t number = some_number(state, some_number(state, 2) == 0 ? 6 : 60);
    room->doubles[0] = (double)number / (some_number(state, 6) == 0 ? 4 : 1);
  }
}

static bool is_vector(const Part *part) {
  bool has_numbers = part->type == BYTES || part->type == INTEGERS || part->type == DOUBLES;
  return has_numbers && part->length > 1;
}

/* Draw the values of all vectors that are as long as one of them again, perhaps with another length or type. */
static void vary_vectors(Mutable *given, uint64_t *state) {
  const Part *chosen = &given->parts[some_number(state, given->n_mutable)];
  for (int i = 0; i < 8 && !is_vector(chosen); i++) chosen = &given->parts[some_number(state, given->n_mutable)];
  if (!is_vector(chosen)) return;
  int64_t before = chosen->length, after = some_number(state, 2) == 0 ? before : 1 + some_number(state, LARGEST_ROWS);
  for (int64_t i = 0; i < given->n_mutable; i++) {
    Part *part = &given->parts[i];
    Values *room = &given->room[i];
    if (!is_vector(part) || part->length != before) continue;
    part->length = after;
    if (some_number(state, 12) == 0) part->type = part->type == INTEGERS ? DOUBLES : INTEGERS;
    int64_t limit = 1 + some_number(state, some_number(state, 8) == 0 ? 40 : 6);
    bool is_even = some_number(state, 2) == 0; /* or some values come seldom */
    for (int64_t place = 0; place < after; place++) {
      int64_t value = is_even || place < limit ? place % limit : some_number(state, 1 + some_number(state, limit));
      if (part->type == BYTES) room->bytes[place] = (uint8_t)value;
      if (part->type == INTEGERS) room->integers[place] = (int32_t)value;
      if (part->type == DOUBLES) room->doubles[place] = (double)value;
    }
  }
}

static void vary(Mutable *given, uint64_t *state) {
  if (given->n_mutable == 0) return;
  if (some_number(state, 3) == 0) vary_vectors(given, state);
  for (int64_t n_changes = some_number(state, 5); n_changes > 0; n_changes--) {
    int64_t place = some_number(state, given->n_mutable);
    if (!is_vector(&given->parts[place])) vary_part(&given->parts[place], &given->room[place], state);
  }
}

/* Change the type, the length or a value of a part, or leave it out. */
static void mutate(Mutable *given, uint64_t *state) {
  static const double numbers[] = {
      -1, 0, 0.5, 1, 2, 3, 7, 63, 64, 65, 255, 256, 2147483646, 2147483647, 2147483648.0, 9007199254740992.0, 1e300,
  };
  if (given->n_mutable == 0) return;
  Part *part = &given->parts[some_number(state, given->n_mutable)];
  Values *room = &given->room[part - given->parts];
  if (part->type == TEXTS) { /* pointers stay what they are */
    part->length = some_number(state, 2) == 0 ? some_number(state, part->length + 1) : part->length;
    if (some_number(state, 4) == 0) part->type = OTHER;
    part->length = part->type == OTHER ? 0 : part->length;
    return;
  }
  int64_t place = some_number(state, part->length + (part->length == 0));
  int64_t n_bytes = part->length > 0 ? (int64_t)bytes_of(part, room) : 0;
  switch (some_number(state, 6)) {
    case 0: part->type = (PartType)some_number(state, OTHER + 1); break;
    case 1: part->name = "another"; break;
    case 2: part->length = some_number(state, part->length + 1); break;
    case 3:
      if (part->type == DOUBLES) room->doubles[place] = some_number(state, 2) == 0 ? NAN : INFINITY;
      break;
    case 4:
      if (part->type == DOUBLES) room->doubles[place] = numbers[some_number(state, LENGTH(numbers))];
      break;
    default: room->bytes[some_number(state, n_bytes + 8)] ^= (uint8_t)(1 << some_number(state, 8));
  }
  /* Texts and single values keep what their types promise. */
  if (part->type == TEXT) room->text[sizeof room->text - 1] = '\0';
  if (part->type == TEXT || part->type == FLAG || part->type == FRACTION) part->length = 1;
  if (part->type == TEXTS) part->type = OTHER;
  if (part->type == NOTHING || part->type == OTHER) part->length = 0;
  if (part->type == LONGS || part->type == LARGE) part->type = DOUBLES;
  if (part->type == FLAG) room->integers[0] = room->integers[0] != 0;
  part->is_named = some_number(state, 50) == 0;
}

/* Whether the results of plan() have room in a recipe; those of a request with a large number may not. */
static bool has_room(const PlainHost *host) {
  for (int i = 0; i < host->n_given; i++) {
    const Given *given = &host->given[i];
    Part part = {.type = given->type, .length = given->count};
    if (given->count >= MOST_VALUES || bytes_of(&part, given->values) > sizeof(Values)) return false;
  }
  return true;
}

/* The results of plan() as a recipe. */
static Mutable recipe_of(const PlainHost *host) {
  Mutable recipe = {.n_parts = host->n_given, .n_mutable = host->n_given};
  CHECK(host->n_given <= MOST_PARTS);
  for (int i = 0; i < host->n_given; i++) {
    const Given *given = &host->given[i];
    recipe.parts[i] = (Part){.name = given->name, .type = given->type, .length = given->count};
    size_t bytes = bytes_of(&recipe.parts[i], given->values);
    if (bytes > 0) memcpy(&recipe.room[i], given->values, bytes);
  }
  return recipe;
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
  if (is_given(recipe, "n_rows")) return number_in(recipe, "n_rows");
  Part lines = find_part(recipe, "lines");
  CHECK(lines.type == DOUBLES);
  double n_rows = 0;
  for (int64_t file = 0; file < lines.length; file++) n_rows += ((const double *)lines.values)[file];
  return (int64_t)n_rows;
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
      check_and_learn(&host);
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
    if (!is_done) check_and_learn(&host);
    free_host(&host);
  }
  CHECK(memcmp(found[0], found[1], DIGEST_SIZE) == 0);
}

/* Call a function that Python applies to recipes of the kind. */
static void try_function(const Kind *kind, const Parts *recipe, uint64_t *state) {
  const Call *applied = some_call(kind, APPLY, state);
  if (applied == NULL) return;
  PlainHost host = new_host(recipe, NULL, 0, some_number(state, 4) == 0 ? some_number(state, 9) : -1);
  bool is_done = find_function(applied->name)->call(recipe, &host.host);
  if (!is_done) check_and_learn(&host);
  for (int i = 0; is_done && i < host.n_given; i++) {
    const Given *given = &host.given[i];
    for (int64_t at = 0; given->type == DOUBLES && at < given->count; at++) CHECK(((double *)given->values)[at] >= 0);
  }
  free_host(&host);
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
  if (!is_accepted) check_and_learn(&host);
  free_host(&host);
  if (is_accepted) check_identity(&instance, &recipe);
  try_function(kind, &recipe, state);
  for (int epoch = 0; is_accepted && epoch < N_EPOCHS; epoch++) {
    /* All draws before an epoch of a persistent sampler are repeated. */
    uint32_t number = epoch == 2 && !is_given(&recipe, "persistent") ? 6700000 : (uint32_t)some_number(state, 3);
    PlainHost drawing = new_host(&recipe, &instance.memory, first_row, MOST_CALLS);
    bool is_drawn = draw_epoch(kind, instance.self, instance.seed, number, &drawing.host);
    if (is_drawn) {
      check_epoch(&drawing, rows_of(&recipe));
    } else {
      check_and_learn(&drawing);
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

/* The results of what was last told, which may be told or asked next. */
static Mutable remembered;

static void remember(const PlainHost *host) {
  if (host->n_given > 0 && has_room(host)) remembered = recipe_of(host); /* whose names outlive it */
}

/* What is told, asked or wanted: as Python did, varied or mutated. */
static Mutable some_feedback(const Call *call, uint64_t *state) {
  Mutable given = call->given;
  bool is_next = some_number(state, 2) == 0;
  for (int64_t i = 0; is_next && i < remembered.n_parts; i++) {
    for (int64_t j = 0; j < given.n_parts; j++) {
      if (strcmp(given.parts[j].name, remembered.parts[i].name) != 0 || !is_vector(&given.parts[j])) continue;
      given.parts[j] = remembered.parts[i];
      given.room[j] = remembered.room[i];
    }
  }
  if (some_number(state, 3) == 0) vary(&given, state);
  if (some_number(state, 4) == 0) mutate(&given, state);
  return given;
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
  const Feedback *feedback = instance->kind->feedback;
  Generator generator;
  seed_generator(&generator, 1);
  for (int step = 0; step < 12; step++) {
    Memory memory = {.n_blocks = 0};
    Method method = (Method)(DRAW_MORE + some_number(state, 3));
    const Call *call = some_call(instance->kind, method, state);
    if (call == NULL) continue;
    Mutable given = some_feedback(call, state);
    Parts parts = parts_of(&given, false, &memory);
    int32_t first_row = (int32_t)some_number(state, 2);
    PlainHost host = new_host(&parts, NULL, first_row, some_number(state, 3) == 0 ? some_number(state, 9) : -1);
    bool is_done = false;
    copy_bytes(vectors);
    if (method == TELL) {
      is_done = feedback->tell(instance->self, &vectors->state, call->name, &parts, &host.host);
      if (is_done) remember(&host);
      if (!is_done && are_right) check_unchanged(vectors);
    } else if (method == ASK) {
      is_done = feedback->ask(instance->self, &vectors->state, call->name, &parts, &host.host);
      if (is_done) check_rows_of(&host, first_row, capacity);
      check_unchanged(vectors);
    } else {
      is_done = feedback->draw_more(instance->self, &vectors->state, &parts, &generator, &host.host);
      if (is_done) check_rows_of(&host, first_row, capacity);
      if (are_right) check_unchanged(vectors);
    }
    if (!is_done) check_and_learn(&host);
    free_host(&host);
    free_memory(&memory);
  }
}

/* Prepare a recipe with feedback and begin its state; return whether it was accepted. */
static bool try_state(const Kind *kind, Mutable *given, uint64_t *state) {
  Memory memory = {.n_blocks = 0};
  Parts recipe = parts_of(given, true, &memory);
  const Call *loads = some_call(kind, BEGIN, state);
  Mutable loaded = loads == NULL || some_number(state, 2) == 0 ? *given : loads->given;
  if (some_number(state, 2) == 0) mutate(&loaded, state);
  Parts begun = parts_of(&loaded, true, &memory);
  PlainInstance instance = new_instance(kind, 1);
  PlainHost preparing = new_host(&recipe, &instance.memory, 0, -1);
  PlainHost host = new_host(&recipe, NULL, 0, some_number(state, 9) == 0 ? some_number(state, 5) : -1);
  bool is_prepared = kind->prepare(instance.self, &recipe, 1, &preparing.host);
  if (!is_prepared) check_and_learn(&preparing);
  bool is_begun = is_prepared && kind->feedback->begin(instance.self, &begun, &host.host);
  if (is_prepared && !is_begun) check_and_learn(&host);
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

/* Try a recipe, as it is and mutated; return how many were accepted. */
static int64_t try_recipes(const Kind *kind, Mutable *recipe, uint64_t *state) {
  bool (*try_it)(const Kind *, Mutable *, uint64_t *) = kind->feedback == NULL ? try_recipe : try_state;
  int64_t n_accepted = try_it(kind, recipe, state);
  for (int i = 0; i < N_RECIPES; i++) {
    Mutable mutated = *recipe;
    for (int64_t changes = 1 + some_number(state, 2); changes > 0; changes--) mutate(&mutated, state);
    n_accepted += try_it(kind, &mutated, state);
  }
  return n_accepted;
}

/* Plan a request, then try its recipe; return whether the request was accepted. */
static bool try_request(const Kind *kind, Mutable *given, uint64_t *state, int64_t *n_accepted) {
  Memory memory = {.n_blocks = 0};
  Parts request = parts_of(given, false, &memory);
  int64_t fails_at = some_number(state, 20) == 0 ? some_number(state, 8) : -1;
  PlainHost host = new_host(&request, NULL, some_number(state, 8) == 0, fails_at);
  bool is_planned = kind->plan(&request, &host.host);
  if (!is_planned) check_and_learn(&host);
  if (is_planned && has_room(&host)) {
    Mutable recipe = recipe_of(&host);
    *n_accepted += try_recipes(kind, &recipe, state);
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

static void test_kind(const Kind *kind) {
  uint64_t state = 1;
  int64_t n_planned = 0, n_mutated = 0, n_accepted = 0;
  CHECK(find_kind(kind->name) == kind);
  for (int trial = 0; trial < N_TRIALS; trial++) {
    const Call *call = some_call(kind, some_number(&state, 8) == 0 ? PREPARE : PLAN, &state);
    CHECK(call != NULL);
    Mutable given = call->given;
    if (call->method == PREPARE) {
      n_accepted += try_recipes(kind, &given, &state);
      continue;
    }
    if (trial % 2 == 0) vary(&given, &state);
    n_planned += try_request(kind, &given, &state, &n_accepted);
    mutate(&given, &state);
    n_mutated += try_request(kind, &given, &state, &n_accepted);
  }
  CHECK(n_planned > N_TRIALS / 8 && n_mutated > N_TRIALS / 15 && n_accepted > N_TRIALS / 3);
}

int main(void) {
  const Kind *const kinds[] = {FOR_EACH_KIND(POINT_TO_KIND)};
  read_calls();
  test_numbered_orders();
  for (size_t i = 0; i < LENGTH(kinds); i++) test_kind(kinds[i]);
  CHECK(find_kind("another") == NULL && find_function("another") == NULL);
  printf("%" PRId64 "\n", n_calls);
  return 0;
}
