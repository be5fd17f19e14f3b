/* Golden vectors of streams that are shuffled: the order of sources, and that of the rows of each. A case is:
 *
 *   n_strata, n_lanes; the sources that are shuffled together; the seed; the epoch
 *   n_sources, and the number of rows of each; the stratum of each row
 *   for each lane, and each stratum in it, the list of its rows, batch after batch, numbered over all sources
 *
 * Lanes keep the order of the rows of a stratum when they deal them to batches.
 */

#include "epochs.h"
#include "golden.h"
#include "plan.h"

typedef struct {
  int64_t n_strata, n_lanes, together, n_sources;
  uint32_t seed, epoch;
  int64_t *begins; /* n_sources + 1: of the rows of each source */
  int64_t *strata; /* of each row */
} Case;

static void read_case(Case *c) {
  c->n_strata = next_number();
  c->n_lanes = next_number();
  c->together = next_number();
  c->seed = (uint32_t)next_number();
  c->epoch = (uint32_t)next_number();
  c->n_sources = next_number();
  int64_t *sizes = new_array(c->n_sources, sizeof *sizes);
  for (int64_t source = 0; source < c->n_sources; source++) sizes[source] = next_number();
  c->begins = new_array(c->n_sources + 1, sizeof *c->begins);
  fill_starts(sizes, c->n_sources, c->begins);
  free(sizes);
  int64_t n_rows = c->begins[c->n_sources];
  c->strata = new_array(n_rows, sizeof *c->strata);
  for (int64_t row = 0; row < n_rows; row++) c->strata[row] = next_number();
}

static void free_case(Case *c) {
  free(c->begins);
  free(c->strata);
}

/* The seed of a permutation of the epoch: `place` is a source, or n_sources for the order of the sources. */
static uint32_t seed_of(const Case *c, int64_t place) {
  return epoch_seed(c->seed, c->epoch * (uint32_t)(c->n_sources + 1) + (uint32_t)place);
}

/* Fill the rows of a lane in the order in which they are read; return how many there are. */
static int64_t fill_lane(const Case *c, int64_t lane, int32_t *rows) {
  int32_t *sources = new_array(c->n_sources, sizeof *sources);
  int32_t *joined = new_array(c->begins[c->n_sources], sizeof *joined);
  int64_t n_filled = 0, n_own = 0;
  draw_order(c->n_sources, seed_of(c, c->n_sources), sources);
  for (int64_t i = 0; i < c->n_sources; i++) {
    if (sources[i] % c->n_lanes == lane) sources[n_own++] = sources[i];
  }
  for (int64_t first = 0; first < n_own; first += c->together) {
    int64_t n_rows = 0;
    for (int64_t i = first; i < n_own && i < first + c->together; i++) {
      for (int64_t row = c->begins[sources[i]]; row < c->begins[sources[i] + 1]; row++) joined[n_rows++] = (int32_t)row;
    }
    int32_t *order = rows + n_filled;
    draw_order(n_rows, seed_of(c, sources[first]), order);
    for (int64_t row = 0; row < n_rows; row++) order[row] = joined[order[row]];
    n_filled += n_rows;
  }
  free(joined);
  free(sources);
  return n_filled;
}

static void check_lane(const Case *c, int64_t lane) {
  int64_t n_all = c->begins[c->n_sources];
  int32_t *rows = new_array(n_all, sizeof *rows);
  int32_t *of_stratum = new_array(n_all, sizeof *of_stratum);
  int64_t n_rows = fill_lane(c, lane, rows);
  for (int64_t stratum = 0; stratum < c->n_strata; stratum++) {
    int64_t n_found = 0;
    for (int64_t i = 0; i < n_rows; i++) {
      if (c->strata[rows[i]] == stratum) of_stratum[n_found++] = rows[i];
    }
    check_rows(of_stratum, n_found, 0);
  }
  free(rows);
  free(of_stratum);
}

static void check_case(void) {
  Case c;
  read_case(&c);
  for (int64_t lane = 0; lane < c.n_lanes; lane++) check_lane(&c, lane);
  free_case(&c);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
