# The plan itself is made in Python; tests/bridge has the whole way.

test_that("what is no Python object is refused", {
  expect_error(corpus_plan(3),
    "The 'mixture' parameter of corpus_plan must be a CorpusMixtureBatchSampler. Got 3 instead.",
    fixed = TRUE)
  expect_error(corpus_plan(NULL), "Got nothing instead.", fixed = TRUE)
})

test_that("columns of Python become a data.frame, where NaN is missing and text is no factor", {
  expect_identical(
    data_frame_of_columns(list(file = c("a", "b"), rule = c(NaN, 2), drawn = c(0, 7))),
    data.frame(file = c("a", "b"), rule = c(NA, 2), drawn = c(0, 7), stringsAsFactors = FALSE)
  )
  expect_false(is.nan(data_frame_of_columns(list(rule = NaN))$rule))
})
