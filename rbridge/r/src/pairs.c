/* Pairs of users and items: the epochs of the sampler, and the computation of its recipe. */

#include "core/pairs.h"

#include <math.h>
#include <string.h>

#include "arguments.h"
#include "core/negatives.h"
#include "core/permutation.h"
#include "core/plan.h"
#include "group_draws.h"
#include "memory.h"
#include "order.h"
#include "positives.h"
#include "routines.h"

typedef enum { UNIFORM, PER_USER, POPULARITY } Method;

/* Return the weights by which items are drawn; they have room for n_items numbers. */
static double *weights_of_items(const Positives *positives, double power) {
  if (!(power >= 0 && power <= DBL_MAX)) refuse("power", "be a finite number of at least 0", "another");
  int64_t *counts = new_zeros(positives->n_items);
  double *weights = new_doubles(positives->n_items);
  for (int64_t begin = 0; begin < positives->n_positives; begin += STEP) {
    int64_t end = positives->n_positives - begin < STEP ? positives->n_positives : begin + STEP;
    count_columns(positives->cells, begin, end, positives->n_items, counts);
    R_CheckUserInterrupt();
  }
  int64_t most = 1;
  for (int64_t item = 0; item < positives->n_items; item++) most = counts[item] > most ? counts[item] : most;
  for (int64_t begin = 0; begin < positives->n_items; begin += STEP) {
    int64_t end = positives->n_items - begin < STEP ? positives->n_items : begin + STEP;
    weigh_columns(counts, most, power, begin, end, weights);
    R_CheckUserInterrupt();
  }
  return weights;
}

SEXP C_kept_shares(SEXP cells, SEXP n_users, SEXP n_items, SEXP power) {
  Positives positives = read_positives(cells, n_users, n_items);
  if (TYPEOF(power) != REALSXP || Rf_xlength(power) != 1) refuse_kind(power, "power", "be one double");
  const double *weights = weights_of_items(&positives, REAL(power)[0]);
  double total = 0;
  for (int64_t item = 0; item < positives.n_items; item++) total += weights[item];
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)positives.n_users));
  double *shares = REAL(result);
  for (int64_t user = 0; user < positives.n_users; user++) shares[user] = 0;
  for (int64_t begin = 0; begin < positives.n_distinct; begin += STEP) {
    int64_t end = positives.n_distinct - begin < STEP ? positives.n_distinct : begin + STEP;
    add_lost_shares(positives.cells, begin, end, positives.n_items, weights, total, shares);
    R_CheckUserInterrupt();
  }
  for (int64_t user = 0; user < positives.n_users; user++) shares[user] = 1 - shares[user];
  UNPROTECT(1);
  return result;
}

SEXP C_share_negatives(SEXP counts, SEXP digits, SEXP n_decimals) {
  if (TYPEOF(counts) != INTSXP) refuse_kind(counts, "counts", "be integers");
  if (TYPEOF(digits) != REALSXP || Rf_xlength(digits) != 1) refuse_kind(digits, "digits", "be one double");
  double given = REAL(digits)[0];
  if (!(given >= 1 && given <= 1e15 && floor(given) == given)) {
    refuse("digits", "be a whole number from 1 to 10^15", "another");
  }
  int64_t n_places = whole_number(n_decimals, 1, 400, "n_decimals");
  if (given >= pow(10, (double)n_places)) refuse("digits", "be those of a share below 1", "others");
  R_xlen_t length = Rf_xlength(counts);
  int64_t *numbers = new_numbers(length);
  int64_t sum = 0;
  for (R_xlen_t i = 0; i < length; i++) {
    numbers[i] = INTEGER(counts)[i];
    if (numbers[i] < 0 || numbers[i] > LARGEST_COUNT - sum) {
      refuse("counts", "be at least 0, and 2147483647 in all at most", "others");
    }
    sum += numbers[i];
  }
  ExactNumber each = negatives_for_each((int64_t)given, n_places);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, length));
  double *shares = REAL(result);
  if (each.whole > LARGEST_COUNT) {
    for (R_xlen_t i = 0; i < length; i++) shares[i] = R_PosInf;
    UNPROTECT(1);
    return result;
  }
  int64_t *whole = new_numbers(length);
  int64_t running = 0;
  for (R_xlen_t begin = 0; begin < length; begin += STEP) {
    R_xlen_t end = length - begin < STEP ? length : begin + STEP;
    running = share_negatives(numbers, each, running, begin, end, whole);
    R_CheckUserInterrupt();
  }
  for (R_xlen_t i = 0; i < length; i++) shares[i] = (double)whole[i];
  UNPROTECT(1);
  return result;
}

/* Read the number of negatives, in total or for each user; return their sum. */
static int64_t read_negatives(SEXP n_negatives, const Positives *positives, Method method) {
  int64_t length = method == PER_USER ? positives->n_users : 1;
  if (TYPEOF(n_negatives) != INTSXP || Rf_xlength(n_negatives) != length) {
    refuse_kind(n_negatives, "n_negatives", "be integers, one, or one for each user");
  }
  int64_t sum = 0;
  for (int64_t i = 0; i < length; i++) {
    int64_t count = INTEGER(n_negatives)[i];
    if (count < 0 || count > LARGEST_COUNT - positives->n_positives - sum) {
      refuse("n_negatives", "be at least 0, and give at most 2147483647 pairs", "others");
    }
    sum += count;
  }
  return sum;
}

static Method read_method(SEXP method) {
  if (TYPEOF(method) == STRSXP && Rf_xlength(method) == 1) {
    const char *name = CHAR(STRING_ELT(method, 0));
    if (strcmp(name, "uniform") == 0) return UNIFORM;
    if (strcmp(name, "per_user") == 0) return PER_USER;
    if (strcmp(name, "popularity") == 0) return POPULARITY;
  }
  refuse_kind(method, "method", "be one of 'uniform', 'per_user', 'popularity'");
}

/* Make the groups of a draw: for the whole table, or for each user who gets negatives, the ranks of the cells to draw
 * from.
 */
static GroupDraw groups_of(
    const Positives *positives, const int *n_negatives, bool per_user, bool unique, bool free_only
) {
  const int64_t *starts = per_user && free_only ? starts_of_users(positives) : NULL;
  int64_t n_groups = per_user ? positives->n_users : 1;
  int64_t size = per_user ? positives->n_items : positives->n_users * positives->n_items;
  int64_t *firsts = new_numbers(n_groups);
  int64_t *limits = new_numbers(n_groups);
  int64_t *counts = new_numbers(n_groups);
  GroupDraw draw = {.firsts = firsts, .limits = limits, .counts = counts};
  for (int64_t group = 0; group < n_groups; group++) {
    if (group % STEP == 0) R_CheckUserInterrupt();
    if (n_negatives[group] == 0) continue;
    int64_t before = starts == NULL ? 0 : starts[group];
    int64_t taken = starts != NULL ? starts[group + 1] - before : free_only ? positives->n_distinct : 0;
    firsts[draw.n_groups] = group * size - before;
    limits[draw.n_groups] = size - taken;
    counts[draw.n_groups] = n_negatives[group];
    if (size - taken < (unique ? n_negatives[group] : 1)) {
      refuse("n_negatives", "be at most as many as there are cells to draw from", "more");
    }
    draw.n_groups++;
  }
  return draw;
}

/* Draw the cells of the negatives uniformly, over the table or for each user. */
static void draw_uniformly(
    const Positives *positives, const int *n_negatives, bool per_user, bool unique, bool free_only,
    Generator *generator, int64_t count, int64_t *cells
) {
  GroupDraw draw = groups_of(positives, n_negatives, per_user, unique, free_only);
  SubsetScratch scratch;
  if (unique) {
    scratch = scratch_of(&draw);
    draw.scratch = &scratch;
  }
  while (!draw_in_groups(&draw, generator, STEP, cells)) R_CheckUserInterrupt();
  if (free_only) find_cells_of_ranks(positives, cells, count);
}

/* Draw the cells of the negatives by popularity. */
static void draw_by_popularity(
    const Positives *positives, double power, bool free_only, Generator *generator, int64_t count, int64_t *cells
) {
  int64_t n_sums = sum_tree_length(positives->n_items);
  double *sums = new_doubles(n_sums);
  memset(sums, 0, (size_t)n_sums * sizeof(double));
  const double *weights = weights_of_items(positives, power);
  SumTree tree;
  init_sum_tree(&tree, positives->n_items, sums, NULL, 0);
  for (int64_t begin = 0; begin < positives->n_items; begin += STEP) {
    fill_rows(&tree, weights, begin, positives->n_items - begin < STEP ? positives->n_items : begin + STEP);
    R_CheckUserInterrupt();
  }
  PopularDraw draw = {
    .cells = positives->cells, .starts = free_only ? starts_of_users(positives) : NULL,
    .n_positives = positives->n_positives, .n_distinct = positives->n_distinct, .n_columns = positives->n_items,
    .columns = &tree, .count = count, .drawn = cells
  };
  while (!draw_popular(&draw, generator, STEP)) R_CheckUserInterrupt();
}

/* Return the pair numbers, batch after batch, and the offsets of the batches. */
static SEXP deal_batches(Deal *deal, int64_t n_pairs) {
  int64_t *offsets = new_numbers(deal->n_batches + 1);
  fill_even_offsets(n_pairs, deal->n_batches, 0, deal->n_batches + 1, offsets);
  const char *names[] = {"rows", "offsets", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t)n_pairs));
  double *numbers = REAL(VECTOR_ELT(result, 0));
  deal->offsets = offsets;
  deal->numbers = (int64_t *)(void *)numbers; /* converted to doubles in place */
  begin_deal(deal);
  for (int64_t begin = 0; begin < n_pairs; begin += STEP) {
    deal_next_pairs(deal, begin, n_pairs - begin < STEP ? n_pairs : begin + STEP);
    R_CheckUserInterrupt();
  }
  numbers_to_doubles(numbers, n_pairs);
  SET_VECTOR_ELT(result, 1, Rf_allocVector(INTSXP, (R_xlen_t)deal->n_batches + 1));
  int *begins = INTEGER(VECTOR_ELT(result, 1));
  for (int64_t batch = 0; batch <= deal->n_batches; batch++) begins[batch] = (int)offsets[batch];
  UNPROTECT(1);
  return result;
}

SEXP C_draw_pairs(
    SEXP cells, SEXP n_users, SEXP n_items, SEXP n_batches, SEXP method, SEXP unique, SEXP reject_positives, SEXP power,
    SEXP n_negatives, SEXP seed
) {
  Positives positives = read_positives(cells, n_users, n_items);
  Method way = read_method(method);
  bool distinct = true_or_false(unique, "unique");
  bool free_only = true_or_false(reject_positives, "reject_positives");
  int64_t count = read_negatives(n_negatives, &positives, way);
  int64_t fewest = count < positives.n_positives ? count : positives.n_positives;
  Deal deal = {.n_batches = whole_number(n_batches, 1, (int32_t)fewest, "n_batches")};
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  int64_t n_pairs = positives.n_positives + count;
  int32_t *order = new_integers(n_pairs);
  draw_order(&generator, (uint32_t)n_pairs, order);
  int64_t *negatives = new_numbers(count);
  if (way == POPULARITY) {
    if (TYPEOF(power) != REALSXP || Rf_xlength(power) != 1) refuse_kind(power, "power", "be one double");
    draw_by_popularity(&positives, REAL(power)[0], free_only, &generator, count, negatives);
  } else {
    draw_uniformly(
        &positives, INTEGER(n_negatives), way == PER_USER, distinct, free_only, &generator, count, negatives
    );
  }
  deal.order = order;
  deal.positives = positives.cells;
  deal.negatives = negatives;
  deal.n_positives = positives.n_positives;
  return deal_batches(&deal, n_pairs);
}
