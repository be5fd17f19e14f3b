# Strata from values of R: numbers in order of first appearance, and names.

# -> list(codes, names): the number of the stratum of each row, NA for rows that are dropped, and the names
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

test_that("strata are numbered in order of first appearance, and named", {
  for (case in list(
    list(c("b", "a", "B", "c", "a"), c(1, 2, 3, 4, 2), c("b", "a", "B", "c")),
    list(c(10, 9, 10, 1), c(1, 2, 1, 3), c("10", "9", "1")),
    list(c(3L, 4L), 1:2, c("3", "4")),
    list(c(FALSE, TRUE, FALSE), c(1, 2, 1), c("FALSE", "TRUE")),
    list(factor(c("b", "a", "b"), levels = c("x", "a", "b")), c(1, 2, 1), c("b", "a")),
    list(factor(c("b", "a", "b"), ordered = TRUE), c(1, 2, 1), c("b", "a")),
    # numbers are equal if they are exactly equal
    list(c(0.1 + 0.2, 0.3, 0.1 + 0.2), c(1, 2, 1), c("0.3", "0.3")),
    list(c(-0, 0, 1), c(1, 1, 2), c("0", "1")),
    list(c(2^53, 2^53 - 1, Inf), 1:3, c("9.00719925474099e+15", "9.00719925474099e+15", "Inf")),
    list(c(1, 2.5, 1e20, 1 / 3), 1:4, c("1", "2.5", "1e+20", "0.333333333333333")),
    # text is equal if it is equal in UTF-8; empty text is not missing, and spaces count
    list(c(latin1, "\u00e9t\u00e9", "e"), c(1, 1, 2), c("\u00e9t\u00e9", "e")),
    list(c("\u00e9", "e\u0301"), 1:2, c("\u00e9", "e\u0301")),
    list(c("", " ", "", "NA"), c(1, 2, 1, 3), c("", " ", "NA")),
    # dates of any century in ISO form, times in UTC
    list(as.Date(c("2017-06-30", "0099-01-02")), 1:2, c("2017-06-30", "0099-01-02")),
    list(times, 1:3, c("1970-01-01", "1970-01-02", "2017-06-30T12:00:00")),
    list(as.POSIXlt(times), 1:3, c("1970-01-01", "1970-01-02", "2017-06-30T12:00:00")),
    list(as.POSIXct("0099-01-02 03:04:05", tz = "UTC"), 1, "0099-01-02T03:04:05"),
    list(matrix(c("b", "a", "b")), c(1, 2, 1), c("b", "a")),
    # the combinations of several columns
    list(list(x = c("b", "a", "b", "a", "b"), y = c(1, 2, 1, 1, 2)), c(1, 2, 1, 3, 4), c("b, 1", "a, 2", "a, 1",
      "b, 2")),
    list(list(c("b", "a"), 1:2), 1:2, c("b, 1", "a, 2")),
    list(data.frame(a = 1:2, b = c("x", "y"), c = c(TRUE, FALSE)), 1:2, c("1, x, TRUE", "2, y, FALSE"))
  )) {
    expect_identical(numbered(case[[1L]]), list(codes = as.integer(case[[2L]]), names = case[[3L]]))
  }
})

test_that("missing is one value of every type, and is refused, a stratum, or left out", {
  for (values in list(c(1, NA, NaN), c("a", NA, NA), c(TRUE, NA, NA), as.Date(c("2020-01-01", NA, NA)),
    factor(c("a", NA, NA)), addNA(factor(c("a", NA, NA))), matrix(c("a", NA, NA)))) {
    expect_error(codes_of(values), "Got 2 missing of 3 rows instead.", fixed = TRUE)
    expect_identical(codes_of(values, "stratum"), c(1L, 2L, 2L))
    expect_identical(names_of(values, "stratum")[2], "NA")
    expect_identical(codes_of(values, "drop"), c(1L, NA, NA))
  }
  expect_identical(codes_of(c(NA, "a", NA, "b"), "stratum"), c(1L, 2L, 1L, 3L))
  expect_identical(codes_of(c("NA", NA), "stratum"), 1:2)
  columns = list(x = c("b", NA, "a", "b"), y = c(NA, 2, 1, 1))
  expect_error(codes_of(columns), "Got 2 missing of 4 rows instead.", fixed = TRUE)
  expect_identical(numbered(columns, "stratum"), list(codes = 1:4, names = c("b, NA", "NA, 2", "a, 1", "b, 1")))
  expect_identical(numbered(columns, "drop"), list(codes = c(NA, NA, 1L, 2L), names = c("a, 1", "b, 1")))
})

test_that("values that cannot be compared in the same way everywhere are refused", {
  refused = list(
    complex = c(1i, 2i), raw = as.raw(1:2), matrix = matrix(1:4, 2),
    "function" = identity, difftime = as.difftime(1:2, units = "mins"), environment = new.env()
  )
  for (kind in names(refused)) {
    expect_error(codes_of(refused[[kind]]),
      sprintf("must hold logical values, numbers, text or dates, one kind per column. Got %s values instead.", kind),
      fixed = TRUE)
  }
  expect_error(codes_of(list(1:2, as.raw(1:2))), "Got raw values in column '2' instead.", fixed = TRUE)
})

test_that("numbers of 64 bits are numbers, if doubles hold them exactly", {
  skip_if_not_installed("bit64")
  numbers = bit64::as.integer64(c("3", NA, "-1", "1152921504606846976", "3"))
  expect_identical(codes_of(numbers, missing = "stratum"), codes_of(c(3, NA, -1, 2^60, 3), missing = "stratum"))
  for (number in c("9007199254740993", "9223372036854775807")) {
    expect_error(codes_of(data.frame(x = 1:2, y = bit64::as.integer64(c("1", number)))), fixed = TRUE,
      "Got an integer that no double holds exactly in column 'y' instead. Pass such numbers as text.")
  }
})
