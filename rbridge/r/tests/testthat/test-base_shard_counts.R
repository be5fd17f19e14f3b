# Tables of counts. That they are those of Python is tested there.

strata = list(b.csv = c("y", "x", "x"), a.csv = c("x", "x"), C.csv = c("z", "y"))

refused = function(...) message_of(shard_counts(...))

test_that("each cell has the rows of its stratum in its shard, whoever held it, in orders that no locale changes", {
  expected = rbind(C.csv = c(z = 1, y = 1, x = 0), a.csv = c(0, 0, 2), b.csv = c(0, 1, 2))
  names(dimnames(expected)) = c("shard", "stratum")
  expect_identical(shard_counts(strata), expected)
  expect_identical(bind_counts(list(shard_counts(strata[2:3]), shard_counts(strata[1]))), expected)
  columns = shard_counts(list(a = list(u = c(1, 1, 2), v = c("s", "t", "s"))))
  expect_identical(colnames(columns), c("1, s", "1, t", "2, s"))
  expect_identical(shard_counts(list(a = factor("x")))[, ], 1)
})

test_that("shards without rows have zeros, and are bound with those of other processes", {
  none = list(character(), logical(), factor(), list(u = numeric(), v = character()), data.frame(u = logical()))
  for (empty in none) {
    found = shard_counts(list(b = "x", a = empty))
    expect_identical(found[, "x"], c(a = 0, b = 1))
    expect_identical(bind_counts(list(found, shard_counts(list(c = "y"))))["a", ], c(x = 0, y = 0))
  }
  none = shard_counts(list(c = character(), a = list(u = numeric())))
  some = shard_counts(list(b = "x"))
  for (tables in list(list(none, some), list(some, none))) {
    expect_identical(bind_counts(tables)[, "x"], c(a = 0, b = 1, c = 0))
  }
  expect_match(message_of(bind_counts(list(none))), "have at least one row. Got 0 rows", fixed = TRUE)
  expect_match(message_of(sharded_plan(none, 1)), "Got 2 x 0 values instead. Bind it with", fixed = TRUE)
})

test_that("what is no table is refused, and no list of shards", {
  counts = shard_counts(strata)
  frame = as.data.frame(counts)
  named = function(shards) `rownames<-`(counts, shards)
  with_cell = function(value) `[<-`(counts, 1, 2, value)
  with_column = function(values) {
    frame$x = values
    frame
  }
  others = list(
    named(c("a", "a", "c")), named(NULL), named(c("\xff", "b", "c")), counts[0, ], with_cell(-1), with_cell(0.5),
    with_cell(NA), with_cell(Inf), counts * 2^51, counts > 0, counts[, 1], with_column(factor(c(1, 1, 1))),
    with_column(c(TRUE, FALSE, TRUE)), strata
  )
  for (other in others) {
    expect_error(sharded_plan(other, 1), "^The 'counts' parameter must .+ Got .+ instead", class = "rbridge_refusal")
    expect_error(bind_counts(list(other)), "^The 'tables' parameter must .+ Got .+ instead", class = "rbridge_refusal")
  }
  expect_error(bind_counts(list(counts, counts["a.csv", , drop = FALSE])), "have each shard once. Got 'a.csv' twice")
  for (names in list(NULL, c("", "b", "c"), c("a", "a", "b"))) {
    expect_error(shard_counts(stats::setNames(strata, names)), class = "rbridge_refusal")
  }
  expect_match(message_of(bind_counts(list(data.frame(shard = "a", x = 1)))),
    "Got character values instead. If a column names the shards, make it the row names.", fixed = TRUE)
})
