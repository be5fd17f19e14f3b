# Tests of functions that are not exported. A comment before each says why no exported function shows the same.

# The AUM loss and its gradient without tensors, which need LibTorch: against known answers and CRAN's package aum. The
# Python package reads the same files.
losses = read_golden("losses.json")

plain_loss = function(predictions, labels) {
  list(loss = aum_of_numbers(predictions, labels == 1), gradient = aum_slopes(predictions, labels == 1))
}

test_that("known answers", {
  for (case in losses$known) {
    result = plain_loss(as.double(loss_values(case$input)), as.double(loss_values(case$target)))
    expect_identical(result$loss, as.double(case$loss), info = case$name)
    expect_equal(result$gradient, as.double(unlist(case$gradient)), tolerance = 1e-15, info = case$name)
  }
  far = c(1, -1) * .Machine$double.xmax
  expect_identical(plain_loss(far, c(1, 0)), list(loss = 0, gradient = c(0, 0)), info = "rows that do not count")
  n_rows = 300000
  result = plain_loss(rep(c(1, 0), each = n_rows / 2), rep(c(0, 1), each = n_rows / 2))
  expect_equal(result$loss, 1, tolerance = 1e-12)
  expect_identical(unique(result$gradient), c(1, -1) / (n_rows / 2))
})

# Sixteenths, which tie the more the fewer of them there are.
aum_cases = unlist(recursive = FALSE, lapply(c(2, 3, 5, 12, 40, 150), function(n) {
  lapply(c(2, 5, 30, 211), function(n_distinct) {
    place = (seq_len(n) * 7919) %% 10007 %% n_distinct
    labels = as.integer((seq_len(n) * 104729) %% 10009 %% 3 == 0)
    labels[1:2] = 0:1
    list(predictions = (place * 29 %% 211 - 100) / 16, labels = labels)
  })
}))

test_that("the loss is that of the package aum, and its gradient if at most two rows are tied", {
  skip_if_not_installed("aum")
  for (batch in aum_cases) {
    expected = aum::aum(aum::aum_diffs_binary(batch$labels, denominator = "rate"), batch$predictions)
    result = plain_loss(batch$predictions, batch$labels)
    expect_equal(result$loss, expected$aum, tolerance = 1e-13)
    places = match(batch$predictions, batch$predictions)
    compared = tabulate(places)[places] <= 2
    expect_equal(result$gradient[compared], rowMeans(expected$derivative_mat)[compared], tolerance = 1e-13)
  }
})

test_that("the gradient at ties is the mean of those with the tied negatives above and below the positives", {
  for (batch in aum_cases) {
    gradient = plain_loss(batch$predictions, batch$labels)$gradient
    expect_equal(sum(gradient), 0, tolerance = 1e-13)
    # Far smaller than the distance of neighbors, and tied rows of one class stay tied.
    step = 0.01 * min(diff(sort(unique(batch$predictions))), 1)
    apart = function(step) plain_loss(batch$predictions + step * batch$labels, batch$labels)$gradient
    expect_equal(gradient, (apart(step) + apart(-step)) / 2, tolerance = 1e-13)
  }
})

shape_of = function(values) if (is.matrix(values)) dim(values) else length(values)

# The checks of the loss without tensors.
check_loss = function(input_shape, input, target_shape, target) {
  predictions = check_predictions(input_shape, input)
  check_labels(target_shape, target, n_rows = length(predictions))
}

test_that("refused as in every language", {
  for (case in losses$refused) {
    input = loss_values(case$input)
    target = loss_values(case$target)
    error = expect_error(check_loss(shape_of(input), as.double(input), shape_of(target), as.double(target)))
    expect_identical(conditionMessage(error), case$message)
  }
})

test_that("tensors give the loss and the gradient of plain numbers", {
  skip_without_libtorch()
  for (batch in aum_cases) {
    expect_equal(tensor_loss(batch$predictions, batch$labels), plain_loss(batch$predictions, batch$labels),
      tolerance = 1e-12)
  }
})

# Only Python calls these functions, or is called by them.
test_that("errors and warnings cross as values, whole, and a Python error is raised here with its text", {
  text = paste(rep("long", 1000), collapse = " ")
  expect_identical(guarded_call(stop, text), list(error = text, class = c("simpleError", "error", "condition")))
  twice = function(x) {
    warning("first")
    warning("second")
    2 * x
  }
  expect_silent(expect_identical(guarded_call(twice, 4), list(value = 8, warnings = c("first", "second"))))
  expect_identical(guarded_call(identity, NULL), list(value = NULL, warnings = character()))
  expect_error(from_python(list(error = "ValueError: x")), "^ValueError: x$")
  expect_identical(from_python(list(value = 1:3)), 1:3)
})
