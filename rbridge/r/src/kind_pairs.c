/* Observed pairs of users and items, the positives, and new pairs in each epoch, the negatives.
 *
 * With the ratio r, an epoch has P positives and P * (1 - r) / r negatives, rounded; with "per_user", each user gets
 * the increment of this number over the positives of the users up to this one. Positives and negatives are dealt to
 * batches in turn, in the order of the epoch.
 */

#include <stdlib.h>

#include "core/epoch_order.h"
#include "core/free_cells.h"
#include "core/kinds.h"
#include "core/observed_pairs.h"
#include "core/plan.h"
#include "core/request.h"

typedef struct {
  Positives positives;
  NegativesWay way;
  int64_t n_negatives, n_batches;
  const int32_t *counts; /* the negatives of the table, or of each user */
  bool is_made;          /* by the first epoch, as what follows */
  int64_t *starts;       /* those of users, where draws need them */
  FreeCells free;        /* unless positives may be drawn, or are drawn again */
  SubsetScratch sizes;   /* of the scratch space, if negatives are unique */
  SumTree items;         /* by popularity */
} Pairs;

/* The arguments of a user. */
typedef struct {
  ExactNumber negatives; /* for each positive */
  double about;          /* the same, however large */
  double batch_size, num_replicas;
  NegativesWay way;
  int full_users;
} PairsRequest;

/* Read the whole, the rest and the denominator of the negatives for a positive. */
static bool read_ratio_terms(const double *terms, PairsRequest *wanted, Host *host) {
  double whole = terms[0], rest = terms[1], denominator = terms[2];
  bool is_right = whole >= 0 && denominator >= 1 && denominator <= 4294967296.0 && rest >= 0 && rest < denominator;
  if (!is_right) return refuse(host, "ratio_terms", "others", "be those of a number above 0");
  int64_t known = limited(whole);
  wanted->negatives = (ExactNumber){known, (int64_t)rest, (int64_t)denominator};
  wanted->about = whole + rest / denominator;
  return true;
}

/* Read the ratio: the terms of an exact number, or the decimal number that is shown. */
static bool read_ratio(const Parts *request, PairsRequest *wanted, Host *host) {
  Part part = find_part(request, "ratio"), terms = find_part(request, "ratio_terms");
  if (terms.type == DOUBLES && terms.length == 3) return read_ratio_terms(terms.values, wanted, host);
  double ratio;
  bool is_number = is_one_number(&part, &ratio);
  if (is_number && part.type != FRACTION && ratio > 0 && ratio < 1) {
    char shown[NUMBER];
    snprintf(shown, NUMBER, "%.14e", ratio); /* a digit, a decimal sign, 14 digits, and an exponent */
    int64_t digits = 0, n_decimals = 14 + strtol(strchr(shown, 'e') + 2, NULL, 10);
    for (const char *next = shown; *next != 'e'; next++) {
      if (*next >= '0' && *next <= '9') digits = 10 * digits + (*next - '0');
    }
    wanted->negatives = negatives_for_each(digits, n_decimals);
    wanted->about = 1 / ratio - 1;
    if (n_decimals > 14) return true;
  }
  host->refusal.is_type = !is_number;
  return refuse(host, "ratio", NULL, "be a number above 0 and below 1");
}

/* Read how negatives are drawn: each setting only for the methods that it belongs to. */
static bool read_pair_negatives(const Parts *request, PairsRequest *wanted, Host *host) {
  NegativesWay *way = &wanted->way;
  if (!read_method(request, way, host) || !read_flag(request, "unique", &way->unique, host)) return false;
  if (!read_full_users(request, &wanted->full_users, host)) return false;
  bool is_popular = way->method == POPULAR_NEGATIVES;
  if (way->unique && is_popular) return refuse(host, "unique", NULL, "be false with the method 'popularity'");
  if (is_given(request, "power") && !is_popular) {
    return refuse(host, "power", NULL, "be left out but with the method 'popularity'");
  }
  if (wanted->full_users == FULL_SKIP && way->method != PER_USER_NEGATIVES) {
    return refuse(host, "full_users", NULL, "be left out but with the method 'per_user'");
  }
  way->power = 0.75;
  if (is_given(request, "power") && !read_number(request, "power", 0, &way->power, host)) return false;
  return read_flag(request, "reject_positives", &way->free_only, host);
}

static bool read_pairs(const Parts *request, PairsRequest *wanted, Host *host) {
  return read_ratio(request, wanted, host) &&
         read_whole(request, "batch_size", 1, INFINITY, &wanted->batch_size, host) &&
         read_pair_negatives(request, wanted, host) && read_sharing(request, &wanted->num_replicas, host);
}

/* Make the settings of the request the result. */
static bool keep_pairs(const Parts *request, const PairsRequest *wanted, Host *host) {
  return host->keep(host, "ratio") && host->number(host, "batch_size", wanted->batch_size) &&
         host->keep(host, "n_users") && host->keep(host, "n_items") && host->keep(host, "method") &&
         host->keep(host, "unique") && host->keep(host, "reject_positives") && host->keep(host, "power") &&
         host->keep(host, "full_users") && keep_sharing(request, wanted->num_replicas, host);
}

/* Count the negatives of some of the positives; refuse more than fit into an epoch with all positives. */
static bool count_pair_negatives(
    const Positives *positives, int64_t n_counted, const PairsRequest *wanted, int64_t *count, Host *host
) {
  double n_negatives = (double)n_counted * wanted->about;
  if (wanted->negatives.whole <= LARGEST_COUNT) {
    *count = rounded_multiple(n_counted, wanted->negatives);
    n_negatives = (double)*count;
  }
  double n_pairs = (double)positives->n_positives + round(n_negatives);
  if (n_pairs <= (double)LARGEST_COUNT) return true;
  char shown[NUMBER], got[SENTENCE];
  snprintf(got, SENTENCE, "%s pairs", show_number(n_pairs, shown));
  return refuse(host, "ratio", got, "give at most %d pairs", LARGEST_COUNT);
}

/* Count the negatives of each user; `counts` are the results. */
static bool count_for_users(
    const Positives *positives, const PairsRequest *wanted, int64_t **counts, int64_t *sum, Host *host
) {
  bool free_only = wanted->way.free_only;
  int64_t n_skipped, n_counted = 0, n_users = positives->n_users;
  int64_t *starts, *of_user = count_positives(positives, &starts, host);
  if (of_user == NULL) return false;
  if (free_only && !skip_full_users(positives, starts, wanted->full_users == FULL_SKIP, of_user, &n_skipped, host)) {
    return false;
  }
  for (int64_t user = 0; user < n_users; user++) n_counted += of_user[user];
  if (!count_pair_negatives(positives, n_counted, wanted, sum, host)) return false;
  if (!share_negatives(of_user, n_users, wanted->negatives, host)) return false;
  for (int64_t user = 0; wanted->way.unique && user < n_users; user++) {
    if (of_user[user] > free_items(positives, free_only ? starts : NULL, user)) {
      return refuse_beyond(positives, free_only ? starts : NULL, user, of_user[user], host);
    }
  }
  *counts = of_user;
  return true;
}

/* Check that there are cells to draw from in the whole table. */
static bool check_pair_table(const Positives *positives, const NegativesWay *way, int64_t count, Host *host) {
  int64_t n_cells = positives->n_users * positives->n_items;
  int64_t n_free = n_cells - (way->free_only ? positives->n_distinct : 0);
  char shown[NUMBER], got[SENTENCE];
  if (n_free == 0) {
    snprintf(got, SENTENCE, "%s, all of which are positives,", show_count(n_cells, "cell", shown));
    return refuse(host, "items", got, "leave a cell that is not a positive");
  }
  if (!way->unique || count <= n_free) return true;
  snprintf(got, SENTENCE, "true and %s", show_count(count, "negative", shown));
  return refuse(
      host, "unique", got, "be false for more negatives than there are cells to draw from, %lld", (long long)n_free
  );
}

/* Count the negatives of the table, or of each user, in memory of the call. */
static bool plan_pair_negatives(
    const Positives *positives, const PairsRequest *wanted, int64_t **counts, int64_t *n_counts, int64_t *sum,
    Host *host
) {
  const NegativesWay *way = &wanted->way;
  *n_counts = way->method == PER_USER_NEGATIVES ? positives->n_users : 1;
  if (way->method == PER_USER_NEGATIVES) return count_for_users(positives, wanted, counts, sum, host);
  if (!count_pair_negatives(positives, positives->n_positives, wanted, sum, host)) return false;
  if (way->method == UNIFORM_NEGATIVES && !check_pair_table(positives, way, *sum, host)) return false;
  if (way->method == POPULAR_NEGATIVES && way->free_only) {
    double acceptance, *weights = weigh_items(positives, way->power, host);
    if (weights == NULL || !find_acceptance(positives, weights, &acceptance, host)) return false;
  }
  *counts = host->memory(host, FOR_THE_CALL, (int64_t)sizeof **counts);
  if (*counts == NULL) return false;
  **counts = *sum;
  return true;
}

/* Choose the number of batches; refuse if a batch would lack a positive or a negative. */
static bool choose_pair_batches(
    const Parts *request, int64_t n_positives, int64_t n_negatives, const PairsRequest *wanted, int64_t *n_batches,
    Host *host
) {
  char positives[NUMBER], negatives[NUMBER], why[SENTENCE];
  show_count(n_positives, "positive", positives);
  show_count(n_negatives, "negative", negatives);
  if (n_negatives == 0) {
    snprintf(why, SENTENCE, "an epoch of %s and %s", positives, negatives);
    return refuse(host, "ratio", why, "leave room for a negative");
  }
  snprintf(why, SENTENCE, "so that every batch has a positive and a negative of %s and %s", positives, negatives);
  return choose_batches(
      request, n_positives + n_negatives, smaller(n_positives, n_negatives), wanted->batch_size, wanted->num_replicas,
      why, why, n_batches, host
  );
}

static bool plan_pairs(const Parts *request, Host *host) {
  PairsRequest wanted = {.full_users = FULL_ERROR};
  Positives positives = {.cells = NULL};
  if (!read_pairs(request, &wanted, host)) return false;
  if (!is_given(request, "users")) return keep_pairs(request, &wanted, host);
  int64_t *counts = NULL, n_counts = 0, n_negatives = 0, n_batches = 0;
  if (!plan_positives(request, &positives, host)) return false;
  if (!plan_pair_negatives(&positives, &wanted, &counts, &n_counts, &n_negatives, host)) return false;
  if (!choose_pair_batches(request, positives.n_positives, n_negatives, &wanted, &n_batches, host)) return false;
  bool is_kept = keep_observed(&positives, n_batches, host) && host->keep(host, "method") &&
                 host->flag(host, "unique", wanted.way.unique) &&
                 host->flag(host, "reject_positives", wanted.way.free_only) &&
                 (wanted.way.method != POPULAR_NEGATIVES || host->number(host, "power", wanted.way.power));
  double *cells = is_kept ? host->vector(host, "cells", DOUBLES, positives.n_positives) : NULL;
  int32_t *of_recipe = cells == NULL ? NULL : host->vector(host, "n_negatives", INTEGERS, n_counts);
  if (of_recipe == NULL) return false;
  memcpy(cells, positives.cells, (size_t)positives.n_positives * sizeof *cells);
  for (int64_t i = 0; i < n_counts; i++) of_recipe[i] = (int32_t)counts[i];
  return true;
}

/* The numbers that are drawn for the table, or for a user: `limit` ranks of free cells from `first` on. */
static inline void find_pair_group(const Pairs *self, int64_t group, int64_t *first, int64_t *limit) {
  const Positives *positives = &self->positives;
  if (self->way.method == PER_USER_NEGATIVES) {
    *first = group * positives->n_items - (self->starts == NULL ? 0 : self->starts[group]);
    *limit = free_items(positives, self->starts, group);
  } else {
    *first = 0;
    *limit = positives->n_users * positives->n_items - (self->way.free_only ? positives->n_distinct : 0);
  }
}

/* Check and add up the numbers of negatives. */
static bool check_pair_counts(Pairs *self, Part counts, Host *host) {
  int64_t length = self->way.method == PER_USER_NEGATIVES ? self->positives.n_users : 1;
  if (counts.type != INTEGERS || counts.length != length) {
    return refuse_part(host, "n_negatives", "%lld integer%s", (long long)length, length == 1 ? "" : "s");
  }
  self->counts = counts.values;
  for (int64_t group = 0; group < length; group++) {
    int64_t count = self->counts[group];
    if (count < 0 || count > LARGEST_COUNT - self->positives.n_positives - self->n_negatives) {
      return refuse_part(host, "n_negatives", "integers from 0 for at most %d pairs", LARGEST_COUNT);
    }
    self->n_negatives += count;
  }
  return true;
}

/* Check that there are as many cells as are drawn, and find how much scratch space that needs. */
static bool check_pair_limits(Pairs *self, Host *host) {
  int64_t n_groups = self->way.method == PER_USER_NEGATIVES ? self->positives.n_users : 1;
  self->sizes = (SubsetScratch){.n_pool = 1, .n_places = 1, .n_table = 1};
  for (int64_t group = 0; group < n_groups; group++) {
    int64_t first, limit, count = self->counts[group];
    if (count == 0) continue;
    find_pair_group(self, group, &first, &limit);
    if (limit < (self->way.unique ? count : 1)) {
      return refuse_part(host, "n_negatives", "at most as many as there are cells to draw from");
    }
    if (self->way.unique) enlarge_subset_scratch(&self->sizes, limit, count);
  }
  return true;
}

/* Build the tree of the weights of items. */
static bool prepare_popularity(Pairs *self, Host *host) {
  int64_t n_items = self->positives.n_items, n_sums = sum_tree_length(n_items);
  double acceptance, *weights = weigh_items(&self->positives, self->way.power, host);
  if (weights == NULL) return false;
  if (self->way.free_only && !find_acceptance(&self->positives, weights, &acceptance, host)) return false;
  double *sums = self->items.sums = lasting_memory(self->items.sums, n_sums * (int64_t)sizeof *sums, host);
  if (sums == NULL) return false;
  memset(sums, 0, (size_t)n_sums * sizeof *sums);
  init_sum_tree(&self->items, n_items, sums, NULL, 0);
  for (int64_t begin = 0; begin < n_items; begin += GO_ON_ROWS) {
    fill_rows(&self->items, weights, begin, smaller(begin + GO_ON_ROWS, n_items));
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool prepare_pairs(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Pairs *self = instance;
  (void)seed;
  if (!read_way(recipe, &self->way, host) || !read_positives(recipe, &self->positives, host)) return false;
  if (!check_pair_counts(self, find_part(recipe, "n_negatives"), host)) return false;
  int64_t fewest = smaller(self->positives.n_positives, self->n_negatives);
  return read_count(recipe, "n_batches", 1, (double)fewest, &self->n_batches, host);
}

/* Make what the draws need besides the recipe. */
static bool make_pair_tables(Pairs *self, Host *host) {
  if (self->is_made) return true;
  const Positives *positives = &self->positives;
  bool is_popular = self->way.method == POPULAR_NEGATIVES;
  bool has_starts = self->way.free_only && self->way.method != UNIFORM_NEGATIVES;
  if (has_starts && !make_user_starts(positives, &self->starts, host)) return false;
  if (is_popular ? !prepare_popularity(self, host) : !check_pair_limits(self, host)) return false;
  int64_t n_cells = positives->n_users * positives->n_items;
  bool has_free = self->way.free_only && !is_popular;
  if (has_free && !index_free_cells(&self->free, positives->cells, positives->n_distinct, n_cells, host)) return false;
  self->is_made = true;
  return true;
}

/* Draw the cells of the negatives uniformly, over the table or for each user. */
static bool draw_uniformly(const Pairs *self, Generator *generator, int64_t *cells, Host *host) {
  SubsetScratch space = self->sizes, *scratch = self->way.unique ? &space : NULL;
  if (scratch != NULL && !make_subset_scratch(scratch, host)) return false;
  int64_t n_groups = self->way.method == PER_USER_NEGATIVES ? self->positives.n_users : 1, done = 0, since = 0;
  for (int64_t group = 0; group < n_groups; group++) {
    int64_t first, limit, count = self->counts[group];
    if (count == 0) continue;
    find_pair_group(self, group, &first, &limit);
    if (!draw_within(generator, scratch, first, limit, count, cells + done, &since, host)) return false;
    done += count;
  }
  return !self->way.free_only || find_free_cells(&self->free, cells, done, host);
}

static bool draw_pair_negatives(const Pairs *self, Generator *generator, int64_t *cells, Host *host) {
  if (self->way.method != POPULAR_NEGATIVES) return draw_uniformly(self, generator, cells, host);
  const Positives *positives = &self->positives;
  PopularDraw draw = {
      .cells = positives->cells, .starts = self->starts, .n_positives = positives->n_positives,
      .n_distinct = positives->n_distinct, .n_columns = positives->n_items, .columns = &self->items,
  };
  return draw_popular(&draw, generator, self->n_negatives, cells, host);
}

static bool draw_pairs(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  Pairs *self = instance;
  int64_t n_positives = self->positives.n_positives, n_pairs = n_positives + self->n_negatives;
  (void)epoch;
  int32_t *order = make_pair_tables(self, host) ? draw_epoch_order(generator, n_pairs, host) : NULL;
  if (order == NULL) return false;
  int64_t *negatives = host->memory(host, FOR_THE_CALL, self->n_negatives * (int64_t)sizeof *negatives);
  if (negatives == NULL || !draw_pair_negatives(self, generator, negatives, host)) return false;
  int64_t *numbers = host->vector(host, "rows", LARGE, n_pairs);
  int64_t *offsets = numbers == NULL ? NULL : host->vector(host, "offsets", LONGS, self->n_batches + 1);
  if (offsets == NULL) return false;
  fill_even_offsets(n_pairs, self->n_batches, offsets);
  Deal deal = {
      .order = order, .positives = self->positives.cells, .negatives = negatives, .offsets = offsets,
      .n_pairs = n_pairs, .n_positives = n_positives, .n_batches = self->n_batches,
  };
  return deal_pairs(&deal, numbers, host);
}

const Kind pairs_kind = {
    .name = "pairs",
    .instance_bytes = sizeof(Pairs),
    .plan = plan_pairs,
    .prepare = prepare_pairs,
    .draw = draw_pairs,
};
