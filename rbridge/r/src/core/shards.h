/* The rows of shards, dealt to batches in turn.
 *
 * A cell is the rows of one stratum in one shard. Its row of rank i, from 0, is in batch (begin + i) modulo n_batches,
 * where `begin` is the batch after that of the last row before the cell. The cells are dealt stratum by stratum and
 * within it shard by shard, or, if what is promised is local, shard by shard and within it stratum by stratum.
 */

#ifndef PYSTRAT_SHARDS_H
#define PYSTRAT_SHARDS_H

#include "batch_numbers.h"
#include "counts_table.h"
#include "random.h"
#include "sorting.h"
#include "turns.h"

/* The plan of all shards. */
typedef struct {
  CountsTable table;
  bool is_local;
  SizeRequest size;  /* that was asked for */
  int64_t n_batches; /* below 2^53 */
} ShardsPlan;

/* Some cells, shard by shard, in memory of the host. */
typedef struct {
  int64_t n_cells, n_strata, n_batches;
  const int64_t *counts; /* n_cells: the rows of each cell */
  const int64_t *begins; /* n_cells: the batch of the first row, from 0 to n_batches - 1 */
} ShardCells;

/* Read what is promised, of a request or a recipe. */
static inline bool read_scope(const Parts *parts, bool *is_local, Host *host) {
  static const char *const scopes[] = {"global", "local"};
  int scope = 0;
  if (!read_choice(parts, "scope", scopes, 2, &scope, host)) return false;
  *is_local = scope == 1;
  return true;
}

/* Read what needs no table. */
static inline bool read_shards_plan(const Parts *request, ShardsPlan *plan, Host *host) {
  return read_one_size(request, &plan->size, host) && read_scope(request, &plan->is_local, host);
}

/* Choose the number of batches by the mean size; refuse more than `most`; `reason` says why. */
static inline bool choose_by_mean_of_shards(
    const Parts *request, ShardsPlan *plan, int64_t most, const char *reason, Host *host
) {
  int64_t n_rows = 0;
  for (int64_t cell = 0; cell < plan->table.n_parts * plan->table.n_strata; cell++) n_rows += plan->table.counts[cell];
  if (!batches_by_mean(request, n_rows, plan->size.mean, 1, LARGEST_COUNT, &plan->n_batches, host)) return false;
  if (plan->n_batches <= most) return true;
  refuse_mean(plan->size.mean, plan->n_batches, n_rows, most, 1, reason, host);
  return advise(host, "Raise it.");
}

/* Choose the number of batches; refuse a minimum above `most` rows; `reason` says why. */
static inline bool choose_shard_batches(
    const Parts *request, ShardsPlan *plan, int64_t most, const char *reason, Host *host
) {
  double minimum = plan->size.minimum;
  if (plan->size.has_mean) return choose_by_mean_of_shards(request, plan, most, reason, host);
  if (minimum <= (double)most) {
    plan->n_batches = most / (int64_t)minimum;
    return true;
  }
  char shown[NUMBER];
  refuse(
      host, "min_samples_per_stratum", number_read(request, "min_samples_per_stratum", minimum, shown),
      "be at most %lld: %s", (long long)most, reason
  );
  return advise(host, "Lower it.");
}

/* Find the most rows of every stratum that a batch can be guaranteed to have: over all shards. */
static inline bool find_most_of_all(const Parts *request, ShardsPlan *plan, int64_t *most, Host *host) {
  const int64_t *totals = count_strata(&plan->table, host);
  if (totals == NULL) return false;
  int64_t smallest = smallest_of(totals, plan->table.n_strata);
  char got[SENTENCE], reason[SENTENCE], rows[NUMBER];
  if (totals[smallest] == 0) {
    snprintf(got, SENTENCE, "none of {stratum %lld}", (long long)smallest);
    return refuse(host, "counts", got, "have a row of each stratum");
  }
  if (plan->is_local) return true;
  *most = totals[smallest];
  show_count(*most, "row", rows);
  snprintf(reason, SENTENCE, "the smallest stratum, {stratum %lld}, has %s", (long long)smallest, rows);
  return choose_shard_batches(request, plan, *most, reason, host);
}

/* The same of every shard. */
static inline bool find_most_of_shards(const Parts *request, ShardsPlan *plan, int64_t *most, Host *host) {
  int64_t n_strata = plan->table.n_strata, cell = smallest_of(plan->table.counts, plan->table.n_parts * n_strata);
  long long shard = (long long)(cell / n_strata), stratum = (long long)(cell % n_strata);
  *most = plan->table.counts[cell];
  if (*most == 0) {
    return refuse(
        host, "scope", "'local'",
        "be 'global' if a shard has no row of a stratum, as the shard {shard %lld} has none of {stratum %lld}", shard,
        stratum
    );
  }
  char reason[SENTENCE], rows[NUMBER];
  show_count(*most, "row", rows);
  snprintf(reason, SENTENCE, "the shard {shard %lld} has %s of {stratum %lld}", shard, rows, stratum);
  return choose_shard_batches(request, plan, *most, reason, host);
}

/* Read the table and choose the number of batches; return in `guaranteed` the minimum that they have. */
static inline bool plan_shards(const Parts *request, ShardsPlan *plan, int64_t *guaranteed, Host *host) {
  int64_t most = 0;
  if (!read_shards_plan(request, plan, host) || !read_counts_table(request, &plan->table, host)) return false;
  if (!find_most_of_all(request, plan, &most, host)) return false;
  if (plan->is_local && !find_most_of_shards(request, plan, &most, host)) return false;
  *guaranteed = most / plan->n_batches;
  return true;
}

/* Refuse more batches than can be drawn. */
static inline bool check_shard_batches(const ShardsPlan *plan, int64_t guaranteed, Host *host) {
  if (plan->n_batches <= LARGEST_COUNT) return true;
  char got[SENTENCE], shown[NUMBER];
  const char *name = plan->size.has_mean ? "mean_batch_size" : "min_samples_per_stratum";
  show_number(plan->size.has_mean ? plan->size.mean : (double)guaranteed, shown);
  snprintf(got, SENTENCE, "%s, for %lld batches,", shown, (long long)plan->n_batches);
  refuse(host, name, got, "make at most %d batches", LARGEST_COUNT);
  return advise(host, "Raise it.");
}

/* Return the batch of the first row of each cell of the table, in memory of the call; or NULL. */
static inline int64_t *begin_cells(const ShardsPlan *plan, Host *host) {
  int64_t n_strata = plan->table.n_strata, n_shards = plan->table.n_parts, begin = 0;
  int64_t n_outer = plan->is_local ? n_shards : n_strata, n_inner = plan->is_local ? n_strata : n_shards;
  int64_t *begins = host->memory(host, FOR_THE_CALL, n_shards * n_strata * (int64_t)sizeof *begins);
  if (begins == NULL) return NULL;
  for (int64_t outer = 0; outer < n_outer; outer++) {
    for (int64_t inner = 0; inner < n_inner; inner++) {
      int64_t cell = plan->is_local ? outer * n_strata + inner : inner * n_strata + outer;
      begins[cell] = begin;
      begin = (begin + plan->table.counts[cell]) % plan->n_batches;
    }
  }
  return begins;
}

/* Find the cells of the shards of a process, whose places in the table are "shards", in memory of the call. */
static inline bool find_own_cells(const Parts *request, const ShardsPlan *plan, ShardCells *cells, Host *host) {
  Part own = find_part(request, "shards");
  const double *shards = own.values;
  int64_t n_strata = plan->table.n_strata, n_shards = plan->table.n_parts;
  if (own.type != DOUBLES || own.length < 1 || own.length > n_shards) {
    return refuse(host, "shards", "others", "be doubles, one for each shard");
  }
  *cells = (ShardCells){.n_cells = own.length * n_strata, .n_strata = n_strata, .n_batches = plan->n_batches};
  const int64_t *all_begins = begin_cells(plan, host);
  int64_t *counts = host->memory(host, FOR_THE_CALL, 2 * cells->n_cells * (int64_t)sizeof *counts);
  if (all_begins == NULL || counts == NULL) return false;
  int64_t *begins = counts + cells->n_cells;
  for (int64_t place = 0; place < own.length; place++) {
    if (!(shards[place] >= 0 && shards[place] < (double)n_shards)) {
      return refuse(host, "shards", "others", "be numbers of shards below %lld", (long long)n_shards);
    }
    size_t bytes = (size_t)n_strata * sizeof *counts;
    memcpy(counts + place * n_strata, plan->table.counts + (int64_t)shards[place] * n_strata, bytes);
    memcpy(begins + place * n_strata, all_begins + (int64_t)shards[place] * n_strata, bytes);
  }
  cells->counts = counts;
  cells->begins = begins;
  return true;
}

/* Find the fewest rows of cells in a batch, without counting those of each batch.
 *
 * Each cell has one row more in the batches from its begin to where its rows end, around the last batch.
 */
static inline bool find_fewest(const ShardCells *cells, int64_t *fewest, Host *host) {
  int64_t n_cells = cells->n_cells, n_batches = cells->n_batches, whole = 0, more = 0;
  int64_t *begins = host->memory(host, FOR_THE_CALL, 3 * n_cells * (int64_t)sizeof *begins);
  if (begins == NULL) return false;
  int64_t *ends = begins + n_cells, *spare = ends + n_cells;
  for (int64_t cell = 0; cell < n_cells; cell++) {
    whole += cells->counts[cell] / n_batches;
    begins[cell] = cells->begins[cell];
    ends[cell] = begins[cell] + cells->counts[cell] % n_batches;
    more += ends[cell] >= n_batches;
    ends[cell] -= ends[cell] >= n_batches ? n_batches : 0;
  }
  int64_t bits = bits_below((uint64_t)n_batches);
  const int64_t *sorted = sort_naturals(begins, spare, n_cells, bits, host);
  if (sorted == NULL) return false;
  const int64_t *sorted_ends = sort_naturals(ends, sorted == spare ? begins : spare, n_cells, bits, host);
  if (sorted_ends == NULL) return false;
  int64_t least = n_cells;
  for (int64_t begun = 0, ended = 0, batch = 0; batch < n_batches;) {
    for (; begun < n_cells && sorted[begun] == batch; begun++) more += 1;
    for (; ended < n_cells && sorted_ends[ended] == batch; ended++) more -= 1;
    least = smaller(least, more);
    batch = begun < n_cells ? sorted[begun] : n_batches;
    if (ended < n_cells) batch = smaller(batch, sorted_ends[ended]);
  }
  *fewest = whole + least;
  return true;
}

enum { FEW_ROWS = 1 << 12 /* of a shard, which are counted one by one */ };

/* Count the rows of each stratum from `begin` to before `end`, which are in batches. codes->counts is overwritten. */
static inline bool count_shard(Codes *codes, int64_t begin, int64_t end, int64_t *counts, Host *host) {
  int64_t n_strata = codes->n_strata;
  bool is_right = true;
  memset(codes->counts, 0, (size_t)(n_strata + 1) * sizeof *counts);
  if (end - begin <= FEW_ROWS) {
    for (int64_t row = begin; is_right && row < end; row++) {
      int64_t code = code_of(codes, row);
      is_right = code >= 0 && code < n_strata;
      if (is_right) codes->counts[code] += 1;
    }
  }
  for (int64_t from = begin; is_right && end - begin > FEW_ROWS && from < end; from += GO_ON_ROWS) {
    is_right = count_codes_between(codes, from, smaller(from + GO_ON_ROWS, end));
    if (!host->go_on(host)) return false;
  }
  if (!is_right || codes->counts[n_strata] > 0) {
    return refuse(host, "recipe", "others", "have numbers of strata from 0 as 'codes'");
  }
  memcpy(counts, codes->counts, (size_t)n_strata * sizeof *counts);
  return true;
}

/* Count the rows of each cell of shards of these sizes, in memory of this life; return NULL if it failed. */
static inline int64_t *count_cells(Codes *codes, const int64_t *sizes, int64_t n_own, Life life, Host *host) {
  int64_t n_strata = codes->n_strata, begin = 0;
  int64_t *counts = host->memory(host, life, n_own * n_strata * (int64_t)sizeof *counts);
  codes->counts = host->memory(host, FOR_THE_CALL, (n_strata + 1) * (int64_t)sizeof *counts);
  if (counts == NULL || codes->counts == NULL) return NULL;
  for (int64_t shard = 0; shard < n_own; shard++) {
    int64_t end = begin + sizes[shard];
    if (!count_shard(codes, begin, end, counts + shard * n_strata, host)) return NULL;
    begin = end;
  }
  return counts;
}

/* Return where each of fewer than 2^31 batches begins, and where the last one ends, in memory of this life; or NULL. */
static inline int64_t *find_shard_offsets(const ShardCells *cells, Life life, Host *host) {
  int64_t n_batches = cells->n_batches, whole = 0;
  int64_t *offsets = host->memory(host, life, (n_batches + 1) * (int64_t)sizeof *offsets);
  if (offsets == NULL) return NULL;
  memset(offsets, 0, (size_t)(n_batches + 1) * sizeof *offsets);
  /* At first, offsets[b] is how many more rows batch b has than batch b - 1. */
  for (int64_t cell = 0; cell < cells->n_cells; cell++) {
    int64_t begin = cells->begins[cell], over = cells->counts[cell] % n_batches;
    whole += cells->counts[cell] / n_batches;
    offsets[begin] += 1;
    if (over >= n_batches - begin) {
      offsets[0] += 1;
      over -= n_batches;
    }
    offsets[begin + over] -= 1;
    if (!go_on_after(cell, host)) return NULL;
  }
  int64_t more = 0, place = 0;
  for (int64_t batch = 0; batch <= n_batches; batch++) {
    more += offsets[batch];
    offsets[batch] = place;
    place += whole + more;
    if (!go_on_after(batch, host)) return NULL;
  }
  return offsets;
}

/* Fill the layout: the place in the epoch of every cell and rank, in this order. `next_places` has n_batches numbers:
 * at first the offsets, then the ends of the batches.
 */
static inline bool lay_out_shards(const ShardCells *cells, int64_t *next_places, int32_t *layout, Host *host) {
  int64_t since = 0;
  for (int64_t cell = 0; cell < cells->n_cells; layout += cells->counts[cell++]) {
    int64_t batch = cells->begins[cell];
    if (!lay_out_evenly(cells->counts[cell], cells->n_batches, &batch, next_places, layout, &since, host)) return false;
  }
  return true;
}

#endif
