/* Positions of rows that a user tells or asks about. */

#ifndef PYSTRAT_ROW_PLACES_H
#define PYSTRAT_ROW_PLACES_H

#include "recipe.h"

/* Refuse the value at a place of a part, which is the name of the parameter; return false. */
static inline bool refuse_at(Host *host, const char *name, int64_t place, const char *requirement) {
  refuse(host, name, NULL, "%s", requirement);
  host->refusal.place = place + 1;
  return false;
}

/* Write rows, counted from 0, for the values of a part from `begin` to before `end`, which are counted from `first`; -1
 * for those that are no numbers of rows. Return whether all are those of n_rows rows.
 */
static inline bool read_places_between(
    const Part *part, int64_t begin, int64_t end, int32_t first, int64_t n_rows, int64_t *places
) {
  const int32_t *integers = part->values;
  const int64_t *longs = part->values;
  const double *doubles = part->values;
  bool are_wrong = false;
  for (int64_t i = begin; part->type == INTEGERS && i < end; i++) places[i] = (int64_t)integers[i] - first;
  for (int64_t i = begin; part->type == LONGS && i < end; i++) places[i] = longs[i] < 0 ? -1 : longs[i] - first;
  for (int64_t i = begin; part->type == DOUBLES && i < end; i++) {
    bool is_row = doubles[i] >= first && doubles[i] < (double)n_rows + first && floor(doubles[i]) == doubles[i];
    places[i] = is_row ? (int64_t)doubles[i] - first : -1;
  }
  bool are_numbers = part->type == INTEGERS || part->type == LONGS || part->type == DOUBLES;
  for (int64_t i = begin; !are_numbers && i < end; i++) places[i] = -1;
  for (int64_t i = begin; i < end; i++) are_wrong |= (uint64_t)places[i] >= (uint64_t)n_rows;
  return !are_wrong;
}

/* Refuse the first of some places that is not one of n_rows rows. */
static inline void refuse_place(Host *host, const char *name, const int64_t *places, int64_t begin, int64_t n_rows) {
  while (places[begin] >= 0 && places[begin] < n_rows) begin++;
  refuse_at(host, name, begin, "be empty: there is no row");
  if (n_rows == 0) return;
  snprintf(
      host->refusal.requirement, SENTENCE, "hold row positions from %d to %lld, counted from %d", (int)host->first_row,
      (long long)n_rows - 1 + host->first_row, (int)host->first_row
  );
}

/* Read positions of rows, counted as the host does, from a part of this name; return them, counted from 0, in memory of
 * the call, or NULL.
 */
static inline int64_t *read_places(
    const Parts *told, const char *name, int64_t n_rows, int64_t *count, Host *host
) {
  Part part = find_part(told, name);
  int64_t *places = host->memory(host, FOR_THE_CALL, (part.length + 1) * (int64_t)sizeof *places);
  if (places == NULL) return NULL;
  *count = part.length;
  for (int64_t begin = 0; begin < part.length; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, part.length);
    if (!read_places_between(&part, begin, end, host->first_row, n_rows, places)) {
      refuse_place(host, name, places, begin, n_rows);
      return NULL;
    }
    if (end < part.length && !host->go_on(host)) return NULL;
  }
  return places;
}

#endif
