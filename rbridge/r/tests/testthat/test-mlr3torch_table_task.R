# A task that is read once gives the rows of the task itself, whatever its rows, columns and types.

skip_if_not_installed("mlr3torch")

mixed = function() {
  table = survey
  table$when = as.Date("2026-01-01") + 0:39
  table$grade = factor(rep(c("low", "high"), 20), levels = c("low", "high", "unused"), ordered = TRUE)
  mlr3::as_task_classif(table, target = "y", id = "mixed")
}

# The task in place of the one of a dataset, after the callback has begun.
table_of = function(task, dataset = dataset_for(task)) {
  made = mlr3torch::t_clbk("rbridge.tensor_loader", read = "table")$generate()
  loader = torch::dataloader(dataset, batch_sampler = batch_sampler_uniform(task$nrow, 2, seed = 1)(NULL))
  made$ctx = list2env(list(loader_train = loader, learner = list(param_set = list(values = list()))))
  made$on_begin()
  made$ctx$loader_train$dataset$task
}

tasks = list(
  "all rows" = mixed,
  "some rows" = function() mixed()$filter(5:33),
  "rows in another order, some of them twice" = function() {
    task = mixed()
    task$row_roles$use = c(40:20, 3L, 3L, 20L, 40L)
    task
  },
  "ids that are far apart" = function() {
    table = data.table::data.table(survey, id = seq(1L, by = 5e7L, length.out = 40L))
    mlr3::as_task_classif(mlr3::DataBackendDataTable$new(table, primary_key = "id"), target = "y")
  },
  "a column of lazy tensors" = function() {
    images = structure(lapply(1:40, list), class = c("lazy_tensor", "list"))
    mixed()$cbind(data.table::data.table(image = images))$filter(5:33)
  },
  "levels that the data do not have" = function() mixed()$set_levels(list(grade = c("high", "low", "more")))
)

test_that("it gives the rows of the task", {
  for (name in names(tasks)) {
    task = tasks[[name]]()
    table = table_of(task)
    ids = task$row_ids
    columns = c("x", task$target_names)
    for (rows in list(ids, rev(ids), ids[3], ids[c(2, 2, 1)], as.double(ids[4:1]))) {
      for (cols in list(rev(columns), "y", setdiff(names(task$data()), columns))) {
        expect_equal(table$data(rows = rows, cols = cols), task$data(rows = rows, cols = cols), info = name)
      }
    }
    expect_identical(table$data(), task$data(), info = name)
    expect_identical(table$data(ids[1:2]), task$data(ids[1:2]), info = name)
    expect_identical(table$data(cols = "y"), task$data(cols = "y"), info = name)
  }
})

test_that("what the task refuses is refused, and all else is that of the task", {
  task = mixed()$filter(5:33)
  table = table_of(task)
  for (rows in list(4L, 0L, -5L, 5.5, NA, 1e9, integer(), "5")) {
    expect_identical(tryCatch(table$data(rows, "x"), error = conditionMessage),
      tryCatch(task$data(rows, "x"), error = conditionMessage))
  }
  expect_error(table$data(5L, "nothing"), "nothing")
  expect_s3_class(table, class(task))
  expect_identical(table$nrow, 29L)
  expect_identical(table[["target_names"]], "y")
  stratified = batch_sampler_stratified(2, seed = 1)
  expect_identical(stratified(list(task = table))$batches(0), stratified(list(task = task))$batches(0))
})

test_that("it reads the data behind the task once", {
  reads = 0
  Counting = R6::R6Class("Counting", inherit = mlr3::DataBackendDataTable, cloneable = FALSE, public = list(
    data = function(...) {
      reads <<- reads + 1
      super$data(...)
    }
  ))
  backend = Counting$new(data.table::data.table(survey, id = 1:40), primary_key = "id")
  task = mlr3::as_task_classif(backend, target = "y")
  dataset = dataset_for(task)
  reads = 0
  table = table_of(task, dataset)
  for (row in 1:40) {
    table$data(row, c("x", "y"))
  }
  expect_identical(reads, 1)
})
