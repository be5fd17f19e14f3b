/* The functions of passes.h for all strata at once, in steps. */

#ifndef PYSTRAT_TAKINGS_H
#define PYSTRAT_TAKINGS_H

#include <string.h>

#include "check.h"
#include "passes.h"
#include "plan.h"

/* What an epoch takes of each stratum. */
typedef struct {
  int64_t n_strata, n_batches;
  const int64_t *taken, *available; /* n_strata */
  const int64_t *offsets;           /* n_batches + 1 */
} Taking;

/* Fill the layout, in steps of about `wanted` places. */
static inline void lay_out_passes(const Taking *taking, int64_t n_places, int64_t wanted, int32_t *layout) {
  int64_t *next_places = new_array(taking->n_batches, sizeof *next_places);
  memcpy(next_places, taking->offsets, (size_t)taking->n_batches * sizeof *next_places);
  LayoutProgress progress = {0};
  while (!fill_passes_layout(
      taking->taken, taking->available, taking->n_strata, taking->n_batches, n_places, wanted, &progress, next_places,
      layout
  )) {
    continue;
  }
  free(next_places);
}

/* Defer the rows that a batch would contain twice, in steps of `wanted` batches; the dataset has n_rows rows. */
static inline void separate_rows(
    const Taking *taking, const int32_t *layout, int64_t n_rows, int32_t first_row, int64_t wanted, int32_t *rows
) {
  Sequence sequence = {.rows = rows, .first_row = first_row, .n_batches = taking->n_batches};
  sequence.seen = new_equal(n_rows, 0);
  sequence.waiting = new_array(n_rows, sizeof *sequence.waiting);
  for (int64_t stratum = 0; stratum < taking->n_strata; stratum++) {
    sequence.places = layout + sequence.dealt;
    sequence.taken = taking->taken[stratum];
    sequence.available = taking->available[stratum];
    int64_t begin = 0;
    for (int64_t batch = 0; is_repeated(sequence.taken, sequence.available) && batch < taking->n_batches;) {
      batch = keep_apart(&sequence, batch, wanted, &begin);
    }
    sequence.dealt += sequence.taken;
  }
  free(sequence.seen);
  free(sequence.waiting);
}

#endif
