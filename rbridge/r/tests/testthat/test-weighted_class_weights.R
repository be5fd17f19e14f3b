# Class weights: the cases of Python, and how labels are read.

# A list of lists is a matrix.
as_labels = function(labels) {
  if (is.null(names(labels)) && is.list(labels[[1L]])) do.call(rbind, lapply(labels, unlist)) else as_strata(labels)
}

test_that("the weights are those of Python", {
  cases = read_golden("class_weights.json")$cases
  expect_gt(length(cases), 30L)
  for (case in cases) {
    input = case$input
    weights_of = getExportedValue("rbridge", input[["function"]])
    labels = if (is.null(input$counts)) as_labels(input$labels) else rep(seq_along(input$counts), unlist(input$counts))
    found = do.call(weights_of, c(list(labels), input$parameters))
    if (!is.null(input$counts)) {
      found = found[!duplicated(labels)]
    }
    # C libraries may differ in the last digit of a power.
    tolerance = if (input[["function"]] == "temperature_weights") 4e-16 else 0
    expect_equal(found, unlist(case$expected), tolerance = tolerance, info = jsonlite::toJSON(input, auto_unbox = TRUE))
  }
})

test_that("labels may be all that strata may be", {
  expected = inverse_frequency_weights(c(2, 1, 2, 2, 7))
  expect_identical(inverse_frequency_weights(factor(c("b", "a", "b", "b", "c"))), expected)
  expect_identical(inverse_frequency_weights(data.frame(a = c(1, 1, 1, 1, 2), b = c(1, 2, 1, 1, 1))), expected)
  codes = stratum_codes(c(0, 1, 0, 0, 2), names = c("a", "b", "c"))
  expect_identical(inverse_frequency_weights(codes), expected)
  expect_identical(sum(inverse_frequency_weights(codes)), 5)
})

test_that("the repeat factor of a row is the largest of its labels, in any form of a matrix", {
  skip_if_not_installed("Matrix")
  labels = cbind(a = c(1, 1, 1, 0), b = c(0, 1, 0, 0))
  expected = c(sqrt(1 / 0.75), 2, sqrt(1 / 0.75), 1)
  expect_identical(repeat_factors(labels, threshold = 1), expected)
  expect_identical(repeat_factors(as.data.frame(labels), threshold = 1), expected)
  expect_identical(repeat_factors(labels == 1, threshold = 1), expected)
  expect_identical(repeat_factors(Matrix::Matrix(labels, sparse = TRUE), threshold = 1), expected)
})

test_that("labels and parameters are refused in one grammar", {
  for (name in c("inverse_frequency_weights", "effective_number_weights", "repeat_factors")) {
    weights_of = getExportedValue("rbridge", name)
    of = "The 'labels' parameter must"
    expect_error(weights_of(c("a", NA, "a")), paste(of, "have no missing values. Got 1 missing of 3 rows instead.",
      "Leave these rows out of the dataset."), fixed = TRUE)
    expect_error(weights_of(character()), paste(of, "have at least one row. Got 0 rows instead."), fixed = TRUE)
    codes = stratum_codes(c(0, NA), names = "a")
    expect_error(weights_of(codes), paste(of, "have no missing values. Got 1 missing of 2 rows"), fixed = TRUE)
  }
  refused = function(call, text) expect_error(call, text, fixed = TRUE)
  refused(effective_number_weights(1, beta = 1), "'beta' parameter must be below 1. Got 1")
  refused(temperature_weights(1, temperature = 0.5),
    "The 'temperature' parameter must be a finite number of at least 1. Got 0.5 instead.")
  refused(repeat_factors(1, threshold = 2), "The 'threshold' parameter must be at most 1. Got 2")
  refused(repeat_factors(cbind(a = c(1, 1), b = c(0, 0))),
    "The 'labels' parameter must have a row of every label. Got no row of label 'b' instead.")
})
