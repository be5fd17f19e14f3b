/* Batches of a few strata each: P strata with m rows of each of them, at least, or exactly.
 *
 * A stratum of n_s rows has b_s = n_s / m blocks, rounded down. An epoch has B batches, the largest number for which
 * the sum of min(b_s, B) is at least P * B, and stratum s is in min(b_s, B) of them; a rare one, with fewer than m
 * rows, is in one, or in none if batches are exact. A mean size determines B instead, and m is then the largest number
 * for which that holds. In exact epochs, surplus blocks are left out in turn: the blocks of all strata form a line, and
 * epoch e leaves out the x surplus ones from place e * x on, cyclically. The rows of a stratum are taken in turn, in
 * their order of epoch 0.
 *
 * Balanced batches are exact, and all strata with at least m rows come equally often, by equal_exposure.h.
 */

#include "core/batch_numbers.h"
#include "core/blocks.h"
#include "core/epoch_order.h"
#include "core/equal_exposure.h"
#include "core/kinds.h"
#include "core/plan.h"

typedef struct {
  Codes codes;
  int64_t n_batches, strata_per_batch, minimum;
  bool exact, is_balanced;
  int64_t *n_blocks; /* of each stratum; in exact epochs, the most */
  int64_t n_all;     /* their sum */
  int64_t n_over;    /* the surplus of it in an exact epoch */
  uint32_t seed;
  int64_t *starts;   /* n_strata + 1: where the rows of a stratum begin in `walk` */
  int32_t *walk;     /* the rows, stratum by stratum, in the order of epoch 0; made by the first exact epoch */
  bool is_made;
} StrataSubset;

/* In the order of the choices of "balance". */
enum { UNBALANCED, BALANCED_MEAN, BALANCED_OVER, BALANCED_UNDER, BALANCED_NUMBER };

/* The arguments of a user. */
typedef struct {
  SizeRequest size; /* a mean leaves the minimum 0 until a plan finds it */
  double strata_per_batch, each, num_replicas; /* `each` is the number of rows that balances */
  bool exact;
  int balance, rare;
} SubsetRequest;

static bool read_subset_balance(const Parts *request, SubsetRequest *wanted, Host *host) {
  static const char *const choices[] = {"mean", "over", "under"};
  static const char *const required = "be 'mean', 'over', 'under' or a positive integer";
  if (!read_choice_or_rows(request, "balance", choices, 3, required, &wanted->balance, &wanted->each, host)) {
    return false;
  }
  wanted->exact = wanted->exact || wanted->balance != UNBALANCED;
  return true;
}

/* Refuse a mean size of batches whose size P and m determine. */
static bool check_mean_of_subset(const SubsetRequest *wanted, Host *host) {
  if (!wanted->size.has_mean || !wanted->exact) return true;
  const char *name = wanted->balance == UNBALANCED ? "exact" : "balance";
  refuse(host, name, NULL, "be left out if 'mean_batch_size' is given");
  return advise(host, "Give 'min_samples_per_stratum': each batch has that many rows of 'strata_per_batch' strata.");
}

static bool read_subset(const Parts *request, SubsetRequest *wanted, Host *host) {
  return read_whole(request, "strata_per_batch", 1, INFINITY, &wanted->strata_per_batch, host) &&
         read_one_size(request, &wanted->size, host) &&
         read_flag(request, "exact", &wanted->exact, host) && read_subset_balance(request, wanted, host) &&
         check_mean_of_subset(wanted, host) &&
         read_rare_choice(request, RARE_ALLOW + 1, &wanted->rare, host) &&
         read_missing(request, host) &&
         read_sharing(request, &wanted->num_replicas, host);
}

/* Make the settings of the request the result. */
static bool keep_subset(const Parts *request, const SubsetRequest *wanted, Host *host) {
  return host->number(host, "strata_per_batch", wanted->strata_per_batch) &&
         keep_size("min_samples_per_stratum", &wanted->size, host) && host->keep(host, "exact") &&
         give_number("balance", wanted->balance == BALANCED_NUMBER, wanted->each, host) &&
         host->keep(host, "rare") && host->keep(host, "missing") && keep_sharing(request, wanted->num_replicas, host);
}

/* Find the largest B for which the sum of min(n_blocks, B) is at least wanted * B; the difference is concave in B. */
static int64_t most_batches(const int64_t *n_blocks, int64_t n_strata, int64_t wanted) {
  int64_t n_all = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) n_all += n_blocks[stratum];
  int64_t least = 1, beyond = n_all / wanted + 1;
  while (beyond - least > 1) {
    int64_t middle = (least + beyond) / 2, held = 0;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) held += smaller(n_blocks[stratum], middle);
    if (held >= wanted * middle) {
      least = middle;
    } else {
      beyond = middle;
    }
  }
  return least;
}

/* Return whether the strata have blocks of `minimum` rows for all batches. */
static bool have_blocks(const Codes *codes, int64_t n_batches, int64_t strata_per_batch, int64_t minimum) {
  int64_t held = 0;
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    held += smaller(codes->counts[stratum] / minimum, n_batches);
  }
  return held >= strata_per_batch * n_batches;
}

/* Find the number of batches of a mean size, and the largest minimum with which the strata have blocks for them. The
 * minimum is left at 1 if there are fewer strata than P, or fewer rows than batches need.
 */
static bool find_subset_minimum(
    const Parts *request, const Codes *codes, SubsetRequest *wanted, int64_t *n_batches, Host *host
) {
  int64_t n_rows = rows_of_strata(codes), strata_per_batch = (int64_t)fmin(wanted->strata_per_batch, LARGEST_COUNT);
  bool has_strata = wanted->strata_per_batch <= (double)codes->n_strata;
  int64_t most = has_strata ? most_batches(codes->counts, codes->n_strata, strata_per_batch) : LARGEST_COUNT;
  if (!batches_by_mean(request, n_rows, wanted->size.mean, wanted->num_replicas, most, n_batches, host)) return false;
  wanted->size.minimum = 1;
  if (!has_strata) return true;
  int64_t kept = 1, too_large = n_rows + 1;
  while (too_large - kept > 1) {
    int64_t middle = (kept + too_large) / 2;
    if (have_blocks(codes, *n_batches, strata_per_batch, middle)) {
      kept = middle;
    } else {
      too_large = middle;
    }
  }
  wanted->size.minimum = (double)kept;
  return true;
}

/* Refuse the minimum that a mean size makes, if the smallest stratum does not have it. */
static bool refuse_rare_of_mean(const Codes *codes, const SizeRequest *size, Host *host) {
  int64_t smallest = smallest_stratum(codes), count = codes->counts[smallest];
  if ((double)count >= size->minimum) return true;
  char shown[NUMBER], got[SENTENCE];
  snprintf(got, SENTENCE, "%s, for %.0f rows,", show_number(size->mean, shown), size->minimum);
  host->refusal.stratum = smallest;
  refuse(
      host, "mean_batch_size", got,
      "make batches with at most %lld row%s of a stratum: the smallest stratum, '{stratum}', has %lld row%s",
      (long long)count, plural(count), (long long)count, plural(count)
  );
  return advise(host, "Lower " RARE_ADVICE);
}

/* Check that there are at most as many batches as there can be with a row of each of P strata. */
static bool check_subset_batches(
    const Codes *codes, const SubsetRequest *wanted, const int64_t *n_blocks, int64_t n_batches, Host *host
) {
  int64_t strata_per_batch = (int64_t)wanted->strata_per_batch, replicas = (int64_t)wanted->num_replicas;
  int64_t most = most_batches(n_blocks, codes->n_strata, strata_per_batch);
  if (n_batches <= most) return true;
  char reason[SENTENCE];
  snprintf(
      reason, SENTENCE, "more cannot all have a row of %lld strat%s", (long long)strata_per_batch,
      strata_per_batch == 1 ? "um" : "a"
  );
  most -= most % replicas; /* at least one for each replica, as find_subset_minimum() has checked */
  return refuse_mean(wanted->size.mean, n_batches, rows_of_strata(codes), most, replicas, reason, host);
}

/* Find the number of batches with which n_sampled strata have the rows that balance them, on average. */
static bool balanced_batches(
    const Codes *codes, const SubsetRequest *wanted, int64_t n_sampled, int64_t *n_batches, Host *host
) {
  int64_t minimum = (int64_t)wanted->size.minimum, size = (int64_t)wanted->strata_per_batch * minimum;
  int64_t n_rows = 0, fewest = LARGEST_COUNT, most = 0;
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    int64_t count = codes->counts[stratum];
    if (count < minimum) continue;
    n_rows += count;
    fewest = smaller(fewest, count);
    most = count > most ? count : most;
  }
  double each = wanted->balance == BALANCED_OVER ? (double)most : (double)fewest;
  if (wanted->balance == BALANCED_NUMBER) each = wanted->each;
  double total = wanted->balance == BALANCED_MEAN ? (double)n_rows : each * (double)n_sampled;
  if (total > (double)LARGEST_COUNT) return refuse_large_epoch("balance", host);
  *n_batches = (2 * (int64_t)total + size) / (2 * size);
  if (*n_batches == 0) *n_batches = 1;
  return *n_batches * size <= LARGEST_COUNT || refuse_large_epoch("balance", host);
}

/* The number of batches of an epoch, at most, that hold a stratum if all come equally often. */
static int64_t balanced_blocks(int64_t n_batches, int64_t strata_per_batch, int64_t n_sampled) {
  return quotient_up(n_batches * strata_per_batch, n_sampled);
}

/* Choose the number of batches and the blocks of each stratum; of a mean size, also the minimum. */
static bool plan_blocks(
    const Parts *request, const Codes *codes, SubsetRequest *wanted, int64_t *n_blocks, int64_t *n_batches, Host *host
) {
  bool has_mean = wanted->size.has_mean;
  if (has_mean && !find_subset_minimum(request, codes, wanted, n_batches, host)) return false;
  int64_t minimum = limited(wanted->size.minimum);
  int64_t n_rare = 0, n_strata = codes->n_strata, most_rows = 0;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    n_blocks[stratum] = codes->counts[stratum] / minimum;
    n_rare += n_blocks[stratum] == 0;
    if (codes->counts[stratum] > most_rows) most_rows = codes->counts[stratum];
  }
  if (wanted->rare == RARE_ERROR) {
    bool has_rows = has_mean ? refuse_rare_of_mean(codes, &wanted->size, host)
                             : refuse_rare(request, codes, wanted->size.minimum, host);
    if (!has_rows) return n_rare == n_strata && advise(host, "Lower it.");
  }
  if (n_rare == n_strata) {
    return refuse(
        host, "min_samples_per_stratum", NULL, "be at most %lld, the rows of the largest stratum", (long long)most_rows
    );
  }
  if (wanted->strata_per_batch > (double)(n_strata - n_rare)) {
    char shown[NUMBER];
    return refuse(
        host, "strata_per_batch", number_read(request, "strata_per_batch", wanted->strata_per_batch, shown),
        "be at most %lld, the number of strata with at least %.0f row%s", (long long)(n_strata - n_rare),
        wanted->size.minimum, wanted->size.minimum == 1 ? "" : "s"
    );
  }
  int64_t strata_per_batch = (int64_t)wanted->strata_per_batch, n_sampled = n_strata - n_rare;
  bool is_balanced = wanted->balance != UNBALANCED;
  if (has_mean) {
    if (!check_subset_batches(codes, wanted, n_blocks, *n_batches, host)) return false;
  } else if (!is_balanced) {
    *n_batches = most_batches(n_blocks, n_strata, strata_per_batch);
  } else if (!balanced_batches(codes, wanted, n_sampled, n_batches, host)) {
    return false;
  }
  if (!share_batches(request, wanted->num_replicas, n_batches, host)) return false;
  if (wanted->rare == RARE_WARN) {
    const char *consequence = wanted->exact ? "they are never sampled" : "they are in one batch, all rows of each";
    warn_of_rare(n_rare, n_strata, wanted->size.minimum, consequence, host);
  }
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    if (n_blocks[stratum] == 0 && !wanted->exact) n_blocks[stratum] = 1;
    if (is_balanced && n_blocks[stratum] > 0) {
      n_blocks[stratum] = balanced_blocks(*n_batches, strata_per_batch, n_sampled);
    }
    n_blocks[stratum] = smaller(n_blocks[stratum], *n_batches);
  }
  return true;
}

static bool plan_strata_subset(const Parts *request, Host *host) {
  SubsetRequest wanted = {0};
  if (!read_subset(request, &wanted, host)) return false;
  if (!is_given(request, "codes")) return keep_subset(request, &wanted, host);
  Codes codes;
  if (!read_codes(request, FOR_THE_CALL, &codes, host)) return false;
  int64_t *n_blocks = host->memory(host, FOR_THE_CALL, codes.n_strata * (int64_t)sizeof *n_blocks);
  int64_t n_batches = 0;
  if (n_blocks == NULL || !plan_blocks(request, &codes, &wanted, n_blocks, &n_batches, host)) return false;
  bool kept = host->keep(host, "codes") && host->number(host, "n_strata", (double)codes.n_strata) &&
              host->number(host, "n_batches", (double)n_batches) &&
              host->number(host, "strata_per_batch", wanted.strata_per_batch) &&
              host->number(host, "min_samples_per_stratum", wanted.size.minimum) &&
              host->flag(host, "exact", wanted.exact) &&
              (wanted.balance == UNBALANCED || host->flag(host, "balanced", true));
  double *blocks = kept ? host->vector(host, "blocks", DOUBLES, codes.n_strata) : NULL;
  if (blocks == NULL) return false;
  for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) blocks[stratum] = (double)n_blocks[stratum];
  return true;
}

/* Refuse blocks with which strata would not come equally often. */
static bool check_balanced(const StrataSubset *self, Host *host) {
  int64_t n_sampled = 0;
  for (int64_t stratum = 0; stratum < self->codes.n_strata; stratum++) {
    n_sampled += self->codes.counts[stratum] >= self->minimum;
  }
  double n_drawn = (double)self->n_batches * (double)self->strata_per_batch * (double)self->minimum;
  if (self->strata_per_batch > n_sampled || n_drawn > (double)LARGEST_COUNT || !self->exact) {
    return refuse(host, "recipe", "others", "have strata and rows for balanced batches");
  }
  int64_t expected = balanced_blocks(self->n_batches, self->strata_per_batch, n_sampled);
  for (int64_t stratum = 0; stratum < self->codes.n_strata; stratum++) {
    if (self->n_blocks[stratum] == (self->codes.counts[stratum] >= self->minimum ? expected : 0)) continue;
    return refuse(host, "recipe", "others", "have the same blocks of all strata that are sampled");
  }
  return true;
}

/* Refuse blocks that the strata or the batches do not have. */
static bool check_blocks(StrataSubset *self, Host *host) {
  if (self->is_balanced) return check_balanced(self, host);
  for (int64_t stratum = 0; stratum < self->codes.n_strata; stratum++) {
    int64_t count = self->codes.counts[stratum], n_blocks = self->n_blocks[stratum];
    if (count < n_blocks * (self->exact ? self->minimum : 1)) {
      return refuse(host, "recipe", "fewer", "have rows for the blocks of each stratum");
    }
    if (n_blocks == 0 && count > 0 && !self->exact) {
      return refuse(host, "recipe", "none", "have a block for the rows of each stratum");
    }
    self->n_all += n_blocks;
  }
  self->n_over = self->n_all - self->strata_per_batch * self->n_batches;
  return self->n_over >= 0 || refuse(host, "recipe", "fewer", "have the blocks for all batches");
}

static bool prepare_strata_subset(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  StrataSubset *self = instance;
  if (!read_codes(recipe, FOR_THE_INSTANCE, &self->codes, host)) return false;
  int64_t n_strata = self->codes.n_strata;
  if (!read_flag_if_given(recipe, "balanced", &self->is_balanced, host)) return false;
  double most = self->is_balanced ? (double)LARGEST_COUNT : (double)self->codes.n_rows;
  if (!read_count(recipe, "n_batches", 1, most, &self->n_batches, host)) return false;
  if (!read_flag(recipe, "exact", &self->exact, host)) return false;
  if (!read_count(recipe, "strata_per_batch", 1, LARGEST_COUNT, &self->strata_per_batch, host)) return false;
  if (!read_count(recipe, "min_samples_per_stratum", 1, LARGEST_COUNT, &self->minimum, host)) return false;
  self->n_blocks = host->memory(host, FOR_THE_INSTANCE, (2 * n_strata + 1) * (int64_t)sizeof *self->n_blocks);
  if (self->n_blocks == NULL) return false;
  if (!read_wholes(recipe, "blocks", n_strata, 0, (double)self->n_batches, self->n_blocks, host)) return false;
  self->seed = seed;
  self->starts = self->n_blocks + n_strata;
  fill_starts(self->codes.counts, n_strata, self->starts);
  return check_blocks(self, host);
}

/* Find the order in which exact epochs take the rows of the strata. */
static bool make_walk(StrataSubset *self, Host *host) {
  const Codes *codes = &self->codes;
  if (self->is_made) return true;
  Generator generator;
  seed_generator(&generator, self->seed);
  OrderParts order;
  int64_t n_kept = self->starts[codes->n_strata];
  int64_t *next = host->memory(host, FOR_THE_CALL, codes->n_strata * (int64_t)sizeof *next);
  if (next == NULL || !begin_order(&order, &generator, codes->n_rows, host)) return false;
  int32_t *walk = self->walk = lasting_memory(self->walk, n_kept * (int64_t)sizeof *walk, host);
  if (walk == NULL) return false;
  memcpy(next, self->starts, (size_t)codes->n_strata * sizeof *next);
  while (order.done < order.n_rows) {
    int64_t size = next_part(&order);
    for (int64_t i = 0; i < size; i++) {
      int64_t stratum = code_of(codes, order.rows[i]);
      if (stratum < codes->n_strata) walk[next[stratum]++] = order.rows[i];
    }
    if (!host->go_on(host)) return false;
  }
  self->is_made = true;
  return true;
}

/* Return how many blocks of each stratum all epochs before one have left out. */
static void count_left_out(const StrataSubset *self, int64_t epoch, int64_t *left_out) {
  int64_t rounds = epoch * self->n_over / self->n_all, place = epoch * self->n_over % self->n_all;
  for (int64_t stratum = 0; stratum < self->codes.n_strata; stratum++) {
    int64_t n_blocks = self->n_blocks[stratum], within = place < 0 ? 0 : smaller(place, n_blocks);
    left_out[stratum] = rounds * n_blocks + within;
    place -= n_blocks;
  }
}

/* Choose the blocks and the rows of an exact epoch: fill n_blocks and counts, and the codes of the epoch, which have
 * n_strata for rows that it leaves out, and are bytes or integers as those of all rows. `before` has room for n_strata.
 */
static bool choose_rows(
    const StrataSubset *self, int64_t epoch, int64_t *before, int64_t *n_blocks, int64_t *counts, uint8_t *bytes,
    int32_t *integers, Host *host
) {
  int64_t n_strata = self->codes.n_strata, since = 0;
  if (bytes != NULL) memset(bytes, (int)n_strata, (size_t)self->codes.n_rows);
  for (int64_t row = 0; integers != NULL && row < self->codes.n_rows; row++) integers[row] = (int32_t)n_strata;
  count_left_out(self, epoch, before);
  count_left_out(self, epoch + 1, n_blocks);
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    int64_t n_rows = self->codes.counts[stratum], most = self->n_blocks[stratum];
    const int32_t *walk = self->walk + self->starts[stratum];
    n_blocks[stratum] = most - (n_blocks[stratum] - before[stratum]);
    counts[stratum] = n_blocks[stratum] * self->minimum;
    /* Where the rows that all earlier epochs have taken end. */
    int64_t place = n_rows == 0 ? 0 : (most * epoch - before[stratum]) * self->minimum % n_rows;
    for (int64_t taken = 0; taken < counts[stratum]; taken++) {
      if (bytes != NULL) {
        bytes[walk[place]] = (uint8_t)stratum;
      } else {
        integers[walk[place]] = (int32_t)stratum;
      }
      place = place + 1 == n_rows ? 0 : place + 1;
    }
    if (!may_go_on(&since, counts[stratum], host)) return false;
  }
  return true;
}

/* Gather the rows in the order of the epoch, and deal the blocks. */
static bool fill_blocks(
    Blocks *blocks, OrderParts *order, const uint8_t *bytes, const int32_t *integers, int64_t *ranks, Host *host
) {
  int64_t n_strata = blocks->n_strata;
  int64_t bytes_of_dealing = (7 * n_strata + blocks->n_batches + 1) * (int64_t)sizeof(int32_t);
  int32_t *memory = host->memory(host, FOR_THE_CALL, bytes_of_dealing);
  if (memory == NULL) return false;
  memset(ranks, 0, 2 * (size_t)n_strata * sizeof *ranks);
  while (order->done < order->n_rows) {
    int64_t begin = order->done, size = next_part(order);
    gather_blocks(
        order->rows, begin, size, bytes, integers, host->first_row, ranks, ranks + n_strata, blocks
    );
    if (!host->go_on(host)) return false;
  }
  Dealing dealing = {.heap = memory, .keys = memory + n_strata, .always = memory + 2 * n_strata};
  dealing.left = memory + 3 * n_strata;
  dealing.next = memory + 4 * n_strata;
  dealing.previous = memory + 5 * n_strata;
  dealing.heads = memory + 7 * n_strata;
  return deal_blocks(blocks, &dealing, memory + 6 * n_strata, host);
}

/* Make the rows and the offsets of dealt blocks the result. */
static bool give_blocks(const Blocks *blocks, Host *host) {
  int64_t n_places = blocks->n_batches + 1;
  int32_t *rows = host->vector(host, "rows", INTEGERS, blocks->starts[blocks->n_strata]);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, n_places);
  int64_t *next_places = offsets == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_places * (int64_t)sizeof *offsets);
  if (next_places == NULL) return false;
  memset(offsets, 0, (size_t)n_places * sizeof *offsets);
  fill_block_offsets(blocks, offsets);
  memcpy(next_places, offsets, (size_t)n_places * sizeof *offsets);
  return write_blocks(blocks, next_places, rows, host);
}

/* Draw an epoch in which strata come equally often, and their rows, too, by the takes of number 1 + stratum. */
static bool draw_balanced(StrataSubset *self, Generator *generator, uint32_t epoch, Host *host) {
  const Codes *codes = &self->codes;
  int64_t each = self->minimum, size = self->strata_per_batch * each, n_batches = self->n_batches, since = 0;
  Exposure exposure = {.n_batches = n_batches, .strata_per_batch = self->strata_per_batch, .seed = self->seed};
  exposure.most = exposure.n_orders = codes->n_strata + 1;
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    exposure.n_strata += codes->counts[stratum] >= each;
    exposure.most = codes->counts[stratum] > exposure.most ? codes->counts[stratum] : exposure.most;
  }
  ExposureEpoch drawn = {.taken = NULL};
  int64_t *ends = host->memory(host, FOR_THE_CALL, n_batches * (int64_t)sizeof *ends);
  int32_t *rows = ends == NULL ? NULL : host->vector(host, "rows", INTEGERS, n_batches * size);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, n_batches + 1);
  if (offsets == NULL || !make_walk(self, host)) return false;
  if (!draw_exposure(&exposure, generator, epoch, &drawn, host)) return false;
  for (int64_t batch = 0; batch <= n_batches; batch++) offsets[batch] = batch * size;
  memcpy(ends, offsets, (size_t)n_batches * sizeof *ends);
  for (int64_t stratum = 0, i = 0; stratum < codes->n_strata; stratum++) {
    if (codes->counts[stratum] < each) continue;
    const int32_t *walk = self->walk + self->starts[stratum], *batches = drawn.batches + drawn.begins[i];
    int64_t n_times = drawn.begins[i + 1] - drawn.begins[i], earlier = drawn.earlier[i++];
    if (n_times > 0) begin_takes(&drawn.cycles, codes->counts[stratum], each, 1 + stratum, earlier);
    for (int64_t time = 0; time < n_times; time++) {
      int32_t *numbers = rows + ends[batches[time]];
      fill_take(&drawn.cycles, each, drawn.taken, numbers);
      for (int64_t row = 0; row < each; row++) numbers[row] = walk[numbers[row]] + host->first_row;
      ends[batches[time]] += each;
    }
    if (!may_go_on(&since, each * n_times, host)) return false;
  }
  return true;
}

static bool draw_strata_subset(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  StrataSubset *self = instance;
  if (self->is_balanced) return draw_balanced(self, generator, epoch, host);
  const Codes *codes = &self->codes;
  int64_t n_strata = codes->n_strata;
  const uint8_t *bytes = codes->bytes;
  const int32_t *integers = codes->integers;
  int64_t *memory = host->memory(host, FOR_THE_CALL, (6 * n_strata + 2) * (int64_t)sizeof *memory);
  OrderParts order;
  if (memory == NULL || !begin_order(&order, generator, codes->n_rows, host)) return false;
  int64_t *ranks = memory, *starts = memory + 2 * n_strata, *begins = starts + n_strata + 1;
  Blocks blocks = {.n_strata = n_strata, .n_batches = self->n_batches, .starts = starts, .begins = begins};
  blocks.counts = codes->counts;
  blocks.n_blocks = self->n_blocks;
  if (self->exact) {
    int64_t *n_blocks = begins + n_strata + 1, *counts = n_blocks + n_strata;
    int64_t width = bytes != NULL ? 1 : (int64_t)sizeof(int32_t);
    void *chosen = host->memory(host, FOR_THE_CALL, codes->n_rows * width);
    if (chosen == NULL || !make_walk(self, host)) return false;
    uint8_t *chosen_bytes = bytes != NULL ? chosen : NULL;
    int32_t *chosen_integers = bytes != NULL ? NULL : chosen;
    if (!choose_rows(self, epoch, ranks, n_blocks, counts, chosen_bytes, chosen_integers, host)) return false;
    bytes = chosen_bytes;
    integers = chosen_integers;
    blocks.counts = counts;
    blocks.n_blocks = n_blocks;
  }
  fill_starts(blocks.counts, n_strata, starts);
  fill_starts(blocks.n_blocks, n_strata, begins);
  blocks.n_all = begins[n_strata];
  int64_t n_numbers = starts[n_strata] + 2 * blocks.n_all;
  blocks.sequences = host->memory(host, FOR_THE_CALL, n_numbers * (int64_t)sizeof *blocks.sequences);
  if (blocks.sequences == NULL) return false;
  blocks.firsts = blocks.sequences + starts[n_strata];
  blocks.batch_of = blocks.firsts + blocks.n_all;
  return fill_blocks(&blocks, &order, bytes, integers, ranks, host) && give_blocks(&blocks, host);
}

const Kind strata_subset_kind = {
    .name = "strata_subset",
    .instance_bytes = sizeof(StrataSubset),
    .plan = plan_strata_subset,
    .prepare = prepare_strata_subset,
    .draw = draw_strata_subset,
};
