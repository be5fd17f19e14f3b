/* Batches that keep groups together. */

#include "core/groups_together.h"

#include <string.h>

#include "arguments.h"
#include "memory.h"
#include "offsets.h"
#include "order.h"
#include "routines.h"
#include "steps.h"

/* Return how often each group occurs, and refuse numbers that are none of groups. */
static int32_t *count_groups(SEXP groups, int64_t n_groups) {
  int32_t *sizes = new_integers(n_groups + 1);
  memset(sizes, 0, (size_t)(n_groups + 1) * sizeof *sizes);
  const int *given = INTEGER(groups);
  for (int64_t row = 0; row < Rf_xlength(groups); row++) {
    if (given[row] < 0 || given[row] > n_groups) refuse("groups", "be numbers of groups", "others");
    sizes[given[row]] += 1;
    if (row % STEP == STEP - 1) R_CheckUserInterrupt();
  }
  return sizes;
}

static void check_strata_of(const GroupedRows *grouped) {
  for (int64_t group = 0; group < grouped->n_groups; group++) {
    int32_t stratum = grouped->strata_of[group];
    if (stratum < 0 || stratum >= grouped->n_strata) refuse("strata_of", "be numbers of strata", "others");
  }
}

/* Put the groups in the order in which they are dealt. */
static void line_up(const int32_t *order, const int32_t *groups, int64_t n_rows, GroupedRows *grouped) {
  int64_t *firsts = new_numbers(grouped->n_strata);
  int64_t *others = new_numbers(grouped->n_strata);
  for (int64_t done = 0; done < n_rows;) {
    int64_t end = next_step(done, n_rows);
    find_groups(order, groups, done, end, grouped);
    done = end;
  }
  begin_line(grouped, firsts, others);
  for (int64_t done = 0; done < grouped->n_found;) {
    int64_t end = next_step(done, grouped->n_found);
    line_up_groups(grouped, done, end, firsts, others);
    done = end;
  }
}

/* Find the batch of each group, and the offsets of the batches. */
static void deal(GroupedRows *grouped, int64_t *offsets) {
  GroupDealing dealing = {.n_batches = grouped->n_batches};
  dealing.held = new_integers(grouped->n_batches);
  dealing.totals = new_integers(grouped->n_batches);
  dealing.heap = new_integers(grouped->n_batches);
  begin_dealing_groups(&dealing);
  while (dealing.dealt < grouped->n_found) {
    deal_groups(grouped, &dealing, next_step(dealing.dealt, grouped->n_found));
  }
  fill_group_offsets(&dealing, offsets);
}

static void write_rows(
    const int32_t *order, const int32_t *groups, int64_t n_rows, int64_t *next_free, GroupedRows *grouped, int32_t *rows
) {
  for (int64_t done = 0; done < grouped->n_found;) {
    int64_t end = next_step(done, grouped->n_found);
    place_groups(grouped, done, end, next_free);
    done = end;
  }
  for (int64_t done = 0; done < n_rows;) {
    int64_t end = next_step(done, n_rows);
    write_grouped_rows(order, groups, 1, done, end, grouped, rows);
    done = end;
  }
}

SEXP C_draw_groups_together(SEXP groups, SEXP strata_of, SEXP n_strata, SEXP n_batches, SEXP minimum, SEXP seed) {
  if (TYPEOF(groups) != INTSXP || Rf_xlength(groups) > LARGEST_COUNT) refuse_kind(groups, "groups", "be integers");
  if (TYPEOF(strata_of) != INTSXP) refuse_kind(strata_of, "strata_of", "be integers");
  int64_t n_rows = Rf_xlength(groups);
  int64_t n = Rf_xlength(strata_of);
  if (n < 1 || n > LARGEST_COUNT) refuse_kind(strata_of, "strata_of", "have a stratum for each group");
  GroupedRows grouped = {.n_groups = n, .strata_of = INTEGER(strata_of)};
  grouped.n_strata = whole_number(n_strata, 1, LARGEST_COUNT, "n_strata");
  grouped.n_batches = whole_number(n_batches, 1, LARGEST_COUNT, "n_batches");
  grouped.minimum = whole_number(minimum, 1, LARGEST_COUNT, "minimum");
  grouped.sizes = count_groups(groups, n);
  check_strata_of(&grouped);
  grouped.found = new_integers(n);
  grouped.line = new_integers(n);
  grouped.next_places = new_integers(n);
  grouped.batch_of = new_integers(n);
  grouped.n_first = new_zeros(grouped.n_strata);
  grouped.n_other = new_zeros(grouped.n_strata);
  for (int64_t group = 0; group < n; group++) grouped.next_places[group] = -1;
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  int32_t *order = new_integers(n_rows);
  draw_order(&generator, (uint32_t)n_rows, order);
  line_up(order, INTEGER(groups), n_rows, &grouped);
  int64_t *offsets = new_numbers(grouped.n_batches + 1);
  deal(&grouped, offsets);
  const char *names[] = {"rows", "offsets", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(INTSXP, (R_xlen_t)offsets[grouped.n_batches]));
  SET_VECTOR_ELT(result, 1, offsets_in_r(offsets, grouped.n_batches));
  write_rows(order, INTEGER(groups), n_rows, offsets, &grouped, INTEGER(VECTOR_ELT(result, 0)));
  UNPROTECT(1);
  return result;
}
