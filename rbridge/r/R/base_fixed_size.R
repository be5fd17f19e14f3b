# Shared by samplers with a given number of batches of one size.

# -> list(batch_size, n_batches, num_replicas, seed), all of them doubles; the seed is NULL if it is not given
# `n_rows` is the number of rows, or the number that there is room for.
fixed_size_settings = function(n_rows, batch_size, n_batches, seed, num_replicas) {
  seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed)
  num_replicas = check_positive(num_replicas, "num_replicas")
  batch_size = check_between(batch_size, "batch_size", 1, largest_count)
  if (!is.null(n_batches)) {
    n_batches = check_between(n_batches, "n_batches", 1, largest_count)
  } else {
    n_batches = n_rows %/% batch_size
    if (n_batches == 0) {
      stop_parameter("n_batches", sprintf("be given if the batch size exceeds the number of rows, %.0f", n_rows),
        "nothing")
    }
  }
  n_batches = share_of_replicas(n_batches, num_replicas)
  replicas = if (is.null(num_replicas)) 1 else num_replicas
  list(batch_size = batch_size, n_batches = n_batches, num_replicas = replicas, seed = seed)
}

fixed_size_offsets = function(batch_size, n_batches) {
  as.integer(batch_size * 0:n_batches)
}

check_fixed_size = function(recipe) {
  part_count(recipe, "batch_size", 1, largest_count)
  part_count(recipe, "n_batches", 1, largest_count)
}

# The memory of the rows and the offsets of an epoch.
fixed_size_bytes = function(parts) {
  4 * parts$batch_size * parts$n_batches + 32 * parts$n_batches
}

format_fixed_size = function(parts) {
  sprintf("* Batches: %.0f, of %s", parts$n_batches, show_count(parts$batch_size, "row"))
}

format_order = function(recipe, next_epoch) {
  sprintf("* Order: drawn by seed %.0f, next epoch %.0f", recipe$seed, next_epoch)
}

# For a generator, whose instances may draw their seeds.
format_seed = function(recipe) {
  if (!is.null(recipe$seed)) sprintf("* seed: %.0f", recipe$seed)
}
