# Prioritized replay in R: beta, copies, what is refused, and output. The golden cases are in test-weighted_golden.R.

prioritized_of = function(...) {
  batch_sampler_prioritized(..., seed = 1)(NULL)
}

test_that("beta may be a function of the number of the batch, or given for one call", {
  sampler = prioritized_of(4, 2, alpha = 1, beta = function(batch) batch / 4, epsilon = 0.5)
  sampler$update(1:4, c(0, 0.5, 1.5, 3.5))
  expect_equal(sampler$importance_weights(1:4, batch = 4), c(1, 0.5, 0.25, 0.125))
  expect_equal(sampler$importance_weights(4, batch = 0), 1)
  expect_equal(sampler$importance_weights(1:2, beta = 2), c(1, 0.25))
  refused = function(text, ...) expect_error(sampler$importance_weights(1, ...), text, fixed = TRUE)
  refused("The 'batch' parameter must be given if 'beta' is a function. Got nothing instead.")
  refused("The 'batch' parameter must be a non-negative integer. Got -1 instead.", batch = -1)
  refused("The 'beta' parameter must be a finite number of at least 0. Got -1 instead.", beta = -1)
})

test_that("priorities are read as they were given, except for the sign", {
  told = c(0, 0.5, -1.5, 3.5)
  for (buffer in list(prioritized_of(4, 2, alpha = 2), prioritized_of(4, 2, method = "rank", alpha = 0))) {
    buffer$update(1:4, told)
    expect_equal(buffer$priorities(), abs(told), tolerance = 1e-14)
    expect_equal(buffer$priorities(c(4, 2)), c(3.5, 0.5), tolerance = 1e-14)
  }
})

test_that("copies have priorities and samples of their own, and an update in place copies nothing", {
  for (method in c("proportional", "rank")) {
    sampler = prioritized_of(1000, 2, capacity = 1100, n_batches = 9, method = method)
    sampler$update(1:1000, sin(1:1000))
    sampler$sample(5)
    copy = sampler$clone()
    loaded = unserialize(serialize(sampler, NULL))
    before = sampler$importance_weights(1:1000)
    for (twin in list(copy, loaded)) {
      twin$update(1:3, c(5, 6, 7))
      twin$append(2)
    }
    expect_identical(sampler$importance_weights(1:1000), before)
    expect_identical(loaded$importance_weights(1:1002), copy$importance_weights(1:1002))
    expect_identical(loaded$sample(9), copy$sample(9))
    expect_identical(sampler$append(), 1001L)
    expect_identical(c(sampler$n_added(), copy$n_added()), c(1001, 1002))
    expect_identical(copies_of_state(copy, for (step in 1:20) copy$update(step, step)), 0L)
  }
})

test_that("a refused call changes nothing", {
  sampler = prioritized_of(4, 2, alpha = 2, capacity = 4)
  before = state_of(sampler)
  refused = function(text, code) expect_error(code, text, fixed = TRUE)
  refused("The 'priorities' parameter must hold finite numbers. Got NA instead.", sampler$update(1:2, c(1, NA)))
  refused("hold row positions from 1 to 4, counted from 1. Got 5 instead.", sampler$update(5, 1))
  refused("'since' parameter must be an integer from 0 to 4. Got 5 instead", sampler$update(1, 1, since = 5))
  refused("'priorities' parameter must have one value for each row, 2", sampler$append(2, priorities = 1:3))
  refused("'count' parameter must be an integer from 0 to 4. Got 5 instead", sampler$append(5))
  refused("'k' parameter must be an integer from 0 to 2147483647. Got 2 values instead.", sampler$sample(c(1, 2)))
  expect_silent(sampler$update(integer(), numeric()))
  expect_identical(state_of(sampler), before)
})

test_that("vectors of another ranking are refused", {
  sampler = prioritized_of(50, 20, n_batches = 4, method = "rank")
  state = state_of(sampler)
  good = state$ranking
  for (damaged in list(good[-1L], 1:3)) {
    assign(".state", replace(state, "ranking", list(damaged)), private_of(sampler))
    expect_error(sampler$sample(5), "The 'ranking' parameter must be a ranking.", fixed = TRUE)
  }
})
