/* Lines of some of several files, and the order in which they are dealt together with others. */

#include <math.h>

#include "arguments.h"
#include "core/negatives.h"
#include "group_draws.h"
#include "memory.h"
#include "order.h"
#include "routines.h"

/* Read the lines of files that R holds as doubles. */
static const double *read_lines_of_files(SEXP lines) {
  R_xlen_t n_files = Rf_xlength(lines);
  if (TYPEOF(lines) != REALSXP || n_files < 1 || n_files > LARGEST_COUNT) {
    refuse_kind(lines, "lines", "be doubles, one for each file");
  }
  double sum = 0;
  for (R_xlen_t file = 0; file < n_files; file++) {
    double count = REAL(lines)[file];
    if (!(count >= 0 && floor(count) == count && sum + count <= (double)LARGEST_COUNT)) {
      refuse("lines", "be whole numbers from 0 that add up to at most 2147483647", "others");
    }
    sum += count;
  }
  return REAL(lines);
}

/* Draw `count` different numbers from 0 to limit - 1 into doubles. */
static void draw_ranks(Generator *generator, int64_t limit, int64_t count, double *ranks) {
  int64_t first = 0;
  int64_t *drawn = new_numbers(count);
  GroupDraw draw = {.firsts = &first, .limits = &limit, .counts = &count, .n_groups = 1};
  SubsetScratch scratch = scratch_of(&draw);
  draw.scratch = &scratch;
  while (!draw_in_groups(&draw, generator, STEP, drawn)) R_CheckUserInterrupt();
  for (int64_t i = 0; i < count; i++) ranks[i] = (double)drawn[i];
}

/* Return the positions of the files of an epoch among all, the ranks of its lines among theirs, and an order of these
 * lines and n_others more, all counted from 0.
 */
SEXP C_draw_from_files(SEXP lines, SEXP n_chosen, SEXP count, SEXP n_others, SEXP seed) {
  const double *of_files = read_lines_of_files(lines);
  int64_t n_files = Rf_xlength(lines);
  int64_t chosen = whole_number(n_chosen, 1, (int32_t)n_files, "n_chosen");
  int64_t drawn = whole_number(count, 1, LARGEST_COUNT, "count");
  int64_t others = whole_number(n_others, 0, (int32_t)(LARGEST_COUNT - drawn), "n_others");
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  int32_t *shuffled = new_integers(n_files);
  draw_order(&generator, (uint32_t)n_files, shuffled);
  const char *names[] = {"files", "ranks", "order", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t)chosen));
  double limit = 0;
  for (int64_t i = 0; i < chosen; i++) {
    INTEGER(VECTOR_ELT(result, 0))[i] = shuffled[i];
    limit += of_files[shuffled[i]];
  }
  if ((double)drawn > limit) refuse("count", "be at most the lines of the files", "more");
  SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, (R_xlen_t)drawn));
  draw_ranks(&generator, (int64_t)limit, drawn, REAL(VECTOR_ELT(result, 1)));
  SET_VECTOR_ELT(result, 2, Rf_allocVector(INTSXP, (R_xlen_t)(drawn + others)));
  draw_order(&generator, (uint32_t)(drawn + others), INTEGER(VECTOR_ELT(result, 2)));
  UNPROTECT(1);
  return result;
}
