/* Memory for the duration of a routine, from R_alloc(); R frees it when the routine has returned or was left. */

#ifndef RBRIDGE_MEMORY_H
#define RBRIDGE_MEMORY_H

#include <stdint.h>

#define R_NO_REMAP
#include <R.h>

static inline int64_t *new_numbers(int64_t count) {
  return (int64_t *)(void *)R_alloc((size_t)count, sizeof(int64_t));
}

static inline int32_t *new_integers(int64_t count) {
  return (int32_t *)(void *)R_alloc((size_t)count, sizeof(int32_t));
}

#endif
