/* What Python asks of the core, which core_calls.py writes to standard input: as it is, with hosts that fail at each of
 * their calls in turn, then varied and mutated. No crash, every refusal says why, every epoch has rows of the dataset
 * in order of batches, and a call that failed leaves the instance as it was. Nothing names a kind.
 *
 * Usage: replay TRIALS, the number of mutated requests of each kind. The sanitizers with which it is compiled end it at
 * errors of memory and of arithmetic; replay beyond and replay overflow make one of each.
 */

#include "plain_host.h"

enum { MOST_PARTS = 48, MOST_VALUES = 130, MOST_ITEMS = 6, MOST_LEARNED = 256, N_EPOCHS = 3 };
enum { MOST_CALLS = 24 /* of the host by an epoch: a persistent one may have to repeat 2^31 draws */ };
enum { N_RECIPES = 8 /* mutated ones of each request */, N_STEPS = 12 /* of feedback */, LARGEST_ROWS = 64 };

/* What is asked of a kind, or a function that is called; as METHODS of core_calls.py. */
typedef enum { PLAN, PREPARE, BEGIN, DRAW_MORE, TELL, ASK, APPLY, FUNCTION } Method;

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
  const char *kind, *name; /* what is told or asked, the function that is called, or "" */
  Mutable given;
} Call;

static Call *calls;
static int64_t n_calls;
static bool mutates; /* whether calls are not as Python made them */
static uint64_t state = 1; /* of random numbers */

/* Return a number from 0 to below a limit. */
static int64_t some_number(int64_t limit) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)((state >> 33) % (uint64_t)limit);
}

static bool one_in(int64_t count) { return some_number(count) == 0; }

static size_t bytes_of(const Part *part, const void *values) {
  static const size_t widths[] = {
      [BYTES] = 1, [INTEGERS] = 4, [DOUBLES] = 8, [TEXTS] = 8, [LONGS] = 8, [LARGE] = 8,
      [FLAG] = 4, [FRACTION] = 8, [OTHER] = 0,
  };
  return part->type == TEXT ? strlen(values) + 1 : (size_t)part->length * widths[part->type];
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
    void *values = memory->blocks[memory->n_blocks++] = new_array((int64_t)bytes);
    memcpy(values, &given->room[i], bytes);
    part->values = values;
    part->items = part->is_named ? items_of(given, part) : NULL;
  }
  return (Parts){.parts = given->parts, .n_parts = given->n_parts, .is_recipe = is_recipe};
}

/* The calls of Python ---------------------------------------------------------------------------------------------- */

static int64_t next_number(void) {
  int64_t number;
  CHECK(scanf("%" SCNd64, &number) == 1);
  return number;
}

static char *read_text(void) {
  int64_t length = next_number();
  char *text = new_array(length + 1);
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
  calls = calloc((size_t)n_calls, sizeof *calls);
  CHECK(calls != NULL);
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
static const Call *some_call(const char *kind, Method method) {
  const Call *found = NULL;
  int64_t n_found = 0;
  for (const Call *call = calls; call < calls + n_calls; call++) {
    if (call->method == method && strcmp(call->kind, kind) == 0 && one_in(++n_found)) found = call;
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
static void set_text(Part *part, Values *room) {
  int64_t n_found = 0;
  *part = single_part(part->name, TEXT);
  strcpy(room->text, "another");
  for (int64_t i = 0; i < n_learned; i++) {
    if (strcmp(learned[i].parameter, part->name) == 0 && one_in(++n_found)) strcpy(room->text, learned[i].text);
  }
}

/* Give a single value, or none, another one that a user may give. */
static void vary_part(Part *part, Values *room) {
  PartType before = part->type;
  bool is_on = before == FLAG && room->integers[0] != 0;
  if (before != FLAG && one_in(3)) {
    *part = single_part(part->name, NOTHING);
  } else if (before == TEXT || (before == NOTHING && one_in(3))) {
    set_text(part, room);
  } else if (before == FLAG || (before == NOTHING && one_in(3))) {
    *part = single_part(part->name, FLAG);
    room->integers[0] = !is_on;
  } else {
    *part = single_part(part->name, DOUBLES);
    int64_t number = some_number(one_in(2) ? 6 : 60);
    room->doubles[0] = (double)number / (one_in(6) ? 4 : 1);
  }
}

static bool is_vector(const Part *part) {
  bool has_numbers = part->type == BYTES || part->type == INTEGERS || part->type == DOUBLES;
  return has_numbers && part->length > 1;
}

/* Draw the values of all vectors that are as long as one of them again, perhaps with another length or type. */
static void vary_vectors(Mutable *given) {
  const Part *chosen = &given->parts[some_number(given->n_mutable)];
  for (int i = 0; i < 8 && !is_vector(chosen); i++) chosen = &given->parts[some_number(given->n_mutable)];
  if (!is_vector(chosen)) return;
  int64_t before = chosen->length, after = one_in(2) ? before : 1 + some_number(LARGEST_ROWS);
  for (int64_t i = 0; i < given->n_mutable; i++) {
    Part *part = &given->parts[i];
    Values *room = &given->room[i];
    if (!is_vector(part) || part->length != before) continue;
    part->length = after;
    if (one_in(12)) part->type = part->type == INTEGERS ? DOUBLES : INTEGERS;
    int64_t limit = 1 + some_number(one_in(8) ? 40 : 6);
    bool is_even = one_in(2); /* or some values come seldom */
    for (int64_t place = 0; place < after; place++) {
      int64_t value = is_even || place < limit ? place % limit : some_number(1 + some_number(limit));
      if (part->type == BYTES) room->bytes[place] = (uint8_t)value;
      if (part->type == INTEGERS) room->integers[place] = (int32_t)value;
      if (part->type == DOUBLES) room->doubles[place] = (double)value;
    }
  }
}

static void vary(Mutable *given) {
  if (given->n_mutable == 0) return;
  if (one_in(3)) vary_vectors(given);
  for (int64_t n_changes = some_number(5); n_changes > 0; n_changes--) {
    int64_t place = some_number(given->n_mutable);
    if (!is_vector(&given->parts[place])) vary_part(&given->parts[place], &given->room[place]);
  }
}

/* Change the type, the length or a value of a part, or leave it out. */
static void mutate(Mutable *given) {
  static const double numbers[] = {
      -1, 0, 0.5, 1, 2, 3, 7, 63, 64, 65, 255, 256, 2147483646, 2147483647, 2147483648.0, 9007199254740992.0, 1e300,
      NAN, INFINITY,
  };
  if (given->n_mutable == 0) return;
  Part *part = &given->parts[some_number(given->n_mutable)];
  Values *room = &given->room[part - given->parts];
  if (part->type == TEXTS) { /* pointers stay what they are */
    part->length = one_in(2) ? some_number(part->length + 1) : part->length;
    if (one_in(4)) part->type = OTHER;
    part->length = part->type == OTHER ? 0 : part->length;
    return;
  }
  int64_t place = some_number(part->length + (part->length == 0));
  int64_t n_bytes = part->length > 0 ? (int64_t)bytes_of(part, room) : 0;
  switch (some_number(6)) {
    case 0: part->type = (PartType)some_number(OTHER + 1); break;
    case 1: part->name = "another"; break;
    case 2: part->length = some_number(part->length + 1); break;
    case 3: room->bytes[some_number(n_bytes + 8)] ^= (uint8_t)(1 << some_number(8)); break;
    default: if (part->type == DOUBLES) room->doubles[place] = numbers[some_number(sizeof numbers / sizeof *numbers)];
  }
  /* Texts and single values keep what their types promise. */
  if (part->type == TEXT) room->text[sizeof room->text - 1] = '\0';
  if (part->type == TEXT || part->type == FLAG || part->type == FRACTION) part->length = 1;
  if (part->type == TEXTS) part->type = OTHER;
  if (part->type == NOTHING || part->type == OTHER) part->length = 0;
  if (part->type == LONGS || part->type == LARGE) part->type = DOUBLES;
  if (part->type == FLAG) room->integers[0] = room->integers[0] != 0;
  part->is_named = one_in(50);
}

/* Whether the results of a call have room in a recipe; those of a request with a large number may not. */
static bool has_room(const PlainHost *host) {
  for (int i = 0; i < host->n_given; i++) {
    const Given *given = &host->given[i];
    Part part = {.type = given->type, .length = given->count};
    if (given->count >= MOST_VALUES || bytes_of(&part, given->values) > sizeof(Values)) return false;
  }
  return true;
}

/* The results of a call as a recipe. */
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

/* Calls of the core ------------------------------------------------------------------------------------------------ */

/* What is called, with all that it needs. */
typedef struct {
  Method method; /* DRAW for an epoch */
  const Kind *kind;
  const char *name;
  const Parts *parts, *vectors; /* the vectors of the state */
  void *self;
  Memory *memory; /* of the instance */
  uint32_t seed, epoch;
  int32_t first_row;
} Action;

enum { DRAW = FUNCTION + 1, IDENTIFY };

static bool act(const Action *action, Host *host) {
  const Kind *kind = action->kind;
  Generator generator;
  seed_generator(&generator, 1);
  switch ((int)action->method) {
    case PLAN: return kind->plan(action->parts, host);
    case PREPARE: return kind->prepare(action->self, action->parts, action->seed, host);
    case DRAW: return draw_epoch(kind, action->self, action->seed, action->epoch, host);
    case IDENTIFY: return identify_recipe(kind, action->self, action->parts, action->seed, host);
    case BEGIN: return kind->feedback->begin(action->self, action->parts, host);
    case DRAW_MORE: return kind->feedback->draw_more(action->self, action->vectors, action->parts, &generator, host);
    case TELL: return kind->feedback->tell(action->self, action->vectors, action->name, action->parts, host);
    case ASK: return kind->feedback->ask(action->self, action->vectors, action->name, action->parts, host);
    default: return find_function(action->name)->call(action->parts, host);
  }
}

/* Call with a host that fails at one of its calls, -1 for none; free_host() it. */
static bool try_action(const Action *action, int64_t fails_at, PlainHost *host) {
  *host = new_host(action->parts, action->memory, action->first_row, fails_at);
  bool is_done = act(action, &host->host);
  if (!is_done) check_and_learn(host);
  return is_done;
}

/* Call with hosts that fail at each of their calls in turn, then with one that does not; free_host() that. */
static bool try_all_failures(const Action *action, PlainHost *host) {
  for (int64_t at = 0;; at++) {
    bool is_done = try_action(action, at, host);
    if (is_done || host->n_calls <= at) return is_done;
    free_host(host);
    if (action->method != PREPARE) continue; /* an instance that could not begin is not used */
    free_memory(action->memory);
    memset(action->self, 0, (size_t)action->kind->instance_bytes);
  }
}

static int64_t number_in(const Parts *recipe, const char *name) {
  double number = 0;
  Part part = find_part(recipe, name);
  CHECK(is_one_number(&part, &number));
  return (int64_t)number;
}

/* Whether numbers stand for pairs, of a user and an item or of a row and a label. */
static bool has_pairs(const Parts *recipe) { return is_given(recipe, "cells") || is_given(recipe, "positives"); }

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

/* Check that an epoch is rows, or pair numbers, in order of batches. */
static void check_epoch(const PlainHost *host, const Parts *recipe) {
  const Given *rows = given_as(host, "rows"), *offsets = given_as(host, "offsets");
  CHECK((rows->type == INTEGERS || rows->type == LARGE) && offsets->type == LONGS && offsets->count >= 2);
  const int64_t *offset = offsets->values, most = rows_of(recipe);
  int32_t first = rows->type == INTEGERS || !has_pairs(recipe) ? host->host.first_row : 0;
  for (int64_t i = 0; i < rows->count; i++) {
    int64_t row = rows->type == LARGE ? ((int64_t *)rows->values)[i] : ((int32_t *)rows->values)[i];
    CHECK(row >= first && row < most + first);
  }
  CHECK(offset[0] == 0 && offset[offsets->count - 1] == rows->count);
  for (int64_t i = 1; i < offsets->count; i++) CHECK(offset[i - 1] <= offset[i]);
}

/* Check that a call after all its failures has the bytes of a result and the memory of one without them. */
static void check_interrupted(const Action *whole, const Action *interrupted, const char *name) {
  PlainHost without, host;
  CHECK(try_action(whole, -1, &without) && try_all_failures(interrupted, &host));
  const Given *expected = given_as(&without, name), *found = given_as(&host, name);
  Part part = {.type = expected->type, .length = expected->count};
  CHECK(found->count == expected->count);
  CHECK(memcmp(found->values, expected->values, bytes_of(&part, expected->values)) == 0);
  CHECK(whole->memory->n_blocks == interrupted->memory->n_blocks);
  free_host(&without);
  free_host(&host);
}

/* Check that a draw of an instance is the same, whatever failed before. */
static void check_draw(const Action *draw) {
  PlainInstance others[2];
  Action draws[2] = {*draw, *draw};
  for (int i = 0; i < 2; i++) {
    others[i] = new_instance(draw->kind, draw->seed);
    draws[i].self = others[i].self;
    draws[i].memory = &others[i].memory;
    PlainHost host;
    Action prepare = draws[i];
    prepare.method = PREPARE;
    CHECK(try_action(&prepare, -1, &host));
    free_host(&host);
  }
  check_interrupted(&draws[0], &draws[1], "rows");
  for (int i = 0; i < 2; i++) free_instance(&others[i]);
}

/* Call a function that Python applies to recipes of the kind; what it counts is not negative. */
static void apply_function(const Kind *kind, const Parts *recipe) {
  const Call *applied = some_call(kind->name, APPLY);
  if (applied == NULL) return;
  PlainHost host;
  bool is_done = try_all_failures(&(Action){.method = FUNCTION, .name = applied->name, .parts = recipe}, &host);
  for (int i = 0; is_done && i < host.n_given; i++) {
    const Given *given = &host.given[i];
    for (int64_t at = 0; given->type == DOUBLES && at < given->count; at++) CHECK(((double *)given->values)[at] >= 0);
  }
  free_host(&host);
}

/* Prepare a recipe and draw epochs; return whether it was accepted. */
static bool try_recipe(const Kind *kind, Mutable *given) {
  Memory memory = {.n_blocks = 0};
  Parts recipe = parts_of(given, true, &memory);
  PlainInstance instance = new_instance(kind, (uint32_t)some_number(2147483647));
  Action action = {.method = PREPARE, .kind = kind, .parts = &recipe, .seed = instance.seed};
  action.self = instance.self;
  action.memory = &instance.memory;
  action.first_row = (int32_t)some_number(2);
  PlainHost host;
  bool is_accepted = try_all_failures(&action, &host);
  free_host(&host);
  action.method = (Method)IDENTIFY;
  if (is_accepted) check_interrupted(&action, &action, "fingerprint");
  apply_function(kind, &recipe);
  action.method = (Method)DRAW;
  for (int epoch = 0; is_accepted && epoch < N_EPOCHS; epoch++) {
    /* All draws before an epoch of a persistent sampler are repeated. */
    action.epoch = epoch == 2 && !is_given(&recipe, "persistent") ? 6700000 : (uint32_t)some_number(3);
    bool is_drawn = try_action(&action, MOST_CALLS, &host);
    if (is_drawn) check_epoch(&host, &recipe);
    bool is_small = is_drawn && given_as(&host, "rows")->count < 10000;
    free_host(&host);
    if (is_small && epoch == 1) check_draw(&action);
  }
  free_instance(&instance);
  free_memory(&memory);
  return is_accepted;
}

/* Feedback --------------------------------------------------------------------------------------------------------- */

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
    vectors->copies[i] = new_array((int64_t)bytes);
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
static void damage(StateVectors *vectors) {
  Part *part = &vectors->parts[some_number(vectors->state.n_parts)];
  uint8_t *bytes = (uint8_t *)part->values;
  size_t n_bytes = bytes_of(part, part->values);
  if (n_bytes > 0) bytes[some_number((int64_t)n_bytes)] ^= (uint8_t)(1 << some_number(8));
}

/* The results of what was last told, which may be told or asked next. */
static Mutable remembered;

/* What is told, asked or wanted: as Python did, varied or mutated. */
static Mutable some_feedback(const Call *call) {
  Mutable given = call->given;
  bool is_next = one_in(2);
  for (int64_t i = 0; is_next && i < remembered.n_parts; i++) {
    for (int64_t j = 0; j < given.n_parts; j++) {
      if (strcmp(given.parts[j].name, remembered.parts[i].name) != 0 || !is_vector(&given.parts[j])) continue;
      given.parts[j] = remembered.parts[i];
      given.room[j] = remembered.room[i];
    }
  }
  if (one_in(3)) vary(&given);
  if (one_in(4)) mutate(&given);
  return given;
}

/* Check that the rows among results, if there are any, are those of a sampler with this room. */
static void check_rows_of(const PlainHost *host, int64_t capacity) {
  for (int i = 0; i < host->n_given; i++) {
    const Given *rows = &host->given[i];
    if (strcmp(rows->name, "rows") != 0 || rows->type != INTEGERS) continue;
    for (int64_t place = 0; place < rows->count; place++) {
      int64_t row = ((int32_t *)rows->values)[place] - host->host.first_row;
      CHECK(row >= 0 && row < capacity);
    }
  }
}

/* Tell, ask and draw; a call that fails leaves vectors that are right as they were, and so do all draws. */
static void try_feedback(Action *action, StateVectors *vectors, bool are_right, int64_t capacity) {
  for (int step = 0; step < N_STEPS; step++) {
    action->method = (Method)(DRAW_MORE + some_number(3));
    const Call *call = some_call(action->kind->name, action->method);
    if (call == NULL) continue;
    Memory memory = {.n_blocks = 0};
    Mutable given = some_feedback(call);
    Parts parts = parts_of(&given, false, &memory);
    PlainHost host;
    action->name = call->name;
    action->parts = &parts;
    action->first_row = (int32_t)some_number(2);
    copy_bytes(vectors);
    bool is_done = try_action(action, one_in(3) ? some_number(9) : -1, &host);
    if (is_done && action->method != TELL) check_rows_of(&host, capacity);
    bool may_change = action->method == TELL ? is_done || !are_right : action->method == DRAW_MORE && !are_right;
    if (!may_change) check_unchanged(vectors);
    if (is_done && action->method == TELL && host.n_given > 0 && has_room(&host)) remembered = recipe_of(&host);
    free_host(&host);
    free_memory(&memory);
  }
}

/* Prepare a recipe with feedback and begin its state; return whether it was accepted. */
static bool try_state(const Kind *kind, Mutable *given) {
  Memory memory = {.n_blocks = 0};
  Parts recipe = parts_of(given, true, &memory);
  const Call *loads = some_call(kind->name, BEGIN);
  Mutable loaded = loads == NULL || one_in(2) ? *given : loads->given;
  if (mutates && one_in(2)) mutate(&loaded);
  Parts begun = parts_of(&loaded, true, &memory);
  PlainInstance instance = new_instance(kind, 1);
  Action action = {.method = PREPARE, .kind = kind, .parts = &recipe, .seed = 1};
  action.self = instance.self;
  action.memory = &instance.memory;
  PlainHost host;
  bool is_prepared = try_all_failures(&action, &host), is_begun = false;
  free_host(&host);
  if (is_prepared) {
    action.method = BEGIN;
    action.parts = &begun;
    is_begun = try_all_failures(&action, &host);
  }
  if (is_begun) {
    StateVectors vectors = {.copies = {NULL}};
    for (int i = 0; i < host.n_given; i++) {
      const Given *vector = &host.given[i];
      vectors.parts[i] = (Part){.name = vector->name, .type = vector->type, .length = vector->count};
      vectors.parts[i].values = vector->values;
    }
    vectors.state = (Parts){vectors.parts, host.n_given, true};
    action.vectors = &vectors.state;
    int64_t capacity = number_in(&recipe, is_given(&recipe, "capacity") ? "capacity" : "n_rows");
    try_feedback(&action, &vectors, true, capacity);
    damage(&vectors);
    try_feedback(&action, &vectors, false, capacity);
    for (int i = 0; i < MOST_GIVEN; i++) free(vectors.copies[i]);
  }
  if (is_prepared) free_host(&host);
  free_instance(&instance);
  free_memory(&memory);
  return is_begun;
}

/* Recipes, requests and functions ---------------------------------------------------------------------------------- */

/* Try a recipe, as it is and mutated; return how many were accepted. */
static int64_t try_recipes(const Kind *kind, Mutable *recipe) {
  bool (*try_it)(const Kind *, Mutable *) = kind->feedback == NULL ? try_recipe : try_state;
  int64_t n_accepted = try_it(kind, recipe);
  for (int i = 0; mutates && i < N_RECIPES; i++) {
    Mutable mutated = *recipe;
    for (int64_t changes = 1 + some_number(2); changes > 0; changes--) mutate(&mutated);
    n_accepted += try_it(kind, &mutated);
  }
  return n_accepted;
}

/* Plan a request, then try its recipe; return whether the request was accepted. */
static bool try_request(const Kind *kind, Mutable *given, int64_t *n_accepted) {
  Memory memory = {.n_blocks = 0};
  Parts request = parts_of(given, false, &memory);
  PlainHost host;
  bool is_planned = try_all_failures(&(Action){.kind = kind, .parts = &request, .first_row = one_in(8)}, &host);
  if (is_planned && has_room(&host)) {
    Mutable recipe = recipe_of(&host);
    *n_accepted += try_recipes(kind, &recipe);
  }
  free_host(&host);
  free_memory(&memory);
  return is_planned;
}

static void try_function(const char *name, Mutable *given) {
  Memory memory = {.n_blocks = 0};
  Parts request = parts_of(given, false, &memory);
  PlainHost host;
  try_all_failures(&(Action){.method = FUNCTION, .name = name, .parts = &request}, &host);
  free_host(&host);
  free_memory(&memory);
}

/* Make all calls as Python did. All recipes are right; their states are in other calls. */
static void replay_calls(void) {
  int64_t n_accepted = 0;
  for (Call *call = calls; call < calls + n_calls; call++) {
    const Kind *kind = find_kind(call->kind);
    if (call->method == PLAN) try_request(kind, &call->given, &n_accepted);
    if (call->method == PREPARE) CHECK(try_recipes(kind, &call->given) == 1 || kind->feedback != NULL);
    if (call->method == FUNCTION) try_function(call->name, &call->given);
  }
  CHECK(n_accepted > n_calls / 8);
}

static void mutate_kind(const Kind *kind, int n_trials) {
  int64_t n_planned = 0, n_mutated = 0, n_accepted = 0;
  for (int trial = 0; trial < n_trials; trial++) {
    const Call *call = some_call(kind->name, one_in(8) ? PREPARE : PLAN);
    CHECK(call != NULL);
    Mutable given = call->given;
    if (call->method == PREPARE) {
      n_accepted += try_recipes(kind, &given);
      continue;
    }
    if (one_in(2)) vary(&given);
    n_planned += try_request(kind, &given, &n_accepted);
    mutate(&given);
    n_mutated += try_request(kind, &given, &n_accepted);
  }
  /* Enough are valid to reach all of the kind. Shards have the fewest, 1 in 7, which few trials may miss by chance. */
  CHECK(n_planned >= n_trials / 12 && n_mutated >= n_trials / 25 && n_accepted >= n_trials / 5);
}

static void mutate_functions(int n_trials) {
  for (int trial = 0; trial < n_trials; trial++) {
    const Call *call = some_call("", FUNCTION);
    Mutable given = call->given;
    for (int64_t changes = 1 + some_number(4); changes > 0; changes--) mutate(&given);
    try_function(call->name, &given);
  }
}

int main(int n_arguments, char **arguments) {
  static const Kind *const kinds[] = {FOR_EACH_KIND(POINT_TO_KIND)};
  enum { N_KINDS = sizeof kinds / sizeof *kinds };
  CHECK(n_arguments == 2);
  int32_t *row = new_array(sizeof *row);
  *row = INT32_MAX;
  if (strcmp(arguments[1], "beyond") == 0) return row[n_arguments];
  if (strcmp(arguments[1], "overflow") == 0) return *row + n_arguments;
  free(row);
  int n_trials = atoi(arguments[1]);
  read_calls();
  replay_calls();
  mutates = true;
  for (int i = 0; i < N_KINDS; i++) mutate_kind(kinds[i], n_trials);
  mutate_functions(n_trials * N_KINDS);
  CHECK(find_kind("another") == NULL && find_function("another") == NULL);
  printf("%" PRId64 "\n", n_calls);
  return 0;
}
