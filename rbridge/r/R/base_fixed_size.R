# Shared by samplers with a given number of batches of one size.

# The memory of the rows and the offsets of an epoch.
fixed_size_bytes = function(parts) {
  4 * parts$batch_size * parts$n_batches + 32 * parts$n_batches
}

format_fixed_size = function(parts) {
  sprintf("* Batches: %.0f, of %s", parts$n_batches, show_count(parts$batch_size, "row"))
}
