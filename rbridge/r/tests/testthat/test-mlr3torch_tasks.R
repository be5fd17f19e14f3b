# Data sources: tasks of mlr3, and the datasets that mlr3torch makes from them.

skip_if_not_installed("mlr3torch")

# The batches of a sampler for a task, and those of strata of the rows that are in it.
expect_strata = function(strata, task, expected, ...) {
  sampler = batch_sampler_stratified(1, strata = strata, seed = 1, ...)(dataset_for(task))
  expect_identical(sampler$batches(1), sampler_of(expected, 1, seed = 1, ...)$batches(1))
  sampler
}

test_that("strata are the columns of the role stratum, else the target, or named columns whatever their role", {
  sampler = batch_sampler_stratified(2, seed = 1)(dataset_for(task_of()))
  expect_identical(sampler$plan(), counts_in(no = rep(6L, 5), yes = rep(2L, 5)))
  task = task_of()
  expect_strata(NULL, task, survey$y)
  expect_strata(c("sex", "y"), task, survey[c("sex", "y")])
  task$set_col_roles("sex", add_to = "stratum")
  expect_strata(NULL, task, as.list(survey["sex"]))
  expect_strata("y", task, survey$y)
  task$set_col_roles("y", add_to = "stratum")
  expect_length(expect_strata(NULL, task, survey[task$col_roles$stratum])$plan(), 4)
})

test_that("positions are those within the task's rows, not row ids, also of rows that occur twice", {
  for (rows in list(c(40:20, 3, 1), c(40, 1, 1, 40, 2, 39))) {
    task = task_of(rows)
    expect_identical(task$row_ids, as.integer(rows))
    expect_strata(c("y", "sex"), task, survey[rows, c("y", "sex")])
    expect_strata(NULL, task, survey$y[rows])
  }
})

test_that("values are refused if mlr3 has repeated or reordered the rows of the task", {
  refusal = "must be columns of the task if its rows are repeated or in another order than its data."
  forms = list(survey$site, as.character(survey$y), survey[c("y", "sex")], stratum_codes(rep(0:1, 20), c("a", "b")))
  for (rows in list(40:1, c(1:39, 39L), c(2:40, 1L))) {
    for (strata in forms) {
      generator = batch_sampler_stratified(2, strata = strata, missing = "stratum", seed = 1)
      expect_error(generator(list(task = task_of(rows))), refusal, fixed = TRUE)
      expect_error(generator(dataset_for(task_of(rows))), refusal, fixed = TRUE)
    }
  }
  part = seq(2, 40, by = 2)
  expect_strata(survey$y[part], task_of(part), survey$y[part])
})

test_that("strata that are missing or not there are refused, with what to do", {
  generator = function(strata = NULL) batch_sampler_stratified(1, strata = strata)
  of_values = "a value for each row if the dataset has no task. Got 'y' instead. Names of columns need a task."
  numeric_target = paste(
    "The 'strata' parameter must be given if the target is numeric and no column has",
    "the role stratum. Got nothing instead. Of numbers bin_target() makes strata.",
    "Bind the values as a column, task$cbind(data.frame(group = values)),",
    "and give it the role: task$set_col_roles(\"group\", roles = \"stratum\").")
  unsupervised = mlr3::TaskUnsupervised$new("rows", backend = data.frame(x = 1:6))
  for (case in list(
    list(generator(), dataset_of(40), "must be given if the dataset has no classification task. Got nothing instead."),
    list(generator(), unsupervised, paste("must be given if the dataset has no classification task. Got nothing",
      "instead. Of numbers bin_target() makes strata. Bind the values as a column,")),
    list(generator(), mlr3::as_task_regr(survey, target = "x"), numeric_target),
    list(generator(c("y", "autsim")), task_of(), paste("The 'strata' parameter must name columns of the task.",
      "Got 'autsim' instead. The task has 'y', 'sex', 'x', 'site'.")),
    list(generator(c("y", "sex", "y")), task_of(), "must name each column once. Got 'y' twice instead."),
    list(generator("y"), dataset_of(40), paste("must have one value for each row of the dataset, 40.",
      "Got 1 value instead. Names of columns need a task.")),
    list(batch_sampler_stratified_group(1, groups = "y", strata = 1:40), NULL, of_values),
    list(generator("site"), task_of(), "Got 10 missing of 40 rows instead.")
  )) {
    expect_error(case[[1L]](case[[2L]]), case[[3L]], fixed = TRUE)
    source = case[[2L]]
    if (inherits(source, "Task")) expect_error(case[[1L]](list(task = source)), case[[3L]], fixed = TRUE)
  }
  expect_strata("site", task_of(), survey$site, missing = "stratum")
  expect_strata("site", task_of(), survey$site, missing = "drop")
})

# A dataset as learners of users may make it: it does not name its task.
taskless = function(task, n_rows = task$nrow) {
  torch::dataset(
    initialize = function(n_rows) self$n_rows = n_rows,
    .getbatch = function(index) {
      list(
        x = list(x = torch::torch_zeros(length(index), 1)),
        y = torch::torch_zeros(length(index), 1),
        .index = torch::torch_tensor(index, dtype = torch::torch_long())
      )
    },
    .length = function() self$n_rows
  )(n_rows)
}

test_that("a dataset with a task of its own gets the strata of that", {
  own = task_of(c(21:40, 1:20))
  with_task = function(task) {
    dataset = taskless(task)
    dataset$task = own
    dataset
  }
  made = trained_with(batch_sampler_stratified(2, seed = 1), task_of(), dataset = with_task)
  expected = sampler_of(survey$y[own$row_ids], 2, seed = 1)
  expect_identical(made[[1]]$batches(0), expected$batches(0))
  expect_false(identical(expected$batches(0), sampler_of(survey$y, 2, seed = 1)$batches(0)))
})

test_that("a dataset without a task gets the strata of the task that mlr3torch trains on", {
  task = task_of(40:1)
  for (strata in list(NULL, "site", c("y", "sex"))) {
    generator = batch_sampler_stratified(2, strata = strata, seed = 1, missing = "stratum")
    made = trained_with(generator, task, dataset = taskless)
    expect_length(made, 1)
    expect_identical(made[[1]]$batches(3), generator(dataset_for(task))$batches(3))
  }
})

test_that("a subset of a dataset takes strata as a vector, not for the rows of the task that mlr3torch trains on", {
  rows = c(40:31, 1:20)
  subset = torch::dataset_subset(dataset_of(40), rows)
  sampler = batch_sampler_stratified(2, strata = survey$y[rows], seed = 1)(subset)
  expect_identical(sampler$batches(0), sampler_of(survey$y[rows], 2, seed = 1)$batches(0))
  expect_setequal(unlist(deliver(subset, batch_sampler = sampler)), rows)
  expect_error(batch_sampler_stratified(2, strata = survey$y)(subset), "made for, 40. Got 30 rows", fixed = TRUE)
  backwards = function(task) torch::dataset_subset(taskless(task), 40:1)
  expect_error(trained_with(batch_sampler_stratified(2), task_of(), dataset = backwards),
    "must be given if the dataset has no classification task. Got nothing instead.", fixed = TRUE)
  made = trained_with(batch_sampler_stratified(2, strata = survey$y[40:1], seed = 1), task_of(), dataset = backwards)
  expect_identical(made[[1]]$batches(0), sampler_of(survey$y[40:1], 2, seed = 1)$batches(0))
})

test_that("tasks with lazy tensors are sampled by their target", {
  skip_without_libtorch()
  task = mlr3::tsk("lazy_iris")
  generator = recorded(batch_sampler_stratified(5, seed = 1))
  learner = mlr3::lrn("classif.mlp", epochs = 1, batch_size = 50, batch_sampler = generator, shape = c(NA, 4))
  learner$train(task)
  expect_identical(instances_of(generator)[[1]]$batches(0), sampler_of(task$truth(), 5, seed = 1)$batches(0))
})

test_that("every sampler of strata takes the role stratum, on a fold as well", {
  data = data.frame(y = factor(rep(c("no", "yes"), 20)), site = rep(c("u", "v", "w", "w"), 10), patient = 1:40, x = 0)
  task = mlr3::as_task_classif(data, target = "y")
  task$set_col_roles("site", "stratum")
  counts = function(of) shard_counts(list(a = of$data(cols = "site")$site))
  made = function(site = NULL, of = task) {
    list(
      batch_sampler_stratified(2, strata = site, seed = 1),
      batch_sampler_strata_subset(2, 2, strata = site, seed = 1),
      batch_sampler_stratified_group(1, groups = "patient", strata = site, seed = 1),
      batch_sampler_one_stratum(4, strata = site, seed = 1),
      batch_sampler_downsampled(1.5, 6, majority = "w", strata = site, seed = 1),
      batch_sampler_no_duplicates(8, "patient", min_samples_per_stratum = 1, strata = site, seed = 1),
      batch_sampler_sharded(2, counts(of), "a", strata = site, seed = 1)
    )
  }
  for (of in list(task, task$clone()$filter(c(40:13, 5)))) {
    batches = function(generators) lapply(generators, function(generator) generator(list(task = of))$batches(1))
    expect_identical(batches(made(of = of)), batches(made("site", of)))
  }
  expect_identical(names(made()[[1]](list(task = task))$plan()), c("u", "v", "w"))
})
