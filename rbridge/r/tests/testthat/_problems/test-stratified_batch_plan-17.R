# Extracted from test-stratified_batch_plan.R:17

# setup ------------------------------------------------------------------------
library(testthat)
test_env <- simulate_test_env(package = "rbridge", path = "..")
attach(test_env, warn.conflicts = FALSE)

# prequel ----------------------------------------------------------------------
labels = published_labels()
expect_plan_of = function(plan, sampler) {
  expect_s3_class(plan, "batch_plan")
  expect_identical(plan$composition(), sampler$plan())
  expect_identical(plan$n_batches, sampler$.length())
  expect_identical(plan$sizes, lengths(epoch_of(sampler, 0)))
  expect_identical(plan$strata, names(sampler$plan()))
  expect_identical(plan$counts, unname(as.integer(colSums(sampler$plan()))))
  expect_identical(plan$n_rows, length(sampler$batches(0)$rows))
  expect_identical(plan$min_samples_per_stratum, min(plan$counts) %/% plan$n_batches)
}

# test -------------------------------------------------------------------------
expect_plan_of(batch_plan(labels, 3), sampler_of(labels, 3, seed = 1))
