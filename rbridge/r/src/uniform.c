/* Batches of equally likely rows. */

#include "arguments.h"
#include "core/permutation.h"
#include "core/random.h"
#include "core/stream.h"
#include "routines.h"

/* Draw all rows of an epoch with replacement, counted from 1. */
static void draw_replaced(Generator *generator, int32_t n_rows, int64_t n_drawn, int *rows) {
  int64_t *numbers = (int64_t *)(void *)R_alloc(STEP, sizeof(int64_t));
  for (int64_t done = 0; done < n_drawn;) {
    int64_t count = n_drawn - done < STEP ? n_drawn - done : STEP;
    draw_numbers(generator, (uint64_t)n_rows, count, numbers);
    for (int64_t i = 0; i < count; i++) rows[done + i] = (int)numbers[i] + 1;
    done += count;
    R_CheckUserInterrupt();
  }
}

/* Draw all rows of an epoch, those of a batch without replacement, counted from 1. */
static void draw_batches(Generator *generator, int32_t n_rows, int32_t batch_size, int32_t n_batches, int *rows) {
  int32_t *pool = (int32_t *)(void *)R_alloc((size_t)n_rows, sizeof(int32_t));
  uint32_t *places = (uint32_t *)(void *)R_alloc((size_t)batch_size, sizeof(uint32_t));
  uint32_t size = (uint32_t)batch_size;
  uint32_t since_check = 0;
  fill_in_order(pool, (uint32_t)n_rows);
  for (int32_t batch = 0; batch < n_batches; batch++, rows += size) {
    for (uint32_t begin = 0; begin < size;) {
      uint32_t count = size - begin < STEP - since_check ? size - begin : STEP - since_check;
      draw_subset_part(generator, pool, (uint32_t)n_rows, begin, begin + count, places, rows);
      begin += count;
      since_check += count;
      if (since_check == STEP) {
        R_CheckUserInterrupt();
        since_check = 0;
      }
    }
    put_rows_back(pool, places, size);
    for (uint32_t i = 0; i < size; i++) rows[i] += 1;
  }
}

SEXP C_uniform_epoch(SEXP n, SEXP batch_size, SEXP n_batches, SEXP replacement, SEXP seed) {
  int32_t n_rows = whole_number(n, 1, LARGEST_COUNT, "n");
  bool replaced = true_or_false(replacement, "replacement");
  int32_t size = whole_number(batch_size, 1, replaced ? LARGEST_COUNT : n_rows, "batch_size");
  int32_t count = whole_number(n_batches, 1, LARGEST_COUNT, "n_batches");
  int64_t n_drawn = epoch_rows(size, count);
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)n_drawn));
  if (replaced) {
    draw_replaced(&generator, n_rows, n_drawn, INTEGER(result));
  } else {
    draw_batches(&generator, n_rows, size, count, INTEGER(result));
  }
  UNPROTECT(1);
  return result;
}
