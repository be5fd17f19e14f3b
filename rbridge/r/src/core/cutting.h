/* How the drawn rows of an epoch are cut into batches: in drawn order, or into batches of rows of similar length.
 *
 * In drawn order, batches have batch_size rows, and the last one may have fewer; for replicas, their number is rounded
 * up to a multiple, and their sizes differ by at most 1. Batches of similar length are those of length_batches.h, in an
 * order that is R's sample.int(number of batches), which continues the draws of the epoch, or one that is balanced over
 * the replicas.
 */

#ifndef PYSTRAT_CUTTING_H
#define PYSTRAT_CUTTING_H

#include "epoch_order.h"
#include "identity.h"
#include "length_batches.h"
#include "request.h"

typedef struct {
  int64_t batch_size;     /* the most rows of a batch; INT64_MAX without this limit */
  int64_t num_replicas;   /* 1 if it is not given */
  bool is_shared;         /* whether it is given */
  const int32_t *lengths; /* of all rows of the dataset; NULL for batches in drawn order */
  int32_t longest;        /* of the lengths */
  int64_t max_tokens;     /* INT64_MAX without this limit */
  int64_t window;         /* INT64_MAX for all rows of an epoch */
  bool shuffle;           /* the batches by length */
  bool is_balanced;       /* whether the batches of each step of the replicas have similar numbers of tokens */
} Cutting;

/* A number as the core counts with it: all that exceed the rows of an epoch are the same limit. */
static inline int64_t as_limit(double number) { return number <= LARGEST_EXACT ? (int64_t)number : INT64_MAX; }

static inline bool has_limit(int64_t limit) { return limit < INT64_MAX; }

/* Return the number of batches of an epoch of n_drawn rows, 0 if it depends on their lengths. */
static inline int64_t count_cut(const Cutting *cutting, int64_t n_drawn) {
  if (has_limit(cutting->max_tokens)) return 0;
  int64_t window = smaller(cutting->window, n_drawn);
  int64_t n_batches = n_drawn / window * quotient_up(window, cutting->batch_size);
  n_batches += quotient_up(n_drawn % window, cutting->batch_size);
  return quotient_up(n_batches, cutting->num_replicas) * cutting->num_replicas;
}

/* Say what determines how an epoch is cut: the number of batches, and whether their sizes are evened out, in place of
 * the replicas. With a limit of tokens or balanced steps, the replicas change the batches.
 */
static inline void identify_cutting(const Cutting *cutting, int64_t n_drawn, Identity *identity) {
  int64_t n_batches = count_cut(cutting, n_drawn);
  identity->has_unused_shares = (n_batches > 0 && !cutting->is_balanced) || cutting->num_replicas == 1;
  digest_number(&identity->n_batches, (double)n_batches);
  if (n_batches == 0 || cutting->lengths != NULL) return;
  bool is_full = n_batches == 1 || (n_drawn % n_batches == 0 && n_drawn / n_batches == cutting->batch_size);
  digest_number(&identity->n_batches, cutting->is_shared && !is_full);
}

/* Refuse a number of replicas for which a batch would be empty. */
static inline bool refuse_empty_batches(const char *got, int64_t n_drawn, double n_batches, Host *host) {
  return refuse(
      host, "num_replicas", got, "leave each batch a row: %lld are drawn for %.0f batches", (long long)n_drawn,
      n_batches
  );
}

/* Requests ------------------------------------------------------------------------------------------------------ */

/* Find out whether batches depend on lengths, which is the case if "max_tokens" or "window" is given. */
static inline bool read_by_length(const Parts *request, bool *by_length, Host *host) {
  *by_length = is_given(request, "max_tokens") || is_given(request, "window");
  if (*by_length == is_given(request, "lengths")) return true;
  if (!*by_length) return refuse(host, "lengths", NULL, "be given together with 'max_tokens' or 'window'");
  const char *name = is_given(request, "max_tokens") ? "max_tokens" : "window";
  return refuse(host, name, NULL, "be given together with 'lengths'");
}

/* Find out whether the batches of each step of the replicas shall have similar numbers of tokens; `shuffle` is whether
 * batches are shuffled.
 */
static inline bool read_replica_balance(
    const Parts *request, bool by_length, bool shuffle, bool *is_balanced, Host *host
) {
  static const char *const name = "balance_replicas";
  *is_balanced = false;
  if (is_given(request, name) && !read_flag(request, name, is_balanced, host)) return false;
  if (!*is_balanced) return true;
  if (!is_given(request, "num_replicas")) return refuse(host, name, NULL, "be given together with 'num_replicas'");
  if (!by_length) return refuse(host, name, NULL, "be given together with 'max_tokens' or 'window'");
  return shuffle || refuse(host, name, NULL, "be false if 'shuffle' is false");
}

/* Return the first row from `begin` on whose length is no whole number from 0, or `end`; raise `longest`. */
static inline int64_t first_wrong_length(const Part *lengths, int64_t begin, int64_t end, int32_t *longest) {
  if (lengths->type == DOUBLES) {
    const double *numbers = lengths->values;
    for (; begin < end; begin++) {
      double number = numbers[begin];
      if (!(number >= 0 && number <= (double)LARGEST_COUNT && (int32_t)number == number)) break;
      if (number > *longest) *longest = (int32_t)number;
    }
    return begin;
  }
  const int32_t *numbers = lengths->values;
  int32_t shortest = 0, most = *longest;
  for (int64_t row = begin; row < end; row++) {
    shortest = numbers[row] < shortest ? numbers[row] : shortest;
    most = numbers[row] > most ? numbers[row] : most;
  }
  *longest = most;
  if (shortest == 0) return end;
  while (numbers[begin] >= 0) begin++;
  return begin;
}

/* Refuse lengths that are not whole numbers from 0, one for each row; find the longest. */
static inline bool check_lengths(const Parts *request, int64_t n_rows, int32_t *longest, Host *host) {
  Part part = find_part(request, "lengths");
  bool is_kind = (part.type == INTEGERS || part.type == DOUBLES) && !part.is_single;
  bool is_right = is_kind && part.length == n_rows;
  for (int64_t begin = 0; is_right && begin < n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_rows), wrong = first_wrong_length(&part, begin, end, longest);
    is_right = wrong == end;
    if (!is_right) host->refusal.place = wrong + 1;
    if (!host->go_on(host)) return false;
  }
  if (is_right) return true;
  host->refusal.is_type = !is_kind;
  return refuse(
      host, "lengths", NULL, "be %lld whole numbers from 0 to %d, one for each example", (long long)n_rows,
      LARGEST_COUNT
  );
}

static inline double length_at(const Part *lengths, int64_t row) {
  if (lengths->type == INTEGERS) return ((const int32_t *)lengths->values)[row];
  return ((const double *)lengths->values)[row];
}

/* Refuse a limit of the tokens of a batch that is below the longest length. */
static inline bool refuse_too_long(
    const Parts *request, double max_tokens, int32_t longest, const char *way_out, Host *host
) {
  Part part = find_part(request, "lengths");
  int64_t n_longer = 0, first = 0;
  for (int64_t row = part.length - 1; row >= 0; row--) {
    if (length_at(&part, row) <= max_tokens) continue;
    n_longer += 1;
    first = row;
  }
  char shown[NUMBER];
  refuse(
      host, "max_tokens", number_read(request, "max_tokens", max_tokens, shown),
      "be at least %d, the length of the longest example", longest
  );
  return advise(
      host, "%lld example%s longer, the first at row position %lld, counted from %d.%s%s", (long long)n_longer,
      n_longer == 1 ? " is" : "s are", (long long)(first + host->first_row), host->first_row,
      way_out == NULL ? "" : " ", way_out == NULL ? "" : way_out
  );
}

/* What a user asks of the batches. */
typedef struct {
  double batch_size, num_replicas, max_tokens, window;
  bool by_length, is_balanced;
  const char *way_out; /* what else to do about rows that are too long, or NULL */
} CutRequest;

/* Read how epochs of a dataset of n_rows are cut; num_replicas is read already. */
static inline bool read_cut_limits(
    const Parts *request, int64_t n_rows, CutRequest *wanted, Cutting *cutting, Host *host
) {
  int32_t longest = 0;
  if (wanted->by_length && !check_lengths(request, n_rows, &longest, host)) return false;
  *cutting = (Cutting){INT64_MAX, as_limit(wanted->num_replicas), false, NULL, 0, INT64_MAX, INT64_MAX, true, false};
  bool has_tokens = is_given(request, "max_tokens");
  if (is_given(request, "batch_size") || !has_tokens) {
    if (!read_whole(request, "batch_size", 1, INFINITY, &wanted->batch_size, host)) return false;
    cutting->batch_size = as_limit(wanted->batch_size);
  }
  if (is_given(request, "window")) {
    if (!read_whole(request, "window", 1, LARGEST_COUNT, &wanted->window, host)) return false;
    cutting->window = (int64_t)wanted->window;
  }
  if (!has_tokens) return true;
  if (!read_whole(request, "max_tokens", 1, LARGEST_EXACT, &wanted->max_tokens, host)) return false;
  cutting->max_tokens = (int64_t)wanted->max_tokens;
  return wanted->max_tokens >= longest ||
         refuse_too_long(request, wanted->max_tokens, longest, wanted->way_out, host);
}

/* Refuse epochs of n_drawn rows if a batch would be empty. */
static inline bool check_cut_fits(
    const Parts *request, const CutRequest *wanted, const Cutting *cutting, int64_t n_drawn, Host *host
) {
  /* With a limit of tokens, there is at least a batch for each replica. */
  int64_t n_batches = has_limit(cutting->max_tokens) ? cutting->num_replicas : count_cut(cutting, n_drawn);
  if (n_batches <= n_drawn) return true;
  char shown[NUMBER];
  return refuse_empty_batches(
      number_read(request, "num_replicas", wanted->num_replicas, shown), n_drawn,
      has_limit(n_batches) ? (double)n_batches : wanted->num_replicas, host
  );
}

/* Read how epochs of n_drawn rows of a dataset of n_rows are cut; num_replicas is read already. */
static inline bool read_cut_request(
    const Parts *request, int64_t n_rows, int64_t n_drawn, CutRequest *wanted, Host *host
) {
  Cutting cutting;
  return read_cut_limits(request, n_rows, wanted, &cutting, host) &&
         check_cut_fits(request, wanted, &cutting, n_drawn, host);
}

static inline bool keep_lengths(const Parts *request, Host *host) {
  Part part = find_part(request, "lengths");
  if (part.type == INTEGERS) return host->keep(host, "lengths");
  int32_t *lengths = host->vector(host, "lengths", INTEGERS, part.length);
  if (lengths == NULL) return false;
  for (int64_t row = 0; row < part.length; row++) lengths[row] = (int32_t)((const double *)part.values)[row];
  return true;
}

/* Make a number a part of the recipe, if it is given. */
static inline bool keep_given(const Parts *request, const char *name, double number, Host *host) {
  return !is_given(request, name) || host->number(host, name, number);
}

/* Make parts of a recipe of the request. */
static inline bool keep_cut_request(const Parts *request, const CutRequest *wanted, Host *host) {
  return keep_given(request, "batch_size", wanted->batch_size, host) &&
         keep_given(request, "num_replicas", wanted->num_replicas, host) &&
         (!wanted->by_length || keep_lengths(request, host)) &&
         keep_given(request, "max_tokens", wanted->max_tokens, host) &&
         keep_given(request, "window", wanted->window, host) &&
         (!wanted->is_balanced || host->flag(host, "balance_replicas", true));
}

/* Read what is asked of a sampler that visits `sample` of `n` rows in an epoch. */
static inline bool read_sample_request(
    const Parts *request, double *n, double *sample, CutRequest *wanted, Host *host
) {
  *wanted = (CutRequest){0};
  return read_sharing(request, &wanted->num_replicas, host) &&
         read_whole(request, "n_rows", 1, LARGEST_COUNT, n, host) &&
         read_whole(request, "sample", 1, LARGEST_COUNT, sample, host) &&
         read_by_length(request, &wanted->by_length, host) &&
         read_replica_balance(request, wanted->by_length, true, &wanted->is_balanced, host) &&
         read_cut_request(request, (int64_t)*n, (int64_t)*sample, wanted, host);
}

static inline bool keep_sample_request(
    const Parts *request, double n, double sample, const CutRequest *wanted, Host *host
) {
  return host->number(host, "n_rows", n) && host->number(host, "sample", sample) &&
         keep_cut_request(request, wanted, host);
}

/* Recipes ------------------------------------------------------------------------------------------------------- */

/* Read a limit of a recipe; it remains what it is if it is not given. */
static inline bool read_limit(
    const Parts *recipe, const char *name, double least, double most, int64_t *limit, Host *host
) {
  double number;
  if (!is_given(recipe, name)) return true;
  if (!read_whole(recipe, name, least, most, &number, host)) return false;
  *limit = as_limit(number);
  return true;
}

/* Read the lengths of a recipe. */
static inline bool read_lengths(const Parts *recipe, int64_t n_rows, Cutting *cutting, Host *host) {
  Part part = find_part(recipe, "lengths");
  bool is_right = part.type == INTEGERS && part.length == n_rows;
  for (int64_t begin = 0; is_right && begin < n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_rows);
    is_right = first_wrong_length(&part, begin, end, &cutting->longest) == end;
    if (!host->go_on(host)) return false;
  }
  cutting->lengths = part.values;
  if (is_right) return true;
  return refuse_part(host, "lengths", "%lld integer%s from 0", (long long)n_rows, n_rows == 1 ? "" : "s");
}

static inline bool read_recipe_balance(const Parts *recipe, Cutting *cutting, Host *host) {
  static const char *const name = "balance_replicas";
  if (!is_given(recipe, name)) return true;
  if (!read_flag(recipe, name, &cutting->is_balanced, host)) return false;
  bool may_be = cutting->is_shared && cutting->lengths != NULL;
  return may_be || !cutting->is_balanced || refuse_part(host, name, "0");
}

/* Refuse more batches than rows. */
static inline bool check_cut_count(const Cutting *cutting, int64_t n_drawn, Host *host) {
  int64_t n_batches = count_cut(cutting, n_drawn);
  if (n_batches <= n_drawn) return true;
  char got[NUMBER];
  return refuse(
      host, "recipe", show_number((double)n_batches, got), "have at most %lld batches", (long long)n_drawn
  );
}

/* Read how a recipe cuts epochs of n_drawn rows of a dataset of n_rows; `recipe` outlives the result. */
static inline bool read_cutting(
    const Parts *recipe, int64_t n_rows, int64_t n_drawn, Cutting *cutting, Host *host
) {
  *cutting = (Cutting){INT64_MAX, 1, is_given(recipe, "num_replicas"), NULL, 0, INT64_MAX, INT64_MAX, true, false};
  bool has_tokens = is_given(recipe, "max_tokens");
  if (!read_limit(recipe, "num_replicas", 1, (double)n_drawn, &cutting->num_replicas, host)) return false;
  if (is_given(recipe, "lengths") || has_tokens || is_given(recipe, "window")) {
    if (!read_lengths(recipe, n_rows, cutting, host)) return false;
    double longest = cutting->longest > 1 ? cutting->longest : 1;
    if (!read_limit(recipe, "window", 1, LARGEST_COUNT, &cutting->window, host)) return false;
    if (!read_limit(recipe, "max_tokens", longest, LARGEST_EXACT, &cutting->max_tokens, host)) return false;
  }
  if (!read_recipe_balance(recipe, cutting, host)) return false;
  double size = INFINITY;
  if (is_given(recipe, "batch_size") || !has_tokens) {
    if (!read_whole(recipe, "batch_size", 1, INFINITY, &size, host)) return false;
  }
  cutting->batch_size = as_limit(size);
  return check_cut_count(cutting, n_drawn, host);
}

/* Read the recipe of a sampler that visits `sample` of `n` rows in an epoch; it outlives the result. */
static inline bool read_sample_recipe(
    const Parts *recipe, int64_t *n_rows, int64_t *n_drawn, Cutting *cutting, Host *host
) {
  return read_count(recipe, "n_rows", 1, LARGEST_COUNT, n_rows, host) &&
         read_count(recipe, "sample", 1, LARGEST_COUNT, n_drawn, host) &&
         read_cutting(recipe, *n_rows, *n_drawn, cutting, host);
}

/* Epochs -------------------------------------------------------------------------------------------------------- */

/* Make the offsets of batches in drawn order a result. */
static inline bool give_cut_offsets(const Cutting *cutting, int64_t n_drawn, Host *host) {
  int64_t n_batches = count_cut(cutting, n_drawn), size = smaller(cutting->batch_size, n_drawn);
  int64_t *offsets = host->vector(host, "offsets", LONGS, n_batches + 1);
  if (offsets == NULL) return false;
  if (cutting->is_shared) {
    int64_t each = n_drawn / n_batches, over = n_drawn % n_batches; /* batch b begins at b * n_drawn / n_batches */
    for (int64_t batch = 0; batch <= n_batches; batch++) offsets[batch] = batch * each + batch * over / n_batches;
  } else {
    for (int64_t batch = 0; batch <= n_batches; batch++) offsets[batch] = smaller(batch * size, n_drawn);
  }
  return true;
}

/* Sort and cut: fill `order`, and return the offsets of n_batches in memory of the call. */
static inline int64_t *cut_sorted(
    const Cutting *cutting, const int32_t *lengths, int64_t n_drawn, int32_t *order, int64_t *n_batches, Host *host
) {
  LengthLimits limits = {smaller(cutting->window, n_drawn), smaller(cutting->batch_size, n_drawn), cutting->max_tokens};
  int32_t *spare = host->memory(host, FOR_THE_CALL, n_drawn * (int64_t)sizeof *spare);
  if (spare == NULL) return NULL;
  if (!sort_by_length(lengths, n_drawn, limits.window, cutting->longest, order, spare, host)) return NULL;
  if (!cut_by_length(lengths, order, n_drawn, &limits, NULL, n_batches, host)) return NULL;
  int64_t *offsets = host->memory(host, FOR_THE_CALL, (*n_batches + 1) * (int64_t)sizeof *offsets);
  if (offsets == NULL || !cut_by_length(lengths, order, n_drawn, &limits, offsets, n_batches, host)) return NULL;
  offsets[*n_batches] = n_drawn;
  return offsets;
}

/* Split batches until their number is a multiple of the replicas; return the offsets, or NULL. */
static inline int64_t *split_for_replicas(
    const Cutting *cutting, int64_t *offsets, int64_t n_drawn, int64_t *n_batches, Host *host
) {
  int64_t n_parts = quotient_up(*n_batches, cutting->num_replicas) * cutting->num_replicas;
  if (n_parts == *n_batches) return offsets;
  if (n_parts > n_drawn) {
    char shown[NUMBER];
    refuse_empty_batches(show_number((double)cutting->num_replicas, shown), n_drawn, (double)n_parts, host);
    return NULL;
  }
  int64_t most_rows = find_largest_part(offsets, *n_batches, n_parts, n_drawn, host);
  if (most_rows == 0) return NULL;
  int64_t *parts = host->memory(host, FOR_THE_CALL, (n_parts + 1) * (int64_t)sizeof *parts);
  if (parts == NULL) return NULL;
  split_batches(offsets, *n_batches, most_rows, n_parts, parts);
  *n_batches = n_parts;
  return parts;
}

/* Cut drawn rows, given by their lengths, into batches by length; return the places of the drawn rows in the order of
 * the batches, in memory of the call, or NULL. The offsets are a result.
 */
static inline int32_t *cut_drawn(
    const Cutting *cutting, Generator *generator, const int32_t *lengths, int64_t n_drawn, Host *host
) {
  int64_t n_batches = 0;
  int32_t *order = host->memory(host, FOR_THE_CALL, 2 * n_drawn * (int64_t)sizeof *order);
  int64_t *begins = order == NULL ? NULL : cut_sorted(cutting, lengths, n_drawn, order, &n_batches, host);
  if (begins != NULL) begins = split_for_replicas(cutting, begins, n_drawn, &n_batches, host);
  int64_t *offsets = begins == NULL ? NULL : host->vector(host, "offsets", LONGS, n_batches + 1);
  if (offsets == NULL) return NULL;
  if (!cutting->shuffle) {
    memcpy(offsets, begins, (size_t)(n_batches + 1) * sizeof *offsets);
    return order;
  }
  const int32_t *shuffled =
      cutting->is_balanced
          ? draw_balanced_order(generator, lengths, order, begins, n_batches, cutting->num_replicas, host)
          : draw_epoch_order(generator, n_batches, host);
  int32_t *places = order + n_drawn;
  if (shuffled == NULL || !arrange_batches(order, begins, shuffled, n_batches, offsets, places, host)) return NULL;
  return places;
}

/* Return the lengths of drawn rows, numbers from 0 in one of both arrays, in memory of the call; or NULL. */
static inline int32_t *lengths_of_rows(
    const Cutting *cutting, const int32_t *narrow, const int64_t *wide, int64_t n_drawn, Host *host
) {
  int32_t *lengths = host->memory(host, FOR_THE_CALL, n_drawn * (int64_t)sizeof *lengths);
  for (int64_t begin = 0; lengths != NULL && begin < n_drawn; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_drawn);
    for (int64_t i = begin; i < end; i++) lengths[i] = cutting->lengths[wide == NULL ? narrow[i] : wide[i]];
    if (!host->go_on(host)) return NULL;
  }
  return lengths;
}

/* Return the number of batches by length of drawn rows, numbers from 0; 0 if that failed. */
static inline int64_t count_cut_rows(const Cutting *cutting, const int32_t *rows, int64_t n_drawn, Host *host) {
  int64_t n_batches = 0;
  const int32_t *lengths = lengths_of_rows(cutting, rows, NULL, n_drawn, host);
  int32_t *order = lengths == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_drawn * (int64_t)sizeof *order);
  int64_t *begins = order == NULL ? NULL : cut_sorted(cutting, lengths, n_drawn, order, &n_batches, host);
  if (begins == NULL || split_for_replicas(cutting, begins, n_drawn, &n_batches, host) == NULL) return 0;
  return n_batches;
}

/* Make drawn rows, numbers from 0 in one of both arrays, an epoch of batches by length. */
static inline bool give_cut_rows(
    const Cutting *cutting, Generator *generator, const int32_t *narrow, const int64_t *wide, int64_t n_drawn,
    Host *host
) {
  void *rows = host->vector(host, "rows", wide == NULL ? INTEGERS : LARGE, n_drawn);
  const int32_t *lengths = rows == NULL ? NULL : lengths_of_rows(cutting, narrow, wide, n_drawn, host);
  if (lengths == NULL) return false;
  const int32_t *places = cut_drawn(cutting, generator, lengths, n_drawn, host);
  if (places == NULL) return false;
  int32_t *narrow_rows = rows, first_row = host->first_row;
  int64_t *wide_rows = rows;
  for (int64_t begin = 0; begin < n_drawn; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_drawn);
    for (int64_t i = begin; wide == NULL && i < end; i++) narrow_rows[i] = narrow[places[i]] + first_row;
    for (int64_t i = begin; wide != NULL && i < end; i++) wide_rows[i] = wide[places[i]] + first_row;
    if (!host->go_on(host)) return false;
  }
  return true;
}

#endif
