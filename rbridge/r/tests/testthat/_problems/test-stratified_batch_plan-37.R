# Extracted from test-stratified_batch_plan.R:37

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
skip_if_not_installed("mlr3")
task = mlr3::tsk("german_credit")
source = list(task = task)
for (x in list(task, source)) {
    for (strata in list(NULL, c("housing", "telephone"), bin_target(task$data(cols = "age")$age))) {
      expect_plan_of(batch_plan(x, 5, strata = strata), batch_sampler_stratified(5, strata = strata, seed = 1)(source))
    }
  }
