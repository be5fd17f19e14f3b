/* Numbers for values, in order of first appearance, and codes in the smallest type.
 *
 * The numbers of the values are found by a table of hashes that begins small. When it is half full, the caller brings a
 * larger one and goes on, so that few distinct values cost little however many rows there are.
 */

#ifndef PYSTRAT_NUMBERING_H
#define PYSTRAT_NUMBERING_H

#include <stdint.h>

#include "hashing.h"

/* A table of hashes and what it has found; the arrays are the caller's. */
typedef struct {
  int32_t *slots;    /* 2^bits numbers, -1 if a slot is free */
  int64_t *distinct; /* the values in the order of their numbers, room for 2^(bits - 1) */
  int64_t found;     /* distinct values so far, at most 2^(bits - 1) */
  int bits;          /* from 1 to 31 */
} NumberTable;

/* Make a new or larger table ready: clear its slots, then enter the values that were found before. */
static inline void enter_known(NumberTable *table) {
  uint64_t n_slots = UINT64_C(1) << table->bits;
  int shift = 64 - table->bits;
  for (uint64_t slot = 0; slot < n_slots; slot++) table->slots[slot] = -1;
  for (int64_t known = 0; known < table->found; known++) {
    uint64_t slot = slot_of(table->distinct[known], shift);
    while (table->slots[slot] >= 0) slot = (slot + 1) & (n_slots - 1);
    table->slots[slot] = (int32_t)known;
  }
}

/* Number the values of the rows from `begin` to before `end`, until the table is half full; return the first row that
 * is left.
 *
 * `codes` gets the number of each row's value, from 0. There are fewer than 2^31 rows.
 */
static inline int64_t number_rows(
    NumberTable *table, const int64_t *values, int64_t begin, int64_t end, int64_t *codes
) {
  uint64_t last = (UINT64_C(1) << table->bits) - 1;
  int64_t room = INT64_C(1) << (table->bits - 1);
  int shift = 64 - table->bits;
  int64_t row = begin;
  for (; row < end; row++) {
    int64_t value = values[row];
    uint64_t slot = slot_of(value, shift);
    int32_t number = table->slots[slot];
    while (number >= 0 && table->distinct[number] != value) {
      slot = (slot + 1) & last;
      number = table->slots[slot];
    }
    if (number < 0) {
      if (table->found == room) break;
      number = (int32_t)table->found;
      table->slots[slot] = number;
      table->distinct[number] = value;
      table->found += 1;
    }
    codes[row] = number;
  }
  return row;
}

/* Store the codes of the rows from `begin` to before `end` in a smaller type, and count them.
 *
 * `wide` has codes from 0 to n_codes - 1; a negative one is that of a dropped row, and becomes the last code. `codes`
 * is an array of uint8_t, uint16_t or int32_t, as code_bytes, 1, 2 or 4, says. `counts` has n_codes numbers, which are
 * added to.
 */
static inline void compact_codes(
    const int64_t *wide, int64_t begin, int64_t end, int64_t n_codes, int code_bytes, void *codes, int64_t *counts
) {
  for (int64_t row = begin; row < end; row++) {
    int64_t code = wide[row] >= 0 ? wide[row] : n_codes - 1;
    counts[code] += 1;
    if (code_bytes == 1) {
      ((uint8_t *)codes)[row] = (uint8_t)code;
    } else if (code_bytes == 2) {
      ((uint16_t *)codes)[row] = (uint16_t)code;
    } else {
      ((int32_t *)codes)[row] = (int32_t)code;
    }
  }
}

#endif
