# Weights by class, by label and by density: the golden cases, and how labels are read.

# A list of lists is a matrix.
as_labels = function(labels) {
  if (is.null(names(labels)) && is.list(labels[[1L]])) do.call(rbind, lapply(labels, unlist)) else as_strata(labels)
}

test_that("weights by class are those of the golden cases", {
  for (case in read_golden("class_weights.json")$cases) {
    input = case$input
    weights_of = getExportedValue("rbridge", input[["function"]])
    labels = if (is.null(input$counts)) as_labels(input$labels) else rep(seq_along(input$counts), unlist(input$counts))
    found = do.call(weights_of, c(list(labels), input$parameters))
    if (!is.null(input$counts)) {
      found = found[!duplicated(labels)]
    }
    # C libraries may differ in the last digit of a power.
    tolerance = if (input[["function"]] == "temperature_weights") 4e-16 else 0
    expect_equal(found, unlist(case$expected), tolerance = tolerance, info = deparse1(input))
  }
})

test_that("weights by density are those of the golden cases", {
  for (case in read_golden("density_weights.json")$cases) {
    weights_of = getExportedValue("rbridge", case$input[["function"]])
    found = do.call(weights_of, c(list(as.double(unlist(case$input$values))), case$input$parameters))
    expect_equal(found, as.double(unlist(case$expected)), tolerance = 1e-12)
  }
})

test_that("the repeat factor of a row is the largest of its labels, in any form of a matrix", {
  skip_if_not_installed("Matrix")
  labels = cbind(a = c(1, 1, 1, 0), b = c(0, 1, 0, 0), c = c(1, 1, 0, 0))
  expected = c(sqrt(2), 2, sqrt(1 / 0.75), 1)
  for (form in list(labels, as.data.frame(labels), labels == 1, Matrix::Matrix(labels, sparse = TRUE))) {
    expect_identical(repeat_factors(form, threshold = 1), expected)
  }
})
