test_that("codes give the same batches as the values that they stand for, and names are taken as they are", {
  values = c("b", "a", "b", "b", "a", "b")
  strata = stratum_codes(match(values, unique(values)) - 1L, unique(values))
  expect_identical(sampler_of(strata, 1, seed = 1)$batches(0), sampler_of(values, 1, seed = 1)$batches(0))
  strata = stratum_codes(c(0, 1, 0, 2), c("x", "y", "x"))
  expect_identical(strata$codes, c(0L, 1L, 0L, 2L))
  expect_identical(names(sampler_of(strata, 1, seed = 1)$plan()), c("x", "y", "x"))
})

test_that("rows with a missing code are never sampled, whatever 'missing' says", {
  strata = stratum_codes(c(0L, NA, 1L, 1L), c("a", "b"))
  for (missing in c("error", "stratum", "drop")) {
    expect_identical(sort(sampler_of(strata, 1, seed = 1, missing = missing)$batches(0)$rows), c(1L, 3L, 4L))
  }
})

test_that("other codes and names are refused", {
  must = "The 'codes' parameter must be whole numbers from 0, numbered in order of first appearance."
  refused = list(c(1, 2), c(0, 2, 1), c(0, 0.5), c(0, -1), c(0, Inf), c("0", "1"), factor(c(0, 1)), NULL, c(TRUE, NA))
  for (codes in refused) {
    expect_error(stratum_codes(codes, c("a", "b")), must, fixed = TRUE)
  }
  must = "The 'names' parameter must be text, one name for each of 2 strata."
  for (names in list("a", c("a", "b", "c"), c("a", NA), 1:2, NULL)) {
    expect_error(stratum_codes(c(0, 1), names), must, fixed = TRUE)
  }
  expect_error(sampler_of(stratum_codes(c(NA, NA), character()), 1), "Got 2 missing of 2 rows instead.", fixed = TRUE)
  expect_error(sampler_of(stratum_codes(integer(), character()), 1), "Got 0 rows instead.", fixed = TRUE)
  expect_output(print(stratum_codes(c(0, 1, 0), c("x", "y"))), "3 rows, 2 strata: 'x', 'y'", fixed = TRUE)
})
