/* Long loops in steps, between which R looks for interrupts. */

#ifndef RBRIDGE_STEPS_H
#define RBRIDGE_STEPS_H

#include "arguments.h"

/* Where a step ends that begins at `begin`, of all that lead to `end`; looks for an interrupt. */
static inline int64_t next_step(int64_t begin, int64_t end) {
  R_CheckUserInterrupt();
  return end - begin < STEP ? end : begin + STEP;
}

#endif
