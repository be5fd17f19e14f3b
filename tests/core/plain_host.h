/* A host of the core in plain C: memory from new_array(), results by name, and failures at a chosen call. */

#ifndef PYSTRAT_PLAIN_HOST_H
#define PYSTRAT_PLAIN_HOST_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "functions.h"
#include "kinds.h"

enum { MOST_BLOCKS = 128, MOST_GIVEN = 24, MOST_BYTES = 1 << 22 };

static inline void fail_unless(bool holds, int line, const char *what) {
  if (holds) return;
  fprintf(stderr, "line %d: not so: %s\n", line, what);
  exit(1);
}

/* A macro, because it reports the line and the text of the check. */
#define CHECK(condition) fail_unless((condition), __LINE__, #condition)

/* Allocate bytes, all of which are 0xA5, so that nobody relies on zeros. The sanitizer finds what is read or written
 * beyond them. free() them.
 */
static inline void *new_array(int64_t n_bytes) {
  CHECK(n_bytes >= 0 && n_bytes <= INT32_MAX);
  size_t size = n_bytes > 0 ? (size_t)n_bytes : 1;
  void *array = malloc(size);
  CHECK(array != NULL);
  return memset(array, 0xA5, size);
}

typedef struct {
  const char *name;
  PartType type;
  int64_t count;
  void *values;
} Given;

typedef struct {
  void *blocks[MOST_BLOCKS];
  int n_blocks;
} Memory;

/* The host of one call. */
typedef struct {
  Host host; /* must be the first */
  const Parts *parts;
  Memory of_call, *of_instance;
  Given given[MOST_GIVEN];
  int n_given;
  int64_t n_calls, fails_at; /* how often the core has called the host; the call that fails, -1 for none */
  bool has_failed;
} PlainHost;

static inline bool fails(PlainHost *host) {
  bool now = host->n_calls++ == host->fails_at;
  host->has_failed = host->has_failed || now;
  return now;
}

/* Return memory of `bytes` bytes, unless that is more than a recipe of a test needs. */
static inline void *new_block(PlainHost *host, Memory *memory, int64_t bytes) {
  CHECK(bytes >= 0);
  if (bytes > MOST_BYTES) host->has_failed = true;
  if (bytes > MOST_BYTES || fails(host)) return NULL;
  CHECK(memory->n_blocks < MOST_BLOCKS);
  return memory->blocks[memory->n_blocks++] = new_array(bytes);
}

static inline void *plain_memory(Host *base, Life life, int64_t bytes) {
  PlainHost *host = (PlainHost *)base;
  return new_block(host, life == FOR_THE_CALL ? &host->of_call : host->of_instance, bytes);
}

static inline void *plain_vector(Host *base, const char *name, PartType type, int64_t count) {
  PlainHost *host = (PlainHost *)base;
  int64_t width = type == BYTES ? 1 : type == INTEGERS ? 4 : 8;
  if (count > MOST_BYTES) host->has_failed = true;
  void *values = count > MOST_BYTES ? NULL : new_block(host, &host->of_call, count * width);
  CHECK(host->n_given < MOST_GIVEN);
  if (values != NULL) host->given[host->n_given++] = (Given){name, type, count, values};
  return values;
}

static inline bool plain_number(Host *base, const char *name, double value) {
  double *number = plain_vector(base, name, DOUBLES, 1);
  if (number != NULL) *number = value;
  return number != NULL;
}

static inline bool plain_flag(Host *base, const char *name, bool value) {
  int32_t *flag = plain_vector(base, name, INTEGERS, 1);
  if (flag != NULL) *flag = value;
  return flag != NULL;
}

static inline bool plain_keep(Host *base, const char *name) {
  PlainHost *host = (PlainHost *)base;
  Part part = find_part(host->parts, name);
  CHECK(host->n_given < MOST_GIVEN);
  host->given[host->n_given++] = (Given){name, part.type, part.length, (void *)part.values}; /* const for the core */
  return true;
}

static inline bool plain_go_on(Host *base) { return !fails((PlainHost *)base); }

/* Begin a call that fails at a call of the host, -1 for none. */
static inline PlainHost new_host(const Parts *parts, Memory *of_instance, int32_t first_row, int64_t fails_at) {
  PlainHost host = {.parts = parts, .of_instance = of_instance, .fails_at = fails_at};
  host.host = (Host){.first_row = first_row, .most_rows = MOST_BYTES};
  host.host.memory = plain_memory;
  host.host.vector = plain_vector;
  host.host.number = plain_number;
  host.host.flag = plain_flag;
  host.host.keep = plain_keep;
  host.host.go_on = plain_go_on;
  return host;
}

static inline void free_memory(Memory *memory) {
  for (int i = 0; i < memory->n_blocks; i++) free(memory->blocks[i]);
  memory->n_blocks = 0;
}

static inline void free_host(PlainHost *host) { free_memory(&host->of_call); }

/* Return a result, which must have been given. */
static inline const Given *given_as(const PlainHost *host, const char *name) {
  for (int i = 0; i < host->n_given; i++) {
    if (strcmp(host->given[i].name, name) == 0) return &host->given[i];
  }
  CHECK(name == NULL);
  return NULL;
}

/* Check that a call that failed says why. */
static inline void check_failure(const PlainHost *host) {
  const Refusal *refusal = &host->host.refusal;
  CHECK(host->has_failed != (refusal->parameter != NULL));
  if (host->has_failed) return;
  bool has_got = refusal->got[0] != '\0' || refusal->long_got != NULL;
  CHECK(refusal->requirement[0] != '\0' && has_got != (refusal->shown != NULL));
}

/* An instance of a kind and its memory. */
typedef struct {
  const Kind *kind;
  void *self;
  uint32_t seed;
  Memory memory;
} PlainInstance;

static inline PlainInstance new_instance(const Kind *kind, uint32_t seed) {
  PlainInstance instance = {.kind = kind, .seed = seed, .self = new_array(kind->instance_bytes)};
  memset(instance.self, 0, (size_t)kind->instance_bytes);
  return instance;
}

static inline void free_instance(PlainInstance *instance) {
  free_memory(&instance->memory);
  free(instance->self);
}

#endif
