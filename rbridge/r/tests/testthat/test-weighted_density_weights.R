# Weights by the density of a numeric target: the cases of Python, and refusals in its words.

test_that("the weights are those of Python", {
  cases = read_golden("density_weights.json")$cases
  expect_gt(length(cases), 20L)
  for (case in cases) {
    weights_of = getExportedValue("rbridge", case$input[["function"]])
    found = do.call(weights_of, c(list(as.double(unlist(case$input$values))), case$input$parameters))
    expect_equal(found, as.double(unlist(case$expected)), tolerance = 1e-12)
  }
})

test_that("values and parameters are refused in one grammar", {
  for (weights_of in list(density_weights, inverse_density_weights)) {
    expect_error(weights_of(c(1, NA)), "The 'values' parameter must hold finite numbers. Got NaN instead.",
      fixed = TRUE)
    expect_error(weights_of(c(1, Inf)), "The 'values' parameter must hold finite numbers. Got Inf instead.",
      fixed = TRUE)
    expect_error(weights_of("a"), "The 'values' parameter must be a vector of numbers. Got text instead.", fixed = TRUE)
    expect_error(weights_of(1:2, bandwidth = 0), "The 'bandwidth' parameter must be above 0. Got 0 instead.",
      fixed = TRUE)
    expect_error(weights_of(1:2, n_bins = 10001),
      "The 'n_bins' parameter must be an integer from 1 to 10000. Got 10001 instead.", fixed = TRUE)
  }
})
