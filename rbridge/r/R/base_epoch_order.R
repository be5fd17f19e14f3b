# The order of all rows in one epoch, and its batches, which the C core in src/core draws.

# Epoch 0 has the seed itself; the multiplier keeps the epochs of neighboring seeds apart.
epoch_seed = function(seed, epoch) {
  .Call(C_epoch_seed, seed, epoch)
}

# What sample(n) returns after set.seed(seed) in a fresh R session.
# R's own generator is not used.
shuffled_rows = function(n, seed) {
  .Call(C_permutation, n, seed)
}

# -> list(rows = positions in batch order, offsets = the number of rows before each batch, and finally of all rows)
# The setup has the codes of the strata, as in recipes, and a plan. If the plan takes fewer rows of a stratum than there
# are, it takes those of the first ranks, unless the setup has passes.
# The strata are checked and laid out at the first epoch, and again if `memory`, an environment, has lost that.
epoch_batches = function(setup, epoch) {
  if (!is.null(setup$passes)) {
    return(passes_batches(setup, epoch))
  }
  seed = if (setup$shuffle) epoch_seed(setup$seed, epoch)
  memory = setup$memory
  batches = if (!is.null(memory$scatter)) .Call(C_draw_epoch, memory$scatter, seed)
  if (is.null(batches)) {
    memory = if (is.null(memory)) new_memory() else memory
    plan = setup$plan
    memory$scatter = .Call(C_prepare_scatter, memory, setup$codes, plan$counts, plan$n_batches, plan$assign == "even")
    batches = .Call(C_draw_epoch, memory$scatter, seed)
  }
  batches
}

# The memory that the epochs of an instance share, as long as it lives.
# It is empty when saved: R saves a weak reference without what it refers to.
new_memory = function() {
  new.env(parent = emptyenv())
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
