# mlr3torch up to 0.3.3 makes a sampler for validation and prediction too, and expects its rows in order. Tests of such
# samplers run only if the installed version makes them.

skip_if_not_installed("mlr3torch")

in_order = function(n_rows, batch_size) {
  unname(split(seq_len(n_rows), (seq_len(n_rows) - 1L) %/% batch_size))
}

test_that("training shuffles, validation within it keeps the order", {
  task = task_of()
  task$internal_valid_task = task_of(11:35)
  generator = recorded(batch_sampler_stratified(2, seed = 1))
  learner = learner_of(generator)
  mlr3::set_validate(learner, "predefined")
  run_mlr3torch(learner$train(task))
  made = instances_of(generator)
  expect_length(made, if (samples_predictions()) 2 else 1)
  expect_identical(epoch_of(made[[1]], 0), epoch_of(sampler_of(survey$y, 2, seed = 1), 0))
  for (validation in made[-1]) expect_identical(epoch_of(validation, 0), in_order(25, 15))
})

test_that("prediction gets all rows in the order of the task, in chunks of the learner's batch size, every time", {
  task = task_of(c(40:30, 5:15))
  explicit = batch_sampler_stratified(2, strata = rep(1:2, 20), seed = 1)
  for (generator in list(batch_sampler_stratified(2, seed = 1), explicit)) {
    for (size in c(15, 22, 100)) {
      made = predicted_with(generator, task, batch_size = size)
      expect_length(made, if (samples_predictions()) 1 else 0)
      for (sampler in made) {
        expect_length(sampler, ceiling(22 / size))
        expect_identical(next_epoch_of(sampler), in_order(22, size))
        expect_identical(next_epoch_of(sampler), in_order(22, size))
      }
    }
  }
})

test_that("prediction computes no strata, reads no target and draws no seed", {
  newdata = survey[1:17, "x", drop = FALSE]
  # 9 rows of a column that new data do not have, in strata that could not hold them
  generator = batch_sampler_stratified(9, strata = "site")
  set.seed(1)
  before = .Random.seed
  made = predicted_with(generator, task_of(), newdata = newdata)
  expect_identical(.Random.seed, before)
  expect_length(made, if (samples_predictions()) 1 else 0)
  for (sampler in made) {
    expect_identical(epoch_of(sampler, 0), in_order(17, 15))
    expect_null(sampler$plan)
    expect_null(sampler$seed)
    expect_output(print(sampler), "order: of the dataset, without strata, for mlr3torch predicts", fixed = TRUE)
  }
})

own_loader = function(dataset, param_vals) {
  if (is.null(param_vals$batch_sampler)) {
    return(torch::dataloader(dataset, batch_size = param_vals$batch_size))
  }
  torch::dataloader(dataset, batch_sampler = param_vals$batch_sampler(dataset))
}

# A learner with its own methods.
overriding = function(generator, ...) {
  class = R6::R6Class("LearnerTorchOwnLoader", inherit = mlr3torch::LearnerTorchModule, private = list(...))
  learner = class$new(task_type = "classif", module_generator = constant_network, optimizer = idle_optimizer(),
    loss = mean_loss(), ingress_tokens = list(x = mlr3torch::ingress_num()))
  learner$param_set$set_values(epochs = 1, batch_size = 15, device = "cpu", batch_sampler = generator)
  mlr3::set_validate(learner, "predefined")
}

test_that("a learner that overrides how dataloaders are made is understood as well", {
  generator = recorded(batch_sampler_stratified(2, seed = 1))
  learner = overriding(generator, .dataloader = own_loader)
  task = task_of()
  task$internal_valid_task = task_of(11:35)
  run_mlr3torch(learner$train(task))
  run_mlr3torch(as_trained(learner, task)$predict(task))
  made = instances_of(generator)
  expect_identical(epoch_of(made[[1]], 0), epoch_of(sampler_of(survey$y, 2, seed = 1), 0))
  predicting = lapply(made[-1], epoch_of, 0)
  expect_identical(predicting, if (samples_predictions()) list(in_order(25, 15), in_order(40, 15)) else list())
})

test_that("a learner with one function for the loaders of training and of validation shuffles in training alone", {
  generator = recorded(batch_sampler_stratified(2, seed = 1))
  learner = overriding(generator, .dataloader = own_loader, .dataloader_predict = own_loader)
  task = task_of()
  task$internal_valid_task = task_of(11:35)
  expect_warning(run_mlr3torch(learner$train(task)), "It cannot be told whether mlr3torch trains or predicts.")
  expect_identical(epoch_of(instances_of(generator)[[1]], 0), epoch_of(sampler_of(survey$y, 2, seed = 1), 0))
  expect_identical(epoch_of(instances_of(generator)[[2]], 0), in_order(25, 15))
})

test_that("where mlr3torch is not understood the rows keep their order, and a warning says so", {
  task = task_of()
  generator = batch_sampler_stratified(2, seed = 1)
  learner = learner_of(generator)
  private = learner$.__enclos_env__$private
  values = learner$param_set$get_values(tags = "train")
  expect_warning(
    loader <- private$.dataloader(private$.dataset(task, values), values), # nolint
    "It cannot be told whether mlr3torch trains or predicts. batch_sampler_stratified gives the rows in the order",
    fixed = TRUE
  )
  expect_identical(epoch_of(loader$batch_sampler, 0), in_order(40, 15))

  # As if the function that trains had been given another name
  renamed = get("learner_torch_train", asNamespace("mlr3torch"))
  local_mocked_bindings(learner_torch_train = function(...) NULL, .package = "mlr3torch")
  generator = recorded(generator)
  learner = learner_of(generator)
  values = learner$param_set$get_values(tags = "train")
  expect_warning(
    run_mlr3torch(renamed(learner, learner$.__enclos_env__$private, NULL, task, values)),
    "It cannot be told whether mlr3torch trains or predicts.", fixed = TRUE
  )
  expect_identical(epoch_of(instances_of(generator)[[1]], 0), in_order(40, 15))
})

test_that("a batch sampler given as 'sampler' is refused, in training and wherever else mlr3torch calls it", {
  learner = learner_of(NULL, sampler = batch_sampler_stratified(2))
  message = paste(
    "The 'sampler' parameter must be a sampler of single rows.",
    "Got a generator of class 'batch_sampler_stratified' instead. Pass it as 'batch_sampler ='."
  )
  expect_error(run_mlr3torch(learner$train(task_of())), message, fixed = TRUE)
  # Without a sampler for predictions, nothing can go wrong in them.
  expected = if (samples_predictions()) message else NA
  expect_error(run_mlr3torch(as_trained(learner, task_of())$predict(task_of())), expected, fixed = TRUE)
})

# What a learner predicts for a task, for new data, and without its sampler.
three_predictions = function(learner, task) {
  learner$train(task)
  with_sampler = data.table::as.data.table(learner$predict(task))
  on_new_data = data.table::as.data.table(learner$predict_newdata(task$data()))
  learner$param_set$set_values(batch_sampler = NULL)
  list(with_sampler, on_new_data, data.table::as.data.table(learner$predict(task)))
}

for (form in list("FALSE", "TRUE", "device")) {
  test_that(paste("predictions are those of a learner whose sampler was taken away: tensor_dataset =", form), {
    skip_without_libtorch()
    learner = mlr3::lrn("classif.mlp", epochs = 3, batch_size = 32, seed = 1, predict_type = "prob", device = "cpu",
      neurons = 8, batch_sampler = batch_sampler_stratified(3, seed = 1))
    learner$param_set$set_values(tensor_dataset = if (form == "device") form else as.logical(form))
    predictions = three_predictions(learner, mlr3::tsk("sonar"))
    expect_identical(predictions[[1]], predictions[[3]])
    expect_identical(predictions[[2]], predictions[[3]])
  })
}
