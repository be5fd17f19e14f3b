/* groups_apart.h against its promises: random graphs, whose rows are read in steps of several sizes. */

#include <string.h>

#include "check.h"
#include "groups_apart.h"
#include "patient_host.h"
#include "row_graph.h"

enum { MOST_EDGES = 80, MOST_LABELS = 15, MOST_BATCHES = 140, N_LEFT_OUT = 2 };

/* The rows of an epoch, and what the core makes of them. */
typedef struct {
  int64_t n_rows;
  int32_t order[MOST_EDGES + N_LEFT_OUT];
  int32_t labels[2][MOST_EDGES + N_LEFT_OUT];
  int32_t counts[2][MOST_LABELS + 1];
  int64_t n_labels[2];
  int64_t n_batches;
  int32_t batches[MOST_EDGES]; /* of the edges, in the order of the epoch */
} Epoch;

static int64_t step_end(int64_t begin, int64_t end, int64_t wanted) {
  return wanted < end - begin ? begin + wanted : end;
}

/* Draw the labels of rows; the last rows are left out. `nested`: each group is in one stratum. */
static Epoch some_epoch(uint64_t *state, bool nested) {
  Epoch epoch = {.n_rows = 1 + some_number(state, MOST_EDGES)};
  epoch.n_labels[0] = 1 + some_number(state, 5);
  epoch.n_labels[1] = 1 + some_number(state, MOST_LABELS);
  for (int64_t row = 0; row < epoch.n_rows; row++) {
    int64_t group = some_number(state, epoch.n_labels[1]);
    int64_t stratum = nested ? group % epoch.n_labels[0] : some_number(state, epoch.n_labels[0]);
    epoch.labels[0][row] = (int32_t)stratum;
    epoch.labels[1][row] = (int32_t)group;
  }
  for (int64_t i = 0; i < N_LEFT_OUT; i++, epoch.n_rows++) {
    for (int side = 0; side < 2; side++) epoch.labels[side][epoch.n_rows] = (int32_t)epoch.n_labels[side];
  }
  for (int32_t row = 0; row < epoch.n_rows; row++) {
    int64_t place = some_number(state, row + 1);
    epoch.order[row] = epoch.order[place];
    epoch.order[place] = row;
    for (int side = 0; side < 2; side++) epoch.counts[side][epoch.labels[side][row]] += 1;
  }
  epoch.n_batches = 1 + some_number(state, some_number(state, 4) == 0 ? MOST_BATCHES : 8);
  return epoch;
}

static RowGraph new_graph(const Epoch *epoch) {
  RowGraph graph = {.n_batches = epoch->n_batches, .n_edges = epoch->n_rows - N_LEFT_OUT};
  for (int side = 0; side < 2; side++) {
    graph.sides[side].n_labels = epoch->n_labels[side];
    graph.sides[side].labels = epoch->labels[side];
    graph.sides[side].counts = epoch->counts[side];
  }
  allocate_graph(&graph);
  return graph;
}

/* Find the batches by the core, which reads so many rows in a step. */
static void find_batches(int64_t wanted, bool nested, Epoch *epoch) {
  RowGraph graph = new_graph(epoch);
  int64_t begins[MOST_LABELS];
  int32_t next_places[MOST_LABELS];
  for (int64_t group = 0; group < epoch->n_labels[1]; group++) next_places[group] = -1;
  for (int64_t stratum = 0, begin = 0; stratum < epoch->n_labels[0]; begin += epoch->counts[0][stratum++]) {
    begins[stratum] = begin;
  }
  for (int64_t done = 0, end; done < epoch->n_rows; done = end) {
    end = step_end(done, epoch->n_rows, wanted);
    if (nested) {
      deal_in_turn(epoch->order, done, end, begins, next_places, &graph);
    } else {
      cut_into_blocks(epoch->order, done, end, &graph);
    }
  }
  CHECK_EQUAL(graph.n_found, graph.n_edges);
  if (!nested) {
    Host host = patient_host();
    CHECK(color_edges(&graph, &host) && equalize_sizes(&graph, &host));
  }
  for (int side = 0; side < 2; side++) {
    CHECK(graph.sides[side].n_vertices <= most_vertices(epoch->counts[side], epoch->n_labels[side], epoch->n_batches));
  }
  for (int64_t batch = 0; batch < epoch->n_batches; batch++) {
    CHECK_EQUAL(graph.sizes[batch], wanted_size(&graph, batch));
  }
  memcpy(epoch->batches, graph.colors, (size_t)graph.n_edges * sizeof(int32_t));
  free_graph(&graph);
}

/* See that each batch has the floor or the ceiling of its share of each label, and of all rows. */
static void check_shares(const Epoch *epoch) {
  for (int64_t batch = 0; batch < epoch->n_batches; batch++) {
    int64_t size = 0;
    int64_t held[2][MOST_LABELS] = {{0}};
    for (int64_t place = 0, edge = 0; place < epoch->n_rows; place++) {
      int32_t row = epoch->order[place];
      if (epoch->labels[0][row] == epoch->n_labels[0] || epoch->batches[edge++] != batch) continue;
      size += 1;
      for (int side = 0; side < 2; side++) held[side][epoch->labels[side][row]] += 1;
    }
    int64_t n_edges = epoch->n_rows - N_LEFT_OUT;
    CHECK_EQUAL(size, n_edges / epoch->n_batches + (batch < n_edges % epoch->n_batches));
    for (int side = 0; side < 2; side++) {
      for (int64_t label = 0; label < epoch->n_labels[side]; label++) {
        int64_t share = epoch->counts[side][label] / epoch->n_batches;
        int64_t over = epoch->counts[side][label] % epoch->n_batches;
        CHECK(share <= held[side][label] && held[side][label] <= share + (over > 0));
      }
    }
  }
}

static void test_any_rows(bool nested) {
  static const int64_t steps[] = {INT64_MAX, 1, 3};
  uint64_t state = nested ? 2 : 1;
  for (int trial = 0; trial < 15000; trial++) {
    Epoch epoch = some_epoch(&state, nested);
    int32_t batches[MOST_EDGES];
    for (size_t step = 0; step < LENGTH(steps); step++) {
      find_batches(steps[step], nested, &epoch);
      if (step == 0) {
        check_shares(&epoch);
        memcpy(batches, epoch.batches, sizeof batches);
      }
      for (int64_t edge = 0; edge < epoch.n_rows - N_LEFT_OUT; edge++) CHECK_EQUAL(epoch.batches[edge], batches[edge]);
    }
  }
}

/* See that rows are written batch after batch, each in order of stratum, then of the epoch. */
static void test_written_rows(void) {
  uint64_t state = 3;
  for (int trial = 0; trial < 1000; trial++) {
    Epoch epoch = some_epoch(&state, false);
    find_batches(INT64_MAX, false, &epoch);
    RowGraph graph = new_graph(&epoch);
    memcpy(graph.colors, epoch.batches, (size_t)graph.n_edges * sizeof(int32_t));
    int64_t next_places[MOST_LABELS], next_free[MOST_BATCHES], n_done = 0;
    for (int64_t stratum = 0, begin = 0; stratum < epoch.n_labels[0]; begin += epoch.counts[0][stratum++]) {
      next_places[stratum] = begin;
    }
    for (int64_t batch = 0, begin = 0; batch < epoch.n_batches; begin += wanted_size(&graph, batch++)) {
      next_free[batch] = begin;
    }
    int32_t rows[MOST_EDGES], batches[MOST_EDGES], written[MOST_EDGES];
    sort_by_stratum(epoch.order, &graph, 0, 3, &n_done, next_places, rows, batches);
    sort_by_stratum(epoch.order, &graph, 3, epoch.n_rows, &n_done, next_places, rows, batches);
    CHECK_EQUAL(n_done, graph.n_edges);
    write_rows_apart(rows, batches, 1, 0, graph.n_edges, next_free, written);
    int64_t next = 0;
    for (int64_t batch = 0; batch < epoch.n_batches; batch++) {
      for (int64_t stratum = 0; stratum < epoch.n_labels[0]; stratum++) {
        for (int64_t place = 0, edge = 0; place < epoch.n_rows; place++) {
          int32_t row = epoch.order[place];
          if (epoch.labels[0][row] == epoch.n_labels[0] || epoch.batches[edge++] != batch) continue;
          if (epoch.labels[0][row] == stratum) CHECK_EQUAL(written[next++], row + 1);
        }
      }
      CHECK_EQUAL(next, next_free[batch]);
    }
    CHECK_EQUAL(next, graph.n_edges);
    free_graph(&graph);
  }
}

int main(void) {
  test_any_rows(false);
  test_any_rows(true);
  test_written_rows();
  return 0;
}
