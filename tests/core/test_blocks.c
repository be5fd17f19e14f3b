/* blocks.h against the rule, stratum by stratum: random cases, with codes of both widths. */

#include "blocks.h"
#include "plain_host.h"
#include "plan.h"

enum { MOST_STRATA = 5, MOST_BATCHES = 8, MOST_ROWS = 60 };

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
  int64_t offsets[MOST_BATCHES + 1] = {0}, next_places[MOST_BATCHES + 1];
  int32_t *rows = new_array(n_rows, sizeof *rows);
  PlainHost host = new_host(NULL, NULL, 0, -1);
  fill_block_offsets(blocks, offsets);
  memcpy(next_places, offsets, sizeof next_places);
  CHECK(write_blocks(blocks, next_places, rows, &host.host));
  for (int64_t batch = 0; batch < blocks->n_batches; batch++) CHECK_EQUAL(next_places[batch], offsets[batch + 1]);
  CHECK_EQUAL(offsets[blocks->n_batches], n_rows);
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
  }
  free(rows);
}

/* Gather the rows, in two parts, and deal the blocks. */
static void fill_blocks(Blocks *blocks, const int32_t *order, const int32_t *codes, int64_t n_rows, bool is_narrow) {
  int64_t ranks[MOST_STRATA] = {0}, found[MOST_STRATA] = {0};
  uint8_t bytes[MOST_ROWS + 2];
  for (int64_t row = 0; row < n_rows; row++) bytes[row] = (uint8_t)codes[row];
  for (int64_t begin = 0; begin < n_rows; begin += n_rows / 2 + 1) {
    int64_t size = smaller(n_rows / 2 + 1, n_rows - begin);
    const uint8_t *narrow = is_narrow ? bytes : NULL;
    gather_blocks(order + begin, begin, size, narrow, codes, 0, ranks, found, blocks);
  }
  int32_t heap[MOST_STRATA], keys[MOST_STRATA], always[MOST_STRATA], left[MOST_STRATA], heads[MOST_BATCHES + 1];
  int32_t next[MOST_STRATA], previous[MOST_STRATA], chosen[MOST_STRATA];
  Dealing dealing = {.heap = heap, .keys = keys, .always = always, .left = left, .heads = heads};
  dealing.next = next;
  dealing.previous = previous;
  PlainHost host = new_host(NULL, NULL, 0, -1);
  CHECK(deal_blocks(blocks, &dealing, chosen, &host.host));
}

static void test_any_blocks(void) {
  uint64_t state = 1;
  for (int trial = 0; trial < 20000; trial++) {
    int64_t n_strata = 1 + some_number(&state, MOST_STRATA), n_batches = 1 + some_number(&state, MOST_BATCHES);
    int64_t counts[MOST_STRATA], n_blocks[MOST_STRATA];
    int32_t codes[MOST_ROWS + 2], order[MOST_ROWS + 2];
    int64_t n_rows = 0, n_all_blocks = 0;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      n_blocks[stratum] = some_number(&state, n_batches + 1);
      counts[stratum] = n_blocks[stratum] == 0 ? 0 : n_blocks[stratum] + some_number(&state, 4);
      for (int64_t i = 0; i < counts[stratum]; i++) codes[n_rows++] = (int32_t)stratum;
      n_all_blocks += n_blocks[stratum];
    }
    if (n_all_blocks < n_batches) continue;
    int64_t n_all = n_rows;
    for (int64_t i = 0; i < 2; i++) codes[n_all++] = (int32_t)n_strata; /* left out */
    for (int32_t row = 0; row < n_all; row++) {
      int64_t place = some_number(&state, row + 1);
      order[row] = order[place];
      order[place] = row;
    }
    int64_t starts[MOST_STRATA + 1], begins[MOST_STRATA + 1];
    fill_starts(counts, n_strata, starts);
    fill_starts(n_blocks, n_strata, begins);
    Blocks blocks = {.n_strata = n_strata, .n_batches = n_batches, .n_all = n_all_blocks, .counts = counts};
    blocks.n_blocks = n_blocks;
    blocks.starts = starts;
    blocks.begins = begins;
    blocks.sequences = new_array(n_rows, sizeof(int32_t));
    blocks.firsts = new_array(n_all_blocks, sizeof(int32_t));
    blocks.batch_of = new_array(n_all_blocks, sizeof(int32_t));
    fill_blocks(&blocks, order, codes, n_all, trial % 2 == 0);
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
