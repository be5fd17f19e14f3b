/* The number of lines of each file that an epoch draws, in exact fractions of decimal numbers. */

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "core/naturals.h"
#include "routines.h"

SEXP C_shortest_decimal(SEXP number) {
  if (TYPEOF(number) != REALSXP || Rf_xlength(number) != 1) refuse_kind(number, "number", "be one");
  double value = REAL(number)[0];
  char text[32];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return Rf_mkString(text);
}

/* A number that is written in decimal digits: digits / 10^n_decimals. */
typedef struct {
  Natural digits;
  int64_t n_decimals;
} Decimal;

static Natural new_natural(int64_t room) {
  return (Natural){(uint32_t *)(void *)R_alloc((size_t)room, sizeof(uint32_t)), 0};
}

/* Read digits, possibly with a point and a negative exponent of ten. */
static Decimal read_decimal(const char *text, int64_t room) {
  Decimal decimal = {new_natural(room), 0};
  bool beyond_point = false;
  for (; *text != 0 && *text != 'e'; text++) {
    if (*text == '.' && !beyond_point) {
      beyond_point = true;
    } else if (isdigit((unsigned char)*text)) {
      multiply_and_add(&decimal.digits, 10, (uint32_t)(*text - '0'));
      decimal.n_decimals += beyond_point;
    } else {
      refuse("weights", "be decimal numbers", "other text");
    }
  }
  if (*text == 'e') {
    long exponent = strtol(text + 1, NULL, 10);
    if (exponent > 0 || exponent < -400) refuse("weights", "have exponents from -400 to 0", "others");
    decimal.n_decimals -= exponent;
  }
  return decimal;
}

static void multiply_by_tens(Natural *number, int64_t count) {
  for (int64_t i = 0; i < count; i++) multiply_and_add(number, 10, 0);
}

/* The number of digits for the numbers of a plan, none of which is a product of more than four. */
static int64_t room_for(SEXP weights, const char *requested) {
  int64_t longest = (int64_t)strlen(requested) + 400;
  for (R_xlen_t i = 0; i < Rf_xlength(weights); i++) {
    int64_t length = (int64_t)strlen(CHAR(STRING_ELT(weights, i)));
    if (length > longest) longest = length;
  }
  return 4 * (2 * longest / 9 + 4); /* a digit of a natural number holds nine decimal digits */
}

/* The product of two numbers and the lines of a file, in room for both factors. */
static void multiply_by_lines(
    const Natural *factor, const Natural *other, double lines, Natural *scratch, Natural *product
) {
  Natural count = {(uint32_t[2]){0}, 0};
  set_natural(&count, (uint64_t)lines);
  multiply(factor, other, scratch);
  multiply(scratch, &count, product);
}

/* Scale the weights of rules to whole numbers, and add them up. */
static Natural *whole_weights(SEXP weights, int64_t room, Natural *total) {
  R_xlen_t n_rules = Rf_xlength(weights);
  Decimal *read = (Decimal *)(void *)R_alloc((size_t)n_rules, sizeof(Decimal));
  Natural *whole = (Natural *)(void *)R_alloc((size_t)n_rules, sizeof(Natural));
  int64_t n_decimals = 0;
  for (R_xlen_t rule = 0; rule < n_rules; rule++) {
    read[rule] = read_decimal(CHAR(STRING_ELT(weights, rule)), room);
    if (read[rule].n_decimals > n_decimals) n_decimals = read[rule].n_decimals;
  }
  *total = new_natural(room);
  for (R_xlen_t rule = 0; rule < n_rules; rule++) {
    whole[rule] = read[rule].digits;
    multiply_by_tens(&whole[rule], n_decimals - read[rule].n_decimals);
    add_natural(total, &whole[rule]);
  }
  return whole;
}

/* Return the lines of all files of each rule, and refuse files of rules that do not exist. */
static double *lines_of_rules(SEXP lines, SEXP rules, R_xlen_t n_rules) {
  double *sums = (double *)(void *)R_alloc((size_t)n_rules, sizeof(double));
  for (R_xlen_t rule = 0; rule < n_rules; rule++) sums[rule] = 0;
  for (R_xlen_t file = 0; file < Rf_xlength(lines); file++) {
    double count = REAL(lines)[file];
    int rule = INTEGER(rules)[file];
    if (!(count >= 0 && count <= LARGEST_EXACT)) refuse("lines", "be from 0 to 2^53", "others");
    if (rule < 0 || rule > n_rules) refuse("rules", "be numbers of rules, or 0", "others");
    if (rule > 0) sums[rule - 1] += count;
  }
  return sums;
}

/* The input of the numbers of a plan, and room for their computation. */
typedef struct {
  R_xlen_t n_files;
  const double *lines;  /* of each file */
  const int *rules;     /* of each file, from 1; 0 if nothing is drawn from it */
  const double *sums;   /* the lines of all files of each rule */
  const Natural *whole; /* the weight of each rule, scaled to a whole number */
  Natural total, one, number, divisor, scratch, rest;
} Sharing;

static Sharing read_sharing(SEXP lines, SEXP rules, SEXP weights, int64_t room) {
  if (TYPEOF(lines) != REALSXP) refuse_kind(lines, "lines", "be doubles");
  if (TYPEOF(rules) != INTSXP || Rf_xlength(rules) != Rf_xlength(lines)) {
    refuse_kind(rules, "rules", "be integers, one for each file");
  }
  Sharing sharing = {.n_files = Rf_xlength(lines), .lines = REAL(lines), .rules = INTEGER(rules)};
  sharing.sums = lines_of_rules(lines, rules, Rf_xlength(weights));
  sharing.whole = whole_weights(weights, room, &sharing.total);
  sharing.one = new_natural(1);
  set_natural(&sharing.one, 1);
  sharing.number = new_natural(room);
  sharing.divisor = new_natural(room);
  sharing.scratch = new_natural(room);
  sharing.rest = new_natural(room + 1);
  return sharing;
}

/* The share of a file from which something is drawn. */
static double share_of_file(Sharing *sharing, R_xlen_t file) {
  int rule = sharing->rules[file];
  multiply_by_lines(
      &sharing->whole[rule - 1], &sharing->one, sharing->lines[file], &sharing->scratch, &sharing->number
  );
  multiply_by_lines(
      &sharing->total, &sharing->one, sharing->sums[rule - 1], &sharing->scratch, &sharing->divisor
  );
  return nearest_share(&sharing->number, &sharing->divisor, &sharing->rest);
}

/* Make list(share, drawn) of zeros. */
static SEXP new_shares(R_xlen_t n_files) {
  const char *names[] = {"share", "drawn", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int part = 0; part < 2; part++) {
    SET_VECTOR_ELT(result, part, Rf_allocVector(REALSXP, n_files));
    memset(REAL(VECTOR_ELT(result, part)), 0, (size_t)n_files * sizeof(double));
  }
  UNPROTECT(1);
  return result;
}

SEXP C_plan_files(SEXP lines, SEXP rules, SEXP weights, SEXP requested, SEXP of_lines) {
  if (TYPEOF(weights) != STRSXP) refuse_kind(weights, "weights", "be text");
  if (TYPEOF(requested) != STRSXP || Rf_xlength(requested) != 1) refuse_kind(requested, "requested", "be text");
  if (TYPEOF(of_lines) != REALSXP || Rf_xlength(of_lines) != 1) refuse_kind(of_lines, "of_lines", "be a number");
  int64_t room = room_for(weights, CHAR(STRING_ELT(requested, 0)));
  Sharing sharing = read_sharing(lines, rules, weights, room);
  Decimal share = read_decimal(CHAR(STRING_ELT(requested, 0)), room);
  Natural tens = new_natural(room), wanted = new_natural(room);
  set_natural(&tens, 1);
  multiply_by_tens(&tens, share.n_decimals);
  multiply_by_lines(&share.digits, &sharing.one, REAL(of_lines)[0], &sharing.scratch, &wanted);
  SEXP result = PROTECT(new_shares(sharing.n_files));
  for (R_xlen_t file = 0; file < sharing.n_files; file++) {
    int rule = sharing.rules[file];
    if (rule == 0 || sharing.lines[file] == 0) continue;
    REAL(VECTOR_ELT(result, 0))[file] = share_of_file(&sharing, file);
    multiply_by_lines(
        &sharing.whole[rule - 1], &wanted, sharing.lines[file], &sharing.scratch, &sharing.number
    );
    multiply_by_lines(&sharing.total, &tens, sharing.sums[rule - 1], &sharing.scratch, &sharing.divisor);
    REAL(VECTOR_ELT(result, 1))[file] = (double)divide_up(&sharing.number, &sharing.divisor, &sharing.rest);
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}

/* The rule with lines whose files are exhausted first, or last, if lines are drawn by the shares: the one with the
 * fewest lines relative to its weight, or with the most; -1 if there is none.
 */
static R_xlen_t extreme_rule(Sharing *sharing, R_xlen_t n_rules, bool is_first) {
  R_xlen_t extreme = -1;
  for (R_xlen_t rule = 0; rule < n_rules; rule++) {
    if (sharing->sums[rule] == 0) continue;
    if (extreme >= 0) {
      multiply_by_lines(
          &sharing->whole[extreme], &sharing->one, sharing->sums[rule], &sharing->scratch, &sharing->number
      );
      multiply_by_lines(
          &sharing->whole[rule], &sharing->one, sharing->sums[extreme], &sharing->scratch, &sharing->divisor
      );
    }
    bool is_below_extreme = extreme >= 0 && is_below(&sharing->number, &sharing->divisor);
    if (extreme < 0 || is_below_extreme == is_first) extreme = rule;
    R_CheckUserInterrupt();
  }
  return extreme;
}

SEXP C_plan_exhausted(SEXP lines, SEXP rules, SEXP weights, SEXP first) {
  if (TYPEOF(weights) != STRSXP) refuse_kind(weights, "weights", "be text");
  bool is_first = true_or_false(first, "first");
  Sharing sharing = read_sharing(lines, rules, weights, room_for(weights, ""));
  R_xlen_t extreme = extreme_rule(&sharing, Rf_xlength(weights), is_first);
  Natural all = {(uint32_t[2]){0}, 0};
  if (extreme >= 0) set_natural(&all, (uint64_t)sharing.sums[extreme]);
  SEXP result = PROTECT(new_shares(sharing.n_files));
  for (R_xlen_t file = 0; file < sharing.n_files; file++) {
    int rule = sharing.rules[file];
    if (rule == 0 || sharing.lines[file] == 0) continue;
    REAL(VECTOR_ELT(result, 0))[file] = share_of_file(&sharing, file);
    multiply_by_lines(&sharing.whole[rule - 1], &all, sharing.lines[file], &sharing.scratch, &sharing.number);
    multiply_by_lines(
        &sharing.whole[extreme], &sharing.one, sharing.sums[rule - 1], &sharing.scratch, &sharing.divisor
    );
    uint64_t drawn = is_first ? divide(&sharing.number, 0, &sharing.divisor, &sharing.rest)
                              : divide_up(&sharing.number, &sharing.divisor, &sharing.rest);
    REAL(VECTOR_ELT(result, 1))[file] = (double)drawn;
    R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}
