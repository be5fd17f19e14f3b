# Tables of counts and lists of shards that nobody expects: a result that is right, or a message. test-hostile_values.R
# replaces whole arguments. Here, one thing is wrong with a table or a list that is otherwise valid.

skip_on_cran()

grammar = "^The '[^']+' parameter( (of|at) .+)? must .+\\. Got .+ instead\\.( .+)?$"

strata = list(a = c("no", "no", "yes"), b = c("yes", "no", "no", "no"), c = c("no", "yes"))
counts = shard_counts(strata)
own = c(strata$c, strata$a)

sampler_of = function(table) {
  batch_sampler_sharded(1, table, c("c", "a"), seed = 1, strata = factor(own, c("yes", "no")))(NULL)
}

# What a call returns, or the text of its refusal; fails on any other error, and on warnings.
outcome = function(call) {
  tryCatch(call, error = function(error) {
    expect_s3_class(error, "rbridge_refusal")
    expect_match(conditionMessage(error), grammar)
    conditionMessage(error)
  })
}

named = function(shards = rownames(counts), strata = colnames(counts)) {
  matrix(counts, nrow(counts), dimnames = list(shards, strata))
}
frame = as.data.frame(counts)
with_column = function(values) {
  frame$yes = values
  frame
}
with_cell = function(value) {
  counts[1, 2] = value
  counts
}
with_type = function(change) structure(change(counts), dim = dim(counts), dimnames = dimnames(counts))

test_that("the same table in another form gives the same batches", {
  expected = sampler_of(counts)$batches(0)
  same = list(
    "another order" = counts[c(3, 1, 2), 2:1],
    "integers" = with_type(as.integer),
    "a table" = as.table(counts),
    "a table of class xtabs" = stats::xtabs(n ~ file + label, data.frame(
      file = rep(names(strata), lengths(strata)), label = unlist(strata), n = 1)),
    "a data frame in another order" = frame[3:1, 2:1],
    "a subclass" = structure(frame, class = c("unknown", "data.frame")),
    "Latin-1" = named(iconv(rownames(counts), "UTF-8", "latin1")),
    "attributes" = structure(counts, comment = "more")
  )
  for (case in names(same)) {
    expect_identical(sampler_of(same[[case]])$batches(0), expected, info = case)
    expect_identical(sharded_plan(same[[case]], 1)$counts, counts, info = case)
    expect_identical(bind_counts(list(same[[case]]))[, colnames(counts)], counts, info = case)
  }
})

test_that("a valid table of other data is refused if the rows of this process do not match it", {
  other = list(
    "a row more" = with_cell(2),
    "a row less" = with_cell(0),
    "transposed" = t(counts),
    "swapped names of shards" = named(shards = c("b", "a", "c")),
    "a missing shard" = counts[-1, ],
    "accents in two forms" = named(strata = c("\u00e9", "e\u0301")),
    "a missing name" = named(shards = c(NA, "b", "c"))
  )
  for (case in names(other)) {
    table = other[[case]]
    expect_match(outcome(sampler_of(table)), "parameter must", info = case)
    expect_identical(sum(sharded_plan(table, 1)$sizes()), sum(table) + 0, info = case)
    expect_identical(dim(bind_counts(list(table))), dim(table), info = case)
  }
})

test_that("what is no table is refused", {
  refused = list(
    "a name twice" = named(shards = c("a", "a", "c")),
    "no names of shards" = matrix(counts, 3, dimnames = list(NULL, c("no", "yes"))),
    "bytes as names" = named(shards = c("\xff", "b", "c")),
    "no shards" = counts[0, ],
    "no strata" = counts[, 0],
    "no rows of a stratum" = `[<-`(counts, , 2, 0),
    "-1" = with_cell(-1),
    "NA" = with_cell(NA),
    "2^53" = with_cell(2^53),
    "more rows in all than 2^53" = counts * 2^51,
    "logical values" = counts > 0,
    "a list" = with_type(as.list),
    "an array" = array(1, c(3, 2, 2)),
    "a factor" = with_column(factor(c(1, 1, 1))),
    "a list as a column" = with_column(I(list(1, 1, 1))),
    "dates" = with_column(as.Date(c(1, 1, 1), origin = "1970-01-01")),
    "columns of two lengths" = structure(list(no = c(2, 3, 1), yes = 1), class = "data.frame",
      row.names = c("a", "b", "c")),
    "a list of shards" = strata,
    "names as a column" = data.frame(file = rownames(counts), counts)
  )
  for (case in names(refused)) {
    table = refused[[case]]
    expect_match(outcome(sampler_of(table)), "parameter must", info = case)
    expect_match(outcome(sharded_plan(table, 1)), "parameter must", info = case)
    if (!case %in% c("no strata", "no rows of a stratum")) { # valid, if the table of another process has rows
      bound = outcome(bind_counts(list(table, named(shards = c("d", "e", "f")))))
      expect_match(bound, "parameter must", info = case)
    }
  }
})

test_that("lists and names of shards are counted or refused", {
  expect_identical(shard_counts(rev(strata)), counts)
  for (names in list(NULL, c("", "b", "c"), c(NA, "b", "c"), c("\xff", "b", "c"), c("a", "a", "b"))) {
    expect_match(outcome(shard_counts(stats::setNames(strata, names))), grammar)
  }
  for (strata in list(NULL, c("no", NA), sum, new.env(), list(b = 1:2, c = 1), list(list(list(1))), 1i)) {
    expect_match(outcome(shard_counts(list(a = strata))), grammar)
  }
  hostile = list(c("c", "c"), c("c", "d"), c("c", NA), c("c", ""), 1:2, "\xff", character(), NULL, c(TRUE, FALSE), sum)
  for (shards in hostile) {
    expect_match(outcome(batch_sampler_sharded(1, counts, shards, seed = 1, strata = own)), "'shards' parameter must")
  }
})
