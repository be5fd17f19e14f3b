/* Batches of rows of similar length, so that there is little padding.
 *
 * An epoch is n_rows drawn rows, in drawn order. `lengths` has the length of each, from 0, and an order contains places
 * of this epoch. Batches are made in four steps: sort_by_length() sorts within windows, cut_by_length() cuts windows
 * into batches, split_batches() splits some of them if their number must be a multiple, and arrange_batches() puts them
 * into a shuffled order, which may be that of draw_balanced_order(). They return false after an interrupt.
 */

#ifndef PYSTRAT_LENGTH_BATCHES_H
#define PYSTRAT_LENGTH_BATCHES_H

#include "epoch_order.h"
#include "sorting.h"

enum { LENGTH_DIGIT_BITS = 8, LENGTH_DIGITS = 1 << LENGTH_DIGIT_BITS };

typedef struct {
  int64_t window;      /* consecutive rows that are sorted together, at least 1; the last window may be smaller */
  int64_t most_rows;   /* of a batch, at least 1 */
  int64_t most_tokens; /* of a batch: its rows times its longest row; at least the longest of all rows */
} LengthLimits;

/* The number of digits of lengths up to the longest, at least 1. */
static inline int count_length_digits(int32_t longest) {
  int digits = 1;
  for (uint32_t rest = (uint32_t)longest >> LENGTH_DIGIT_BITS; rest > 0; rest >>= LENGTH_DIGIT_BITS) digits++;
  return digits;
}

static inline uint32_t length_digit(int32_t length, int pass) {
  return ((uint32_t)length >> (pass * LENGTH_DIGIT_BITS)) & (LENGTH_DIGITS - 1);
}

/* Sort places by one digit of the lengths of their rows, from `source` to `target`. */
static inline bool sort_by_length_digit(
    const int32_t *lengths, const int32_t *source, int64_t size, int pass, int32_t *target, Host *host
) {
  int64_t begins[LENGTH_DIGITS] = {0}, before = 0;
  for (int64_t i = 0; i < size; i++) {
    begins[length_digit(lengths[source[i]], pass)]++;
    if (!go_on_after(i, host)) return false;
  }
  for (int digit = 0; digit < LENGTH_DIGITS; digit++) {
    int64_t count = begins[digit];
    begins[digit] = before;
    before += count;
  }
  for (int64_t i = 0; i < size; i++) {
    target[begins[length_digit(lengths[source[i]], pass)]++] = source[i];
    if (!go_on_after(i, host)) return false;
  }
  return true;
}

/* Sort the places of each window by the lengths of their rows; places of equal lengths stay in drawn order.
 *
 * A radix sort. No length is above `longest`. `order` and `spare` have room for n_rows places.
 */
static inline bool sort_by_length(
    const int32_t *lengths, int64_t n_rows, int64_t window, int32_t longest, int32_t *order, int32_t *spare, Host *host
) {
  int n_passes = count_length_digits(longest);
  int64_t size, since = 0; /* the rows of small windows since the last call of go_on() */
  for (int64_t begin = 0; begin < n_rows; begin += size) {
    size = smaller(n_rows - begin, window);
    /* The passes alternate between the two arrays, and the last one ends in the order. */
    bool is_odd = n_passes % 2 == 1;
    int32_t *source = (is_odd ? spare : order) + begin, *target = (is_odd ? order : spare) + begin;
    for (int64_t i = 0; i < size; i++) source[i] = (int32_t)(begin + i);
    for (int pass = 0; pass < n_passes; pass++) {
      if (!sort_by_length_digit(lengths, source, size, pass, target, host)) return false;
      int32_t *sorted = target;
      target = source;
      source = sorted;
      if (!may_go_on(&since, size, host)) return false;
    }
  }
  return true;
}

/* Cut the sorted rows into batches, each as large as the limits allow; count them.
 *
 * No batch has rows of two windows, and an empty row counts as one of a token. Store where the batches begin, unless
 * `offsets` is NULL.
 */
static inline bool cut_by_length(
    const int32_t *lengths, const int32_t *order, int64_t n_rows, const LengthLimits *limits, int64_t *offsets,
    int64_t *n_batches, Host *host
) {
  int64_t begin = 0; /* of the batch of the place before */
  *n_batches = 0;
  for (int64_t place = 0; place < n_rows; place++) {
    int64_t rows = place - begin + 1, longest = lengths[order[place]];
    if (longest < 1) longest = 1;
    bool is_first = place % limits->window == 0;
    if (is_first || rows > limits->most_rows || rows * longest > limits->most_tokens) {
      begin = place;
      if (offsets != NULL) offsets[*n_batches] = place;
      *n_batches += 1;
    }
    if (!go_on_after(place, host)) return false;
  }
  return true;
}

/* The number of parts of a batch if none may have more than most_rows rows. */
static inline int64_t count_parts(const int64_t *offsets, int64_t batch, int64_t most_rows) {
  return (offsets[batch + 1] - offsets[batch] + most_rows - 1) / most_rows;
}

/* Return the least number of rows, at most `most`, to which batches can be limited without making more than n_parts of
 * them; 0 after an interrupt.
 */
static inline int64_t find_largest_part(
    const int64_t *offsets, int64_t n_batches, int64_t n_parts, int64_t most, Host *host
) {
  int64_t least = 1;
  while (least < most) {
    int64_t middle = least + (most - least) / 2, found = 0;
    for (int64_t batch = 0; batch < n_batches; batch++) {
      found += count_parts(offsets, batch, middle);
      if (!go_on_after(batch, host)) return 0;
    }
    if (found > n_parts) {
      least = middle + 1;
    } else {
      most = middle;
    }
  }
  return least;
}

/* Split batches into parts whose sizes differ by at most 1, so that there are n_parts, at most as many as rows.
 *
 * `most_rows` is the result of find_largest_part() for n_parts. Batches with more rows are split; parts that are still
 * missing come from the first batches that have more parts if one row less is allowed. Fill n_parts + 1 offsets.
 */
static inline void split_batches(
    const int64_t *offsets, int64_t n_batches, int64_t most_rows, int64_t n_parts, int64_t *parts
) {
  int64_t missing = n_parts;
  for (int64_t batch = 0; batch < n_batches; batch++) missing -= count_parts(offsets, batch, most_rows);
  int64_t filled = 0;
  for (int64_t batch = 0; batch < n_batches; batch++) {
    int64_t rows = offsets[batch + 1] - offsets[batch];
    int64_t count = count_parts(offsets, batch, most_rows);
    int64_t further = most_rows > 1 ? count_parts(offsets, batch, most_rows - 1) - count : 0;
    if (further > missing) further = missing;
    missing -= further;
    count += further;
    for (int64_t part = 0; part < count; part++) parts[filled++] = offsets[batch] + part * rows / count;
  }
  parts[filled] = offsets[n_batches];
}

/* Find the tokens of each batch, including padding; return the most. The rows of a batch are sorted by length. */
static inline int64_t find_padded_tokens(
    const int32_t *lengths, const int32_t *order, const int64_t *offsets, int64_t n_batches, int64_t *tokens
) {
  int64_t most = 0;
  for (int64_t batch = 0; batch < n_batches; batch++) {
    int64_t longest = lengths[order[offsets[batch + 1] - 1]];
    tokens[batch] = (offsets[batch + 1] - offsets[batch]) * (longest > 1 ? longest : 1);
    if (tokens[batch] > most) most = tokens[batch];
  }
  return most;
}

/* Draw an order of batches, whose number is a multiple of n_replicas, in which the batches of each step of the replicas
 * have similar numbers of tokens; return it in memory of the call, or NULL.
 *
 * Batches are sorted by tokens, equal ones in the order of their rows, and each n_replicas consecutive ones are a step.
 * The order of the steps is R's sample.int(number of steps), and that within each of them sample.int(n_replicas), so
 * that no replica always has the largest batch.
 */
static inline int32_t *draw_balanced_order(
    Generator *generator, const int32_t *lengths, const int32_t *order, const int64_t *offsets, int64_t n_batches,
    int64_t n_replicas, Host *host
) {
  int64_t *tokens = host->memory(host, FOR_THE_CALL, n_batches * (int64_t)sizeof *tokens);
  int32_t *places = tokens == NULL ? NULL : host->memory(host, FOR_THE_CALL, 2 * n_batches * (int64_t)sizeof *places);
  if (places == NULL) return NULL;
  int64_t most = find_padded_tokens(lengths, order, offsets, n_batches, tokens), n_steps = n_batches / n_replicas;
  int64_t bits = bits_below((uint64_t)most + 1), since = 0;
  int32_t *sorted = sort_places(tokens, places, places + n_batches, n_batches, bits, host);
  const int32_t *steps = sorted == NULL ? NULL : draw_epoch_order(generator, n_steps, host);
  if (steps == NULL) return NULL;
  int32_t *balanced = sorted == places ? places + n_batches : places;
  for (int64_t step = 0; step < n_steps; step++) {
    int32_t *batches = sorted + steps[step] * n_replicas;
    take_rows(generator, batches, (uint32_t)n_replicas, (uint32_t)n_replicas, balanced + step * n_replicas);
    if (!may_go_on(&since, n_replicas, host)) return NULL;
  }
  return balanced;
}

/* Put the batches into an order: batch i of the epoch is batch shuffled[i] of the sorted ones.
 *
 * Fill their offsets, n_batches + 1 in total, and their places.
 */
static inline bool arrange_batches(
    const int32_t *order, const int64_t *offsets, const int32_t *shuffled, int64_t n_batches, int64_t *epoch_offsets,
    int32_t *places, Host *host
) {
  epoch_offsets[0] = 0;
  for (int64_t i = 0; i < n_batches; i++) {
    int64_t first = offsets[shuffled[i]];
    int64_t rows = offsets[shuffled[i] + 1] - first;
    memcpy(places + epoch_offsets[i], order + first, (size_t)rows * sizeof(int32_t));
    epoch_offsets[i + 1] = epoch_offsets[i] + rows;
    if (!go_on_after(i, host)) return false;
  }
  return true;
}

/* Put the batches of an epoch, in place, into an order that continues the draws of the epoch: batch i is the one that
 * R's sample.int(n_batches)[i] names. Return this order, or NULL. Else a stratum of fewer rows than batches could be in
 * the same batches of every epoch.
 */
static inline const int32_t *permute_batches(
    Generator *generator, int64_t n_batches, int64_t *offsets, int32_t *rows, Host *host
) {
  int64_t n_rows = offsets[n_batches];
  const int32_t *order = draw_epoch_order(generator, n_batches, host);
  int64_t *begins = order == NULL ? NULL : host->memory(host, FOR_THE_CALL, (n_batches + 1) * (int64_t)sizeof *begins);
  int32_t *drawn = begins == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof *drawn);
  if (drawn == NULL) return NULL;
  memcpy(begins, offsets, (size_t)(n_batches + 1) * sizeof *begins);
  memcpy(drawn, rows, (size_t)n_rows * sizeof *drawn);
  return arrange_batches(drawn, begins, order, n_batches, offsets, rows, host) ? order : NULL;
}

#endif
