/* What the core computes besides the batches of samplers, such as plans. A function has no memory: equal requests have
 * equal results. Each is a source file of its own, ../function_<function>.c.
 */

#ifndef PYSTRAT_FUNCTIONS_H
#define PYSTRAT_FUNCTIONS_H

#include "recipe.h"

typedef struct {
  const char *name;
  /* Make the results of a request; return whether it succeeded. */
  bool (*call)(const Parts *request, Host *host);
} Function;

/* All functions. */
#define FOR_EACH_FUNCTION(one) \
  one(group_plan)

#define DECLARE_FUNCTION(name) extern const Function name##_function;
#define POINT_TO_FUNCTION(name) &name##_function,

FOR_EACH_FUNCTION(DECLARE_FUNCTION)

/* Return the function of this name, or NULL. */
static inline const Function *find_function(const char *name) {
  static const Function *const functions[] = {FOR_EACH_FUNCTION(POINT_TO_FUNCTION)};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(functions[i]->name, name) == 0) return functions[i];
  }
  return NULL;
}

#endif
