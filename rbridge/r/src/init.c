/* Registers the routines, so that R finds only them, by name and number of arguments. */

#include <stddef.h>

#include "r/binding.h"
#include "routines.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

static const R_CallMethodDef routines[] = {
  {"C_plan", (DL_FUNC)&C_plan, 2},
  {"C_call", (DL_FUNC)&C_call, 2},
  {"C_prepare", (DL_FUNC)&C_prepare, 4},
  {"C_draw", (DL_FUNC)&C_draw, 3},
  {"C_count_batches", (DL_FUNC)&C_count_batches, 3},
  {"C_identify", (DL_FUNC)&C_identify, 2},
  {"C_describe", (DL_FUNC)&describe_in_cpp, 1},
  {"C_check_state", (DL_FUNC)&C_check_state, 3},
  {"C_begin_state", (DL_FUNC)&C_begin_state, 4},
  {"C_draw_more", (DL_FUNC)&C_draw_more, 5},
  {"C_tell", (DL_FUNC)&C_tell, 5},
  {"C_ask", (DL_FUNC)&C_ask, 5},
  {"C_file_kinds", (DL_FUNC)&C_file_kinds, 1},
  {NULL, NULL, 0}
};

void attribute_visible R_init_rbridge(DllInfo *library) {
  R_registerRoutines(library, NULL, routines, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
