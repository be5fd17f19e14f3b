# Draws in proportion to perplexity: reports and arguments that are refused, recipes, output.

sampler_of_perplexity = function(n = 50, sample = 400, ..., maximum = NULL, seed = 1) {
  batch_sampler_perplexity(n, sample, 16, maximum = maximum, seed = seed, ...)(NULL)
}

test_that("a refused report changes nothing", {
  sampler = sampler_of_perplexity()
  before = sampler$perplexities()
  of = "parameter must"
  refused = function(rows, nll, message) expect_error(sampler$report(rows, nll), message, fixed = TRUE)
  refused(c(1, 51), c(1, 1), paste("The 'rows'", of, "hold row positions from 1 to 50, counted from 1. Got 51"))
  refused(0, 1, "Got 0 instead.")
  refused("a", 1, "hold row positions")
  refused(1:2, 1, paste("The 'nll'", of, "have one value for each of the rows, 2. Got 1 value instead."))
  refused(5:6, c(1, NaN), "must be finite and at least 0. Got NaN for row position 6, counted from 1, instead.")
  refused(5, Inf, "Got Inf for row position 5")
  refused(5, -0.5, "Got -0.5 for row position 5")
  refused(5, "1", "hold numbers")
  expect_identical(sampler$perplexities(), before)
})

test_that("a maximum that turns the method around is warned of once, and clipping is not", {
  drawn = function(...) {
    sampler = batch_sampler_perplexity(1000, 20000, 100, seed = 1, ...)(NULL)
    sampler$report(1:1000, rep(c(0.1, 2), c(900, 100)))
    sampler
  }
  sampler = drawn(maximum = 5)
  expect_identical(sampler$share_above_maximum(), 0.1)
  expect_warning(next_epoch_of(sampler), "^10.0 % of the reported examples are above the maximum, a perplexity of 5")
  expect_no_warning(next_epoch_of(sampler))
  sampler = drawn(maximum = 5, clip = TRUE)
  expect_no_warning(rows <- unlist(next_epoch_of(sampler)))
  # The hard tenth has the weight 5, the others e^0.1.
  expect_equal(mean(rows > 900), 500 / (500 + 900 * exp(0.1)), tolerance = 0.05)
})

test_that("wrong arguments are refused", {
  refused = function(message, ...) {
    arguments = utils::modifyList(list(n_rows = 10, sample = 5, batch_size = 2), list(...))
    expect_error(do.call(batch_sampler_perplexity, arguments), message, fixed = TRUE)
  }
  of = "parameter must be"
  refused(paste("The 'n_rows'", of, "an integer from 1 to 2147483647. Got 0 instead."), n_rows = 0)
  refused(paste("The 'initial'", of, "a number above 1 and at most 1000000. Got 1 instead."), initial = 1)
  refused("at most 1000000. Got NaN", initial = NaN)
  refused("at most 1000000. Got '15'", initial = "15")
  refused(paste("The 'maximum'", of, "a finite number other than 0, 'published', or nothing. Got 0 instead."),
    maximum = 0)
  refused("or nothing. Got Inf", maximum = Inf)
  refused(paste("The 'clip'", of, "false if there is no maximum. Got TRUE instead."), clip = TRUE)
  refused("or nothing. Got TRUE", maximum = TRUE)
})

test_that("a sampler shows what it draws", {
  generator = batch_sampler_perplexity(10, 5, 2, maximum = "published", clip = TRUE, seed = 1)
  expect_identical(capture.output(generator), c("<batch_sampler_perplexity> generator",
    "* Examples: 5 of 10 in an epoch", "* Batches: 3, of at most 2 rows", "* initial: 15", "* maximum: -1.5, clipped",
    "* seed: 1"))
  sampler = generator(NULL)
  sampler$report(1, 0)
  expect_identical(capture.output(sampler)[4:5], c("* Reported: 1 example, drawn uniformly so far",
    "* Order: drawn by seed 1, next epoch 0"))
})
