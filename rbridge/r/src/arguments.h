/* Checks of what R passes to a routine, before the core sees it.
 *
 * Arguments come from R code that anyone can call, and from files that anyone can write; the core does not check its
 * input. A failed check raises the error of stop_parameter() in R/base_messages.R. Memory comes from R_alloc(); R frees
 * it when the routine has returned or was left.
 */

#ifndef RBRIDGE_ARGUMENTS_H
#define RBRIDGE_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "core/largest_numbers.h"

enum {
  STEP = 1 << 18 /* rows or batches between two checks for an interrupt */
};

/* Raise the error that a parameter is not what it must be. */
NORET void refuse(const char *parameter, const char *requirement, const char *got);

/* Raise the error that a parameter has another type or length than it must have. */
NORET void refuse_kind(SEXP value, const char *parameter, const char *requirement);

/* Whether a number is whole and in a range; false for NaN. */
bool is_whole(double number, double least, double most);

/* Return a whole number in a range, which R may hold as an integer or as a double. */
int32_t whole_number(SEXP value, int32_t least, int32_t most, const char *parameter);

#endif
