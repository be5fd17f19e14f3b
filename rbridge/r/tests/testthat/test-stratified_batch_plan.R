# The preview of a plan matches a sampler with the same arguments.

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

test_that("the plan is that of a sampler with the same arguments", {
  expect_plan_of(batch_plan(labels, 3), sampler_of(labels, 3, seed = 1))
  expect_plan_of(batch_plan(labels, mean_batch_size = 64), sampler_of(labels, mean_batch_size = 64, seed = 1))
  expect_plan_of(batch_plan(labels, 7, assign = "even", num_replicas = 4, seed = 1, shuffle = FALSE),
    sampler_of(labels, 7, assign = "even", num_replicas = 4, seed = 1))
  columns = data.frame(x = rep(1:4, times = 25), y = rep(c("u", NA), times = c(44, 56)))
  expect_plan_of(batch_plan(columns, 2, missing = "drop"), sampler_of(columns, 2, missing = "drop", seed = 1))
  codes = stratum_codes(c(0, 1, 0, NA), c("a", "a"))
  expect_plan_of(batch_plan(codes, 1), sampler_of(codes, 1, seed = 1))
  rare = c(1, 1, 1, 1, 1, 2)
  expect_plan_of(batch_plan(rare, mean_batch_size = 2, rare = "allow"),
    sampler_of(rare, mean_batch_size = 2, rare = "allow", seed = 1))
})

test_that("the strata of a task are those of the sampler, or those that are given", {
  skip_if_not_installed("mlr3")
  task = mlr3::tsk("german_credit")
  source = list(task = task)
  for (x in list(task, source)) {
    for (strata in list(NULL, c("housing", "telephone"), bin_target(task$data(cols = "age")$age))) {
      expect_plan_of(batch_plan(x, 5, strata = strata), batch_sampler_stratified(5, strata = strata, seed = 1)(source))
    }
  }
  expect_plan_of(batch_plan(dataset_of(6), 1, strata = rep(1:2, 3)), sampler_of(rep(1:2, 3), 1, seed = 1))
  expect_identical(message_of(batch_plan(NULL, 2)), message_of(batch_sampler_stratified(2)(NULL)))
  expect_match(message_of(batch_plan(labels, 2, strata = "y")), fixed = TRUE,
    "The 'strata' parameter must be left out if 'x' is neither a task nor a dataset. Got 'y' instead.")
})

test_that("no random number is drawn, the task is left as it was, and a rare stratum gives one warning in all", {
  skip_if_not_installed("mlr3")
  task = mlr3::tsk("iris")
  hash = task$hash
  set.seed(1)
  before = .Random.seed
  expect_length(testthat::capture_warnings(batch_plan(task, 51, rare = "warn")), 1L)
  batch_plan(task, 4, strata_per_batch = 2)
  expect_identical(.Random.seed, before)
  expect_identical(task$hash, hash)
})

test_that("a plan prints the batches, the minimum and what a batch holds of each stratum", {
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
  shown = utils::read.table(text = tail(capture.output(print(plan_with_ties())), 3))
  composition = plan_with_ties()$composition()
  expect_identical(shown[3:4], data.frame(V3 = vapply(composition, min, 1L), V4 = vapply(composition, max, 1L)),
    ignore_attr = TRUE)
  printed = capture.output(returned <- withVisible(print(batch_plan(rep(1:25, 2), 2))))
  expect_match(printed[3], "* Batches: 1, of 50 rows, each with at least 2 rows of every stratum", fixed = TRUE)
  expect_identical(printed[length(printed)], "... and 5 more")
  expect_false(returned$visible)
})

test_that("the plan of another sampler is that of its instances", {
  strata = factor(rep(letters[1:4], times = c(40, 25, 12, 9)))
  of_subset = batch_sampler_strata_subset(2, 4, strata = strata, exact = TRUE, num_replicas = 2)(NULL)
  expect_identical(batch_plan(strata, 4, strata_per_batch = 2, exact = TRUE, num_replicas = 2), of_subset$plan())
  groups = rep(1:43, each = 2)[order(seq_along(strata) %% 7)]
  of_groups = batch_sampler_stratified_group(2, groups, keep = "apart", strata = strata)(NULL)
  expect_identical(batch_plan(strata, 2, groups = groups, keep = "apart"), of_groups$plan())
})
