/* Registers the routines, so that R finds only them, by name and number of arguments. */

#include <stddef.h>

#include "routines.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

static const R_CallMethodDef routines[] = {
  {"C_plan", (DL_FUNC)&C_plan, 2},
  {"C_call", (DL_FUNC)&C_call, 2},
  {"C_prepare", (DL_FUNC)&C_prepare, 4},
  {"C_draw", (DL_FUNC)&C_draw, 3},
  {"C_count_batches", (DL_FUNC)&C_count_batches, 3},
  {"C_epoch_seed", (DL_FUNC)&C_epoch_seed, 2},
  {"C_permutation", (DL_FUNC)&C_permutation, 2},
  {"C_number_doubles", (DL_FUNC)&C_number_doubles, 1},
  {"C_are_texts_of", (DL_FUNC)&C_are_texts_of, 2},
  {"C_draw_groups_together", (DL_FUNC)&C_draw_groups_together, 6},
  {"C_draw_groups_apart", (DL_FUNC)&C_draw_groups_apart, 7},
  {"C_prepare_shards", (DL_FUNC)&C_prepare_shards, 6},
  {"C_draw_shards", (DL_FUNC)&C_draw_shards, 6},
  {"C_build_tree", (DL_FUNC)&C_build_tree, 4},
  {"C_update_tree", (DL_FUNC)&C_update_tree, 4},
  {"C_tree_facts", (DL_FUNC)&C_tree_facts, 1},
  {"C_tree_weights", (DL_FUNC)&C_tree_weights, 2},
  {"C_first_weights", (DL_FUNC)&C_first_weights, 2},
  {"C_new_stream", (DL_FUNC)&C_new_stream, 1},
  {"C_check_drawable", (DL_FUNC)&C_check_drawable, 4},
  {"C_draw_by_weight", (DL_FUNC)&C_draw_by_weight, 6},
  {"C_sample_rows", (DL_FUNC)&C_sample_rows, 5},
  {"C_copy_vector", (DL_FUNC)&C_copy_vector, 1},
  {"C_build_ranking", (DL_FUNC)&C_build_ranking, 2},
  {"C_set_keys", (DL_FUNC)&C_set_keys, 4},
  {"C_ranks_to_rows", (DL_FUNC)&C_ranks_to_rows, 3},
  {"C_ranks_of_rows", (DL_FUNC)&C_ranks_of_rows, 3},
  {"C_weigh_ranks", (DL_FUNC)&C_weigh_ranks, 3},
  {"C_powers_of", (DL_FUNC)&C_powers_of, 2},
  {"C_row_positions", (DL_FUNC)&C_row_positions, 3},
  {"C_number_label_sets", (DL_FUNC)&C_number_label_sets, 1},
  {"C_assign_labels", (DL_FUNC)&C_assign_labels, 5},
  {"C_draw_multilabel", (DL_FUNC)&C_draw_multilabel, 8},
  {"C_draw_rows", (DL_FUNC)&C_draw_rows, 3},
  {"C_draw_lines", (DL_FUNC)&C_draw_lines, 6},
  {"C_report_losses", (DL_FUNC)&C_report_losses, 3},
  {"C_is_below_initial", (DL_FUNC)&C_is_below_initial, 2},
  {"C_noise_ceiling", (DL_FUNC)&C_noise_ceiling, 2},
  {"C_draw_by_perplexity", (DL_FUNC)&C_draw_by_perplexity, 6},
  {"C_cut_by_length", (DL_FUNC)&C_cut_by_length, 4},
  {"C_split_batches", (DL_FUNC)&C_split_batches, 2},
  {"C_shuffle_batches", (DL_FUNC)&C_shuffle_batches, 3},
  {"C_count_words", (DL_FUNC)&C_count_words, 2},
  {"C_lua_reason", (DL_FUNC)&C_lua_reason, 1},
  {"C_lua_match", (DL_FUNC)&C_lua_match, 2},
  {"C_file_versions", (DL_FUNC)&C_file_versions, 1},
  {"C_file_kinds", (DL_FUNC)&C_file_kinds, 1},
  {"C_lock_file", (DL_FUNC)&C_lock_file, 1},
  {"C_sync_file", (DL_FUNC)&C_sync_file, 1},
  {"C_unlock_file", (DL_FUNC)&C_unlock_file, 1},
  {"C_hash_of_text", (DL_FUNC)&C_hash_of_text, 1},
  {"C_line_begins", (DL_FUNC)&C_line_begins, 2},
  {"C_index_number", (DL_FUNC)&C_index_number, 1},
  {"C_check_numbers", (DL_FUNC)&C_check_numbers, 2},
  {"C_hash_of_ends", (DL_FUNC)&C_hash_of_ends, 2},
  {"C_index_head", (DL_FUNC)&C_index_head, 3},
  {"C_lines_of_index", (DL_FUNC)&C_lines_of_index, 3},
  {"C_new_handles", (DL_FUNC)&C_new_handles, 0},
  {"C_read_lines", (DL_FUNC)&C_read_lines, 7},
  {"C_shortest_decimal", (DL_FUNC)&C_shortest_decimal, 1},
  {"C_plan_exhausted", (DL_FUNC)&C_plan_exhausted, 4},
  {"C_plan_files", (DL_FUNC)&C_plan_files, 5},
  {NULL, NULL, 0}
};

void attribute_visible R_init_rbridge(DllInfo *library) {
  R_registerRoutines(library, NULL, routines, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
