# How many lines of each file an epoch draws; tests/bridge holds random plans against Python's.

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

test_that("nothing to draw from is refused", {
  expect_error(plan_of(c(a = 10, b = 0), 5L, c("b 1")),
    "'rules' .* must match a file that has lines. Got 2 files without")
  expect_error(plan_of(c(a = 0), 5L), "'sample' .* must be taken from files that have lines. Got 1 file without any to")
  expect_error(plan_of(c(a = 0), 0.5), "must give an epoch at least one line. Got 0.5, for none instead.")
})

test_that("the shortest decimal number of a double is found", {
  shortest = function(number) .Call(C_shortest_decimal, number)
  expect_identical(vapply(c(0.1, 0.3, 1 / 3, 1e-05, 2^-30), shortest, ""),
    c("0.1", "0.3", "0.3333333333333333", "1e-05", "9.313225746154785e-10"))
})

test_that("what is no mixture is refused", {
  of = "The 'mixture' parameter of corpus_plan must be made by batch_sampler_corpus_mixture()."
  expect_error(corpus_plan(3), paste(of, "Got 3 instead."), fixed = TRUE)
  expect_error(corpus_plan(NULL), "Got nothing instead.", fixed = TRUE)
  expect_error(corpus_plan(batch_sampler_epoch_subset(10, 5, 2)), of, fixed = TRUE)
})
