/* Shared by the tests of the core: checks that end the program, arrays of exactly the requested size, and a simple
 * random generator for inputs. Each test_*.c is a program; it passes if it returns 0.
 */

#ifndef PYSTRAT_CHECK_H
#define PYSTRAT_CHECK_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void fail_unless(int holds, const char *file, int line, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
  exit(1);
}

static inline void fail_unless_equal(int64_t got, int64_t wanted, const char *file, int line, const char *what) {
  if (got == wanted) return;
  fprintf(stderr, "%s:%d: %s is %" PRId64 ", not %" PRId64 "\n", file, line, what, got, wanted);
  exit(1);
}

/* Macros, because they report the place and the text of the check. */
#define CHECK(condition) fail_unless((condition) ? 1 : 0, __FILE__, __LINE__, #condition)
#define CHECK_EQUAL(got, wanted) fail_unless_equal((int64_t)(got), (int64_t)(wanted), __FILE__, __LINE__, #got)

/* The number of items of an array. */
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Allocate an array of so many items, all bytes of which are 0xA5, so that nobody relies on zeros. The sanitizer finds
 * what is read or written beyond it. free() it.
 */
static inline void *new_array(int64_t n_items, size_t item_size) {
  CHECK(n_items >= 0 && n_items <= INT32_MAX && item_size <= 64);
  size_t size = (size_t)n_items * item_size;
  /* volatile, because gcc 16 would follow an array of 0 items, and warn of items that are never read. */
  volatile size_t least = 1;
  if (size == 0) size = least;
  unsigned char *array = malloc(size);
  CHECK(array != NULL);
  for (size_t i = 0; i < size; i++) array[i] = 0xA5;
  return array;
}

static inline int32_t *new_equal(int64_t count, int32_t value) {
  int32_t *numbers = new_array(count, sizeof *numbers);
  for (int64_t i = 0; i < count; i++) numbers[i] = value;
  return numbers;
}

static inline int64_t *new_zeros(int64_t count) {
  int64_t *numbers = new_array(count, sizeof *numbers);
  for (int64_t i = 0; i < count; i++) numbers[i] = 0;
  return numbers;
}

/* A number from 0 to below a limit, of a plain congruential generator whose state is the caller's. */
static inline int64_t some_number(uint64_t *state, int64_t limit) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)((*state >> 33) % (uint64_t)limit);
}

#endif
