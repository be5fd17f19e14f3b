# Groups together and apart: the cases that Python reads as well, columns of a task, recipes, and
# what an instance shows.

patients = rep(letters[1:12], times = c(3, 1, 1, 2, 5, 2, 2, 2, 1, 4, 4, 4))
of_patients = rep(c("x", "y", "z"), times = c(7, 12, 12))

grouped = function(..., groups = factor(patients), strata = factor(of_patients), seed = 1) {
  batch_sampler_stratified_group(..., groups = groups, strata = strata, seed = seed)(NULL)
}

refused = function(...) message_of(grouped(...))

actual_of_case = function(case) {
  labels = labels_of_groups(case$rows)
  sampler = do.call(batch_sampler_stratified_group, c(labels, case$parameters))(NULL)
  actual_of_ranged(sampler, case$epochs)
}

for (case in c(read_golden("groups.json")$cases, read_golden("mixed_groups.json")$cases)) {
  test_that(paste("the same batches in every language:", case$input$name), {
    expect_equal(actual_of_case(case$input), case$expected, tolerance = 0)
  })
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
    "name columns of the task, or have one value for each of its 31 rows. Got 'p57', the first of 4 values, instead."))
  expect_match(message_of(of_task(groups = "person")), paste(of, "name columns of the task. Got 'person' instead."),
    fixed = TRUE)
  task$set_col_roles("patient", roles = "group")
  expect_identical(of_task(), expected)
  expect_identical(of_task(strata = factor(of_patients)), expected)
  expect_output(print(batch_sampler_stratified_group(2, strata = factor(of_patients))),
    "* strata: 3, of 31 rows\n* groups: of the task", fixed = TRUE)
  task$filter(31:1)
  expect_match(message_of(of_task(groups = factor(patients))), paste(of, "be columns of the task if its rows are"),
    fixed = TRUE)
})

test_that("a mean batch size may replace the minimum", {
  sampler = grouped(mean_batch_size = 10)
  expect_identical(sampler$min_samples_per_stratum(), 2L)
  expect_identical(grouped(mean_batch_size = 2, rare = "allow")$min_samples_per_stratum(), 0L)
  expect_identical(sampler$.length(), 3L)
  expect_identical(sampler$batches(1), grouped(2)$batches(1))
  expect_output(print(batch_sampler_stratified_group(groups = "patient", mean_batch_size = 10)), "mean_batch_size: 10",
    fixed = TRUE)
  of = "'min_samples_per_stratum' parameter must be given, or 'mean_batch_size', and not both. Got"
  expect_match(refused(), paste(of, "neither"), fixed = TRUE)
  expect_match(refused(2, mean_batch_size = 10), paste(of, "both"), fixed = TRUE)
  expect_match(refused(mean_batch_size = 2), fixed = TRUE, paste("be at least 9, for at most 3 batches: the smallest",
    "stratum, 'z', has 3 groups. Got 2, for 12 batches, instead. Raise it, or set 'rare' to 'warn' or 'allow'."))
  expect_warning(grouped(mean_batch_size = 2, rare = "warn"), "some batches hold no row of it", fixed = TRUE)
  expect_identical(grouped(mean_batch_size = 2, rare = "allow")$.length(), 12L)
  plan = batch_plan(factor(of_patients), groups = factor(patients), mean_batch_size = 10)
  expect_identical(plan$fewest, grouped(2)$plan()$fewest)
})

test_that("an instance shows itself", {
  expect_output(print(grouped(2)), "* Batches: 3, each with at least 2 rows of every stratum, groups together",
    fixed = TRUE)
})

test_that("groups with rows of several strata are together, and every batch has the minimum", {
  strata = rep(c("x", "y"), length.out = 31)
  sampler = grouped(3, strata = factor(strata))
  plan = sampler$plan()
  expect_identical(sampler$.length(), 5L)
  expect_identical(attr(plan, "most_batches"), 5L)
  for (epoch in 0:5) {
    expect_setequal(sampler$batches(epoch)$rows, seq_along(patients))
    batches = epoch_of(sampler, epoch)
    expect_identical(anyDuplicated(unlist(lapply(batches, function(rows) rle(patients[rows])$values))), 0L)
    for (rows in batches) {
      held = as.vector(table(strata[rows])[as.character(plan$stratum)])
      expect_true(all(plan$fewest <= held & held <= plan$most))
    }
  }
  expect_output(print(plan),
    "* Batches: 5, each with at least 3 rows of every stratum, groups together; at most 5 batches are possible",
    fixed = TRUE)
  expect_match(message_of(grouped(mean_batch_size = 3, groups = c(1, 2, 1, 3, 2, 3), strata = c(1, 1, 2, 2, 3, 3))),
    "at least 5, for at most 1 batch: no more batches of whole groups with rows of every stratum were found",
    fixed = TRUE)
})

test_that("a plan shows its batches, and the composition is that of an epoch", {
  for (keep in c("together", "apart")) {
    sampler = grouped(2, keep = keep)
    for (epoch in c(0, 3)) {
      expect_identical(sampler$composition(epoch), batch_counts(sampler$batches(epoch), of_patients))
    }
  }
  expect_output(print(grouped(2)$plan()),
    "* Batches: 3, each with at least 2 rows of every stratum, groups together", fixed = TRUE)
  expect_output(print(sampler$plan()),
    "* Batches: 3, each with at least 2 rows of every stratum and at most 2 rows of a group", fixed = TRUE)
})
