/* Golden vectors of batches of a few strata, from the request of the user to the rows. A case is:
 *
 *   the strata of golden_strata.h, with the rows of each
 *   strata_per_batch, min_samples_per_stratum and mean_batch_size, of which one is 0 if it is not given, exact, the
 *   number of `rare` among its choices, that of `balance`, its rows if it is a number, num_replicas, the seed
 *   n_batches; the number of batches that hold each stratum
 *   n_epochs, then for each its number, the list of the batches' sizes and that of the rows
 */

#include "equal_exposure.h"
#include "golden.h"
#include "golden_strata.h"
#include "kind_strata_subset.c"
#include "plain_host.h"

enum { N_ARGUMENTS = 10 };

/* The arguments of a request, and their values. */
typedef struct {
  Part parts[N_ARGUMENTS];
  double numbers[N_ARGUMENTS];
  int32_t exact;
} Request;

/* Read the arguments, for codes of n_rows rows as bytes, or integers if `bytes` is NULL. */
static void read_request(const Strata *strata, Request *request) {
  static const char *const rare[] = {"error", "warn", "allow"};
  static const char *const balance[] = {NULL, "mean", "over", "under"};
  static const char *const names[] = {"strata_per_batch", "min_samples_per_stratum", "num_replicas", "n_strata"};
  request->numbers[0] = (double)next_number();
  request->numbers[1] = (double)next_number();
  request->numbers[5] = (double)next_number();
  request->exact = (int32_t)next_number();
  int64_t choice = next_number();
  CHECK(choice >= 0 && choice <= RARE_ALLOW);
  int64_t balanced = next_number();
  CHECK(balanced >= UNBALANCED && balanced <= BALANCED_NUMBER);
  request->numbers[4] = (double)next_number();
  request->numbers[2] = (double)next_number();
  request->numbers[3] = (double)strata->n_strata;
  for (int i = 0; i < 4; i++) {
    request->parts[i] = (Part){.name = names[i], .type = DOUBLES, .length = 1, .values = &request->numbers[i]};
  }
  request->parts[4] = (Part){.name = "exact", .type = FLAG, .length = 1, .values = &request->exact};
  request->parts[5] = (Part){.name = "rare", .type = TEXT, .length = 1, .values = rare[choice]};
  request->parts[6] = (Part){.name = "missing", .type = TEXT, .length = 1, .values = "drop"};
  request->parts[9] = (Part){.name = "mean_batch_size", .type = NOTHING};
  if (request->numbers[5] > 0) {
    request->parts[9] = (Part){.name = "mean_batch_size", .type = DOUBLES, .length = 1, .values = &request->numbers[5]};
    request->parts[1] = (Part){.name = "min_samples_per_stratum", .type = NOTHING};
  }
  request->parts[7] = (Part){.name = "balance", .type = NOTHING};
  if (balanced == BALANCED_NUMBER) {
    request->parts[7] = (Part){.name = "balance", .type = DOUBLES, .length = 1, .values = &request->numbers[4]};
  } else if (balanced != UNBALANCED) {
    request->parts[7] = (Part){.name = "balance", .type = TEXT, .length = 1, .values = balance[balanced]};
  }
}

/* Return the results of a plan as the parts of a recipe. */
static Parts recipe_of(const PlainHost *host, Part *parts) {
  for (int i = 0; i < host->n_given; i++) {
    const Given *given = &host->given[i];
    parts[i] = (Part){.name = given->name, .type = given->type, .length = given->count, .values = given->values};
  }
  return (Parts){.parts = parts, .n_parts = host->n_given, .is_recipe = true};
}

static void check_plan(const PlainHost *host, int64_t n_strata, int64_t n_batches, const int64_t *n_blocks) {
  CHECK_EQUAL(*(const double *)given_as(host, "n_batches")->values, n_batches);
  CHECK_EQUAL(given_as(host, "blocks")->count, n_strata);
  const double *blocks = given_as(host, "blocks")->values;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) CHECK_EQUAL(blocks[stratum], n_blocks[stratum]);
}

/* Read an epoch and compare it, with rows from 0 or 1. */
static void check_epoch(PlainInstance *instance, const Parts *recipe, int64_t n_batches) {
  uint32_t epoch = (uint32_t)next_number();
  PlainHost host = new_host(recipe, &instance->memory, epoch % 2, -1);
  CHECK(draw_epoch(instance->kind, instance->self, instance->seed, epoch, &host.host));
  const Given *rows = given_as(&host, "rows");
  check_sizes(given_as(&host, "offsets")->values, n_batches);
  check_rows(rows->values, rows->count, host.host.first_row);
  free_host(&host);
}

static void check_case(void) {
  Strata strata = read_strata();
  check_counts(&strata);
  Request request;
  read_request(&strata, &request);
  uint32_t seed = (uint32_t)next_number();
  int64_t n_batches = next_number();
  int64_t *n_blocks = new_array(strata.n_strata, sizeof *n_blocks);
  for (int64_t stratum = 0; stratum < strata.n_strata; stratum++) n_blocks[stratum] = next_number();
  bool is_narrow = strata.n_strata <= UINT8_MAX;
  uint8_t *bytes = new_array(strata.n_rows, 1);
  int32_t *integers = new_array(strata.n_rows, sizeof *integers);
  for (int64_t row = 0; row < strata.n_rows; row++) {
    bytes[row] = (uint8_t)strata.codes[row];
    integers[row] = (int32_t)strata.codes[row];
  }
  void *codes = is_narrow ? (void *)bytes : (void *)integers;
  request.parts[8] = (Part){
      .name = "codes", .type = is_narrow ? BYTES : INTEGERS, .length = strata.n_rows, .values = codes,
  };
  Parts parts = {.parts = request.parts, .n_parts = N_ARGUMENTS};
  PlainHost host = new_host(&parts, NULL, 0, -1);
  CHECK(strata_subset_kind.plan(&parts, &host.host));
  check_plan(&host, strata.n_strata, n_batches, n_blocks);
  Part recipe_parts[MOST_GIVEN];
  Parts recipe = recipe_of(&host, recipe_parts);
  PlainInstance instance = new_instance(&strata_subset_kind, seed);
  PlainHost preparing = new_host(&recipe, &instance.memory, 0, -1);
  CHECK(instance.kind->prepare(instance.self, &recipe, seed, &preparing.host));
  int64_t n_epochs = next_number();
  for (int64_t epoch = 0; epoch < n_epochs; epoch++) check_epoch(&instance, &recipe, n_batches);
  free_instance(&instance);
  free_host(&preparing);
  free_host(&host);
  free_strata(&strata);
  free(n_blocks);
  free(bytes);
  free(integers);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
