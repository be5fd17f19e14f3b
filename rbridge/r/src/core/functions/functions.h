/* What the core computes besides the batches of samplers, such as plans. A function has no memory: equal requests have
 * equal results. Each header of functions is included in one source file only.
 */

#ifndef PYSTRAT_FUNCTIONS_H
#define PYSTRAT_FUNCTIONS_H

#include "../recipe.h"

typedef struct {
  const char *name;
  /* Make the results of a request; return whether it succeeded. */
  bool (*call)(const Parts *request, Host *host);
} Function;

extern const Function advice_function;
extern const Function batch_offsets_function;
extern const Function batch_composition_function;
extern const Function batch_layout_function;
extern const Function min_samples_for_batch_size_function;
extern const Function count_codes_function;
extern const Function corpus_plan_function;
extern const Function digest_parts_function;
extern const Function pair_counts_function;
extern const Function sharded_plan_function;
extern const Function sharded_sizes_function;
extern const Function sharded_fewest_function;
extern const Function sharded_strata_function;
extern const Function sharded_cells_function;
extern const Function last_epoch_function;
extern const Function stream_plan_function;
extern const Function stream_epoch_function;
extern const Function source_order_function;
extern const Function lane_sources_function;
extern const Function needs_rows_function;
extern const Function deal_rows_function;
extern const Function cut_batches_function;
extern const Function lane_windows_function;
extern const Function row_copies_function;
extern const Function deal_taken_function;
extern const Function number_values_function;
extern const Function group_plan_function;
extern const Function density_weights_function;
extern const Function stratified_split_function;

/* Return the function of this name, or NULL. */
static inline const Function *find_function(const char *name) {
  static const Function *const functions[] = {
      &advice_function,
      &batch_offsets_function,
      &batch_composition_function,
      &batch_layout_function,
      &min_samples_for_batch_size_function,
      &count_codes_function,
      &corpus_plan_function,
      &digest_parts_function,
      &pair_counts_function,
      &sharded_plan_function,
      &sharded_sizes_function,
      &sharded_fewest_function,
      &sharded_strata_function,
      &sharded_cells_function,
      &last_epoch_function,
      &stream_plan_function,
      &stream_epoch_function,
      &source_order_function,
      &lane_sources_function,
      &needs_rows_function,
      &deal_rows_function,
      &cut_batches_function,
      &lane_windows_function,
      &row_copies_function,
      &deal_taken_function,
      &number_values_function,
      &group_plan_function,
      &density_weights_function,
      &stratified_split_function,
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(functions[i]->name, name) == 0) return functions[i];
  }
  return NULL;
}

#endif
