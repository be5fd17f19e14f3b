# Draws in proportion to perplexity: reports that are refused, the warning of a maximum, output.

test_that("a refused report changes nothing, and rows count from 1", {
  sampler = batch_sampler_perplexity(50, 16, seed = 1)(NULL)
  before = sampler$perplexities()
  refused = function(rows, nll, message) expect_error(sampler$report(rows, nll), message, fixed = TRUE)
  refused(c(1, 51), c(1, 1), "The 'rows' parameter must hold row positions from 1 to 50, counted from 1. Got 51")
  refused("a", 1, "hold row positions")
  refused(1:2, 1, "The 'nll' parameter must have one value for each row, 2. Got 1 value instead.")
  refused(5:6, c(1, NaN), "The 'nll' parameter must hold finite numbers, none below 0. Got NaN instead.")
  refused(5, "1", "hold numbers")
  expect_identical(sampler$perplexities(), before)
})

test_that("a maximum that turns the method around is warned of once, and clipping is not", {
  reported = function(...) {
    sampler = batch_sampler_perplexity(1000, 100, n_batches = 200, maximum = 5, seed = 1, ...)(NULL)
    sampler$report(1:1000, rep(c(0.1, 2), c(900, 100)))
    sampler
  }
  sampler = reported()
  expect_identical(sampler$share_above_maximum(), 0.1)
  expect_warning(next_epoch_of(sampler), "^10.0 % of the reported examples are above the maximum, a perplexity of 5")
  expect_no_warning(next_epoch_of(sampler))
  expect_no_warning(next_epoch_of(reported(clip = TRUE)))
})

test_that("reports count for an epoch that has not begun, also by length, and the sampler shows its arguments", {
  by_length = function() {
    batch_sampler_by_length(batch_sampler_perplexity(48, 24, seed = 1), rep(1:6, 8), max_tokens = 12)(NULL)
  }
  asked = by_length()
  before = asked$batches(0)
  reported = by_length()
  for (sampler in list(asked, reported)) {
    sampler$sampler()$report(1:48, rep(c(0.1, 2), 24))
  }
  after = epoch_of(reported, 0)
  expect_identical(epoch_of(asked, 0), after)
  expect_false(identical(asked$batches(0), before))
  expect_identical(next_epoch_of(asked), after)
  expect_true(asked$sampler()$started())
  expect_output(print(batch_sampler_perplexity(10, 2, maximum = -1.5, clip = TRUE)), "* maximum: -1.5", fixed = TRUE)
})
