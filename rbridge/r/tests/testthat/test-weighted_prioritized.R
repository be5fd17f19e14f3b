# Prioritized replay: weights of priorities, importance weights, a buffer that forgets.

prioritized_of = function(...) {
  batch_sampler_prioritized(...)(NULL)
}

test_that("beta may be a function of the number of the batch", {
  sampler = prioritized_of(4, 2, alpha = 1, beta = function(batch) batch / 4, epsilon = 0.5, seed = 1)
  sampler$update(1:4, c(0, 0.5, 1.5, 3.5))
  expect_equal(sampler$importance_weights(1:4, batch = 4), c(1, 0.5, 0.25, 0.125))
  expect_equal(sampler$importance_weights(4, batch = 0), 1)
  of = "parameter must"
  expect_error(sampler$importance_weights(1), paste("The 'batch'", of,
    "be given if 'beta' is a function. Got nothing instead."), fixed = TRUE)
  expect_error(sampler$importance_weights(1, batch = -1), paste("The 'batch'", of,
    "be a non-negative integer. Got -1 instead."), fixed = TRUE)
  wrong = prioritized_of(4, 2, beta = function(batch) -1, seed = 1)
  expect_error(wrong$importance_weights(1, batch = 1), paste("The 'beta'", of,
    "be a finite number of at least 0. Got -1 instead."), fixed = TRUE)
})

test_that("a new row gets the largest priority ever told, 1 before any, and the place of the oldest row", {
  sampler = prioritized_of(0, 1, alpha = 0.5, epsilon = 0.25, capacity = 4, seed = 1)
  weights = function() sampler$state_dict(batches_consumed = 0)$feedback$weights
  expect_identical(sampler$append(), 1L)
  expect_identical(weights(), 1)
  sampler$update(1, 3.75)
  sampler$update(1, 0)
  expect_identical(sampler$append(3), 2:4)
  expect_identical(weights(), c(0.5, 2, 2, 2))
  expect_identical(sampler$append(2), 1:2)
  expect_identical(weights(), c(2, 2, 2, 2))
  expect_identical(sampler$append(0), integer())
  expect_error(sampler$append(5), paste("The 'count' parameter must be an integer from 0",
    "to 4. Got 5 instead."), fixed = TRUE)
})

test_that("a sample has rows of a stream of its own, and neither an iteration nor a copy sees it", {
  sampler = prioritized_of(6, 3, n_batches = 4, seed = 2)
  twin = prioritized_of(6, 3, n_batches = 4, seed = 2)
  tree = sum_tree(rep(1, 6), seed = seed_of_epoch(2, 6700001))
  expect_identical(sampler$sample(5), tree$sample(5))
  copy = sampler$clone()
  loaded = unserialize(serialize(sampler, NULL))
  rows = tree$sample(4)
  expect_identical(sampler$sample(4), rows)
  expect_identical(copy$sample(4), rows)
  expect_identical(loaded$sample(4), rows)
  expect_identical(sampler$sample(0), integer())
  expect_identical(next_epoch_of(sampler), next_epoch_of(twin))
  of = "The 'k' parameter must be an integer from 0 to 2147483647."
  expect_error(sampler$sample(-1), paste(of, "Got -1 instead."), fixed = TRUE)
  expect_error(sampler$sample(c(1, 2)), paste(of, "Got 2 values instead."), fixed = TRUE)
})

test_that("a refused update changes nothing", {
  sampler = prioritized_of(4, 2, alpha = 2, seed = 1)
  before = state_of(sampler)
  of = "The 'priorities' parameter must"
  for (wrong in c(NaN, NA, Inf, -Inf)) {
    expect_error(sampler$update(1:2, c(1, wrong)), sprintf("%s hold finite numbers. Got %s instead.", of,
      format(wrong)), fixed = TRUE)
  }
  expect_error(sampler$update(1:2, c(1, -1e200)), paste(of,
    "stay finite when raised to the power of alpha, 2. Got -1e+200 instead."), fixed = TRUE)
  expect_error(sampler$update(1:3, c(1e154, 1e154, 1e154)), paste(of,
    "have a finite total. Got a total that overflows instead."), fixed = TRUE)
  expect_error(sampler$update(5, 1), "hold row positions from 1 to 4, counted from 1. Got 5 instead.", fixed = TRUE)
  expect_identical(state_of(sampler), before)
  expect_silent(sampler$update(integer(), numeric()))
})

test_that("copies have priorities of their own", {
  sampler = prioritized_of(4, 2, capacity = 9, n_batches = 5, seed = 1)
  copy = sampler$clone()
  copy$update(1, 100)
  copy$append(2)
  weights = function() sampler$state_dict(batches_consumed = 0)$feedback$weights
  expect_identical(weights(), c(1, 1, 1, 1))
  expect_identical(sampler$append(), 5L)
  expect_identical(weights()[5L], 1)
  expect_identical(copies_of_state(copy, copy$update(1, 2)), 0L)
})

test_that("generators and instances show themselves", {
  generator = batch_sampler_prioritized(3, 2, capacity = 5, seed = 1, stratified = TRUE)
  expect_output(print(generator), paste0("<batch_sampler_prioritized> generator\n* Rows: 3, with room for 5\n",
    "* Batches: 2, of 2 rows, one from each equal slice\n* Weights: (abs(priority) + 1e-06)^0.6\n* beta: 0.4\n",
    "* seed: 1"), fixed = TRUE)
  sampler = generator(NULL)
  sampler$append()
  expect_output(print(sampler), "* Rows: 4, with room for 5\n* Batches: 2, of 2 rows", fixed = TRUE)
})

ranked_of = function(...) {
  prioritized_of(..., method = "rank")
}

# The importance weights with beta = 1 that follow from priorities.
weights_of_ranks = function(priorities, alpha) {
  ranks = integer(length(priorities))
  ranks[order(-abs(priorities), seq_along(priorities))] = seq_along(priorities)
  (length(priorities)^-alpha / ranks^-alpha)
}

test_that("ranks follow any updates and new rows, by single moves and by sorting anew", {
  random = function(n) (seq_len(n) * 7919) %% 101 / 10 - 5
  for (n in c(1, 5, 60, 500)) {
    sampler = ranked_of(n, 2, capacity = n + 40, n_batches = 1, alpha = 0.8, beta = 1, seed = 1)
    priorities = rep(1, n)
    largest = 1
    for (step in 1:60) {
      rows = unique((step * 31 + 0:(step %% 5)) %% length(priorities) + 1)
      values = random(step + 5)[seq_along(rows)]
      sampler$update(rows, values)
      priorities[rows] = values
      largest = if (step == 1) max(abs(values)) else max(largest, abs(values))
      if (length(priorities) < n + 40) {
        sampler$append(1)
        priorities = c(priorities, largest)
      }
    }
    expect_equal(sampler$importance_weights(seq_along(priorities)), weights_of_ranks(priorities, 0.8),
      tolerance = 1e-14)
    expect_identical(sampler$state_dict(batches_consumed = 0)$feedback$priorities, abs(priorities))
  }
})

test_that("ranked rows in a copy or a saved instance are its own, and an update in place copies nothing", {
  sampler = ranked_of(1000, 2, capacity = 1100, n_batches = 9, beta = 1, seed = 1)
  sampler$update(1:1000, sin(1:1000))
  copy = sampler$clone()
  loaded = unserialize(serialize(sampler, NULL))
  before = sampler$importance_weights(1:1000)
  copy$update(1:3, c(5, 6, 7))
  copy$append(2)
  expect_identical(sampler$importance_weights(1:1000), before)
  expect_identical(loaded$importance_weights(1:1000), before)
  loaded$update(1:3, c(5, 6, 7))
  loaded$append(2)
  expect_identical(loaded$importance_weights(1:1002), copy$importance_weights(1:1002))
  expect_identical(next_epoch_of(loaded), next_epoch_of(copy))
  expect_identical(copies_of_state(copy, for (step in 1:20) copy$update(step, step)), 0L)
})

test_that("arguments that ranks do not take are refused", {
  of = "parameter must"
  refused = function(text, ...) expect_error(batch_sampler_prioritized(...), text, fixed = TRUE)
  refused(paste("The 'epsilon'", of, "not be given if 'method' is 'rank'. Got 0.1 instead."), 3, 1, epsilon = 0.1,
    method = "rank")
  refused(paste("The 'alpha'", of, "give the last of 3 ranks a weight above 0. Got 10000 instead."), 3, 1, alpha = 1e4,
    method = "rank")
  refused(paste("The 'method'", of, "be one of 'proportional', 'rank'. Got 'ranks' instead."), 3, 1, method = "ranks")
  sampler = ranked_of(3, 1, seed = 1)
  expect_error(sampler$update(1, NaN), paste("The 'priorities'", of, "hold finite numbers. Got NaN instead."),
    fixed = TRUE)
  expect_output(print(sampler), "* Weights: rank^-0.6, by abs(priority)", fixed = TRUE)
})

test_that("vectors of a ranking that were damaged are refused or harmless", {
  sampler = ranked_of(50, 20, n_batches = 4, seed = 1)
  private = private_of(sampler)
  state = state_of(sampler)
  good = state$ranking
  for (damaged in list(good[-1L], replace(good, 1L, 51L), replace(good, 2L, 99L), replace(good, 4L, -3L), 1:3)) {
    private$.state = replace(state, "ranking", list(damaged))
    expect_error(sampler$sample(5), "The 'ranking' parameter must be a ranking.",
      fixed = TRUE)
  }
  damaged = c(good[1:10], rep(c(-5L, 1000L), length.out = length(good) - 10L))
  private$.state = replace(state, "ranking", list(damaged))
  expect_true(all(sampler$sample(100) %in% 1:50))
  expect_silent(sampler$update(1:2, c(4, 5)))
})
