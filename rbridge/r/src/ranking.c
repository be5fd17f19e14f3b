/* Rows in the order of their priorities: two vectors of R, which are copied, saved and sent to other processes like
 * any.
 *
 * The keys are doubles, one for each row that there is room for. The ranking is integers: a head, the ranks at which
 * the blocks begin, and the rows of the blocks. Their content may come from a file, so it is checked as far as no call
 * can leave their memory: here, except for single rows, which the core checks.
 */

#include "arguments.h"
#include "core/powers.h"
#include "core/ranking.h"
#include "routines.h"

/* The first integers of a ranking. */
enum { N_RANKED, N_BLOCKS, RANKING_HEAD };

/* Return the number of integers that R has for a ranking. */
static int64_t length_of_ranking(int64_t capacity) {
  return RANKING_HEAD + ranking_blocks(capacity) + 1 + ranking_length(capacity);
}

/* Lay a ranking over vectors of R with the right lengths. */
static Ranking ranking_over(SEXP keys, SEXP integers) {
  Ranking ranking;
  int64_t capacity = Rf_xlength(keys);
  int *head = INTEGER(integers);
  int32_t *begins = head + RANKING_HEAD;
  int32_t *rows = begins + ranking_blocks(capacity) + 1;
  init_ranking(&ranking, capacity, REAL(keys), rows, begins, head[N_RANKED], head[N_BLOCKS]);
  return ranking;
}

/* Whether all blocks have separate places, and hold as many rows as have ranks. */
static bool has_blocks(const Ranking *ranking) {
  bool is_one = 1 <= ranking->n_blocks && ranking->n_blocks <= ranking_blocks(ranking->capacity) &&
      0 <= ranking->n_ranked && ranking->n_ranked <= ranking->capacity && ranking->begins[0] == 0;
  if (!is_one || ranking->begins[ranking->n_blocks] != ranking->n_ranked) return false;
  for (int64_t block = 0; block < ranking->n_blocks; block++) {
    int64_t size = (int64_t)ranking->begins[block + 1] - ranking->begins[block];
    if (size < 0 || size > 2 * ranking->share || (size == 0 && ranking->n_blocks > 1)) return false;
  }
  return true;
}

/* Return the ranking of vectors of R. */
static Ranking read_ranking(SEXP keys, SEXP integers) {
  const char *required = "be a ranking";
  if (TYPEOF(keys) != REALSXP || Rf_xlength(keys) < 1 || Rf_xlength(keys) > LARGEST_COUNT) {
    refuse_kind(keys, "ranking", required);
  }
  if (TYPEOF(integers) != INTSXP || Rf_xlength(integers) != length_of_ranking(Rf_xlength(keys))) {
    refuse_kind(integers, "ranking", required);
  }
  Ranking ranking = ranking_over(keys, integers);
  if (!has_blocks(&ranking)) refuse("ranking", required, "other numbers");
  return ranking;
}

static void write_head(const Ranking *ranking, SEXP integers) {
  INTEGER(integers)[N_RANKED] = (int)ranking->n_ranked;
  INTEGER(integers)[N_BLOCKS] = (int)ranking->n_blocks;
}

SEXP C_build_ranking(SEXP keys, SEXP order) {
  if (TYPEOF(keys) != REALSXP || Rf_xlength(keys) < 1 || Rf_xlength(keys) > LARGEST_COUNT) {
    refuse_kind(keys, "keys", "be doubles, one a row");
  }
  int64_t capacity = Rf_xlength(keys), n_ranked = Rf_xlength(order);
  if (TYPEOF(order) != INTSXP || n_ranked > capacity) refuse_kind(order, "order", "be rows in order");
  int32_t *rows = (int32_t *)(void *)R_alloc((size_t)n_ranked, sizeof(int32_t));
  for (int64_t rank = 0; rank < n_ranked; rank++) {
    int row = INTEGER(order)[rank];
    if (row < 1 || row > n_ranked) refuse("order", "be rows in order", "others");
    rows[rank] = row - 1;
  }
  SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)length_of_ranking(capacity)));
  memset(INTEGER(result), 0, (size_t)Rf_xlength(result) * sizeof(int));
  Ranking ranking = ranking_over(keys, result);
  begin_ranking(&ranking, n_ranked);
  for (int64_t begin = 0; begin < n_ranked; begin += STEP) {
    fill_ranking(&ranking, rows, begin, n_ranked - begin < STEP ? n_ranked : begin + STEP);
    R_CheckUserInterrupt();
  }
  write_head(&ranking, result);
  UNPROTECT(1);
  return result;
}

SEXP C_set_keys(SEXP keys, SEXP integers, SEXP rows, SEXP new_keys) {
  Ranking ranking = read_ranking(keys, integers);
  int64_t count = Rf_xlength(rows), n_ranked = ranking.n_ranked;
  if (MAYBE_SHARED(keys) || MAYBE_SHARED(integers)) return Rf_ScalarLogical(FALSE);
  if (TYPEOF(rows) != INTSXP) refuse_kind(rows, "rows", "be integers");
  if (TYPEOF(new_keys) != REALSXP || Rf_xlength(new_keys) != count) {
    refuse_kind(new_keys, "priorities", "have one value for each row");
  }
  int64_t *places = (int64_t *)(void *)R_alloc((size_t)count, sizeof(int64_t));
  for (int64_t i = 0; i < count; i++) {
    int row = INTEGER(rows)[i];
    if (row < 1 || row > ranking.capacity || row - 1 > n_ranked) {
      refuse("rows", "be rows with a rank, or the next ones", "others");
    }
    if (ISNAN(REAL(new_keys)[i])) refuse_number(REAL(new_keys)[i], "priorities", "hold finite numbers");
    n_ranked += row - 1 == n_ranked;
    places[i] = row - 1;
  }
  for (int64_t begin = 0; begin < count; begin += STEP) {
    set_keys(&ranking, places, REAL(new_keys), begin, count - begin < STEP ? count : begin + STEP);
    write_head(&ranking, integers); /* after each step the vectors are a ranking */
    R_CheckUserInterrupt();
  }
  return Rf_ScalarLogical(TRUE);
}

/* Return rows for ranks, or ranks for rows; both are counted from 1, and exist. */
static SEXP translated(SEXP keys, SEXP integers, SEXP given, bool to_rows) {
  Ranking ranking = read_ranking(keys, integers);
  if (TYPEOF(given) != INTSXP) refuse_kind(given, "ranks", "be integers");
  SEXP result = PROTECT(Rf_allocVector(INTSXP, Rf_xlength(given)));
  int32_t *found = INTEGER(result);
  for (R_xlen_t i = 0; i < Rf_xlength(given); i++) {
    int number = INTEGER(given)[i];
    if (number < 1 || number > ranking.n_ranked) refuse("ranks", "be rows with a rank", "others");
    found[i] = number - 1;
    if (to_rows) {
      ranks_to_rows(&ranking, &found[i], 1);
    } else {
      found[i] = (int32_t)rank_of_row(&ranking, found[i]);
    }
    found[i] += 1;
    if (i % STEP == STEP - 1) R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}

SEXP C_ranks_to_rows(SEXP keys, SEXP integers, SEXP ranks) { return translated(keys, integers, ranks, true); }

SEXP C_ranks_of_rows(SEXP keys, SEXP integers, SEXP rows) { return translated(keys, integers, rows, false); }

SEXP C_weigh_ranks(SEXP first, SEXP count, SEXP alpha) {
  int32_t begin = whole_number(first, 1, LARGEST_COUNT, "first");
  int32_t wanted = whole_number(count, 0, LARGEST_COUNT, "count");
  if (TYPEOF(alpha) != REALSXP || Rf_xlength(alpha) != 1) refuse_kind(alpha, "alpha", "be a number");
  SEXP result = PROTECT(Rf_allocVector(REALSXP, wanted));
  for (int64_t done = 0; done < wanted; done += STEP) {
    weigh_ranks(begin - 1 + done, wanted - done < STEP ? wanted - done : STEP, REAL(alpha)[0], REAL(result) + done);
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}

SEXP C_powers_of(SEXP numbers, SEXP exponent) {
  if (TYPEOF(numbers) != REALSXP) refuse_kind(numbers, "numbers", "be doubles");
  if (TYPEOF(exponent) != REALSXP || Rf_xlength(exponent) != 1) refuse_kind(exponent, "exponent", "be a number");
  int64_t count = Rf_xlength(numbers);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
  for (int64_t done = 0; done < count; done += STEP) {
    raise_all(REAL(numbers) + done, count - done < STEP ? count - done : STEP, REAL(exponent)[0], REAL(result) + done);
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}
