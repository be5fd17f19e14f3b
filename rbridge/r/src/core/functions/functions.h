/* What the core computes besides samplers. Each function has a header of its own, included in one source file only. */

#ifndef PYSTRAT_FUNCTIONS_H
#define PYSTRAT_FUNCTIONS_H

#include "../recipe.h"

typedef struct {
  const char *name;
  bool (*call)(const Parts *request, Host *host); /* returns whether it succeeded */
} Function;

extern const Function pair_counts_function;

/* Return the function of this name, or NULL. */
static inline const Function *find_function(const char *name) {
  static const Function *const functions[] = {&pair_counts_function};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(functions[i]->name, name) == 0) return functions[i];
  }
  return NULL;
}

#endif
