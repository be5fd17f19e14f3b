# Extracted from test-base_strata.R:56

# setup ------------------------------------------------------------------------
library(testthat)
test_env <- simulate_test_env(package = "rbridge", path = "..")
attach(test_env, warn.conflicts = FALSE)

# prequel ----------------------------------------------------------------------
numbered = function(strata, missing = "error") {
  if (is.character(strata) && is.null(dim(strata))) {
    strata = list(strata) # not the names of columns of a task
  }
  recipe = recipe_of(batch_sampler_stratified(1, strata = strata, missing = missing, seed = 1))
  codes = as.integer(recipe$parts$codes) + 1L
  list(codes = replace(codes, codes > recipe$parts$n_strata, NA), names = recipe$labels$names)
}
codes_of = function(...) numbered(...)$codes
names_of = function(...) numbered(...)$names
latin1 = iconv("\u00e9t\u00e9", "UTF-8", "latin1")
times = as.POSIXct(c(0, 86400, 1498824000), origin = "1970-01-01", tz = "America/New_York")

# test -------------------------------------------------------------------------
for (values in list(c(1, NA, NaN), c("a", NA, NA), c(TRUE, NA, NA), as.Date(c("2020-01-01", NA, NA)),
    factor(c("a", NA, NA)), addNA(factor(c("a", NA, NA))), matrix(c("a", NA, NA)))) {
    expect_error(codes_of(values), "Got 2 missing of 3 rows instead.", fixed = TRUE)
    expect_identical(codes_of(values, "stratum"), c(1L, 2L, 2L))
    expect_identical(names_of(values, "stratum")[2], "NA")
    expect_identical(codes_of(values, "drop"), c(1L, NA, NA))
  }
