# Parts of rows: the golden cases, names, and the resampling of mlr3.

test_that("the same rows in every language", {
  for (case in read_golden("split.json")$cases) {
    labels = labels_of_groups(case$input$rows)
    parameters = case$input$parameters
    parameters$sizes = unlist(parameters$sizes)
    groups = if (case$input$grouped) labels$groups
    arguments = c(list(strata = labels$strata, groups = groups), parameters)
    parts = suppressWarnings(do.call(stratified_split, arguments)) # small strata are not in every part
    expect_named(parts, names(parameters$sizes))
    expect_parts(lapply(unname(parts), function(rows) cut_list(rows - 1L)), case$expected, info = case$input$name)
  }
})

labels = rep(c("yes", "no"), times = c(12, 28))

test_that("sizes are numbers or a list, with or without names", {
  parts = stratified_split(labels, c(train = 30, test = 10), seed = 1)
  expect_named(parts, c("train", "test"))
  expect_identical(lapply(parts, function(rows) sum(labels[rows] == "yes")), list(train = 9L, test = 3L))
  expect_identical(stratified_split(labels, list(30L, 0.1 * 100), seed = 1), unname(parts))
  expect_identical(stratified_split(labels, c(0.75, 0.25), seed = 1), unname(parts))
  set.seed(1)
  drawn = stratified_split(labels, c(30, 10)) # by a seed that is drawn
  expect_false(identical(stratified_split(labels, c(30, 10)), drawn))
  expect_identical(message_of(stratified_split(labels, c(a = 30, a = 10))),
    "The 'sizes' parameter must have one name for each part, all different. Got 'a' twice instead.")
  codes = stratum_codes(c(rep(0:9, 3), rep(NA, 10)), as.character(0:9))
  expect_match(message_of(stratified_split(labels, c(30, 10), groups = codes)),
    "The 'groups' parameter must have no missing values.", fixed = TRUE)
})

task_of_parts = function(...) {
  skip_if_not_installed("mlr3")
  data = data.frame(y = factor(labels), x = seq_along(labels) / 40, patient = rep(1:10, 4), ...)
  task = mlr3::as_task_classif(data, target = "y", id = "parts")
  task$filter(setdiff(40:1, 7))
}

resampling_of = function(..., seed = 1) mlr3::rsmp("rbridge.stratified_split", ..., seed = seed)

test_that("the resampling has the parts of the rows of a task", {
  task = task_of_parts()
  resampling = resampling_of(sizes = c(train = 20, valid = 10, test = 5))
  expect_identical(resampling$iters, 2L)
  expect_false(resampling$is_instantiated)
  resampling$instantiate(task)
  places = stratified_split(as.character(task$truth()), c(20, 10, 5), seed = 1)
  expect_identical(resampling$train_set(1), task$row_ids[places[[1L]]])
  expect_identical(resampling$train_set(2), task$row_ids[places[[1L]]])
  expect_identical(resampling$test_set(1), task$row_ids[places[[2L]]])
  expect_identical(resampling$test_set(2), task$row_ids[places[[3L]]])
  expect_identical(resampling$task_hash, task$hash)
})

test_that("by default it is a holdout whose seed is drawn, and a clone is independent", {
  task = task_of_parts()
  set.seed(1)
  resampling = mlr3::rsmp("rbridge.stratified_split")$instantiate(task)
  expect_identical(lengths(resampling$instance), c(train = 26L, test = 13L))
  clone = resampling$clone(deep = TRUE)
  expect_identical(clone$instance, resampling$instance)
  clone$param_set$values$sizes = c(0.5, 0.5)
  expect_length(clone$instantiate(task)$test_set(1), 19L)
  first = resampling$train_set(1)
  expect_length(first, 26L)
  expect_false(identical(resampling$instantiate(task)$train_set(1), first))
})

test_that("the columns of the roles stratum and group are used, also together", {
  task = task_of_parts(site = rep(c("a", "b"), each = 20))
  task$set_col_roles("site", roles = "stratum")
  resampling = resampling_of(sizes = c(0.5, 0.5))$instantiate(task)
  sites = task$data(rows = resampling$train_set(1), cols = "site")[[1L]]
  expect_true(all(table(sites) %in% 9:10))
  task$set_col_roles("patient", roles = "group")
  resampling$instantiate(task)
  patients = lapply(1:2, function(part) unique(task$data(rows = resampling$instance[[part]], cols = "patient")[[1L]]))
  expect_length(intersect(patients[[1L]], patients[[2L]]), 0L)
  expect_setequal(unlist(resampling$instance), task$row_ids)
})

test_that("invalid sizes are refused", {
  skip_if_not_installed("mlr3")
  expect_error(resampling_of(sizes = 0.5), "at least two parts", fixed = TRUE)
})
