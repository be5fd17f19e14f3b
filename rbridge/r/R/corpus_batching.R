# What the samplers of this room share: drawn rows are cut into batches of at most a given size, in their order.

# -> list(batch_size, num_replicas), which an epoch of `n_rows` drawn rows allows
cut_settings = function(n_rows, batch_size, num_replicas) {
  batch_size = check_count(batch_size, "batch_size")
  n_batches = count_cut_batches(n_rows, batch_size, num_replicas)
  if (n_batches > n_rows) {
    stop_parameter("num_replicas",
      sprintf("leave each batch a row: %.0f are drawn for %.0f batches", n_rows, n_batches),
      show_value(num_replicas))
  }
  list(batch_size = batch_size, num_replicas = num_replicas)
}

# The number of batches, rounded up to a multiple of the replicas.
count_cut_batches = function(n_rows, batch_size, num_replicas) {
  n_batches = ceiling(n_rows / batch_size)
  if (is.null(num_replicas)) n_batches else ceiling(n_batches / num_replicas) * num_replicas
}

# Without replicas all batches but the last one are full; else their sizes differ by at most 1.
cut_offsets = function(n_rows, parts) {
  n_batches = count_cut_batches(n_rows, parts$batch_size, parts$num_replicas)
  if (!is.null(parts$num_replicas)) {
    return(.Call(C_batch_offsets, n_rows, n_batches, FALSE))
  }
  as.integer(pmin(parts$batch_size * 0:n_batches, n_rows))
}

# For recipes, which may come from files.
check_cut = function(recipe, n_rows) {
  part_count(recipe, "batch_size", 1, Inf)
  if (!is.null(recipe$parts$num_replicas)) {
    part_count(recipe, "num_replicas", 1, n_rows)
  }
  n_batches = count_cut_batches(n_rows, recipe$parts$batch_size, recipe$parts$num_replicas)
  if (n_batches > n_rows) {
    stop_parameter("recipe", sprintf("have at most %.0f batches", n_rows), sprintf("%.0f", n_batches))
  }
}

# What the samplers share that visit `sample` of `n` examples in an epoch.
# -> list(seed, parts)
drawn_settings = function(n, sample, batch_size, seed, num_replicas) {
  seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed)
  num_replicas = check_positive(num_replicas, "num_replicas")
  n = check_between(n, "n", 1, largest_count)
  sample = check_between(sample, "sample", 1, largest_count)
  list(seed = seed, parts = c(list(n = n, sample = sample), cut_settings(sample, batch_size, num_replicas)))
}

check_drawn = function(recipe) {
  part_count(recipe, "n", 1, largest_count)
  check_cut(recipe, part_count(recipe, "sample", 1, largest_count))
}

count_drawn_batches = function(parts) count_cut_batches(parts$sample, parts$batch_size, parts$num_replicas)

format_drawn = function(parts) {
  c(
    sprintf("* Examples: %.0f of %.0f in an epoch", parts$sample, parts$n),
    sprintf("* Batches: %.0f, of at most %s", count_drawn_batches(parts), show_count(parts$batch_size, "row"))
  )
}
