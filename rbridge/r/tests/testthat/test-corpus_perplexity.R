# Draws in proportion to perplexity: reports that are refused, the warning of a maximum, output.

test_that("a refused report changes nothing, and rows count from 1", {
  sampler = batch_sampler_perplexity(50, 400, 16, maximum = NULL, seed = 1)(NULL)
  before = sampler$perplexities()
  refused = function(rows, nll, message) expect_error(sampler$report(rows, nll), message, fixed = TRUE)
  refused(c(1, 51), c(1, 1), "The 'rows' parameter must hold row positions from 1 to 50, counted from 1. Got 51")
  refused("a", 1, "hold row positions")
  refused(1:2, 1, "The 'nll' parameter must have one value for each of the rows, 2. Got 1 value instead.")
  refused(5:6, c(1, NaN), "must be finite and at least 0. Got NaN for row position 6, counted from 1, instead.")
  refused(5, "1", "hold numbers")
  expect_identical(sampler$perplexities(), before)
})

test_that("a maximum that turns the method around is warned of once, and clipping is not", {
  reported = function(...) {
    sampler = batch_sampler_perplexity(1000, 20000, 100, maximum = 5, seed = 1, ...)(NULL)
    sampler$report(1:1000, rep(c(0.1, 2), c(900, 100)))
    sampler
  }
  sampler = reported()
  expect_identical(sampler$share_above_maximum(), 0.1)
  expect_warning(next_epoch_of(sampler), "^10.0 % of the reported examples are above the maximum, a perplexity of 5")
  expect_no_warning(next_epoch_of(sampler))
  expect_no_warning(next_epoch_of(reported(clip = TRUE)))
})

test_that("reports count for an epoch that has not begun, whatever was asked of it before", {
  by_length = function() batch_sampler_perplexity(48, 24, lengths = rep(1:6, 8), max_tokens = 12, seed = 1)(NULL)
  asked = by_length()
  before = asked$batches(0)
  reported = by_length()
  for (sampler in list(asked, reported)) {
    sampler$report(1:48, rep(c(0.1, 2), 24))
  }
  expect_identical(asked$batches(0), reported$batches(0))
  expect_false(identical(asked$batches(0), before))
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
