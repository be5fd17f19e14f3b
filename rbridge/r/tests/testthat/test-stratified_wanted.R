# Minimums, shares, balance, repeats, batches of one size. tests/golden/wanted.json has the batches of many settings;
# here are names of strata, and the output of an instance.

labels = rep(c("pos", "neg", "odd"), times = c(6, 40, 3))

wanted = function(..., strata = labels, seed = 1) {
  batch_sampler_stratified(..., strata = strata, seed = seed)(NULL)
}

test_that("quotas are named vectors or lists, and names are those of the strata", {
  expected = wanted(c(pos = 2, neg = 5))$batches(3)
  expect_identical(wanted(list(neg = 5L, pos = 2))$batches(3), expected)
  expect_identical(wanted(c(pos = 2, neg = 5, odd = 0))$batches(3), expected)
  expect_identical(wanted(c("1" = 1), strata = c(1, 1, 2))$.length(), 2L)
  expect_match(message_of(wanted(c(x = 1))), "name one of the strata, 'pos', 'neg', 'odd'. Got 'x'", fixed = TRUE)
  expect_match(message_of(wanted(list(1, 2))), "must be a positive integer. Got 2 values instead.", fixed = TRUE)
  expect_match(message_of(wanted(c(pos = 1, pos = 2))), "name each stratum once. Got 'pos' twice", fixed = TRUE)
})

test_that("a plan of repeats shows the rows that there are, and a generator its settings", {
  plan = batch_plan(labels, 3, mean_batch_size = 12, rare = "repeat")
  expect_identical(plan$counts, c(21L, 40L, 21L))
  expect_identical(plan$available, c(6L, 40L, 3L))
  expect_output(print(plan), "stratum rows of fewest most\n +pos +21 +6 +3 +3")
  generator = batch_sampler_stratified(mean_batch_size = 8, shares = c(pos = 1, neg = 2, odd = 0.5), strata = labels)
  expect_output(print(generator), "* shares: 'pos': 1, 'neg': 2, 'odd': 0.5", fixed = TRUE)
})

test_that("weights correct for rows that an epoch takes less or more often than once", {
  labels = rep(c("rare", "frequent"), times = c(10, 40))
  sampler = sampler_of(labels, mean_batch_size = 10, balance = "under", seed = 1)
  rows = sampler$batches(0)$rows
  expect_identical(sampler$class_weights(), c(rare = 1, frequent = 4))
  expect_identical(sampler$weights(c(1, 50, 11)), c(1, 4, 4))
  expect_identical(c(sum(sampler$weights(rows)), mean(sampler$weights(rows, normalize = TRUE))), c(50, 1))
  dropped = sampler_of(c("a", NA, "b"), min_samples_per_stratum = 1, missing = "drop", seed = 1)
  expect_identical(dropped$weights(), c(1, NA, 1))
  expect_error(sampler$weights(51), "The 'rows' parameter must hold row positions from 1 to 50. Got 51 instead.")
})
