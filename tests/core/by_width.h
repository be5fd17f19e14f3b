/* The functions of scatter.h for codes of a width that is known only at run time. */

#ifndef PYSTRAT_BY_WIDTH_H
#define PYSTRAT_BY_WIDTH_H

#include "scatter.h"

/* The arrays of scatter_template.h; `codes` has items of `code_bytes` bytes, 1, 2 or 4. */
typedef struct {
  int code_bytes;
  const void *codes;
  int64_t *cursors;
  const int32_t *layout;
  int32_t first_row;
  int32_t *rows;
} Epoch;

static inline uint32_t scatter_permutation(
    const Epoch *epoch, Generator *generator, int32_t *pool, uint32_t left, uint32_t wanted
) {
  const Epoch e = *epoch;
  if (e.code_bytes == 1) {
    return scatter_permutation_uint8(
        generator, pool, left, wanted, e.codes, e.cursors, e.layout, e.first_row, e.rows
    );
  }
  if (e.code_bytes == 2) {
    return scatter_permutation_uint16(
        generator, pool, left, wanted, e.codes, e.cursors, e.layout, e.first_row, e.rows
    );
  }
  return scatter_permutation_int32(generator, pool, left, wanted, e.codes, e.cursors, e.layout, e.first_row, e.rows);
}

static inline void scatter_in_order(const Epoch *epoch, uint32_t begin, uint32_t end) {
  const Epoch e = *epoch;
  if (e.code_bytes == 1) {
    scatter_in_order_uint8(begin, end, e.codes, e.cursors, e.layout, e.first_row, e.rows);
  } else if (e.code_bytes == 2) {
    scatter_in_order_uint16(begin, end, e.codes, e.cursors, e.layout, e.first_row, e.rows);
  } else {
    scatter_in_order_int32(begin, end, e.codes, e.cursors, e.layout, e.first_row, e.rows);
  }
}

#endif
