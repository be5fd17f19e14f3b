# Shared by the samplers of the core that cut drawn rows into batches: in the order in which they were drawn, or of rows
# of similar length.

# A kind whose epochs may differ in their number of batches; the batches of an epoch by length are kept, because
# computing their number requires the draw.
cutting_kind = function(...) {
  shared = core_kind(
    count_batches = function(private, epoch) {
      count = core_count(private, epoch)
      if (count > 0) count else length(private$.kind()$draw(private, epoch)$offsets) - 1L
    },
    draw = function(private, epoch) {
      if (!by_length(private$.recipe$parts)) {
        return(core_batches(private, epoch))
      }
      latest_batches(private, epoch, function() core_batches(private, epoch))
    },
    private = list(.latest = NULL)
  )
  utils::modifyList(shared, list(...))
}

by_length = function(parts) !is.null(parts$lengths)

# Whether the batches of each step of the replicas have similar numbers of tokens.
is_balanced = function(parts) !is.null(parts$balance_replicas) && parts$balance_replicas == 1

# The batches of an epoch by length, which are kept: computing their number requires the draw.
latest_batches = function(private, epoch, cut) {
  if (is.null(private$.latest) || private$.latest$epoch != epoch) {
    private$.latest = list(epoch = epoch, batches = cut())
  }
  private$.latest$batches
}

# Lengths as the core takes them: a vector of numbers without attributes, or what it refuses.
plain_lengths = function(lengths) {
  lengths = plain_value(lengths)
  if (is.numeric(lengths) && !is.object(lengths) && is.null(dim(lengths))) as.vector(lengths) else lengths
}

# The memory of an epoch of `n_rows` rows and its offsets.
cutting_bytes = function(recipe, n_rows) {
  if (by_length(recipe$parts)) 120 * n_rows else 8 * n_rows + 32 * count_of_recipe(recipe, 0)
}

# For samplers that visit `sample` of `n_rows` examples in an epoch.
format_drawn = function(recipe) {
  c(
    sprintf("* Examples: %.0f of %.0f in an epoch", recipe$parts$sample, recipe$parts$n_rows),
    format_limits(recipe$parts, count_of_recipe(recipe, 0), "row")
  )
}

# The number of batches, 0 if only a draw tells it, and their limits.
format_limits = function(parts, count, noun) {
  limits = c(
    if (!is.null(parts$max_tokens)) show_count(parts$max_tokens, "token"),
    if (!is.null(parts$batch_size)) show_count(parts$batch_size, noun)
  )
  sorted = if (by_length(parts)) {
    within = if (is.null(parts$window)) "the epoch" else paste("windows of", show_count(parts$window, noun))
    balance = if (is_balanced(parts)) paste(", balanced over", show_count(parts$num_replicas, "replica"))
    paste0(", by length in ", within, balance)
  }
  number = if (count > 0) sprintf("%.0f, ", count)
  paste0("* Batches: ", number, "of at most ", paste(limits, collapse = " and "), sorted)
}
