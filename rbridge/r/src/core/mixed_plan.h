/* The plan of batches of groups with rows of several strata: the most batches, or the largest minimum, for which
 * batches are found, and these batches, the skeleton, which can be changed into those of an epoch.
 *
 * The seed of a user plays no part: equal rows have equal plans.
 */

#ifndef PYSTRAT_MIXED_PLAN_H
#define PYSTRAT_MIXED_PLAN_H

#include "groups_mixed.h"

enum {
  MOST_IN_TURN = 16 /* numbers that are tried one after another; a wider range is halved each time */
};

typedef struct {
  const MixedGroups *groups;
  GroupSizes *sizes;
  MixedBatches batches;
  GroupDealing dealing;
  Generator generator;
  int32_t *line;          /* the groups in the order of dealing */
  int32_t *skeleton;      /* n_groups: the batch of each group, 0 for one without rows */
  int64_t n_batches;      /* of the skeleton */
} MixedPlan;

/* Put the groups in the order in which they are dealt: by stratum, the rarest one first, those with most rows of it
 * first.
 */
static inline bool line_up_mixed_groups(MixedPlan *plan, Host *host) {
  const MixedGroups *groups = plan->groups;
  const RowGroups *rows = groups->rows;
  int64_t n_found = count_mixed_groups(groups), most = 1, n_strata = rows->codes.n_strata;
  const int32_t *all = groups->contents.groups + groups->contents.starts[n_strata];
  for (int64_t group = 0; group < rows->n_groups; group++) {
    if (groups->counts[group] > most) most = groups->counts[group];
  }
  int64_t *keys = host->memory(host, FOR_THE_CALL, n_found * (int64_t)sizeof *keys);
  int32_t *places = keys == NULL ? NULL : host->memory(host, FOR_THE_CALL, 2 * n_found * (int64_t)sizeof *places);
  if (places == NULL) return false;
  for (int64_t i = 0; i < n_found; i++) keys[i] = groups->ranks[all[i]] * most + most - groups->counts[all[i]];
  int64_t bits = bits_below((uint64_t)n_strata * (uint64_t)most);
  const int32_t *sorted = sort_places(keys, places, places + n_found, n_found, bits, host);
  if (sorted == NULL) return false;
  for (int64_t i = 0; i < n_found; i++) plan->line[i] = all[sorted[i]];
  return true;
}

/* Begin a plan. */
static inline bool begin_mixed_plan(const MixedGroups *groups, MixedPlan *plan, Host *host) {
  plan->groups = groups;
  plan->sizes = host->memory(host, FOR_THE_CALL, groups->rows->codes.n_strata * (int64_t)sizeof *plan->sizes);
  return plan->sizes != NULL;
}

/* Give a plan room for at most `most_batches`. */
static inline bool give_mixed_plan_room(MixedPlan *plan, int64_t most_batches, Host *host) {
  int64_t n_groups = plan->groups->rows->n_groups;
  if (!new_mixed_batches(plan->groups, most_batches, &plan->batches, host)) return false;
  plan->line = host->memory(host, FOR_THE_CALL, (2 * n_groups + 3 * most_batches) * (int64_t)sizeof *plan->line);
  if (plan->line == NULL) return false;
  plan->skeleton = plan->line + n_groups;
  plan->dealing = (GroupDealing){.held = plan->skeleton + n_groups};
  plan->dealing.totals = plan->dealing.held + most_batches;
  plan->dealing.heap = plan->dealing.totals + most_batches;
  return line_up_mixed_groups(plan, host);
}

/* Return the number of batches that the bound allows. */
static inline int64_t most_mixed_batches(const MixedPlan *plan, int64_t minimum) {
  int64_t n_strata = plan->groups->rows->codes.n_strata;
  memset(plan->sizes, 0, (size_t)n_strata * sizeof *plan->sizes);
  add_crossing_groups(&plan->groups->contents, n_strata, minimum, plan->sizes);
  return bound_of_batches(plan->sizes, n_strata, minimum);
}

/* Return the number of batches that are sure to keep the minimum if each group counts for one stratum only. */
static inline int64_t sure_mixed_batches(const MixedPlan *plan, int64_t minimum) {
  const MixedGroups *groups = plan->groups;
  int64_t n_strata = groups->rows->codes.n_strata, most = LARGEST_COUNT;
  memset(plan->sizes, 0, (size_t)n_strata * sizeof *plan->sizes);
  for (int64_t group = 0; group < groups->rows->n_groups; group++) {
    if (groups->counts[group] > 0) add_group(&plan->sizes[groups->ranks[group]], groups->counts[group], minimum);
  }
  end_group_sizes(n_strata, plan->sizes);
  for (int64_t rank = 0; rank < n_strata; rank++) {
    most = smaller(most, most_grouped_batches(&plan->sizes[rank], minimum));
  }
  return most;
}

/* Keep the batches as the skeleton. */
static inline void keep_skeleton(MixedPlan *plan) {
  plan->n_batches = plan->batches.n_batches;
  for (int64_t group = 0; group < plan->groups->rows->n_groups; group++) {
    int32_t batch = plan->batches.batch_of[group];
    plan->skeleton[group] = batch < 0 ? 0 : batch;
  }
}

/* Begin with batches of this minimum, which does not hold for strata with fewer groups than batches. */
static inline void begin_batches_of_minimum(MixedPlan *plan, int64_t n_batches, int64_t minimum) {
  const int64_t *starts = plan->groups->contents.starts;
  for (int64_t stratum = 0; stratum < plan->groups->rows->codes.n_strata; stratum++) {
    bool is_possible = starts[stratum + 1] - starts[stratum] >= n_batches;
    plan->batches.floors[stratum] = is_possible ? (int32_t)minimum : 0;
  }
  plan->batches.most = LARGEST_COUNT;
  begin_mixed_batches(&plan->batches, n_batches);
}

/* Try to find batches with a minimum of rows. */
static inline bool find_mixed_batches(MixedPlan *plan, int64_t n_batches, int64_t minimum, Host *host) {
  begin_batches_of_minimum(plan, n_batches, minimum);
  seed_generator(&plan->generator, 0);
  return deal_mixed_groups(&plan->batches, plan->line, true, &plan->dealing, host) &&
         repair_batches(&plan->batches, true, &plan->generator, host);
}

/* Keep batches that are sure to have the minimum. */
static inline bool keep_sure_batches(MixedPlan *plan, int64_t n_batches, int64_t minimum, Host *host) {
  begin_batches_of_minimum(plan, n_batches, minimum);
  if (!deal_mixed_groups(&plan->batches, plan->line, false, &plan->dealing, host)) return false;
  keep_skeleton(plan);
  return true;
}

/* Find the largest number above `low` and up to `high` for which batches are found, and keep them: a number of batches
 * with this minimum or, if that is 0, a minimum for this number of batches. Return the number, or `low`, in `low`.
 */
static inline bool search_mixed_batches(
    MixedPlan *plan, int64_t n_batches, int64_t minimum, int64_t *low, int64_t high, Host *host
) {
  bool in_turn = high - *low <= MOST_IN_TURN;
  while (high > *low) {
    int64_t number = in_turn ? high : *low + (high - *low + 1) / 2;
    bool is_found = minimum > 0 ? find_mixed_batches(plan, number, minimum, host)
                                : find_mixed_batches(plan, n_batches, number, host);
    if (!is_found) return false;
    if (plan->batches.lack == 0) {
      *low = number;
      keep_skeleton(plan);
    } else {
      high = number - 1;
    }
  }
  return true;
}

/* Keep fewer batches: found as others are or, if they are not, several of the skeleton as one. */
static inline bool keep_fewer_batches(MixedPlan *plan, int64_t n_batches, int64_t minimum, Host *host) {
  if (!find_mixed_batches(plan, n_batches, minimum, host)) return false;
  if (plan->batches.lack == 0) {
    keep_skeleton(plan);
    return true;
  }
  plan->n_batches = n_batches;
  for (int64_t group = 0; group < plan->groups->rows->n_groups; group++) plan->skeleton[group] %= (int32_t)n_batches;
  return true;
}

/* Find batches of more equal sizes than those of the skeleton. */
static inline bool level_skeleton(MixedPlan *plan, int64_t minimum, Host *host) {
  MixedBounds bounds;
  const RowGroups *rows = plan->groups->rows;
  if (!find_mixed_bounds(rows, plan->skeleton, plan->n_batches, minimum, FOR_THE_CALL, &bounds, host)) return false;
  memcpy(plan->batches.floors, bounds.floors, (size_t)rows->codes.n_strata * sizeof *bounds.floors);
  plan->batches.most = most_rows_of_batch(rows, plan->n_batches);
  put_skeleton(&plan->batches, plan->skeleton, plan->n_batches, NULL);
  seed_generator(&plan->generator, 0);
  if (!repair_batches(&plan->batches, true, &plan->generator, host)) return false;
  if (plan->batches.lack == 0) keep_skeleton(plan);
  return true;
}

#endif
