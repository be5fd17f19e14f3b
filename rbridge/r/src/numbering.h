/* Numbers for values, in order of first appearance, in memory of R_alloc(). */

#ifndef RBRIDGE_NUMBERING_H
#define RBRIDGE_NUMBERING_H

#include <stdint.h>

/* Number values, fewer than 2^31; return how many distinct ones there are.
 *
 * `codes`, which must not share memory with the values, gets the number of each, from 0; `distinct` becomes an array of
 * the values in the order of their numbers. Checks for R's interrupts.
 */
int64_t number_values(const int64_t *values, int64_t n_rows, int64_t *codes, const int64_t **distinct);

#endif
