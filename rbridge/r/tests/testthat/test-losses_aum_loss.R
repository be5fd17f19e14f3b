# The AUM loss as a module of torch, with tensors if LibTorch is there. test-inside.R has its numbers without tensors.

skip_if_not_installed("mlr3torch")

losses = read_golden("losses.json")

test_that("the generator is one of modules and of losses of torch, made by the torch that is loaded", {
  expect_s3_class(aum_loss, c("aum_loss", "nn_loss", "nn_module", "nn_module_generator"), exact = TRUE)
  loss = aum_loss()
  expect_s3_class(loss, c("aum_loss", "nn_loss", "nn_module"), exact = TRUE)
  expect_length(loss$parameters, 0)
  expect_identical(attr(aum_loss, "module")$get_inherit(), asNamespace("torch")$nn_Module)
  expect_error(loss(c(1, 2), c(0, 1)),
    "The 'input' parameter must be a tensor of shape (n) or (n, 1). Got 2 values instead.", fixed = TRUE)
  expect_error(loss(NULL, 1), "Got nothing instead.", fixed = TRUE)
})

test_that("a learner of mlr3torch takes the generator as its loss, also in another process", {
  skip_on_cran()
  loadNamespace("mlr3torch")
  learner = mlr3::lrn("classif.mlp", epochs = 1, batch_size = 10, loss = aum_loss)
  expect_identical(learner$loss$id, "aum_loss")
  expect_length(learner$param_set$ids(any_tags = "loss"), 0)
  expect_s3_class(learner$loss$generate(mlr3::tsk("sonar")), "aum_loss")
  formals = callr::r(function(learner) names(formals(learner$loss$generate())), list(learner))
  expect_identical(formals, c("input", "target"))
})

test_that("tensors give the known answers, of both lengths and in all shapes", {
  skip_without_libtorch()
  for (case in losses$known) {
    input = loss_values(case$input)
    for (dtype in list(torch::torch_double(), torch::torch_float())) {
      result = tensor_loss(input, loss_values(case$target), dtype)
      expect_identical(result$loss, as.double(case$loss), info = case$name)
      expect_equal(result$gradient, loss_values(case$gradient), tolerance = 1e-6, info = case$name)
    }
  }
})

test_that("labels of every type are the same, and short predictions are computed with as 32-bit ones", {
  skip_without_libtorch()
  labels = torch::torch_tensor(c(0, 0, 1, 1))
  for (dtype in list(torch::torch_bool(), torch::torch_uint8(), torch::torch_long(), torch::torch_half())) {
    input = torch::torch_tensor(c(2, -3.5, -1, 1.5), dtype = torch::torch_half(), requires_grad = TRUE)
    loss = aum_loss()(input, labels$to(dtype = dtype)$unsqueeze(2))
    loss$backward()
    expect_true(loss$dtype == torch::torch_float())
    expect_identical(loss$item(), 1.5)
    expect_identical(as.double(torch::as_array(input$grad$to(dtype = torch::torch_double()))), c(0.5, 0, -0.5, 0))
  }
})
