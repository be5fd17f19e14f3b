/* The routines that R calls by .Call(); each is documented at the R function that calls it. */

#ifndef RBRIDGE_ROUTINES_H
#define RBRIDGE_ROUTINES_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_plan(SEXP kind, SEXP request);
SEXP C_call(SEXP function, SEXP request);
SEXP C_prepare(SEXP key, SEXP kind, SEXP recipe, SEXP seed);
SEXP C_draw(SEXP reference, SEXP key, SEXP epoch);
SEXP C_count_batches(SEXP reference, SEXP key, SEXP epoch);
SEXP C_epoch_seed(SEXP seed, SEXP epoch);
SEXP C_permutation(SEXP n, SEXP seed);
SEXP C_number_doubles(SEXP values);
SEXP C_are_texts_of(SEXP texts, SEXP numbers);
SEXP C_draw_groups_together(SEXP groups, SEXP strata_of, SEXP n_strata, SEXP n_batches, SEXP minimum, SEXP seed);
SEXP C_draw_groups_apart(
    SEXP strata, SEXP groups, SEXP n_strata, SEXP n_groups, SEXP n_batches, SEXP nested, SEXP seed
);
SEXP C_prepare_shards(SEXP key, SEXP codes, SEXP n_strata, SEXP sizes, SEXP begins, SEXP n_batches);
SEXP C_draw_shards(SEXP reference, SEXP shards, SEXP n_shards, SEXP shuffle, SEXP seed, SEXP epoch);
SEXP C_build_tree(SEXP weights, SEXP capacity, SEXP keeps_least, SEXP names);
SEXP C_update_tree(SEXP tree, SEXP rows, SEXP weights, SEXP names);
SEXP C_tree_facts(SEXP tree);
SEXP C_tree_weights(SEXP tree, SEXP rows);
SEXP C_first_weights(SEXP tree, SEXP count);
SEXP C_new_stream(SEXP seed);
SEXP C_check_drawable(SEXP tree, SEXP size, SEXP how, SEXP names);
SEXP C_draw_by_weight(SEXP tree, SEXP stream, SEXP size, SEXP n_batches, SEXP how, SEXP names);
SEXP C_sample_rows(SEXP tree, SEXP stream, SEXP k, SEXP replacement, SEXP names);
SEXP C_copy_vector(SEXP vector);
SEXP C_build_ranking(SEXP keys, SEXP order);
SEXP C_set_keys(SEXP keys, SEXP integers, SEXP rows, SEXP new_keys);
SEXP C_ranks_to_rows(SEXP keys, SEXP integers, SEXP ranks);
SEXP C_ranks_of_rows(SEXP keys, SEXP integers, SEXP rows);
SEXP C_weigh_ranks(SEXP first, SEXP count, SEXP alpha);
SEXP C_powers_of(SEXP numbers, SEXP exponent);
SEXP C_row_positions(SEXP rows, SEXP n, SEXP parameter);
SEXP C_number_label_sets(SEXP labels);
SEXP C_assign_labels(SEXP codes, SEXP sets, SEXP n_labels, SEXP n_batches, SEXP minimum);
SEXP C_draw_multilabel(
    SEXP codes, SEXP sets, SEXP n_labels, SEXP n_batches, SEXP minimum, SEXP fallback, SEXP most_missing, SEXP seed
);
SEXP C_draw_rows(SEXP n, SEXP sample, SEXP seed);
SEXP C_draw_lines(SEXP lines, SEXP drawn, SEXP kept, SEXP is_to_shuffle, SEXP replace, SEXP seed);
SEXP C_report_losses(SEXP reported, SEXP rows, SEXP losses);
SEXP C_is_below_initial(SEXP reported, SEXP initial);
SEXP C_noise_ceiling(SEXP reported, SEXP spreads);
SEXP C_draw_by_perplexity(
    SEXP reported, SEXP initial, SEXP ceiling, SEXP weight_above, SEXP sample, SEXP seed
);
SEXP C_cut_by_length(SEXP lengths, SEXP window, SEXP most_rows, SEXP most_tokens);
SEXP C_split_batches(SEXP offsets, SEXP n_batches);
SEXP C_shuffle_batches(SEXP stream, SEXP order, SEXP offsets);
SEXP C_count_words(SEXP block, SEXP line);
SEXP C_lua_reason(SEXP pattern);
SEXP C_lua_match(SEXP pattern, SEXP text);
SEXP C_file_versions(SEXP paths);
SEXP C_file_kinds(SEXP paths);
SEXP C_lock_file(SEXP path);
SEXP C_sync_file(SEXP path);
SEXP C_unlock_file(SEXP descriptor);
SEXP C_hash_of_text(SEXP text);
SEXP C_line_begins(SEXP block, SEXP read);
SEXP C_index_number(SEXP number);
SEXP C_check_numbers(SEXP check, SEXP numbers);
SEXP C_hash_of_ends(SEXP path, SEXP version);
SEXP C_index_head(SEXP version, SEXP hash, SEXP check);
SEXP C_lines_of_index(SEXP path, SEXP version, SEXP hash);
SEXP C_new_handles(void);
SEXP C_read_lines(SEXP paths, SEXP shown, SEXP versions, SEXP indices, SEXP ends, SEXP pointer, SEXP positions);
SEXP C_shortest_decimal(SEXP number);
SEXP C_plan_exhausted(SEXP lines, SEXP rules, SEXP weights, SEXP first);
SEXP C_plan_files(SEXP lines, SEXP rules, SEXP weights, SEXP requested, SEXP of_lines);

#endif
