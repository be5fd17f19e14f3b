# Draws in proportion to perplexity: the warning of a maximum, reports by length, output.

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
