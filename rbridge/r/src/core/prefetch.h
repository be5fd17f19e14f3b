/* Hints to the processor that memory is about to be used. They change no result. */

#ifndef PYSTRAT_PREFETCH_H
#define PYSTRAT_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

/* Rows handled together, so that the memory of all of them is on its way before the first one needs it. */
#define BLOCK_SIZE 512

/* Ask for the memory at an address, which need not be valid. */
static inline void prefetch_address(uintptr_t address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch((const void *)address);
#else
  (void)address;
#endif
}

/* Ask for the memory of an object. */
static inline void prefetch(const void *object) { prefetch_address((uintptr_t)object); }

/* Ask for the memory some bytes beyond an object. It may lie outside of the array, where C allows no pointer. */
static inline void prefetch_beyond(const void *object, size_t bytes) { prefetch_address((uintptr_t)object + bytes); }

#endif
