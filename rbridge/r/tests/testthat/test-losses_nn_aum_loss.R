# The AUM loss against known answers, CRAN's package aum and its definition; the Python package reads the same files.
# Slopes and checks are plain R; only the tests at the end have tensors, and need LibTorch.

skip_if_not_installed("aum")
skip_if_not_installed("mlr3torch")

losses = read_golden("losses.json")
reference = read_golden("aum.json")$cases

# What becomes a tensor: a vector, or a matrix for a list of vectors.
loss_values = function(told) {
  rows = lapply(told, as_value)
  nested = vapply(told, function(row) is.list(row) && is.null(names(row)), logical(1L))
  if (any(nested)) do.call(rbind, rows) else as.double(unlist(rows))
}

shape_of = function(values) if (is.matrix(values)) dim(values) else length(values)

# The loss and its gradient without tensors.
plain_loss = function(predictions, labels) {
  slopes = aum_slopes(predictions, labels == 1)
  rows = aum_rows(slopes)
  list(loss = aum_sum(predictions[rows], slopes[rows], aum_origin(predictions, slopes)), gradient = slopes)
}

# The same with tensors.
tensor_loss = function(predictions, labels, dtype = torch::torch_double()) {
  input = torch::torch_tensor(predictions, dtype = dtype, requires_grad = TRUE)
  loss = nn_aum_loss()(input, torch::torch_tensor(labels))
  loss$backward()
  list(loss = loss$item(), gradient = torch::as_array(input$grad))
}

# The definition of the help page, word for word, in O(n^2).
loss_by_definition = function(predictions, labels) {
  if (length(unique(labels)) == 1L) {
    return(0)
  }
  distinct = sort(unique(predictions))
  rates = vapply(distinct, function(threshold) {
    min(mean(predictions[labels == 0] > threshold), mean(predictions[labels == 1] <= threshold))
  }, numeric(1L))
  sum(rates[-length(rates)] * diff(distinct))
}

# Rows with many ties, pairs of tied rows, and none.
random_batches = function() {
  set.seed(1)
  sizes = expand.grid(n_rows = c(2, 3, 10, 100), n_distinct = c(1, 2, 5, 80, 1e6), share = c(0.1, 0.5))
  Map(function(n_rows, n_distinct, share) {
    list(
      predictions = sample.int(n_distinct, n_rows, replace = TRUE) / 8,
      labels = as.double(stats::runif(n_rows) < share)
    )
  }, sizes$n_rows, sizes$n_distinct, sizes$share)
}

for (case in losses$known) {
  test_that(paste("known answer:", case$name), {
    result = plain_loss(as.double(loss_values(case$input)), as.double(loss_values(case$target)))
    expect_identical(result$loss, as.double(case$loss))
    expect_equal(result$gradient, as.double(unlist(case$gradient)), tolerance = 1e-15)
  })
}

for (case in reference) {
  test_that(paste("the loss of the package aum, and its gradient where at most two rows are tied:", case$name), {
    predictions = as.double(unlist(case$predictions))
    labels = as.double(unlist(case$labels))
    afresh = aum::aum(aum::aum_diffs_binary(labels, denominator = "rate"), predictions)
    expect_equal(afresh$aum, case$loss, tolerance = 1e-14)
    expect_equal(unname(afresh$derivative_mat), cbind(unlist(case$left), unlist(case$right)), tolerance = 1e-14)
    result = plain_loss(predictions, labels)
    expect_equal(result$loss, afresh$aum, tolerance = 1e-13)
    compared = tabulate(match(predictions, predictions))[match(predictions, predictions)] <= 2
    expect_equal(result$gradient[compared], rowMeans(afresh$derivative_mat)[compared], tolerance = 1e-13)
  })
}

test_that("rows that do not count may be farther apart than a number can hold", {
  for (labels in list(c(1, 0), c(1, 1), c(0, 0))) {
    expect_identical(plain_loss(c(1, -1) * .Machine$double.xmax, labels), list(loss = 0, gradient = c(0, 0)))
  }
})

test_that("the loss is that of the definition, and the gradient adds up to 0", {
  for (batch in random_batches()) {
    result = plain_loss(batch$predictions, batch$labels)
    expect_equal(result$loss, loss_by_definition(batch$predictions, batch$labels), tolerance = 1e-12)
    expect_equal(sum(result$gradient), 0, tolerance = 1e-13)
  }
})

test_that("the gradient agrees with finite differences where nothing is tied", {
  for (batch in Filter(function(batch) !anyDuplicated(batch$predictions), random_batches())) {
    differences = vapply(seq_along(batch$predictions), function(row) {
      # Smaller than half the distance of neighbors, so that the order stays.
      moved = function(step) replace(batch$predictions, row, batch$predictions[row] + step)
      (loss_by_definition(moved(0.03125), batch$labels) - loss_by_definition(moved(-0.03125), batch$labels)) / 0.0625
    }, numeric(1L))
    expect_equal(plain_loss(batch$predictions, batch$labels)$gradient, differences, tolerance = 1e-7)
  }
})

test_that("the gradient at ties is the mean of those with the tied negatives above and below the positives", {
  for (batch in random_batches()) {
    # Far smaller than the distance of neighbors, and tied rows of one class stay tied.
    apart = function(step) plain_loss(batch$predictions + step * batch$labels, batch$labels)$gradient
    expect_equal(plain_loss(batch$predictions, batch$labels)$gradient, (apart(0.01) + apart(-0.01)) / 2,
      tolerance = 1e-13)
  }
})

test_that("the order of the rows does not matter", {
  for (batch in random_batches()) {
    order = rev(seq_along(batch$labels))
    moved = plain_loss(batch$predictions[order], batch$labels[order])
    expect_identical(moved$gradient, plain_loss(batch$predictions, batch$labels)$gradient[order])
  }
})

test_that("many rows are counted exactly", {
  n_rows = 300000
  result = plain_loss(rep(c(1, 0), each = n_rows / 2), rep(c(0, 1), each = n_rows / 2))
  expect_equal(result$loss, 1, tolerance = 1e-12)
  expect_identical(unique(result$gradient), c(1, -1) / (n_rows / 2))
})

# The checks of the loss without tensors.
check_loss = of_package(function(input_shape, input, target_shape, target) {
  predictions = check_predictions(input_shape, input)
  check_labels(target_shape, target, n_rows = length(predictions))
})

for (case in losses$refused) {
  test_that(paste("refused as in every language:", case$name), {
    input = loss_values(case$input)
    target = loss_values(case$target)
    error = expect_error(check_loss(shape_of(input), as.double(input), shape_of(target), as.double(target)))
    expect_identical(conditionMessage(error), case$message)
  })
}

test_that("what is no tensor is refused", {
  loss = nn_aum_loss()
  expect_error(loss(c(1, 2), c(0, 1)),
    "The 'input' parameter must be a tensor of shape (n) or (n, 1). Got 2 values instead.", fixed = TRUE)
  expect_error(loss(NULL, 1), "Got nothing instead.", fixed = TRUE)
})

test_that("the generator is one of modules and of losses of torch, made by the torch that is loaded", {
  expect_s3_class(nn_aum_loss, c("nn_aum_loss", "nn_loss", "nn_module", "nn_module_generator"), exact = TRUE)
  loss = nn_aum_loss()
  expect_s3_class(loss, c("nn_aum_loss", "nn_loss", "nn_module"), exact = TRUE)
  expect_identical(names(formals(loss)), c("input", "target"))
  expect_length(loss$parameters, 0)
  expect_identical(attr(nn_aum_loss, "module")$get_inherit(), asNamespace("torch")$nn_Module)
})

learner_with_loss = function() {
  loadNamespace("mlr3torch")
  mlr3::lrn("classif.mlp", epochs = 1, batch_size = 10, loss = nn_aum_loss)
}

test_that("a learner of mlr3torch takes the generator as its loss", {
  learner = learner_with_loss()
  expect_identical(learner$loss$id, "nn_aum_loss")
  expect_length(learner$param_set$ids(any_tags = "loss"), 0)
  loss = learner$loss$generate(mlr3::tsk("sonar"))
  expect_s3_class(loss, "nn_aum_loss")
})

test_that("the generator goes to another process, with a learner", {
  skip_on_cran()
  learner = learner_with_loss()
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

test_that("tensors give the loss and the gradient of plain numbers", {
  skip_without_libtorch()
  for (batch in random_batches()) {
    expect_equal(tensor_loss(batch$predictions, batch$labels), plain_loss(batch$predictions, batch$labels),
      tolerance = 1e-12)
  }
})

test_that("labels of every type are the same, and short predictions are computed with as 32-bit ones", {
  skip_without_libtorch()
  labels = torch::torch_tensor(c(0, 0, 1, 1))
  for (dtype in list(torch::torch_bool(), torch::torch_uint8(), torch::torch_long(), torch::torch_half())) {
    input = torch::torch_tensor(c(2, -3.5, -1, 1.5), dtype = torch::torch_half(), requires_grad = TRUE)
    loss = nn_aum_loss()(input, labels$to(dtype = dtype)$unsqueeze(2))
    loss$backward()
    expect_true(loss$dtype == torch::torch_float())
    expect_identical(loss$item(), 1.5)
    expect_identical(as.double(torch::as_array(input$grad$to(dtype = torch::torch_double()))), c(0.5, 0, -0.5, 0))
  }
})

test_that("a batch of one class trains nothing and stops nothing", {
  skip_without_libtorch()
  network = torch::nn_linear(3, 1)
  for (label in 0:1) {
    loss = nn_aum_loss()(network(torch::torch_randn(5, 3)), torch::torch_full(c(5, 1), label))
    loss$backward()
    expect_identical(loss$item(), 0)
    expect_true(all(torch::as_array(network$weight$grad) == 0))
  }
})

test_that("tensors of other types and shapes are refused", {
  skip_without_libtorch()
  loss = nn_aum_loss()
  labels = torch::torch_tensor(c(0, 1))
  expect_error(loss(torch::torch_tensor(1:2), labels), "must hold floating point numbers. Got integers instead.",
    fixed = TRUE)
  expect_error(loss(torch::torch_tensor(c(TRUE, FALSE)), labels), "Got logical values instead.", fixed = TRUE)
  expect_error(loss(torch::torch_tensor(diag(2)), labels), "Got a tensor of shape (2, 2) instead.", fixed = TRUE)
  expect_error(loss(torch::torch_scalar_tensor(1), labels), "Got a tensor of shape () instead.", fixed = TRUE)
  expect_error(loss(torch::torch_tensor(c(1, 2)), c(0, 1)),
    "The 'target' parameter must be a tensor of shape (n) or (n, 1). Got 2 values instead.",
    fixed = TRUE)
})

test_that("a network of mlr3torch learns to rank the positive class higher", {
  skip_without_libtorch()
  loadNamespace("mlr3torch")
  set.seed(1)
  positive = rep(c(TRUE, FALSE), times = c(20, 180))
  data = data.frame(y = factor(ifelse(positive, "yes", "no")), x = stats::rnorm(200, mean = 4 * positive))
  task = mlr3::as_task_classif(data, target = "y", positive = "yes")
  learner = mlr3::lrn("classif.mlp", epochs = 5, batch_size = 200, seed = 1, predict_type = "prob", loss = nn_aum_loss,
    batch_sampler = batch_sampler_stratified(2, seed = 1))
  learner$train(task)
  expect_gt(learner$predict(task)$score(mlr3::msr("classif.auc")), 0.98)
})
