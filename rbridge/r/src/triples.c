/* Triples of a user, a positive and negatives of that user: the epochs of the sampler. */

#include "arguments.h"
#include "core/negatives.h"
#include "core/permutation.h"
#include "core/plan.h"
#include "group_draws.h"
#include "memory.h"
#include "order.h"
#include "positives.h"
#include "routines.h"

/* Make a group of draws for each positive: the ranks of the free cells of its user. */
static GroupDraw groups_of_positives(const Positives *positives, int64_t per_positive, bool unique) {
  const int64_t *starts = starts_of_users(positives);
  int64_t *firsts = new_numbers(positives->n_positives);
  int64_t *limits = new_numbers(positives->n_positives);
  int64_t *counts = new_numbers(positives->n_positives);
  for (int64_t i = 0; i < positives->n_positives; i++) {
    if (i % STEP == 0) R_CheckUserInterrupt();
    int64_t user = positives->cells[i] / positives->n_items;
    firsts[i] = user * positives->n_items - starts[user];
    limits[i] = positives->n_items - (starts[user + 1] - starts[user]);
    counts[i] = per_positive;
    if (limits[i] < (unique ? per_positive : 1)) {
      refuse("negatives_per_positive", "be at most as many as a user has items to draw from", "more");
    }
  }
  return (GroupDraw){.firsts = firsts, .limits = limits, .counts = counts, .n_groups = positives->n_positives};
}

/* Draw the cells of the negatives of each positive in turn. */
static const int64_t *draw_negatives(
    const Positives *positives, int64_t per_positive, bool unique, Generator *generator
) {
  int64_t count = positives->n_positives * per_positive;
  int64_t *cells = new_numbers(count);
  GroupDraw draw = groups_of_positives(positives, per_positive, unique);
  SubsetScratch scratch;
  if (unique) {
    scratch = scratch_of(&draw);
    draw.scratch = &scratch;
  }
  while (!draw_in_groups(&draw, generator, STEP, cells)) R_CheckUserInterrupt();
  find_cells_of_ranks(positives, cells, count);
  return cells;
}

SEXP C_draw_triples(
    SEXP cells, SEXP n_users, SEXP n_items, SEXP n_batches, SEXP negatives_per_positive, SEXP unique, SEXP seed
) {
  Positives positives = read_positives(cells, n_users, n_items);
  int64_t n_triples = positives.n_positives;
  int64_t batches = whole_number(n_batches, 1, (int32_t)n_triples, "n_batches");
  int64_t per_positive = whole_number(negatives_per_positive, 1, LARGEST_COUNT, "negatives_per_positive");
  int64_t group = per_positive + 1;
  if (group > LARGEST_COUNT / n_triples) refuse("negatives_per_positive", "give at most 2147483647 pairs", "more");
  bool distinct = true_or_false(unique, "unique");
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  int32_t *order = new_integers(n_triples);
  draw_order(&generator, (uint32_t)n_triples, order);
  const int64_t *negatives = draw_negatives(&positives, per_positive, distinct, &generator);
  const char *names[] = {"rows", "offsets", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t)(n_triples * group)));
  double *numbers = REAL(VECTOR_ELT(result, 0));
  for (int64_t begin = 0; begin < n_triples; begin += STEP) {
    int64_t end = n_triples - begin < STEP ? n_triples : begin + STEP;
    /* as integers, which are converted to doubles in place */
    write_groups(order, positives.cells, negatives, per_positive, begin, end, (int64_t *)(void *)numbers);
    R_CheckUserInterrupt();
  }
  numbers_to_doubles(numbers, n_triples * group);
  int64_t *offsets = new_numbers(batches + 1);
  fill_even_offsets(n_triples, batches, 0, batches + 1, offsets);
  SET_VECTOR_ELT(result, 1, Rf_allocVector(INTSXP, (R_xlen_t)batches + 1));
  int *begins = INTEGER(VECTOR_ELT(result, 1));
  for (int64_t batch = 0; batch <= batches; batch++) begins[batch] = (int)(offsets[batch] * group);
  UNPROTECT(1);
  return result;
}
