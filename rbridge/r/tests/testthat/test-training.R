# The only tests that need LibTorch: a network is really trained.

test_that("a network of mlr3torch is trained on stratified batches, other ones each epoch, and predicts in order", {
  skip_if_not(torch::torch_is_installed(), "LibTorch for R is not installed")
  set.seed(1)
  positive = rep(c(TRUE, FALSE), times = c(12, 188))[sample.int(200L)]
  data = data.frame(y = factor(ifelse(positive, "yes", "no")), x = stats::rnorm(200, mean = 3 * positive))
  task = mlr3::as_task_classif(data, target = "y", positive = "yes")
  recorder = mlr3torch::torch_callback("recorder",
    initialize = function() self$batches = list(),
    on_batch_end = function() {
      self$batches[[length(self$batches) + 1L]] = as.integer(self$ctx$batch$.index$cpu())
    },
    state_dict = function() self$batches,
    load_state_dict = function(state_dict) self$batches = state_dict
  )
  learner = mlr3::lrn("classif.mlp", epochs = 2, batch_size = 64, seed = 1, predict_type = "prob", callbacks = recorder,
    batch_sampler = batch_sampler_stratified(3, seed = 1))
  learner$train(task)

  batches = learner$model$callbacks$recorder
  expect_length(batches, 8)
  expect_setequal(count_labels(batches, data$y == "yes")[, match(TRUE, unique(data$y == "yes"))], 3L)
  sampler = sampler_of(data$y, 3, seed = 1)
  expect_identical(batches, c(epoch_of(sampler, 0), epoch_of(sampler, 1)))

  prediction = learner$predict(task)
  one_by_one = vapply(1:20, function(row) learner$predict(task, row)$prob[, "yes"], numeric(1L))
  expect_equal(unname(prediction$prob[1:20, "yes"]), one_by_one, tolerance = 1e-4)
})
