# The number of lines of each file that an epoch draws; tests/bridge compares random plans with Python's.

published = c(IT1 = 30000, IT2 = 10000, MSDN = 60000, colloquial = 4000, generic = 900000, news = 50000)

plan_of = function(files, sample, rules = NULL) {
  read = if (!is.null(rules)) read_rules(as.list(rules))
  make_corpus_plan(names(files), unname(files), sample, read)
}

test_that("the published example", {
  plan = plan_of(published, 100000L, c("IT,MSDN 20", "colloquial 10", "generic 65", "* 5"))
  expect_identical(plan$drawn, c(6000, 2000, 12000, 10000, 65000, 5000))
  expect_identical(plan$rule, c(1, 1, 1, 2, 3, 4))
})

test_that("decimals are read as they are written", {
  expect_identical(plan_of(c(a = 30), 0.1)$drawn, 3)
  expect_identical(plan_of(c(a = 5, b = 5), 10L, c("a 0.3", "b 0.7"))$drawn, c(3, 7))
  tiny = paste0("a 0.", strrep("0", 400), "1")
  expect_identical(plan_of(c(a = 1, b = 1), .Machine$integer.max - 1L, c(tiny, "b 1"))$drawn, c(1, 2147483646))
})

test_that("kept files come besides a share and within a number", {
  files = c(gold = 100, web = 1000, other = 500)
  expect_identical(plan_of(files, 0.1, c("gold *", "web 1"))[c("drawn", "kept")],
    list(drawn = c(0, 150, 0), kept = c(100, 0, 0)))
  expect_identical(plan_of(files, 150L, c("gold *", "web 1"))$drawn, c(0, 50, 0))
  expect_error(plan_of(files, 99L, c("gold *", "web 1")), "must be at least 100, the lines that rules keep. Got 99")
})

test_that("a weight is of one file, whatever lines it has", {
  by_weights = function(sample, weights, lines = c(30, 60, 5, 900)) {
    make_corpus_plan(paste0("f", seq_along(lines)), lines, sample, weights = weights)
  }
  plan = by_weights(100L, c(3, 1, 0, 1))
  expect_identical(plan[c("drawn", "rule")], list(drawn = c(60, 20, 0, 20), rule = rep(NaN, 4)))
  kept = by_weights(100L, list("*", 1L, "*", 0))
  expect_identical(kept[c("drawn", "kept")], list(drawn = c(0, 65, 0, 0), kept = c(30, 0, 5, 0)))
  expect_identical(by_weights(10L, c(0.3, 0.6, 0.9), c(5, 5, 5))$drawn, c(2, 4, 5)) # 2, 4, 6 in floating point
  expect_error(by_weights(34L, list("*", 1, "*", 0)), "must be at least 35, the lines that weights keep. Got 34")
  expect_error(by_weights(10L, c(0, 0, 0, 0)), "be above 0 for a file that has lines. Got 4 files without any")
  expect_error(by_weights(10L, c(3, 1, "*", 0)), fixed = TRUE,
    "Got a list with '3' instead. Numbers beside '*' are written as list(3, 1, '*').")
  expect_error(by_weights(10L, factor(1:4)), "for each file. Got a value of class 'factor' instead.")
})

test_that("a temperature flattens the shares", {
  by_temperature = function(sample, temperature) {
    make_corpus_plan(c("a", "b", "c"), c(1e6, 1e4, 100), sample, temperature = temperature)$drawn
  }
  expect_identical(by_temperature(10101L, 1), c(10000, 100, 1))
  expect_identical(by_temperature(1110L, 2), c(1000, 100, 10))
  expect_identical(by_temperature(300L, 1e6), c(101, 100, 100))
  expect_error(by_temperature(10L, 0.5), "must be a finite number of at least 1. Got 0.5 instead.")
  expect_error(make_corpus_plan("a", 3, 2L, weights = 1, temperature = 2),
    "The 'temperature' parameter must be left out if 'weights' is given. Got 2 instead.")
})

test_that("an epoch ends with the first file that is exhausted, or with the last one", {
  until = function(epoch_end, lines = c(30, 60, 5, 0), ...) {
    make_corpus_plan(paste0("f", seq_along(lines)), lines, ..., epoch_end = epoch_end)
  }
  expect_identical(until("first_exhausted", weights = c(2, 6, 1, 1))$drawn, c(10, 30, 5, 0))
  expect_identical(until("all_exhausted", weights = c(2, 6, 1, 1))$drawn, c(30, 90, 15, 0))
  expect_identical(until("first_exhausted", weights = c(3, 12, 0.5, 0))$drawn, c(15, 60, 2, 0))
  expect_identical(until("all_exhausted", weights = list("*", 12, 0.5, 0))[c("drawn", "kept")],
    list(drawn = c(0, 120, 5, 0), kept = c(30, 0, 0, 0)))
  expect_identical(until("first_exhausted")$drawn, c(30, 60, 5, 0))
  expect_identical(until("first_exhausted", rules = read_rules(list("f[12] 7")))$drawn, c(30, 60, 0, 0))
  expect_identical(until("all_exhausted", c(1e4, 100), temperature = 2)$drawn, c(1e4, 1000))
  expect_identical(until("all_exhausted", c(30, 0), weights = list("*", 0))$drawn, c(0, 0))
  expect_error(until("both"), "must be one of 'sample', 'first_exhausted', 'all_exhausted'. Got 'both' instead.")
  expect_error(until("all_exhausted", sample = 3L), "be left out if 'epoch_end' is 'all_exhausted'. Got 3 instead.")
  expect_error(until("all_exhausted", 0), "'epoch_end' .* must be taken from files that have lines. Got 1 file without")
})

test_that("nothing to draw from is refused", {
  expect_error(plan_of(c(a = 10, b = 0), 5L, c("b 1")),
    "'rules' .* must match a file that has lines. Got 2 files without")
  expect_error(plan_of(c(a = 0), 5L), "'sample' .* must be taken from files that have lines. Got 1 file without any to")
  expect_error(plan_of(c(a = 0), 0.5), "must give an epoch at least one line. Got 0.5, for none instead.")
})

test_that("what is no mixture is refused", {
  of = "The 'mixture' parameter must be made by batch_sampler_corpus_mixture()."
  expect_error(corpus_plan(3), paste(of, "Got 3 instead."), fixed = TRUE)
  expect_error(corpus_plan(NULL), "Got nothing instead.", fixed = TRUE)
  expect_error(corpus_plan(batch_sampler_epoch_subset(10, 5, 2)), of, fixed = TRUE)
})
