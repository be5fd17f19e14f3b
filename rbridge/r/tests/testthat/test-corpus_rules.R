# Rules of distribution and their patterns; tests/bridge compares random patterns with Python's.

test_that("rules are read line by line", {
  file = write_bytes(tempfile(), "# mixture 3\r\nIT,MSDN\t 20\r\n\n  colloquial 10 \ncaf\u00e9 .5\n* *\n")
  rules = read_rules(file)
  expect_identical(lapply(rules, `[[`, "weight"), list("20", "10", ".5", NULL))
  expect_identical(lengths(lapply(rules, `[[`, "patterns")), c(2L, 1L, 1L, 0L))
  expect_true(covers_name(rules[[3]], "caf\u00e9"))
  expect_false(covers_name(rules[[3]], "cafe"))
})

test_that("rules that keep are looked at first, and then the first one that covers", {
  rules = read_rules(c("* 1", "news 2", "news.* *", "old *"))
  expect_identical(find_rules(rules, c("news", "old", "web")), c(3L, 4L, 1L))
  expect_identical(find_rules(rules[2], c("news", "web")), c(1L, 0L))
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

test_that("patterns match as in Lua", {
  cases = list(
    c("IT", "my-IT1", "it"),
    c("^IT%d+$", "IT12", "IT12b"),
    c("news-", "new", "ne"), # the sign is a repetition, as in Lua
    c("news%-", "news-2017", "news2017"),
    c(".", "\n", ""),
    c("a$", "ba", "a\n"),
    c("(%w+)%-%1", "en-en", "en-fr"),
    c("%f[%w]it%f[%W]", "x it", "bit"),
    c("[]]", "]", "["),
    c("[^%s]", "a", " \t"),
    c("()a", "a", "b"),
    c("\u00e9", "caf\u00e9", "caf")
  )
  for (case in cases) {
    matches = vapply(case[2:3], function(text) is_lua_match(read_lua_pattern(case[1]), text), NA, USE.NAMES = FALSE)
    expect_identical(matches, c(TRUE, FALSE), info = case[1])
  }
})

test_that("malformed patterns are refused with the reason", {
  cases = c(
    "%" = "it ends with %", "[a" = "a set is not closed (']' is missing)", "(a" = "a capture is not closed",
    "a)" = "a capture is closed that was not opened", "%1" = "%1 refers to no finished capture",
    "(%1)" = "%1 refers to no finished capture", "%fa" = "%f is not followed by a set"
  )
  for (pattern in names(cases)) {
    expect_error(read_lua_pattern(pattern), cases[[pattern]], fixed = TRUE, class = "malformed_pattern")
  }
  expect_error(read_lua_pattern(strrep("()", 33)), "it has more than 32 captures", class = "malformed_pattern")
})

test_that("patterns with exponentially many ways take few steps", {
  slow = c(strrep(".-a", 6), paste0(strrep(".*a", 12), "$"), paste0(strrep("(.-)", 30), "b"), "%w*%w*%w*%w*%w*-")
  for (pattern in slow) {
    items = read_lua_pattern(pattern)
    expect_false(is_lua_match(items, strrep("c", 4000)))
    expect_false(is_lua_match(items, paste0(strrep("ca", 5), strrep("c", 4000))))
  }
})

test_that("back references that take too long are refused with the rule", {
  name = paste(rep(letters, 3), collapse = "")
  expect_false(is_lua_match(read_lua_pattern("(%a)%1"), name))
  rules = read_rules(c("IT 1", "(.-)(.-)(.-)%1-%2-%3 1"))
  expect_error(find_rules(rules, c("IT", name)), sprintf(paste(
    "The 'rules' parameter must have patterns that take at most 200000 steps for a",
    "name.",
    "Got '(.-)(.-)(.-)%%1-%%2-%%3' for '%s' instead. Use fewer captures that are referred to."), name), fixed = TRUE)
})
