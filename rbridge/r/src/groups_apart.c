/* Batches that spread groups. */

#include "core/groups_apart.h"

#include "arguments.h"
#include "core/turns.h"
#include "memory.h"
#include "offsets.h"
#include "order.h"
#include "routines.h"
#include "steps.h"

static int32_t *new_equal(int64_t count, int32_t value) {
  int32_t *numbers = new_integers(count);
  for (int64_t i = 0; i < count; i++) numbers[i] = value;
  return numbers;
}

/* Read the labels of the rows, and count them. */
static void read_labels(SEXP labels, SEXP n_labels, const char *parameter, GraphSide *side) {
  if (TYPEOF(labels) != INTSXP || Rf_xlength(labels) > LARGEST_COUNT) refuse_kind(labels, parameter, "be integers");
  side->n_labels = whole_number(n_labels, 1, LARGEST_COUNT - 1, "n_labels");
  int32_t *counts = new_equal(side->n_labels + 1, 0);
  const int *given = INTEGER(labels);
  for (int64_t row = 0; row < Rf_xlength(labels); row++) {
    if (given[row] < 0 || given[row] > side->n_labels) refuse(parameter, "be numbers from 0", "others");
    counts[given[row]] += 1;
    if (row % STEP == STEP - 1) R_CheckUserInterrupt();
  }
  side->labels = given;
  side->counts = counts;
}

/* Return the rows of an epoch, and refuse a row that has a label of one side alone. */
static int64_t count_edges(const RowGraph *graph, int64_t n_rows) {
  int64_t n_edges = 0;
  for (int64_t row = 0; row < n_rows; row++) {
    bool is_left_out = graph->sides[0].labels[row] == graph->sides[0].n_labels;
    if (is_left_out != (graph->sides[1].labels[row] == graph->sides[1].n_labels)) {
      refuse("groups", "leave out the rows that 'strata' leaves out", "others");
    }
    n_edges += !is_left_out;
    if (row % STEP == STEP - 1) R_CheckUserInterrupt();
  }
  return n_edges;
}

static void allocate_side(const RowGraph *graph, GraphSide *side) {
  int64_t n_vertices = most_vertices(side->counts, side->n_labels, graph->n_batches);
  int64_t n_words = n_vertices * color_words(graph->n_batches);
  side->ranks = new_equal(side->n_labels, 0);
  side->rests = new_integers(side->n_labels);
  side->wholes = new_integers(side->n_labels);
  side->vertices = new_integers(graph->n_edges);
  side->edges = new_equal(n_vertices * graph->n_batches, -1);
  side->free_colors = (uint64_t *)(void *)R_alloc((size_t)n_words, sizeof(uint64_t));
  side->first_words = new_equal(n_vertices, 0);
  for (int64_t done = 0; done < n_vertices;) {
    int64_t end = next_step(done, n_vertices);
    free_all_colors(side, graph->n_batches, done, end);
    done = end;
  }
}

/* Color the rows as the edges of a graph of strata and groups. */
static void color_rows(const int32_t *order, int64_t n_rows, RowGraph *graph) {
  for (int side = 0; side < 2; side++) allocate_side(graph, &graph->sides[side]);
  for (int64_t done = 0; done < n_rows;) {
    int64_t end = next_step(done, n_rows);
    cut_into_blocks(order, done, end, graph);
    done = end;
  }
  while (!color_edges(graph, STEP)) R_CheckUserInterrupt();
  Equalizing progress = {0};
  while (!equalize_sizes(graph, STEP, &progress)) R_CheckUserInterrupt();
}

/* Deal the rows in turn, in order of stratum and group. */
static void deal_nested(const int32_t *order, int64_t n_rows, int64_t *begins, RowGraph *graph) {
  int32_t *next_places = new_equal(graph->sides[1].n_labels, -1);
  for (int64_t done = 0; done < n_rows;) {
    int64_t end = next_step(done, n_rows);
    deal_in_turn(order, done, end, begins, next_places, graph);
    done = end;
  }
}

/* Return where the rows of each stratum begin, in new memory. */
static int64_t *begins_of_strata(const GraphSide *strata) {
  int64_t *begins = new_numbers(strata->n_labels);
  int64_t begin = 0;
  for (int64_t stratum = 0; stratum < strata->n_labels; stratum++) {
    begins[stratum] = begin;
    begin += strata->counts[stratum];
  }
  return begins;
}

static void write_rows(
    const int32_t *order, int64_t n_rows, const RowGraph *graph, int64_t *next_free, int32_t *written
) {
  int32_t *rows = new_integers(graph->n_edges);
  int32_t *batches = new_integers(graph->n_edges);
  int64_t *next_places = begins_of_strata(&graph->sides[0]);
  int64_t n_done = 0;
  for (int64_t done = 0; done < n_rows;) {
    int64_t end = next_step(done, n_rows);
    sort_by_stratum(order, graph, done, end, &n_done, next_places, rows, batches);
    done = end;
  }
  for (int64_t done = 0; done < graph->n_edges;) {
    int64_t end = next_step(done, graph->n_edges);
    write_rows_apart(rows, batches, 1, done, end, next_free, written);
    done = end;
  }
}

SEXP C_draw_groups_apart(
    SEXP strata, SEXP groups, SEXP n_strata, SEXP n_groups, SEXP n_batches, SEXP nested, SEXP seed
) {
  RowGraph graph = {0};
  read_labels(strata, n_strata, "strata", &graph.sides[0]);
  read_labels(groups, n_groups, "groups", &graph.sides[1]);
  int64_t n_rows = Rf_xlength(strata);
  if (Rf_xlength(groups) != n_rows) refuse_kind(groups, "groups", "have a number for each of 'strata'");
  graph.n_edges = count_edges(&graph, n_rows);
  if (graph.n_edges == 0) refuse("strata", "leave a row for the epoch", "none");
  graph.n_batches = whole_number(n_batches, 1, (int32_t)graph.n_edges, "n_batches");
  graph.colors = new_integers(graph.n_edges);
  graph.sizes = new_zeros(graph.n_batches);
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  int32_t *order = new_integers(n_rows);
  draw_order(&generator, (uint32_t)n_rows, order);
  if (true_or_false(nested, "nested")) {
    deal_nested(order, n_rows, begins_of_strata(&graph.sides[0]), &graph);
  } else {
    color_rows(order, n_rows, &graph);
  }
  int64_t *offsets = new_numbers(graph.n_batches + 1);
  fill_starts(graph.sizes, graph.n_batches, offsets);
  const char *names[] = {"rows", "offsets", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t)graph.n_edges));
  SET_VECTOR_ELT(result, 1, offsets_in_r(offsets, graph.n_batches));
  write_rows(order, n_rows, &graph, offsets, INTEGER(VECTOR_ELT(result, 0)));
  UNPROTECT(1);
  return result;
}
