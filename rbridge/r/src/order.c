/* The order of all rows in an epoch, and its seed. */

#include "order.h"

#include "arguments.h"
#include "core/permutation.h"
#include "memory.h"
#include "routines.h"

SEXP C_epoch_seed(SEXP seed, SEXP epoch) {
  uint32_t first = (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed");
  uint32_t number = (uint32_t)whole_number(epoch, 0, LARGEST_SEED, "epoch");
  return Rf_ScalarReal(epoch_seed(first, number));
}

void draw_order(Generator *generator, uint32_t n_rows, int32_t *rows) {
  int32_t *pool = new_integers(n_rows);
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
