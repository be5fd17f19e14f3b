/* Declared trees: how they are built from a table, and what they draw. */

#include <float.h>
#include <string.h>

#include "arguments.h"
#include "core/normal.h"
#include "core/stream.h"
#include "core/tree.h"
#include "core/tree_nodes.h"
#include "core/tree_pass.h"
#include "core/tree_weights.h"
#include "routines.h"

/* Arguments ------------------------------------------------------------------------------------------------------- */

/* Return the vector of a type that a list has under a name; NULL is refused. */
static SEXP vector_of(SEXP list, const char *name, SEXPTYPE type) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t i = 0; TYPEOF(list) == VECSXP && i < Rf_xlength(names); i++) {
    SEXP vector = VECTOR_ELT(list, i);
    if (strcmp(CHAR(STRING_ELT(names, i)), name) != 0) continue;
    if ((SEXPTYPE)TYPEOF(vector) != type) refuse_kind(vector, name, "be a vector of another type");
    if (Rf_xlength(vector) > LARGEST_COUNT) refuse(name, "have at most 2147483647 items", "more");
    return vector;
  }
  refuse(name, "be given", "nothing");
}

/* The same for a vector of a given length. */
static SEXP vector_of_length(SEXP list, const char *name, SEXPTYPE type, int64_t length) {
  SEXP vector = vector_of(list, name, type);
  if (Rf_xlength(vector) != length) refuse_kind(vector, name, "be as long as the vectors beside it");
  return vector;
}

/* Refuse integers that are not all in a range. */
static void check_integers(SEXP vector, const char *name, int least, int most) {
  const int *values = INTEGER(vector);
  for (R_xlen_t i = 0; i < Rf_xlength(vector); i++) {
    if (i % STEP == 0) R_CheckUserInterrupt();
    if (values[i] < least || values[i] > most) refuse(name, "have numbers in their range", "others");
  }
}

/* Allocate an array that exists until the routine has returned. */
static void *scratch_array(int64_t n_items, size_t item_size) {
  return (void *)R_alloc((size_t)(n_items > 0 ? n_items : 1), (int)item_size);
}

/* Building -------------------------------------------------------------------------------------------------------- */

/* The input from R about the declared nodes, one item for each: parents, counted from 0 and -1 for the root; codes,
 * n_values and taken of their columns; missing and prune, as in tree_nodes.h; and the input of Weights below.
 */
static NodeDeclaration *read_declared(SEXP declared, int64_t n_declared, int64_t n_rows) {
  const int *parents = INTEGER(vector_of(declared, "parents", INTSXP));
  SEXP codes = vector_of_length(declared, "codes", VECSXP, n_declared);
  SEXP taken = vector_of_length(declared, "taken", VECSXP, n_declared);
  SEXP n_values = vector_of_length(declared, "n_values", INTSXP, n_declared);
  SEXP missing = vector_of_length(declared, "missing", INTSXP, n_declared);
  SEXP prune = vector_of_length(declared, "prune", INTSXP, n_declared);
  check_integers(n_values, "n_values", 0, LARGEST_COUNT);
  check_integers(missing, "missing", MISSING_REFUSED, MISSING_LEFT_OUT);
  check_integers(prune, "prune", NEVER_PRUNED, PRUNED_WITH_PARENT);
  NodeDeclaration *nodes = scratch_array(n_declared, sizeof(NodeDeclaration));
  for (int64_t node = 0; node < n_declared; node++) {
    NodeDeclaration *mine = &nodes[node];
    SEXP own_codes = VECTOR_ELT(codes, (R_xlen_t)node), own_taken = VECTOR_ELT(taken, (R_xlen_t)node);
    mine->parent = parents[node];
    mine->n_values = INTEGER(n_values)[node];
    mine->missing = INTEGER(missing)[node];
    mine->prune = INTEGER(prune)[node];
    mine->codes = NULL;
    mine->taken = NULL;
    /* In preorder, the parent of a node is the node before it, or an ancestor of that node. */
    int64_t above = node - 1;
    while (above > mine->parent && above >= 0) above = parents[above];
    if (above != mine->parent) refuse("parents", "be those of nodes in preorder", "others");
    if (Rf_isNull(own_codes)) continue;
    if (TYPEOF(own_codes) != INTSXP || Rf_xlength(own_codes) != n_rows) {
      refuse_kind(own_codes, "codes", "be integers, one for each row");
    }
    check_integers(own_codes, "codes", -1, (int)mine->n_values - 1);
    mine->codes = INTEGER(own_codes);
    if (Rf_isNull(own_taken)) {
      if (node == 0) refuse("taken", "be given at the root", "nothing");
      continue;
    }
    if (TYPEOF(own_taken) != RAWSXP || Rf_xlength(own_taken) != mine->n_values + 1) {
      refuse_kind(own_taken, "taken", "be raw, one for missing values and one for each value");
    }
    const uint8_t *flags = RAW(own_taken);
    for (int64_t i = 0; i <= mine->n_values; i++) {
      if (flags[i] > 1) refuse("taken", "be 0 or 1", "another number");
    }
    mine->taken = flags;
  }
  return nodes;
}

/* Return the column of numbers that a list has at an index, NULL if there is none. */
static const double *numbers_at(SEXP columns, int64_t node, const char *name, int64_t n_rows) {
  SEXP column = VECTOR_ELT(columns, (R_xlen_t)node);
  if (Rf_isNull(column)) return NULL;
  if (TYPEOF(column) != REALSXP || Rf_xlength(column) != n_rows) {
    refuse_kind(column, name, "be doubles, one for each row");
  }
  return REAL(column);
}

/* The input from R about their weights: forms and modes, as in tree_weights.h and tree.h, fixed weights, and
 * columns. */
static WeightDeclaration *read_weighed(
    SEXP declared, const NodeDeclaration *nodes, int64_t n_declared, int64_t n_rows
) {
  SEXP forms = vector_of_length(declared, "forms", INTSXP, n_declared);
  SEXP modes = vector_of_length(declared, "modes", INTSXP, n_declared);
  SEXP weights = vector_of_length(declared, "weights", REALSXP, n_declared);
  SEXP summed = vector_of_length(declared, "summed", VECSXP, n_declared);
  SEXP row_weights = vector_of_length(declared, "row_weights", VECSXP, n_declared);
  check_integers(forms, "forms", NO_WEIGHT, COUNT_OF_ROWS);
  check_integers(modes, "modes", WITH_REPLACEMENT, SHUFFLED);
  WeightDeclaration *weighed = scratch_array(n_declared, sizeof(WeightDeclaration));
  for (int64_t node = 0; node < n_declared; node++) {
    WeightDeclaration *mine = &weighed[node];
    int is_leaf = node + 1 == n_declared || nodes[node + 1].parent != node;
    mine->form = INTEGER(forms)[node];
    mine->mode = INTEGER(modes)[node];
    mine->weight = REAL(weights)[node];
    mine->summed = numbers_at(summed, node, "summed", n_rows);
    mine->row_weights = numbers_at(row_weights, node, "row_weights", n_rows);
    if (!is_weight(mine->weight) || (mine->form == SUM_OF_ROWS) != (mine->summed != NULL) ||
        (mine->row_weights != NULL && !is_leaf)) {
      refuse("weights", "be numbers, sums of columns, or columns of leaves", "others");
    }
  }
  return weighed;
}

/* Build the nodes; return the outcome. */
static int build_all(NodeBuilding *building) {
  begin_nodes(building);
  for (;;) {
    int outcome = build_nodes(building, STEP);
    if (outcome != NODES_GO_ON) return outcome;
    if (building->wanted > 0) building->memory = (void *)R_alloc(building->wanted, 1);
    R_CheckUserInterrupt();
  }
}

static TreeNodes fill_all(NodeBuilding *building) {
  TreeNodes nodes;
  nodes.declared = scratch_array(building->n_nodes, sizeof(int32_t));
  nodes.values = scratch_array(building->n_nodes, sizeof(int32_t));
  nodes.parents = scratch_array(building->n_nodes, sizeof(int32_t));
  nodes.depths = scratch_array(building->n_nodes, sizeof(int32_t));
  nodes.offsets = scratch_array(building->n_nodes + 1, sizeof(int64_t));
  nodes.options = scratch_array(building->n_options, sizeof(int32_t));
  nodes.cursors = scratch_array(building->n_nodes, sizeof(int64_t));
  while (!fill_nodes(building, &nodes)) R_CheckUserInterrupt();
  return nodes;
}

static int weigh_all(Weighing *weighing, int64_t n_options) {
  weighing->chances = scratch_array(weighing->n_nodes, sizeof(double));
  weighing->sums = scratch_array(weighing->n_nodes, sizeof(double));
  weighing->clones = scratch_array(weighing->n_nodes, sizeof(int64_t));
  weighing->begins = scratch_array(weighing->n_declared + 2, sizeof(int64_t));
  weighing->weights = scratch_array(n_options, sizeof(double));
  begin_weighing(weighing);
  for (;;) {
    int outcome = weigh_nodes(weighing, STEP);
    if (outcome != WEIGHTS_GO_ON) return outcome;
    R_CheckUserInterrupt();
  }
}

static SEXP integers_of(const int32_t *values, int64_t count) {
  SEXP result = Rf_allocVector(INTSXP, (R_xlen_t)count);
  if (count > 0) memcpy(INTEGER(result), values, (size_t)count * sizeof(int32_t));
  return result;
}

/* Return list(refused, failed, emptied, path, values, n_missing, n_rows), nodes counted from 1, codes from 0. */
static SEXP refused_nodes(NodeBuilding *building, int outcome) {
  const char *names[] = {"refused", "failed", "emptied", "path", "values", "n_missing", "n_rows", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_mkString(outcome == VALUES_MISSING ? "missing" : "empty"));
  SET_VECTOR_ELT(result, 1, Rf_ScalarInteger((int)building->failed + 1));
  SET_VECTOR_ELT(result, 2, Rf_ScalarInteger((int)building->emptied + 1));
  if (outcome == NOTHING_TO_DRAW) {
    int64_t depth = building->clones[building->failed].depth;
    int64_t *nodes = scratch_array(depth + 1, sizeof(int64_t)), *values = scratch_array(depth + 1, sizeof(int64_t));
    tell_path(building, building->failed, building->failed_clone, nodes, values);
    SET_VECTOR_ELT(result, 3, Rf_allocVector(INTSXP, (R_xlen_t)depth + 1));
    SET_VECTOR_ELT(result, 4, Rf_allocVector(INTSXP, (R_xlen_t)depth + 1));
    for (int64_t i = 0; i <= depth; i++) {
      INTEGER(VECTOR_ELT(result, 3))[i] = (int)nodes[i] + 1;
      INTEGER(VECTOR_ELT(result, 4))[i] = (int)values[i];
    }
  }
  SET_VECTOR_ELT(result, 5, Rf_ScalarReal((double)building->n_missing));
  SET_VECTOR_ELT(result, 6, Rf_ScalarReal((double)building->n_looked_at));
  UNPROTECT(1);
  return result;
}

/* Return list(refused, failed, number, path, values), where `refused` is "row_weight", "weight" or "total". */
static SEXP refused_weights(const Weighing *weighing, int outcome) {
  const TreeNodes *nodes = weighing->nodes;
  const char *names[] = {"refused", "failed", "number", "path", "values", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal(weighing->refused));
  if (outcome == NUMBER_REFUSED) {
    SET_VECTOR_ELT(result, 0, Rf_mkString(weighing->of_rows ? "row_weight" : "weight"));
    SET_VECTOR_ELT(result, 1, Rf_ScalarInteger((int)weighing->failed + 1));
  } else {
    int32_t length = nodes->depths[weighing->failed] + 1;
    SET_VECTOR_ELT(result, 0, Rf_mkString("total"));
    SET_VECTOR_ELT(result, 1, Rf_ScalarInteger(nodes->declared[weighing->failed] + 1));
    SET_VECTOR_ELT(result, 3, Rf_allocVector(INTSXP, length));
    SET_VECTOR_ELT(result, 4, Rf_allocVector(INTSXP, length));
    for (int64_t node = weighing->failed; node >= 0; node = nodes->parents[node]) {
      INTEGER(VECTOR_ELT(result, 3))[nodes->depths[node]] = nodes->declared[node] + 1;
      INTEGER(VECTOR_ELT(result, 4))[nodes->depths[node]] = nodes->values[node];
    }
  }
  UNPROTECT(1);
  return result;
}

/* Return list(declared, values, parents, depths, counts, rows, weights, matter): for each node the declared one, from
 * 1, and the code of its clone, from 0; the parent and the depth; the rows of the leaves and their number for each; the
 * weights of the nodes if they matter, and the declared nodes for which they do.
 */
static SEXP built_tree(const NodeBuilding *building, const TreeNodes *nodes, const Weighing *weighing) {
  const char *names[] = {"declared", "values", "parents", "depths", "counts", "rows", "weights", "matter", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  int64_t n_nodes = building->n_nodes, n_leaves = 0, n_rows = 0, n_weights = 0;
  for (int64_t node = 0; node < n_nodes; node++) {
    int64_t n_options = nodes->offsets[node + 1] - nodes->offsets[node];
    if (is_leaf_of(nodes, n_nodes, node)) {
      n_leaves++;
      n_rows += n_options;
    }
    if (weighing->weighed[nodes->declared[node]].matter) n_weights += n_options;
  }
  SET_VECTOR_ELT(result, 0, integers_of(nodes->declared, n_nodes));
  SET_VECTOR_ELT(result, 1, integers_of(nodes->values, n_nodes));
  SET_VECTOR_ELT(result, 2, integers_of(nodes->parents, n_nodes));
  SET_VECTOR_ELT(result, 3, integers_of(nodes->depths, n_nodes));
  SET_VECTOR_ELT(result, 4, Rf_allocVector(INTSXP, (R_xlen_t)n_leaves));
  SET_VECTOR_ELT(result, 5, Rf_allocVector(INTSXP, (R_xlen_t)n_rows));
  SET_VECTOR_ELT(result, 6, Rf_allocVector(REALSXP, (R_xlen_t)n_weights));
  int *declared = INTEGER(VECTOR_ELT(result, 0)), *counts = INTEGER(VECTOR_ELT(result, 4));
  int *rows = INTEGER(VECTOR_ELT(result, 5));
  double *weights = REAL(VECTOR_ELT(result, 6));
  for (int64_t node = 0; node < n_nodes; node++) {
    int64_t begin = nodes->offsets[node], n_options = nodes->offsets[node + 1] - begin;
    if (weighing->weighed[declared[node]].matter) {
      memcpy(weights, weighing->weights + begin, (size_t)n_options * sizeof(double));
      weights += n_options;
    }
    declared[node] += 1;
    if (!is_leaf_of(nodes, n_nodes, node)) continue;
    *counts++ = (int)n_options;
    memcpy(rows, nodes->options + begin, (size_t)n_options * sizeof(int32_t));
    rows += n_options;
  }
  SET_VECTOR_ELT(result, 7, Rf_allocVector(LGLSXP, (R_xlen_t)building->n_declared));
  for (int64_t node = 0; node < building->n_declared; node++) {
    LOGICAL(VECTOR_ELT(result, 7))[node] = weighing->weighed[node].matter;
  }
  UNPROTECT(1);
  return result;
}

SEXP C_build_declared(SEXP n_rows, SEXP declared) {
  NodeBuilding building;
  building.n_rows = whole_number(n_rows, 1, LARGEST_COUNT, "n_rows");
  building.n_declared = Rf_xlength(vector_of(declared, "parents", INTSXP));
  if (building.n_declared < 1) refuse("parents", "have at least one node", "none");
  building.declared = read_declared(declared, building.n_declared, building.n_rows);
  building.clones = scratch_array(building.n_declared, sizeof(Clones));
  building.scratch = scratch_array(building.n_rows, sizeof(int32_t));
  Weighing weighing = {.declared = building.declared, .n_declared = building.n_declared};
  weighing.weighed = read_weighed(declared, building.declared, building.n_declared, building.n_rows);
  int outcome = build_all(&building);
  if (outcome != NODES_FOUND) return refused_nodes(&building, outcome);
  if (building.n_options > LARGEST_COUNT) {
    refuse("spec", "make at most 2147483647 nodes and rows of leaves", "more");
  }
  TreeNodes nodes = fill_all(&building);
  weighing.nodes = &nodes;
  weighing.n_nodes = building.n_nodes;
  outcome = weigh_all(&weighing, building.n_options);
  return outcome == WEIGHTS_FOUND ? built_tree(&building, &nodes, &weighing) : refused_weights(&weighing, outcome);
}

/* Drawing --------------------------------------------------------------------------------------------------------- */

/* What every epoch of a tree uses: vectors of R, which R code cannot reach, so that they remain valid after the check.
 *
 * Those from STATES on are the sequence of draws of a persistent sampler, at the end of its last epoch. It is only a
 * cache, because any epoch can be drawn from the first draw on.
 */
enum {
  MODES,            /* raw: int8_t, one for each node */
  LEAVES,           /* the same */
  REPEATS,          /* raw: int64_t, one for each node, like the next four */
  OFFSETS,          /* one more than there are nodes */
  CUMULATIVE_BEGIN,
  BY_DEPTH,
  DEPTHS,
  OPTIONS,          /* integers */
  CUMULATIVE,       /* doubles */
  LIMITS,           /* doubles: what is drawn besides the rows, as in C_prepare_declared() */
  STATES,           /* raw: NodeState */
  GENERATORS,       /* raw: Generator */
  POOLS,            /* integers */
  STREAMS,          /* raw: Generator, one for each of LIMITS */
  SEQUENCE,         /* raw: Sequence */
  N_PARTS
};

typedef struct {
  int64_t position; /* draws so far, -1 if the sequence is invalid */
  int64_t n_generators;
  int64_t n_pooled;
  uint32_t seed;
} Sequence;

/* Allocate an array that the tree keeps. */
static void *kept_array(SEXP tree, int part, int64_t n_items, size_t item_size) {
  SEXP memory = Rf_allocVector(RAWSXP, (R_xlen_t)((size_t)n_items * item_size));
  SET_VECTOR_ELT(tree, part, memory);
  return (void *)RAW(memory);
}

/* Check the depths of nodes in preorder, and find the leaves. */
static void read_shape(SEXP parts, int64_t n_nodes, SEXP tree) {
  const int *given = INTEGER(vector_of_length(parts, "depths", INTSXP, n_nodes));
  int8_t *leaves = kept_array(tree, LEAVES, n_nodes, sizeof(int8_t));
  for (int64_t node = 0; node < n_nodes; node++) {
    int deepest = node > 0 ? given[node - 1] + 1 : 0;
    if (given[node] < (node > 0) || given[node] > deepest) refuse("depths", "be those of nodes in preorder", "others");
    leaves[node] = node + 1 == n_nodes || given[node + 1] <= given[node];
  }
  int64_t *by_depth = kept_array(tree, BY_DEPTH, n_nodes, sizeof(int64_t));
  int64_t *depths = kept_array(tree, DEPTHS, n_nodes, sizeof(int64_t));
  int64_t *all = scratch_array(n_nodes, sizeof(int64_t)), *cursors = scratch_array(n_nodes, sizeof(int64_t));
  int64_t *begins = scratch_array(n_nodes + 1, sizeof(int64_t));
  memset(begins, 0, ((size_t)n_nodes + 1) * sizeof(int64_t));
  for (int64_t node = 0; node < n_nodes; node++) all[node] = given[node];
  count_members(all, 0, n_nodes, begins);
  begin_groups(n_nodes, begins, cursors);
  place_members(all, 0, n_nodes, cursors, by_depth);
  for (int64_t place = 0; place < n_nodes; place++) depths[place] = given[by_depth[place]];
}

/* Read the children of the inner nodes, which follow from their depths, and the rows of the leaves. */
static void read_options(SEXP parts, int64_t n_nodes, SEXP tree) {
  const int *depths = INTEGER(vector_of(parts, "depths", INTSXP));
  const int8_t *leaves = (const int8_t *)RAW(VECTOR_ELT(tree, LEAVES));
  int64_t n_leaves = 0, n_options = n_nodes - 1, place = 0, leaf = 0;
  for (int64_t node = 0; node < n_nodes; node++) n_leaves += leaves[node];
  SEXP counts = vector_of_length(parts, "counts", INTSXP, n_leaves), rows = vector_of(parts, "rows", INTSXP);
  check_integers(counts, "counts", 1, LARGEST_COUNT);
  int32_t n_rows = whole_number(vector_of(parts, "n_rows", REALSXP), 1, LARGEST_COUNT, "n_rows");
  check_integers(rows, "rows", 0, n_rows - 1);
  int64_t *offsets = kept_array(tree, OFFSETS, n_nodes + 1, sizeof(int64_t));
  int64_t *cursors = scratch_array(n_nodes, sizeof(int64_t)), *above = scratch_array(n_nodes, sizeof(int64_t));
  int64_t *parents = scratch_array(n_nodes, sizeof(int64_t));
  memset(offsets, 0, ((size_t)n_nodes + 1) * sizeof(int64_t));
  for (int64_t node = 0; node < n_nodes; node++) {
    above[depths[node]] = node; /* the last node of each depth */
    parents[node] = node > 0 ? above[depths[node] - 1] : -1;
    if (node > 0) offsets[parents[node] + 1]++;
    if (!leaves[node]) continue;
    offsets[node + 1] = INTEGER(counts)[leaf++];
    n_options += offsets[node + 1];
  }
  if (n_options - (n_nodes - 1) != Rf_xlength(rows)) refuse_kind(rows, "rows", "be those of the leaves");
  if (n_options > LARGEST_COUNT) refuse("rows", "be at most 2147483647 with the nodes", "more");
  begin_groups(n_nodes, offsets, cursors);
  SET_VECTOR_ELT(tree, OPTIONS, Rf_allocVector(INTSXP, (R_xlen_t)n_options));
  int *options = INTEGER(VECTOR_ELT(tree, OPTIONS));
  for (int64_t node = 0; node < n_nodes; node++) {
    int64_t n_own = offsets[node + 1] - offsets[node];
    if (node > 0) options[cursors[parents[node]]++] = (int)node;
    if (!leaves[node]) continue;
    memcpy(options + offsets[node], INTEGER(rows) + place, (size_t)n_own * sizeof(int));
    place += n_own;
  }
}

/* Read the modes, the repeats, and the weights of the nodes if they matter. */
static void read_modes(SEXP parts, int64_t n_nodes, SEXP tree) {
  const uint8_t *given = RAW(vector_of(parts, "modes", RAWSXP));
  const uint8_t *weighted = RAW(vector_of_length(parts, "weighted", RAWSXP, n_nodes));
  SEXP repeated = vector_of_length(parts, "repeats", INTSXP, n_nodes), weights = vector_of(parts, "weights", REALSXP);
  check_integers(repeated, "repeats", 1, LARGEST_COUNT);
  const int64_t *offsets = (const int64_t *)(void *)RAW(VECTOR_ELT(tree, OFFSETS));
  int8_t *modes = kept_array(tree, MODES, n_nodes, sizeof(int8_t));
  int64_t *repeats = kept_array(tree, REPEATS, n_nodes, sizeof(int64_t));
  int64_t *begins = kept_array(tree, CUMULATIVE_BEGIN, n_nodes, sizeof(int64_t));
  int64_t n_weights = 0;
  for (int64_t node = 0; node < n_nodes; node++) {
    if (given[node] > SHUFFLED) refuse("modes", "be from 0 to 2", "others");
    if (weighted[node] > (given[node] == WITH_REPLACEMENT)) {
      refuse("weighted", "be 0 or, if a node draws with replacement, 1", "others");
    }
    modes[node] = (int8_t)given[node];
    repeats[node] = INTEGER(repeated)[node];
    begins[node] = weighted[node] ? n_weights : -1;
    if (weighted[node]) n_weights += offsets[node + 1] - offsets[node];
  }
  if (n_weights != Rf_xlength(weights)) refuse_kind(weights, "weights", "be those of the weighted nodes");
  SET_VECTOR_ELT(tree, CUMULATIVE, Rf_allocVector(REALSXP, (R_xlen_t)n_weights));
  double *cumulative = REAL(VECTOR_ELT(tree, CUMULATIVE));
  for (int64_t i = 0; i < n_weights; i++) {
    if (i % STEP == 0) R_CheckUserInterrupt();
    if (!is_weight(REAL(weights)[i])) refuse("weights", "be finite and not negative", "others");
  }
  for (int64_t node = 0; node < n_nodes; node++) {
    if (!weighted[node]) continue;
    int64_t own[] = {begins[node], begins[node] + offsets[node + 1] - offsets[node]};
    cumulate(REAL(weights), own, 0, 1, cumulative);
    double total = cumulative[own[1] - 1];
    if (total < LEAST_TOTAL || total > DBL_MAX) refuse("weights", "have positive, finite sums", "others");
  }
}

SEXP C_prepare_declared(SEXP key, SEXP parts, SEXP limits) {
  if (TYPEOF(key) != ENVSXP) refuse_kind(key, "key", "be an environment");
  if (TYPEOF(limits) != REALSXP || Rf_xlength(limits) > LARGEST_COUNT) refuse_kind(limits, "limits", "be doubles");
  for (R_xlen_t i = 0; i < Rf_xlength(limits); i++) {
    double limit = REAL(limits)[i];
    if (!ISNA(limit) && !(limit >= 0 && limit <= LARGEST_EXACT)) {
      refuse("limits", "be from 0 to 2^53", "others");
    }
  }
  int64_t n_nodes = Rf_xlength(vector_of(parts, "modes", RAWSXP));
  if (n_nodes < 1) refuse("modes", "have at least one node", "none");
  SEXP tree = PROTECT(Rf_allocVector(VECSXP, N_PARTS));
  read_shape(parts, n_nodes, tree);
  read_options(parts, n_nodes, tree);
  read_modes(parts, n_nodes, tree);
  SET_VECTOR_ELT(tree, LIMITS, Rf_duplicate(limits));
  SEXP reference = R_MakeWeakRef(key, tree, R_NilValue, FALSE);
  UNPROTECT(1);
  return reference;
}

static DeclaredTree drawn_tree(SEXP tree, uint32_t seed) {
  DeclaredTree drawn = {
    .n_nodes = Rf_xlength(VECTOR_ELT(tree, MODES)),
    .modes = (const int8_t *)RAW(VECTOR_ELT(tree, MODES)),
    .leaves = (const int8_t *)RAW(VECTOR_ELT(tree, LEAVES)),
    .repeats = (const int64_t *)(void *)RAW(VECTOR_ELT(tree, REPEATS)),
    .offsets = (const int64_t *)(void *)RAW(VECTOR_ELT(tree, OFFSETS)),
    .options = INTEGER(VECTOR_ELT(tree, OPTIONS)),
    .cumulative_begin = (const int64_t *)(void *)RAW(VECTOR_ELT(tree, CUMULATIVE_BEGIN)),
    .cumulative = REAL(VECTOR_ELT(tree, CUMULATIVE)),
    .by_depth = (const int64_t *)(void *)RAW(VECTOR_ELT(tree, BY_DEPTH)),
    .depths = (const int64_t *)(void *)RAW(VECTOR_ELT(tree, DEPTHS)),
    .seed = seed
  };
  return drawn;
}

/* Draw the next rows, from 0, in a chunk whose scratch space has room for this number. */
static void draw_rows(const DeclaredTree *tree, TreeStates *states, TreeChunk *chunk, int64_t count, int32_t *rows) {
  if (count == 0) return;
  chunk->count = count;
  chunk->rows = rows;
  begin_chunk(tree, chunk);
  while (!draw_chunk(tree, states, chunk, STEP)) R_CheckUserInterrupt();
}

static TreeChunk new_chunk(int64_t n_nodes, int64_t count) {
  TreeChunk chunk;
  chunk.picked = scratch_array(count, sizeof(int32_t));
  chunk.here = scratch_array(count, sizeof(int32_t));
  chunk.below = scratch_array(count, sizeof(int32_t));
  chunk.begins = scratch_array(n_nodes, sizeof(int64_t));
  chunk.wanted = scratch_array(n_nodes, sizeof(int64_t));
  chunk.cursors = scratch_array(n_nodes, sizeof(int64_t));
  return chunk;
}

/* Draw the next numbers of a stream: uniform ones if the limit is 0, else indices below it. `numbers` may be NULL. */
static void draw_stream(Generator *stream, double limit, int64_t count, double *numbers) {
  double uniforms[BLOCK_SIZE];
  int64_t indices[BLOCK_SIZE];
  for (int64_t done = 0; done < count;) {
    int64_t wanted = count - done < BLOCK_SIZE ? count - done : BLOCK_SIZE;
    if (limit == 0) {
      draw_uniforms(stream, wanted, uniforms);
    } else {
      draw_numbers(stream, (uint64_t)limit, wanted, indices);
      for (int64_t i = 0; i < wanted; i++) uniforms[i] = (double)indices[i];
    }
    if (numbers != NULL) memcpy(numbers + done, uniforms, (size_t)wanted * sizeof(double));
    if (done / STEP != (done + wanted) / STEP) R_CheckUserInterrupt();
    done += wanted;
  }
}

/* Draw what belongs to the next `count` rows, into the vectors of a list, or discard it if the list is NULL. */
static void draw_streams(SEXP tree, Generator *streams, int64_t count, SEXP numbers) {
  SEXP limits = VECTOR_ELT(tree, LIMITS);
  for (R_xlen_t i = 0; i < Rf_xlength(limits); i++) {
    double limit = REAL(limits)[i];
    if (ISNA(limit)) continue;
    draw_stream(&streams[i], limit, count, Rf_isNull(numbers) ? NULL : REAL(VECTOR_ELT(numbers, i)));
  }
}

static void seed_streams(SEXP tree, uint32_t seed, Generator *streams) {
  int64_t n_nodes = Rf_xlength(VECTOR_ELT(tree, MODES));
  for (int64_t i = 0; i < Rf_xlength(VECTOR_ELT(tree, LIMITS)); i++) {
    seed_generator(&streams[i], stream_seed(seed, n_nodes + i));
  }
}

/* Return the sequence of draws of a tree that keeps its states; restart it if it is invalid. */
static Sequence *kept_sequence(SEXP tree, const DeclaredTree *drawn, int64_t position, TreeStates *states) {
  Sequence *sequence = NULL;
  if (!Rf_isNull(VECTOR_ELT(tree, SEQUENCE))) sequence = (Sequence *)(void *)RAW(VECTOR_ELT(tree, SEQUENCE));
  if (sequence == NULL) {
    TreeStatesSize size = tree_states_size(drawn, 1);
    kept_array(tree, STATES, size.nodes, sizeof(NodeState));
    kept_array(tree, GENERATORS, size.generators, sizeof(Generator));
    SET_VECTOR_ELT(tree, POOLS, Rf_allocVector(INTSXP, (R_xlen_t)size.pooled));
    kept_array(tree, STREAMS, Rf_xlength(VECTOR_ELT(tree, LIMITS)), sizeof(Generator));
    sequence = kept_array(tree, SEQUENCE, 1, sizeof(Sequence));
    sequence->position = -1;
  }
  states->keep = 1;
  states->nodes = (NodeState *)(void *)RAW(VECTOR_ELT(tree, STATES));
  states->generators = (Generator *)(void *)RAW(VECTOR_ELT(tree, GENERATORS));
  states->pools = INTEGER(VECTOR_ELT(tree, POOLS));
  if (sequence->position < 0 || sequence->position > position || sequence->seed != drawn->seed) {
    init_tree_states(states, drawn, 1, states->nodes, states->generators, states->pools);
    seed_streams(tree, drawn->seed, (Generator *)(void *)RAW(VECTOR_ELT(tree, STREAMS)));
    sequence->position = 0;
    sequence->seed = drawn->seed;
  } else {
    states->n_generators = sequence->n_generators;
    states->n_pooled = sequence->n_pooled;
  }
  return sequence;
}

/* Draw rows of an endless sequence from a position on; the last draws are remembered. */
static void draw_persistent(
    SEXP tree, const DeclaredTree *drawn, int64_t position, int64_t count, int32_t *rows, SEXP numbers
) {
  TreeStates states;
  Sequence *sequence = kept_sequence(tree, drawn, position, &states);
  Generator *streams = (Generator *)(void *)RAW(VECTOR_ELT(tree, STREAMS));
  int64_t at = sequence->position, most = count > STEP ? count : STEP;
  sequence->position = -1; /* invalid if the draws are interrupted */
  TreeChunk chunk = new_chunk(drawn->n_nodes, most);
  int32_t *skipped = at < position ? scratch_array(most, sizeof(int32_t)) : NULL;
  while (at < position) {
    int64_t step = position - at < most ? position - at : most;
    draw_rows(drawn, &states, &chunk, step, skipped);
    draw_streams(tree, streams, step, R_NilValue);
    at += step;
    R_CheckUserInterrupt();
  }
  draw_rows(drawn, &states, &chunk, count, rows);
  draw_streams(tree, streams, count, numbers);
  sequence->position = position + count;
  sequence->n_generators = states.n_generators;
  sequence->n_pooled = states.n_pooled;
}

/* Draw the first rows of a new sequence. */
static void draw_anew(SEXP tree, const DeclaredTree *drawn, int64_t count, int32_t *rows, SEXP numbers) {
  TreeStatesSize size = tree_states_size(drawn, 0);
  TreeStates states;
  init_tree_states(&states, drawn, 0, scratch_array(size.nodes, sizeof(NodeState)),
                   scratch_array(size.generators, sizeof(Generator)), scratch_array(size.pooled, sizeof(int32_t)));
  TreeChunk chunk = new_chunk(drawn->n_nodes, count);
  Generator *streams = scratch_array(Rf_xlength(VECTOR_ELT(tree, LIMITS)), sizeof(Generator));
  seed_streams(tree, drawn->seed, streams);
  draw_rows(drawn, &states, &chunk, count, rows);
  draw_streams(tree, streams, count, numbers);
}

SEXP C_draw_declared(SEXP reference, SEXP seed, SEXP count, SEXP length, SEXP epoch) {
  if (TYPEOF(reference) != WEAKREFSXP) refuse_kind(reference, "tree", "be what prepares the draws");
  uint32_t first = (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed");
  int64_t n_draws = whole_number(count, 1, LARGEST_COUNT, "count");
  int64_t n_apart = whole_number(length, (int32_t)n_draws, LARGEST_COUNT, "length");
  SEXP tree = PROTECT(R_WeakRefValue(reference));
  if (Rf_isNull(tree)) {
    UNPROTECT(1);
    return R_NilValue;
  }
  const char *names[] = {"rows", "numbers", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t)n_draws));
  SEXP limits = VECTOR_ELT(tree, LIMITS), numbers = Rf_allocVector(VECSXP, Rf_xlength(limits));
  SET_VECTOR_ELT(result, 1, numbers);
  for (R_xlen_t i = 0; i < Rf_xlength(limits); i++) {
    if (!ISNA(REAL(limits)[i])) SET_VECTOR_ELT(numbers, i, Rf_allocVector(REALSXP, (R_xlen_t)n_draws));
  }
  int *rows = INTEGER(VECTOR_ELT(result, 0));
  DeclaredTree drawn = drawn_tree(tree, first);
  if (Rf_isNull(epoch)) {
    draw_anew(tree, &drawn, n_draws, rows, numbers);
  } else {
    int64_t position = n_apart * whole_number(epoch, 0, LARGEST_EPOCH, "epoch");
    draw_persistent(tree, &drawn, position, n_draws, rows, numbers);
  }
  for (int64_t i = 0; i < n_draws; i++) rows[i] += 1; /* R counts from 1 */
  UNPROTECT(2);
  return result;
}

/* Other routines -------------------------------------------------------------------------------------------------- */

SEXP C_pass_length(SEXP tree, SEXP modes, SEXP repeats, SEXP node) {
  int64_t n_nodes = Rf_xlength(vector_of(tree, "depths", INTSXP)), leaf = 0;
  SEXP depths = vector_of(tree, "depths", INTSXP), parents = vector_of_length(tree, "parents", INTSXP, n_nodes);
  if (TYPEOF(modes) != RAWSXP || Rf_xlength(modes) != n_nodes) refuse_kind(modes, "modes", "be raw");
  if (TYPEOF(repeats) != INTSXP || Rf_xlength(repeats) != n_nodes) refuse_kind(repeats, "repeats", "be integers");
  check_integers(repeats, "repeats", 1, LARGEST_COUNT);
  int64_t at = whole_number(node, 1, (int32_t)n_nodes, "node") - INT64_C(1);
  SEXP counts = vector_of(tree, "counts", INTSXP);
  int64_t *offsets = scratch_array(n_nodes + 1, sizeof(int64_t)), *most = scratch_array(n_nodes, sizeof(int64_t));
  int64_t *repeated = scratch_array(n_nodes, sizeof(int64_t));
  memset(offsets, 0, ((size_t)n_nodes + 1) * sizeof(int64_t));
  for (int64_t i = 0; i < n_nodes; i++) {
    int parent = INTEGER(parents)[i];
    if (parent < (i > 0 ? 0 : -1) || parent >= (i > 0 ? i : 0)) refuse("parents", "be those of a tree", "others");
    repeated[i] = INTEGER(repeats)[i];
    if (i > 0) offsets[parent + 1]++;
    if (i + 1 < n_nodes && INTEGER(depths)[i + 1] > INTEGER(depths)[i]) continue;
    if (leaf == Rf_xlength(counts)) refuse("counts", "have a number for each leaf", "fewer");
    offsets[i + 1] = INTEGER(counts)[leaf++];
  }
  for (int64_t i = 0; i < n_nodes; i++) offsets[i + 1] += offsets[i];
  const int8_t *of_nodes = (const int8_t *)RAW(modes);
  int64_t wrong = find_replacement(of_nodes, INTEGER(parents), INTEGER(depths), n_nodes, at);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, 2));
  REAL(result)[0] = wrong >= 0 ? NA_REAL
    : (double)pass_length(INTEGER(parents), INTEGER(depths), offsets, repeated, n_nodes, at, most);
  REAL(result)[1] = wrong >= 0 ? (double)(wrong + 1) : NA_REAL;
  UNPROTECT(1);
  return result;
}

SEXP C_make_normal(SEXP uniforms, SEXP mean, SEXP deviation) {
  if (TYPEOF(uniforms) != REALSXP) refuse_kind(uniforms, "uniforms", "be doubles");
  SEXP result = PROTECT(Rf_duplicate(uniforms));
  for (R_xlen_t done = 0; done < Rf_xlength(result); done += STEP) {
    R_xlen_t left = Rf_xlength(result) - done;
    make_normal(left < STEP ? left : STEP, Rf_asReal(mean), Rf_asReal(deviation), REAL(result) + done);
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}
