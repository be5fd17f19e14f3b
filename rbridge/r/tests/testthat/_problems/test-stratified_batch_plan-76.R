# Extracted from test-stratified_batch_plan.R:76

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
expect_identical(capture.output(print(batch_plan(c(labels, NA), 3, missing = "drop"))), c(
    "<batch_plan>",
    "* Rows: 20000, and 1 never sampled",
    "* Batches: 200, of 100 rows, each with at least 3 rows of every stratum",
    "* Assigned: proportional",
    "* Strata: 2, with the fewest and the most rows in a batch",
    " stratum  rows fewest most",
    "       1   600      3    3",
    "       0 19400     97   97"
  ))
