# The seeds of epochs and of instances.

# Epoch 0 has the seed itself; the multiplier keeps the epochs of neighboring seeds apart.
epoch_seed = function(seed, epoch) {
  (seed + 1327217885 * epoch) %% 2147483647
}

# A seed for an instance without one.
# If LibTorch is installed but not loaded, torch_is_installed() may be TRUE and every draw fail.
draw_seed = function() {
  seed = if (torch::torch_is_installed()) {
    tryCatch(
      torch::torch_randint(0, largest_seed + 1, size = 1L, dtype = torch::torch_long())$item(),
      error = function(condition) NULL
    )
  }
  as.double(if (is.null(seed)) sample.int(largest_seed + 1, 1L) - 1L else seed)
}
