# The promise chosen by the size of the batches: the cases of tests/golden/batch_sizes.json, which the tests of the
# Python package read as well, the largest one by trial, and tasks of mlr3.

golden = read_golden("batch_sizes.json")

for (case in golden$cases) {
  test_that(paste("the same promise in every language:", case$name), {
    sizes = unlist(case$sizes)
    missing_rows = if (is.null(case$missing_rows)) 0L else case$missing_rows
    labels = c(rep(seq_along(sizes), times = sizes), rep(NA, missing_rows))
    arguments = case[intersect(names(case), c("mean_batch_size", "missing", "num_replicas"))]
    expect_identical(do.call(min_samples_for_batch_size, c(list(labels), arguments)), as.integer(case$minimum))
  })
}

# The largest promise that the smallest stratum keeps with batches small enough on average, or NULL.
largest_by_trial = function(labels, batch_size, num_replicas) {
  most = min(table(labels)) %/% num_replicas
  small_enough = vapply(seq_len(most), function(minimum) {
    plan = batch_plan(labels, minimum, num_replicas = num_replicas)
    plan$n_rows <= batch_size * plan$n_batches
  }, logical(1L))
  if (any(small_enough)) max(which(small_enough))
}

test_that("it is the largest promise of all, for pairs of strata, all batch sizes and several replicas", {
  for (sizes in list(c(1, 4), c(5, 5), c(6, 20), c(17, 7))) {
    labels = rep(c("a", "b"), times = sizes)
    for (num_replicas in 1:3) {
      for (batch_size in seq_len(sum(sizes) + 1)) {
        expected = largest_by_trial(labels, batch_size, num_replicas)
        if (is.null(expected)) {
          expect_error(min_samples_for_batch_size(labels, batch_size, num_replicas = num_replicas), "must be at")
        } else {
          expect_identical(min_samples_for_batch_size(labels, batch_size, num_replicas = num_replicas), expected)
        }
      }
    }
  }
})

test_that("no batch is larger with even assignment, and few rows larger with proportional", {
  labels = rep(1:5, times = c(20, 33, 47, 58, 61))
  for (batch_size in c(11, 17, 50, 219)) {
    minimum = min_samples_for_batch_size(labels, batch_size)
    expect_lte(max(batch_plan(labels, minimum, assign = "even")$sizes), batch_size)
    expect_lt(max(batch_plan(labels, minimum)$sizes), batch_size + 5)
  }
})

test_that("the strata of a task are those of the sampler, or those that are named", {
  skip_if_not_installed("mlr3")
  task = mlr3::tsk("german_credit")
  expect_identical(min_samples_for_batch_size(task, 50), min_samples_for_batch_size(task$truth(), 50))
  expect_identical(min_samples_for_batch_size(list(task = task), 50), min_samples_for_batch_size(task, 50))
  expect_identical(min_samples_for_batch_size(task, 200, strata = "housing"),
    min_samples_for_batch_size(task$data(cols = "housing"), 200))
  bins = bin_target(task$data(cols = "age")$age, 5)
  expect_identical(min_samples_for_batch_size(task, 50, strata = bins), min_samples_for_batch_size(bins, 50))
})

test_that("refusals of a task's strata name the function that was called", {
  skip_if_not_installed("mlr3")
  expect_match(message_of(min_samples_for_batch_size(mlr3::tsk("mtcars"), 5)), fixed = TRUE,
    "The 'strata' parameter must be given if the target is numeric")
  expect_match(message_of(min_samples_for_batch_size(mlr3::tsk("iris"), 5, strata = "none")), fixed = TRUE,
    "The 'strata' parameter must name columns of the task. Got 'none' instead.")
  expect_match(message_of(min_samples_for_batch_size(mlr3::tsk("iris"), 5, strata = 1:3)), fixed = TRUE,
    "The 'strata' parameter must have one value for each row of the dataset, 150.")
  expect_match(message_of(min_samples_for_batch_size(c("a", "b"), 5, strata = "a")), fixed = TRUE,
    "The 'strata' parameter must be left out if 'x' is neither a task nor a dataset.")
})
