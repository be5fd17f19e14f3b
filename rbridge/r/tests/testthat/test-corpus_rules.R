# Rules of distribution; their patterns are tested in tests/corpus and tests/core.

test_that("rules are read line by line", {
  file = write_bytes(tempfile(), "# mixture 3\r\nIT,MSDN\t 20\r\n\n  colloquial 10 \ncaf\u00e9 .5\n* 2\n")
  names = c("MSDN", "colloquials", "caf\u00e9", "cafe")
  plan = make_corpus_plan(names, c(1, 1, 1, 1), 4L, read_rules(file))
  expect_identical(plan$rule, c(1, 2, 3, 4))
  expect_identical(plan$share, c(40, 20, 1, 4) / 65)
})

test_that("rules that keep are looked at first, and then the first one that covers", {
  rule_of = function(names, ...) make_corpus_plan(names, rep(1, length(names)), 3L, read_rules(list(...)))$rule
  expect_identical(rule_of(c("news", "old", "web"), "* 1", "news 2", "news.* *", "old *"), c(3, 4, 1))
  expect_identical(rule_of(c("news", "web"), "news 2"), c(1, NaN))
})

test_that("a bad line is an error with its number", {
  refused = function(line, message) {
    expect_error(read_rules(c("# first", line, "* 5")), message, fixed = TRUE)
  }
  of = "The 'rules' parameter must have"
  refused("generic", paste(of, "a pattern and a weight on each line. Got 'generic' on line 2 instead."))
  refused("generic 65 -tok", "on each line, and no third word. Got '-tok' on line 2 instead.")
  refused("generic 0", "must have weights that are positive decimal numbers, or '*'. Got '0' on line 2 instead.")
  for (weight in c("0.00", "-1", "1e3", "inf", "1/3", ".")) {
    refused(paste("generic", weight), sprintf("Got '%s' on line 2", weight))
  }
  for (pattern in c("IT,,MSDN", ",IT", "IT,", ",")) {
    refused(paste(pattern, "20"),
      sprintf("must have no empty alternative between commas. Got '%s' on line 2 instead.", pattern))
  }
  refused("IT,[a 20", "must have valid Lua patterns. Got '[a' on line 2 instead. In this one, a set is not closed")
  refused("%bxy 20", "Got '%bxy' on line 2 instead. In this one, %b, a balanced pair, is not supported.")
})

test_that("what is neither a file nor rules is refused", {
  refused = function(rules, got) {
    required = "parameter must be a file of rules, or a list of rules. Got"
    expect_error(read_rules(rules), paste("The 'rules'", required, got), fixed = TRUE)
  }
  refused("IT 20", "'IT 20', no file, instead. Put a rule that is written out into a list.")
  refused(3, "3 instead.")
  refused(list(3), "a list with 3 instead.")
  refused(list(c("IT 20", "* 1")), "a list with 2 values instead.")
})

test_that("back references that take too long are refused with the rule", {
  name = paste(rep(letters, 3), collapse = "")
  rules = read_rules(c("IT 1", "(.-)(.-)(.-)%1-%2-%3 1"))
  expect_error(make_corpus_plan(c("IT", name), c(1, 1), 2L, rules), sprintf(paste(
    "The 'rules' parameter must have patterns that take at most 200000 steps for a",
    "name.",
    "Got '(.-)(.-)(.-)%%1-%%2-%%3' for '%s' instead. Use fewer captures that are referred to."), name), fixed = TRUE)
})
