/* Part of a dataset in every epoch: rows drawn with or without replacement, or taken in turn. */

#include "../cutting.h"
#include "../epoch_subset.h"
#include "kinds.h"

enum { UNIFORM, WITHOUT_REPLACEMENT, PARTITION, N_METHODS };

static const char *const methods[] = {"uniform", "uniform_without_replacement", "partition"};

typedef struct {
  int64_t n_rows, sample;
  int method;
  Cutting cutting;
} EpochSubset;

static bool plan_epoch_subset(const Parts *request, Host *host) {
  double n, sample;
  int method = UNIFORM;
  CutRequest wanted;
  if (!read_sample_request(request, &n, &sample, &wanted, host)) return false;
  if (!read_choice(request, "method", methods, N_METHODS, &method, host)) return false;
  if (method == WITHOUT_REPLACEMENT && sample > n) {
    char shown[NUMBER];
    refuse(
        host, "sample", number_read(request, "sample", sample, shown),
        "be at most %.0f, the number of examples, without replacement", n
    );
    return advise(host, "Set 'method' to 'uniform'.");
  }
  return keep_sample_request(request, n, sample, &wanted, host) && host->keep(host, "method");
}

static bool prepare_epoch_subset(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  EpochSubset *self = instance;
  double sample;
  (void)seed;
  return read_sample_recipe(recipe, &self->n_rows, &self->sample, &self->cutting, host) &&
         read_choice(recipe, "method", methods, N_METHODS, &self->method, host) &&
         (self->method != WITHOUT_REPLACEMENT ||
          read_whole(recipe, "sample", 1, (double)self->n_rows, &sample, host));
}

/* Draw the rows of an epoch, counted from `first_row`. */
static bool draw_sample(
    const EpochSubset *self, Generator *generator, uint32_t epoch, int32_t first_row, int32_t *rows, Host *host
) {
  int32_t *pool = NULL;
  if (self->method == WITHOUT_REPLACEMENT) {
    pool = host->memory(host, FOR_THE_CALL, self->n_rows * (int64_t)sizeof *pool);
    if (pool == NULL) return false;
    for (int64_t row = 0; row < self->n_rows; row++) pool[row] = (int32_t)row + first_row;
  }
  for (int64_t begin = 0; begin < self->sample; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, self->sample);
    if (self->method == UNIFORM) {
      draw_rows(generator, (uint32_t)self->n_rows, first_row, end - begin, rows + begin);
    } else if (self->method == PARTITION) {
      take_rows_in_turn(self->n_rows, self->sample, epoch, first_row, begin, end, rows);
    } else {
      take_rows(generator, pool, (uint32_t)(self->n_rows - begin), (uint32_t)(end - begin), rows + begin);
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool draw_epoch_subset(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  const EpochSubset *self = instance;
  int64_t sample = self->sample;
  if (self->cutting.lengths == NULL) {
    int32_t *rows = host->vector(host, "rows", INTEGERS, sample);
    return rows != NULL && give_cut_offsets(&self->cutting, sample, host) &&
           draw_sample(self, generator, epoch, host->first_row, rows, host);
  }
  int32_t *drawn = host->memory(host, FOR_THE_CALL, sample * (int64_t)sizeof *drawn);
  return drawn != NULL && draw_sample(self, generator, epoch, 0, drawn, host) &&
         give_cut_rows(&self->cutting, generator, drawn, NULL, sample, host);
}

static int64_t count_epoch_subset(const void *instance, uint32_t epoch) {
  const EpochSubset *self = instance;
  (void)epoch;
  return count_cut(&self->cutting, self->sample);
}

static void identify_epoch_subset(const void *instance, const Parts *recipe, Identity *identity) {
  const EpochSubset *self = instance;
  (void)recipe;
  identify_cutting(&self->cutting, self->sample, identity);
  /* Rows that are taken in turn have one order, unless their batches are shuffled. */
  identity->has_unused_seed = self->method == PARTITION && self->cutting.lengths == NULL;
}

const Kind epoch_subset_kind = {
    .name = "epoch_subset",
    .instance_bytes = sizeof(EpochSubset),
    .plan = plan_epoch_subset,
    .prepare = prepare_epoch_subset,
    .draw = draw_epoch_subset,
    .count_batches = count_epoch_subset,
    .identify = identify_epoch_subset,
};
