/* The order of the rows of an epoch, R's sample(), drawn as a whole or part by part. */

#ifndef PYSTRAT_EPOCH_ORDER_H
#define PYSTRAT_EPOCH_ORDER_H

#include "host.h"
#include "permutation.h"

/* Take all rows out of a pool of n_rows into `order`, in the order of R's sample(). */
static inline bool take_order(Generator *generator, int32_t *pool, int64_t n_rows, int32_t *order, Host *host) {
  for (int64_t done = 0; done < n_rows; done += GO_ON_ROWS) {
    int64_t left = n_rows - done;
    take_rows(generator, pool, (uint32_t)left, (uint32_t)smaller(left, GO_ON_ROWS), order + done);
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Return the rows 0, ..., n_rows - 1 in the order of R's sample(), in memory of the call; or NULL. */
static inline int32_t *draw_epoch_order(Generator *generator, int64_t n_rows, Host *host) {
  int32_t *pool = host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof *pool);
  int32_t *order = pool == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_rows * (int64_t)sizeof *order);
  if (order == NULL) return NULL;
  fill_in_order(pool, (uint32_t)n_rows);
  return take_order(generator, pool, n_rows, order, host) ? order : NULL;
}

/* An order that is drawn part by part. */
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
