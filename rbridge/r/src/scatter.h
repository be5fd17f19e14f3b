/* The codes of strata that R passes, and the scatter of rows by them. */

#ifndef RBRIDGE_SCATTER_H
#define RBRIDGE_SCATTER_H

#include <stdint.h>

#include "arguments.h"

/* Refuse codes that are not a raw or integer vector. */
void check_codes(SEXP codes);

/* Count codes in n_strata + 1 numbers; refuse those that are not from 0 to n_strata. */
void count_codes(SEXP codes, int64_t n_strata, int64_t *available);

/* Scatter n_rows rows in the order of the dataset; the arrays are those of core/scatter_template.h, the codes of 1, 2
 * or 4 bytes. Rows count from `first_row`.
 */
void scatter_unshuffled(
    const void *codes, int code_bytes, uint32_t n_rows, int64_t *cursors, const int32_t *layout, int32_t first_row,
    int32_t *rows
);

/* The same in the order of a seed. The pool is memory for n_rows numbers. */
void scatter_shuffled(
    const void *codes, int code_bytes, uint32_t n_rows, int64_t *cursors, const int32_t *layout, uint32_t seed,
    int32_t first_row, int32_t *pool, int32_t *rows
);

/* Return the seed that R passes. */
uint32_t read_seed(SEXP seed);

#endif
