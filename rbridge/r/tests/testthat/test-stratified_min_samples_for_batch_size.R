# The promise chosen by the size of the batches: the golden cases, and tasks of mlr3.

golden = read_golden("batch_sizes.json")

test_that("the same promise in every language", {
  for (case in golden$cases) {
    sizes = unlist(case$sizes)
    missing_rows = if (is.null(case$missing_rows)) 0L else case$missing_rows
    labels = c(rep(seq_along(sizes), times = sizes), rep(NA, missing_rows))
    arguments = case[intersect(names(case), c("mean_batch_size", "missing", "num_replicas"))]
    expect_identical(do.call(min_samples_for_batch_size, c(list(labels), arguments)), as.integer(case$minimum),
      info = case$name)
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
