/* Recipes of strata whose rows are dealt to batches, and their epochs by the kind. */

#ifndef PYSTRAT_DEALT_RECIPES_H
#define PYSTRAT_DEALT_RECIPES_H

#include "golden.h"
#include "golden_strata.h"
#include "plain_host.h"

enum { MOST_DEALT_PARTS = 8 };

typedef struct {
  Part parts[MOST_DEALT_PARTS];
  double numbers[MOST_DEALT_PARTS];
  int32_t flags[MOST_DEALT_PARTS];
  int n_parts;
  void *codes;
  PlainInstance instance;
} DealtRecipe;

static inline void add_part(DealtRecipe *recipe, const char *name, PartType type, int64_t length, const void *values) {
  CHECK(recipe->n_parts < MOST_DEALT_PARTS);
  recipe->parts[recipe->n_parts++] = (Part){.name = name, .type = type, .length = length, .values = values};
}

static inline void add_number(DealtRecipe *recipe, const char *name, int64_t number) {
  recipe->numbers[recipe->n_parts] = (double)number;
  add_part(recipe, name, DOUBLES, 1, &recipe->numbers[recipe->n_parts]);
}

static inline void add_flag(DealtRecipe *recipe, const char *name, int64_t flag) {
  recipe->flags[recipe->n_parts] = (int32_t)flag;
  add_part(recipe, name, INTEGERS, 1, &recipe->flags[recipe->n_parts]);
}

/* Add the strata, with codes in bytes if they fit. */
static inline void add_strata(DealtRecipe *recipe, const Strata *strata, int64_t n_batches) {
  bool is_narrow = strata->n_strata <= UINT8_MAX;
  recipe->codes = new_array(strata->n_rows, 4);
  for (int64_t row = 0; row < strata->n_rows; row++) {
    if (is_narrow) ((uint8_t *)recipe->codes)[row] = (uint8_t)strata->codes[row];
    if (!is_narrow) ((int32_t *)recipe->codes)[row] = (int32_t)strata->codes[row];
  }
  add_part(recipe, "codes", is_narrow ? BYTES : INTEGERS, strata->n_rows, recipe->codes);
  add_number(recipe, "n_strata", strata->n_strata);
  add_number(recipe, "n_batches", n_batches);
}

static inline Parts parts_of(const DealtRecipe *recipe) {
  return (Parts){.parts = recipe->parts, .n_parts = recipe->n_parts, .is_recipe = true};
}

static inline void prepare(DealtRecipe *recipe, const Kind *kind, uint32_t seed) {
  Parts parts = parts_of(recipe);
  recipe->instance = new_instance(kind, seed);
  PlainHost host = new_host(&parts, &recipe->instance.memory, 0, -1);
  CHECK(kind->prepare(recipe->instance.self, &parts, seed, &host.host));
  free_host(&host);
}

/* Draw an epoch, with rows from 0 or 1; free_host() it. */
static inline PlainHost drawn_epoch(DealtRecipe *recipe, uint32_t epoch, int32_t first_row) {
  Parts parts = parts_of(recipe);
  PlainInstance *instance = &recipe->instance;
  PlainHost host = new_host(&parts, &instance->memory, first_row, -1);
  CHECK(draw_epoch(instance->kind, instance->self, instance->seed, epoch, &host.host));
  return host;
}

static inline void free_recipe(DealtRecipe *recipe) {
  free_instance(&recipe->instance);
  free(recipe->codes);
}

#endif
