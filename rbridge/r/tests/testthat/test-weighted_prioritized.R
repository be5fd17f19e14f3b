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
