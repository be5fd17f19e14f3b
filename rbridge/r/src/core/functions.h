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

/* All functions are in C++. */
static inline const Function *find_function(const char *name) {
  (void)name;
  return NULL;
}

#endif
