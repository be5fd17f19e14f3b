# The order of all rows in one epoch, by R's own generator.

largest_epoch = 6700000

# Exact in doubles up to the largest epoch.
# Epoch 0 has the seed itself; the multiplier keeps the epochs of neighbouring seeds apart.
epoch_seed = function(seed, epoch) {
  (seed + 1327217885 * epoch) %% 2147483647
}

# What sample(n) gives after set.seed(seed) in a fresh R session.
shuffled_rows = function(n, seed) {
  kinds = RNGkind()
  state = get0(".Random.seed", envir = globalenv(), inherits = FALSE)
  on.exit(restore_random_state(kinds, state))
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  sample.int(n)
}

restore_random_state = function(kinds, state) {
  if (is.null(state)) {
    # Choosing "Rounding" gives a warning, and choosing a kind makes a state where there was none.
    suppressWarnings(RNGkind(kinds[1L], kinds[2L], kinds[3L]))
    rm(".Random.seed", envir = globalenv())
  } else {
    assign(".Random.seed", state, envir = globalenv())
    # R takes the kinds from the state when it next looks at them: now, rather than after a caller has removed it.
    RNGkind()
  }
  invisible()
}

# -> list(rows = positions in batch order, offsets = the number of rows before each batch, and in all)
epoch_batches = function(setup, epoch) {
  n_rows = length(setup$codes)
  rows = if (setup$shuffle) shuffled_rows(n_rows, epoch_seed(setup$seed, epoch)) else seq_len(n_rows)
  # The order is stable, so that ranks follow the shuffled order; dropped rows (NA) come last, where the layout ends.
  by_stratum = order(setup$codes[rows], method = "radix")
  list(rows = rows[by_stratum[setup$layout$source]], offsets = setup$layout$offsets)
}

# A seed for an instance that was given none.
# With a LibTorch that is there but not loaded, torch_is_installed() may be TRUE and every draw fail.
draw_seed = function() {
  seed = if (torch::torch_is_installed()) {
    tryCatch(
      torch::torch_randint(0, 2147483647, size = 1L, dtype = torch::torch_long())$item(),
      error = function(condition) NULL
    )
  }
  as.double(if (is.null(seed)) sample.int(2147483647L, 1L) - 1L else seed)
}
