/* The routines that R calls by .Call(); each is documented at the R function that calls it. */

#ifndef RBRIDGE_ROUTINES_H
#define RBRIDGE_ROUTINES_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_plan(SEXP kind, SEXP request);
SEXP C_call(SEXP function, SEXP request);
SEXP C_prepare(SEXP key, SEXP kind, SEXP recipe, SEXP seed);
SEXP C_draw(SEXP reference, SEXP key, SEXP epoch);
SEXP C_count_batches(SEXP reference, SEXP key, SEXP epoch);
SEXP C_identify(SEXP reference, SEXP key);
SEXP C_check_state(SEXP reference, SEXP key, SEXP given);
SEXP C_begin_state(SEXP reference, SEXP key, SEXP given, SEXP is_recipe);
SEXP C_draw_more(SEXP reference, SEXP key, SEXP state, SEXP stream, SEXP wanted);
SEXP C_tell(SEXP reference, SEXP key, SEXP state, SEXP method, SEXP told);
SEXP C_ask(SEXP reference, SEXP key, SEXP state, SEXP name, SEXP asked);
SEXP C_file_kinds(SEXP paths);

#endif
