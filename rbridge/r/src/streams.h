/* Streams of random numbers in R: the state of a generator in an integer vector. */

#ifndef RBRIDGE_STREAMS_H
#define RBRIDGE_STREAMS_H

#include "arguments.h"
#include "core/stream.h"

enum { N_WORDS = STATE_SIZE + 1 }; /* of a stream */

/* Return the vector of a generator; the caller protects it. */
static inline SEXP stream_of(const Generator *generator) {
  SEXP words = Rf_allocVector(INTSXP, N_WORDS);
  save_generator(generator, (uint32_t *)(void *)INTEGER(words));
  return words;
}

/* Read a stream, which may come from a file. */
static inline void read_stream(SEXP stream, Generator *generator) {
  if (TYPEOF(stream) != INTSXP || Rf_xlength(stream) != N_WORDS ||
      !restore_generator(generator, (const uint32_t *)(const void *)INTEGER(stream))) {
    refuse_kind(stream, "stream", "be the state of a generator");
  }
}

/* Return list(rows, stream) of rows that are protected; the caller protects the list. */
static inline SEXP drawn_rows(SEXP rows, const Generator *generator) {
  const char *names[] = {"rows", "stream", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, rows);
  SET_VECTOR_ELT(result, 1, stream_of(generator));
  UNPROTECT(1);
  return result;
}

#endif
