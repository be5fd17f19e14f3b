/* Draws of a declared tree, and the auxiliary values of each draw.
 *
 * A request has the declared nodes in preorder as vectors with one number for each, the columns of the table that they
 * use, and for each condition whether missing values and then those of each code meet it. A recipe has the nodes that
 * were built, and the rows of the leaves.
 *
 * What the host names in messages: "{path 3}" is the path of a declared node, "{label 3 17}" the name of one of its
 * clones by the code of its value, -1 for none, "{name 3}" its name, "{column 2}" and "{numbers 2}" are columns,
 * "{length}" is the text that was given for the length, "{nearest}" the name of a node that is most similar to it, and
 * "{value 2}" an auxiliary value as it was given.
 */

#include <float.h>

#include "core/kinds.h"
#include "core/normal.h"
#include "core/request.h"
#include "core/rounding.h"
#include "core/stream.h"
#include "core/tree.h"
#include "core/tree_nodes.h"
#include "core/tree_pass.h"
#include "core/tree_values.h"
#include "core/tree_weights.h"

/* Requests -------------------------------------------------------------------------------------------------------- */

/* What is declared, and what is made of it. */
typedef struct {
  const Parts *request;
  double batch_size, num_replicas, length; /* the length is 0 if it is that of a node, or if epochs do not end */
  bool drops_last, is_persistent, ends;
  int64_t n_rows, n_declared, n_columns, n_weights;
  NodeDeclaration *declared;
  WeightDeclaration *weighed;
  const int32_t *times; /* the repeat of each declared node */
  NodeBuilding building;
  TreeNodes nodes;
  Weighing weighing;
} TreePlan;

/* Text in memory of the call. */
typedef struct {
  char *text;
  int64_t room, used;
} Words;

static bool begin_words(Words *words, int64_t room, Host *host) {
  *words = (Words){.text = host->memory(host, FOR_THE_CALL, room), .room = room};
  if (words->text != NULL) words->text[0] = '\0';
  return words->text != NULL;
}

static void add_words(Words *words, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int length = vsnprintf(words->text + words->used, (size_t)(words->room - words->used), format, values);
  va_end(values);
  words->used = smaller(words->used + length, words->room - 1);
}

enum { LABEL = 64 /* bytes for "{label ...}" and what is around it */ };

/* Read the length of an epoch: a number, or the name of a node. */
static bool read_tree_length(TreePlan *plan, Host *host) {
  const Parts *request = plan->request;
  plan->ends = is_given(request, "length");
  plan->length = 0;
  if (!plan->ends || find_part(request, "length").type == TEXT) return true;
  return read_whole(request, "length", 1, LARGEST_COUNT, &plan->length, host);
}

static bool read_tree_settings(TreePlan *plan, Host *host) {
  const Parts *request = plan->request;
  plan->batch_size = 1; /* for single rows, which have no such parameter */
  bool is_read = read_sharing(request, &plan->num_replicas, host) && read_tree_length(plan, host);
  if (!is_read) return false;
  double most = plan->ends ? (double)INFINITY : (double)LARGEST_COUNT;
  if (has_part(request, "batch_size") && !read_whole(request, "batch_size", 1, most, &plan->batch_size, host)) {
    return false;
  }
  if (plan->batch_size > EXACT_NUMBERS) {
    return refuse(host, "batch_size", NULL, "be an integer from 1 to %.0f", EXACT_NUMBERS);
  }
  if (!read_flag(request, "drop_last", &plan->drops_last, host)) return false;
  if (!read_flag(request, "persistent", &plan->is_persistent, host)) return false;
  if (plan->ends || !plan->is_persistent) return true;
  return refuse(host, "persistent", NULL, "be false if 'length' is not given, since no epoch ends");
}

/* Return a vector of the request that the host has made. */
static const void *made_by_host(const TreePlan *plan, const char *name) {
  return find_part(plan->request, name).values;
}

static const void *numbered_part(const TreePlan *plan, const char *name, int64_t number) {
  char full[NUMBER];
  snprintf(full, NUMBER, "%s%lld", name, (long long)number);
  return made_by_host(plan, full);
}

static const double *column_of_numbers(const TreePlan *plan, const char *name, int64_t node) {
  int32_t column = ((const int32_t *)made_by_host(plan, name))[node];
  return column < 0 ? NULL : numbered_part(plan, "numbers", column);
}

static bool read_declared(TreePlan *plan, Host *host) {
  const int32_t *parents = made_by_host(plan, "parents"), *columns = made_by_host(plan, "columns");
  const int32_t *n_values = made_by_host(plan, "n_values");
  const uint8_t *are_conditions = made_by_host(plan, "are_conditions"), *taken = made_by_host(plan, "taken");
  const uint8_t *missing = made_by_host(plan, "missing"), *prunes = made_by_host(plan, "prunes");
  const uint8_t *forms = made_by_host(plan, "forms"), *modes = made_by_host(plan, "node_modes");
  const double *fixed = made_by_host(plan, "fixed_weights");
  plan->times = made_by_host(plan, "times");
  plan->n_rows = (int64_t)*(const double *)made_by_host(plan, "n_rows");
  plan->n_declared = find_part(plan->request, "parents").length;
  plan->declared = host->memory(host, FOR_THE_CALL, plan->n_declared * (int64_t)sizeof *plan->declared);
  plan->weighed = host->memory(host, FOR_THE_CALL, plan->n_declared * (int64_t)sizeof *plan->weighed);
  if (plan->declared == NULL || plan->weighed == NULL) return false;
  for (int64_t node = 0; node < plan->n_declared; node++) {
    NodeDeclaration *mine = &plan->declared[node];
    int32_t column = columns[node];
    *mine = (NodeDeclaration){.parent = parents[node], .missing = missing[node], .prune = prunes[node]};
    plan->weighed[node] = (WeightDeclaration){.form = forms[node], .mode = modes[node], .weight = fixed[node]};
    plan->weighed[node].summed = column_of_numbers(plan, "summed", node);
    plan->weighed[node].row_weights = column_of_numbers(plan, "row_weights", node);
    if (column < 0) continue;
    mine->codes = numbered_part(plan, "codes", column);
    mine->n_values = n_values[column];
    if (!are_conditions[node]) continue;
    mine->taken = taken;
    taken += mine->n_values + 1;
  }
  return true;
}

/* Write the path of a clone of a declared node, from the root on. */
static void add_path(Words *words, const int64_t *declared, const int64_t *codes, int64_t depth) {
  for (int64_t at = 0; at <= depth; at++) {
    add_words(words, "%s{label %lld %lld}", at > 0 ? "/" : "", (long long)declared[at], (long long)codes[at]);
  }
}

/* Refuse a tree in which a node has nothing to draw: from the empty node to the one that may not be. */
static bool refuse_empty(TreePlan *plan, Host *host) {
  NodeBuilding *building = &plan->building;
  int64_t depth = building->clones[building->failed].depth, first = building->clones[building->emptied].depth;
  int64_t *declared = host->memory(host, FOR_THE_CALL, 2 * (depth + 1) * (int64_t)sizeof *declared);
  Words words;
  if (declared == NULL || !begin_words(&words, (depth + 2) * (depth + 2) * LABEL, host)) return false;
  int64_t *codes = declared + depth + 1;
  tell_path(building, building->failed, building->failed_clone, declared, codes);
  add_words(&words, "%s at '", has_children(building, building->failed) ? "no children left" : "no rows");
  add_path(&words, declared, codes, depth);
  add_words(&words, "'");
  for (int64_t above = depth - 1; above >= first; above--) {
    add_words(&words, ", which takes '");
    add_path(&words, declared, codes, above);
    add_words(&words, "' with it");
  }
  refuse(host, "spec", "", "leave something to draw at the root and at every node without 'prune'");
  host->refusal.long_got = words.text;
  return advise(host, "Give the node 'prune: individual' or 'prune: parent', or look at its condition.");
}

/* Say at which declared node something is refused; return false. */
static bool at_node(int64_t node, Host *host) {
  Words words;
  if (!begin_words(&words, LABEL, host)) {
    host->refusal.parameter = NULL;
    return false;
  }
  add_words(&words, "at node '{path %lld}'", (long long)node);
  host->refusal.where = words.text;
  return false;
}

static bool refuse_missing(const NodeBuilding *building, int32_t column, Host *host) {
  char got[SENTENCE];
  int64_t n_rows = building->n_looked_at;
  snprintf(
      got, SENTENCE, "%lld missing of %lld row%s", (long long)building->n_missing, (long long)n_rows,
      n_rows == 1 ? "" : "s"
  );
  refuse(host, "table", got, "have no missing values in column '{column %d}'", (int)column);
  advise(host, "Set its 'missing' to 'stratum' or 'drop'.");
  return at_node(building->failed, host);
}

static bool make_nodes(TreePlan *plan, Host *host) {
  NodeBuilding *building = &plan->building;
  building->declared = plan->declared;
  building->n_declared = plan->n_declared;
  building->n_rows = plan->n_rows;
  building->clones = host->memory(host, FOR_THE_CALL, plan->n_declared * (int64_t)sizeof *building->clones);
  building->scratch = host->memory(host, FOR_THE_CALL, plan->n_rows * (int64_t)sizeof *building->scratch);
  if (building->clones == NULL || building->scratch == NULL) return false;
  int outcome = build_nodes(building, host);
  const int32_t *columns = made_by_host(plan, "columns");
  if (outcome == VALUES_MISSING) return refuse_missing(building, columns[building->failed], host);
  if (outcome == NOTHING_TO_DRAW) return refuse_empty(plan, host);
  if (outcome == NODES_FAILED) return false;
  if (building->n_options > LARGEST_COUNT) {
    return refuse(host, "spec", "more", "make at most %d nodes and rows of leaves", LARGEST_COUNT);
  }
  int64_t n_nodes = building->n_nodes;
  int32_t *of_nodes = host->memory(host, FOR_THE_CALL, (4 * n_nodes + building->n_options) * (int64_t)sizeof *of_nodes);
  int64_t *wide = host->memory(host, FOR_THE_CALL, (2 * n_nodes + 1) * (int64_t)sizeof *wide);
  if (of_nodes == NULL || wide == NULL) return false;
  plan->nodes = (TreeNodes){
      of_nodes, of_nodes + n_nodes, of_nodes + 2 * n_nodes, of_nodes + 3 * n_nodes, wide, of_nodes + 4 * n_nodes,
      wide + n_nodes + 1,
  };
  fill_nodes(building, &plan->nodes);
  return true;
}

/* Refuse a number in a column of weights. */
static bool refuse_number(const TreePlan *plan, Host *host) {
  const Weighing *weighing = &plan->weighing;
  char got[NUMBER];
  const int32_t *columns = made_by_host(plan, weighing->of_rows ? "row_weights" : "summed");
  refuse(
      host, "table", show_number(weighing->refused, got), "have finite non-negative weights in column '{numbers %d}'",
      (int)columns[weighing->failed]
  );
  return at_node(weighing->failed, host);
}

/* Write the path of a node that was built. */
static bool add_path_of(const TreePlan *plan, int64_t node, Words *words, Host *host) {
  const TreeNodes *nodes = &plan->nodes;
  int64_t depth = nodes->depths[node];
  int64_t *declared = host->memory(host, FOR_THE_CALL, 2 * (depth + 1) * (int64_t)sizeof *declared);
  if (declared == NULL) return false;
  int64_t *codes = declared + depth + 1;
  for (int64_t at = node; at >= 0; at = nodes->parents[at]) {
    declared[nodes->depths[at]] = nodes->declared[at];
    codes[nodes->depths[at]] = nodes->values[at];
  }
  add_path(words, declared, codes, depth);
  return true;
}

/* Refuse a sum of weights. */
static bool refuse_total(const TreePlan *plan, Host *host) {
  const Weighing *weighing = &plan->weighing;
  char got[NUMBER];
  Words words;
  if (!begin_words(&words, (plan->nodes.depths[weighing->failed] + 2) * LABEL, host)) return false;
  add_words(&words, "at node '");
  if (!add_path_of(plan, weighing->failed, &words, host)) return false;
  add_words(&words, "'");
  refuse(
      host, "weight", show_number(weighing->refused, got), "have a positive, finite sum over the options of every node"
  );
  host->refusal.where = words.text;
  return false;
}

/* Find the weights of the nodes. */
static bool weigh_tree(TreePlan *plan, Host *host) {
  Weighing *weighing = &plan->weighing;
  int64_t n_nodes = plan->building.n_nodes;
  *weighing = (Weighing){.declared = plan->declared, .weighed = plan->weighed, .nodes = &plan->nodes};
  weighing->n_declared = plan->n_declared;
  weighing->n_nodes = n_nodes;
  weighing->chances = host->memory(host, FOR_THE_CALL, 2 * n_nodes * (int64_t)sizeof(double));
  weighing->clones = host->memory(host, FOR_THE_CALL, (n_nodes + plan->n_declared + 2) * (int64_t)sizeof(int64_t));
  if (weighing->chances == NULL || weighing->clones == NULL) return false;
  weighing->sums = weighing->chances + n_nodes;
  weighing->begins = weighing->clones + n_nodes;
  find_weighted(plan->declared, plan->n_declared, plan->weighed);
  int outcome = weigh_nodes(weighing, host);
  if (outcome == NUMBER_REFUSED) return refuse_number(plan, host);
  return outcome == WEIGHTS_FOUND;
}

/* The length of an epoch ------------------------------------------------------------------------------------------ */

/* Refuse the name of no node, of a pruned one or of several; `named` is a declared node of that name or -1. */
static bool refuse_name(int64_t n_found, int64_t named, Host *host) {
  char got[SENTENCE];
  if (n_found > 1) {
    snprintf(got, SENTENCE, "'{length}', the name of %lld nodes,", (long long)n_found);
    return refuse(host, "length", got, "be a number of draws, or the name of one node");
  }
  refuse(
      host, "length", named < 0 ? NULL : "'{length}', which is pruned,", "be a number of draws, or the name of a node"
  );
  return named < 0 && advise(host, "The nearest name is '{nearest}'.");
}

/* Find the one node that has the name of the length; return -1 if it is refused. */
static int64_t find_node(const TreePlan *plan, Host *host) {
  Part names = find_part(plan->request, "names");
  const char *wanted = find_part(plan->request, "length").values;
  int64_t n_found = 0, named = -1, found = -1;
  uint8_t *are_named = host->memory(host, FOR_THE_CALL, plan->n_declared);
  if (are_named == NULL) return -1;
  for (int64_t node = 0; node < plan->n_declared; node++) {
    are_named[node] = strcmp(text_at(&names, node), wanted) == 0;
    if (are_named[node]) named = node;
  }
  for (int64_t node = 0; node < plan->building.n_nodes; node++) {
    if (!are_named[plan->nodes.declared[node]]) continue;
    n_found += 1;
    found = node;
  }
  if (n_found == 1) return found;
  refuse_name(n_found, named, host);
  return -1;
}

/* Count the draws until every row below a node has been drawn. */
static bool count_pass(TreePlan *plan, int64_t node, const uint8_t *modes, const int32_t *repeats, Host *host) {
  const TreeNodes *nodes = &plan->nodes;
  int64_t n_nodes = plan->building.n_nodes;
  int64_t wrong = find_replacement(modes, nodes->parents, nodes->depths, n_nodes, node);
  Words words;
  if (wrong >= 0) {
    if (!begin_words(&words, (nodes->depths[wrong] + 3) * LABEL, host)) return false;
    add_words(&words, "'{length}', while '");
    if (!add_path_of(plan, wrong, &words, host)) return false;
    add_words(&words, "' draws with replacement,");
    refuse(
        host, "length", "",
        "be a number of draws, or the name of a node that, as all above and below it, draws in sequence or shuffled"
    );
    host->refusal.long_got = words.text;
    return false;
  }
  int64_t *most = host->memory(host, FOR_THE_CALL, n_nodes * (int64_t)sizeof *most);
  if (most == NULL) return false;
  int64_t n_draws = pass_length(nodes->parents, nodes->depths, nodes->offsets, repeats, n_nodes, node, most);
  plan->length = (double)n_draws;
  if (n_draws <= LARGEST_COUNT) return true;
  char got[SENTENCE];
  const char *more = n_draws >= ENDLESS_PASS ? "more than " : "";
  snprintf(got, SENTENCE, "'{length}', which takes %s%lld,", more, (long long)n_draws);
  return refuse(host, "length", got, "take at most %d draws", LARGEST_COUNT);
}

/* Find the number of batches. */
static bool count_tree_batches(const TreePlan *plan, int64_t *n_batches, Host *host) {
  double whole = plan->drops_last ? floor(plan->length / plan->batch_size) : ceil(plan->length / plan->batch_size);
  char shown[NUMBER];
  *n_batches = (int64_t)whole;
  if (*n_batches == 0) {
    const char *got = show_number(plan->length, shown);
    return refuse(host, "length", got, "be at least %.0f, the batch size, with drop_last", plan->batch_size);
  }
  return share_batches(plan->request, plan->num_replicas, n_batches, host);
}

/* Results --------------------------------------------------------------------------------------------------------- */

static bool give_numbers(Host *host, const char *name, const int32_t *numbers, int64_t count) {
  int32_t *given = host->vector(host, name, INTEGERS, count);
  if (given != NULL) memcpy(given, numbers, (size_t)count * sizeof *given);
  return given != NULL;
}

/* Give the leaves: how many rows each has, and the rows. */
static bool give_leaves(const TreePlan *plan, Host *host) {
  const TreeNodes *nodes = &plan->nodes;
  int64_t n_nodes = plan->building.n_nodes, n_leaves = 0, n_rows = plan->building.n_options - (n_nodes - 1);
  for (int64_t node = 0; node < n_nodes; node++) n_leaves += is_leaf_of(nodes, n_nodes, node);
  int32_t *counts = host->vector(host, "counts", INTEGERS, n_leaves);
  int32_t *rows = counts == NULL ? NULL : host->vector(host, "rows", INTEGERS, n_rows);
  if (rows == NULL) return false;
  for (int64_t node = 0; node < n_nodes; node++) {
    if (!is_leaf_of(nodes, n_nodes, node)) continue;
    int64_t count = nodes->offsets[node + 1] - nodes->offsets[node];
    memcpy(rows, nodes->options + nodes->offsets[node], (size_t)count * sizeof *rows);
    *counts++ = (int32_t)count;
    rows += count;
  }
  return true;
}

/* Give the weights of the options of nodes for which they matter, and which these are. */
static bool give_node_weights(TreePlan *plan, Host *host) {
  const TreeNodes *nodes = &plan->nodes;
  int64_t n_nodes = plan->building.n_nodes, n_weights = 0;
  uint8_t *weighted = host->vector(host, "weighted", BYTES, n_nodes);
  if (weighted == NULL) return false;
  for (int64_t node = 0; node < n_nodes; node++) {
    weighted[node] = plan->weighed[nodes->declared[node]].matter;
    if (weighted[node]) n_weights += nodes->offsets[node + 1] - nodes->offsets[node];
  }
  double *weights = host->vector(host, "weights", DOUBLES, n_weights);
  if (weights == NULL) return false;
  for (int64_t node = 0; node < n_nodes; node++) {
    if (!weighted[node]) continue;
    int outcome = weigh_options(&plan->weighing, node, weights, host);
    if (outcome == NUMBER_REFUSED) return refuse_number(plan, host);
    if (outcome == TOTAL_REFUSED) return refuse_total(plan, host);
    if (outcome != WEIGHTS_FOUND) return false;
    weights += nodes->offsets[node + 1] - nodes->offsets[node];
  }
  return true;
}

/* Give what descriptions of the tree show besides. */
static bool give_description(TreePlan *plan, Host *host) {
  const TreeNodes *nodes = &plan->nodes;
  int64_t n_nodes = plan->building.n_nodes;
  if (!is_given(plan->request, "describes")) return true;
  uint8_t *marks = host->memory(host, FOR_THE_CALL, plan->n_rows);
  bool given = marks != NULL && give_numbers(host, "declared", nodes->declared, n_nodes) &&
               give_numbers(host, "clone_values", nodes->values, n_nodes) &&
               give_numbers(host, "parents", nodes->parents, n_nodes);
  double *chances = given ? host->vector(host, "chances", DOUBLES, n_nodes) : NULL;
  int64_t *node_rows = chances == NULL ? NULL : host->vector(host, "node_rows", LONGS, n_nodes);
  int64_t *untaken = node_rows == NULL ? NULL : host->vector(host, "untaken", LONGS, n_nodes);
  if (untaken == NULL) return false;
  memcpy(chances, plan->weighing.chances, (size_t)n_nodes * sizeof *chances);
  memset(marks, 0, (size_t)plan->n_rows);
  for (int64_t node = 0; node < plan->n_declared; node++) {
    count_node_rows(&plan->building, node, marks, node_rows, untaken);
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool give_values(const Parts *request, Host *host) {
  static const char *const names[] = {"auxiliary", "functions", "kinds", "n_arguments", "arguments", "texts"};
  if (!is_given(request, "auxiliary")) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], "arguments") == 0) {
      Part numbers = find_part(request, "arguments");
      double *given = host->vector(host, "numbers", DOUBLES, numbers.length);
      if (given == NULL) return false;
      memcpy(given, numbers.values, (size_t)numbers.length * sizeof *given);
    } else if (!host->keep(host, names[i])) {
      return false;
    }
  }
  return true;
}

/* Warn of weights without effect, and of batches that split rows that the root repeats. */
static bool warn_of_tree(const TreePlan *plan, Host *host) {
  static const char *const modes[] = {"replacement", "sequential", "shuffle"};
  const NodeDeclaration *declared = plan->declared;
  Words words;
  if (!begin_words(&words, (plan->n_declared + 1) * SENTENCE / 2, host)) return false;
  for (int64_t node = 1; node < plan->n_declared; node++) {
    int64_t parent = declared[node].parent;
    int mode = plan->weighed[parent].mode;
    if (plan->weighed[node].form == NO_WEIGHT || mode == WITH_REPLACEMENT) continue;
    add_words(
        &words, "The 'weight' of node '{path %lld}' has no effect: its parent '{path %lld}' has the mode '%s', not "
        "'replacement'.\n", (long long)node, (long long)parent, modes[mode]
    );
  }
  if (is_given(plan->request, "batch_size") && fmod(plan->batch_size, plan->times[0]) != 0) {
    add_words(
        &words, "The 'batch_size' parameter, %.0f, is not a multiple of the root's 'repeat', %d: rows that follow one "
        "another by it are split between batches.\n", plan->batch_size, plan->times[0]
    );
  }
  host->warnings = words.used > 0 ? words.text : NULL;
  return true;
}

static bool give_tree(TreePlan *plan, Host *host) {
  const TreeNodes *nodes = &plan->nodes;
  int64_t n_nodes = plan->building.n_nodes, n_batches = 0;
  uint8_t *modes = host->vector(host, "modes", BYTES, n_nodes);
  int32_t *repeats = modes == NULL ? NULL : host->vector(host, "repeats", INTEGERS, n_nodes);
  if (repeats == NULL || !give_numbers(host, "depths", nodes->depths, n_nodes)) return false;
  for (int64_t node = 0; node < n_nodes; node++) {
    modes[node] = (uint8_t)plan->weighed[nodes->declared[node]].mode;
    repeats[node] = plan->times[nodes->declared[node]];
  }
  if (!weigh_tree(plan, host) || !give_leaves(plan, host) || !give_node_weights(plan, host)) return false;
  if (plan->ends && plan->length == 0) {
    int64_t node = find_node(plan, host);
    if (node < 0 || !count_pass(plan, node, modes, repeats, host)) return false;
  }
  if (plan->ends && !count_tree_batches(plan, &n_batches, host)) return false;
  bool given = host->number(host, "batch_size", plan->batch_size) &&
               (!plan->ends || host->number(host, "length", plan->length)) &&
               (!plan->ends || host->number(host, "n_batches", (double)n_batches)) &&
               host->flag(host, "persistent", plan->is_persistent) &&
               host->number(host, "n_rows", (double)plan->n_rows) && give_values(plan->request, host);
  return given && give_description(plan, host) && warn_of_tree(plan, host);
}

static bool plan_tree(const Parts *request, Host *host) {
  TreePlan plan = {.request = request};
  if (!read_tree_settings(&plan, host)) return false;
  if (!check_values(request, host)) return false;
  if (is_given(request, "parents")) {
    return read_declared(&plan, host) && make_nodes(&plan, host) && give_tree(&plan, host);
  }
  bool kept = host->number(host, "batch_size", plan.batch_size);
  kept = kept && (plan.length > 0 ? host->number(host, "length", plan.length) : host->keep(host, "length"));
  return kept && host->keep(host, "drop_last") && host->keep(host, "persistent") &&
         keep_sharing(request, plan.num_replicas, host);
}

/* Recipes --------------------------------------------------------------------------------------------------------- */

/* The draws of a recipe. Those of a persistent sampler are one sequence, of which the end of the last epoch is kept. */
typedef struct {
  DeclaredTree tree;
  int64_t batch_size, length, n_batches; /* the length is 0 if epochs do not end */
  bool is_persistent;
  uint32_t seed;
  DrawnValue *values; /* n_values */
  int64_t n_values;
  TreeStates states;
  Generator *streams; /* n_values; NULL until the first persistent epoch */
  int64_t position;   /* draws of the sequence so far, -1 if it is to begin anew */
} TreeSampler;

/* Return a vector of the recipe that must have a type and a length, -1 for any; NULL if it is refused. */
static const void *recipe_vector(const Parts *recipe, const char *name, PartType type, int64_t length, Host *host) {
  static const char *const types[] = {"raw vector", "vector of integers", "vector of doubles"};
  Part part = find_part(recipe, name);
  if (part.type == type && (length < 0 || part.length == length) && part.length <= LARGEST_COUNT) return part.values;
  if (length < 0) {
    refuse_part(host, name, "a %s", types[type]);
  } else {
    refuse_part(host, name, "a %s of the length %lld", types[type], (long long)length);
  }
  return NULL;
}

/* Whether all integers are in a range. */
static bool are_between(const int32_t *numbers, int64_t count, int32_t least, int32_t most) {
  for (int64_t i = 0; i < count; i++) {
    if (numbers[i] < least || numbers[i] > most) return false;
  }
  return true;
}

static bool read_between(
    const Parts *recipe, const char *name, int64_t length, int32_t least, int32_t most, const int32_t **numbers,
    int64_t *count, Host *host
) {
  *numbers = recipe_vector(recipe, name, INTEGERS, length, host);
  *count = find_part(recipe, name).length;
  if (*numbers == NULL) return false;
  for (int64_t begin = 0; begin < *count; begin += GO_ON_ROWS) {
    if (!are_between(*numbers + begin, smaller(*count - begin, GO_ON_ROWS), least, most)) {
      return refuse_part(host, name, "integers from %d to %d", (int)least, (int)most);
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool read_tree_size(TreeSampler *self, const Parts *recipe, int64_t *n_rows, Host *host) {
  bool ends = is_given(recipe, "length");
  double most = ends ? EXACT_NUMBERS : (double)LARGEST_COUNT;
  if (!read_count(recipe, "batch_size", 1, most, &self->batch_size, host)) return false;
  if (ends) {
    if (!read_count(recipe, "length", 1, LARGEST_COUNT, &self->length, host)) return false;
    double most_batches = (double)quotient_up(self->length, self->batch_size);
    if (!read_count(recipe, "n_batches", 1, most_batches, &self->n_batches, host)) return false;
  }
  if (!read_flag(recipe, "persistent", &self->is_persistent, host)) return false;
  if (!ends && self->is_persistent) return refuse_part(host, "persistent", "0, since no epoch ends,");
  return read_count(recipe, "n_rows", 1, LARGEST_COUNT, n_rows, host);
}

/* The arrays of the nodes, in memory of the instance. */
typedef struct {
  int8_t *modes, *leaves;
  int64_t *repeats, *offsets, *begins, *by_depth, *depths;
} NodeArrays;

static bool make_arrays(int64_t n_nodes, NodeArrays *arrays, Host *host) {
  int64_t *wide = host->memory(host, FOR_THE_INSTANCE, (5 * n_nodes + 1) * (int64_t)sizeof *wide);
  int8_t *narrow = host->memory(host, FOR_THE_INSTANCE, 2 * n_nodes);
  if (wide == NULL || narrow == NULL) return false;
  *arrays = (NodeArrays){
      narrow, narrow + n_nodes, wide, wide + n_nodes, wide + 2 * n_nodes + 1, wide + 3 * n_nodes + 1,
      wide + 4 * n_nodes + 1,
  };
  return true;
}

/* Find the leaves, and sort the nodes by depth. */
static bool sort_nodes(const int32_t *depths, int64_t n_nodes, NodeArrays *arrays, int64_t *n_leaves, Host *host) {
  int64_t *begins = host->memory(host, FOR_THE_CALL, (2 * n_nodes + 1) * (int64_t)sizeof *begins);
  if (begins == NULL) return false;
  int64_t *cursors = begins + n_nodes + 1;
  memset(begins, 0, (size_t)(n_nodes + 1) * sizeof *begins);
  *n_leaves = 0;
  for (int64_t node = 0; node < n_nodes; node++) {
    if (depths[node] < (node > 0) || depths[node] > (node > 0 ? depths[node - 1] + 1 : 0)) {
      return refuse_part(host, "depths", "depths of nodes in preorder");
    }
    arrays->leaves[node] = node + 1 == n_nodes || depths[node + 1] <= depths[node];
    *n_leaves += arrays->leaves[node];
    begins[depths[node] + 1] += 1;
  }
  begin_groups(n_nodes, begins, cursors);
  for (int64_t node = 0; node < n_nodes; node++) arrays->by_depth[cursors[depths[node]]++] = node;
  for (int64_t place = 0; place < n_nodes; place++) arrays->depths[place] = depths[arrays->by_depth[place]];
  return true;
}

/* Find the options: children, which follow from the depths, and rows, counted as the host does. */
static int32_t *find_options(
    const int32_t *depths, const int32_t *counts, const int32_t *rows, int64_t n_nodes, int64_t n_rows,
    const NodeArrays *arrays, Host *host
) {
  int64_t *parents = host->memory(host, FOR_THE_CALL, 3 * n_nodes * (int64_t)sizeof *parents);
  int32_t *options = host->memory(host, FOR_THE_INSTANCE, (n_nodes - 1 + n_rows) * (int64_t)sizeof *options);
  if (parents == NULL || options == NULL) return NULL;
  int64_t *above = parents + n_nodes, *cursors = above + n_nodes, *offsets = arrays->offsets, leaf = 0, n_found = 0;
  memset(offsets, 0, (size_t)(n_nodes + 1) * sizeof *offsets);
  for (int64_t node = 0; node < n_nodes; node++) {
    above[depths[node]] = node; /* the last node of each depth */
    parents[node] = node > 0 ? above[depths[node] - 1] : -1;
    if (node > 0) offsets[parents[node] + 1] += 1;
    if (arrays->leaves[node]) n_found += offsets[node + 1] = counts[leaf++];
  }
  if (n_found != n_rows) {
    refuse_part(host, "rows", "the rows of the leaves");
    return NULL;
  }
  begin_groups(n_nodes, offsets, cursors);
  for (int64_t node = 0; node < n_nodes; node++) {
    if (node > 0) options[cursors[parents[node]]++] = (int32_t)node;
    for (int64_t i = offsets[node]; arrays->leaves[node] && i < offsets[node + 1]; i++) {
      options[i] = *rows++ + host->first_row;
    }
  }
  return options;
}

static bool read_nodes(TreeSampler *self, const Parts *recipe, int64_t n_rows, NodeArrays *arrays, Host *host) {
  const int32_t *depths, *counts, *rows;
  int64_t n_nodes = find_part(recipe, "modes").length, n_leaves, n_options, any;
  if (recipe_vector(recipe, "modes", BYTES, -1, host) == NULL) return false;
  if (n_nodes < 1) return refuse_part(host, "modes", "at least one node");
  if (!read_between(recipe, "depths", n_nodes, 0, (int32_t)n_nodes - 1, &depths, &any, host)) return false;
  if (!make_arrays(n_nodes, arrays, host) || !sort_nodes(depths, n_nodes, arrays, &n_leaves, host)) return false;
  if (!read_between(recipe, "counts", n_leaves, 1, LARGEST_COUNT, &counts, &any, host)) return false;
  if (!read_between(recipe, "rows", -1, 0, (int32_t)n_rows - 1, &rows, &n_options, host)) return false;
  if (n_options + n_nodes - 1 > LARGEST_COUNT) return refuse_part(host, "rows", "fewer rows");
  self->tree.n_nodes = n_nodes;
  self->tree.options = find_options(depths, counts, rows, n_nodes, n_options, arrays, host);
  return self->tree.options != NULL;
}

/* Sum the weights of the nodes that have some. */
static bool read_weights(const Parts *recipe, int64_t n_nodes, NodeArrays *arrays, double **sums, Host *host) {
  const uint8_t *weighted = recipe_vector(recipe, "weighted", BYTES, n_nodes, host);
  int64_t n_weights = 0, since = 0;
  if (weighted == NULL) return false;
  for (int64_t node = 0; node < n_nodes; node++) {
    if (weighted[node] > (arrays->modes[node] == WITH_REPLACEMENT)) {
      return refuse_part(host, "weighted", "0 or, if a node draws with replacement, 1");
    }
    arrays->begins[node] = weighted[node] ? n_weights : -1;
    if (weighted[node]) n_weights += arrays->offsets[node + 1] - arrays->offsets[node];
  }
  const double *weights = recipe_vector(recipe, "weights", DOUBLES, n_weights, host);
  int64_t bytes = n_weights * (int64_t)sizeof **sums;
  double *cumulative = weights == NULL ? NULL : host->memory(host, FOR_THE_INSTANCE, bytes);
  if (cumulative == NULL) return false;
  for (int64_t node = 0; node < n_nodes; node++) {
    if (!weighted[node]) continue;
    int64_t begin = arrays->begins[node], end = begin + arrays->offsets[node + 1] - arrays->offsets[node];
    double total = 0;
    bool are_weights = true;
    for (int64_t i = begin; i < end; i++) {
      are_weights = are_weights && is_weight(weights[i]);
      cumulative[i] = total += weights[i];
    }
    if (!are_weights) return refuse_part(host, "weights", "finite numbers that are not negative");
    if (total < LEAST_TOTAL || total > DBL_MAX) return refuse_part(host, "weights", "numbers of positive, finite sums");
    if (!may_go_on(&since, end - begin, host)) return false;
  }
  *sums = cumulative;
  return true;
}

static bool prepare_tree(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  TreeSampler *self = instance;
  const int32_t *repeats;
  int64_t n_rows = 0, any;
  NodeArrays arrays = {0};
  double *cumulative = NULL;
  if (!read_tree_size(self, recipe, &n_rows, host)) return false;
  if (!read_nodes(self, recipe, n_rows, &arrays, host)) return false;
  int64_t n_nodes = self->tree.n_nodes;
  const uint8_t *modes = recipe_vector(recipe, "modes", BYTES, n_nodes, host);
  if (!read_between(recipe, "repeats", n_nodes, 1, LARGEST_COUNT, &repeats, &any, host)) return false;
  for (int64_t node = 0; node < n_nodes; node++) {
    if (modes[node] > SHUFFLED) return refuse_part(host, "modes", "numbers from 0 to 2");
    arrays.modes[node] = (int8_t)modes[node];
    arrays.repeats[node] = repeats[node];
  }
  if (!read_weights(recipe, n_nodes, &arrays, &cumulative, host)) return false;
  if (!read_values(recipe, &self->values, &self->n_values, host)) return false;
  DeclaredTree *tree = &self->tree;
  tree->modes = arrays.modes;
  tree->leaves = arrays.leaves;
  tree->repeats = arrays.repeats;
  tree->offsets = arrays.offsets;
  tree->cumulative_begin = arrays.begins;
  tree->cumulative = cumulative;
  tree->by_depth = arrays.by_depth;
  tree->depths = arrays.depths;
  self->seed = seed;
  self->position = -1;
  return true;
}

/* Draws ----------------------------------------------------------------------------------------------------------- */

static bool begin_chunk(const TreeSampler *self, int64_t count, TreeChunk *chunk, Host *host) {
  int64_t n_nodes = self->tree.n_nodes;
  int32_t *of_draws = host->memory(host, FOR_THE_CALL, 3 * count * (int64_t)sizeof *of_draws);
  int64_t *of_nodes = host->memory(host, FOR_THE_CALL, 3 * n_nodes * (int64_t)sizeof *of_nodes);
  if (of_draws == NULL || of_nodes == NULL) return false;
  *chunk = (TreeChunk){.picked = of_draws, .here = of_draws + count, .below = of_draws + 2 * count};
  chunk->begins = of_nodes;
  chunk->wanted = of_nodes + n_nodes;
  chunk->cursors = of_nodes + 2 * n_nodes;
  return true;
}

/* Make states of the nodes and streams of the values: zeros at first, and in memory of the instance if they are kept.
 */
static bool make_states(const TreeSampler *self, bool keeps, TreeStates *states, Generator **streams, Host *host) {
  TreeStatesSize size = tree_states_size(&self->tree, keeps);
  Life life = keeps ? FOR_THE_INSTANCE : FOR_THE_CALL;
  int64_t n_generators = size.generators + self->n_values;
  states->keep = keeps;
  if (states->nodes == NULL) states->nodes = host->memory(host, life, size.nodes * (int64_t)sizeof *states->nodes);
  if (states->generators == NULL) {
    states->generators = host->memory(host, life, n_generators * (int64_t)sizeof *states->generators);
  }
  if (states->pools == NULL) states->pools = host->memory(host, life, size.pooled * (int64_t)sizeof *states->pools);
  if (states->nodes == NULL || states->generators == NULL || states->pools == NULL) return false;
  *streams = states->generators + size.generators;
  return true;
}

/* Begin the draws of a seed. */
static void begin_draws(TreeSampler *self, uint32_t seed, TreeStates *states, Generator *streams) {
  self->tree.seed = seed;
  reset_nodes(states, states->keep ? self->tree.n_nodes : 1);
  for (int64_t i = 0; i < self->n_values; i++) {
    if (has_stream(&self->values[i])) seed_generator(&streams[i], stream_seed(seed, self->tree.n_nodes + i));
  }
}

/* Draw the next rows and values of a sequence, of which there were `position` before. */
static bool draw_next(
    const TreeSampler *self, TreeStates *states, Generator *streams, TreeChunk *chunk, int64_t position, int64_t count,
    int32_t *rows, double *values, Host *host
) {
  chunk->count = count;
  chunk->rows = rows;
  if (count == 0) return true;
  if (!draw_chunk(&self->tree, states, chunk, host)) return false;
  for (int64_t i = 0; i < self->n_values; i++) {
    if (!is_drawn(&self->values[i])) continue;
    if (!draw_values(&self->values[i], &streams[i], position, count, values, host)) return false;
    values += count;
  }
  return true;
}

/* Go on with the sequence of all epochs up to a position, by draws that are not needed. */
static bool go_to(TreeSampler *self, int64_t position, int64_t n_drawn, Host *host) {
  int64_t at = self->position, step = smaller(position - at, GO_ON_ROWS);
  TreeChunk chunk;
  if (step == 0) return true;
  int32_t *rows = host->memory(host, FOR_THE_CALL, step * (int64_t)sizeof *rows);
  double *values = host->memory(host, FOR_THE_CALL, n_drawn * step * (int64_t)sizeof *values);
  if (rows == NULL || values == NULL || !begin_chunk(self, step, &chunk, host)) return false;
  self->position = -1; /* should it fail */
  for (int64_t count; at < position; at += count) {
    count = smaller(position - at, step);
    if (!draw_next(self, &self->states, self->streams, &chunk, at, count, rows, values, host)) return false;
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Draw an epoch of the sequence of all epochs. */
static bool draw_persistent(
    TreeSampler *self, uint32_t epoch, TreeChunk *chunk, int64_t count, int32_t *rows, double *values, int64_t n_drawn,
    Host *host
) {
  int64_t position = (int64_t)epoch * self->length;
  if (!make_states(self, true, &self->states, &self->streams, host)) return false;
  if (self->position < 0 || self->position > position) {
    begin_draws(self, self->seed, &self->states, self->streams);
    self->position = 0;
  }
  if (!go_to(self, position, n_drawn, host)) return false;
  self->position = -1;
  if (!draw_next(self, &self->states, self->streams, chunk, position, count, rows, values, host)) return false;
  self->position = position + count;
  return true;
}

static bool draw_tree(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  TreeSampler *self = instance;
  (void)generator; /* each node has its own */
  if (self->length == 0) return refuse(host, "length", "nothing", "be given for the arrays of a whole epoch");
  int64_t count = self->length; /* the batches may have more room, or less */
  if (self->batch_size <= count / self->n_batches) count = self->batch_size * self->n_batches;
  int64_t n_drawn = 0;
  for (int64_t i = 0; i < self->n_values; i++) n_drawn += is_drawn(&self->values[i]);
  int32_t *rows = host->vector(host, "rows", INTEGERS, count);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, self->n_batches + 1);
  double *values = offsets == NULL ? NULL : host->vector(host, "values", DOUBLES, n_drawn * count);
  TreeChunk chunk;
  if (values == NULL || !begin_chunk(self, count, &chunk, host)) return false;
  for (int64_t batch = 0; batch < self->n_batches; batch++) offsets[batch] = batch * self->batch_size;
  offsets[self->n_batches] = count;
  if (self->is_persistent) return draw_persistent(self, epoch, &chunk, count, rows, values, n_drawn, host);
  TreeStates states = {.keep = false};
  Generator *streams = NULL;
  if (!make_states(self, false, &states, &streams, host)) return false;
  begin_draws(self, epoch_seed(self->seed, epoch), &states, streams);
  return draw_next(self, &states, streams, &chunk, 0, count, rows, values, host);
}

const Kind tree_kind = {
    .name = "tree",
    .instance_bytes = sizeof(TreeSampler),
    .plan = plan_tree,
    .prepare = prepare_tree,
    .draw = draw_tree,
};
