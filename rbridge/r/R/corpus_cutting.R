# Shared by the samplers of the core that cut drawn rows into batches.

# A kind whose epochs may differ in their number of batches.
cutting_kind = function(...) utils::modifyList(core_kind(count_batches = core_count), list(...))

# The memory of an epoch of `n_rows` rows and its offsets.
cutting_bytes = function(recipe, n_rows) 8 * n_rows + 32 * count_of_recipe(recipe, 0)

# For samplers that visit `sample` of `n_rows` examples in an epoch.
format_drawn = function(recipe) {
  c(
    sprintf("* Examples: %.0f of %.0f in an epoch", recipe$parts$sample, recipe$parts$n_rows),
    format_limits(recipe$parts, count_of_recipe(recipe, 0), "row")
  )
}

# The number of batches and their limit.
format_limits = function(parts, count, noun) {
  sprintf("* Batches: %.0f, of at most %s", count, show_count(parts$batch_size, noun))
}
