/* Batches of a few strata by the core, in steps, with the memory of their blocks. */

#ifndef PYSTRAT_BLOCK_DEALING_H
#define PYSTRAT_BLOCK_DEALING_H

#include <string.h>

#include "blocks.h"
#include "check.h"
#include "plan.h"

/* Allocate the blocks of strata with counts[s] rows each; the arrays that are passed must outlive them. */
static inline Blocks new_blocks(
    const int64_t *counts, const int64_t *n_blocks, int64_t n_strata, int64_t n_batches
) {
  int64_t *starts = new_array(n_strata + 1, sizeof *starts);
  int64_t *begins = new_array(n_strata + 1, sizeof *begins);
  fill_starts(counts, n_strata, starts);
  fill_starts(n_blocks, n_strata, begins);
  return (Blocks){
      .n_strata = n_strata,
      .n_batches = n_batches,
      .n_all = begins[n_strata],
      .counts = counts,
      .n_blocks = n_blocks,
      .starts = starts,
      .begins = begins,
      .sequences = new_array(starts[n_strata], sizeof(int32_t)),
      .firsts = new_array(begins[n_strata], sizeof(int32_t)),
      .batch_of = new_array(begins[n_strata], sizeof(int32_t)),
  };
}

static inline void free_blocks(Blocks *blocks) {
  free((void *)blocks->starts); /* const for the core only */
  free((void *)blocks->begins);
  free(blocks->sequences);
  free(blocks->firsts);
  free(blocks->batch_of);
}

/* Gather the rows in the order of an epoch, in steps of `wanted` rows. */
static inline void gather_in_steps(
    const int32_t *order, const int32_t *codes, int32_t first_row, int64_t n_rows, int64_t wanted, Blocks *blocks
) {
  int64_t *ranks = new_zeros(blocks->n_strata);
  int64_t *found = new_zeros(blocks->n_strata);
  for (int64_t begin = 0; begin < n_rows;) {
    int64_t end = wanted < n_rows - begin ? begin + wanted : n_rows;
    gather_blocks(order, codes, first_row, begin, end, ranks, found, blocks);
    begin = end;
  }
  free(ranks);
  free(found);
}

/* Deal the blocks, in steps of `wanted` batches. */
static inline void deal_in_steps(int64_t wanted, Blocks *blocks) {
  int64_t n = blocks->n_strata;
  int32_t *memory = new_array(7 * n, sizeof *memory);
  int32_t *heads = new_array(blocks->n_batches + 1, sizeof *heads);
  Dealing dealing = {.heap = memory, .keys = memory + n, .always = memory + 2 * n, .left = memory + 3 * n};
  dealing.next = memory + 4 * n;
  dealing.previous = memory + 5 * n;
  dealing.heads = heads;
  begin_dealing(blocks, &dealing);
  while (!deal_blocks(blocks, &dealing, wanted, memory + 6 * n)) continue;
  free(memory);
  free(heads);
}

/* Fill the n_batches + 1 offsets and the rows, in steps of `wanted` strata; check that every batch is filled. */
static inline void write_in_steps(const Blocks *blocks, int64_t wanted, int64_t *offsets, int32_t *rows) {
  int64_t n_batches = blocks->n_batches;
  int64_t *next_places = new_array(n_batches, sizeof *next_places);
  memset(offsets, 0, (size_t)(n_batches + 1) * sizeof *offsets);
  fill_block_offsets(blocks, offsets);
  memcpy(next_places, offsets, (size_t)n_batches * sizeof *next_places);
  for (int64_t begin = 0; begin < blocks->n_strata;) {
    int64_t end = wanted < blocks->n_strata - begin ? begin + wanted : blocks->n_strata;
    write_blocks(blocks, begin, end, next_places, rows);
    begin = end;
  }
  for (int64_t batch = 0; batch < n_batches; batch++) CHECK_EQUAL(next_places[batch], offsets[batch + 1]);
  free(next_places);
}

#endif
