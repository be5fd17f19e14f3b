/* blocks.h against the rule, stratum by stratum: random cases, in steps of several sizes. */

#include "blocks.h"
#include "check.h"

enum { MOST_STRATA = 5, MOST_ROWS = 60 };

/* Gather and deal by the core in steps of so much work. */
static void deal_in_steps(const int32_t *order, const int32_t *codes, int64_t n_rows, int64_t wanted, Blocks *blocks) {
  int64_t ranks[MOST_STRATA] = {0};
  int64_t found[MOST_STRATA] = {0};
  for (int64_t begin = 0; begin < n_rows;) {
    int64_t end = wanted < n_rows - begin ? begin + wanted : n_rows;
    gather_blocks(order, codes, 0, begin, end, ranks, found, blocks);
    begin = end;
  }
  int32_t *memory = new_array(7 * blocks->n_strata, sizeof *memory);
  int32_t *heads = new_array(blocks->n_batches + 1, sizeof *heads);
  int64_t n = blocks->n_strata;
  Dealing dealing = {.heap = memory, .keys = memory + n, .always = memory + 2 * n, .left = memory + 3 * n};
  dealing.next = memory + 4 * n;
  dealing.previous = memory + 5 * n;
  dealing.heads = heads;
  begin_dealing(blocks, &dealing);
  while (!deal_blocks(blocks, &dealing, wanted, memory + 6 * n)) continue;
  free(memory);
  free(heads);
}

/* Check that each batch has the strata of the rule. */
static void check_dealing(const Blocks *blocks) {
  int64_t dealt[MOST_STRATA] = {0};
  int64_t n_left = blocks->n_all;
  for (int64_t batch = 0; batch < blocks->n_batches; batch++) {
    int64_t batches_left = blocks->n_batches - batch;
    int64_t room = (n_left + batches_left - 1) / batches_left;
    bool is_chosen[MOST_STRATA] = {false};
    for (int64_t stratum = 0; stratum < blocks->n_strata; stratum++) {
      if (blocks->n_blocks[stratum] - dealt[stratum] == batches_left) {
        is_chosen[stratum] = true;
        room -= 1;
      }
    }
    for (; room > 0; room--) {
      int64_t best = -1;
      for (int64_t stratum = 0; stratum < blocks->n_strata; stratum++) {
        if (is_chosen[stratum] || dealt[stratum] == blocks->n_blocks[stratum]) continue;
        int32_t first = blocks->firsts[blocks->begins[stratum] + dealt[stratum]];
        if (best < 0 || first < blocks->firsts[blocks->begins[best] + dealt[best]]) best = stratum;
      }
      CHECK(best >= 0);
      is_chosen[best] = true;
    }
    CHECK_EQUAL(room, 0);
    for (int64_t stratum = 0; stratum < blocks->n_strata; stratum++) {
      if (!is_chosen[stratum]) continue;
      CHECK_EQUAL(blocks->batch_of[blocks->begins[stratum] + dealt[stratum]], batch);
      dealt[stratum] += 1;
      n_left -= 1;
    }
  }
  CHECK_EQUAL(n_left, 0);
}

/* See that the rows are the blocks, batch after batch, each in order of stratum. */
static void check_rows(const Blocks *blocks, int64_t n_rows) {
  int64_t *offsets = new_array(blocks->n_batches + 1, sizeof *offsets);
  int64_t *next_places = new_array(blocks->n_batches, sizeof *next_places);
  int32_t *rows = new_array(n_rows, sizeof *rows);
  memset(offsets, 0, (size_t)(blocks->n_batches + 1) * sizeof *offsets);
  fill_block_offsets(blocks, offsets);
  CHECK_EQUAL(offsets[blocks->n_batches], n_rows);
  memcpy(next_places, offsets, (size_t)blocks->n_batches * sizeof *offsets);
  write_blocks(blocks, 0, 1, next_places, rows);
  write_blocks(blocks, 1, blocks->n_strata, next_places, rows);
  int64_t place = 0;
  for (int64_t batch = 0; batch < blocks->n_batches; batch++) {
    CHECK_EQUAL(offsets[batch], place);
    for (int64_t stratum = 0; stratum < blocks->n_strata; stratum++) {
      int64_t n_blocks = blocks->n_blocks[stratum];
      for (int64_t block = 0; block < n_blocks; block++) {
        if (blocks->batch_of[blocks->begins[stratum] + block] != batch) continue;
        int64_t end = block_begin(blocks->counts[stratum], n_blocks, block + 1);
        for (int64_t rank = block_begin(blocks->counts[stratum], n_blocks, block); rank < end; rank++) {
          CHECK_EQUAL(rows[place++], blocks->sequences[blocks->starts[stratum] + rank]);
        }
      }
    }
    CHECK_EQUAL(next_places[batch], place);
  }
  free(offsets);
  free(next_places);
  free(rows);
}

static void test_any_blocks(void) {
  static const int64_t steps[] = {1, 3, INT64_MAX};
  uint64_t state = 1;
  for (int trial = 0; trial < 20000; trial++) {
    Blocks blocks = {.n_strata = 1 + some_number(&state, MOST_STRATA), .n_batches = 1 + some_number(&state, 8)};
    int64_t counts[MOST_STRATA], n_blocks[MOST_STRATA], starts[MOST_STRATA], begins[MOST_STRATA];
    int32_t codes[MOST_ROWS + 2], order[MOST_ROWS + 2];
    int64_t n_rows = 0;
    for (int64_t stratum = 0; stratum < blocks.n_strata; stratum++) {
      n_blocks[stratum] = some_number(&state, blocks.n_batches + 1);
      counts[stratum] = n_blocks[stratum] == 0 ? 0 : n_blocks[stratum] + some_number(&state, 4);
      starts[stratum] = n_rows;
      begins[stratum] = blocks.n_all;
      for (int64_t i = 0; i < counts[stratum]; i++) codes[n_rows++] = (int32_t)stratum;
      blocks.n_all += n_blocks[stratum];
    }
    if (blocks.n_all < blocks.n_batches) continue;
    int64_t n_all = n_rows;
    for (int64_t i = 0; i < 2; i++) codes[n_all++] = (int32_t)blocks.n_strata; /* left out */
    for (int32_t row = 0; row < n_all; row++) {
      int64_t place = some_number(&state, row + 1);
      order[row] = order[place];
      order[place] = row;
    }
    blocks.counts = counts;
    blocks.n_blocks = n_blocks;
    blocks.starts = starts;
    blocks.begins = begins;
    blocks.sequences = new_array(n_rows, sizeof(int32_t));
    blocks.firsts = new_array(blocks.n_all, sizeof(int32_t));
    blocks.batch_of = new_array(blocks.n_all, sizeof(int32_t));
    deal_in_steps(order, codes, n_all, steps[trial % 3], &blocks);
    check_dealing(&blocks);
    check_rows(&blocks, n_rows);
    free(blocks.sequences);
    free(blocks.firsts);
    free(blocks.batch_of);
  }
}

int main(void) {
  test_any_blocks();
  return 0;
}
