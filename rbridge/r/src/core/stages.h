/* Stages: what applies from certain epochs on, until the next stage begins. The first one begins with epoch 0. */

#ifndef PYSTRAT_STAGES_H
#define PYSTRAT_STAGES_H

#include "recipe.h"

/* Whether a part has the first epochs of stages: whole numbers, ascending from 0. */
static inline bool are_stages(const Part *begins) {
  const double *epochs = begins->values;
  if (begins->type != DOUBLES || begins->length < 1 || epochs[0] != 0) return false;
  for (int64_t stage = 1; stage < begins->length; stage++) {
    double epoch = epochs[stage];
    if (!(epoch > epochs[stage - 1] && epoch <= (double)LARGEST_EPOCH && floor(epoch) == epoch)) return false;
  }
  return true;
}

/* The stage of an epoch. */
static inline int64_t stage_at_epoch(const double *begins, int64_t n_stages, double epoch) {
  int64_t stage = 0;
  while (stage + 1 < n_stages && begins[stage + 1] <= epoch) stage++;
  return stage;
}

#endif
