/* blocks.h against the rule, stratum by stratum: random cases, in steps of several sizes. */

#include "block_dealing.h"
#include "blocks.h"
#include "check.h"

enum { MOST_STRATA = 5, MOST_ROWS = 60 };

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
static void check_rows(const Blocks *blocks, int64_t n_rows, int64_t wanted) {
  int64_t *offsets = new_array(blocks->n_batches + 1, sizeof *offsets);
  int32_t *rows = new_array(n_rows, sizeof *rows);
  write_in_steps(blocks, wanted, offsets, rows);
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
  free(offsets);
  free(rows);
}

static void test_any_blocks(void) {
  static const int64_t steps[] = {1, 3, INT64_MAX};
  uint64_t state = 1;
  for (int trial = 0; trial < 20000; trial++) {
    int64_t n_strata = 1 + some_number(&state, MOST_STRATA), n_batches = 1 + some_number(&state, 8);
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
    Blocks blocks = new_blocks(counts, n_blocks, n_strata, n_batches);
    int64_t wanted = steps[trial % 3];
    gather_in_steps(order, codes, 0, n_all, wanted, &blocks);
    deal_in_steps(wanted, &blocks);
    check_dealing(&blocks);
    check_rows(&blocks, n_rows, wanted);
    free_blocks(&blocks);
  }
}

int main(void) {
  test_any_blocks();
  return 0;
}
