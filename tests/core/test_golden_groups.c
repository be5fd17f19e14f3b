/* Golden vectors of batches that keep groups together or spread them. A case is:
 *
 *   n_rows, n_strata, n_groups, then the stratum and the group of each row, n_strata and n_groups for those left out
 *   n_batches; the minimum; 1 if groups are spread, else 0; 1 if the batches are permuted, else 0; the seed
 *   n_epochs, then for each its number, the list of the batches' sizes and that of its rows
 */

#include <string.h>

#include "epochs.h"
#include "golden.h"
#include "groups_apart.h"
#include "groups_together.h"
#include "length_batches.h"
#include "patient_host.h"
#include "row_graph.h"

enum { STRATA, GROUPS };

typedef struct {
  int64_t n_rows, n_batches, minimum;
  int64_t n_labels[2]; /* the strata and the groups */
  int32_t *labels[2];  /* of each row */
  int32_t *counts[2];  /* n_labels + 1 numbers: the rows of each label, and those left out */
  int32_t *strata_of;  /* of each group */
  bool is_spread, is_nested, is_permuted;
  uint32_t seed;
} Case;

static void read_case(Case *c) {
  c->n_rows = next_number();
  for (int side = 0; side < 2; side++) {
    c->n_labels[side] = next_number();
    c->labels[side] = new_array(c->n_rows, sizeof(int32_t));
    c->counts[side] = new_equal(c->n_labels[side] + 1, 0);
  }
  c->strata_of = new_equal(c->n_labels[GROUPS] + 1, -1);
  c->is_nested = true;
  for (int64_t row = 0; row < c->n_rows; row++) {
    for (int side = 0; side < 2; side++) {
      c->labels[side][row] = (int32_t)next_number();
      c->counts[side][c->labels[side][row]] += 1;
    }
    int32_t *stratum = &c->strata_of[c->labels[GROUPS][row]];
    if (*stratum < 0) *stratum = c->labels[STRATA][row];
    if (*stratum != c->labels[STRATA][row]) c->is_nested = false;
  }
  c->n_batches = next_number();
  c->minimum = next_number();
  c->is_spread = next_number() != 0;
  c->is_permuted = next_number() != 0;
  c->seed = (uint32_t)next_number();
}

static void free_case(Case *c) {
  for (int side = 0; side < 2; side++) {
    free(c->labels[side]);
    free(c->counts[side]);
  }
  free(c->strata_of);
}

/* Deal the groups of an epoch, and fill the offsets of its batches. */
static void deal_together(GroupedRows *grouped, int64_t *offsets) {
  int64_t *firsts = new_zeros(grouped->n_strata);
  int64_t *others = new_zeros(grouped->n_strata);
  begin_line(grouped, firsts, others);
  line_up_groups(grouped, 0, grouped->n_found, firsts, others);
  GroupDealing dealing = {.n_batches = grouped->n_batches};
  dealing.held = new_equal(grouped->n_batches, 0);
  dealing.totals = new_equal(grouped->n_batches, 0);
  dealing.heap = new_equal(grouped->n_batches, 0);
  begin_dealing_groups(&dealing);
  deal_groups(grouped, &dealing, grouped->n_found);
  fill_group_offsets(&dealing, offsets);
  free(firsts);
  free(others);
  free(dealing.held);
  free(dealing.totals);
  free(dealing.heap);
}

static void draw_together(const Case *c, const int32_t *order, int64_t *offsets, int32_t *rows) {
  int64_t n_groups = c->n_labels[GROUPS];
  GroupedRows grouped = {
      .n_strata = c->n_labels[STRATA],
      .n_groups = n_groups,
      .n_batches = c->n_batches,
      .minimum = c->minimum,
      .sizes = c->counts[GROUPS],
      .counts = c->counts[GROUPS],
      .strata_of = c->strata_of,
      .found = new_array(n_groups, sizeof(int32_t)),
      .n_first = new_zeros(c->n_labels[STRATA]),
      .n_other = new_zeros(c->n_labels[STRATA]),
      .line = new_array(n_groups, sizeof(int32_t)),
      .next_places = new_equal(n_groups, -1),
      .batch_of = new_array(n_groups, sizeof(int32_t)),
  };
  find_groups(order, c->labels[GROUPS], 0, c->n_rows, &grouped);
  deal_together(&grouped, offsets);
  int64_t *next_free = new_array(c->n_batches, sizeof *next_free);
  memcpy(next_free, offsets, (size_t)c->n_batches * sizeof *next_free);
  place_groups(&grouped, 0, grouped.n_found, next_free);
  write_grouped_rows(order, c->labels[GROUPS], 0, 0, c->n_rows, &grouped, rows);
  free(next_free);
  free(grouped.found);
  free(grouped.n_first);
  free(grouped.n_other);
  free(grouped.line);
  free(grouped.next_places);
  free(grouped.batch_of);
}

/* Color the rows as the edges of a graph. */
static void color_rows(const Case *c, const int32_t *order, RowGraph *graph) {
  cut_into_blocks(order, 0, c->n_rows, graph);
  Host host = patient_host();
  CHECK(color_edges(graph, &host) && equalize_sizes(graph, &host));
}

/* Fill the place at which the rows of each stratum begin, in order of stratum. */
static void fill_begins(const Case *c, int64_t *begins) {
  int64_t begin = 0;
  for (int64_t stratum = 0; stratum < c->n_labels[STRATA]; stratum++) {
    begins[stratum] = begin;
    begin += c->counts[STRATA][stratum];
  }
}

static void draw_spread(const Case *c, const int32_t *order, int64_t *offsets, int32_t *rows) {
  RowGraph graph = {.n_batches = c->n_batches, .n_edges = c->n_rows - c->counts[STRATA][c->n_labels[STRATA]]};
  for (int side = 0; side < 2; side++) {
    graph.sides[side].n_labels = c->n_labels[side];
    graph.sides[side].labels = c->labels[side];
    graph.sides[side].counts = c->counts[side];
  }
  allocate_graph(&graph);
  int64_t *begins = new_array(c->n_labels[STRATA], sizeof *begins);
  fill_begins(c, begins);
  if (c->is_nested) {
    int32_t *next_places = new_equal(c->n_labels[GROUPS], -1);
    deal_in_turn(order, 0, c->n_rows, begins, next_places, &graph);
    free(next_places);
  } else {
    color_rows(c, order, &graph);
  }
  offsets[0] = 0;
  for (int64_t batch = 0; batch < c->n_batches; batch++) offsets[batch + 1] = offsets[batch] + graph.sizes[batch];
  int32_t *sorted = new_array(graph.n_edges, sizeof *sorted);
  int32_t *batches = new_array(graph.n_edges, sizeof *batches);
  int64_t n_done = 0;
  fill_begins(c, begins);
  sort_by_stratum(order, &graph, 0, c->n_rows, &n_done, begins, sorted, batches);
  int64_t *next_free = new_array(c->n_batches, sizeof *next_free);
  memcpy(next_free, offsets, (size_t)c->n_batches * sizeof *next_free);
  write_rows_apart(sorted, batches, 0, 0, graph.n_edges, next_free, rows);
  free_graph(&graph);
  free(begins);
  free(sorted);
  free(batches);
  free(next_free);
}

/* Put the batches into the order that is drawn after that of the rows. */
static void permute(const Case *c, uint32_t seed, int64_t *offsets, int32_t *rows) {
  int64_t n_taken = offsets[c->n_batches];
  int32_t *pool = new_array(c->n_rows, sizeof *pool);
  int32_t *order = new_array(c->n_rows, sizeof *order);
  int32_t *drawn = new_array(n_taken, sizeof *drawn);
  int64_t *begins = new_array(c->n_batches + 1, sizeof *begins);
  Generator generator;
  seed_generator(&generator, seed);
  for (int part = 0; part < 2; part++) {
    uint32_t n = (uint32_t)(part == 0 ? c->n_rows : c->n_batches);
    fill_in_order(pool, n);
    take_rows(&generator, pool, n, n, order);
  }
  memcpy(drawn, rows, (size_t)n_taken * sizeof *drawn);
  memcpy(begins, offsets, (size_t)(c->n_batches + 1) * sizeof *begins);
  Host host = patient_host();
  CHECK(arrange_batches(drawn, begins, order, c->n_batches, offsets, rows, &host));
  free(pool);
  free(order);
  free(drawn);
  free(begins);
}

/* Draw an epoch, and compare the sizes of its batches and its rows. */
static void check_epoch(const Case *c) {
  uint32_t epoch = (uint32_t)next_number();
  int32_t *order = new_array(c->n_rows, sizeof *order);
  int32_t *rows = new_array(c->n_rows, sizeof *rows);
  int64_t *offsets = new_array(c->n_batches + 1, sizeof *offsets);
  draw_order(c->n_rows, epoch_seed(c->seed, epoch), order);
  if (c->is_spread) {
    draw_spread(c, order, offsets, rows);
  } else {
    draw_together(c, order, offsets, rows);
  }
  if (c->is_permuted) permute(c, epoch_seed(c->seed, epoch), offsets, rows);
  check_sizes(offsets, c->n_batches);
  check_rows(rows, offsets[c->n_batches], 0);
  free(order);
  free(rows);
  free(offsets);
}

static void check_case(void) {
  Case c;
  read_case(&c);
  int64_t n_epochs = next_number();
  for (int64_t epoch = 0; epoch < n_epochs; epoch++) check_epoch(&c);
  free_case(&c);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
