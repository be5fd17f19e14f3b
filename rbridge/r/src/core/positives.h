/* The positives of a table of users and items: pairs that were observed.
 *
 * A cell is user * n_items + item. The cells of positives are doubles, as in recipes: the distinct ones, sorted, then
 * those that are repeated, also sorted, each as often as it is repeated.
 */

#ifndef PYSTRAT_POSITIVES_H
#define PYSTRAT_POSITIVES_H

#include "random.h"
#include "recipe.h"
#include "sorting.h"

enum { FULL_ERROR, FULL_SKIP, FULL_CHOICES };

/* The largest number of cells: pair numbers, twice as many, must fit into doubles. */
static const int64_t most_cells = INT64_C(1) << 52;

typedef struct {
  const double *cells; /* n_positives */
  int64_t n_positives, n_distinct, n_users, n_items;
} Positives;

static inline int64_t user_of(const Positives *positives, int64_t i) {
  return (int64_t)positives->cells[i] / positives->n_items;
}

/* The codes of the users of positives, or of the items. */
typedef struct {
  const double *codes; /* from the host's first row on */
  int64_t length, limit;
} Side;

/* Refuse the first code that is not whole, or else that at `place`, which is beyond the limits. */
static inline bool refuse_code(
    const char *name, const Side *side, int64_t place, double largest, bool has_limit, Host *host
) {
  bool is_whole = true;
  for (int64_t i = 0; is_whole && i < side->length; i++) {
    is_whole = floor(side->codes[i]) == side->codes[i];
    if (!is_whole) place = i;
  }
  if (is_whole) {
    refuse(host, name, NULL, "hold codes from %d to %.0f", (int)host->first_row, largest);
  } else {
    refuse(host, name, NULL, "hold codes, integers from %d", (int)host->first_row);
  }
  host->refusal.place = place + 1;
  return !(is_whole && has_limit) && advise(host, "Ids are text or categories, in R a factor.");
}

/* Read the codes `name`, and their limit, which by default is the largest code plus one. */
static inline bool read_side(const Parts *request, const char *name, const char *limit, Side *side, Host *host) {
  Part part = find_part(request, name);
  bool has_limit = is_given(request, limit);
  double first = host->first_row, most = LARGEST_COUNT, largest = first;
  if (has_limit && !read_whole(request, limit, 1, LARGEST_COUNT, &most, host)) return false;
  if (part.type != DOUBLES || part.length < 1 || part.length > LARGEST_COUNT) {
    return refuse(host, name, NULL, "have codes, one for each positive");
  }
  most += first - 1;
  *side = (Side){.codes = part.values, .length = part.length};
  for (int64_t begin = 0, end; begin < part.length; begin = end) {
    end = smaller(begin + GO_ON_ROWS, part.length);
    for (int64_t i = begin; i < end; i++) {
      double code = side->codes[i];
      bool is_code = code >= first && code <= most && (double)(int64_t)code == code;
      if (!is_code) return refuse_code(name, side, i, most, has_limit, host);
      if (code > largest) largest = code;
    }
    if (!host->go_on(host)) return false;
  }
  side->limit = (int64_t)((has_limit ? most : largest) - first) + 1;
  return true;
}

/* Make the cells of codes, in memory of the call. */
static inline bool make_cells(const Side *users, const Side *items, Positives *positives, Host *host) {
  int64_t count = users->length, n_items = items->limit, first = host->first_row;
  int64_t *numbers = host->memory(host, FOR_THE_CALL, 2 * count * (int64_t)sizeof *numbers);
  if (numbers == NULL) return false;
  for (int64_t i = 0; i < count; i++) {
    numbers[i] = ((int64_t)users->codes[i] - first) * n_items + (int64_t)items->codes[i] - first;
  }
  int64_t bits = bits_below((uint64_t)(users->limit * n_items));
  int64_t *sorted = sort_naturals(numbers, numbers + count, count, bits, host);
  if (sorted == NULL) return false;
  double *cells = (double *)(void *)(sorted == numbers ? numbers + count : numbers);
  int64_t n_distinct = 1, n_repeated = 0;
  for (int64_t i = 1; i < count; i++) n_distinct += sorted[i] != sorted[i - 1];
  cells[0] = (double)sorted[0];
  for (int64_t i = 1; i < count; i++) {
    bool is_repeated = sorted[i] == sorted[i - 1];
    cells[is_repeated ? n_distinct + n_repeated : i - n_repeated] = (double)sorted[i];
    n_repeated += is_repeated;
  }
  *positives = (Positives){cells, count, n_distinct, users->limit, n_items};
  return true;
}

/* Read the positives of a request, from the codes of their users and items. */
static inline bool plan_positives(const Parts *request, Positives *positives, Host *host) {
  Side users = {.codes = NULL}, items = users;
  char got[SENTENCE];
  if (!read_side(request, "users", "n_users", &users, host)) return false;
  if (!read_side(request, "items", "n_items", &items, host)) return false;
  if (users.length != items.length) {
    show_count(items.length, "value", got);
    return refuse(host, "items", got, "have one value for each user code, %lld", (long long)users.length);
  }
  if (items.limit > most_cells / users.limit) {
    snprintf(got, SENTENCE, "%lld", (long long)items.limit);
    return refuse(
        host, "n_items", got, "be at most %lld with %lld users, so that pair numbers stay below 2^53",
        (long long)(most_cells / users.limit), (long long)users.limit
    );
  }
  return make_cells(&users, &items, positives, host);
}

/* Check that cells are sorted, and that those which are repeated occur before. */
static inline bool check_cells(Positives *positives, Host *host) {
  const double *cells = positives->cells;
  double n_cells = (double)(positives->n_users * positives->n_items);
  int64_t n_distinct = 0, found = 0; /* where the cell that is repeated is among the distinct ones */
  for (int64_t begin = 0, end; begin < positives->n_positives; begin = end) {
    end = smaller(begin + GO_ON_ROWS, positives->n_positives);
    for (int64_t i = begin; i < end; i++) {
      double cell = cells[i];
      bool is_right = cell >= 0 && cell < n_cells && (double)(int64_t)cell == cell;
      if (is_right && n_distinct == i && (i == 0 || cell > cells[i - 1])) {
        n_distinct += 1;
      } else if (is_right) {
        while (found < n_distinct && cells[found] < cell) found++;
        is_right = found < n_distinct && cells[found] == cell;
      }
      if (!is_right) {
        return refuse(
            host, "recipe", "others", "have cells of the table as 'cells', sorted, then those that are repeated"
        );
      }
    }
    if (!host->go_on(host)) return false;
  }
  positives->n_distinct = n_distinct;
  return true;
}

/* Read the positives of a recipe. */
static inline bool read_positives(const Parts *recipe, Positives *positives, Host *host) {
  int64_t n_users, n_items;
  if (!read_count(recipe, "n_users", 1, LARGEST_COUNT, &n_users, host)) return false;
  int64_t most = smaller(LARGEST_COUNT, most_cells / n_users);
  if (!read_count(recipe, "n_items", 1, (double)most, &n_items, host)) return false;
  Part part = find_part(recipe, "cells");
  if (part.type != DOUBLES || part.length < 1 || part.length > LARGEST_COUNT) {
    return refuse_part(host, "cells", "doubles, one for each positive");
  }
  *positives = (Positives){part.values, part.length, 0, n_users, n_items};
  return check_cells(positives, host);
}

/* Find where the distinct cells of each user begin, and the end of the last one's. */
static inline bool fill_user_starts(const Positives *positives, int64_t *starts, Host *host) {
  int64_t n_users = positives->n_users, user = 0;
  for (int64_t i = 0; i < positives->n_distinct; i++) {
    for (int64_t of_cell = user_of(positives, i); user <= of_cell; user++) starts[user] = i;
  }
  for (; user <= n_users; user++) starts[user] = positives->n_distinct;
  return host->go_on(host);
}

/* Return them in memory of the call; or NULL. */
static inline int64_t *starts_of_users(const Positives *positives, Host *host) {
  int64_t *starts = host->memory(host, FOR_THE_CALL, (positives->n_users + 1) * (int64_t)sizeof *starts);
  return starts != NULL && fill_user_starts(positives, starts, host) ? starts : NULL;
}

/* Make them in memory of the instance, which is NULL at first. */
static inline bool make_user_starts(const Positives *positives, int64_t **starts, Host *host) {
  *starts = lasting_memory(*starts, (positives->n_users + 1) * (int64_t)sizeof **starts, host);
  return *starts != NULL && fill_user_starts(positives, *starts, host);
}

/* The items that can be drawn for a user; `starts` is NULL if positives may be drawn. */
static inline int64_t free_items(const Positives *positives, const int64_t *starts, int64_t user) {
  return positives->n_items - (starts == NULL ? 0 : starts[user + 1] - starts[user]);
}

/* Count the positives of each user, including repeated ones, and set `starts` to where the different ones begin, both
 * in memory of the call; return NULL if there is no memory.
 */
static inline int64_t *count_positives(const Positives *positives, int64_t **starts, Host *host) {
  int64_t n_users = positives->n_users;
  *starts = starts_of_users(positives, host);
  int64_t *counts = *starts == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_users * (int64_t)sizeof *counts);
  if (counts == NULL) return NULL;
  for (int64_t user = 0; user < n_users; user++) counts[user] = (*starts)[user + 1] - (*starts)[user];
  for (int64_t i = positives->n_distinct; i < positives->n_positives; i++) counts[user_of(positives, i)] += 1;
  return host->go_on(host) ? counts : NULL;
}

/* Add to the results what all recipes of observed pairs have. */
static inline bool keep_observed(const Positives *positives, int64_t n_batches, Host *host) {
  return host->number(host, "n_users", (double)positives->n_users) &&
         host->number(host, "n_items", (double)positives->n_items) &&
         host->number(host, "n_batches", (double)n_batches);
}

/* Read what happens to users without a free item. */
static inline bool read_full_users(const Parts *request, int *choice, Host *host) {
  static const char *const choices[] = {"error", "skip"};
  return read_choice(request, "full_users", choices, FULL_CHOICES, choice, host);
}

/* Find the users without a free item, whose counts become 0: refuse them, or, if they are skipped, only if all users
 * with positives are like that.
 */
static inline bool skip_full_users(
    const Positives *positives, const int64_t *starts, bool skips, int64_t *counts, int64_t *n_skipped, Host *host
) {
  int64_t n_full = 0, n_users = 0, first = 0;
  for (int64_t user = 0; user < positives->n_users; user++) {
    n_users += counts[user] > 0;
    if (counts[user] == 0 || free_items(positives, starts, user) > 0) continue;
    if (n_full++ == 0) first = user;
    counts[user] = 0;
  }
  *n_skipped = n_full;
  char shown[NUMBER], got[SENTENCE];
  if (n_full > 0 && !skips) {
    snprintf(got, SENTENCE, "%s without one, the first of them user {name},", show_count(n_full, "user", shown));
    host->refusal.stratum = first;
    refuse(host, "items", got, "leave each user an item that is not a positive");
    return advise(host, "Leave such users out, or set 'full_users' to 'skip'.");
  }
  if (n_full == 0 || n_full < n_users) return true;
  snprintf(got, SENTENCE, "%s with positives, all without one,", show_count(n_full, "user", shown));
  return refuse(host, "items", got, "leave some user an item that is not a positive");
}

/* Refuse to draw more different items for a user than there are. */
static inline bool refuse_beyond(
    const Positives *positives, const int64_t *starts, int64_t user, int64_t count, Host *host
) {
  char drawn[NUMBER], there[NUMBER], got[SENTENCE];
  show_count(count, "negative", drawn);
  show_count(free_items(positives, starts, user), "item", there);
  snprintf(got, SENTENCE, "true and %s for user {name}, of %s,", drawn, there);
  host->refusal.stratum = user;
  return refuse(host, "unique", got, "be false for more negatives of a user than there are items to draw from");
}

/* Choose the number of batches of `total`, such that `fewest` are enough for one in each batch. */
static inline bool choose_batches(
    const Parts *request, int64_t total, int64_t fewest, double batch_size, double num_replicas,
    const char *for_replicas, const char *for_size, int64_t *n_batches, Host *host
) {
  int64_t size = batch_size < (double)total ? (int64_t)batch_size : total;
  int64_t replicas = limited(num_replicas);
  int64_t least = (total + size - 1) / size, most = fewest - fewest % replicas;
  *n_batches = (least + replicas - 1) / replicas * replicas;
  if (*n_batches <= fewest) return true;
  char shown[NUMBER];
  if (most == 0) {
    const char *got = number_read(request, "num_replicas", num_replicas, shown);
    return refuse(host, "num_replicas", got, "be at most %lld, %.400s", (long long)fewest, for_replicas);
  }
  const char *got = number_read(request, "batch_size", batch_size, shown);
  return refuse(host, "batch_size", got, "be at least %lld, %.400s", (long long)((total + most - 1) / most), for_size);
}

#endif
