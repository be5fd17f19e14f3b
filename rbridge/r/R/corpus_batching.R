# Shared by the samplers of this room: drawn rows are cut into batches, in the order in which they were drawn, or of
# rows of similar length.
# The parts of a recipe that determine this are batch_size, NULL for no limit, and num_replicas; by length also lengths,
# one for each row of the dataset, max_tokens, NULL for no limit, and window, NULL for all rows of an epoch.

by_length = function(parts) !is.null(parts$lengths)

# -> the parts, for epochs of `n_rows` rows
# `lengths` are those of all rows of the dataset, NULL if batches do not depend on them.
cut_settings = function(n_rows, batch_size, num_replicas, lengths, max_tokens, window) {
  parts = if (!is.null(lengths)) {
    length_settings(lengths, batch_size, max_tokens, window)
  } else {
    list(batch_size = check_count(batch_size, "batch_size"))
  }
  parts = c(parts[1L], list(num_replicas = num_replicas), parts[-1L])
  check_cut_fits(n_rows, parts)
  parts
}

# Refuses an epoch of `n_rows` rows if batches would be empty.
check_cut_fits = function(n_rows, parts) {
  n_batches = count_cut_batches(n_rows, parts)
  least = if (is.null(n_batches)) round_to_replicas(1, parts$num_replicas, "up") else n_batches
  check_no_empty_batch(n_rows, least, parts$num_replicas)
}

length_settings = function(lengths, batch_size, max_tokens, window) {
  if (!is.null(batch_size) || is.null(max_tokens)) {
    batch_size = check_count(batch_size, "batch_size")
  }
  window = if (!is.null(window)) check_between(window, "window", 1, largest_count)
  if (!is.null(max_tokens)) {
    max_tokens = check_between(max_tokens, "max_tokens", 1, 2^53)
    check_none_too_long(lengths, max_tokens)
  }
  list(batch_size = batch_size, lengths = lengths, max_tokens = max_tokens, window = window)
}

check_none_too_long = function(lengths, max_tokens) {
  too_long = which(lengths > max_tokens)
  if (length(too_long) > 0L) {
    advice = sprintf("%s %s longer, the first at row position %.0f, counted from 1.",
      show_count(length(too_long), "example"), if (length(too_long) == 1L) "is" else "are", too_long[1L])
    stop_parameter("max_tokens", sprintf("be at least %d, the length of the longest example", max(lengths)),
      show_value(max_tokens), advice)
  }
}

check_no_empty_batch = function(n_rows, n_batches, num_replicas) {
  if (n_batches > n_rows) {
    stop_parameter("num_replicas",
      sprintf("leave each batch a row: %.0f are drawn for %.0f batches", n_rows, n_batches),
      show_value(num_replicas))
  }
}

# The number of batches, rounded up to a multiple of the replicas; NULL if it depends on the rows that are drawn.
count_cut_batches = function(n_rows, parts) {
  if (!is.null(parts$max_tokens)) {
    return(NULL)
  }
  window = if (is.null(parts$window)) n_rows else parts$window
  n_batches = n_rows %/% window * ceiling(window / parts$batch_size) + ceiling(n_rows %% window / parts$batch_size)
  round_to_replicas(n_batches, parts$num_replicas, "up")
}

# The offsets of the batches of every epoch, if they are in the order in which rows were drawn; else NULL.
# Without replicas, all batches except the last one are full; with them, sizes differ by at most 1.
cut_offsets = function(n_rows, parts) {
  if (by_length(parts)) {
    return(NULL)
  }
  n_batches = count_cut_batches(n_rows, parts)
  if (!is.null(parts$num_replicas)) {
    return(core_call("batch_offsets", list(counts = n_rows, n_batches = n_batches, even = FALSE))$offsets)
  }
  full_offsets(n_rows, n_batches, parts$batch_size)
}

# The memory of an epoch of `n_rows` rows and its offsets.
cut_bytes = function(n_rows, parts) {
  n_batches = count_cut_batches(n_rows, parts)
  if (by_length(parts)) 120 * n_rows else 8 * n_rows + 32 * n_batches
}

# Drawn rows, as list(rows, stream) -> list(rows, offsets), by length; the stream shuffles the batches.
cut_drawn = function(drawn, parts) {
  rows = drawn$rows
  n_rows = length(rows)
  or = function(limit, otherwise) if (is.null(limit)) otherwise else min(limit, otherwise)
  most_tokens = if (is.null(parts$max_tokens)) Inf else parts$max_tokens
  cut = .Call(C_cut_by_length, parts$lengths[rows], or(parts$window, n_rows), or(parts$batch_size, n_rows), most_tokens)
  n_batches = round_to_replicas(length(cut$offsets) - 1, parts$num_replicas, "up")
  check_no_empty_batch(n_rows, n_batches, parts$num_replicas)
  cut$offsets = .Call(C_split_batches, cut$offsets, n_batches)
  cut = .Call(C_shuffle_batches, drawn$stream, cut$order, cut$offsets)
  list(rows = rows[cut$order + 1L], offsets = cut$offsets)
}

# The batches of an epoch by length, which are kept: computing their number requires the draw.
latest_batches = function(private, epoch, cut) {
  if (is.null(private$.latest) || private$.latest$epoch != epoch) {
    private$.latest = list(epoch = epoch, batches = cut())
  }
  private$.latest$batches
}

# The number of batches of an epoch, which draws `n_rows`; `draw` returns its batches.
count_batches_of = function(n_rows, parts, draw) {
  n_batches = count_cut_batches(n_rows, parts)
  if (is.null(n_batches)) length(draw()$offsets) - 1L else n_batches
}

# For recipes, which may come from files; `n` is the number of rows of the dataset.
check_cut = function(recipe, n_rows, n) {
  parts = recipe$parts
  if (!is.null(parts$num_replicas)) {
    part_count(recipe, "num_replicas", 1, n_rows)
  }
  if (by_length(parts) || !is.null(parts$max_tokens) || !is.null(parts$window)) {
    check_length_parts(recipe, n)
  }
  if (!is.null(parts$batch_size) || is.null(parts$max_tokens)) {
    part_count(recipe, "batch_size", 1, Inf)
  }
  n_batches = count_cut_batches(n_rows, parts)
  if (!is.null(n_batches) && n_batches > n_rows) {
    stop_parameter("recipe", sprintf("have at most %.0f batches", n_rows), sprintf("%.0f", n_batches))
  }
}

check_length_parts = function(recipe, n) {
  parts = recipe$parts
  if (!is.integer(parts$lengths) || length(parts$lengths) != n || anyNA(parts$lengths) || min(parts$lengths) < 0L) {
    stop_parameter("recipe", sprintf("have %s from 0 as 'lengths'", show_count(n, "integer")),
      show_value(parts$lengths))
  }
  if (!is.null(parts$window)) {
    part_count(recipe, "window", 1, largest_count)
  }
  if (!is.null(parts$max_tokens)) {
    part_count(recipe, "max_tokens", max(1, parts$lengths), 2^53)
  }
}

# Shared by the samplers that visit `sample` of `n` examples in an epoch.
# -> list(seed, parts)
drawn_settings = function(n, sample, batch_size, lengths, max_tokens, window, seed, num_replicas) {
  seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed)
  num_replicas = check_positive(num_replicas, "num_replicas")
  n = check_between(n, "n", 1, largest_count)
  sample = check_between(sample, "sample", 1, largest_count)
  used = check_lengths_used(lengths, max_tokens, window)
  of_rows = if (used) read_lengths(lengths, n)
  cut = cut_settings(sample, batch_size, num_replicas, of_rows, max_tokens, window)
  list(seed = seed, parts = c(list(n = n, sample = sample), cut))
}

check_drawn = function(recipe) {
  n = part_count(recipe, "n", 1, largest_count)
  sample = part_count(recipe, "sample", 1, largest_count)
  check_cut(recipe, sample, n)
}

format_drawn = function(parts) {
  c(
    sprintf("* Examples: %.0f of %.0f in an epoch", parts$sample, parts$n),
    format_cut(parts$sample, parts, "row")
  )
}

format_cut = function(n_rows, parts, noun) {
  n_batches = count_cut_batches(n_rows, parts)
  format_limits(parts, if (is.null(n_batches)) 0 else n_batches, noun)
}
