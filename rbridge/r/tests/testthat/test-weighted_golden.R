# Uniform, weighted and prioritized batches, and replay buffers: the golden cases.

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

test_that("batches, samples and importance weights are those of the golden cases", {
  draws = list(uniform = sample_uniform, weighted = sample_weighted, prioritised = sample_prioritised)
  for (case in read_golden("weighted.json")$cases) {
    drawn = draws[[case$input$kind]](case$input)
    rows = as.vector(drawn)
    expected = case$expected$rows
    if (length(rows) <= 2000L) expected = unlist(expected)
    found = if (length(rows) <= 2000L) rows else cut_list(rows)
    info = deparse1(case$input)
    expect_equal(found, expected, tolerance = 0, info = info)
    expect_equal(attr(drawn, "sampled"), unlist(case$expected$sampled), tolerance = 0, info = info)
    expect_equal(attr(drawn, "importance_weights"), unlist(case$expected$importance_weights), tolerance = 1e-11,
      info = info)
  }
})

test_that("calls of a replay buffer give what the golden cases of a naive one say", {
  for (case in read_golden("replay.json")$cases) {
    buffer = batch_sampler_prioritized(case$n_rows, batch_size = 2, capacity = case$capacity, alpha = case$alpha,
      epsilon = case$epsilon, n_batches = 4, seed = 1)(NULL)
    for (step in case$steps) {
      priorities = if (!is.null(step$priorities)) as.double(unlist(step$priorities))
      if (step$call == "append") {
        expect_equal(buffer$append(step$count, priorities), unlist(step$places) + 1L)
      } else {
        buffer$update(as.integer(unlist(step$rows)) + 1L, as.double(priorities), since = step$since)
      }
      expect_equal(buffer$n_added(), step$n_added)
      expect_equal(buffer$state()$weights, as.double(unlist(step$weights)),
        tolerance = 1e-14)
    }
  }
})
