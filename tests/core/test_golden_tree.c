/* Golden vectors of declared trees: the nodes, their weights, the draws and the auxiliary values. A case is:
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
 *   the number of auxiliary values that are drawn, for each: its place among all, the kind, see below, and as doubles
 *   its two arguments and its values in all epochs
 *   the list of the rows of all epochs, and that of their offsets
 */

#include <stdbool.h>
#include <string.h>

#include "golden.h"
#include "normal.h"
#include "rounding.h"
#include "stream.h"
#include "tree_building.h"
#include "tree_drawing.h"
#include "tree_pass.h"

/* What a case ends in: draws, or why it is refused. */
enum { DRAWN, HAS_MISSING_VALUES, HAS_NOTHING_TO_DRAW, HAS_WRONG_NUMBER, HAS_WRONG_TOTAL };

/* What is wrong with the node that names the length. */
enum { HAS_SEVERAL_NODES = HAS_WRONG_TOTAL + 1, IS_PRUNED, IS_ENDLESS, IS_TOO_LONG };

/* The kinds of auxiliary values. The arguments are the ends of a range, except for NORMAL: mean and deviation. */
enum { UNIFORM, NORMAL, INTEGERS };

enum { WORK = 7 }; /* rows, options or draws of a step */

typedef struct {
  int64_t n_rows, n_columns, n_number_columns, n_declared;
  int64_t *n_values; /* n_columns */
  int32_t **codes;   /* n_columns */
  double **numbers;  /* n_number_columns */
  NodeDeclaration *declared;
  WeightDeclaration *weighed;
  uint8_t **taken;   /* n_declared */
  int64_t *repeats;  /* n_declared */
  int64_t batch_size;
  bool drops_last, is_persistent;
  uint32_t seed;
  int64_t length, length_node; /* the draws of an epoch; if 0, those until every row below a node has been drawn */
} Case;

static void read_table(Case *c) {
  c->n_rows = read_number();
  c->n_columns = read_number();
  c->n_values = new_array(c->n_columns, sizeof *c->n_values);
  c->codes = new_array(c->n_columns, sizeof *c->codes);
  for (int64_t column = 0; column < c->n_columns; column++) {
    c->n_values[column] = read_number();
    c->codes[column] = new_array(c->n_rows, sizeof **c->codes);
    for (int64_t row = 0; row < c->n_rows; row++) c->codes[column][row] = (int32_t)read_number();
  }
  c->n_number_columns = read_number();
  c->numbers = new_array(c->n_number_columns, sizeof *c->numbers);
  for (int64_t column = 0; column < c->n_number_columns; column++) {
    c->numbers[column] = new_array(c->n_rows, sizeof **c->numbers);
    for (int64_t row = 0; row < c->n_rows; row++) c->numbers[column][row] = read_double();
  }
}

/* Read what a node selects of its parent's rows. */
static void read_selection(const Case *c, NodeDeclaration *declared, uint8_t **taken) {
  int64_t column = read_number();
  declared->codes = column < 0 ? NULL : c->codes[column];
  declared->n_values = column < 0 ? 0 : c->n_values[column];
  int64_t n_flags = read_number();
  *taken = n_flags == 0 ? NULL : new_array(n_flags, sizeof **taken);
  for (int64_t i = 0; i < n_flags; i++) (*taken)[i] = (uint8_t)read_number();
  declared->taken = *taken;
  declared->missing = (int)read_number();
  declared->prune = (int)read_number();
}

static const double *read_column_of_numbers(const Case *c) {
  int64_t column = read_number();
  return column < 0 ? NULL : c->numbers[column];
}

static void read_case(Case *c) {
  read_table(c);
  c->n_declared = read_number();
  c->declared = new_array(c->n_declared, sizeof *c->declared);
  c->weighed = new_array(c->n_declared, sizeof *c->weighed);
  c->taken = new_array(c->n_declared, sizeof *c->taken);
  c->repeats = new_array(c->n_declared, sizeof *c->repeats);
  for (int64_t node = 0; node < c->n_declared; node++) {
    WeightDeclaration *weighed = &c->weighed[node];
    c->declared[node].parent = read_number();
    read_selection(c, &c->declared[node], &c->taken[node]);
    weighed->mode = (int)read_number();
    c->repeats[node] = read_number();
    weighed->form = (int)read_number();
    weighed->weight = read_double();
    weighed->summed = read_column_of_numbers(c);
    weighed->row_weights = read_column_of_numbers(c);
  }
  c->batch_size = read_number();
  c->drops_last = read_number() != 0;
  c->is_persistent = read_number() != 0;
  c->seed = (uint32_t)read_number();
  c->length = read_number();
  c->length_node = c->length > 0 ? -1 : read_number();
}

static void free_case(Case *c) {
  for (int64_t column = 0; column < c->n_columns; column++) free(c->codes[column]);
  for (int64_t column = 0; column < c->n_number_columns; column++) free(c->numbers[column]);
  for (int64_t node = 0; node < c->n_declared; node++) free(c->taken[node]);
  free(c->n_values);
  free(c->codes);
  free(c->numbers);
  free(c->declared);
  free(c->weighed);
  free(c->taken);
  free(c->repeats);
}

/* The arrays of a tree beside those of its nodes. */
typedef struct {
  int8_t *modes, *leaves;
  int64_t *repeats, *cumulative_begin, *by_depth, *depths;
  double *cumulative;
} TreeArrays;

static TreeArrays new_arrays(const Case *c, int64_t n_nodes, const TreeNodes *nodes, const double *weights) {
  TreeArrays arrays;
  arrays.modes = new_array(n_nodes, sizeof(int8_t));
  arrays.leaves = new_array(n_nodes, sizeof(int8_t));
  arrays.repeats = new_array(n_nodes, sizeof(int64_t));
  arrays.cumulative_begin = new_array(n_nodes, sizeof(int64_t));
  arrays.by_depth = new_array(n_nodes, sizeof(int64_t));
  arrays.depths = new_array(n_nodes, sizeof(int64_t));
  arrays.cumulative = new_array(nodes->offsets[n_nodes], sizeof(double));
  for (int64_t node = 0; node < n_nodes; node++) {
    int64_t declared = nodes->declared[node];
    arrays.modes[node] = (int8_t)c->weighed[declared].mode;
    arrays.leaves[node] = (int8_t)is_leaf_of(nodes, n_nodes, node);
    arrays.repeats[node] = c->repeats[declared];
    arrays.cumulative_begin[node] = c->weighed[declared].matter ? nodes->offsets[node] : -1;
  }
  cumulate(weights, nodes->offsets, 0, n_nodes, arrays.cumulative);
  int64_t n_sorted = 0;
  for (int64_t depth = 0; n_sorted < n_nodes; depth++) {
    for (int64_t node = 0; node < n_nodes; node++) {
      if (nodes->depths[node] != depth) continue;
      arrays.depths[n_sorted] = depth;
      arrays.by_depth[n_sorted++] = node;
    }
  }
  return arrays;
}

static void free_arrays(TreeArrays *arrays) {
  free(arrays->modes);
  free(arrays->leaves);
  free(arrays->repeats);
  free(arrays->cumulative_begin);
  free(arrays->by_depth);
  free(arrays->depths);
  free(arrays->cumulative);
}

/* Return the number of draws of an epoch; if it is refused, what is wrong, as a negative number. */
static int64_t count_draws(const Case *c, int64_t n_nodes, const TreeNodes *nodes, const TreeArrays *arrays) {
  if (c->length > 0) return c->length;
  int64_t node = -1, n_found = 0;
  for (int64_t i = 0; i < n_nodes; i++) {
    if (nodes->declared[i] != c->length_node) continue;
    node = i;
    n_found++;
  }
  if (n_found != 1) return n_found > 0 ? -HAS_SEVERAL_NODES : -IS_PRUNED;
  if (find_replacement(arrays->modes, nodes->parents, nodes->depths, n_nodes, node) >= 0) return -IS_ENDLESS;
  int64_t *most = new_array(n_nodes, sizeof *most);
  int64_t n_draws = pass_length(nodes->parents, nodes->depths, nodes->offsets, arrays->repeats, n_nodes, node, most);
  free(most);
  return n_draws <= INT32_MAX ? n_draws : -IS_TOO_LONG;
}

/* The epochs of a case, each of n_draws draws; those after the first n_kept are in no batch. */
typedef struct {
  int64_t n_draws, n_batches, n_kept, n_epochs;
  int64_t *numbers; /* n_epochs */
} Epochs;

static Epochs read_epochs(const Case *c, int64_t n_draws) {
  Epochs epochs = {.n_draws = n_draws, .n_kept = n_draws};
  epochs.n_batches = (n_draws + (c->drops_last ? 0 : c->batch_size - 1)) / c->batch_size;
  if (c->drops_last) epochs.n_kept = epochs.n_batches * c->batch_size;
  epochs.n_epochs = read_number();
  epochs.numbers = new_array(epochs.n_epochs, sizeof *epochs.numbers);
  for (int64_t i = 0; i < epochs.n_epochs; i++) epochs.numbers[i] = read_number();
  return epochs;
}

/* The seed of an epoch's streams. The epochs of one sequence share it. */
static uint32_t seed_of(const Case *c, int64_t epoch) {
  return c->is_persistent ? c->seed : epoch_seed(c->seed, (uint32_t)epoch);
}

/* The number of epochs whose draws precede those of an epoch in its streams. */
static int64_t epochs_before(const Case *c, int64_t epoch) { return c->is_persistent ? epoch : 0; }

/* Draw the next values. The integers are exact as doubles. */
static void draw_values(
    Generator *generator, int64_t kind, double first, double second, int64_t count, double *values
) {
  if (kind == INTEGERS) {
    int64_t *numbers = new_array(count, sizeof *numbers);
    draw_numbers(generator, (uint64_t)(second - first) + 1, count, numbers);
    for (int64_t i = 0; i < count; i++) values[i] = first + (double)numbers[i];
    free(numbers);
    return;
  }
  draw_uniforms(generator, count, values);
  if (kind == NORMAL) {
    make_normal(count, first, second, values);
  } else {
    for (int64_t i = 0; i < count; i++) values[i] = first + rounded_product(second - first, values[i]);
  }
}

/* Read an auxiliary value, draw it in all epochs, and compare. */
static void check_values(const Case *c, int64_t n_nodes, const Epochs *epochs) {
  int64_t stream = n_nodes + read_number(), kind = read_number();
  double first = read_double(), second = read_double();
  double *values = new_array(epochs->n_draws, sizeof *values);
  for (int64_t i = 0; i < epochs->n_epochs; i++) {
    int64_t epoch = epochs->numbers[i];
    Generator generator;
    seed_generator(&generator, stream_seed(seed_of(c, epoch), stream));
    for (int64_t before = epochs_before(c, epoch); before >= 0; before--) {
      draw_values(&generator, kind, first, second, epochs->n_draws, values);
    }
    for (int64_t place = 0; place < epochs->n_kept; place++) CHECK(values[place] == read_double());
  }
  free(values);
}

/* Draw all epochs, and compare their rows and offsets. */
static void check_epochs(const Case *c, DeclaredTree tree, const Epochs *epochs) {
  int64_t n_epochs = epochs->n_epochs, n_batches = epochs->n_batches, n_kept = epochs->n_kept;
  int32_t *drawn = new_array(epochs->n_draws, sizeof *drawn);
  int32_t *rows = new_array(n_epochs * n_kept, sizeof *rows);
  int64_t *offsets = new_array(n_epochs * (n_batches + 1), sizeof *offsets);
  for (int64_t i = 0; i < n_epochs; i++) {
    int64_t epoch = epochs->numbers[i];
    tree.seed = seed_of(c, epoch);
    Drawing drawing = begin_drawing(&tree, c->is_persistent);
    for (int64_t before = epochs_before(c, epoch); before >= 0; before--) {
      draw_in_steps(&tree, &drawing, epochs->n_draws, WORK, drawn);
    }
    end_drawing(&drawing);
    memcpy(rows + i * n_kept, drawn, (size_t)n_kept * sizeof *rows);
    for (int64_t batch = 0; batch <= n_batches; batch++) {
      offsets[i * (n_batches + 1) + batch] = batch < n_batches ? batch * c->batch_size : n_kept;
    }
  }
  check_rows(rows, n_epochs * n_kept, 0);
  check_list(offsets, n_epochs * (n_batches + 1));
  free(drawn);
  free(rows);
  free(offsets);
}

static void check_draws(const Case *c, int64_t n_nodes, const TreeNodes *nodes, const double *weights) {
  TreeArrays arrays = new_arrays(c, n_nodes, nodes, weights);
  int64_t n_draws = count_draws(c, n_nodes, nodes, &arrays);
  CHECK_EQUAL(n_draws > 0 ? DRAWN : -n_draws, read_number());
  if (n_draws > 0) {
    DeclaredTree tree = {
        n_nodes, arrays.modes, arrays.leaves, arrays.repeats, nodes->offsets, nodes->options,
        arrays.cumulative_begin, arrays.cumulative, arrays.by_depth, arrays.depths, c->seed,
    };
    Epochs epochs = read_epochs(c, n_draws);
    for (int64_t n_values = read_number(); n_values > 0; n_values--) check_values(c, n_nodes, &epochs);
    check_epochs(c, tree, &epochs);
    free(epochs.numbers);
  }
  free_arrays(&arrays);
}

static void check_nodes(const Case *c, NodeBuilding *building) {
  TreeNodes nodes = new_nodes(building);
  while (!fill_nodes(building, &nodes)) continue;
  Weighing weighing;
  int outcome = weigh_in_steps(building, c->weighed, &nodes, WORK, &weighing);
  if (outcome == WEIGHTS_FOUND) {
    check_draws(c, building->n_nodes, &nodes, weighing.weights);
  } else {
    CHECK_EQUAL(outcome == NUMBER_REFUSED ? HAS_WRONG_NUMBER : HAS_WRONG_TOTAL, read_number());
  }
  free_weights(&weighing);
  free_nodes(&nodes);
}

static void check_case(void) {
  Case c;
  read_case(&c);
  NodeBuilding building;
  BuildingMemory memory;
  int outcome = build_in_steps(c.declared, c.n_declared, c.n_rows, WORK, &building, &memory);
  if (outcome == NODES_FOUND) {
    check_nodes(&c, &building);
  } else {
    CHECK_EQUAL(outcome == VALUES_MISSING ? HAS_MISSING_VALUES : HAS_NOTHING_TO_DRAW, read_number());
  }
  free_building(&memory);
  free_case(&c);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
