/* Batches of equally likely rows, with or without replacement: R's sample.int() for each batch. */

#include "core/kinds.h"
#include "core/permutation.h"
#include "core/request.h"

typedef struct {
  int64_t n_rows, batch_size, n_batches;
  bool replacement;
  int32_t *pool; /* n_rows: 0, 1, ... between two batches; made by the first epoch without replacement */
} Uniform;

static bool plan_uniform(const Parts *request, Host *host) {
  double n, size, num_replicas;
  bool replacement = false;
  if (!read_whole(request, "n_rows", 1, LARGEST_COUNT, &n, host)) return false;
  if (!read_flag(request, "replacement", &replacement, host)) return false;
  if (!replacement) {
    if (!read_whole(request, "batch_size", 1, INFINITY, &size, host)) return false;
    if (size > n) {
      return refuse(host, "batch_size", NULL, "be at most %.0f, the number of rows, without replacement", n);
    }
  }
  int64_t batch_size, n_batches;
  if (!read_sharing(request, &num_replicas, host)) return false;
  if (!read_fixed_size(request, (int64_t)n, num_replicas, &batch_size, &n_batches, host)) return false;
  return host->number(host, "n_rows", n) && host->number(host, "batch_size", (double)batch_size) &&
         host->flag(host, "replacement", replacement) && host->number(host, "n_batches", (double)n_batches);
}

static bool prepare_uniform(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Uniform *self = instance;
  (void)seed;
  return read_count(recipe, "batch_size", 1, LARGEST_COUNT, &self->batch_size, host) &&
         read_count(recipe, "n_batches", 1, LARGEST_COUNT, &self->n_batches, host) &&
         read_count(recipe, "n_rows", 1, LARGEST_COUNT, &self->n_rows, host) &&
         read_flag(recipe, "replacement", &self->replacement, host) &&
         (self->replacement || read_count(recipe, "batch_size", 1, (double)self->n_rows, &self->batch_size, host));
}

static bool draw_replaced(Generator *generator, uint32_t limit, int64_t n_drawn, int32_t *rows, Host *host) {
  uint32_t bits = bits_below(limit);
  for (int64_t begin = 0; begin < n_drawn; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_drawn);
    draw_indices(generator, limit, 0, bits, (uint32_t)(end - begin), (uint32_t *)rows + begin);
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool make_pool(Uniform *self, Host *host) {
  if (self->pool != NULL) return true;
  int32_t *pool = host->memory(host, FOR_THE_INSTANCE, self->n_rows * (int64_t)sizeof *pool);
  if (pool == NULL) return false;
  fill_in_order(pool, (uint32_t)self->n_rows);
  self->pool = pool;
  return true;
}

/* Draw one batch; the pool is 0, 1, ... again afterwards, also if it was interrupted. */
static bool draw_subset(Uniform *self, Generator *generator, uint32_t *places, int32_t *rows, Host *host) {
  uint32_t size = (uint32_t)self->batch_size, drawn = 0;
  bool goes_on = true;
  while (drawn < size && goes_on) {
    uint32_t end = size - drawn < GO_ON_ROWS ? size : drawn + GO_ON_ROWS;
    draw_subset_part(generator, self->pool, (uint32_t)self->n_rows, drawn, end, places, rows);
    drawn = end;
    goes_on = drawn == size || host->go_on(host);
  }
  put_rows_back(self->pool, places, drawn);
  return goes_on;
}

static bool draw_subsets(Uniform *self, Generator *generator, uint32_t *places, int32_t *rows, Host *host) {
  int64_t since = 0;
  for (int64_t batch = 0; batch < self->n_batches; batch++) {
    if (!draw_subset(self, generator, places, rows + batch * self->batch_size, host)) return false;
    if (!may_go_on(&since, self->batch_size, host)) return false;
  }
  return true;
}

static bool draw_uniform(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  Uniform *self = instance;
  int64_t n_drawn = self->batch_size * self->n_batches;
  (void)epoch;
  if (n_drawn > host->most_rows) {
    char shown[NUMBER];
    return refuse(
        host, "n_batches", show_number((double)self->n_batches, shown),
        "be at most %lld, so that R can number the rows of an epoch", (long long)(host->most_rows / self->batch_size)
    );
  }
  int32_t *rows = host->vector(host, "rows", INTEGERS, n_drawn);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, self->n_batches + 1);
  if (offsets == NULL) return false;
  for (int64_t batch = 0; batch <= self->n_batches; batch++) offsets[batch] = batch * self->batch_size;
  bool is_drawn;
  if (self->replacement) {
    is_drawn = draw_replaced(generator, (uint32_t)self->n_rows, n_drawn, rows, host);
  } else {
    uint32_t *places = host->memory(host, FOR_THE_CALL, self->batch_size * (int64_t)sizeof *places);
    is_drawn = places != NULL && make_pool(self, host) && draw_subsets(self, generator, places, rows, host);
  }
  for (int64_t i = 0; is_drawn && host->first_row != 0 && i < n_drawn; i++) rows[i] += host->first_row;
  return is_drawn;
}

const Kind uniform_kind = {
    .name = "uniform",
    .instance_bytes = sizeof(Uniform),
    .plan = plan_uniform,
    .prepare = prepare_uniform,
    .draw = draw_uniform,
};
