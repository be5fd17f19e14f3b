/* Samplers of the core in C++ for R; instances are external pointers. A result is NULL if the pointer was saved. */

#ifndef RBRIDGE_BINDING_H
#define RBRIDGE_BINDING_H

#define R_NO_REMAP
#include <Rinternals.h>

#ifdef __cplusplus
extern "C" {
#endif

int is_in_cpp(SEXP kind);
SEXP plan_in_cpp(SEXP kind, SEXP request);
SEXP prepare_in_cpp(SEXP kind, SEXP recipe, SEXP seed);
SEXP count_in_cpp(SEXP pointer);
SEXP describe_in_cpp(SEXP pointer);
SEXP draw_in_cpp(SEXP pointer, SEXP epoch);
SEXP identify_in_cpp(SEXP pointer);

#ifdef __cplusplus
}
#endif

#endif
