# Class weights of a loss, and the callback of mlr3torch that sets them.

test_that("weights are in the order of the classes: levels, classes of the task, sorted values", {
  expect_identical(class_weights(c("b", "a", "b", "b")), c(a = 2, b = 4 / 6))
  expect_identical(class_weights(factor(c("b", "a", "b", "b"), c("c", "b", "a"))), c(c = 0, b = 4 / 6, a = 2))
  expect_equal(class_weights(c(10, 9, 10)), c(`9` = 1.5, `10` = 0.75))
  skip_if_not_installed("mlr3")
  expect_identical(names(class_weights(mlr3::tsk("iris"))), mlr3::tsk("iris")$class_names)
})

test_that("the loss of a training has the weights of its task or of its sampler, the positive one if there are two", {
  skip_if_not_installed("mlr3torch")
  task = mlr3::tsk("sonar") # 111 M, which is positive, and 97 R
  half = batch_sampler_downsampled(multiplier = 0.5, batch_size = 10, majority = "M", seed = 1)(task)
  context = function(sampler, task) list(task_train = task, loader_train = list(batch_sampler = sampler))
  expect_equal(loss_weights(context(NULL, task), "task"), 97 / 111)
  expect_equal(loss_weights(context(half, task), "sampler"), 111 / 49)
  expect_equal(loss_weights(context(NULL, mlr3::tsk("iris")), "task"), c(1, 1, 1))
  expect_error(loss_weights(context(batch_sampler_uniform(4, 2)(NULL), task), "sampler"), "has none", fixed = TRUE)
  expect_error(weight_loss(list(loss_fn = structure(list(), class = "nn_mse_loss")), "task"),
    "needs the loss cross-entropy. Got one of class 'nn_mse_loss' instead.", fixed = TRUE)
  expect_error(mlr3torch::t_clbk("rbridge.class_weights", of = "x"), "of: Must be element of set {'task','sampler'}",
    fixed = TRUE)
})

test_that("in a training, the loss has the weights", {
  skip_if_not_installed("mlr3torch")
  skip_if_not(torch::torch_is_installed(), "LibTorch for R is not installed")
  seen = new.env()
  look = mlr3torch::torch_callback("look", on_epoch_begin = function() {
    seen$weight = as.numeric(self$ctx$loss_fn$pos_weight)
  })
  callbacks = list(mlr3torch::t_clbk("rbridge.class_weights"), look)
  mlr3::lrn("classif.mlp", epochs = 1, batch_size = 50, callbacks = callbacks)$train(mlr3::tsk("sonar"))
  expect_equal(seen$weight, 97 / 111, tolerance = 1e-6)
})
