/* Hints to the processor that memory will be used soon. They do not change results. */

#ifndef PYSTRAT_PREFETCH_H
#define PYSTRAT_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

/* Rows handled together, so that the memory of all of them is prefetched before the first one needs it. */
#define BLOCK_SIZE 512

/* Prefetch the memory at an address, which need not be valid. */
static inline void prefetch_address(uintptr_t address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch((const void *)address);
#else
  (void)address;
#endif
}

/* Prefetch the memory of an object. */
static inline void prefetch(const void *object) { prefetch_address((uintptr_t)object); }

/* Prefetch the memory some bytes beyond an object. It may be outside the array, where C allows no pointer. */
static inline void prefetch_beyond(const void *object, size_t bytes) { prefetch_address((uintptr_t)object + bytes); }

#endif
