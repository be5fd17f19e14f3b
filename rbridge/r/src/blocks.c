/* Batches of a few strata each. */

#include "core/blocks.h"

#include <string.h>

#include "arguments.h"
#include "core/plan.h"
#include "memory.h"
#include "offsets.h"
#include "order.h"
#include "routines.h"

/* Return doubles of R as whole numbers from 0 to `most`, one for each stratum. */
static int64_t *read_numbers(SEXP values, int64_t count, double most, const char *parameter) {
  if (TYPEOF(values) != REALSXP || Rf_xlength(values) != count) {
    refuse_kind(values, parameter, "be doubles, one for each stratum");
  }
  int64_t *result = new_numbers(count);
  for (int64_t i = 0; i < count; i++) {
    if (!is_whole(REAL(values)[i], 0, most)) refuse_number(REAL(values)[i], parameter, "be numbers from 0");
    result[i] = (int64_t)REAL(values)[i];
  }
  return result;
}

/* Refuse codes that do not occur as often as `counts` says, blocks without rows, and rows without a block. */
static void check_counts(SEXP codes, const Blocks *blocks) {
  int64_t *found = new_zeros(blocks->n_strata + 1);
  const int *given = INTEGER(codes);
  for (int64_t row = 0; row < Rf_xlength(codes); row++) {
    if (given[row] < 0 || given[row] > blocks->n_strata) refuse("codes", "be numbers of strata", "others");
    found[given[row]] += 1;
    if (row % STEP == STEP - 1) R_CheckUserInterrupt();
  }
  for (int64_t stratum = 0; stratum < blocks->n_strata; stratum++) {
    int64_t count = blocks->counts[stratum];
    bool has_blocks = blocks->n_blocks[stratum] > 0;
    if (count != found[stratum]) refuse("counts", "be how often each code occurs", "others");
    if (count < blocks->n_blocks[stratum] || has_blocks != (count > 0)) {
      refuse("n_blocks", "leave a row for each block", "others");
    }
  }
}

static void gather(SEXP codes, SEXP seed, Blocks *blocks) {
  uint32_t n_rows = (uint32_t)Rf_xlength(codes);
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  int32_t *order = new_integers(n_rows);
  draw_order(&generator, n_rows, order);
  int64_t *ranks = new_zeros(blocks->n_strata);
  int64_t *found = new_zeros(blocks->n_strata);
  for (int64_t begin = 0; begin < n_rows; begin += STEP) {
    int64_t end = n_rows - begin < STEP ? n_rows : begin + STEP;
    gather_blocks(order, INTEGER(codes), 1, begin, end, ranks, found, blocks);
    R_CheckUserInterrupt();
  }
}

static void deal(Blocks *blocks) {
  int64_t n = blocks->n_strata;
  Dealing dealing = {.heap = new_integers(n), .keys = new_integers(n), .always = new_integers(n)};
  dealing.left = new_integers(n);
  dealing.next = new_integers(n);
  dealing.previous = new_integers(n);
  dealing.heads = new_integers(blocks->n_batches + 1);
  int32_t *chosen = new_integers(n);
  begin_dealing(blocks, &dealing);
  while (!deal_blocks(blocks, &dealing, 1 << 12, chosen)) R_CheckUserInterrupt();
}

SEXP C_draw_blocks(SEXP codes, SEXP counts, SEXP n_blocks, SEXP n_batches, SEXP seed) {
  if (TYPEOF(codes) != INTSXP || Rf_xlength(codes) > LARGEST_COUNT) refuse_kind(codes, "codes", "be integers");
  Blocks blocks = {.n_strata = Rf_xlength(counts)};
  blocks.n_batches = whole_number(n_batches, 1, LARGEST_COUNT, "n_batches");
  if (blocks.n_strata < 1 || blocks.n_strata > LARGEST_COUNT) refuse("counts", "have a number a stratum", "others");
  blocks.counts = read_numbers(counts, blocks.n_strata, LARGEST_COUNT, "counts");
  blocks.n_blocks = read_numbers(n_blocks, blocks.n_strata, (double)blocks.n_batches, "n_blocks");
  check_counts(codes, &blocks);
  int64_t *starts = new_numbers(blocks.n_strata + 1);
  int64_t *begins = new_numbers(blocks.n_strata + 1);
  fill_starts(blocks.counts, blocks.n_strata, starts);
  fill_starts(blocks.n_blocks, blocks.n_strata, begins);
  blocks.starts = starts;
  blocks.begins = begins;
  blocks.n_all = begins[blocks.n_strata];
  if (blocks.n_all < blocks.n_batches) refuse("n_blocks", "leave a block for each batch", "fewer");
  int64_t n_taken = starts[blocks.n_strata];
  blocks.sequences = new_integers(n_taken);
  blocks.firsts = new_integers(blocks.n_all);
  blocks.batch_of = new_integers(blocks.n_all);
  gather(codes, seed, &blocks);
  deal(&blocks);
  int64_t *offsets = new_zeros(blocks.n_batches + 1);
  fill_block_offsets(&blocks, offsets);
  const char *names[] = {"rows", "offsets", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t)n_taken));
  SET_VECTOR_ELT(result, 1, offsets_in_r(offsets, blocks.n_batches));
  for (int64_t begin = 0; begin < blocks.n_strata; begin += STEP) {
    int64_t end = blocks.n_strata - begin < STEP ? blocks.n_strata : begin + STEP;
    write_blocks(&blocks, begin, end, offsets, INTEGER(VECTOR_ELT(result, 0)));
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}
