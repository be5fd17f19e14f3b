/* What the core gets from the language that calls it, its host: memory, vectors for results, and a place for refusals.
 *
 * The core does not allocate, free or jump. A function that may fail returns false; then either it has refused a value,
 * or the host has failed, by a lack of memory or an interrupt, and knows how to go on. All memory of a call is
 * requested before anything changes that outlives the call.
 */

#ifndef PYSTRAT_HOST_H
#define PYSTRAT_HOST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  GO_ON_ROWS = 1 << 16, /* rows between two calls of go_on() */
  SENTENCE = 512,       /* bytes for a part of a message, the last one 0; numbers have up to 309 digits */
  NUMBER = 32           /* bytes for a number of at most 15 digits */
};

/* How long memory is needed. */
typedef enum { FOR_THE_CALL, FOR_THE_INSTANCE } Life;

/* The types of vectors. A recipe has only the first five. */
typedef enum {
  BYTES,    /* uint8_t */
  INTEGERS, /* int32_t */
  DOUBLES,  /* double */
  TEXT,     /* one text in UTF-8: const char */
  TEXTS,    /* any other number of texts: const char * */
  LONGS,    /* int64_t; only for results. R makes integers of them */
  LARGE,    /* int64_t below 2^53; only for results. R makes doubles of them */
  FLAG,     /* int32_t: 0 or 1 */
  FRACTION, /* a number that is not whole, and that no double equals */
  NOTHING,  /* no value */
  OTHER     /* any other value, which only the host can show */
} PartType;

/* Why a value is refused: "The 'parameter' parameter where must requirement. Got got instead. advice".
 *
 * In each of them but the parameter, "{...}" stands for what only the host can name, as the kind says.
 */
typedef struct {
  const char *parameter; /* NULL if nothing is refused */
  const char *where;     /* "at node 'root'", or NULL */
  const char *shown;     /* the part whose value the host shows as `got`, or NULL */
  int64_t place;         /* of the number in that part that is shown, from 1; 0 for all of it */
  const char *long_got;  /* in memory of the call, instead of `got`; or NULL */
  char got[SENTENCE];         /* "{name}" stands for the name of the stratum, quoted, or its number if it has none */
  char requirement[SENTENCE]; /* the host replaces "'{stratum}'" by the name of the stratum, quoted */
  char advice[SENTENCE];      /* empty if there is none */
  int64_t stratum;
  bool is_type; /* the value has the wrong type */
} Refusal;

typedef struct Host Host;

struct Host {
  void *context;          /* the host's own */
  int32_t first_row;      /* the number of the first row: 0 in Python, 1 in R */
  int64_t most_rows;      /* the most rows that an epoch may have */

  /* Return memory, aligned for numbers and pointers, or NULL. */
  void *(*memory)(Host *host, Life life, int64_t bytes);
  /* Return room for `count` numbers of a result, or NULL. */
  void *(*vector)(Host *host, const char *name, PartType type, int64_t count);
  /* Make one number, or a flag, a result. */
  bool (*number)(Host *host, const char *name, double value);
  bool (*flag)(Host *host, const char *name, bool value);
  /* Make a part of the request a result, as it is. */
  bool (*keep)(Host *host, const char *name);
  /* Return whether to go on; false after an interrupt. */
  bool (*go_on)(Host *host);

  Refusal refusal;
  char warning[SENTENCE]; /* empty if there is none */
  const char *warnings;   /* further ones, in memory of the call, each of them with a newline at the end; or NULL */
};

/* Return memory for the instance: `before`, unless it is NULL, which an interrupted call has got; or NULL. */
static inline void *lasting_memory(void *before, int64_t bytes, Host *host) {
  return before != NULL ? before : host->memory(host, FOR_THE_INSTANCE, bytes);
}

/* Ask the host whether to go on after every GO_ON_ROWS steps of a loop, which are numbered from 0. */
static inline bool go_on_after(int64_t step, Host *host) {
  return step % GO_ON_ROWS != GO_ON_ROWS - 1 || host->go_on(host);
}

/* Count steps of a loop, and ask the host whether to go on after every GO_ON_ROWS of them; `since` begins with 0. */
static inline bool may_go_on(int64_t *since, int64_t n_steps, Host *host) {
  *since += n_steps;
  if (*since < GO_ON_ROWS) return true;
  *since = 0;
  return host->go_on(host);
}

static inline int64_t smaller(int64_t left, int64_t right) { return left < right ? left : right; }

static inline int64_t quotient_up(int64_t number, int64_t by) { return number / by + (number % by > 0); }

/* Refuse a parameter; return false. `got` is NULL if the host shows the value of the part of this name. */
static inline bool refuse(Host *host, const char *parameter, const char *got, const char *requirement, ...) {
  Refusal *refusal = &host->refusal;
  refusal->parameter = parameter;
  refusal->shown = got == NULL ? parameter : NULL;
  snprintf(refusal->got, SENTENCE, "%s", got == NULL ? "" : got);
  va_list values;
  va_start(values, requirement);
  vsnprintf(refusal->requirement, SENTENCE, requirement, values);
  va_end(values);
  return false;
}

/* Add what to do to the refusal; return false. */
static inline bool advise(Host *host, const char *advice, ...) {
  va_list values;
  va_start(values, advice);
  vsnprintf(host->refusal.advice, SENTENCE, advice, values);
  va_end(values);
  return false;
}

#endif
