/* Batches of rows of one stratum each.
 *
 * A stratum of n_s rows has B_s batches, the ceiling of n_s / batch_size, whose sizes differ by at most 1: batch i,
 * from 0, has the ranks from i * n_s / B_s on, rounded down. For replicas, batches are added one by one until their
 * number B is a multiple, each to the stratum with the most rows per batch, the first of equal ones.
 *
 * An epoch orders the rows by sample.int(rows). In proportion, the batches of all strata are in the order of
 * sample.int(B), which continues the draws. In rounds, strata are in the order of sample.int(strata), and each round
 * has the next batch of every stratum that has one left. Without shuffling, all of these orders are those of the
 * numbers.
 */

#include "core/dealt.h"
#include "core/kinds.h"
#include "core/request.h"

typedef struct {
  Codes codes;
  int64_t n_batches;
  int64_t *batches; /* of each stratum */
  bool is_shuffled, in_rounds;
} OneStratum;

/* The arguments of a user. */
typedef struct {
  double batch_size, num_replicas;
  bool is_shuffled;
  int order;
} OneStratumRequest;

enum { IN_PROPORTION, IN_ROUNDS, N_BATCH_ORDERS };

static const char *const batch_orders[] = {"proportional", "round_robin"};

static bool read_one_stratum(const Parts *request, OneStratumRequest *wanted, Host *host) {
  return read_whole(request, "batch_size", 1, INFINITY, &wanted->batch_size, host) &&
         read_choice(request, "order", batch_orders, N_BATCH_ORDERS, &wanted->order, host) &&
         read_flag(request, "shuffle", &wanted->is_shuffled, host) && read_missing(request, host) &&
         read_sharing(request, &wanted->num_replicas, host);
}

/* Add the missing batches. */
static bool add_batches(const int64_t *counts, int64_t n_strata, int64_t missing, double *batches, Host *host) {
  for (; missing > 0; missing--) {
    int64_t most = 0;
    for (int64_t stratum = 1; stratum < n_strata; stratum++) {
      if (counts[stratum] * (int64_t)batches[most] > counts[most] * (int64_t)batches[stratum]) most = stratum;
    }
    batches[most] += 1;
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool plan_one_stratum(const Parts *request, Host *host) {
  OneStratumRequest wanted = {0};
  if (!read_one_stratum(request, &wanted, host)) return false;
  if (!is_given(request, "codes")) {
    return host->number(host, "batch_size", wanted.batch_size) && host->keep(host, "order") &&
           host->keep(host, "shuffle") && host->keep(host, "missing") &&
           keep_sharing(request, wanted.num_replicas, host);
  }
  Codes codes;
  if (!read_codes(request, FOR_THE_CALL, &codes, host) || !check_strata_have_rows(&codes, host)) return false;
  double *batches = host->vector(host, "batches", DOUBLES, codes.n_strata);
  if (batches == NULL) return false;
  double n_batches = 0, n_rows = 0, size = fmin(wanted.batch_size, LARGEST_COUNT);
  for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
    batches[stratum] = ceil((double)codes.counts[stratum] / size);
    n_batches += batches[stratum];
    n_rows += (double)codes.counts[stratum];
  }
  double wanted_batches = ceil(n_batches / wanted.num_replicas) * wanted.num_replicas;
  if (wanted_batches > n_rows) {
    char shown[NUMBER];
    return refuse(
        host, "num_replicas", number_read(request, "num_replicas", wanted.num_replicas, shown),
        "leave each batch a row: there are %.0f for %.0f batches", n_rows, wanted_batches
    );
  }
  int64_t missing = (int64_t)(wanted_batches - n_batches);
  return add_batches(codes.counts, codes.n_strata, missing, batches, host) && host->keep(host, "codes") &&
         host->number(host, "n_strata", (double)codes.n_strata) && host->number(host, "n_batches", wanted_batches) &&
         host->flag(host, "in_rounds", wanted.order == IN_ROUNDS) && host->flag(host, "shuffle", wanted.is_shuffled);
}

static bool prepare_one_stratum(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  OneStratum *self = instance;
  int64_t sum = 0;
  (void)seed;
  if (!read_codes(recipe, FOR_THE_INSTANCE, &self->codes, host)) return false;
  if (!check_strata_have_rows(&self->codes, host)) return false;
  if (!read_count(recipe, "n_batches", 1, (double)self->codes.n_rows, &self->n_batches, host)) return false;
  if (!read_flag(recipe, "in_rounds", &self->in_rounds, host)) return false;
  if (!read_flag(recipe, "shuffle", &self->is_shuffled, host)) return false;
  int64_t n_strata = self->codes.n_strata;
  self->batches = host->memory(host, FOR_THE_INSTANCE, n_strata * (int64_t)sizeof *self->batches);
  if (self->batches == NULL) return false;
  if (!read_wholes(recipe, "batches", n_strata, 1, LARGEST_COUNT, self->batches, host)) return false;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    sum += self->batches[stratum];
    if (self->batches[stratum] > self->codes.counts[stratum]) {
      return refuse(host, "recipe", "more", "have at most a batch for each row as 'batches'");
    }
  }
  return sum == self->n_batches || refuse(host, "recipe", "others", "have 'batches' that add up to 'n_batches'");
}

/* Fill the order of the batches, given where those of each stratum begin among all. `left` has room for n_strata. */
static bool order_rounds(
    const OneStratum *self, Generator *generator, const int64_t *firsts, int32_t *order, int32_t *left, Host *host
) {
  int64_t n_left = self->codes.n_strata;
  fill_in_order(left, (uint32_t)n_left);
  if (self->is_shuffled) {
    const int32_t *drawn = draw_epoch_order(generator, n_left, host);
    if (drawn == NULL) return false;
    memcpy(left, drawn, (size_t)n_left * sizeof *left);
  }
  for (int64_t round = 0; n_left > 0; round++) {
    int64_t n_kept = 0;
    for (int64_t i = 0; i < n_left; i++) {
      int32_t stratum = left[i];
      *order++ = (int32_t)(firsts[stratum] + round);
      if (round + 1 < self->batches[stratum]) left[n_kept++] = stratum;
    }
    n_left = n_kept;
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Fill where the batches of all strata begin in the rows, stratum by stratum, and the places that the rows of each
 * stratum take next; and where its batches begin among all.
 */
static void fill_begins(const OneStratum *self, int64_t *begins, int64_t *cursors, int64_t *firsts) {
  int64_t place = 0, first = 0;
  for (int64_t stratum = 0; stratum < self->codes.n_strata; stratum++) {
    int64_t count = self->codes.counts[stratum], n_batches = self->batches[stratum];
    cursors[stratum] = place;
    firsts[stratum] = first;
    for (int64_t batch = 0; batch < n_batches; batch++) begins[first + batch] = place + batch * count / n_batches;
    place += count;
    first += n_batches;
  }
  begins[first] = cursors[self->codes.n_strata] = place;
}

static bool draw_one_stratum(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  OneStratum *self = instance;
  const Codes *codes = &self->codes;
  int64_t n_rows = codes->n_rows, n_strata = codes->n_strata, n_batches = self->n_batches;
  int64_t n_taken = n_rows - codes->counts[n_strata];
  (void)epoch;
  int32_t *places = host->memory(host, FOR_THE_CALL, (3 * n_rows + n_batches + n_strata) * (int64_t)sizeof *places);
  int64_t *begins = host->memory(host, FOR_THE_CALL, (n_batches + 2 * n_strata + 2) * (int64_t)sizeof *begins);
  if (places == NULL || begins == NULL) return false;
  int32_t *entries = places + n_rows, *pool = entries + n_rows, *order = pool + n_rows, *left = order + n_batches;
  int64_t *cursors = begins + n_batches + 1, *firsts = cursors + n_strata + 1;
  int32_t *rows = host->vector(host, "rows", INTEGERS, n_taken);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, n_batches + 1);
  if (offsets == NULL) return false;
  fill_in_order(places, (uint32_t)n_rows);
  fill_begins(self, begins, cursors, firsts);
  const void *of_rows = codes->bytes != NULL ? (const void *)codes->bytes : (const void *)codes->integers;
  Scattering scattering = {codes->bytes != NULL ? 1 : 4, of_rows, n_rows, cursors, places, host->first_row, entries};
  if (!scatter(&scattering, generator, self->is_shuffled ? pool : NULL, host)) return false;
  if (self->in_rounds) {
    if (!order_rounds(self, generator, firsts, order, left, host)) return false;
  } else if (self->is_shuffled) {
    const int32_t *drawn = draw_epoch_order(generator, n_batches, host);
    if (drawn == NULL) return false;
    memcpy(order, drawn, (size_t)n_batches * sizeof *order);
  } else {
    fill_in_order(order, (uint32_t)n_batches);
  }
  return arrange_batches(entries, begins, order, n_batches, offsets, rows, host);
}

static void identify_one_stratum(const void *instance, const Parts *recipe, Identity *identity) {
  const OneStratum *self = instance;
  (void)recipe;
  identity->has_unused_seed = !self->is_shuffled;
}

const Kind one_stratum_kind = {
    .name = "one_stratum",
    .instance_bytes = sizeof(OneStratum),
    .plan = plan_one_stratum,
    .prepare = prepare_one_stratum,
    .draw = draw_one_stratum,
    .identify = identify_one_stratum,
};
