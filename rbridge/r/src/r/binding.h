/* Samplers of the core in C++ for R; instances are external pointers. A result is NULL if the pointer was saved. */

#ifndef RBRIDGE_BINDING_H
#define RBRIDGE_BINDING_H

#define R_NO_REMAP
#include <Rinternals.h>

#include "../core/random.h"

#ifdef __cplusplus
extern "C" {
#endif

int is_in_cpp(SEXP kind);
SEXP plan_in_cpp(SEXP kind, SEXP request);
SEXP call_in_cpp(SEXP function, SEXP request);
SEXP prepare_in_cpp(SEXP kind, SEXP recipe, SEXP seed);
SEXP count_in_cpp(SEXP pointer, SEXP epoch);
SEXP describe_in_cpp(SEXP pointer);
SEXP draw_in_cpp(SEXP pointer, SEXP epoch);
SEXP identify_in_cpp(SEXP pointer);
SEXP begin_in_cpp(SEXP pointer, SEXP key, SEXP given);
SEXP draw_more_in_cpp(SEXP pointer, SEXP state, SEXP stream, SEXP wanted);
SEXP tell_in_cpp(SEXP pointer, SEXP key, SEXP state, SEXP method, SEXP told);
SEXP ask_in_cpp(SEXP pointer, SEXP state, SEXP name, SEXP asked);

/* Return rows, and the stream after them in place of `stream`; or list(rows, stream) if others refer to `stream`. */
SEXP drawn_in_r(SEXP rows, SEXP stream, const Generator *generator);

#ifdef __cplusplus
}
#endif

#endif
