/* Golden vectors of declared trees, from requests to draws. A case is:
 *
 *   n_rows; the number of columns with codes, for each its number of values and the code of each row, -1 if missing;
 *   the number of columns with numbers, for each the double of each row
 *   the number of declared nodes, for each: its parent; the column of its condition or clones, -1 for none; how many
 *   flags follow, and these: whether rows meet the condition, missing ones, then those of each code; what to do with
 *   missing values and with empty clones; the mode; the repeat; the form of the weight, the weight as a double, and the
 *   column of numbers that it sums, -1 for none; the column of row weights, -1 for none
 *   the rows of a batch; 1 if a last batch with fewer is dropped, else 0; 1 if all epochs are one sequence, else 0; the
 *   seed; the number of draws of an epoch, or 0 and the declared node below which every row is to be drawn
 *   what the case ends in, see below; and unless it is refused:
 *   n_epochs and their numbers
 *   the number of auxiliary values that are drawn, for each: its place among all, the function, see below, and as
 *   doubles its two arguments and its values in all epochs
 *   the list of the rows of all epochs, and that of their offsets
 */

#include "golden.h"
#include "kind_tree.c"
#include "plain_host.h"

/* What a case ends in: draws, or why it is refused. */
enum { DRAWN, HAS_MISSING_VALUES, HAS_NOTHING_TO_DRAW, HAS_WRONG_NUMBER, HAS_WRONG_TOTAL, N_BUILDING };

/* What is wrong with the node that names the length. */
enum { HAS_SEVERAL_NODES = N_BUILDING, IS_PRUNED, IS_ENDLESS, IS_TOO_LONG };

enum { MOST_ITEMS = 64, MOST_VALUES = 8, MOST_TEXT = 32 };

typedef struct {
  Part parts[MOST_ITEMS];
  char names[MOST_ITEMS][MOST_TEXT]; /* those of numbered parts */
  int64_t n_parts;
  Memory memory;
  char texts[MOST_ITEMS][MOST_TEXT]; /* the names of the nodes */
  uint32_t seed;
} Case;

static void *add_values(Case *c, const char *name, PartType type, int64_t count) {
  size_t width = type == BYTES ? 1 : type == INTEGERS || type == FLAG ? 4 : 8;
  void *values = c->memory.blocks[c->memory.n_blocks++] = new_array(count, width);
  CHECK(c->n_parts < MOST_ITEMS && c->memory.n_blocks < MOST_BLOCKS);
  c->parts[c->n_parts++] = (Part){.name = name, .type = type, .length = count, .values = values};
  return values;
}

static void *add_numbered(Case *c, const char *name, int64_t number, PartType type, int64_t count) {
  snprintf(c->names[c->n_parts], MOST_TEXT, "%s%lld", name, (long long)number);
  return add_values(c, c->names[c->n_parts], type, count);
}

static void read_table(Case *c) {
  int64_t n_rows = next_number(), n_columns = next_number();
  *(double *)add_values(c, "n_rows", DOUBLES, 1) = (double)n_rows;
  int32_t *n_values = add_values(c, "n_values", INTEGERS, n_columns);
  for (int64_t column = 0; column < n_columns; column++) {
    n_values[column] = (int32_t)next_number();
    int32_t *codes = add_numbered(c, "codes", column, INTEGERS, n_rows);
    for (int64_t row = 0; row < n_rows; row++) codes[row] = (int32_t)next_number();
  }
  int64_t n_number_columns = next_number();
  for (int64_t column = 0; column < n_number_columns; column++) {
    double *numbers = add_numbered(c, "numbers", column, DOUBLES, n_rows);
    for (int64_t row = 0; row < n_rows; row++) numbers[row] = read_double();
  }
}

static void read_nodes_of(Case *c) {
  int64_t n_declared = next_number(), n_taken = 0;
  int32_t *parents = add_values(c, "parents", INTEGERS, n_declared);
  int32_t *columns = add_values(c, "columns", INTEGERS, n_declared);
  uint8_t *are_conditions = add_values(c, "are_conditions", BYTES, n_declared);
  uint8_t *taken = add_values(c, "taken", BYTES, 1 << 16);
  uint8_t *missing = add_values(c, "missing", BYTES, n_declared), *prunes = add_values(c, "prunes", BYTES, n_declared);
  uint8_t *modes = add_values(c, "node_modes", BYTES, n_declared);
  int32_t *times = add_values(c, "times", INTEGERS, n_declared);
  uint8_t *forms = add_values(c, "forms", BYTES, n_declared);
  double *fixed = add_values(c, "fixed_weights", DOUBLES, n_declared);
  int32_t *summed = add_values(c, "summed", INTEGERS, n_declared);
  int32_t *row_weights = add_values(c, "row_weights", INTEGERS, n_declared);
  const char **names = add_values(c, "names", TEXTS, n_declared);
  CHECK(n_declared <= MOST_ITEMS);
  for (int64_t node = 0; node < n_declared; node++) {
    parents[node] = (int32_t)next_number();
    columns[node] = (int32_t)next_number();
    int64_t n_flags = next_number();
    are_conditions[node] = n_flags > 0;
    for (int64_t i = 0; i < n_flags; i++) taken[n_taken++] = (uint8_t)next_number();
    missing[node] = (uint8_t)next_number();
    prunes[node] = (uint8_t)next_number();
    modes[node] = (uint8_t)next_number();
    times[node] = (int32_t)next_number();
    forms[node] = (uint8_t)next_number();
    fixed[node] = read_double();
    summed[node] = (int32_t)next_number();
    row_weights[node] = (int32_t)next_number();
    snprintf(c->texts[node], MOST_TEXT, "%lld", (long long)node);
    names[node] = c->texts[node];
  }
  Part *part = &c->parts[c->n_parts - 1];
  CHECK(strcmp(part->name, "names") == 0);
  if (n_declared == 1) *part = (Part){.name = "names", .type = TEXT, .length = 1, .values = c->texts[0]};
}

static void read_case(Case *c) {
  c->n_parts = 0;
  c->memory.n_blocks = 0;
  read_table(c);
  read_nodes_of(c);
  *(double *)add_values(c, "batch_size", DOUBLES, 1) = (double)next_number();
  *(int32_t *)add_values(c, "drop_last", FLAG, 1) = (int32_t)next_number();
  *(int32_t *)add_values(c, "persistent", FLAG, 1) = (int32_t)next_number();
  c->seed = (uint32_t)next_number();
  int64_t length = next_number();
  *(double *)add_values(c, "length", DOUBLES, 1) = (double)length;
  if (length > 0) return;
  c->parts[c->n_parts - 1] = (Part){.name = "length", .type = TEXT, .length = 1, .values = c->texts[next_number()]};
}

static int outcome_of(const Refusal *refusal) {
  static const struct {
    const char *text;
    int outcome;
  } refusals[] = {
      {"have no missing values", HAS_MISSING_VALUES}, {"leave something to draw", HAS_NOTHING_TO_DRAW},
      {"have finite non-negative weights", HAS_WRONG_NUMBER}, {"have a positive, finite sum", HAS_WRONG_TOTAL},
      {"or the name of one node", HAS_SEVERAL_NODES}, {"draws in sequence or shuffled", IS_ENDLESS},
      {"take at most 2147483647 draws", IS_TOO_LONG},
  };
  if (strstr(refusal->got, "which is pruned") != NULL) return IS_PRUNED;
  for (size_t i = 0; i < LENGTH(refusals); i++) {
    if (strstr(refusal->requirement, refusals[i].text) != NULL) return refusals[i].outcome;
  }
  return -1;
}

/* Make the recipe of a request with auxiliary values, and the instance that draws its epochs. */
static PlainInstance plan_and_prepare(const Parts *request, uint32_t seed, PlainHost *planned, Part *recipe) {
  *planned = new_host(request, NULL, 0, -1);
  CHECK(tree_kind.plan(request, &planned->host));
  for (int i = 0; i < planned->n_given; i++) {
    const Given *given = &planned->given[i];
    recipe[i] = (Part){.name = given->name, .type = given->type, .length = given->count, .values = given->values};
  }
  Parts parts = {.parts = recipe, .n_parts = planned->n_given, .is_recipe = true};
  PlainInstance instance = new_instance(&tree_kind, seed);
  PlainHost preparing = new_host(&parts, &instance.memory, 0, -1);
  CHECK(tree_kind.prepare(instance.self, &parts, seed, &preparing.host));
  free_host(&preparing);
  return instance;
}

/* Draw an epoch; the values of one place among the auxiliary ones are compared, unless it is -1. */
static PlainHost draw_one(PlainInstance *instance, const Parts *request, int64_t epoch, int64_t place) {
  PlainHost host = new_host(request, &instance->memory, 0, -1);
  CHECK(draw_epoch(&tree_kind, instance->self, instance->seed, (uint32_t)epoch, &host.host));
  int64_t count = given_as(&host, "rows")->count;
  const double *values = given_as(&host, "values")->values;
  for (int64_t i = 0; place >= 0 && i < count; i++) CHECK(values[place * count + i] == read_double());
  return host;
}

/* Read an auxiliary value, draw it in all epochs, and compare; the values before it are counted. */
static void check_value(Case *c, const int64_t *epochs, int64_t n_epochs) {
  static const char *const drawn[] = {"uniform", "normal", "integers"};
  const char *names[MOST_VALUES], *functions[MOST_VALUES], *kinds[MOST_VALUES];
  int32_t n_arguments[MOST_VALUES];
  uint8_t are_whole[MOST_VALUES], written[MOST_VALUES];
  int64_t place = next_number(), function = next_number(), count = place + 1;
  double arguments[2] = {read_double(), read_double()};
  CHECK(place < MOST_VALUES);
  for (int64_t i = 0; i < count; i++) {
    names[i] = "value";
    functions[i] = i < place ? "counter" : drawn[function];
    kinds[i] = "number";
    n_arguments[i] = i < place ? 0 : 2;
    are_whole[i] = i == place && function == 2;
    written[i] = AS_VALUES;
  }
  PartType type = count == 1 ? TEXT : TEXTS;
  Part parts[MOST_ITEMS + MOST_VALUES], recipe[MOST_GIVEN];
  memcpy(parts, c->parts, (size_t)c->n_parts * sizeof *parts);
  const Part more[] = {
      {.name = "auxiliary", .type = type, .length = count, .values = count == 1 ? (const void *)names[0] : names},
      {
          .name = "functions", .type = type, .length = count,
          .values = count == 1 ? (const void *)functions[0] : functions,
      },
      {.name = "kinds", .type = type, .length = count, .values = count == 1 ? (const void *)kinds[0] : kinds},
      {.name = "n_arguments", .type = INTEGERS, .length = count, .values = n_arguments},
      {.name = "are_whole", .type = BYTES, .length = count, .values = are_whole},
      {.name = "written", .type = BYTES, .length = count, .values = written},
      {.name = "arguments", .type = DOUBLES, .length = 2, .values = arguments},
      {.name = "texts", .type = TEXTS, .length = 0, .values = names},
  };
  memcpy(parts + c->n_parts, more, sizeof more);
  Parts request = {.parts = parts, .n_parts = c->n_parts + (int64_t)LENGTH(more)};
  PlainHost planned;
  PlainInstance instance = plan_and_prepare(&request, c->seed, &planned, recipe);
  for (int64_t i = 0; i < n_epochs; i++) {
    PlainHost host = draw_one(&instance, &request, epochs[i], place);
    free_host(&host);
  }
  free_instance(&instance);
  free_host(&planned);
}

/* Draw all epochs, and compare their rows and offsets. */
static void check_epochs(const Case *c, const Parts *request, const int64_t *epochs, int64_t n_epochs) {
  PlainHost planned;
  Part recipe[MOST_GIVEN];
  PlainInstance instance = plan_and_prepare(request, c->seed, &planned, recipe);
  int32_t *rows = NULL;
  int64_t *offsets = NULL, n_rows = 0, n_offsets = 0;
  for (int64_t i = 0; i < n_epochs; i++) {
    PlainHost host = draw_one(&instance, request, epochs[i], -1);
    const Given *drawn = given_as(&host, "rows"), *begins = given_as(&host, "offsets");
    if (rows == NULL) rows = new_array(n_epochs * drawn->count, sizeof *rows);
    if (offsets == NULL) offsets = new_array(n_epochs * begins->count, sizeof *offsets);
    memcpy(rows + n_rows, drawn->values, (size_t)drawn->count * sizeof *rows);
    memcpy(offsets + n_offsets, begins->values, (size_t)begins->count * sizeof *offsets);
    n_rows += drawn->count;
    n_offsets += begins->count;
    free_host(&host);
  }
  check_rows(rows, n_rows, 0);
  check_list(offsets, n_offsets);
  free(rows);
  free(offsets);
  free_instance(&instance);
  free_host(&planned);
}

static void check_case(void) {
  Case c;
  read_case(&c);
  Parts request = {.parts = c.parts, .n_parts = c.n_parts};
  PlainHost host = new_host(&request, NULL, 0, -1);
  bool is_planned = tree_kind.plan(&request, &host.host);
  CHECK_EQUAL(is_planned ? DRAWN : outcome_of(&host.host.refusal), next_number());
  free_host(&host);
  if (is_planned) {
    int64_t n_epochs = next_number(), epochs[MOST_ITEMS];
    CHECK(n_epochs <= MOST_ITEMS);
    for (int64_t i = 0; i < n_epochs; i++) epochs[i] = next_number();
    for (int64_t n_values = next_number(); n_values > 0; n_values--) check_value(&c, epochs, n_epochs);
    check_epochs(&c, &request, epochs, n_epochs);
  }
  free_memory(&c.memory);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
