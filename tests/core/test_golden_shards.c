/* Golden vectors of sharded batches: each epoch of a recipe is drawn, and compared row by row. A case is:
 *
 *   n_strata, n_batches, the number of all shards, the seed, the epoch
 *   whether it is shuffled, whether the scope is local
 *   the number of shards of the process, then for each its number and the list of the strata of its rows
 *   the batch in which each cell begins
 *   for each batch the list of its rows
 */

#include "golden.h"
#include "kind_sharded.c"
#include "plain_host.h"
#include "scattering.h"

enum { MOST_SHARDS = 8, MOST_ROWS = 200, MOST_CELLS = 32, N_PARTS = 10 };

typedef struct {
  double n_strata, n_batches, n_shards, shards[MOST_SHARDS], sizes[MOST_SHARDS], begins[MOST_CELLS];
  int64_t n_own, n_rows;
  int32_t is_shuffled, codes[MOST_ROWS];
  uint32_t seed, epoch;
  Part parts[N_PARTS];
} Case;

static Parts read_case(Case *c) {
  c->n_rows = 0;
  c->n_strata = (double)next_number();
  c->n_batches = (double)next_number();
  c->n_shards = (double)next_number();
  c->seed = (uint32_t)next_number();
  c->epoch = (uint32_t)next_number();
  c->is_shuffled = next_number() != 0;
  const char *scope = next_number() != 0 ? "local" : "global";
  c->n_own = next_number();
  int64_t n_cells = c->n_own * (int64_t)c->n_strata;
  CHECK(c->n_own <= MOST_SHARDS && n_cells <= MOST_CELLS);
  for (int64_t shard = 0; shard < c->n_own; shard++) {
    c->shards[shard] = (double)next_number();
    int64_t size = next_number();
    CHECK(c->n_rows + size <= MOST_ROWS);
    c->sizes[shard] = (double)size;
    for (int64_t row = 0; row < size; row++) c->codes[c->n_rows++] = (int32_t)next_number();
  }
  for (int64_t cell = 0; cell < n_cells; cell++) c->begins[cell] = (double)next_number();
  const Part parts[N_PARTS] = {
      {.name = "codes", .type = INTEGERS, .length = c->n_rows, .values = c->codes},
      {.name = "n_strata", .type = DOUBLES, .length = 1, .values = &c->n_strata},
      {.name = "n_shards", .type = DOUBLES, .length = 1, .values = &c->n_shards},
      {.name = "n_batches", .type = DOUBLES, .length = 1, .values = &c->n_batches},
      {.name = "shards", .type = DOUBLES, .length = c->n_own, .values = c->shards},
      {.name = "sizes", .type = DOUBLES, .length = c->n_own, .values = c->sizes},
      {.name = "begins", .type = DOUBLES, .length = n_cells, .values = c->begins},
      {.name = "scope", .type = TEXT, .length = 1, .values = scope},
      {.name = "shuffle", .type = INTEGERS, .length = 1, .values = &c->is_shuffled},
      {.name = "plan", .type = TEXT, .length = 1, .values = "0123456789abcdef"},
  };
  memcpy(c->parts, parts, sizeof parts);
  return (Parts){.parts = c->parts, .n_parts = N_PARTS, .is_recipe = true};
}

static void check_case(void) {
  static Case c;
  Parts recipe = read_case(&c);
  PlainInstance instance = new_instance(&sharded_kind, c.seed);
  PlainHost host = new_host(&recipe, &instance.memory, 0, -1);
  CHECK(instance.kind->prepare(instance.self, &recipe, c.seed, &host.host));
  free_host(&host);
  host = new_host(&recipe, &instance.memory, (int32_t)(c.epoch % 2), -1);
  CHECK(draw_epoch(instance.kind, instance.self, c.seed, c.epoch, &host.host));
  const int32_t *rows = given_as(&host, "rows")->values;
  const int64_t *offsets = given_as(&host, "offsets")->values;
  for (int64_t batch = 0; batch < (int64_t)c.n_batches; batch++) {
    CHECK_EQUAL(offsets[batch + 1] - offsets[batch], next_number());
    for (int64_t i = offsets[batch]; i < offsets[batch + 1]; i++) {
      int32_t row = rows[i] - host.host.first_row;
      CHECK_EQUAL(row, next_number());
    }
  }
  free_host(&host);
  free_instance(&instance);
}

int main(void) {
  check_cases(check_case);
  return 0;
}
