# Weighted batches in R: updates, tensors, predictions, output. The golden cases are in test-weighted_golden.R.

weighted_of = function(weights = (1:40 * 7) %% 5) batch_sampler_weighted(weights, 4, n_batches = 12, seed = 1)(NULL)

test_that("a refused update changes nothing", {
  sampler = weighted_of()
  refused = function(text, ...) expect_error(sampler$update(...), text, fixed = TRUE)
  refused("The 'rows' parameter must hold row positions from 1 to 40, counted from 1. Got 0 instead.", c(1, 0), 1:2)
  refused("The 'weights' parameter must hold finite numbers, none below 0. Got -1 instead.", 1, -1)
  refused("The 'weights' parameter must have one value for each row, 2. Got 1 value instead.", 1:2, 1)
  refused("The 'weights' parameter must have a finite total. Got a total that overflows", 1:2, c(1e308, 1e308))
  for (wrong in list(c(TRUE, TRUE), NA, factor(c("b", "a")), c("1", "2"), list(1, 2), as.Date("2020-01-01"))) {
    got = sprintf("Got a value of class '%s' instead.", class(wrong)[1L])
    expect_no_warning(refused(paste("The 'rows' parameter must hold row positions.", got), wrong, c(9, 8)))
    expect_no_warning(refused(paste("The 'weights' parameter must hold numbers.", got), 1:2, wrong))
  }
  expect_silent(sampler$update(integer(), numeric()))
  expect_identical(sampler$weights(), weighted_of()$weights())
})

test_that("mlr3torch trains on the batches, and predicts in the order of the rows, where no update is taken", {
  weights = rep(c(1, 3), times = c(30, 10))
  generators = list(
    batch_sampler_uniform(40, 8, seed = 1), batch_sampler_weighted(weights, 8, seed = 1),
    batch_sampler_prioritized(40, 8, seed = 1)
  )
  for (generator in generators) {
    trained = trained_with(generator, task_of())[[1L]]
    expect_identical(trained$batches(0), generator(NULL)$batches(0))
    for (predicted in predicted_with(generator, task_of())) {
      expect_identical(as.list(predicted$batches(0)), list(1:15, 16:30, 31:40))
      expect_identical(drain(predicted$.iter()), list(1:15, 16:30, 31:40))
      expect_null(predicted$update)
    }
  }
})
