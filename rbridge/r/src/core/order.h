/* The order of all rows in an epoch, R's sample(), drawn part by part. */

#ifndef PYSTRAT_ORDER_H
#define PYSTRAT_ORDER_H

#include "host.h"
#include "permutation.h"

typedef struct {
  Generator *generator;
  int32_t *pool, *rows; /* the rows that are left, and those of the part */
  int64_t n_rows, done;
} OrderParts;

static inline bool begin_order(OrderParts *order, Generator *generator, int64_t n_rows, Host *host) {
  int64_t n_part = smaller(n_rows, GO_ON_ROWS);
  *order = (OrderParts){.generator = generator, .n_rows = n_rows};
  order->pool = host->memory(host, FOR_THE_CALL, (n_rows + n_part) * (int64_t)sizeof *order->pool);
  if (order->pool == NULL) return false;
  order->rows = order->pool + n_rows;
  fill_in_order(order->pool, (uint32_t)n_rows);
  return true;
}

/* Draw the next part; return its number of rows. */
static inline int64_t next_part(OrderParts *order) {
  int64_t left = order->n_rows - order->done, size = smaller(left, GO_ON_ROWS);
  take_rows(order->generator, order->pool, (uint32_t)left, (uint32_t)size, order->rows);
  order->done += size;
  return size;
}

#endif
