/* The batches of an epoch of the sharded sampler. */

#include "core/shards.h"

#include "arguments.h"
#include "memory.h"
#include "offsets.h"
#include "routines.h"
#include "scatter.h"

/* What every epoch of a sampler uses: vectors of R, which R code cannot reach, so that they stay as they were checked.
 */
enum {
  CODES,   /* raw or integers: those of the recipe */
  COUNTS,  /* doubles: how often each code occurs in each shard, shard by shard */
  LAYOUT,  /* integers, one for each row */
  OFFSETS, /* integers, n_batches + 1 */
  STRATA,  /* integer: their number */
  N_PARTS
};

/* The shards of a process. */
typedef struct {
  ShardCells cells;
  int64_t n_shards;
  int64_t n_strata;
  int64_t n_rows;
} Shards;

/* Read the sizes of the shards; `starts`, of one number more, says where the rows of each begin. */
static void read_sizes(SEXP sizes, Shards *shards, int64_t *starts) {
  starts[0] = 0;
  for (int64_t shard = 0; shard < shards->n_shards; shard++) {
    double size = REAL(sizes)[shard];
    if (!is_whole(size, 0, LARGEST_COUNT)) refuse_number(size, "sizes", "be numbers of rows");
    starts[shard + 1] = starts[shard] + (int64_t)size;
    if (starts[shard + 1] > shards->n_rows) refuse("sizes", "add up to the rows", "more");
  }
  if (starts[shards->n_shards] < shards->n_rows) refuse("sizes", "add up to the rows", "fewer");
}

static const int64_t *read_begins(SEXP begins, const Shards *shards) {
  int64_t *result = new_numbers(shards->cells.n_cells);
  for (int64_t cell = 0; cell < shards->cells.n_cells; cell++) {
    double begin = REAL(begins)[cell];
    double last = (double)(shards->cells.n_batches - 1);
    if (!is_whole(begin, 0, last)) refuse_number(begin, "begins", "be numbers of batches from 0");
    result[cell] = (int64_t)begin;
  }
  return result;
}

/* Count the codes of each shard. */
static const int64_t *count_cells(SEXP codes, const Shards *shards, const int64_t *starts) {
  int64_t *counts = new_zeros(shards->cells.n_cells);
  bool is_raw = TYPEOF(codes) == RAWSXP;
  for (int64_t shard = 0; shard < shards->n_shards; shard++) {
    int64_t *counted = counts + shard * shards->n_strata;
    for (int64_t row = starts[shard]; row < starts[shard + 1]; row++) {
      int code = is_raw ? RAW(codes)[row] : INTEGER(codes)[row];
      if (code < 0 || code >= shards->n_strata) refuse("codes", "be numbers of strata from 0", "others");
      counted[code] += 1;
      if (row % STEP == STEP - 1) R_CheckUserInterrupt();
    }
  }
  return counts;
}

/* Return where each batch begins, and where the last one ends. */
static int64_t *find_offsets(const ShardCells *cells) {
  int64_t *offsets = new_zeros(cells->n_batches + 1);
  int64_t whole = 0;
  for (int64_t begin = 0; begin < cells->n_cells; begin += STEP) {
    int64_t end = cells->n_cells - begin < STEP ? cells->n_cells : begin + STEP;
    count_shard_rows(cells, begin, end, &whole, offsets);
    R_CheckUserInterrupt();
  }
  ShardOffsets progress = {0};
  while (progress.batch <= cells->n_batches) {
    int64_t left = cells->n_batches + 1 - progress.batch;
    add_up_shard_rows(whole, progress.batch + (left < STEP ? left : STEP), &progress, offsets);
    R_CheckUserInterrupt();
  }
  return offsets;
}

static void check_no_batch_is_empty(const int64_t *offsets, int64_t n_batches) {
  for (int64_t batch = 0; batch < n_batches; batch++) {
    if (offsets[batch] == offsets[batch + 1]) refuse("begins", "give each batch a row", "a batch without rows");
    if (batch % STEP == STEP - 1) R_CheckUserInterrupt();
  }
}

static void lay_out(const ShardCells *cells, int64_t *next_places, int32_t *layout) {
  ShardsProgress progress;
  begin_shard_layout(&progress);
  while (!fill_shard_layout(cells, STEP, &progress, next_places, layout)) R_CheckUserInterrupt();
}

/* Read the shards of a recipe, whose rows have `codes`. */
static Shards read_shards(SEXP codes, SEXP n_strata, SEXP sizes, SEXP begins, SEXP n_batches) {
  check_codes(codes);
  Shards shards = {.n_strata = whole_number(n_strata, 1, LARGEST_COUNT - 1, "n_strata")};
  shards.n_rows = Rf_xlength(codes);
  shards.n_shards = Rf_xlength(sizes);
  if (TYPEOF(sizes) != REALSXP || shards.n_shards < 1 || shards.n_shards > LARGEST_COUNT) {
    refuse_kind(sizes, "sizes", "be doubles, one for each shard");
  }
  shards.cells.n_cells = shards.n_shards * shards.n_strata;
  if (TYPEOF(begins) != REALSXP || Rf_xlength(begins) != shards.cells.n_cells) {
    refuse_kind(begins, "begins", "be doubles, one for each stratum of each shard");
  }
  shards.cells.n_batches = whole_number(n_batches, 1, LARGEST_COUNT, "n_batches");
  int64_t *starts = new_numbers(shards.n_shards + 1);
  read_sizes(sizes, &shards, starts);
  shards.cells.begins = read_begins(begins, &shards);
  shards.cells.counts = count_cells(codes, &shards, starts);
  return shards;
}

SEXP C_prepare_shards(SEXP key, SEXP codes, SEXP n_strata, SEXP sizes, SEXP begins, SEXP n_batches) {
  if (TYPEOF(key) != ENVSXP) refuse_kind(key, "key", "be an environment");
  Shards shards = read_shards(codes, n_strata, sizes, begins, n_batches);
  const ShardCells *cells = &shards.cells;
  SEXP prepared = PROTECT(Rf_allocVector(VECSXP, N_PARTS));
  SET_VECTOR_ELT(prepared, CODES, codes);
  MARK_NOT_MUTABLE(codes);
  SET_VECTOR_ELT(prepared, STRATA, Rf_ScalarInteger((int)shards.n_strata));
  SET_VECTOR_ELT(prepared, COUNTS, Rf_allocVector(REALSXP, (R_xlen_t)cells->n_cells));
  for (int64_t cell = 0; cell < cells->n_cells; cell++) {
    REAL(VECTOR_ELT(prepared, COUNTS))[cell] = (double)cells->counts[cell];
  }
  MARK_NOT_MUTABLE(VECTOR_ELT(prepared, COUNTS)); /* instances show it */
  int64_t *offsets = find_offsets(cells);
  check_no_batch_is_empty(offsets, cells->n_batches);
  SET_VECTOR_ELT(prepared, OFFSETS, offsets_in_r(offsets, cells->n_batches));
  MARK_NOT_MUTABLE(VECTOR_ELT(prepared, OFFSETS)); /* all epochs share it */
  SET_VECTOR_ELT(prepared, LAYOUT, Rf_allocVector(INTSXP, (R_xlen_t)shards.n_rows));
  lay_out(cells, offsets, INTEGER(VECTOR_ELT(prepared, LAYOUT)));
  const char *names[] = {"reference", "counts", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, R_MakeWeakRef(key, prepared, R_NilValue, FALSE));
  SET_VECTOR_ELT(result, 1, VECTOR_ELT(prepared, COUNTS));
  UNPROTECT(2);
  return result;
}

/* What an epoch is drawn by. */
typedef struct {
  const double *shards; /* the numbers of the shards, from 0 */
  uint32_t n_shards;    /* of all processes */
  bool shuffle;
  uint32_t seed;
  uint32_t epoch;
} Draw;

static Draw read_draw(SEXP shards, int64_t n_own, SEXP n_shards, SEXP shuffle, SEXP seed, SEXP epoch) {
  Draw draw = {.n_shards = (uint32_t)whole_number(n_shards, 1, LARGEST_COUNT, "n_shards")};
  if (TYPEOF(shards) != REALSXP || Rf_xlength(shards) != n_own) {
    refuse_kind(shards, "shards", "be doubles, one for each shard");
  }
  draw.shards = REAL(shards);
  for (int64_t shard = 0; shard < n_own; shard++) {
    if (!is_whole(draw.shards[shard], 0, draw.n_shards - 1.0)) {
      refuse_number(draw.shards[shard], "shards", "be numbers of shards from 0");
    }
  }
  draw.shuffle = true_or_false(shuffle, "shuffle");
  draw.seed = read_seed(seed);
  draw.epoch = (uint32_t)whole_number(epoch, 0, (int32_t)last_shard_epoch(draw.n_shards), "epoch");
  return draw;
}

/* Fill `rows` with those of the epoch, batch after batch. */
static void fill_rows(SEXP prepared, const Draw *draw, const ShardCells *cells, int64_t n_strata, int32_t *rows) {
  SEXP codes = VECTOR_ELT(prepared, CODES);
  const int32_t *layout = INTEGER(VECTOR_ELT(prepared, LAYOUT));
  int code_bytes = TYPEOF(codes) == RAWSXP ? 1 : 4;
  const uint8_t *bytes = code_bytes == 1 ? RAW(codes) : (const uint8_t *)INTEGER(codes);
  int64_t *cursors = new_numbers(n_strata);
  int32_t *pool = new_integers(Rf_xlength(codes));
  int64_t first_row = 0;
  for (int64_t cell = 0; cell < cells->n_cells; cell += n_strata) {
    int64_t size = shard_rows(cells, cell, n_strata);
    const void *own = bytes + first_row * code_bytes;
    fill_shard_cursors(cells, cell, n_strata, first_row, cursors);
    if (draw->shuffle) {
      uint32_t seed = shard_seed(draw->seed, draw->epoch, draw->n_shards, (uint32_t)draw->shards[cell / n_strata]);
      scatter_shuffled(
          own, code_bytes, (uint32_t)size, cursors, layout, seed, (int32_t)(first_row + 1), pool, rows
      );
    } else {
      scatter_unshuffled(own, code_bytes, (uint32_t)size, cursors, layout, (int32_t)(first_row + 1), rows);
    }
    first_row += size;
  }
}

SEXP C_draw_shards(SEXP reference, SEXP shards, SEXP n_shards, SEXP shuffle, SEXP seed, SEXP epoch) {
  if (TYPEOF(reference) != WEAKREFSXP) refuse_kind(reference, "reference", "be what prepares the epochs");
  SEXP prepared = PROTECT(R_WeakRefValue(reference));
  if (Rf_isNull(prepared)) {
    UNPROTECT(1);
    return R_NilValue;
  }
  SEXP counts = VECTOR_ELT(prepared, COUNTS);
  int64_t n_strata = INTEGER(VECTOR_ELT(prepared, STRATA))[0];
  ShardCells cells = {.n_cells = Rf_xlength(counts)};
  Draw draw = read_draw(shards, cells.n_cells / n_strata, n_shards, shuffle, seed, epoch);
  int64_t *numbers = new_numbers(cells.n_cells);
  for (int64_t cell = 0; cell < cells.n_cells; cell++) numbers[cell] = (int64_t)REAL(counts)[cell];
  cells.counts = numbers;
  const char *names[] = {"rows", "offsets", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, Rf_xlength(VECTOR_ELT(prepared, LAYOUT))));
  SET_VECTOR_ELT(result, 1, VECTOR_ELT(prepared, OFFSETS));
  fill_rows(prepared, &draw, &cells, n_strata, INTEGER(VECTOR_ELT(result, 0)));
  UNPROTECT(2);
  return result;
}
