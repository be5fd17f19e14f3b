/* The nodes of a declared tree for a table: the rows that each node selects, clones, pruning, numbers in preorder.
 *
 * A declared node has one clone for each clone of its parent, or, if it clones, one for each value among the rows of
 * each of these. All clones of a declared node are handled together. They share no row, and their rows are stored one
 * clone after another, so that thousands of clones cost little more than one.
 */

#ifndef PYSTRAT_TREE_NODES_H
#define PYSTRAT_TREE_NODES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "grouping.h"
#include "host.h"

enum { MISSING_REFUSED = 0, MISSING_CLONED = 1, MISSING_LEFT_OUT = 2 };
enum { NEVER_PRUNED = 0, PRUNED_ALONE = 1, PRUNED_WITH_PARENT = 2 };

/* How building ends. The last two are refusals of the table or of the declaration. */
enum { NODES_FAILED, NODES_FOUND, VALUES_MISSING, NOTHING_TO_DRAW };

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

  int64_t n_nodes;   /* the results, once the nodes are found */
  int64_t n_options; /* of all nodes: children, or rows at the leaves */

  int64_t failed;       /* of a refusal: the declared node, and its clone */
  int64_t failed_clone;
  int64_t emptied;      /* the declared node that may not be pruned: `failed`, or the node that it made empty */
  int64_t n_missing;    /* missing values among n_looked_at rows */
  int64_t n_looked_at;

  int32_t *last_clones; /* for each code, the last clone of the parent that had it, and the clone that was made */
  int32_t *made;
  int64_t table_size;
  int64_t whole[2];
  Clones table;    /* the parent of the root: one clone with all rows */
} NodeBuilding;

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

/* The clones to which those of a declared node belong. */
static inline Clones *clones_above(NodeBuilding *building, int64_t node) {
  int64_t parent = building->declared[node].parent;
  building->table.begins = building->whole;
  return parent < 0 ? &building->table : &building->clones[parent];
}

static inline bool has_children(const NodeBuilding *building, int64_t node) {
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

/* The end of the next rows, before which the host is asked whether to go on. */
static inline int64_t next_end(int64_t place, int64_t n_rows, Host *host) {
  return place > 0 && !host->go_on(host) ? -1 : smaller(place + GO_ON_ROWS, n_rows);
}

/* Select the rows that meet the condition of a declared node. */
static inline bool filter_rows(NodeBuilding *building, int64_t node, Host *host) {
  const Clones *above = clones_above(building, node);
  Clones *mine = &building->clones[node];
  const int32_t *codes = building->declared[node].codes;
  const uint8_t *taken = building->declared[node].taken;
  int32_t *kept = building->scratch;
  int64_t n_kept = 0, clone = 0, n_rows = building->n_looked_at;
  mine->begins = host->memory(host, FOR_THE_CALL, (mine->n_clones + 1) * (int64_t)sizeof *mine->begins);
  if (mine->begins == NULL) return false;
  mine->begins[0] = 0;
  for (int64_t place = 0; place < n_rows;) {
    int64_t end = next_end(place, n_rows, host);
    if (end < 0) return false;
    for (; place < end; place++) {
      while (above->begins[clone + 1] <= place) mine->begins[++clone] = n_kept;
      int32_t row = row_at(above, place);
      kept[n_kept] = row;
      n_kept += taken[codes[row] + 1];
    }
  }
  while (clone < mine->n_clones) mine->begins[++clone] = n_kept;
  mine->rows = host->memory(host, FOR_THE_CALL, n_kept * (int64_t)sizeof *mine->rows);
  if (mine->rows == NULL) return false;
  memcpy(mine->rows, kept, (size_t)n_kept * sizeof *mine->rows);
  return true;
}

/* Write the clone of each row into the scratch space, -1 for none; return the number of clones, -1 after a failure. */
static inline int64_t tell_clones(NodeBuilding *building, int64_t node, Host *host) {
  const NodeDeclaration *declared = &building->declared[node];
  const Clones *above = clones_above(building, node);
  const int32_t *codes = declared->codes;
  int32_t *clones = building->scratch, *last_clones = building->last_clones, *made = building->made;
  int64_t n_clones = 0, clone = 0, n_rows = building->n_looked_at, n_missing = 0;
  memset(last_clones, 0xFF, (size_t)building->table_size * sizeof *last_clones); /* -1 everywhere */
  for (int64_t place = 0; place < n_rows;) {
    int64_t end = next_end(place, n_rows, host);
    if (end < 0) return -1;
    for (; place < end; place++) {
      while (above->begins[clone + 1] <= place) clone++;
      int64_t code = codes[row_at(above, place)];
      if (code < 0) {
        n_missing++;
        if (declared->missing != MISSING_CLONED) {
          clones[place] = -1;
          continue;
        }
        code = declared->n_values;
      }
      if (last_clones[code] != clone) {
        last_clones[code] = (int32_t)clone;
        made[code] = (int32_t)n_clones++;
      }
      clones[place] = made[code];
    }
  }
  building->n_missing = n_missing;
  return n_clones;
}

/* Count the rows of each clone that is made for a value, and store its value and its clone of the parent. */
static inline bool count_rows_of_clones(NodeBuilding *building, int64_t node, Host *host) {
  const NodeDeclaration *declared = &building->declared[node];
  const Clones *above = clones_above(building, node);
  Clones *mine = &building->clones[node];
  const int32_t *clones = building->scratch;
  int64_t clone = 0, n_found = 0, n_rows = building->n_looked_at;
  mine->begins[0] = 0;
  for (int64_t place = 0; place < n_rows;) {
    int64_t end = next_end(place, n_rows, host);
    if (end < 0) return false;
    for (; place < end; place++) {
      while (above->begins[clone + 1] <= place) clone++;
      int64_t own = clones[place];
      if (own < 0) continue;
      if (own == n_found) {
        int32_t code = declared->codes[row_at(above, place)];
        mine->values[own] = code < 0 ? (int32_t)declared->n_values : code;
        mine->parents[own] = (int32_t)clone;
        mine->begins[own + 1] = 0;
        n_found++;
      }
      mine->begins[own + 1]++;
    }
  }
  return true;
}

/* Make the clones of a declared node for the values of its column. */
static inline bool make_clones(NodeBuilding *building, int64_t node, int64_t n_clones, Host *host) {
  const Clones *above = clones_above(building, node);
  Clones *mine = &building->clones[node];
  bool leaves_out = building->declared[node].missing == MISSING_LEFT_OUT;
  int64_t n_rows = building->n_looked_at, n_kept = n_rows - (leaves_out ? building->n_missing : 0);
  mine->n_clones = n_clones;
  mine->begins = host->memory(host, FOR_THE_CALL, (2 * n_clones + 1) * (int64_t)sizeof *mine->begins);
  mine->rows = host->memory(host, FOR_THE_CALL, (n_kept + 2 * n_clones) * (int64_t)sizeof *mine->rows);
  if (mine->begins == NULL || mine->rows == NULL) return false;
  mine->parents = mine->rows + n_kept;
  mine->values = mine->parents + n_clones;
  if (!count_rows_of_clones(building, node, host)) return false;
  int64_t *cursors = mine->begins + n_clones + 1;
  begin_groups(n_clones, mine->begins, cursors);
  for (int64_t place = 0; place < n_rows;) {
    int64_t end = next_end(place, n_rows, host);
    if (end < 0) return false;
    for (; place < end; place++) {
      int64_t own = building->scratch[place];
      if (own >= 0) mine->rows[cursors[own]++] = row_at(above, place);
    }
  }
  return true;
}

/* Make room for the codes of a declared node. */
static inline bool make_table(NodeBuilding *building, int64_t node, Host *host) {
  int64_t size = building->declared[node].n_values + 1;
  if (size <= building->table_size) return true;
  building->last_clones = host->memory(host, FOR_THE_CALL, 2 * size * (int64_t)sizeof *building->last_clones);
  if (building->last_clones == NULL) return false;
  building->made = building->last_clones + size;
  building->table_size = size;
  return true;
}

/* Determine what a declared node selects of its parent's clones; return NODES_FOUND, or why that fails. */
static inline int select_rows(NodeBuilding *building, int64_t node, Host *host) {
  const NodeDeclaration *declared = &building->declared[node];
  const Clones *above = clones_above(building, node);
  Clones *mine = &building->clones[node];
  *mine = *above;
  mine->depth = above->depth + 1;
  mine->parents = mine->values = NULL;
  building->n_missing = 0;
  building->n_looked_at = above->begins[above->n_clones];
  if (declared->codes != NULL && declared->taken != NULL) {
    if (!filter_rows(building, node, host)) return NODES_FAILED;
  } else if (declared->codes != NULL) {
    int64_t n_clones = make_table(building, node, host) ? tell_clones(building, node, host) : -1;
    if (n_clones < 0) return NODES_FAILED;
    if (building->n_missing > 0 && declared->missing == MISSING_REFUSED) {
      building->failed = node;
      return VALUES_MISSING;
    }
    if (!make_clones(building, node, n_clones, host)) return NODES_FAILED;
  }
  mine->sizes = host->memory(host, FOR_THE_CALL, 3 * mine->n_clones * (int64_t)sizeof *mine->sizes);
  if (mine->sizes == NULL) return NODES_FAILED;
  mine->numbers = mine->sizes + mine->n_clones;
  mine->cursors = mine->numbers + mine->n_clones;
  memset(mine->sizes, 0, (size_t)mine->n_clones * sizeof *mine->sizes); /* the sums over children begin with 0 */
  return NODES_FOUND;
}

/* Whether a declared node is below another. */
static inline bool is_node_below(const NodeBuilding *building, int64_t node, int64_t other) {
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
    if (building->emptied < 0 || !is_node_below(building, building->emptied, node)) building->emptied = node;
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

/* Build the nodes; the caller has set the fields up to n_rows. Return the outcome. */
static inline int build_nodes(NodeBuilding *building, Host *host) {
  building->n_nodes = building->n_options = 0;
  building->failed = building->failed_clone = building->emptied = -1;
  building->last_clones = building->made = NULL;
  building->table_size = 0;
  building->whole[0] = 0;
  building->whole[1] = building->n_rows;
  building->table = (Clones){.depth = -1, .n_clones = 1};
  for (int64_t node = 0; node < building->n_declared; node++) {
    int outcome = select_rows(building, node, host);
    if (outcome != NODES_FOUND) return outcome;
  }
  for (int64_t node = building->n_declared - 1; node >= 0; node--) find_empty(building, node);
  if (building->emptied >= 0) {
    find_culprit(building);
    return NOTHING_TO_DRAW;
  }
  for (int64_t node = 0; node < building->n_declared; node++) number_clones(building, node);
  building->n_nodes = building->clones[0].sizes[0];
  return NODES_FOUND;
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

/* Fill in the nodes that were found. */
static inline void fill_nodes(NodeBuilding *building, TreeNodes *nodes) {
  nodes->offsets[0] = 0;
  for (int64_t node = 0; node < building->n_declared; node++) tell_nodes(building, node, nodes);
  begin_groups(building->n_nodes, nodes->offsets, nodes->cursors);
  for (int64_t node = 1; node < building->n_nodes; node++) {
    nodes->options[nodes->cursors[nodes->parents[node]]++] = (int32_t)node;
  }
  for (int64_t node = 0; node < building->n_declared; node++) {
    if (!has_children(building, node)) fill_options(building, node, nodes);
  }
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
