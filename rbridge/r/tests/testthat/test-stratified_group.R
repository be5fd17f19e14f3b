# Groups together and apart: columns of a task, and what plans and instances show.

patients = rep(letters[1:12], times = c(3, 1, 1, 2, 5, 2, 2, 2, 1, 4, 4, 4))
of_patients = rep(c("x", "y", "z"), times = c(7, 12, 12))

grouped = function(..., groups = factor(patients), strata = factor(of_patients), seed = 1) {
  batch_sampler_stratified_group(..., groups = groups, strata = strata, seed = seed)(NULL)
}

test_that("groups may be columns of a task or its group role, and strata may be given beside them", {
  skip_if_not_installed("mlr3")
  data = data.frame(y = factor(of_patients), patient = patients, x = seq_along(patients))
  task = mlr3::as_task_classif(data, target = "y")
  of_task = function(...) batch_sampler_stratified_group(2, ..., seed = 1)(list(task = task))$batches(1)
  of = "The 'groups' parameter must"
  expected = grouped(2)$batches(1)
  expect_identical(of_task(groups = "patient"), expected)
  expect_identical(of_task(groups = patients), expected)
  expect_match(message_of(of_task()), paste(of, "be given if the dataset has no task with a column of the role"),
    fixed = TRUE)
  expect_match(message_of(of_task(groups = sprintf("p%d", 57:60))), fixed = TRUE, paste(of,
    "name columns of the task, or have one value for each of its rows, 31. Got 4 values instead."))
  expect_match(message_of(of_task(groups = "person")), paste(of, "name columns of the task. Got 'person' instead."),
    fixed = TRUE)
  task$set_col_roles("patient", roles = "group")
  expect_identical(of_task(), expected)
  expect_identical(of_task(strata = factor(of_patients)), expected)
  expect_silent(batch_sampler_stratified_group(2, seed = 1)(list(task = task)))
  expect_message(batch_sampler_stratified(2, seed = 1)(list(task = task)),
    "The sampler ignores the role group of the task, 'patient': rows of a group may be in several", fixed = TRUE)
  expect_output(print(batch_sampler_stratified_group(2, strata = factor(of_patients))),
    "* strata: given\n* groups: of the dataset", fixed = TRUE)
  task$filter(31:1)
  expect_match(message_of(of_task(groups = factor(patients))), paste(of, "be columns of the task if its rows are"),
    fixed = TRUE)
})

test_that("plans and instances show what the batches hold, and a composition is that of an epoch", {
  shown = list(
    together = "* Batches: 3, of 8 to 15 rows, groups together\n* Every batch holds at least 2 rows of every stratum",
    apart = "groups apart\n* Every batch holds at least 2 rows of every stratum, and at most 2 rows of a group"
  )
  for (keep in names(shown)) {
    sampler = grouped(2, keep = keep)
    expect_output(print(sampler$plan()), shown[[keep]], fixed = TRUE)
    expect_identical(sampler$composition(3), batch_counts(sampler$batches(3), of_patients))
  }
  expect_output(print(batch_sampler_stratified_group(groups = "patient", mean_batch_size = 10)),
    "* mean_batch_size: 10", fixed = TRUE)
  expect_identical(grouped(mean_batch_size = 10)$min_samples_per_stratum(), 2L)
  mixed = grouped(3, strata = factor(rep(c("x", "y"), length.out = 31)))$plan()
  expect_identical(attr(mixed, "most_batches"), 5L)
  expect_output(print(mixed), "of every stratum; at most 5 batches are possible", fixed = TRUE)
})
