/* Triples: every observed pair of a user and an item, with items that the same user has not met. */

#include "core/epoch_order.h"
#include "core/free_cells.h"
#include "core/kinds.h"
#include "core/negatives.h"
#include "core/plan.h"
#include "core/positives.h"
#include "core/request.h"

typedef struct {
  Positives positives;
  int64_t n_batches, per_positive;
  bool unique;
  bool is_made;    /* by the first epoch, as what follows */
  int64_t *starts; /* those of users */
  FreeCells free;
  SubsetScratch sizes; /* of the scratch space, if negatives are unique */
} Triples;

/* The arguments of a user. */
typedef struct {
  double batch_size, per_positive, num_replicas;
  bool unique;
  int full_users;
} TriplesRequest;

static bool read_triples(const Parts *request, TriplesRequest *wanted, Host *host) {
  return read_whole(request, "batch_size", 1, INFINITY, &wanted->batch_size, host) &&
         read_whole(request, "negatives_per_positive", 1, LARGEST_COUNT, &wanted->per_positive, host) &&
         read_flag(request, "unique", &wanted->unique, host) &&
         read_full_users(request, &wanted->full_users, host) &&
         read_sharing(request, &wanted->num_replicas, host);
}

/* Make the settings of the request the result. */
static bool keep_triples(const Parts *request, const TriplesRequest *wanted, Host *host) {
  return host->number(host, "batch_size", wanted->batch_size) &&
         host->number(host, "negatives_per_positive", wanted->per_positive) && host->keep(host, "n_users") &&
         host->keep(host, "n_items") && host->keep(host, "unique") && host->keep(host, "full_users") &&
         keep_sharing(request, wanted->num_replicas, host);
}

/* Find the positives of users with items to draw from: the counts of other users become 0. */
static bool count_triples(
    const Positives *positives, const TriplesRequest *wanted, int64_t **counts, int64_t *n_skipped, int64_t *n_triples,
    Host *host
) {
  int64_t *starts, *of_user = count_positives(positives, &starts, host);
  if (of_user == NULL) return false;
  if (!skip_full_users(positives, starts, wanted->full_users == FULL_SKIP, of_user, n_skipped, host)) return false;
  int64_t per_positive = (int64_t)wanted->per_positive;
  *n_triples = 0;
  for (int64_t user = 0; user < positives->n_users; user++) {
    if (wanted->unique && of_user[user] > 0 && per_positive > free_items(positives, starts, user)) {
      return refuse_beyond(positives, starts, user, per_positive, host);
    }
    *n_triples += of_user[user];
  }
  *counts = of_user;
  return true;
}

/* Choose the number of batches; refuse too many batches or pairs. */
static bool choose_triple_batches(
    const Parts *request, int64_t n_triples, const TriplesRequest *wanted, int64_t *n_batches, Host *host
) {
  int64_t most = LARGEST_COUNT / n_triples - 1;
  char shown[NUMBER], why[SENTENCE];
  if (wanted->per_positive > (double)most) {
    const char *got = number_read(request, "negatives_per_positive", wanted->per_positive, shown);
    char count[NUMBER];
    return refuse(
        host, "negatives_per_positive", got, "be at most %lld with %s, for at most %d pairs", (long long)most,
        show_count(n_triples, "positive", count), LARGEST_COUNT
    );
  }
  snprintf(why, SENTENCE, "so that every batch has a triple of %lld", (long long)n_triples);
  return choose_batches(
      request, n_triples, n_triples, wanted->batch_size, wanted->num_replicas, "the number of triples", why, n_batches,
      host
  );
}

static bool plan_triples(const Parts *request, Host *host) {
  TriplesRequest wanted = {.full_users = FULL_ERROR};
  Positives positives = {.cells = NULL};
  if (!read_triples(request, &wanted, host)) return false;
  if (!is_given(request, "users")) return keep_triples(request, &wanted, host);
  int64_t *counts = NULL, n_skipped = 0, n_triples = 0, n_batches = 0;
  if (!plan_positives(request, &positives, host)) return false;
  if (!count_triples(&positives, &wanted, &counts, &n_skipped, &n_triples, host)) return false;
  if (!choose_triple_batches(request, n_triples, &wanted, &n_batches, host)) return false;
  bool is_kept = keep_observed(&positives, n_batches, host) &&
                 host->number(host, "negatives_per_positive", wanted.per_positive) &&
                 host->flag(host, "unique", wanted.unique);
  double *cells = is_kept ? host->vector(host, "cells", DOUBLES, n_triples) : NULL;
  if (cells == NULL) return false;
  int64_t n_kept = 0;
  for (int64_t i = 0; i < positives.n_positives; i++) {
    if (n_skipped == 0 || counts[user_of(&positives, i)] > 0) cells[n_kept++] = positives.cells[i];
  }
  return host->number(host, "n_skipped_users", (double)n_skipped);
}

/* Check that users have items to draw from, and find how much scratch space subsets of them need. */
static bool check_triple_users(Triples *self, Host *host) {
  const Positives *positives = &self->positives;
  self->sizes = (SubsetScratch){.n_pool = 1, .n_places = 1, .n_table = 1};
  for (int64_t user = 0; user < positives->n_users; user++) {
    if (self->starts[user + 1] == self->starts[user]) continue;
    int64_t limit = free_items(positives, self->starts, user);
    if (limit < (self->unique ? self->per_positive : 1)) {
      return refuse_part(host, "negatives_per_positive", "at most as many as a user has items to draw from");
    }
    if (self->unique) enlarge_subset_scratch(&self->sizes, limit, self->per_positive);
  }
  return true;
}

static bool prepare_triples(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Triples *self = instance;
  Positives *positives = &self->positives;
  (void)seed;
  if (!read_flag(recipe, "unique", &self->unique, host) || !read_positives(recipe, positives, host)) return false;
  double most = (double)(LARGEST_COUNT / positives->n_positives - 1);
  return read_count(recipe, "n_batches", 1, (double)positives->n_positives, &self->n_batches, host) &&
         read_count(recipe, "negatives_per_positive", 1, most, &self->per_positive, host);
}

/* Make what the draws need besides the recipe. */
static bool make_triple_tables(Triples *self, Host *host) {
  if (self->is_made) return true;
  const Positives *positives = &self->positives;
  int64_t n_cells = positives->n_users * positives->n_items;
  self->is_made = make_user_starts(positives, &self->starts, host) && check_triple_users(self, host) &&
                  index_free_cells(&self->free, positives->cells, positives->n_distinct, n_cells, host);
  return self->is_made;
}

/* Draw the cells of the negatives of each positive in turn. */
static bool draw_triple_negatives(const Triples *self, Generator *generator, int64_t *cells, Host *host) {
  const Positives *positives = &self->positives;
  SubsetScratch space = self->sizes, *scratch = self->unique ? &space : NULL;
  if (scratch != NULL && !make_subset_scratch(scratch, host)) return false;
  int64_t per_positive = self->per_positive, since = 0;
  for (int64_t i = 0; i < positives->n_positives; i++) {
    int64_t user = user_of(positives, i), first = user * positives->n_items - self->starts[user];
    int64_t limit = free_items(positives, self->starts, user);
    if (!draw_within(generator, scratch, first, limit, per_positive, cells + i * per_positive, &since, host)) {
      return false;
    }
  }
  return find_free_cells(&self->free, cells, positives->n_positives * per_positive, host);
}

static bool draw_triples(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  Triples *self = instance;
  int64_t n_triples = self->positives.n_positives, group = self->per_positive + 1;
  (void)epoch;
  int32_t *order = make_triple_tables(self, host) ? draw_epoch_order(generator, n_triples, host) : NULL;
  if (order == NULL) return false;
  int64_t *negatives = host->memory(host, FOR_THE_CALL, n_triples * self->per_positive * (int64_t)sizeof *negatives);
  if (negatives == NULL || !draw_triple_negatives(self, generator, negatives, host)) return false;
  int64_t *numbers = host->vector(host, "rows", LARGE, n_triples * group);
  int64_t *offsets = numbers == NULL ? NULL : host->vector(host, "offsets", LONGS, self->n_batches + 1);
  if (offsets == NULL) return false;
  fill_even_offsets(n_triples, self->n_batches, offsets);
  for (int64_t batch = 0; batch <= self->n_batches; batch++) offsets[batch] *= group;
  return write_groups(order, self->positives.cells, negatives, self->per_positive, n_triples, numbers, host);
}

const Kind triples_kind = {
    .name = "triples",
    .instance_bytes = sizeof(Triples),
    .plan = plan_triples,
    .prepare = prepare_triples,
    .draw = draw_triples,
};
