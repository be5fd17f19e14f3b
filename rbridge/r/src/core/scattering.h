/* The scatter of rows into their places in an epoch, part by part. */

#ifndef PYSTRAT_SCATTERING_H
#define PYSTRAT_SCATTERING_H

#include "host.h"
#include "scatter.h"

/* The arrays are those of scatter_template.h. */
typedef struct {
  int code_bytes; /* 1, 2 or 4 */
  const void *codes;
  int64_t n_rows;
  int64_t *cursors;
  const int32_t *layout;
  int32_t first_row; /* the number of the first one */
  int32_t *rows;
} Scattering;

/* Scatter the rows in their order. */
static inline bool scatter_unshuffled(const Scattering *given, Host *host) {
  const int32_t *layout = given->layout;
  const void *codes = given->codes;
  int64_t *cursors = given->cursors;
  int32_t first_row = given->first_row, *rows = given->rows;
  for (int64_t begin = 0; begin < given->n_rows; begin += GO_ON_ROWS) {
    uint32_t from = (uint32_t)begin, to = (uint32_t)smaller(begin + GO_ON_ROWS, given->n_rows);
    if (begin > 0 && !host->go_on(host)) return false;
    if (given->code_bytes == 1) scatter_in_order_uint8(from, to, codes, cursors, layout, first_row, rows);
    if (given->code_bytes == 2) scatter_in_order_uint16(from, to, codes, cursors, layout, first_row, rows);
    if (given->code_bytes == 4) scatter_in_order_int32(from, to, codes, cursors, layout, first_row, rows);
  }
  return true;
}

/* Scatter the rows in the order that the generator draws; in their own order without a pool, of n_rows numbers. */
static inline bool scatter(const Scattering *given, Generator *generator, int32_t *pool, Host *host) {
  if (pool == NULL) return scatter_unshuffled(given, host);
  const int32_t *layout = given->layout;
  int64_t *cursors = given->cursors;
  int32_t first_row = given->first_row, *rows = given->rows;
  uint32_t n_rows = (uint32_t)given->n_rows, wanted = GO_ON_ROWS;
  fill_in_order(pool, n_rows);
  for (uint32_t left = n_rows; left > 0;) {
    if (left < n_rows && !host->go_on(host)) return false;
    if (given->code_bytes == 1) {
      left = scatter_permutation_uint8(
          generator, pool, left, wanted, given->codes, cursors, layout, first_row, rows
      );
    } else if (given->code_bytes == 2) {
      left = scatter_permutation_uint16(
          generator, pool, left, wanted, given->codes, cursors, layout, first_row, rows
      );
    } else {
      left = scatter_permutation_int32(
          generator, pool, left, wanted, given->codes, cursors, layout, first_row, rows
      );
    }
  }
  return true;
}

#endif
