/* Batches that keep the rows of a group together, or spread them, with a minimum of rows of every stratum. */

#include "core/batch_numbers.h"
#include "core/dealt.h"
#include "core/epoch_order.h"
#include "core/grouped_rows.h"
#include "core/groups_mixed.h"
#include "core/groups_together.h"
#include "core/kinds.h"
#include "core/length_batches.h"
#include "core/mixed_plan.h"
#include "core/spreading.h"

typedef struct {
  RowGroups rows;
  int64_t n_batches, minimum;
  bool together, is_permuted;
  int32_t *strata; /* n_rows: the stratum of each row, n_strata for rows in no batch; NULL if groups are together */
  int32_t *counts; /* n_strata: the rows of each */
  MixedGroups mixed; /* if groups are together that have rows of several strata, */
  MixedBounds bounds; /* with a skeleton, which is NULL for all others */
} StratifiedGroup;

/* The arguments of a user. */
typedef struct {
  SizeRequest size;
  double num_replicas;
  int keep, rare;
} GroupRequest;

enum { KEEP_TOGETHER, KEEP_APART, KEEP_CHOICES };

static const char *const GROUP_MINIMUM = "min_samples_per_stratum";

static bool read_group(const Parts *request, GroupRequest *wanted, Host *host) {
  static const char *const keep[] = {"together", "apart"};
  return read_one_size(request, &wanted->size, host) &&
         read_choice(request, "keep", keep, KEEP_CHOICES, &wanted->keep, host) &&
         read_rare_choice(request, RARE_ALLOW + 1, &wanted->rare, host) && read_missing(request, host) &&
         read_sharing(request, &wanted->num_replicas, host);
}

/* Make the settings of the request the result. */
static bool keep_group(const Parts *request, const GroupRequest *wanted, Host *host) {
  return keep_size(GROUP_MINIMUM, &wanted->size, host) && host->keep(host, "keep") && host->keep(host, "rare") &&
         host->keep(host, "missing") && keep_sharing(request, wanted->num_replicas, host);
}

/* Return the most batches for which the bounds keep the minimum in every epoch; `sizes` is NULL if the rows of groups
 * are apart.
 */
static int64_t most_batches_of_strata(const Codes *codes, const GroupSizes *sizes, int64_t minimum) {
  int64_t most = LARGEST_COUNT;
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    int64_t count = codes->counts[stratum];
    most = smaller(most, sizes == NULL ? count / minimum : most_grouped_batches(&sizes[stratum], minimum));
  }
  return most;
}

static void warn_of_rare_strata(const Codes *codes, double minimum, Host *host) {
  int64_t n_rare = 0;
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) n_rare += (double)codes->counts[stratum] < minimum;
  warn_of_rare(n_rare, codes->n_strata, minimum, "all rows are in one batch", host);
}

/* Choose the number of batches by the minimum. */
static bool choose_by_minimum(
    const Parts *request, const GroupRequest *wanted, const RowGroups *rows, GroupSizes *sizes, int64_t *n_batches,
    Host *host
) {
  const Codes *codes = &rows->codes;
  double wanted_rows = wanted->size.minimum;
  int64_t minimum = (int64_t)fmin(wanted_rows, LARGEST_COUNT);
  if (wanted->rare == RARE_ERROR && !refuse_rare(request, codes, wanted_rows, host)) return false;
  if (sizes != NULL && !fill_group_sizes(rows, minimum, sizes, host)) return false;
  *n_batches = most_batches_of_strata(codes, sizes, minimum);
  if (*n_batches == 0) *n_batches = 1;
  if (!share_batches(request, wanted->num_replicas, n_batches, host)) return false;
  if (wanted->rare == RARE_WARN) warn_of_rare_strata(codes, wanted_rows, host);
  return true;
}

/* Choose the number of batches by the mean size, at most one for each group if groups are together; and the largest
 * minimum that these keep.
 */
static bool choose_by_mean(
    const Parts *request, const GroupRequest *wanted, const RowGroups *rows, GroupSizes *sizes, int64_t *n_batches,
    double *minimum, Host *host
) {
  const Codes *codes = &rows->codes;
  int64_t n_strata = codes->n_strata;
  Counts counts = new_counts(codes->counts, codes->counts, n_strata);
  int64_t too_large = fewest_rows(&counts) + 1, largest = 1;
  if (sizes != NULL) {
    int64_t *n_groups = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *n_groups);
    if (n_groups == NULL || !fill_group_sizes(rows, 1, sizes, host)) return false;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) n_groups[stratum] = sizes[stratum].n_groups;
    int64_t n_rows = counts.n_rows;
    counts = new_counts(n_groups, n_groups, n_strata);
    counts.noun = "group";
    counts.most_batches = counts.n_rows; /* so that no batch is empty */
    counts.n_rows = n_rows;
  }
  double mean = wanted->size.mean;
  if (!batches_by_mean_for_all(request, &counts, mean, wanted->num_replicas, wanted->rare, "", n_batches, host)) {
    return false;
  }
  while (too_large - largest > 1) { /* a larger minimum allows no more batches */
    int64_t middle = largest + (too_large - largest) / 2;
    if (sizes != NULL && !fill_group_sizes(rows, middle, sizes, host)) return false;
    if (most_batches_of_strata(codes, sizes, middle) >= *n_batches) {
      largest = middle;
    } else {
      too_large = middle;
    }
  }
  *minimum = (double)largest;
  return true;
}

/* Refuse more batches than the tables of mixed groups may have rows for. */
static bool check_mixed_cells(const GroupRequest *wanted, const RowGroups *rows, int64_t n_batches, Host *host) {
  if (cells_of_batches(rows, n_batches) <= LARGEST_COUNT) return true;
  return refuse(
      host, wanted->size.has_mean ? "mean_batch_size" : GROUP_MINIMUM, NULL,
      "make at most %lld batches of groups with rows of several strata",
      (long long)LARGEST_COUNT / (rows->codes.n_strata + 1)
  );
}

/* Choose the number of batches of mixed groups by the minimum. */
static bool choose_mixed_by_minimum(
    const Parts *request, const GroupRequest *wanted, const RowGroups *rows, MixedPlan *plan, int64_t *n_batches,
    Host *host
) {
  int64_t minimum = (int64_t)fmin(wanted->size.minimum, LARGEST_COUNT);
  if (wanted->rare == RARE_ERROR && !refuse_rare(request, &rows->codes, wanted->size.minimum, host)) return false;
  int64_t most = most_mixed_batches(plan, minimum), low = sure_mixed_batches(plan, minimum);
  if (most < 1) most = 1; /* a stratum is rare */
  if (low < 1) low = 1;
  if (!check_mixed_cells(wanted, rows, most, host) || !give_mixed_plan_room(plan, most, host)) return false;
  if (!keep_sure_batches(plan, low, minimum, host)) return false;
  if (!search_mixed_batches(plan, 0, minimum, &low, most, host)) return false;
  *n_batches = low;
  if (!share_batches(request, wanted->num_replicas, n_batches, host)) return false;
  if (*n_batches < low && !keep_fewer_batches(plan, *n_batches, minimum, host)) return false;
  if (wanted->rare == RARE_WARN) warn_of_rare_strata(&rows->codes, wanted->size.minimum, host);
  return true;
}

/* Refuse the mean size of mixed groups, for which no batches with rows of every stratum were found. `counts` has the
 * groups of strata.
 */
static bool refuse_scarce_mean(
    const Parts *request, const GroupRequest *wanted, const Counts *counts, MixedPlan *plan, int64_t n_batches,
    Host *host
) {
  static const char *const none_found = "no more batches of whole groups with rows of every stratum were found";
  char shown[NUMBER], reason[SENTENCE], smallest[SENTENCE];
  int64_t most = sure_mixed_batches(plan, 1), replicas = (int64_t)wanted->num_replicas;
  int64_t high = smaller(most_mixed_batches(plan, 1), n_batches - 1);
  if (most < 1) most = 1;
  if (!search_mixed_batches(plan, 0, 1, &most, high, host)) return false;
  snprintf(reason, SENTENCE, "%s", none_found);
  if (most == fewest_rows(counts)) {
    snprintf(reason, SENTENCE, "the %.300s", show_smallest(counts, host, smallest));
  }
  if (most < replicas) {
    const char *got = number_read(request, "num_replicas", wanted->num_replicas, shown);
    return refuse(host, "num_replicas", got, "be at most %lld: %.304s", (long long)most, reason);
  }
  refuse_mean(wanted->size.mean, n_batches, counts->n_rows, most - most % replicas, replicas, reason, host);
  return advise(host, "Raise " RARE_ADVICE);
}

/* Return the largest minimum for which a bound of batches is at least `n_batches`; 0 if there is none. */
static int64_t largest_mixed_minimum(
    MixedPlan *plan, int64_t (*bound)(const MixedPlan *, int64_t minimum), int64_t too_large, int64_t n_batches
) {
  int64_t largest = 0;
  while (too_large - largest > 1) { /* a larger minimum allows no more batches */
    int64_t middle = largest + (too_large - largest) / 2;
    if (bound(plan, middle) >= n_batches) {
      largest = middle;
    } else {
      too_large = middle;
    }
  }
  return largest;
}

/* Choose the number of batches of mixed groups by the mean size, and the largest minimum for which they are found. */
static bool choose_mixed_by_mean(
    const Parts *request, const GroupRequest *wanted, const RowGroups *rows, MixedPlan *plan, int64_t *n_batches,
    double *minimum, Host *host
) {
  const Codes *codes = &rows->codes;
  int64_t n_strata = codes->n_strata;
  int64_t *n_groups = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *n_groups);
  if (n_groups == NULL) return false;
  const int64_t *starts = plan->groups->contents.starts;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) n_groups[stratum] = starts[stratum + 1] - starts[stratum];
  Counts of_rows = new_counts(codes->counts, codes->counts, n_strata);
  Counts counts = new_counts(n_groups, n_groups, n_strata);
  counts.noun = "group";
  counts.most_batches = count_mixed_groups(plan->groups);
  counts.n_rows = of_rows.n_rows;
  bool is_refused = wanted->rare == RARE_ERROR;
  if (!batches_by_mean_for_all(
          request, &counts, wanted->size.mean, wanted->num_replicas, is_refused ? RARE_ALLOW : wanted->rare, "",
          n_batches, host
      )) {
    bool is_certain = is_refused && (double)fewest_rows(&counts) < wanted->num_replicas;
    return is_certain && advise(host, "%s", ""); /* with any mean */
  }
  if (!check_mixed_cells(wanted, rows, *n_batches, host) || !give_mixed_plan_room(plan, *n_batches, host)) return false;
  if (is_refused && *n_batches > fewest_rows(&counts)) {
    return refuse_scarce_mean(request, wanted, &counts, plan, *n_batches, host);
  }
  int64_t too_large = fewest_rows(&of_rows) + 1;
  int64_t largest = largest_mixed_minimum(plan, sure_mixed_batches, too_large, *n_batches);
  int64_t high = largest_mixed_minimum(plan, most_mixed_batches, too_large, *n_batches);
  if (high < 1) high = 1; /* a stratum has fewer groups than there are batches */
  if (largest > 0 && !keep_sure_batches(plan, *n_batches, largest, host)) return false;
  if (!search_mixed_batches(plan, *n_batches, 0, &largest, high, host)) return false;
  *minimum = largest > 0 ? (double)largest : 1;
  if (largest > 0) return true;
  if (is_refused) return refuse_scarce_mean(request, wanted, &counts, plan, *n_batches, host);
  keep_skeleton(plan); /* the last batches that were tried, for a minimum of 1 */
  if (wanted->rare == RARE_WARN) {
    char shown[NUMBER];
    snprintf(
        host->warning, SENTENCE, "The 'mean_batch_size' parameter makes %s: some batches hold no row of a stratum.",
        show_batches(*n_batches, shown)
    );
  }
  return true;
}

/* Plan batches of groups that are together and have rows of several strata; make "skeleton" a result. Set whether some
 * batches lack a stratum.
 */
static bool plan_mixed_groups(
    const Parts *request, const GroupRequest *wanted, const RowGroups *rows, int64_t *n_batches, double *minimum,
    bool *is_lacking, Host *host
) {
  MixedBounds bounds = {.skeleton = NULL};
  MixedGroups groups;
  MixedPlan plan;
  if (!find_mixed_groups(rows, FOR_THE_CALL, &groups, host) || !begin_mixed_plan(&groups, &plan, host)) return false;
  bool is_chosen = wanted->size.has_mean
                       ? choose_mixed_by_mean(request, wanted, rows, &plan, n_batches, minimum, host)
                       : choose_mixed_by_minimum(request, wanted, rows, &plan, n_batches, host);
  if (!is_chosen || !level_skeleton(&plan, (int64_t)fmin(*minimum, LARGEST_COUNT), host)) return false;
  int32_t *skeleton = host->vector(host, "skeleton", INTEGERS, rows->n_groups);
  if (skeleton == NULL) return false;
  memcpy(skeleton, plan.skeleton, (size_t)rows->n_groups * sizeof *skeleton);
  if (!find_mixed_bounds(rows, skeleton, *n_batches, 1, FOR_THE_CALL, &bounds, host)) return false;
  for (int64_t stratum = 0; stratum < rows->codes.n_strata; stratum++) {
    *is_lacking = *is_lacking || bounds.floors[stratum] == 0;
  }
  return true;
}

/* Find whether batches of groups of one stratum each, or of groups that are apart, lack a stratum: one of fewer groups
 * or rows.
 */
static bool find_lacking(const RowGroups *rows, bool together, int64_t n_batches, bool *is_lacking, Host *host) {
  const Codes *codes = &rows->codes;
  int64_t *counts = host->memory(host, FOR_THE_CALL, codes->n_strata * (int64_t)sizeof *counts);
  if (counts == NULL) return false;
  memcpy(counts, codes->counts, (size_t)codes->n_strata * sizeof *counts);
  if (together) memset(counts, 0, (size_t)codes->n_strata * sizeof *counts);
  for (int64_t group = 0; together && group < rows->n_groups; group++) {
    if (rows->sizes[group] > 0) counts[rows->strata_of[group]] += 1;
  }
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    *is_lacking = *is_lacking || counts[stratum] < n_batches;
  }
  return true;
}

static bool plan_stratified_group(const Parts *request, Host *host) {
  GroupRequest wanted = {0};
  RowGroups rows;
  int64_t n_batches;
  if (!read_group(request, &wanted, host)) return false;
  if (!is_given(request, "codes")) return keep_group(request, &wanted, host);
  if (!check_groups_of_rows(request, host)) return false;
  if (!read_row_groups(request, FOR_THE_CALL, &rows, host) || !check_strata_have_rows(&rows.codes, host)) return false;
  GroupSizes *sizes = NULL;
  bool is_mixed = wanted.keep == KEEP_TOGETHER && rows.crossing >= 0;
  if (wanted.keep == KEEP_TOGETHER && !is_mixed) {
    sizes = host->memory(host, FOR_THE_CALL, rows.codes.n_strata * (int64_t)sizeof *sizes);
    if (sizes == NULL) return false;
  }
  double minimum = wanted.size.minimum;
  bool is_chosen, together = wanted.keep == KEEP_TOGETHER, is_permuted = false;
  if (is_mixed) {
    is_chosen = plan_mixed_groups(request, &wanted, &rows, &n_batches, &minimum, &is_permuted, host);
  } else {
    is_chosen = wanted.size.has_mean ? choose_by_mean(request, &wanted, &rows, sizes, &n_batches, &minimum, host)
                                     : choose_by_minimum(request, &wanted, &rows, sizes, &n_batches, host);
    is_chosen = is_chosen && find_lacking(&rows, together, n_batches, &is_permuted, host);
  }
  return is_chosen && host->keep(host, "codes") && host->number(host, "n_strata", (double)rows.codes.n_strata) &&
         host->keep(host, "groups") && host->number(host, "n_groups", (double)rows.n_groups) &&
         host->number(host, "n_batches", (double)n_batches) &&
         host->number(host, GROUP_MINIMUM, fmin(minimum, LARGEST_COUNT)) &&
         host->flag(host, "together", together) && (!is_permuted || host->flag(host, "permuted", true));
}

/* Refuse too few groups for all batches. */
static bool check_together(const StratifiedGroup *self, Host *host) {
  const RowGroups *rows = &self->rows;
  int64_t n_found = 0;
  for (int64_t group = 0; group < rows->n_groups; group++) n_found += rows->sizes[group] > 0;
  return n_found >= self->n_batches || refuse(host, "recipe", "fewer", "have a group for each batch");
}

/* Prepare for groups that are together and have rows of several strata. */
static bool prepare_mixed(StratifiedGroup *self, const Parts *recipe, Host *host) {
  const RowGroups *rows = &self->rows;
  return read_mixed_bounds(
             recipe, rows, self->n_batches, self->minimum, FOR_THE_INSTANCE, &self->bounds, host
         ) &&
         find_mixed_groups(rows, FOR_THE_INSTANCE, &self->mixed, host);
}

static bool prepare_stratified_group(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  StratifiedGroup *self = instance;
  const Codes *codes = &self->rows.codes;
  (void)seed;
  if (!read_row_groups(recipe, FOR_THE_INSTANCE, &self->rows, host)) return false;
  if (!read_count(recipe, "n_batches", 1, (double)codes->n_rows, &self->n_batches, host)) return false;
  if (!read_count(recipe, "min_samples_per_stratum", 1, LARGEST_COUNT, &self->minimum, host)) return false;
  if (!read_flag(recipe, "together", &self->together, host)) return false;
  if (!read_flag_if_given(recipe, "permuted", &self->is_permuted, host)) return false;
  if (!check_strata_have_rows(codes, host) || (self->together && !check_together(self, host))) return false;
  if (codes->n_rows - codes->counts[codes->n_strata] < self->n_batches) {
    return refuse(host, "recipe", "fewer", "have a row for each batch");
  }
  if (self->together) return self->rows.crossing < 0 || prepare_mixed(self, recipe, host);
  self->strata = host->memory(host, FOR_THE_INSTANCE, (codes->n_rows + codes->n_strata) * (int64_t)sizeof(int32_t));
  if (self->strata == NULL) return false;
  self->counts = self->strata + codes->n_rows;
  for (int64_t row = 0; row < codes->n_rows; row++) self->strata[row] = (int32_t)code_of(codes, row);
  for (int64_t stratum = 0; stratum < codes->n_strata; stratum++) {
    self->counts[stratum] = (int32_t)codes->counts[stratum];
  }
  return host->go_on(host);
}

/* The rows of batches, and the scratch space for where their next rows go. */
typedef struct {
  int32_t *rows;
  int64_t *offsets, *next;
} GroupEpoch;

static bool new_group_epoch(const StratifiedGroup *self, GroupEpoch *epoch, Host *host) {
  const Codes *codes = &self->rows.codes;
  int64_t n_taken = codes->n_rows - codes->counts[codes->n_strata], n_batches = self->n_batches;
  epoch->rows = host->vector(host, "rows", INTEGERS, n_taken);
  epoch->offsets = epoch->rows == NULL ? NULL : host->vector(host, "offsets", LONGS, n_batches + 1);
  if (epoch->offsets == NULL) return false;
  epoch->next = host->memory(host, FOR_THE_CALL, n_batches * (int64_t)sizeof *epoch->next);
  return epoch->next != NULL;
}

/* Put the groups in the order in which they are dealt. */
static bool line_up(const StratifiedGroup *self, const int32_t *order, GroupedRows *grouped, Host *host) {
  int64_t n_rows = self->rows.codes.n_rows, n_strata = grouped->n_strata;
  int64_t *numbers = host->memory(host, FOR_THE_CALL, 4 * n_strata * (int64_t)sizeof *numbers);
  if (numbers == NULL) return false;
  memset(numbers, 0, 2 * (size_t)n_strata * sizeof *numbers);
  grouped->n_first = numbers;
  grouped->n_other = numbers + n_strata;
  int64_t *firsts = numbers + 2 * n_strata, *others = numbers + 3 * n_strata;
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    find_groups(order, self->rows.groups, begin, smaller(begin + GO_ON_ROWS, n_rows), grouped);
    if (!host->go_on(host)) return false;
  }
  begin_line(grouped, firsts, others);
  for (int64_t begin = 0; begin < grouped->n_found; begin += GO_ON_ROWS) {
    line_up_groups(grouped, begin, smaller(begin + GO_ON_ROWS, grouped->n_found), firsts, others);
    if (!host->go_on(host)) return false;
  }
  return true;
}

/* Deal groups of one stratum each; find where the batches begin. */
static bool deal_to_batches(GroupedRows *grouped, GroupDealing *dealing, int64_t *offsets, Host *host) {
  begin_dealing_groups(dealing);
  while (dealing->dealt < grouped->n_found) {
    deal_groups(grouped, dealing, smaller(dealing->dealt + GO_ON_ROWS, grouped->n_found));
    if (!host->go_on(host)) return false;
  }
  fill_group_offsets(dealing, offsets);
  return true;
}

/* Deal groups with rows of several strata and repair the batches; if that fails, change those of the skeleton. */
static bool deal_mixed_to_batches(
    const StratifiedGroup *self, GroupedRows *grouped, GroupDealing *dealing, Generator *generator, int64_t *offsets,
    Host *host
) {
  MixedBatches batches;
  int64_t n_batches = self->n_batches, n_strata = grouped->n_strata;
  if (!new_mixed_batches(&self->mixed, n_batches, &batches, host)) return false;
  memcpy(batches.floors, self->bounds.floors, (size_t)n_strata * sizeof *batches.floors);
  batches.most = self->bounds.most;
  begin_mixed_batches(&batches, n_batches);
  if (!deal_mixed_groups(&batches, grouped->line, true, dealing, host)) return false;
  if (!repair_batches(&batches, false, generator, host)) return false;
  if (batches.lack > 0) {
    const int32_t *order = draw_epoch_order(generator, n_batches, host);
    if (order == NULL) return false;
    put_skeleton(&batches, self->bounds.skeleton, n_batches, order);
    if (!change_batches(&batches, generator, host)) return false;
  }
  memcpy(grouped->batch_of, batches.batch_of, (size_t)grouped->n_groups * sizeof *grouped->batch_of);
  offsets[0] = 0;
  for (int64_t batch = 0; batch < n_batches; batch++) {
    offsets[batch + 1] = offsets[batch] + batches.held[batch * (n_strata + 1) + n_strata];
  }
  return true;
}

static bool draw_groups_together(
    const StratifiedGroup *self, const int32_t *order, Generator *generator, GroupEpoch *epoch, Host *host
) {
  int64_t n_groups = self->rows.n_groups, n_batches = self->n_batches, n_rows = self->rows.codes.n_rows;
  bool is_mixed = self->bounds.skeleton != NULL;
  int32_t *of_groups = new_unknown(4 * n_groups, host);
  int32_t *of_batches = of_groups == NULL ? NULL : new_unknown(3 * n_batches, host);
  if (of_batches == NULL) return false;
  GroupedRows grouped = {.n_strata = self->rows.codes.n_strata, .n_groups = n_groups, .n_batches = n_batches};
  grouped.minimum = self->minimum;
  grouped.sizes = self->rows.sizes;
  grouped.counts = is_mixed ? self->mixed.counts : self->rows.sizes;
  grouped.strata_of = is_mixed ? self->mixed.ranks : self->rows.strata_of;
  grouped.next_places = of_groups;
  grouped.found = of_groups + n_groups;
  grouped.line = of_groups + 2 * n_groups;
  grouped.batch_of = of_groups + 3 * n_groups;
  GroupDealing dealing = {.n_batches = n_batches, .held = of_batches, .totals = of_batches + n_batches};
  dealing.heap = of_batches + 2 * n_batches;
  if (!line_up(self, order, &grouped, host)) return false;
  bool is_dealt = is_mixed ? deal_mixed_to_batches(self, &grouped, &dealing, generator, epoch->offsets, host)
                           : deal_to_batches(&grouped, &dealing, epoch->offsets, host);
  if (!is_dealt) return false;
  memcpy(epoch->next, epoch->offsets, (size_t)n_batches * sizeof *epoch->next);
  place_groups(&grouped, 0, grouped.n_found, epoch->next);
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, n_rows);
    write_grouped_rows(order, self->rows.groups, host->first_row, begin, end, &grouped, epoch->rows);
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool draw_groups_apart(const StratifiedGroup *self, const int32_t *order, GroupEpoch *epoch, Host *host) {
  const Codes *codes = &self->rows.codes;
  int64_t n_rows = codes->n_rows, n_strata = codes->n_strata, n_batches = self->n_batches, n_done = 0;
  const RowGroups *rows = &self->rows;
  RowGraph graph = {.n_batches = n_batches, .n_edges = n_rows - codes->counts[n_strata]};
  graph.sides[0] = (GraphSide){.n_labels = n_strata, .labels = self->strata, .counts = self->counts};
  graph.sides[1] = (GraphSide){.n_labels = rows->n_groups, .labels = rows->groups, .counts = rows->sizes};
  int64_t *begins = host->memory(host, FOR_THE_CALL, (n_strata + 1) * (int64_t)sizeof *begins);
  int32_t *sorted = host->memory(host, FOR_THE_CALL, 2 * graph.n_edges * (int64_t)sizeof *sorted);
  if (begins == NULL || sorted == NULL || !spread_rows(order, n_rows, rows->crossing < 0, &graph, host)) return false;
  int32_t *batches = sorted + graph.n_edges;
  fill_starts(codes->counts, n_strata, begins);
  fill_starts(graph.sizes, n_batches, epoch->offsets);
  memcpy(epoch->next, epoch->offsets, (size_t)n_batches * sizeof *epoch->next);
  for (int64_t begin = 0; begin < n_rows; begin += GO_ON_ROWS) {
    sort_by_stratum(order, &graph, begin, smaller(begin + GO_ON_ROWS, n_rows), &n_done, begins, sorted, batches);
    if (!host->go_on(host)) return false;
  }
  for (int64_t begin = 0; begin < graph.n_edges; begin += GO_ON_ROWS) {
    int64_t end = smaller(begin + GO_ON_ROWS, graph.n_edges);
    write_rows_apart(sorted, batches, host->first_row, begin, end, epoch->next, epoch->rows);
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool draw_stratified_group(void *instance, Generator *generator, uint32_t number, Host *host) {
  StratifiedGroup *self = instance;
  GroupEpoch epoch;
  (void)number;
  if (!new_group_epoch(self, &epoch, host)) return false;
  const int32_t *order = draw_epoch_order(generator, self->rows.codes.n_rows, host);
  if (order == NULL) return false;
  bool is_drawn = self->together ? draw_groups_together(self, order, generator, &epoch, host)
                                 : draw_groups_apart(self, order, &epoch, host);
  if (!is_drawn || !self->is_permuted) return is_drawn;
  return permute_batches(generator, self->n_batches, epoch.offsets, epoch.rows, host) != NULL;
}

const Kind stratified_group_kind = {
    .name = "stratified_group",
    .instance_bytes = sizeof(StratifiedGroup),
    .plan = plan_stratified_group,
    .prepare = prepare_stratified_group,
    .draw = draw_stratified_group,
};
