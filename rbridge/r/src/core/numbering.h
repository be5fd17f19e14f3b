/* Numbers for values, in order of first appearance, and codes in the smallest type.
 *
 * The numbers of the values are found with a hash table that begins small, and is replaced by a larger one when it is
 * half full, so that few distinct values cost little, whatever the number of rows.
 *
 * Values can be chosen so that all of them want the same slot. So a table counts the slots in which a search finds
 * another value. If they are far more than for any usual values, the rows are sorted instead, which takes the same time
 * for all values.
 */

#ifndef PYSTRAT_NUMBERING_H
#define PYSTRAT_NUMBERING_H

#include "hashing.h"
#include "host.h"

/* A hash table and what it has found. */
typedef struct {
  int32_t *slots;    /* 2^bits numbers, -1 if a slot is free */
  int64_t *distinct; /* the values in the order of their numbers, room for 2^(bits - 1) */
  int64_t found;     /* distinct values so far, at most 2^(bits - 1) */
  int64_t entered;   /* the number of them that are in this table */
  int64_t collided;  /* slots in which searches found another value, in all tables so far */
  int bits;          /* from 1 to 31 */
} NumberTable;

enum {
  FIRST_TABLE_BITS = 10,
  MOST_COLLISIONS = 32 /* in a search, on average; usual values have less than one */
};

/* Whether too many values collide, so that the rows should be sorted instead. `n_rows` is the number of all values. */
static inline bool is_flooded(const NumberTable *table, int64_t n_rows) {
  return table->collided > MOST_COLLISIONS * (n_rows + 1024);
}

/* Return the bits of a value: an integer, or a double. */
static inline int64_t value_at(const void *values, int64_t row) {
  int64_t value;
  memcpy(&value, (const char *)values + row * (int64_t)sizeof value, sizeof value);
  return value;
}

/* Number the values of the rows from `begin` to before `end`, until the table is half full; return the first row that
 * is left.
 *
 * `codes` gets the number of each row's value, from 0. There are fewer than 2^31 rows. All values that were found
 * before are entered.
 */
static inline int64_t number_rows(
    NumberTable *table, const void *values, int64_t begin, int64_t end, int64_t *codes
) {
  uint64_t last = (UINT64_C(1) << table->bits) - 1;
  int64_t room = INT64_C(1) << (table->bits - 1);
  int shift = 64 - table->bits;
  int64_t row = begin;
  for (; row < end; row++) {
    int64_t value = value_at(values, row);
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

/* Enter the values that were found before into a larger table, unless too many collide. */
static inline bool enter_known(NumberTable *table, int64_t n_rows, Host *host) {
  uint64_t last = (UINT64_C(1) << table->bits) - 1;
  int shift = 64 - table->bits;
  while (table->entered < table->found && !is_flooded(table, n_rows)) {
    int64_t end = smaller(table->entered + GO_ON_ROWS, table->found);
    for (; table->entered < end; table->entered++) {
      uint64_t slot = slot_of(table->distinct[table->entered], shift);
      for (; table->slots[slot] >= 0; table->collided++) slot = (slot + 1) & last;
      table->slots[slot] = (int32_t)table->entered;
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Provide a larger table, with the values that were found before, in memory of the call. */
static inline bool enlarge_table(NumberTable *table, int bits, int64_t n_rows, Host *host) {
  int32_t *slots = host->memory(host, FOR_THE_CALL, (INT64_C(1) << bits) * (int64_t)sizeof *slots);
  if (slots == NULL) return false;
  int64_t *distinct = host->memory(host, FOR_THE_CALL, (INT64_C(1) << (bits - 1)) * (int64_t)sizeof *distinct);
  if (distinct == NULL) return false;
  if (table->found > 0) memcpy(distinct, table->distinct, (size_t)table->found * sizeof *distinct);
  table->slots = slots;
  table->distinct = distinct;
  table->bits = bits;
  memset(slots, 0xFF, sizeof *slots << bits); /* -1 everywhere */
  table->entered = 0;
  return enter_known(table, n_rows, host);
}

/* Number the rows with tables from 2^bits slots on, unless too many values collide; `row` becomes the first that is
 * left. All members of the table but the slots and the values are 0 at first.
 */
static inline bool number_by_table(
    NumberTable *table, const void *values, int64_t n_rows, int bits, int64_t *codes, int64_t *row, Host *host
) {
  for (*row = 0; *row < n_rows && !is_flooded(table, n_rows); bits += 2) {
    if (!enlarge_table(table, bits, n_rows, host)) return false;
    for (int64_t end = *row; *row == end && *row < n_rows && !is_flooded(table, n_rows);) {
      end = smaller(*row + GO_ON_ROWS, n_rows);
      *row = number_rows(table, values, *row, end, codes);
      if (!host->go_on(host)) return false;
    }
  }
  return true;
}

/* Sort rows by a byte of their values, the lowest being 0, stably: from `before` to `rows`. */
static inline bool sort_by_byte(
    const void *values, int64_t n_rows, int byte, const int32_t *before, int32_t *rows, Host *host
) {
  int64_t places[256] = {0}, begin_of_byte = 0;
  for (int64_t row = 0; row < n_rows; row++) places[((uint64_t)value_at(values, row) >> (8 * byte)) & 255]++;
  for (int i = 0; i < 256; i++) {
    int64_t count = places[i];
    places[i] = begin_of_byte;
    begin_of_byte += count;
  }
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_rows);
    for (int64_t place = begin; place < end; place++) {
      int32_t row = before[place];
      rows[places[((uint64_t)value_at(values, row) >> (8 * byte)) & 255]++] = row;
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Number values by sorting them, as number_values() does. */
static inline int64_t number_by_sorting(
    const void *values, int64_t n_rows, int64_t *codes, const int64_t **distinct, Host *host
) {
  int64_t found = 0;
  int32_t *rows = host->memory(host, FOR_THE_CALL, 2 * n_rows * (int64_t)sizeof *rows);
  int64_t *ordered = rows == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof *ordered);
  if (ordered == NULL) return -1;
  int32_t *other = rows + n_rows;
  for (int64_t row = 0; row < n_rows; row++) rows[row] = (int32_t)row;
  for (int byte = 0; byte < 8; byte++) {
    if (!sort_by_byte(values, n_rows, byte, rows, other, host)) return -1;
    int32_t *sorted = other;
    other = rows;
    rows = sorted;
  }
  /* The first row of each value has a code of its own; the others have that of the row before them. */
  for (int64_t place = 0; place < n_rows; place++) {
    bool is_first = place == 0 || value_at(values, rows[place]) != value_at(values, rows[place - 1]);
    codes[rows[place]] = is_first ? 0 : -1;
  }
  for (int64_t row = 0; row < n_rows; row++) {
    if (codes[row] < 0) continue;
    ordered[found] = value_at(values, row);
    codes[row] = found++;
  }
  if (!host->go_on(host)) return -1;
  for (int64_t place = 0; place < n_rows; place++) {
    if (codes[rows[place]] < 0) codes[rows[place]] = codes[rows[place - 1]];
  }
  *distinct = ordered;
  return found;
}

/* Number values of 64 bits, fewer than 2^31, in order of first appearance; return how many distinct ones there are, -1
 * if the host has failed.
 *
 * `codes`, which do not share memory with the values, get the number of each, from 0. `distinct` becomes an array of
 * the values in the order of their numbers, in memory of the call.
 */
static inline int64_t number_values(
    const void *values, int64_t n_rows, int64_t *codes, const int64_t **distinct, Host *host
) {
  NumberTable table = {.found = 0};
  int64_t row;
  if (!number_by_table(&table, values, n_rows, FIRST_TABLE_BITS, codes, &row, host)) return -1;
  *distinct = table.distinct;
  return row == n_rows ? table.found : number_by_sorting(values, n_rows, codes, distinct, host);
}

#endif
