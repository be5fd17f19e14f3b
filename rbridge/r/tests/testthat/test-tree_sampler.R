# What batch_sampler_tree() does on its way to Python and back, tried without Python; tests/bridge has the whole way.

batches_of_two = function(epoch) {
  if (epoch == 3) {
    return(list(error = "ValueError: no epoch 3"))
  }
  aux = list(angle = c(0.5, -1, 2) + epoch, side = c("l", "r", "l"))
  list(value = list(rows = array(c(4L, 0L, 2L)), offsets = array(c(0L, 2L, 3L)), aux = lapply(aux, as.array)))
}

keys_of = function(spec) {
  keys_for_python(spec, "spec", time_of = function(seconds) sprintf("time %.6f", seconds))
}

test_that("a tree of Python keeps the contract of a torch sampler, and counts rows from 1", {
  generator = tree_callback_generator(batches_of_two, 2, "fingerprint")
  expect_s3_class(generator, c("batch_sampler_tree", "torch_sampler"), exact = TRUE)
  instance = generator(NULL)
  expect_identical(instance$.length(), 2L)
  expect_identical(instance$batches(1),
    list(rows = c(5L, 1L, 3L), offsets = c(0L, 2L, 3L), aux = list(angle = c(1.5, 0, 3), side = c("l", "r", "l"))))
  expect_identical(instance$epoch, 0)
  expect_error(instance$batches(3), "^ValueError: no epoch 3$")
  expect_error(instance$set_epoch(-1), "The 'epoch' parameter of batch_sampler_tree must be an integer", fixed = TRUE)
  expect_output(print(instance), "<batch_sampler_tree>\n\\* Batches: 2, next epoch 0")
})

test_that("a batch carries its part of the auxiliary values", {
  iterator = tree_callback_generator(batches_of_two, 2, "fingerprint")(NULL)$.iter()
  first = iterator()
  expect_identical(attr(first, "aux"), list(angle = c(0.5, -1), side = c("l", "r")))
  expect_identical(as.vector(first), c(5L, 1L))
  second = iterator()
  expect_identical(attr(second, "aux"), list(angle = 2, side = "l"))
  expect_identical(as.vector(second), 3L)
  expect_true(coro::is_exhausted(iterator()))
  expect_true(coro::is_exhausted(iterator()))
})

test_that("a batch without auxiliary values is a plain vector", {
  plain = function(epoch) list(value = list(c(1L, 0L), c(0L, 2L), list()))
  expect_identical(tree_callback_generator(plain, 1, "fingerprint")(NULL)$.iter()(), c(2L, 1L))
})

test_that("samplers of different settings hash differently, those of equal ones alike", {
  of = function(fingerprint) mlr3misc::hash_input(tree_callback_generator(batches_of_two, 2, fingerprint))
  expect_identical(of("a"), of("a"))
  expect_false(identical(of("a"), of("b")))
})

test_that("columns cross as codes in order of first appearance, -1 where missing", {
  expect_crossing = function(column, codes, values, kind) {
    expect_identical(tree_codes(column, "x"), list(codes = array(codes), values = values, kind = kind))
  }
  expect_crossing(c("b", NA, "a", "b"), c(0L, -1L, 1L, 0L), list("b", "a"), "text")
  expect_crossing(factor(c("b", NA, "a"), levels = c("a", "b", "c")), c(0L, -1L, 1L), list("b", "a"), "text")
  expect_crossing(c(FALSE, TRUE, NA), c(0L, 1L, -1L), array(c(FALSE, TRUE)), "boolean")
  expect_crossing(c(3L, NA, 1L), c(0L, -1L, 1L), array(c(3L, 1L)), "number")
  expect_crossing(c(2.5, NaN, 0, -0), c(0L, -1L, 1L, 1L), array(c(2.5, 0)), "number")
  expect_crossing(c(NA, NA), c(-1L, -1L), array(logical()), "boolean")
  days = as.Date(c("0900-03-01", NA, "1970-01-02", "1970-01-02")) + c(0, 0, 0, 0.5)
  expect_crossing(days, c(0L, -1L, 1L, 1L), array(c(-390750, 1)), "date")
})

test_that("times cross as seconds, to the microsecond, whatever the time zone and the class", {
  times = as.POSIXct("2020-01-01 12:00:00", tz = "Europe/Berlin") + c(0, 0.25, 0.25 + 1e-8)
  crossing = tree_codes(times, "x")
  expect_identical(crossing$codes, array(c(0L, 1L, 1L)))
  expect_identical(crossing$values, array(1577876400 + c(0, 0.25)))
  expect_identical(crossing$kind, "time")
  expect_identical(tree_codes(as.POSIXlt(times), "x"), crossing)
  expect_error(tree_codes(as.POSIXct(1e12, origin = "1970-01-01", tz = "UTC"), "day"),
    "must hold times of the years 1 to 9999 in 'day'. Got another year instead.", fixed = TRUE)
})

test_that("columns of other classes are refused with their name", {
  expect_error(tree_codes(as.difftime(1:3, units = "mins"), "wait"), paste(
    "The 'table' parameter of batch_sampler_tree must hold logical values, numbers, text, factors, dates or times.",
    "Got a value of class 'difftime' in column 'wait' instead."
  ), fixed = TRUE)
  expect_error(tree_codes(1i, "x"), "Got a value of class 'complex' in column 'x' instead.", fixed = TRUE)
  expect_error(tree_codes(list(1), "x"), "Got a value of class 'list' in column 'x' instead.", fixed = TRUE)
})

test_that("weights cross as doubles, a missing integer as a missing double", {
  expect_identical(tree_numbers(c(1L, NA)), array(c(1, NA)))
  expect_identical(tree_numbers(c(0.5, 2)), array(c(0.5, 2)))
})

test_that("the columns of a table have one length", {
  expect_identical(table_rows(data.frame(a = 1:3)), 3L)
  expect_identical(table_rows(list(a = 1:3, b = letters[1:3])), 3L)
  expect_error(table_rows(list(a = 1:3, b = 1:2)), "must have columns of equal length. Got lengths 3 and 2 instead.",
    fixed = TRUE)
  expect_error(table_rows(list()), "must have at least one column. Got 0 columns instead.", fixed = TRUE)
})

test_that("only the used columns are taken, and one that is not there is told", {
  table = data.frame(a = 1:2, b = 3:4)
  expect_identical(tree_table(table, "b", NULL), list(b = 3:4))
  expect_error(tree_table(table, "c", NULL), "must have one column 'c'. Got only 'a', 'b' instead.", fixed = TRUE)
  twice = data.frame(label = c("a", "b"), label = c("b", "a"), other = 1:2, check.names = FALSE)
  for (form in list(twice, as.list(twice))) {
    expect_identical(tree_table(form, "other", NULL), list(other = 1:2))
    expect_error(tree_table(form, c("other", "label"), NULL), paste("The 'table' parameter of batch_sampler_tree must",
      "have one column 'label'. Got 2 such columns instead."), fixed = TRUE)
  }
  table$m = matrix(1:4, 2L)
  expect_identical(tree_table(table, "b", NULL), list(b = 3:4))
  expect_error(tree_table(table, c("b", "m"), NULL), paste("The 'table' parameter of batch_sampler_tree must hold a",
    "vector in column 'm'. Got a value of class 'matrix' instead."), fixed = TRUE)
  expect_error(tree_table(NULL, "c", NULL), "must be given where the dataset has no task. Got nothing instead.",
    fixed = TRUE)
})

test_that("times in a specification cross as times, everything else as it is", {
  spec = list(mode = "shuffle", children = list(
    list(name = "a", column = "t", value = as.POSIXct(1.5, origin = "1970-01-01", tz = "")),
    list(name = "b", column = "t", op = "between", value = as.POSIXct(c(0, 3), origin = "1970-01-01", tz = "UTC")),
    list(name = "c", column = "d", value = as.Date("2020-01-01"), row_weight = "w")
  ))
  found = keys_of(spec)
  expect_identical(found$children[[1L]]$value, "time 1.500000")
  expect_identical(found$children[[2L]]$value, list("time 0.000000", "time 3.000000"))
  expect_identical(found$children[[3L]], spec$children[[3L]])
  expect_identical(found$mode, "shuffle")
  expect_identical(keys_of("mode: shuffle"), "mode: shuffle")
})

test_that("no specification is none, while an empty list is a root without keys", {
  expect_error(root_for_python(NULL, identity), paste("The 'spec' parameter of batch_sampler_tree must be a mapping:",
    "the root node. Got nothing instead."), fixed = TRUE)
  expect_error(root_for_python(character(), identity), "must be a mapping: the root node. Got 0 values instead.",
    fixed = TRUE)
})

test_that("values of other classes are refused, whose bare numbers would cross", {
  values = list(integer64 = structure(1.5e-323, class = "integer64"), difftime = as.difftime(2, units = "hours"))
  for (class in names(values)) {
    expect_error(keys_of(list(children = list(list(name = "a", column = "x", value = values[[class]])))), sprintf(paste(
      "The 'spec' parameter of batch_sampler_tree must hold logical values, numbers, text, factors, dates or times.",
      "Got a value of class '%s' in 'value' instead."
    ), class), fixed = TRUE)
    expect_error(keys_of(list(column = "x", op = "in", value = list(1, values[[class]]))), "in 'value' instead.",
      fixed = TRUE)
  }
  expect_identical(keys_of(list(column = "x", value = factor("a")))$value, factor("a"))
})

test_that("missing values and repeated keys are refused before they become something else in Python", {
  times = list(as.POSIXct(NA), as.POSIXlt(NA), as.Date(NA))
  for (value in c(list(NA, NA_character_, NA_real_, NA_integer_, factor(NA), list("a", NA), c("a", NA)), times)) {
    expect_error(keys_of(list(children = list(list(name = "a", column = "x", value = value)))), paste(
      "The 'spec' parameter of batch_sampler_tree must have no missing values. Got NA in 'value' instead.",
      "Missing values are found by 'op: isnull'."
    ), fixed = TRUE)
  }
  expect_error(keys_of(list(children = list(list(name = "a", name = "b")))),
    "The 'spec' parameter of batch_sampler_tree must have every key once. Got 'name' again instead.", fixed = TRUE)
})

test_that("parameters are refused before Python is asked", {
  expect_refused = function(..., text) {
    expect_error(batch_sampler_tree(list(mode = "shuffle"), ...), text, fixed = TRUE)
  }
  expect_refused(0, 10, text = "The 'batch_size' parameter of batch_sampler_tree must be a positive integer. Got 0")
  expect_refused(4, 2.5, text = "The 'length' parameter of batch_sampler_tree must be a positive integer. Got 2.5")
  expect_refused(4, NULL, text = "The 'length' parameter of batch_sampler_tree must be a positive integer. Got nothing")
  expect_refused(4, 10, drop_last = NA, text = "The 'drop_last' parameter of batch_sampler_tree must be true or false")
  expect_refused(4, 10, persistent = 1, text = "The 'persistent' parameter of batch_sampler_tree must be true or false")
  expect_refused(4, 10, seed = -1, text = "The 'seed' parameter of batch_sampler_tree must be an integer from 0 to")
  expect_refused(4, 10, table = 3, text = "The 'table' parameter of batch_sampler_tree must be a data frame or a list")
})
