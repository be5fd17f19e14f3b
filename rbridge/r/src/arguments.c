/* Checks of arguments; the header has their contracts. */

#include "arguments.h"

#include <math.h>
#include <stdio.h>

enum { SHOWN = 64 }; /* bytes for a value in a message, the last one 0 */

NORET void refuse(const char *parameter, const char *requirement, const char *got) {
  SEXP parameter_in_r = PROTECT(Rf_mkString(parameter));
  SEXP requirement_in_r = PROTECT(Rf_mkString(requirement));
  SEXP got_in_r = PROTECT(Rf_mkString(got));
  SEXP call = PROTECT(Rf_lang4(Rf_install("stop_parameter"), parameter_in_r, requirement_in_r, got_in_r));
  SEXP package = PROTECT(Rf_mkString("rbridge"));
  Rf_eval(call, PROTECT(R_FindNamespace(package)));
  Rf_error("stop_parameter() has returned"); /* which it never does */
}

NORET void refuse_kind(SEXP value, const char *parameter, const char *requirement) {
  char shown[SHOWN];
  double length = (double)Rf_xlength(value);
  const char *type = Rf_type2char((SEXPTYPE)TYPEOF(value));
  snprintf(shown, SHOWN, "%.0f value%s of type '%s'", length, length == 1 ? "" : "s", type);
  refuse(parameter, requirement, shown);
}

/* Write a number like show_value() in R. */
static void show_number(double number, char *shown) {
  if (R_IsNA(number)) {
    snprintf(shown, SHOWN, "NA");
  } else if (isnan(number)) {
    snprintf(shown, SHOWN, "NaN");
  } else if (isinf(number)) {
    snprintf(shown, SHOWN, number > 0 ? "Inf" : "-Inf");
  } else {
    snprintf(shown, SHOWN, "%.15g", number);
  }
}

/* Raise the error that something is not a whole number in a range. */
NORET static void refuse_range(double number, double least, double most, const char *parameter) {
  char shown[SHOWN], requirement[2 * SHOWN];
  show_number(number, shown);
  snprintf(requirement, sizeof requirement, "be an integer from %.0f to %.0f", least, most);
  refuse(parameter, requirement, shown);
}

bool is_whole(double number, double least, double most) {
  return number >= least && number <= most && floor(number) == number;
}

int32_t whole_number(SEXP value, int32_t least, int32_t most, const char *parameter) {
  if (Rf_xlength(value) != 1 || (TYPEOF(value) != INTSXP && TYPEOF(value) != REALSXP)) {
    refuse_kind(value, parameter, "be one number");
  }
  double number = Rf_asReal(value);
  if (!is_whole(number, least, most)) refuse_range(number, least, most, parameter);
  return (int32_t)number;
}
