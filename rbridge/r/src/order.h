/* The order of all rows in an epoch, for the routines that draw one. */

#ifndef RBRIDGE_ORDER_H
#define RBRIDGE_ORDER_H

#include "core/random.h"

/* Draw the order of n_rows rows, counted from 0, like R's sample(); checks for interrupts. */
void draw_order(Generator *generator, uint32_t n_rows, int32_t *rows);

#endif
