# Quantile bins of a numeric target: the golden cases, and types of values.

golden = read_golden("bins.json")

values_of_case = function(values) {
  if (!is.null(values$modulus)) {
    return((seq(0, values$length - 1) * values$multiplier) %% values$modulus / values$divisor)
  }
  vapply(values, function(value) if (is.null(value)) NA_real_ else as.double(as_value(value)), numeric(1L))
}

test_that("the same bins in every language", {
  for (case in golden$cases) {
    bins = bin_target(values_of_case(case$input$values), case$input$n_bins)
    codes = as.integer(bins) - 1L
    codes[is.na(bins)] = -1L
    expect_identical(as.list(levels(bins)), case$expected$names, info = case$input$name)
    expect_equal(cut_list(codes), case$expected$codes, tolerance = 0, info = case$input$name)
  }
})

test_that("bins are a factor, whatever the type and the names of the values", {
  expected = factor(c("[2.5, 3]", "[1, 1]", NA, "[2.5, 3]"), levels = c("[1, 1]", "[2.5, 3]"))
  expect_identical(bin_target(c(a = 3, b = 1, c = NaN, d = 2.5), 2), expected)
  expect_identical(bin_target(3:1, 3), factor(c("[3, 3]", "[2, 2]", "[1, 1]")))
})

test_that("names do not depend on the session's options", {
  old = options(digits = 3, OutDec = ",", scipen = 100)
  on.exit(options(old))
  expect_identical(levels(bin_target(c(1 / 3, 1e20), 1)), "[0.333333333333333, 1e+20]")
})

test_that("what is no vector of numbers is refused, by its kind", {
  refused = list("matrix values" = matrix(1:4, 2), "factor values" = factor(1:2), "dates" = as.Date("2020-01-01"),
    "difftime values" = as.difftime(1, units = "mins"))
  for (kind in names(refused)) {
    expect_error(bin_target(refused[[kind]]), fixed = TRUE,
      sprintf("parameter must be a vector of numbers. Got %s instead.", kind))
  }
})
