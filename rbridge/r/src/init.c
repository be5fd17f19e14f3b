/* Registers the routines, so that R finds them by name and number of arguments, and nothing else of this library. */

#include <stddef.h>

#include "routines.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

static const R_CallMethodDef routines[] = {
  {"C_epoch_seed", (DL_FUNC)&C_epoch_seed, 2},
  {"C_permutation", (DL_FUNC)&C_permutation, 2},
  {"C_batch_offsets", (DL_FUNC)&C_batch_offsets, 3},
  {"C_batch_composition", (DL_FUNC)&C_batch_composition, 3},
  {"C_count_codes", (DL_FUNC)&C_count_codes, 2},
  {"C_prepare_scatter", (DL_FUNC)&C_prepare_scatter, 5},
  {"C_draw_epoch", (DL_FUNC)&C_draw_epoch, 2},
  {NULL, NULL, 0}
};

void attribute_visible R_init_rbridge(DllInfo *library) {
  R_registerRoutines(library, NULL, routines, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
