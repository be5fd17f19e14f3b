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

# The same table in another form: the batches stay.
same = list(
  "rows in another order" = counts[c(3, 1, 2), ],
  "columns in another order" = counts[, 2:1],
  "integers" = structure(as.integer(counts), dim = dim(counts), dimnames = dimnames(counts)),
  "a table" = as.table(counts),
  "a table of class xtabs" = stats::xtabs(n ~ file + label, data.frame(
    file = rep(names(strata), lengths(strata)), label = unlist(strata), n = 1)),
  "a data frame" = frame,
  "a data frame in another order" = frame[3:1, 2:1],
  "a subclass" = structure(frame, class = c("unknown", "data.frame")),
  "Latin-1" = named(iconv(rownames(counts), "UTF-8", "latin1")),
  "attributes" = structure(counts, comment = "more")
)
# Valid tables of other data: the rows of this process do not match them, or they name other shards.
other = list(
  "a row more" = with_cell(2),
  "a row less" = with_cell(0),
  "transposed" = t(counts),
  "swapped names of shards" = named(shards = c("b", "a", "c")),
  "swapped names of strata" = named(strata = c("yes", "no")),
  "a shard of another name" = named(shards = c("A", "b", "c")),
  "a stratum of another name" = named(strata = c("no", "Yes")),
  "one stratum" = counts[, "no", drop = FALSE],
  "a missing shard" = counts[-1, ],
  "numbers as names" = named(shards = 1:3),
  "other forms of a name" = named(shards = c("a ", "b", "c")),
  "accents in two forms" = named(strata = c("\u00e9", "e\u0301")),
  "long names" = named(shards = c(strrep("a", 1e5), "b", "c")),
  "an empty name" = named(shards = c("", "b", "c")),
  "a missing name" = named(shards = c(NA, "b", "c"))
)
# No tables of counts.
refused = list(
  "a name twice" = named(shards = c("a", "a", "c")),
  "a stratum twice" = named(strata = c("no", "no")),
  "no names" = unname(counts),
  "no names of shards" = matrix(counts, 3, dimnames = list(NULL, c("no", "yes"))),
  "no names of strata" = matrix(counts, 3, dimnames = list(c("a", "b", "c"), NULL)),
  "bytes as names" = named(shards = c("\xff", "b", "c")),
  "no shards" = counts[0, ],
  "no strata" = counts[, 0],
  "no rows of a stratum" = `[<-`(counts, , 2, 0),
  "-1" = with_cell(-1),
  "a half" = with_cell(0.5),
  "NaN" = with_cell(NaN),
  "NA" = with_cell(NA),
  "Inf" = with_cell(Inf),
  "2^53" = with_cell(2^53),
  "more rows in all than 2^53" = counts * 2^51,
  "logical values" = counts > 0,
  "text" = structure(as.character(counts), dim = dim(counts), dimnames = dimnames(counts)),
  "complex" = counts + 0i,
  "a list" = structure(as.list(counts), dim = dim(counts), dimnames = dimnames(counts)),
  "an array" = array(1, c(3, 2, 2)),
  "a vector" = counts[, 1],
  "a column of text" = with_column(c("1", "1", "1")),
  "a factor" = with_column(factor(c(1, 1, 1))),
  "logical column" = with_column(c(TRUE, TRUE, TRUE)),
  "a list as a column" = with_column(I(list(1, 1, 1))),
  "a matrix as a column" = with_column(I(matrix(1, 3, 2))),
  "a plain matrix as a column" = with_column(matrix(1, 3, 2)),
  "a data frame as a column" = with_column(data.frame(x = c(1, 1, 1), y = 2)),
  "dates" = with_column(as.Date(c(1, 1, 1), origin = "1970-01-01")),
  "columns of two lengths" = structure(list(no = c(2, 3, 1), yes = 1), class = "data.frame",
    row.names = c("a", "b", "c")),
  "no row names" = structure(list(no = c(2, 3, 1), yes = c(1, 1, 1)), class = "data.frame"),
  "a list of shards" = strata,
  "names as a column" = data.frame(file = rownames(counts), counts)
)

test_that("the same table in another form", {
  expected = sampler_of(counts)$batches(0)
  for (case in names(same)) {
    expect_identical(sampler_of(same[[case]])$batches(0), expected, info = case)
    expect_identical(sharded_plan(same[[case]], 1)$counts, counts, info = case)
    expect_identical(bind_counts(list(same[[case]]))[, colnames(counts)], counts, info = case)
  }
})

test_that("a table of other data", {
  for (case in names(other)) {
    table = other[[case]]
    expect_match(outcome(sampler_of(table)), "parameter must", info = case)
    expect_identical(sum(sharded_plan(table, 1)$sizes()), sum(table) + 0, info = case)
    expect_identical(dim(bind_counts(list(table))), dim(table), info = case)
  }
})

test_that("what is no table", {
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

lists = list(
  "another order" = rev(strata),
  "a pairlist" = as.pairlist(strata),
  "a shard twice" = c(strata, list(a = "no")),
  "no names" = unname(strata),
  "an empty name" = stats::setNames(strata, c("", "b", "c")),
  "a missing name" = stats::setNames(strata, c(NA, "b", "c")),
  "bytes in a name" = stats::setNames(strata, c("\xff", "b", "c")),
  "no strata" = list(a = NULL),
  "a missing stratum" = list(a = c("no", NA)),
  "a function" = list(a = sum),
  "an environment" = list(a = new.env()),
  "a list of two lengths" = list(a = list(b = 1:2, c = 1)),
  "a data frame" = list(a = data.frame(b = 1:2, c = 1)),
  "lists in lists" = list(a = list(list(list(1)))),
  "complex" = list(a = 1i),
  "no shards" = list(),
  "a vector" = c(a = "no"),
  "a data frame of shards" = data.frame(a = "no")
)

test_that("lists of shards", {
  for (case in names(lists)) {
    found = outcome(shard_counts(lists[[case]]))
    if (is.character(found)) {
      expect_match(found, grammar, info = case)
    } else {
      expect_identical(rownames(found), sort(rownames(found), method = "radix"), info = case)
      expect_true(all(colSums(found) > 0), info = case)
      if (identical(dim(found), dim(counts))) expect_identical(found, counts, info = case)
    }
  }
})

test_that("names of shards", {
  hostile = list(c("c", "c"), c("c", "d"), c("c", NA), c("c", ""), factor(c("c", "a"), c("a", "c")), list("c", "a"),
    1:2, "\xff", character(), NULL, matrix(c("c", "a")), c(TRUE, FALSE), quote(c), sum)
  for (shards in hostile) {
    found = outcome(batch_sampler_sharded(1, counts, shards, seed = 1, strata = factor(own)))
    if (!is.character(found)) {
      expect_identical(found(NULL)$batches(0), sampler_of(counts)$batches(0))
    } else {
      expect_match(found, "'shards' parameter must")
    }
  }
})
