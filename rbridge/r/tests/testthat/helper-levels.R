# The two levels of the tests: `make test` shows each guarantee once, `make thorough` (THOROUGH=1) tries all there is.
# A test for thorough alone is written `if (is_thorough()) test_that(...)`.

is_thorough = function() identical(Sys.getenv("THOROUGH"), "1")

# `count` of the cases, evenly spread; in `make thorough`, all of them.
some_of = function(cases, count) {
  if (is_thorough() || length(cases) <= count) {
    return(cases)
  }
  cases[round(seq(1, length(cases), length.out = count))]
}
