# Strata from values: numbers in order of first appearance, and names.

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

test_that("strata are numbered in order of first appearance, not sorted", {
  expect_identical(codes_of(c("b", "a", "b", "c", "a")), c(1L, 2L, 1L, 3L, 2L))
  expect_identical(codes_of(c(10, 9, 10, 1)), c(1L, 2L, 1L, 3L))
  expect_identical(codes_of(c(FALSE, TRUE, FALSE)), c(1L, 2L, 1L))
  expect_identical(names_of(c("b", "a", "B")), c("b", "a", "B"))
})

test_that("factors are numbered by first appearance, whatever their levels", {
  values = c("b", "a", "b", "c")
  expected = numbered(values)
  expect_identical(numbered(factor(values, levels = c("c", "z", "b", "a"))), expected)
  expect_identical(numbered(factor(values, ordered = TRUE)), expected)
})

test_that("factor levels that do not occur are no strata", {
  expect_identical(names_of(factor(c("a", "b"), levels = c("a", "x", "b"))), c("a", "b"))
})

test_that("numbers are equal where they are exactly equal", {
  expect_identical(codes_of(c(0.1 + 0.2, 0.3, 0.1 + 0.2)), c(1L, 2L, 1L))
  expect_identical(names_of(c(0.1 + 0.2, 0.3)), c("0.3", "0.3"))
  expect_identical(codes_of(c(-0, 0, 1)), c(1L, 1L, 2L))
  expect_identical(names_of(c(-0, 0, 1)), c("0", "1"))
  expect_identical(numbered(c(3L, 4L)), numbered(c(3, 4)))
  expect_identical(codes_of(c(2^53, 2^53 - 1, Inf, -Inf)), 1:4)
})

test_that("text is equal where it is equal in UTF-8, whatever its encoding is marked as", {
  latin1 = iconv("\u00e9t\u00e9", "UTF-8", "latin1")
  expect_identical(codes_of(c(latin1, "\u00e9t\u00e9", "e")), c(1L, 1L, 2L))
  expect_identical(Encoding(names_of(c(latin1, "e"))), c("UTF-8", "unknown"))
  expect_identical(codes_of(c("\u00e9", "e\u0301")), 1:2)
})

test_that("empty text is not missing, and spaces count", {
  expect_identical(codes_of(c("", " ", "", "NA")), c(1L, 2L, 1L, 3L))
})

test_that("NA, NaN and a factor level that is NA are missing", {
  for (values in list(c(1, NA, NaN), c("a", NA, NA), c(TRUE, NA, NA), as.Date(c("2020-01-01", NA, NA)),
    factor(c("a", NA, NA)), addNA(factor(c("a", NA, NA))))) {
    expect_error(codes_of(values), "Got 2 missing of 3 rows instead.", fixed = TRUE)
    expect_identical(codes_of(values, "stratum"), c(1L, 2L, 2L))
    expect_identical(names_of(values, "stratum")[2], "NA")
    expect_identical(codes_of(values, "drop"), c(1L, NA, NA))
  }
})

test_that("a missing value as a stratum is numbered where it first appears", {
  expect_identical(codes_of(c(NA, "a", NA, "b"), "stratum"), c(1L, 2L, 1L, 3L))
  expect_identical(names_of(c(NA, "a", NA, "b"), "stratum"), c("NA", "a", "b"))
})

test_that("a missing value is another stratum than the text NA", {
  expect_identical(codes_of(c("NA", NA), "stratum"), 1:2)
})

test_that("strata of several columns are the combinations that occur, by first appearance", {
  columns = list(x = c("b", "a", "b", "a", "b"), y = c(1, 2, 1, 1, 2))
  expect_identical(codes_of(columns), c(1L, 2L, 1L, 3L, 4L))
  expect_identical(names_of(columns), c("b, 1", "a, 2", "a, 1", "b, 2"))
  expect_identical(numbered(as.data.frame(columns)), numbered(columns))
  expect_identical(numbered(unname(columns)), numbered(columns))
})

test_that("three columns make the strata of all three", {
  columns = expand.grid(a = 1:3, b = c("x", "y"), c = c(TRUE, FALSE), stringsAsFactors = FALSE)
  columns = columns[rep(seq_len(12), times = 2), ]
  expect_identical(codes_of(columns), rep(1:12, times = 2))
  expect_identical(names_of(columns)[c(1, 12)], c("1, x, TRUE", "3, y, FALSE"))
})

test_that("with several columns a row is missing where any column is", {
  columns = list(x = c("a", NA, "b", "b"), y = c(1, 2, NA, 3))
  expect_error(codes_of(columns), "Got 2 missing of 4 rows instead.", fixed = TRUE)
  expect_identical(codes_of(columns, "stratum"), 1:4)
  expect_identical(names_of(columns, "stratum"), c("a, 1", "NA, 2", "b, NA", "b, 3"))
  expect_identical(codes_of(columns, "drop"), c(1L, NA, NA, 2L))
  expect_identical(names_of(columns, "drop"), c("a, 1", "b, 3"))
})

test_that("strata left by dropping are numbered afresh", {
  columns = list(x = c("b", "a", "b", "a"), y = c(NA, 1, 1, 1))
  expect_identical(numbered(columns, "drop"), list(codes = c(NA, 1L, 2L, 1L), names = c("a, 1", "b, 1")))
})

test_that("names show numbers with 15 digits, dates as ISO and date-times in UTC", {
  expect_identical(names_of(c(1, 2.5, 1e20, 1 / 3, TRUE, Inf)),
    c("1", "2.5", "1e+20", "0.333333333333333", "Inf"))
  expect_identical(names_of(c(TRUE, FALSE)), c("TRUE", "FALSE"))
  expect_identical(names_of(as.Date(c("2017-06-30", "1969-12-31"))), c("2017-06-30", "1969-12-31"))
  times = as.POSIXct(c(0, 86400, 1498824000), origin = "1970-01-01", tz = "America/New_York")
  expect_identical(names_of(times), c("1970-01-01", "1970-01-02", "2017-06-30T12:00:00"))
  expect_identical(numbered(as.POSIXlt(times)), numbered(times))
})

test_that("names do not depend on the session's options", {
  old = options(digits = 3, OutDec = ",", scipen = 100)
  on.exit(options(old))
  expect_identical(names_of(c(1 / 3, 1e20)), c("0.333333333333333", "1e+20"))
})

test_that("a matrix of one column is a vector", {
  for (column in list(c("b", "a", "b"), c(1.5, NA, 1.5), c(TRUE, FALSE, TRUE))) {
    expect_identical(codes_of(matrix(column, ncol = 1L), missing = "stratum"), codes_of(column, missing = "stratum"))
  }
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
      sprintf("Got the integer %s, which no double holds exactly, in column 'y' instead. Pass such numbers as text.",
        number))
  }
})

test_that("measurements as strata are warned of, other numbers and text are not", {
  expect_warning(codes_of(1:400 / 8), fixed = TRUE,
    "The 'strata' parameter has 400 different numbers in 400 rows, and each is a stratum. Of numbers bin_target()")
  expect_warning(codes_of(data.frame(site = "a", age = 1:400 %/% 10 / 8)), "has 41 different numbers in 400 rows")
  for (strata in list(1:400, as.double(1:400), 1:400 %/% 20 / 8 + 1e6 * (1:400 > 380), 1:19 / 8,
    as.character(1:400 / 8))) {
    expect_silent(codes_of(strata))
  }
})

test_that("text that is not Unicode is refused", {
  bytes = "\xe9"
  Encoding(bytes) = "bytes"
  expect_error(sampler_of(c("a", bytes), 1), "Got text that is not Unicode instead.", fixed = TRUE)
  invalid = "\xff"
  Encoding(invalid) = "UTF-8"
  expect_error(codes_of(list(x = c("a", invalid))), "Got text that is not Unicode in column 'x' instead.", fixed = TRUE)
  expect_error(codes_of(list(x = factor(c("a", "b"), labels = c("a", bytes)))), "not Unicode in column 'x'")
})

test_that("strata of a million rows in two columns are those of pasted text", {
  x = rep(c("a", "b", "c"), length.out = 1e6)
  y = rep(1:7, length.out = 1e6)
  pasted = paste(x, y, sep = ", ")
  encoded = numbered(list(x, y))
  expect_identical(encoded$names, unique(pasted))
  expect_identical(encoded$names[encoded$codes], pasted)
})

test_that("dates of any century are shown in ISO form", {
  expect_identical(names_of(as.Date(c("0099-01-02", "1500-12-31"))), c("0099-01-02", "1500-12-31"))
  times = as.POSIXct(c("0099-01-02 03:04:05", "2017-06-30 00:00:00"), tz = "UTC")
  expect_identical(names_of(times), c("0099-01-02T03:04:05", "2017-06-30"))
})

# Doubles whose bits map to the same slot of a table of any size: the inverse of the multiplication in the core's hash,
# in digits of 16 bits.
colliding_doubles = function(count) {
  inverse = c(29501, 39223, 33761, 61918)
  hash = seq_len(count) - 1
  factor = list(hash %% 65536, hash %/% 65536, 0, 0)
  digits = list()
  carry = 0
  for (place in 1:4) {
    for (i in 1:place) carry = carry + factor[[i]] * inverse[place - i + 1]
    digits[[place]] = carry %% 65536
    carry = carry %/% 65536
  }
  digits[1:2] = Map(bitwXor, digits[1:2], digits[3:4])
  bytes = writeBin(as.integer(do.call(rbind, digits)), raw(), size = 2L, endian = "little")
  values = readBin(bytes, "double", count, endian = "little")
  values[!is.na(values)]
}

test_that("numbers of doubles are those of unique() and match(), also if their hashes collide", {
  collide = colliding_doubles(3e5)
  expect_gt(length(collide), 2.9e5)
  expect_identical(suppressWarnings(codes_of(collide)), seq_along(collide))
  few = colliding_doubles(3000)
  with_missing = c(3, NA, 1e300, 3, -Inf, 0.1, NA, 2^53, -1)
  for (values in list(1, c(few, rev(few), few), with_missing, (1:5000) %% 700 / 7)) {
    expect_identical(suppressWarnings(codes_of(values, missing = "stratum")), match(values, unique(values)))
  }
})
