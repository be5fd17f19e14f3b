# Uniform, weighted and prioritized batches of Python, reproduced from the golden vectors by R's own generator, and by
# the samplers of this package.

draw_weighted = function(case) {
  made = case$weights
  weights = (seq_len(case$n) * made$multiplier) %% made$modulus / made$divisor
  together = if (is.null(case$num_replicas)) 1 else case$num_replicas
  rows = numeric()
  for (batch in seq_len(case$n_batches) - 1) {
    for (update in Filter(function(update) update$before == batch, case$updates)) {
      weights[seq(1, case$n, by = update$step)] = update$weight
    }
    if (batch %% together == 0) {
      rows = c(rows, replicate(together, draw_batch(weights, case$batch_size, case$replacement)))
    }
  }
  with_samples(rows, case, function(k) draw_batch(weights, k, case$replacement))
}

# Rows with those that the case draws outside epochs as an attribute.
with_samples = function(rows, case, draw) {
  if (!is.null(case$samples)) {
    sampled = with_seed_of(list(seed = case$seed, epoch = 6700001), lapply(unlist(case$samples), draw))
    attr(rows, "sampled") = unlist(sampled)
  }
  rows
}

draw_prioritised = function(case) {
  made = case$priorities
  is_ranked = !is.null(case$method)
  epsilon = if (is_ranked) 0 else case$epsilon
  sizes = abs((seq_len(case$n) * made$multiplier) %% made$modulus / made$divisor - 1) + epsilon
  largest = max(sizes)
  next_place = case$n %% case$capacity
  rows = numeric()
  for (batch in seq_len(case$n_batches) - 1) {
    for (update in Filter(function(update) update$before == batch, case$updates)) {
      size = abs(update$priority) + epsilon
      sizes[seq(1, case$n, by = update$step)] = size
      largest = max(largest, size)
      sizes[(next_place + seq_len(update$append) - 1) %% case$capacity + 1] = largest
      next_place = (next_place + update$append) %% case$capacity
    }
    order = if (is_ranked) order(-sizes, seq_along(sizes)) else seq_along(sizes)
    weights = if (is_ranked) seq_along(sizes)^-case$alpha else sizes^case$alpha
    levels = tree_levels(c(weights, numeric(case$capacity - length(sizes))))
    draw = function(k) {
      order[1 + vapply(seq_len(k) - 1, numeric(1L), FUN = function(slice) {
        if (case$stratified) draw_row(levels, slice, k) else draw_row(levels)
      })] - 1
    }
    drawn = draw(case$batch_size)
    rows = c(rows, drawn)
  }
  rows = with_samples(rows, case, draw)
  least = if (case$normalize) min(weights) else mean(weights)
  attr(rows, "importance_weights") = (least / weights[match(drawn + 1, order)])^case$beta
  rows
}

draw_uniform = function(case) {
  batch = function(number) {
    if (case$replacement) {
      sample.int(case$n, case$batch_size, replace = TRUE)
    } else {
      sample.int(case$n, case$batch_size, useHash = FALSE)
    }
  }
  unlist(lapply(seq_len(case$n_batches), batch)) - 1
}

# The weights, or priorities, of a case before any update.
made_numbers = function(n, made, offset = 0) {
  (seq_len(n) * made$multiplier) %% made$modulus / made$divisor - offset
}

# The rows of an epoch, counted from 0, when `tell(update)` has told of the updates before each batch.
sampled_epoch = function(sampler, case, tell) {
  sampler$set_epoch(case$epoch)
  next_batch = sampler$.iter()
  rows = lapply(seq_len(case$n_batches) - 1, function(batch) {
    for (update in Filter(function(update) update$before == batch, case$updates)) {
      tell(update)
    }
    next_batch()
  })
  list(all = unlist(rows) - 1, last = rows[[length(rows)]])
}

sample_uniform = function(case) {
  sampler = batch_sampler_uniform(case$n, case$batch_size, replacement = case$replacement, n_batches = case$n_batches,
    seed = case$seed)(NULL)
  sampler$batches(case$epoch)$rows - 1
}

sample_weighted = function(case) {
  sampler = batch_sampler_weighted(made_numbers(case$n, case$weights), case$batch_size, replacement = case$replacement,
    n_batches = case$n_batches, seed = case$seed, num_replicas = case$num_replicas)(NULL)
  rows = sampled_epoch(sampler, case, function(update) {
    rows = seq(1, case$n, by = update$step)
    sampler$update(rows, rep(update$weight, length(rows)))
  })
  structure(rows$all, sampled = samples_of(sampler, case))
}

# The rows, counted from 0, that the case draws outside epochs.
samples_of = function(sampler, case) {
  if (!is.null(case$samples)) unlist(lapply(case$samples, sampler$sample)) - 1
}

sample_prioritised = function(case) {
  names = c("batch_size", "alpha", "beta", "epsilon", "stratified", "normalize", "capacity", "n_batches", "seed",
    "method")
  settings = c(list(n_rows = case$n), case[intersect(names, names(case))])
  sampler = do.call(batch_sampler_prioritized, settings)(NULL)
  sampler$update(seq_len(case$n), made_numbers(case$n, case$priorities, offset = 1))
  rows = sampled_epoch(sampler, case, function(update) {
    rows = seq(1, case$n, by = update$step)
    sampler$update(rows, rep(update$priority, length(rows)))
    sampler$append(update$append)
  })
  structure(rows$all, importance_weights = sampler$importance_weights(rows$last), sampled = samples_of(sampler, case))
}

expect_golden_rows = function(draws, with_generator) {
  cases = read_golden("weighted.json")$cases
  expect_gt(length(cases), 105L)
  for (case in cases) {
    drawn = with_generator(case$input, draws[[case$input$kind]](case$input))
    rows = as.vector(drawn)
    expect_equal(attr(drawn, "sampled"), unlist(case$expected$sampled), tolerance = 0)
    expect_equal(attr(drawn, "importance_weights"), unlist(case$expected$importance_weights), tolerance = 1e-11)
    expected = case$expected$rows
    if (length(rows) <= 2000L) expected = unlist(expected)
    found = if (length(rows) <= 2000L) rows else cut_list(rows)
    expect_equal(found, expected, tolerance = 0, info = jsonlite::toJSON(case$input, auto_unbox = TRUE))
  }
}

test_that("R makes the uniform, the weighted and the prioritised batches of the golden vectors", {
  draws = list(uniform = draw_uniform, weighted = draw_weighted, prioritised = draw_prioritised)
  expect_golden_rows(draws, with_seed_of)
})

test_that("the samplers of this package give the batches of the golden vectors, and R's generator takes no part", {
  set.seed(3)
  before = .Random.seed
  draws = list(uniform = sample_uniform, weighted = sample_weighted, prioritised = sample_prioritised)
  expect_golden_rows(draws, function(case, code) code)
  expect_identical(.Random.seed, before)
})
