# Tasks of mlr3 and learners of mlr3torch, without LibTorch: no tensor is made.

data = data.frame(
  y = factor(rep(c("no", "yes"), times = c(30, 10)), levels = c("yes", "no")),
  sex = rep(c("f", "m"), length.out = 40),
  x = seq_len(40) / 40,
  site = rep(c(1L, 2L, 1L, NA), each = 10)
)

task_of = function(rows = seq_len(40), id = "y") {
  task = mlr3::as_task_classif(data, target = id, id = "simulated")
  task$filter(rows)
  task
}

# What mlr3torch makes of a task.
dataset_for = function(task) {
  ingress = mlr3torch::TorchIngressToken(features = "x", batchgetter = mlr3torch::batchgetter_num, shape = c(NA, 1))
  mlr3torch::task_dataset(task, list(x = ingress))
}

learner_of = function(batch_sampler, ...) {
  mlr3::lrn("classif.mlp", epochs = 1, batch_size = 15, batch_sampler = batch_sampler, ...)
}

private_of = function(learner) learner$.__enclos_env__$private

loader_for = function(learner, task, purpose) {
  private = private_of(learner)
  values = learner$param_set$get_values(tags = purpose)
  dataset = private$.dataset(task, values)
  if (purpose == "train") private$.dataloader(dataset, values) else private$.dataloader_predict(dataset, values)
}

test_that("without strata the target of a classification task is used", {
  sampler = batch_sampler_stratified(2, seed = 1)(dataset_for(task_of()))
  expect_identical(sampler$plan(), data.frame(no = rep(6L, 5), yes = rep(2L, 5)))
  expect_identical(sampler$batches(1), sampler_of(data$y, 2, seed = 1)$batches(1))
})

test_that("the stratum role comes before the target, and may be several columns", {
  task = task_of()
  task$set_col_roles("sex", add_to = "stratum")
  generator = batch_sampler_stratified(2, seed = 1)
  expect_identical(generator(dataset_for(task))$batches(0), sampler_of(as.list(data["sex"]), 2, seed = 1)$batches(0))
  task$set_col_roles("y", add_to = "stratum")
  sampler = generator(dataset_for(task))
  expect_identical(sampler$batches(0), sampler_of(data[task$col_roles$stratum], 2, seed = 1)$batches(0))
  expect_length(sampler$plan(), 4)
})

test_that("strata may name one or several columns of the task, whatever their role", {
  task = task_of()
  task$set_col_roles("sex", roles = character())
  task$set_col_roles("y", add_to = "stratum")
  sampler = batch_sampler_stratified(2, strata = c("sex", "y"), seed = 1)(dataset_for(task))
  expect_identical(sampler$batches(0), sampler_of(data[c("sex", "y")], 2, seed = 1)$batches(0))
  sampler = batch_sampler_stratified(2, strata = "sex", seed = 1)(dataset_for(task))
  expect_identical(names(sampler$plan()), c("f", "m"))
})

test_that("positions are those within the task's rows, not row ids", {
  rows = c(40:20, 3, 1)
  task = task_of(rows)
  expect_identical(task$row_ids, as.integer(rows))
  sampler = batch_sampler_stratified(1, strata = c("y", "sex"), seed = 1)(dataset_for(task))
  expect_identical(sampler$batches(0), sampler_of(data[rows, c("y", "sex")], 1, seed = 1)$batches(0))
  expect_identical(names(sampler$plan())[1], "yes, m")
})

test_that("rows that occur twice in a task, as in a bootstrap sample, are rows of their own", {
  rows = c(40, 1, 1, 40, 2, 39)
  sampler = batch_sampler_stratified(1, seed = 1)(dataset_for(task_of(rows)))
  expect_identical(sampler$batches(0), sampler_of(data$y[rows], 1, seed = 1)$batches(0))
})

test_that("columns that were bound to the task later can be named", {
  task = task_of()
  task$cbind(data.frame(late = rep(c("u", "v"), each = 20)))
  task$filter(40:1)
  sampler = batch_sampler_stratified(2, strata = "late", seed = 1)(dataset_for(task))
  expect_identical(names(sampler$plan()), c("v", "u"))
})

test_that("a list with a task does as a data source", {
  generator = batch_sampler_stratified(2, seed = 1)
  expect_identical(generator(list(task = task_of()))$batches(0), generator(dataset_for(task_of()))$batches(0))
})

test_that("a regression task gives strata by role or by name only, and else tells how to bin its target", {
  task = mlr3::as_task_regr(data, target = "x")
  generator = batch_sampler_stratified(2, seed = 1)
  expect_identical(message_of(generator(list(task = task))), paste(
    "The 'strata' parameter of batch_sampler_stratified must be given where the target is numeric and no column has",
    "the role stratum. Got nothing instead. For quantile bins of the target: strata = bin_target(task$truth())."
  ))
  expect_length(batch_sampler_stratified(2, strata = "sex")(list(task = task))$plan(), 2)
  task$set_col_roles("y", add_to = "stratum")
  expect_length(generator(list(task = task))$plan(), 2)
})

test_that("columns that the task does not have are refused, with those that it has", {
  expect_identical(message_of(batch_sampler_stratified(1, strata = c("y", "autsim"))(list(task = task_of()))), paste(
    "The 'strata' parameter of batch_sampler_stratified must name columns of the task. Got 'autsim' instead.",
    "The task has 'y', 'sex', 'x', 'site'."
  ))
  expect_match(message_of(batch_sampler_stratified(1, strata = "autsim")(list(task = mlr3::tsk("sonar")))),
    "The task has 'V1', 'V2', 'V3', 'V4', 'V5', 'V6', 'V7', 'V8', 'V9', 'V10', ...", fixed = TRUE)
})

test_that("text with one value for each row is values, unless all of it names columns", {
  task = task_of()
  sampler = batch_sampler_stratified(2, strata = data$sex, seed = 1)(list(task = task))
  expect_identical(sampler$batches(0), sampler_of(data$sex, 2, seed = 1)$batches(0))
  two_rows = task_of(c(1, 40))
  sampler = batch_sampler_stratified(1, strata = c("y", "sex"))(list(task = two_rows))
  expect_identical(names(sampler$plan()), c("no, f", "yes, m"))
})

test_that("missing values of a task are treated as 'missing' says", {
  source = list(task = task_of())
  expect_error(batch_sampler_stratified(1, strata = "site")(source), "Got 10 missing of 40 rows instead.", fixed = TRUE)
  kept = batch_sampler_stratified(1, strata = "site", missing = "stratum")(source)
  expect_identical(names(kept$plan()), c("1", "2", "NA"))
  dropped = batch_sampler_stratified(1, strata = "site", missing = "drop", seed = 1)(source)
  expect_identical(sort(dropped$batches(0)$rows), 1:30)
})

test_that("explicit values must be as many as the task has rows", {
  expect_error(batch_sampler_stratified(1, strata = c(1, 1, 2))(list(task = task_of())),
    "must have one value for each row of the dataset, 40. Got 3 values instead.", fixed = TRUE)
})

test_that("a learner of mlr3torch takes the generator and trains on its batches", {
  learner = learner_of(batch_sampler_stratified(2, seed = 1))
  task = task_of(40:1)
  loader = loader_for(learner, task, "train")
  expect_length(loader, 5)
  expect_s3_class(loader$batch_sampler, "batch_sampler_stratified")
  batches = epoch_of(loader$batch_sampler, 0)
  expect_identical(batches, epoch_of(sampler_of(data$y[40:1], 2, seed = 1), 0))
  expect_identical(count_labels(batches, task$truth()), matrix(c(2L, 6L), 5, 2, byrow = TRUE))
})

test_that("prediction and validation get the rows in the order of the task, in batches of at most batch_size rows", {
  # Where mlr3torch uses the sampler for prediction: it takes the predictions to be in this order.
  explicit = batch_sampler_stratified(2, strata = as.integer(data$y), seed = 1)
  for (generator in list(batch_sampler_stratified(2, seed = 1), explicit, batch_sampler_stratified(9))) {
    before = .Random.seed
    loader = loader_for(learner_of(generator), task_of(c(40:30, 5:15)), "predict")
    sampler = loader$batch_sampler
    expect_identical(next_epoch_of(sampler), list(1:11, 12:22))
    expect_identical(next_epoch_of(sampler), list(1:11, 12:22))
    expect_identical(.Random.seed, before)
  }
})

test_that("prediction needs no strata, and no row of a rare one", {
  loader = loader_for(learner_of(batch_sampler_stratified(10, strata = "site", seed = 1)), task_of(31:33), "predict")
  expect_identical(next_epoch_of(loader$batch_sampler), list(1:3))
})

test_that("learners are told apart by the settings of their samplers, and only by them", {
  # Another learner than elsewhere: the hash of the network of classif.mlp changes from call to call.
  learner = mlr3::lrn("classif.torch_featureless", epochs = 1, batch_size = 15)
  hash = function(...) {
    learner$param_set$set_values(batch_sampler = batch_sampler_stratified(...))
    learner$hash
  }
  expect_identical(hash(2, seed = 1), hash(2L, seed = 1L))
  expect_false(hash(2, seed = 1) == hash(3, seed = 1))
  expect_false(hash(2, seed = 1) == hash(2, seed = 2))
  expect_false(hash(1, strata = c(1, 2)) == hash(1, strata = c(1, 1)))
})

test_that("a learner that was cloned keeps its sampler", {
  learner = learner_of(batch_sampler_stratified(2, seed = 1))
  clone = learner$clone(deep = TRUE)
  expect_identical(
    loader_for(clone, task_of(), "train")$batch_sampler$batches(0),
    loader_for(learner, task_of(), "train")$batch_sampler$batches(0)
  )
})
