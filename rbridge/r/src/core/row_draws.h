/* Rows that are drawn by their weights, or by those of their ranks. */

#ifndef PYSTRAT_ROW_DRAWS_H
#define PYSTRAT_ROW_DRAWS_H

#include "row_weights.h"

/* How a batch is drawn. */
typedef enum { REPLACED_DRAW, SLICED_DRAW, DISTINCT_DRAW } DrawForm;

/* How many rows are drawn: `count` times `size`; `name` is that of the size in messages. */
typedef struct {
  const char *name;
  int64_t size, count;
} Draws;

/* Read "count", and "k" unless batches are drawn. */
static inline bool read_draws(const Parts *wanted, int64_t batch_size, Draws *draws, Host *host) {
  bool has_k = has_part(wanted, "k");
  *draws = (Draws){.name = has_k ? "k" : "batch_size", .size = batch_size};
  return read_count(wanted, "count", 1, LARGEST_COUNT, &draws->count, host) &&
         (!has_k || read_count(wanted, "k", 0, LARGEST_COUNT, &draws->size, host));
}

/* Check that rows can be drawn by weights of this name, so many of which are positive; `when` is "" or " in epoch 3".
 */
static inline bool check_drawable(
    const char *name, int64_t n_positive, const Draws *draws, DrawForm form, const char *when, Host *host
) {
  char shown[SENTENCE];
  if (draws->size > 0 && n_positive == 0) {
    snprintf(shown, SENTENCE, "no positive weight%s", when);
    return refuse(host, name, shown, "not all be 0 when rows are drawn");
  }
  if (form != DISTINCT_DRAW || draws->size <= n_positive) return true;
  return refuse(
      host, draws->name, show_number((double)draws->size, shown),
      "be at most %lld, the number of positive weights%s, without replacement", (long long)n_positive, when
  );
}

static inline bool draw_row_by_row(
    RowWeights *rows, Generator *generator, int64_t size, int64_t n_drawn, bool is_sliced, int32_t *drawn, Host *host
) {
  for (int64_t begin = 0; begin < n_drawn; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_drawn);
    if (is_sliced) {
      draw_from_slices(&rows->tree, generator, size, begin, end, drawn);
    } else {
      draw_by_weight(&rows->tree, generator, end - begin, drawn + begin);
    }
    if (end < n_drawn && !host->go_on(host)) return false;
  }
  return true;
}

static inline bool draw_apart(
    RowWeights *rows, Generator *generator, int64_t size, int64_t n_drawn, int32_t *drawn, Host *host
) {
  DistinctDraw draw = {.size = size};
  int64_t since = 0;
  draw.table = host->memory(host, FOR_THE_CALL, (int64_t)sizeof(int64_t) << hash_set_bits(size));
  draw.removed = draw.table == NULL ? NULL : host->memory(host, FOR_THE_CALL, size * (int64_t)sizeof(int64_t));
  draw.weights = draw.removed == NULL ? NULL : host->memory(host, FOR_THE_CALL, size * (int64_t)sizeof(double));
  if (draw.weights == NULL) return false;
  for (int64_t begin = 0; begin < n_drawn; begin += size) {
    draw.rows = drawn + begin;
    if (!draw_distinct(&rows->tree, generator, &draw, host)) return false;
    if (begin + size < n_drawn && !may_go_on(&since, size, host)) return false;
  }
  return true;
}

/* Replace ranks by their rows. */
static inline bool find_ranked_rows(const RowWeights *rows, int32_t *drawn, int64_t n_drawn, Host *host) {
  for (int64_t begin = 0; begin < n_drawn; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_drawn);
    ranks_to_rows(&rows->ranking, drawn + begin, end - begin);
    if (end < n_drawn && !host->go_on(host)) return false;
  }
  return true;
}

/* Draw "rows". */
static inline bool draw_weighed_rows(
    RowWeights *rows, Generator *generator, const Draws *draws, DrawForm form, Host *host
) {
  int64_t size = draws->size, n_drawn = size * draws->count;
  if (size > 0 && n_rows_of(rows) == 0) {
    refuse(host, rows->weighing->name, "those of no row", "be those of at least one row when rows are drawn");
    return advise(host, "Add rows with append() first.");
  }
  if (!check_drawable(rows->weighing->name, rows->tree.n_positive, draws, form, "", host)) return false;
  if (n_drawn > host->most_rows) {
    char shown[NUMBER];
    return refuse(
        host, "n_batches", show_number((double)draws->count, shown),
        "be at most %lld, so that R can number the rows of an epoch", (long long)(host->most_rows / size)
    );
  }
  int32_t *drawn = host->vector(host, "rows", INTEGERS, n_drawn);
  if (drawn == NULL) return false;
  bool is_drawn = n_drawn == 0;
  if (!is_drawn && form == DISTINCT_DRAW) {
    is_drawn = draw_apart(rows, generator, size, n_drawn, drawn, host);
  } else if (!is_drawn) {
    is_drawn = draw_row_by_row(rows, generator, size, n_drawn, form == SLICED_DRAW, drawn, host);
  }
  if (!is_drawn || (rows->weighing->is_ranked && !find_ranked_rows(rows, drawn, n_drawn, host))) return false;
  for (int64_t i = 0; host->first_row != 0 && i < n_drawn; i++) drawn[i] += host->first_row;
  return true;
}

#endif
