/* The seed of an epoch, the order of all rows in it, and its stream of random numbers. */

#include "arguments.h"
#include "core/permutation.h"
#include "core/stream.h"
#include "routines.h"

SEXP C_epoch_seed(SEXP seed, SEXP epoch) {
  uint32_t first = (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed");
  uint32_t number = (uint32_t)whole_number(epoch, 0, LARGEST_SEED, "epoch");
  return Rf_ScalarReal(epoch_seed(first, number));
}

/* Draw the order of n_rows rows, counted from 0, like R's sample(). */
static void draw_order(Generator *generator, uint32_t n_rows, int32_t *rows) {
  int32_t *pool = (int32_t *)(void *)R_alloc(n_rows, sizeof *pool);
  fill_in_order(pool, n_rows);
  for (uint32_t done = 0; done < n_rows;) {
    uint32_t size = n_rows - done < STEP ? n_rows - done : STEP;
    take_rows(generator, pool, n_rows - done, size, rows + done);
    done += size;
    R_CheckUserInterrupt();
  }
}

SEXP C_permutation(SEXP n, SEXP seed) {
  uint32_t n_rows = (uint32_t)whole_number(n, 0, LARGEST_COUNT, "n");
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  SEXP result = PROTECT(Rf_allocVector(INTSXP, n_rows));
  int32_t *rows = INTEGER(result);
  draw_order(&generator, n_rows, rows);
  for (uint32_t i = 0; i < n_rows; i++) rows[i] += 1; /* R counts from 1 */
  UNPROTECT(1);
  return result;
}

/* Return the state of a generator in an integer vector. */
SEXP C_new_stream(SEXP seed) {
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  SEXP words = Rf_allocVector(INTSXP, STATE_SIZE + 1);
  save_generator(&generator, (uint32_t *)(void *)INTEGER(words));
  return words;
}
