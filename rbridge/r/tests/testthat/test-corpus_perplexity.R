# Draws in proportion to perplexity: when they begin, the effect of reports, and that copies have separate reports.

sampler_of_perplexity = function(n = 50, sample = 400, ..., maximum = NULL, seed = 1) {
  batch_sampler_perplexity(n, sample, 16, maximum = maximum, seed = seed, ...)(NULL)
}

test_that("draws are uniform until the mean is below the initial perplexity, and then weighted for good", {
  sampler = sampler_of_perplexity()
  uniform = batch_sampler_epoch_subset(50, 400, 16, seed = 1)(NULL)
  expect_identical(next_epoch_of(sampler), epoch_of(uniform, 0))
  sampler$report(1:50, rep(log(20), 50))
  expect_identical(next_epoch_of(sampler), epoch_of(uniform, 1))
  expect_false(sampler$started())
  sampler$report(1:49, rep(log(14), 49))
  sampler$report(8, 0)
  expect_false(identical(next_epoch_of(sampler), epoch_of(uniform, 2)))
  expect_true(sampler$started())
  sampler$report(1:50, rep(log(100), 50))
  next_epoch_of(sampler)
  expect_true(sampler$started())
})

test_that("frequencies follow perplexity", {
  sampler = sampler_of_perplexity(4, 1e5)
  sampler$report(1:3, log(c(1, 2, 4))) # row 4 keeps its 15
  expected = 1e5 * c(1, 2, 4, 15) / 22
  counts = tabulate(sampler$batches(0)$rows, 4)
  expect_lt(sum((counts - expected)^2 / expected), 3 + 5 * sqrt(6))
})

test_that("perplexities are the exponentials of losses, at most 1e6, and the last report of a row counts", {
  sampler = sampler_of_perplexity(5)
  sampler$report(c(4, 4, 4, 1), c(1, 2, 0.5, 1e300))
  expect_equal(sampler$perplexities(), c(1e6, 15, 15, exp(0.5), 15))
})

test_that("reports count from the next epoch", {
  disturbed = sampler_of_perplexity(60, 90)
  undisturbed = sampler_of_perplexity(60, 90)
  next_batch = disturbed$.iter()
  first = list()
  while (!coro::is_exhausted(rows <- next_batch())) {
    first[[length(first) + 1L]] = rows
    disturbed$report(rows, rows / 60)
  }
  expect_identical(first, next_epoch_of(undisturbed))
  undisturbed$report(unlist(first), unlist(first) / 60)
  expect_identical(next_epoch_of(disturbed), next_epoch_of(undisturbed))
  expect_true(disturbed$started())
})

test_that("the epoch that runs and the next one are served", {
  sampler = sampler_of_perplexity()
  running = next_epoch_of(sampler)
  sampler$report(1:50, (1:50) / 50)
  expect_identical(epoch_of(sampler, 0), running)
  following = epoch_of(sampler, 1)
  expect_false(sampler$started())
  expect_identical(next_epoch_of(sampler), following)
  expect_error(sampler$batches(0), "must be 1, the running epoch, or 2, the next. Got 0 instead. Others depend",
    fixed = TRUE)
  sampler$set_epoch(1)
  expect_identical(next_epoch_of(sampler), following)
})

test_that("a copy and a saved instance have reports of their own", {
  sampler = sampler_of_perplexity()
  next_epoch_of(sampler)
  sampler$report(1:50, (1:50) / 50)
  before = sampler$perplexities()
  copy = sampler$clone()
  saved = unserialize(serialize(sampler, NULL))
  kept = sampler$.__enclos_env__$private$.state$reported
  sampler$report(1, 3)
  expect_identical(copy$perplexities(), before)
  expect_identical(saved$perplexities(), before)
  expect_identical(ifelse(is.nan(kept), 15, kept), before)
  copy$report(1, 3)
  saved$report(1, 3)
  expected = next_epoch_of(sampler)
  expect_identical(next_epoch_of(copy), expected)
  expect_identical(next_epoch_of(saved), expected)
})

test_that("two instances of a generator have reports of their own", {
  generator = batch_sampler_perplexity(4, 10, 5, seed = 1)
  told = generator(NULL)
  told$report(1:4, rep(0, 4))
  expect_identical(generator(NULL)$perplexities(), rep(15, 4))
})

test_that("a dataloader delivers the batches", {
  expect_identical(deliver(dataset_of(50), batch_sampler = sampler_of_perplexity()),
    epoch_of(sampler_of_perplexity(), 0))
})

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

test_that("recipes whose parts or states are wrong are refused", {
  recipe = attr(batch_sampler_perplexity(4, 5, 2, seed = 1), "settings")$recipe
  with_state = function(...) utils::modifyList(recipe, list(state = list(...)))
  refused = function(recipe, message) expect_error(new_generator(recipe)(NULL)$batches(0), message, fixed = TRUE)
  refused(with_state(reported = c(1, 2)), "have 4 numbers as 'reported'")
  refused(with_state(reported = c(1, 2, 3, 0.5)), "be perplexities from 1 to 1000000")
  refused(with_state(reported = c(1, 2, 3, Inf)), "be perplexities from 1 to 1000000")
  refused(with_state(started = 2L), "have 0 or 1 as 'started'")
  refused(with_state(epoch = -1), "have the number of an epoch as 'epoch'")
  refused(with_state(epoch = 0, batch = 4), "have a number of batches as 'batch'")
  refused(with_state(epoch = 0, batch = 1, drawn = 0:4), "have 5 rows from 0 as 'drawn'")
  refused(utils::modifyList(recipe, list(parts = list(clip = 1L))), "be false if there is no maximum")
  refused(utils::modifyList(recipe, list(parts = list(clip = 2L))), "'clip'")
  recipe$parts$maximum = 0
  refused(recipe, "be a finite number other than 0")
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
