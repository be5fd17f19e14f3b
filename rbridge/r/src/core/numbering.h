/* Numbers for values, in order of first appearance, and codes in the smallest type.
 *
 * The numbers of the values are found with a hash table that begins small. When it is half full, the caller provides a
 * larger one and continues, so that few distinct values cost little, whatever the number of rows.
 *
 * Values can be chosen so that all of them want the same slot. So a table counts the slots in which a search finds
 * another value. If they are far more than for any usual values, the caller sorts the rows instead, which takes the
 * same time for all values.
 */

#ifndef PYSTRAT_NUMBERING_H
#define PYSTRAT_NUMBERING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hashing.h"

/* A hash table and what it has found; the caller owns the arrays. */
typedef struct {
  int32_t *slots;    /* 2^bits numbers, -1 if a slot is free */
  int64_t *distinct; /* the values in the order of their numbers, room for 2^(bits - 1) */
  int64_t found;     /* distinct values so far, at most 2^(bits - 1) */
  int64_t entered;   /* the number of them that are in this table */
  int64_t collided;  /* slots in which searches found another value, in all tables so far */
  int bits;          /* from 1 to 31 */
} NumberTable;

enum { MOST_COLLISIONS = 32 }; /* in a search, on average; usual values have less than one */

/* Begin without a table; the caller sets `bits` for its first size. */
static inline void begin_numbers(NumberTable *table) { table->found = table->entered = table->collided = 0; }

/* Whether too many values collide, so that the rows should be sorted instead. `n_rows` is the number of all values. */
static inline bool is_flooded(const NumberTable *table, int64_t n_rows) {
  return table->collided > MOST_COLLISIONS * (n_rows + 1024);
}

/* Clear the slots of a new or larger table, which the caller has set together with `bits`. */
static inline void clear_slots(NumberTable *table) {
  memset(table->slots, 0xFF, sizeof(int32_t) << table->bits); /* -1 everywhere */
  table->entered = 0;
}

/* Enter at most at_most of the values that were found before into a larger table; return whether all are entered. */
static inline bool enter_known(NumberTable *table, int64_t at_most) {
  uint64_t last = (UINT64_C(1) << table->bits) - 1;
  int shift = 64 - table->bits;
  int64_t end = table->found - table->entered < at_most ? table->found : table->entered + at_most;
  for (; table->entered < end; table->entered++) {
    uint64_t slot = slot_of(table->distinct[table->entered], shift);
    for (; table->slots[slot] >= 0; table->collided++) slot = (slot + 1) & last;
    table->slots[slot] = (int32_t)table->entered;
  }
  return table->entered == table->found;
}

/* Number the values of the rows from `begin` to before `end`, until the table is half full; return the first row that
 * is left.
 *
 * `codes` gets the number of each row's value, from 0. There are fewer than 2^31 rows. All values that were found before
 * are entered.
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
      table->collided++;
    }
    if (number < 0) {
      if (table->found == room) break;
      number = (int32_t)table->found;
      table->slots[slot] = number;
      table->distinct[number] = value;
      table->found += 1;
      table->entered += 1;
    }
    codes[row] = number;
  }
  return row;
}

/* Rows that are first sorted by their values, byte after byte from the lowest on, and then numbered. */
typedef struct {
  const int64_t *values; /* n_rows, the caller's */
  int64_t n_rows;        /* below 2^31 */
  int32_t *rows;         /* scratch: n_rows, finally the rows in the order of their values, equal ones in order */
  int32_t *before;       /* scratch: n_rows */
  int64_t *codes;        /* n_rows: the result, the number of each row's value, from 0 */
  int64_t *distinct;     /* the values in the order of their numbers; room for n_rows */
  int64_t found;         /* their number */
  int pass;              /* the progress, from here on */
  int64_t place;
  int64_t places[256];
} NumberSorting;

enum { SORT_PASSES = 8, MARK_FIRST_ROWS = SORT_PASSES, NUMBER_FIRST_ROWS, NUMBER_OTHER_ROWS, NUMBERS_SORTED };

/* The byte of a row's value by which a pass sorts. */
static inline uint8_t sorted_byte(const NumberSorting *sorting, int64_t row) {
  return (uint8_t)((uint64_t)sorting->values[row] >> (8 * sorting->pass));
}

/* Begin to sort; the caller has set the fields up to `distinct`. */
static inline void begin_sorting(NumberSorting *sorting) {
  for (int64_t row = 0; row < sorting->n_rows; row++) sorting->rows[row] = (int32_t)row;
  sorting->found = sorting->place = 0;
  sorting->pass = 0;
}

/* Count the bytes of a pass, and compute where the rows of each begin. */
static inline void begin_pass(NumberSorting *sorting) {
  int64_t *places = sorting->places;
  int64_t begin = 0;
  memset(places, 0, sizeof(sorting->places));
  for (int64_t row = 0; row < sorting->n_rows; row++) places[sorted_byte(sorting, row)]++;
  for (int byte = 0; byte < 256; byte++) {
    int64_t count = places[byte];
    places[byte] = begin;
    begin += count;
  }
  int32_t *sorted = sorting->before;
  sorting->before = sorting->rows;
  sorting->rows = sorted;
}

/* Whether a place of the sorted rows has another value than the one before it: its row is the first with it. */
static inline bool begins_value(const NumberSorting *sorting, int64_t place) {
  const int32_t *rows = sorting->rows;
  return place == 0 || sorting->values[rows[place]] != sorting->values[rows[place - 1]];
}

/* Do the work of a pass for one place. */
static inline void number_place(NumberSorting *sorting, int64_t place) {
  int64_t *codes = sorting->codes;
  int32_t row = sorting->rows[place];
  switch (sorting->pass) {
    case MARK_FIRST_ROWS: codes[row] = begins_value(sorting, place) ? 0 : -1; break;
    case NUMBER_FIRST_ROWS:
      if (codes[place] < 0) break;
      codes[place] = sorting->found;
      sorting->distinct[sorting->found++] = sorting->values[place];
      break;
    case NUMBER_OTHER_ROWS:
      if (!begins_value(sorting, place)) codes[row] = codes[sorting->rows[place - 1]];
      break;
    default:
      row = sorting->before[place];
      sorting->rows[sorting->places[sorted_byte(sorting, row)]++] = row;
  }
}

/* Continue a sorting by at most at_most rows; return whether all values are numbered. */
static inline bool number_by_sorting(NumberSorting *sorting, int64_t at_most) {
  if (sorting->pass == NUMBERS_SORTED) return true;
  if (sorting->pass < SORT_PASSES && sorting->place == 0) begin_pass(sorting);
  int64_t left = sorting->n_rows - sorting->place;
  int64_t end = left < at_most ? sorting->n_rows : sorting->place + at_most;
  for (; sorting->place < end; sorting->place++) number_place(sorting, sorting->place);
  if (sorting->place < sorting->n_rows) return false;
  sorting->place = 0;
  return ++sorting->pass == NUMBERS_SORTED;
}

/* Store the codes of the rows from `begin` to before `end` in a smaller type, and count them.
 *
 * `wide` has codes from 0 to n_codes - 1; a negative one means a dropped row, and becomes the last code. `codes` is an
 * array of uint8_t, uint16_t or int32_t, for code_bytes of 1, 2 or 4. `counts` has n_codes numbers, which are added to.
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
