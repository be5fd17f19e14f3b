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
