/* Draws within groups. */

#include "group_draws.h"

#include "core/permutation.h"
#include "memory.h"

SubsetScratch scratch_of(const GroupDraw *draw) {
  SubsetScratch scratch = {.n_pool = 1, .n_places = 1, .n_table = 1};
  for (int64_t group = 0; group < draw->n_groups; group++) {
    enlarge_subset_scratch(&scratch, draw->limits[group], draw->counts[group]);
  }
  scratch.pool = new_integers(scratch.n_pool);
  scratch.places = (uint32_t *)(void *)R_alloc((size_t)scratch.n_places, sizeof(uint32_t));
  scratch.table = new_numbers(scratch.n_table);
  fill_in_order(scratch.pool, (uint32_t)scratch.n_pool);
  return scratch;
}
