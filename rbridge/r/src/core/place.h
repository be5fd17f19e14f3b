/* The state of recipes whose batches are drawn one after another, besides what feedback changes. */

#ifndef PYSTRAT_PLACE_H
#define PYSTRAT_PLACE_H

#include "random.h"
#include "recipe.h"

/* Check the words of a generator, if there are any: the position first, then STATE_SIZE words. */
static inline bool check_words(const Parts *given, const char *name, Host *host) {
  Part words = find_part(given, name);
  if (words.type == NOTHING) return true;
  bool is_right = words.type == INTEGERS && words.length == STATE_SIZE + 1;
  int32_t position = is_right ? *(const int32_t *)words.values : -1;
  if (position >= 0 && position <= STATE_SIZE) return true;
  return refuse_part(host, name, "the %d words of a generator", STATE_SIZE + 1);
}

/* Refuse the number of weights or priorities of a recipe, or of a state that is loaded; return false. */
static inline bool refuse_row_values(
    const Parts *given, const Part *values, int64_t fewest, int64_t most, Host *host
) {
  char range[2 * NUMBER], shown[NUMBER];
  snprintf(range, sizeof range, "from %lld to %lld", (long long)fewest, (long long)most);
  if (fewest == most) snprintf(range, sizeof range, "%lld", (long long)most);
  if (given->is_recipe) return refuse_part(host, values->name, "%s doubles", range);
  return refuse(host, "state", show_count(values->length, "value", shown), "hold %s %s", range, values->name);
}

/* Check the place in an epoch at which a sampler was resumed, if there is one: the epoch, the number of its batches
 * that are done, the rows that were drawn beyond them, from 0, and the words of the generator after these.
 */
static inline bool check_place(
    const Parts *given, int64_t batch_size, int64_t n_batches, int64_t n_rows, Host *host
) {
  static const char *const names[] = {"epoch", "batch", "drawn", "generator"};
  double number;
  int n_given = 0;
  if (!check_words(given, "sample_generator", host)) return false;
  for (int i = 0; i < 4; i++) n_given += is_given(given, names[i]);
  if (n_given == 0) return true;
  if (n_given < 4) {
    return refuse(
        host, "recipe", "another state", "have a place in an epoch as 'epoch', 'batch', 'drawn', 'generator'"
    );
  }
  if (!read_whole(given, "epoch", 0, LARGEST_EPOCH, &number, host)) return false;
  if (!read_whole(given, "batch", 0, (double)n_batches, &number, host)) return false;
  if (!check_words(given, "generator", host)) return false;
  Part drawn = find_part(given, "drawn");
  if (drawn.type != INTEGERS || drawn.length % batch_size != 0) {
    return refuse_part(host, "drawn", "whole batches of integers");
  }
  const int32_t *rows = drawn.values;
  for (int64_t i = 0; i < drawn.length; i++) {
    if (rows[i] >= 0 && rows[i] < n_rows) continue;
    refuse_part(host, "drawn", "rows from 0 to %lld", (long long)n_rows - 1);
    host->refusal.place = i + 1;
    return false;
  }
  return true;
}

#endif
