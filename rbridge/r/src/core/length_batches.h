/* Batches of rows of similar length, so that there is little padding.
 *
 * An epoch is n_rows drawn rows, in drawn order. `lengths` has the length of each, from 0, and an order contains places
 * of this epoch. Batches are made in four steps: sort_by_length() sorts within windows, cut_by_length() cuts windows
 * into batches, split_batches() splits some of them if their number must be a multiple, and arrange_batches() puts them
 * into a shuffled order. Long steps continue where the last call ended; their progress begins with zeros.
 */

#ifndef PYSTRAT_LENGTH_BATCHES_H
#define PYSTRAT_LENGTH_BATCHES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LENGTH_DIGIT_BITS = 8, LENGTH_DIGITS = 1 << LENGTH_DIGIT_BITS };

typedef struct {
  int64_t window;      /* consecutive rows that are sorted together, at least 1; the last window may be smaller */
  int64_t most_rows;   /* of a batch, at least 1 */
  int64_t most_tokens; /* of a batch: its rows times its longest row; at least the longest of all rows */
} LengthLimits;

typedef struct {
  int64_t begin; /* of the window */
  int64_t done;  /* places of the window that the pass has processed */
  int pass;      /* over the window, one for each digit of the lengths, lowest first */
  bool is_counted;
  int64_t begins[LENGTH_DIGITS]; /* where the next place with each digit goes, counted in the window */
} SortProgress;

/* The number of digits of lengths up to the longest, at least 1. */
static inline int count_length_digits(int32_t longest) {
  int digits = 1;
  for (uint32_t rest = (uint32_t)longest >> LENGTH_DIGIT_BITS; rest > 0; rest >>= LENGTH_DIGIT_BITS) digits++;
  return digits;
}

static inline uint32_t length_digit(int32_t length, int pass) {
  return ((uint32_t)length >> (pass * LENGTH_DIGIT_BITS)) & (LENGTH_DIGITS - 1);
}

/* Turn the numbers of places with each digit into the place where the first of each goes. */
static inline void begin_digits(int64_t *counts) {
  int64_t before = 0;
  for (int digit = 0; digit < LENGTH_DIGITS; digit++) {
    int64_t count = counts[digit];
    counts[digit] = before;
    before += count;
  }
}

/* Sort the places of each window by the lengths of their rows; places of equal lengths stay in drawn order.
 *
 * A radix sort of about `wanted` places per call; returns whether the order is complete. No length is above `longest`.
 * `order` and `spare` have room for n_rows places.
 */
static inline bool sort_by_length(
    const int32_t *lengths, int64_t n_rows, int64_t window, int32_t longest, int64_t wanted, SortProgress *progress,
    int32_t *order, int32_t *spare
) {
  int n_passes = count_length_digits(longest);
  while (wanted > 0 && progress->begin < n_rows) {
    int64_t begin = progress->begin;
    int64_t size = n_rows - begin < window ? n_rows - begin : window;
    int64_t end = size - progress->done < wanted ? size : progress->done + wanted;
    /* The passes alternate between the two arrays, and the last one ends in the order. */
    bool is_to_order = (n_passes - progress->pass) % 2 == 1;
    const int32_t *source = (is_to_order ? spare : order) + begin;
    int32_t *target = (is_to_order ? order : spare) + begin;
    for (int64_t i = progress->done; i < end; i++) {
      int32_t place = progress->pass == 0 ? (int32_t)(begin + i) : source[i];
      uint32_t digit = length_digit(lengths[place], progress->pass);
      if (progress->is_counted) {
        target[progress->begins[digit]++] = place;
      } else {
        progress->begins[digit]++;
      }
    }
    wanted -= end - progress->done;
    progress->done = end;
    if (end < size) continue;
    progress->done = 0;
    if (!progress->is_counted) {
      begin_digits(progress->begins);
      progress->is_counted = true;
      continue;
    }
    memset(progress->begins, 0, sizeof progress->begins);
    progress->is_counted = false;
    progress->pass += 1;
    if (progress->pass < n_passes) continue;
    progress->pass = 0;
    progress->begin += size;
  }
  return progress->begin >= n_rows;
}

typedef struct {
  int64_t place;     /* the next one in the order */
  int64_t begin;     /* of the batch of the place before it */
  int64_t n_batches; /* that have begun */
} CutProgress;

/* Cut the sorted rows before place `end` of the order into batches, each as large as the limits allow.
 *
 * No batch has rows of two windows, and an empty row counts as one of a token. Store where the batches begin,
 * progress->n_batches numbers in total, unless `offsets` is NULL.
 */
static inline void cut_by_length(
    const int32_t *lengths, const int32_t *order, int64_t end, const LengthLimits *limits, CutProgress *progress,
    int64_t *offsets
) {
  for (; progress->place < end; progress->place++) {
    int64_t rows = progress->place - progress->begin + 1;
    int64_t longest = lengths[order[progress->place]];
    if (longest < 1) longest = 1;
    bool is_first = progress->place % limits->window == 0;
    if (is_first || rows > limits->most_rows || rows * longest > limits->most_tokens) {
      progress->begin = progress->place;
      if (offsets != NULL) offsets[progress->n_batches] = progress->place;
      progress->n_batches += 1;
    }
  }
}

typedef struct {
  int64_t least, most; /* the result is between these; begin with 1 and n_rows */
  int64_t batch;       /* the next batch whose parts are counted */
  int64_t n_parts;     /* of the batches before it */
} SplitProgress;

/* The number of parts of a batch if none may have more than most_rows rows. */
static inline int64_t count_parts(const int64_t *offsets, int64_t batch, int64_t most_rows) {
  return (offsets[batch + 1] - offsets[batch] + most_rows - 1) / most_rows;
}

/* Find the least number of rows to which batches can be limited without making more than wanted_parts of them.
 *
 * It looks at about `wanted` batches per call, and returns whether progress->least is that number.
 */
static inline bool find_largest_part(
    const int64_t *offsets, int64_t n_batches, int64_t wanted_parts, int64_t wanted, SplitProgress *progress
) {
  while (wanted > 0 && progress->least < progress->most) {
    int64_t middle = progress->least + (progress->most - progress->least) / 2;
    int64_t end = n_batches - progress->batch < wanted ? n_batches : progress->batch + wanted;
    wanted -= end - progress->batch;
    for (; progress->batch < end; progress->batch++) progress->n_parts += count_parts(offsets, progress->batch, middle);
    if (end < n_batches) continue;
    if (progress->n_parts > wanted_parts) {
      progress->least = middle + 1;
    } else {
      progress->most = middle;
    }
    progress->batch = progress->n_parts = 0;
  }
  return progress->least == progress->most;
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

/* Append the batches `begin` to before `end` of the epoch to those before them: batch i is batch shuffled[i] of the
 * order.
 *
 * Fill their offsets, n_batches + 1 in total, and their places. The first offset is 0.
 */
static inline void arrange_batches(
    const int32_t *order, const int64_t *offsets, const int32_t *shuffled, int64_t begin, int64_t end,
    int64_t *epoch_offsets, int32_t *places
) {
  if (begin == 0) epoch_offsets[0] = 0;
  for (int64_t i = begin; i < end; i++) {
    int64_t first = offsets[shuffled[i]];
    int64_t rows = offsets[shuffled[i] + 1] - first;
    memcpy(places + epoch_offsets[i], order + first, (size_t)rows * sizeof(int32_t));
    epoch_offsets[i + 1] = epoch_offsets[i] + rows;
  }
}

#endif
