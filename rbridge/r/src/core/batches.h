/* The batches of one part of an epoch: first, first + step, ..., such as those of one of several processes.
 *
 * An epoch is its rows, batch after batch, and n_batches + 1 offsets, where each batch begins and where the last one
 * ends. `first` is not negative, and `step` is positive.
 */

#ifndef PYSTRAT_BATCHES_H
#define PYSTRAT_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The number of batches in the part. */
static inline int64_t part_length(int64_t n_batches, int64_t first, int64_t step) {
  return first < n_batches ? (n_batches - 1 - first) / step + 1 : 0;
}

/* Whether a batch lies within an epoch of n_rows rows, whatever its offsets are. */
static inline bool batch_is_within(const int64_t *offsets, int64_t batch, int64_t n_rows) {
  return 0 <= offsets[batch] && offsets[batch] <= offsets[batch + 1] && offsets[batch + 1] <= n_rows;
}

/* Fill the part's own offsets, of part_length() + 1 numbers; return the first batch outside of the epoch, or -1.
 *
 * The offsets of the epoch may be invalid. The part's offsets after such a batch are not filled.
 */
static inline int64_t fill_part_offsets(
    const int64_t *offsets, int64_t n_batches, int64_t n_rows, int64_t first, int64_t step, int64_t *part_offsets
) {
  int64_t length = part_length(n_batches, first, step);
  part_offsets[0] = 0;
  for (int64_t place = 0; place < length; place++) {
    int64_t batch = first + place * step;
    if (!batch_is_within(offsets, batch, n_rows)) return batch;
    part_offsets[place + 1] = part_offsets[place] + offsets[batch + 1] - offsets[batch];
  }
  return -1;
}

/* Copy the rows of the part's batches from `begin` to before `end`, counted in the part.
 *
 * A row takes `item_size` bytes in `rows` and `part_rows`. The part's offsets must come from a fill_part_offsets() that
 * returned -1.
 */
static inline void copy_part(
    const void *rows, size_t item_size, const int64_t *offsets, int64_t first, int64_t step,
    const int64_t *part_offsets, int64_t begin, int64_t end, void *part_rows
) {
  for (int64_t place = begin; place < end; place++) {
    size_t size = (size_t)(part_offsets[place + 1] - part_offsets[place]) * item_size;
    if (size == 0) continue; /* memcpy() does not allow a null pointer, which an empty array may be */
    const char *source = (const char *)rows + (size_t)offsets[first + place * step] * item_size;
    memcpy((char *)part_rows + (size_t)part_offsets[place] * item_size, source, size);
  }
}

#endif
