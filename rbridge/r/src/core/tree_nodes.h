/* The nodes of a declared tree for a table: the rows that each node selects, clones, pruning, numbers in preorder.
 *
 * A declared node has one clone for each clone of its parent, or, if it clones, one for each value among the rows of
 * each of these. All clones of a declared node are handled together. They share no row, and their rows are stored one
 * clone after another, so that thousands of clones cost little more than one.
 *
 * The memory needed depends on the data. While the nodes are built, `wanted` is the number of bytes needed next: the
 * caller then sets `memory` to this number of bytes, aligned for int64_t and not cleared, and keeps them until the
 * nodes are filled in.
 */

#ifndef PYSTRAT_TREE_NODES_H
#define PYSTRAT_TREE_NODES_H

#include <stdint.h>
#include <string.h>

#include "grouping.h"

enum { MISSING_REFUSED = 0, MISSING_CLONED = 1, MISSING_LEFT_OUT = 2 };
enum { NEVER_PRUNED = 0, PRUNED_ALONE = 1, PRUNED_WITH_PARENT = 2 };

/* The state of building. The last two are refusals of the table or of the declaration. */
enum { NODES_GO_ON, NODES_FOUND, VALUES_MISSING, NOTHING_TO_DRAW };

/* A declared node. Declared nodes are in preorder: parents come before their children. */
typedef struct {
  int64_t parent;       /* -1 for the root */
  const int32_t *codes; /* the column of its condition or clones: a code for each row, -1 if missing; NULL: all rows */
  int64_t n_values;     /* the limit of the codes */
  const uint8_t *taken; /* 1 if rows meet the condition: missing ones, then those of each code; NULL: it clones */
  int missing;          /* what to do with missing values if it clones */
  int prune;            /* what to do with its clones that are empty */
} NodeDeclaration;

/* All clones of a declared node. */
typedef struct {
  int64_t depth;    /* of the node below the root */
  int64_t n_clones; /* at most as many as the table has rows */
  int64_t *begins;  /* n_clones + 1: the rows of clone c are at begins[c] to begins[c + 1] - 1 */
  int32_t *rows;    /* from 0, clone after clone; NULL: all rows of the table in order */
  int32_t *parents; /* the clone of the parent to which each belongs; NULL: the clone of the same number */
  int32_t *values;  /* the code for which each was made, n_values for missing values; NULL: none was made for a value */
  int64_t *sizes;   /* the number of nodes in the subtree of each; 0 if it is pruned */
  int64_t *numbers; /* of those that are not pruned: their numbers in preorder, from 0 */
  int64_t *cursors; /* scratch */
} Clones;

typedef struct {
  const NodeDeclaration *declared; /* n_declared, the first of which is the root */
  Clones *clones;                  /* n_declared, to be filled in */
  int32_t *scratch;                /* n_rows numbers */
  int64_t n_declared;
  int64_t n_rows; /* of the table, from 1 to 2^31 - 1 */
  size_t wanted;  /* bytes that the caller provides before it continues, 0 if none */
  void *memory;

  int64_t n_nodes;   /* the results, once the nodes are found */
  int64_t n_options; /* of all nodes: children, or rows at the leaves */

  int64_t failed;       /* of a refusal: the declared node, and its clone */
  int64_t failed_clone;
  int64_t emptied;      /* the declared node that may not be pruned: `failed`, or the node that it made empty */
  int64_t n_missing;    /* missing values among n_looked_at rows */
  int64_t n_looked_at;

  int task;        /* the progress, from here on */
  int64_t node;
  int64_t place;   /* the next of the parent's rows */
  int64_t clone;   /* the clone of the parent that has it */
  int64_t n_found; /* rows or clones so far */
  int32_t *last_clones; /* for each code, the last clone of the parent that had it, and the clone that was made */
  int32_t *made;
  int64_t table_size;
  int64_t whole[2];
  Clones table;    /* the parent of the root: one clone with all rows */
} NodeBuilding;

/* The next step of building; most steps are done for one declared node after another. */
enum {
  BEGIN_NODE,
  GET_FILTER,
  FILTER_ROWS,
  GET_ROWS,
  GET_TABLE,
  CLEAR_TABLE,
  TELL_CLONES,
  GET_CLONES,
  COUNT_ROWS,
  PLACE_ROWS,
  GET_STATES,
  FIND_EMPTY,
  NUMBER_NODES,
  TELL_NODES,
  GROUP_OPTIONS,
  FILL_OPTIONS
};

/* The nodes in order of their numbers. The caller owns the arrays. */
typedef struct {
  int32_t *declared; /* n_nodes, like the next three: the declared node of each */
  int32_t *values;   /* the code for which its clone was made, the number of values for missing values; else -1 */
  int32_t *parents;  /* -1 for the root */
  int32_t *depths;   /* the depth below the root */
  int64_t *offsets;  /* n_nodes + 1: the beginning of the options of each */
  int32_t *options;  /* n_options: children, or rows at the leaves */
  int64_t *cursors;  /* n_nodes, scratch */
} TreeNodes;

/* Begin to build; the caller has set the fields up to n_rows. */
static inline void begin_nodes(NodeBuilding *building) {
  building->wanted = 0;
  building->memory = NULL;
  building->n_nodes = building->n_options = 0;
  building->failed = building->failed_clone = building->emptied = -1;
  building->n_missing = building->n_looked_at = 0;
  building->task = BEGIN_NODE;
  building->node = 0;
  building->last_clones = building->made = NULL;
  building->table_size = 0;
  building->whole[0] = 0;
  building->whole[1] = building->n_rows;
  memset(&building->table, 0, sizeof(Clones));
  building->table.depth = -1;
  building->table.n_clones = 1;
}

/* The clones to which those of a declared node belong. */
static inline Clones *clones_above(NodeBuilding *building, int64_t node) {
  int64_t parent = building->declared[node].parent;
  building->table.begins = building->whole;
  return parent < 0 ? &building->table : &building->clones[parent];
}

static inline int has_children(const NodeBuilding *building, int64_t node) {
  return node + 1 < building->n_declared && building->declared[node + 1].parent == node;
}

static inline int64_t parent_clone(const Clones *clones, int64_t clone) {
  return clones->parents ? clones->parents[clone] : clone;
}

static inline int32_t row_at(const Clones *clones, int64_t place) {
  return clones->rows ? clones->rows[place] : (int32_t)place;
}

static inline int64_t count_rows(const Clones *clones, int64_t clone) {
  return clones->begins[clone + 1] - clones->begins[clone];
}

/* The size of an array in bytes, rounded up, so that another may follow. */
static inline size_t array_bytes(int64_t n_items, size_t item_size) {
  return ((size_t)n_items * item_size + sizeof(int64_t) - 1) / sizeof(int64_t) * sizeof(int64_t);
}

/* Take an array out of the memory that the caller has provided. */
static inline void *take_array(NodeBuilding *building, int64_t n_items, size_t item_size) {
  char *array = building->memory;
  building->memory = array + array_bytes(n_items, item_size);
  return array;
}

/* Request memory, and set the next step. */
static inline void want_memory(NodeBuilding *building, size_t bytes, int task) {
  building->wanted = bytes;
  building->task = task;
}

static inline void want_states(NodeBuilding *building, const Clones *mine) {
  want_memory(building, 3 * array_bytes(mine->n_clones, sizeof(int64_t)), GET_STATES);
}

/* Begin a declared node: determine what it selects of its parent's clones. */
static inline void begin_node(NodeBuilding *building) {
  const NodeDeclaration *declared = &building->declared[building->node];
  const Clones *above = clones_above(building, building->node);
  Clones *mine = &building->clones[building->node];
  *mine = *above;
  mine->depth = above->depth + 1;
  mine->parents = mine->values = NULL;
  building->place = building->clone = building->n_found = building->n_missing = 0;
  building->n_looked_at = above->begins[above->n_clones];
  if (declared->codes == NULL) {
    want_states(building, mine);
  } else if (declared->taken != NULL) {
    want_memory(building, array_bytes(mine->n_clones + 1, sizeof(int64_t)), GET_FILTER);
  } else if (declared->n_values + 1 > building->table_size) {
    building->table_size = declared->n_values + 1;
    want_memory(building, 2 * array_bytes(building->table_size, sizeof(int32_t)), GET_TABLE);
  } else {
    building->task = CLEAR_TABLE;
  }
}

/* The end of the next rows, at most at_most. */
static inline int64_t end_of_step(const NodeBuilding *building, int64_t at_most) {
  int64_t left = building->n_looked_at - building->place;
  return building->place + (left < at_most ? left : at_most);
}

/* Write the rows that meet the condition into the scratch space, and the beginning of those of each clone. */
static inline void filter_rows(NodeBuilding *building, int64_t at_most) {
  const NodeDeclaration *declared = &building->declared[building->node];
  const Clones *above = clones_above(building, building->node);
  Clones *mine = &building->clones[building->node];
  int32_t *kept = building->scratch;
  int64_t n_kept = building->n_found, clone = building->clone, end = end_of_step(building, at_most);
  for (int64_t place = building->place; place < end; place++) {
    while (above->begins[clone + 1] <= place) mine->begins[++clone] = n_kept;
    int32_t row = row_at(above, place);
    kept[n_kept] = row;
    n_kept += declared->taken[declared->codes[row] + 1];
  }
  building->n_found = n_kept;
  building->clone = clone;
  building->place = end;
  if (end < building->n_looked_at) return;
  while (clone < mine->n_clones) mine->begins[++clone] = n_kept;
  want_memory(building, array_bytes(n_kept, sizeof(int32_t)), GET_ROWS);
}

/* Write the clone of each row into the scratch space, -1 for none; return whether values may be missing. */
static inline int tell_clones(NodeBuilding *building, int64_t at_most) {
  const NodeDeclaration *declared = &building->declared[building->node];
  const Clones *above = clones_above(building, building->node);
  int32_t *clones = building->scratch;
  int64_t n_clones = building->n_found, clone = building->clone, end = end_of_step(building, at_most);
  for (int64_t place = building->place; place < end; place++) {
    while (above->begins[clone + 1] <= place) clone++;
    int64_t code = declared->codes[row_at(above, place)];
    if (code < 0) {
      building->n_missing++;
      if (declared->missing != MISSING_CLONED) {
        clones[place] = -1;
        continue;
      }
      code = declared->n_values;
    }
    if (building->last_clones[code] != clone) {
      building->last_clones[code] = (int32_t)clone;
      building->made[code] = (int32_t)n_clones++;
    }
    clones[place] = building->made[code];
  }
  building->n_found = n_clones;
  building->clone = clone;
  building->place = end;
  if (end < building->n_looked_at) return 1;
  if (building->n_missing > 0 && declared->missing == MISSING_REFUSED) {
    building->failed = building->node;
    return 0;
  }
  size_t rows = array_bytes(building->n_looked_at - (declared->missing == MISSING_LEFT_OUT ? building->n_missing : 0),
                            sizeof(int32_t));
  size_t of_clones = 2 * array_bytes(n_clones, sizeof(int32_t)) + array_bytes(n_clones + 1, sizeof(int64_t));
  want_memory(building, rows + of_clones + 3 * array_bytes(n_clones, sizeof(int64_t)), GET_CLONES);
  return 1;
}

/* Take the memory for the states of the clones; the sums over children begin with 0. */
static inline void get_states(NodeBuilding *building, Clones *mine) {
  mine->sizes = take_array(building, mine->n_clones, sizeof(int64_t));
  mine->numbers = take_array(building, mine->n_clones, sizeof(int64_t));
  mine->cursors = take_array(building, mine->n_clones, sizeof(int64_t));
  for (int64_t clone = 0; clone < mine->n_clones; clone++) mine->sizes[clone] = 0;
}

/* Take the memory for the clones that are made for values. */
static inline void get_clones(NodeBuilding *building) {
  const NodeDeclaration *declared = &building->declared[building->node];
  Clones *mine = &building->clones[building->node];
  int64_t n_rows = building->n_looked_at - (declared->missing == MISSING_LEFT_OUT ? building->n_missing : 0);
  mine->n_clones = building->n_found;
  mine->rows = take_array(building, n_rows, sizeof(int32_t));
  mine->parents = take_array(building, mine->n_clones, sizeof(int32_t));
  mine->values = take_array(building, mine->n_clones, sizeof(int32_t));
  mine->begins = take_array(building, mine->n_clones + 1, sizeof(int64_t));
  get_states(building, mine);
  mine->begins[0] = 0;
  building->place = building->clone = building->n_found = 0;
  building->task = COUNT_ROWS;
}

/* Count the rows of each clone that is made for a value, and store its value and its clone of the parent. */
static inline void count_rows_of_clones(NodeBuilding *building, int64_t at_most) {
  const NodeDeclaration *declared = &building->declared[building->node];
  const Clones *above = clones_above(building, building->node);
  Clones *mine = &building->clones[building->node];
  int64_t end = end_of_step(building, at_most), clone = building->clone;
  for (int64_t place = building->place; place < end; place++) {
    while (above->begins[clone + 1] <= place) clone++;
    int64_t own = building->scratch[place];
    if (own < 0) continue;
    if (own == building->n_found) {
      int32_t code = declared->codes[row_at(above, place)];
      mine->values[own] = code < 0 ? (int32_t)declared->n_values : code;
      mine->parents[own] = (int32_t)clone;
      mine->begins[own + 1] = 0;
      building->n_found++;
    }
    mine->begins[own + 1]++;
  }
  building->clone = clone;
  building->place = end;
  if (end < building->n_looked_at) return;
  begin_groups(mine->n_clones, mine->begins, mine->cursors);
  building->place = 0;
  building->task = PLACE_ROWS;
}

static inline void place_rows_of_clones(NodeBuilding *building, int64_t at_most) {
  const Clones *above = clones_above(building, building->node);
  Clones *mine = &building->clones[building->node];
  int64_t end = end_of_step(building, at_most);
  for (int64_t place = building->place; place < end; place++) {
    int64_t own = building->scratch[place];
    if (own >= 0) mine->rows[mine->cursors[own]++] = row_at(above, place);
  }
  building->place = end;
}

/* Whether a declared node is below another. */
static inline int is_below(const NodeBuilding *building, int64_t node, int64_t other) {
  while (node > other) node = building->declared[node].parent;
  return node == other;
}

/* Find the empty clones of a declared node, and update the parent's clones. Children come before their parents. */
static inline void find_empty(NodeBuilding *building, int64_t node) {
  const Clones *above = clones_above(building, node);
  Clones *mine = &building->clones[node];
  int prune = building->declared[node].prune, is_leaf = !has_children(building, node), any_empty = 0;
  for (int64_t clone = 0; clone < mine->n_clones; clone++) {
    /* Below 0: a child has pruned it, too. For inner nodes, 0 means that no child is left. */
    int64_t size = is_leaf ? count_rows(mine, clone) > 0 : mine->sizes[clone] > 0 ? mine->sizes[clone] + 1 : 0;
    mine->sizes[clone] = size;
    any_empty |= size == 0;
    if (node == 0) break;
    int64_t *size_above = &above->sizes[parent_clone(mine, clone)];
    if (size == 0 && prune == PRUNED_WITH_PARENT) {
      *size_above = -1;
    } else if (*size_above >= 0) {
      *size_above += size;
    }
  }
  /* If several nodes are empty and may not be, the first one counts; children are before their parents. */
  if (any_empty && (node == 0 || prune == NEVER_PRUNED)) {
    if (building->emptied < 0 || !is_below(building, building->emptied, node)) building->emptied = node;
  }
}

/* Find the clone that made a clone empty that may not be pruned: downwards from node to node, by those that prune their
 * parents, too.
 */
static inline void find_culprit(NodeBuilding *building) {
  int64_t node = building->emptied, clone = 0;
  while (building->clones[node].sizes[clone] > 0) clone++;
  building->failed = node;
  building->failed_clone = clone;
  for (int64_t child = node + 1; child < building->n_declared && building->declared[child].parent >= node; child++) {
    const Clones *mine = &building->clones[child];
    if (building->declared[child].parent != building->failed || building->declared[child].prune != PRUNED_WITH_PARENT) {
      continue;
    }
    for (clone = 0; clone < mine->n_clones; clone++) {
      if (mine->sizes[clone] == 0 && parent_clone(mine, clone) == building->failed_clone) break;
    }
    if (clone == mine->n_clones) continue;
    building->failed = child;
    building->failed_clone = clone;
  }
}

/* Number the remaining clones of a declared node, and prune those below the removed ones. */
static inline void number_clones(NodeBuilding *building, int64_t node) {
  const Clones *above = clones_above(building, node);
  Clones *mine = &building->clones[node];
  int is_leaf = !has_children(building, node);
  for (int64_t clone = 0; clone < mine->n_clones; clone++) {
    int64_t parent = parent_clone(mine, clone);
    if (node > 0 && above->sizes[parent] == 0) mine->sizes[clone] = 0;
    if (mine->sizes[clone] == 0) continue;
    mine->numbers[clone] = node > 0 ? above->cursors[parent] : 0;
    mine->cursors[clone] = mine->numbers[clone] + 1;
    if (node > 0) above->cursors[parent] += mine->sizes[clone];
    building->n_options += (is_leaf ? count_rows(mine, clone) : 0) + (node > 0);
  }
}

/* Continue with the next declared node, or with pruning after the last one. */
static inline void end_node(NodeBuilding *building) {
  building->task = BEGIN_NODE;
  if (++building->node == building->n_declared) {
    building->task = FIND_EMPTY;
    building->node--;
  }
}

/* Continue building by a step over at most at_most rows, or over the clones of one declared node; return the state.
 * With NODES_GO_ON, `wanted` may request memory.
 */
static inline int build_nodes(NodeBuilding *building, int64_t at_most) {
  Clones *mine = &building->clones[building->node];
  building->wanted = 0;
  switch (building->task) {
    case BEGIN_NODE: begin_node(building); break;
    case GET_FILTER:
      mine->begins = take_array(building, mine->n_clones + 1, sizeof(int64_t));
      mine->begins[0] = 0;
      building->task = FILTER_ROWS;
      break;
    case FILTER_ROWS: filter_rows(building, at_most); break;
    case GET_ROWS:
      mine->rows = take_array(building, building->n_found, sizeof(int32_t));
      memcpy(mine->rows, building->scratch, (size_t)building->n_found * sizeof(int32_t));
      want_states(building, mine);
      break;
    case GET_TABLE:
      building->last_clones = take_array(building, building->table_size, sizeof(int32_t));
      building->made = take_array(building, building->table_size, sizeof(int32_t));
      building->task = CLEAR_TABLE;
      break;
    case CLEAR_TABLE:
      memset(building->last_clones, 0xFF, (size_t)building->table_size * sizeof(int32_t)); /* -1 everywhere */
      building->task = TELL_CLONES;
      break;
    case TELL_CLONES:
      if (!tell_clones(building, at_most)) return VALUES_MISSING;
      break;
    case GET_CLONES: get_clones(building); break;
    case COUNT_ROWS: count_rows_of_clones(building, at_most); break;
    case PLACE_ROWS:
      place_rows_of_clones(building, at_most);
      if (building->place == building->n_looked_at) end_node(building);
      break;
    case GET_STATES:
      get_states(building, mine);
      end_node(building);
      break;
    case FIND_EMPTY:
      find_empty(building, building->node);
      if (--building->node >= 0) break;
      building->node = 0;
      building->task = NUMBER_NODES;
      if (building->emptied < 0) break;
      find_culprit(building);
      return NOTHING_TO_DRAW;
    default:
      number_clones(building, building->node);
      if (++building->node < building->n_declared) break;
      building->n_nodes = building->clones[0].sizes[0];
      building->node = 0;
      building->task = TELL_NODES;
      return NODES_FOUND;
  }
  return NODES_GO_ON;
}

/* Store the remaining clones of a declared node. The offsets get the number of options of each. */
static inline void tell_nodes(NodeBuilding *building, int64_t node, TreeNodes *nodes) {
  const Clones *above = clones_above(building, node);
  const Clones *mine = &building->clones[node];
  int is_leaf = !has_children(building, node);
  for (int64_t clone = 0; clone < mine->n_clones; clone++) {
    if (mine->sizes[clone] == 0) continue;
    int64_t number = mine->numbers[clone];
    int64_t parent = node > 0 ? above->numbers[parent_clone(mine, clone)] : -1;
    nodes->declared[number] = (int32_t)node;
    nodes->values[number] = mine->values ? mine->values[clone] : -1;
    nodes->parents[number] = (int32_t)parent;
    nodes->depths[number] = (int32_t)mine->depth;
    nodes->offsets[number + 1] = is_leaf ? count_rows(mine, clone) : 0;
    if (node > 0) nodes->offsets[parent + 1]++; /* parents have been stored before */
  }
}

/* Write the rows of the remaining clones of a declared leaf. */
static inline void fill_options(NodeBuilding *building, int64_t node, TreeNodes *nodes) {
  const Clones *mine = &building->clones[node];
  for (int64_t clone = 0; clone < mine->n_clones; clone++) {
    if (mine->sizes[clone] == 0) continue;
    int32_t *options = nodes->options + nodes->offsets[mine->numbers[clone]];
    for (int64_t place = mine->begins[clone]; place < mine->begins[clone + 1]; place++) {
      *options++ = row_at(mine, place);
    }
  }
}

/* Continue filling in the nodes that were found, by those of one declared node; return whether all are filled in. */
static inline int fill_nodes(NodeBuilding *building, TreeNodes *nodes) {
  if (building->task == TELL_NODES) {
    if (building->node == 0) nodes->offsets[0] = 0;
    tell_nodes(building, building->node, nodes);
    if (++building->node == building->n_declared) building->task = GROUP_OPTIONS;
    return 0;
  }
  if (building->task == GROUP_OPTIONS) {
    begin_groups(building->n_nodes, nodes->offsets, nodes->cursors);
    for (int64_t node = 1; node < building->n_nodes; node++) {
      nodes->options[nodes->cursors[nodes->parents[node]]++] = (int32_t)node;
    }
    building->node = 0;
    building->task = FILL_OPTIONS;
    return 0;
  }
  if (!has_children(building, building->node)) fill_options(building, building->node, nodes);
  return ++building->node == building->n_declared;
}

/* Mark, or unmark, the rows of the remaining clones of a declared node. */
static inline void mark_rows(const Clones *clones, uint8_t mark, uint8_t *marks) {
  for (int64_t clone = 0; clone < clones->n_clones; clone++) {
    if (clones->sizes[clone] == 0) continue;
    for (int64_t place = clones->begins[clone]; place < clones->begins[clone + 1]; place++) {
      marks[row_at(clones, place)] = mark;
    }
  }
}

/* Count, for each node made from a declared one, the rows that it selects, and those of them that none of its children
 * takes, if it has any.
 *
 * `marks` is scratch space for one byte for each row of the table, all 0.
 */
static inline void count_node_rows(
    const NodeBuilding *building, int64_t node, uint8_t *marks, int64_t *node_rows, int64_t *untaken
) {
  const Clones *mine = &building->clones[node];
  int is_leaf = !has_children(building, node);
  for (int64_t child = node + 1; child < building->n_declared; child++) {
    if (building->declared[child].parent == node) mark_rows(&building->clones[child], 1, marks);
  }
  for (int64_t clone = 0; clone < mine->n_clones; clone++) {
    if (mine->sizes[clone] == 0) continue;
    int64_t number = mine->numbers[clone], left = 0;
    for (int64_t place = mine->begins[clone]; place < mine->begins[clone + 1] && !is_leaf; place++) {
      left += marks[row_at(mine, place)] == 0;
    }
    node_rows[number] = count_rows(mine, clone);
    untaken[number] = left;
  }
  if (!is_leaf) mark_rows(mine, 0, marks);
}

/* Store, for a clone and its ancestors, by depth, the declared node of each, and the code for which it was made, -1 for
 * none: what a message needs to name the clone.
 */
static inline void tell_path(
    NodeBuilding *building, int64_t node, int64_t clone, int64_t *declared, int64_t *values
) {
  for (;;) {
    const Clones *mine = &building->clones[node];
    declared[mine->depth] = node;
    values[mine->depth] = mine->values ? mine->values[clone] : -1;
    if (node == 0) return;
    clone = parent_clone(mine, clone);
    node = building->declared[node].parent;
  }
}

#endif
