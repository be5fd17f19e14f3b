/* The rows of the shards that a process holds, of a stratified sampler over all processes.
 *
 * A recipe has the cells of this process: the rows of each stratum in each of its shards, which follow from the codes
 * and the "sizes" of the shards, and the batches in which they begin, which follow from the rows of all processes. Each
 * shard is shuffled by a seed of its own, so that the batches over all processes do not depend on which process holds
 * which shard. Within a batch, rows are ordered by shard, then by stratum, then by rank.
 */

#include "core/kinds.h"
#include "core/part_seeds.h"
#include "core/scattering.h"
#include "core/shards.h"

typedef struct {
  Codes codes; /* with the rows of one shard at a time as counts */
  ShardCells cells;
  int64_t n_shards, n_own; /* of all processes, and of this one */
  int64_t *shards, *sizes; /* n_own: the numbers of its shards and of their rows */
  bool is_shuffled;
  uint32_t seed;
  int64_t *offsets;       /* n_batches + 1 */
  int32_t *layout, *pool; /* n_rows, and the rows of the largest shard; made by the first epoch */
  bool is_made;
} Sharded;

/* Refuse the shards of a process if some batch would have no row of it. */
static bool check_own_shards(const Parts *request, const ShardCells *cells, Host *host) {
  int64_t fewest, n_rows = 0;
  if (!find_fewest(cells, &fewest, host)) return false;
  if (fewest > 0) return true;
  for (int64_t cell = 0; cell < cells->n_cells; cell++) n_rows += cells->counts[cell];
  char got[SENTENCE], rows[NUMBER], shards[NUMBER];
  show_count(n_rows, "row", rows);
  show_count(find_part(request, "shards").length, "shard", shards);
  snprintf(got, SENTENCE, "%s in %s, of which some batch has none,", rows, shards);
  const char *batches = cells->n_batches == 1 ? "batch" : "batches";
  refuse(host, "shards", got, "have a row for each of %lld %s", (long long)cells->n_batches, batches);
  if (n_rows == 0) return advise(host, "Give this process more shards.");
  const char *size = is_given(request, "mean_batch_size") ? "mean_batch_size" : "min_samples_per_stratum";
  return advise(host, "Give this process more shards, or raise '%s'.", size);
}

/* Return the sizes of the shards of cells, in memory of the call; or NULL. */
static int64_t *sizes_of(const ShardCells *cells, Host *host) {
  int64_t n_own = cells->n_cells / cells->n_strata;
  int64_t *sizes = host->memory(host, FOR_THE_CALL, n_own * (int64_t)sizeof *sizes);
  for (int64_t shard = 0; sizes != NULL && shard < n_own; shard++) {
    sizes[shard] = 0;
    const int64_t *counts = cells->counts + shard * cells->n_strata;
    for (int64_t stratum = 0; stratum < cells->n_strata; stratum++) sizes[shard] += counts[stratum];
  }
  return sizes;
}

/* Refuse rows that are not those of the table. */
static bool check_own_rows(const Parts *request, const ShardCells *cells, const int64_t *sizes, Host *host) {
  static const char *const parameter = "strata";
  int64_t n_strata = cells->n_strata, n_own = cells->n_cells / n_strata, n_rows = 0;
  Codes codes = {.n_strata = n_strata};
  char got[NUMBER];
  if (!find_codes(request, &codes, host)) return false;
  for (int64_t shard = 0; shard < n_own; shard++) n_rows += sizes[shard];
  if (codes.n_rows != n_rows) {
    show_count(codes.n_rows, "value", got);
    return refuse(host, parameter, got, "have one value for each row of the shards, %lld", (long long)n_rows);
  }
  const int64_t *counts = count_cells(&codes, sizes, n_own, FOR_THE_CALL, host);
  if (counts == NULL) return false;
  for (int64_t cell = 0; cell < cells->n_cells; cell++) {
    if (counts[cell] == cells->counts[cell]) continue;
    char rows[NUMBER];
    show_number((double)counts[cell], got);
    show_count(cells->counts[cell], "row", rows);
    const double *shards = find_part(request, "shards").values;
    return refuse(
        host, parameter, got, "have the rows of 'counts': %s of {stratum %lld} in the shard {shard %lld}", rows,
        (long long)(cell % n_strata), (long long)shards[cell / n_strata]
    );
  }
  return true;
}

static bool give_doubles(const char *name, const int64_t *numbers, int64_t count, Host *host) {
  double *doubles = host->vector(host, name, DOUBLES, count);
  for (int64_t i = 0; doubles != NULL && i < count; i++) doubles[i] = (double)numbers[i];
  return doubles != NULL;
}

static bool plan_sharded(const Parts *request, Host *host) {
  ShardsPlan plan = {.n_batches = 0};
  ShardCells cells = {.n_cells = 0};
  double seed;
  bool is_shuffled = false;
  int64_t guaranteed;
  if (!read_whole(request, "seed", 0, LARGEST_SEED, &seed, host)) return false;
  if (!read_flag(request, "shuffle", &is_shuffled, host)) return false;
  if (!is_given(request, "table")) {
    return read_shards_plan(request, &plan, host) && keep_size("min_samples_per_stratum", &plan.size, host) &&
           host->keep(host, "scope") && host->keep(host, "shuffle") && host->number(host, "seed", seed);
  }
  if (!plan_shards(request, &plan, &guaranteed, host) || !check_shard_batches(&plan, guaranteed, host)) return false;
  if (!find_own_cells(request, &plan, &cells, host) || !check_own_shards(request, &cells, host)) return false;
  if (!is_given(request, "codes")) return true;
  const int64_t *sizes = sizes_of(&cells, host);
  return sizes != NULL && check_own_rows(request, &cells, sizes, host) && host->keep(host, "codes") &&
         host->number(host, "n_strata", (double)cells.n_strata) &&
         host->number(host, "n_shards", (double)plan.table.n_parts) &&
         host->number(host, "n_batches", (double)plan.n_batches) && host->keep(host, "shards") &&
         give_doubles("sizes", sizes, cells.n_cells / cells.n_strata, host) &&
         give_doubles("begins", cells.begins, cells.n_cells, host) && host->keep(host, "scope") &&
         host->flag(host, "shuffle", is_shuffled) && host->keep(host, "plan");
}

/* Read the shards of a recipe; return them in `sorted` in order of their numbers: the number * n_own + the place. */
static bool read_shards(const Parts *recipe, Sharded *self, const int64_t **sorted, Host *host) {
  int64_t n_own = self->n_own, n_shards = self->n_shards, n_rows = 0;
  int64_t *numbers = host->memory(host, FOR_THE_CALL, 2 * n_own * (int64_t)sizeof *numbers);
  self->shards = host->memory(host, FOR_THE_INSTANCE, 2 * n_own * (int64_t)sizeof *numbers);
  if (numbers == NULL || self->shards == NULL) return false;
  self->sizes = self->shards + n_own;
  if (!read_wholes(recipe, "shards", n_own, 0, (double)(n_shards - 1), self->shards, host)) return false;
  if (!read_wholes(recipe, "sizes", n_own, 0, (double)self->codes.n_rows, self->sizes, host)) return false;
  for (int64_t place = 0; place < n_own; place++) {
    numbers[place] = self->shards[place] * n_own + place;
    n_rows += self->sizes[place];
  }
  if (n_rows != self->codes.n_rows) {
    const char *got = n_rows > self->codes.n_rows ? "more" : "fewer";
    return refuse(host, "recipe", got, "have 'sizes' that add up to the rows");
  }
  *sorted = sort_naturals(numbers, numbers + n_own, n_own, bits_below((uint64_t)(n_shards * n_own)), host);
  if (*sorted == NULL) return false;
  for (int64_t i = 1; i < n_own; i++) {
    bool is_again = (*sorted)[i] / n_own == (*sorted)[i - 1] / n_own;
    if (is_again) return refuse_part(host, "shards", "different numbers of shards below %lld", (long long)n_shards);
  }
  return true;
}

/* Whether each cell begins where the cell that is dealt before it ends, if both are of this process. */
static bool begins_follow(const Sharded *self, const int64_t *sorted, bool is_local) {
  const ShardCells *cells = &self->cells;
  int64_t n_strata = cells->n_strata, n_own = self->n_own, before = -1, end = 0;
  for (int64_t i = 0; i < cells->n_cells; i++) {
    int64_t stratum = is_local ? i % n_strata : i / n_own, found = sorted[is_local ? i / n_strata : i % n_own];
    int64_t shard = found / n_own, cell = found % n_own * n_strata + stratum;
    int64_t turn = is_local ? shard * n_strata + stratum : stratum * self->n_shards + shard;
    if (turn == before + 1 && cells->begins[cell] != end) return false;
    before = turn;
    end = (cells->begins[cell] + cells->counts[cell]) % cells->n_batches;
  }
  return true;
}

static bool check_no_batch_is_empty(const Sharded *self, Host *host) {
  for (int64_t batch = 0; batch < self->cells.n_batches; batch++) {
    if (self->offsets[batch] == self->offsets[batch + 1]) {
      return refuse(host, "recipe", "a batch without rows", "give each batch a row");
    }
  }
  return true;
}

static bool prepare_sharded(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Sharded *self = instance;
  int64_t n_strata, n_batches;
  bool is_local = false;
  if (!find_codes(recipe, &self->codes, host)) return false;
  if (!read_count(recipe, "n_strata", 1, LARGEST_COUNT - 1, &n_strata, host)) return false;
  if (!read_count(recipe, "n_shards", 1, LARGEST_COUNT, &self->n_shards, host)) return false;
  if (!read_count(recipe, "n_batches", 1, (double)self->codes.n_rows, &n_batches, host)) return false;
  if (!read_scope(recipe, &is_local, host)) return false;
  if (!read_flag(recipe, "shuffle", &self->is_shuffled, host)) return false;
  if (find_part(recipe, "plan").type != TEXT) return refuse_part(host, "plan", "the fingerprint of the plan");
  Part own = find_part(recipe, "shards");
  if (own.type != DOUBLES || own.length < 1 || own.length > self->n_shards) {
    return refuse_part(host, "shards", "different numbers of shards below %lld", (long long)self->n_shards);
  }
  const int64_t *sorted = NULL;
  self->seed = seed;
  self->n_own = own.length;
  if (!read_shards(recipe, self, &sorted, host)) return false;
  ShardCells *cells = &self->cells;
  *cells = (ShardCells){self->n_own * n_strata, n_strata, n_batches, NULL, NULL};
  if (find_part(recipe, "begins").length != cells->n_cells) {
    return refuse_part(host, "begins", "one double for each stratum of each shard");
  }
  int64_t *begins = host->memory(host, FOR_THE_INSTANCE, cells->n_cells * (int64_t)sizeof *begins);
  if (begins == NULL) return false;
  if (!read_wholes(recipe, "begins", cells->n_cells, 0, (double)n_batches - 1, begins, host)) return false;
  cells->begins = begins;
  self->codes.n_strata = cells->n_strata;
  cells->counts = count_cells(&self->codes, self->sizes, self->n_own, FOR_THE_INSTANCE, host);
  if (cells->counts == NULL) return false;
  if (!begins_follow(self, sorted, is_local)) {
    return refuse(host, "recipe", "others", "have batches as 'begins' that follow from the rows dealt before");
  }
  self->offsets = find_shard_offsets(cells, FOR_THE_INSTANCE, host);
  return self->offsets != NULL && check_no_batch_is_empty(self, host);
}

/* Make what all epochs share. */
static bool make_shard_layout(Sharded *self, Host *host) {
  if (self->is_made) return true;
  int64_t n_batches = self->cells.n_batches, most = 0;
  for (int64_t shard = 0; shard < self->n_own; shard++) most = self->sizes[shard] > most ? self->sizes[shard] : most;
  int64_t *next_places = host->memory(host, FOR_THE_CALL, n_batches * (int64_t)sizeof *next_places);
  self->pool = lasting_memory(self->pool, most * (int64_t)sizeof *self->pool, host);
  self->layout = lasting_memory(self->layout, self->codes.n_rows * (int64_t)sizeof *self->layout, host);
  if (next_places == NULL || self->pool == NULL || self->layout == NULL) return false;
  memcpy(next_places, self->offsets, (size_t)n_batches * sizeof *next_places);
  self->is_made = lay_out_shards(&self->cells, next_places, self->layout, host);
  return self->is_made;
}

/* Fill the rows of an epoch. */
static bool scatter_shards(Sharded *self, Generator *generator, uint32_t epoch, int32_t *rows, Host *host) {
  int64_t n_strata = self->cells.n_strata, first_row = 0, since = 0;
  const int64_t *counts = self->cells.counts;
  Scattering part = {.code_bytes = self->codes.bytes != NULL ? 1 : 4, .layout = self->layout, .rows = rows};
  part.cursors = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *part.cursors);
  if (part.cursors == NULL) return false;
  for (int64_t shard = 0; shard < self->n_own; shard++) {
    int64_t place = first_row;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      part.cursors[stratum] = place;
      place += *counts++;
    }
    if (place == first_row) continue;
    part.n_rows = place - first_row;
    part.first_row = (int32_t)first_row + host->first_row;
    part.codes = self->codes.bytes != NULL ? (const void *)(self->codes.bytes + first_row)
                                           : (const void *)(self->codes.integers + first_row);
    uint32_t number = (uint32_t)self->shards[shard];
    if (self->is_shuffled) seed_generator(generator, part_seed(self->seed, epoch, self->n_shards, number));
    if (!scatter(&part, generator, self->is_shuffled ? self->pool : NULL, host)) return false;
    first_row = place;
    if (!may_go_on(&since, part.n_rows, host)) return false;
  }
  return true;
}

static bool draw_sharded(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  Sharded *self = instance;
  if (!check_part_epoch(epoch, self->n_shards, host) || !make_shard_layout(self, host)) return false;
  int64_t n_offsets = self->cells.n_batches + 1;
  int32_t *rows = host->vector(host, "rows", INTEGERS, self->codes.n_rows);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, n_offsets);
  if (offsets == NULL) return false;
  memcpy(offsets, self->offsets, (size_t)n_offsets * sizeof *offsets);
  return scatter_shards(self, generator, epoch, rows, host);
}

static void identify_sharded(const void *instance, const Parts *recipe, Identity *identity) {
  const Sharded *self = instance;
  identity->has_unused_seed = !self->is_shuffled;
  identity->only = find_part(recipe, "plan").values; /* the same in all processes, whichever shards they have */
}

const Kind sharded_kind = {
    .name = "sharded",
    .instance_bytes = sizeof(Sharded),
    .plan = plan_sharded,
    .prepare = prepare_sharded,
    .draw = draw_sharded,
    .identify = identify_sharded,
};
