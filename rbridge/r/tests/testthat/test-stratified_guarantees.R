# The section "Guarantees" of ?batch_sampler_stratified, one test each, on samplers of several kinds.

skip_on_cran()

labels = rep(c("a", "b", NA, "c"), times = c(30, 7, 2, 61))[order((seq_len(100) * 37) %% 101)]
columns = list(x = rep(1:4, times = 25), y = rep(c(TRUE, FALSE), times = c(44, 56)))

samplers = list(
  sampler_of(published_labels(), min_samples_per_stratum = 3, seed = 1),
  sampler_of(published_labels(), min_samples_per_stratum = 7, seed = 1, assign = "even", num_replicas = 4),
  sampler_of(labels, min_samples_per_stratum = 2, seed = 2, missing = "drop"),
  sampler_of(labels, min_samples_per_stratum = 1, seed = 3, missing = "stratum"),
  sampler_of(columns, min_samples_per_stratum = 2, seed = 4),
  sampler_of(columns, mean_batch_size = 20, seed = 5, shuffle = FALSE)
)

test_that("Every row is in exactly one batch of an epoch, except dropped rows, which are in none", {
  sampled = list(1:20000, 1:20000, which(!is.na(labels)), 1:100, 1:100, 1:100)
  for (i in seq_along(samplers)) {
    for (epoch in c(0, 1, 6700000)) {
      expect_identical(sort(samplers[[i]]$batches(epoch)$rows), sampled[[i]])
    }
  }
})

test_that("Every batch holds at least min_samples_per_stratum rows of every stratum", {
  expect_gte(min(count_labels(epoch_of(samplers[[1]], 0), published_labels())), 3)
  expect_gte(min(count_labels(epoch_of(samplers[[2]], 0), published_labels())), 7)
  expect_gte(min(count_labels(epoch_of(samplers[[3]], 0), labels)[, -match(NA, unique(labels))]), 2)
  expect_gte(min(count_labels(epoch_of(samplers[[4]], 0), labels)), 1)
  expect_gte(min(count_labels(epoch_of(samplers[[5]], 0), paste(columns$x, columns$y))), 2)
})

test_that("Every batch holds n_s / B rows of stratum s, rounded down or up, with either value of assign", {
  for (assign in c("proportional", "even")) {
    sampler = sampler_of(published_labels(), min_samples_per_stratum = 7, seed = 1, assign = assign)
    counts = count_labels(epoch_of(sampler, 0), published_labels())
    expect_identical(nrow(counts), 85L)
    expect_setequal(counts[, 1], c(7L, 8L))
    expect_setequal(counts[, 2], c(228L, 229L))
  }
})

test_that("With assign = 'even' batch sizes differ by at most 1", {
  many = rep(1:50, each = 7)
  sizes = function(assign) diff(sampler_of(many, 2, seed = 1, assign = assign)$batches(0)$offsets)
  expect_lte(diff(range(sizes("even"))), 1)
  # Proportional assignment lets the larger shares of all strata meet in one batch.
  expect_gt(diff(range(sizes("proportional"))), 1)
})

test_that("No batch is empty", {
  for (sampler in samplers) {
    expect_gt(min(diff(sampler$batches(0)$offsets)), 0)
  }
  rare = sampler_of(rep(1:2, c(1, 9)), mean_batch_size = 1, rare = "allow", seed = 1)
  expect_identical(diff(rare$batches(0)$offsets), rep(1L, 10))
})

test_that("The plan is the same in all epochs, and is what is delivered", {
  for (epoch in 0:2) {
    delivered = count_labels(epoch_of(samplers[[1]], epoch), published_labels())
    expect_identical(unname(as.matrix(samplers[[1]]$plan())), delivered)
  }
  delivered = count_labels(epoch_of(samplers[[3]], 5), labels)[, !is.na(unique(labels))]
  expect_identical(unname(as.matrix(samplers[[3]]$plan())), delivered)
})

test_that("The same strata, settings, seed and epoch give the same batches", {
  make = function(...) sampler_of(published_labels(), 3, ...)
  expect_identical(make(seed = 1)$batches(4), make(seed = 1L)$batches(4L))
  expect_false(identical(make(seed = 1)$batches(4), make(seed = 2)$batches(4)))
  expect_false(identical(make(seed = 1)$batches(4), make(seed = 1)$batches(5)))
})

test_that("Making an iterator changes nothing; it takes its epoch when its first batch is asked for", {
  sampler = sampler_of(columns, min_samples_per_stratum = 2, seed = 4)
  first = sampler$.iter()
  second = sampler$.iter()
  expect_identical(sampler$epoch, 0)
  expect_identical(second(), epoch_of(sampler, 0)[[1]])
  expect_identical(sampler$epoch, 1)
  expect_identical(first(), epoch_of(sampler, 1)[[1]])
  expect_identical(sampler$epoch, 2)
  expect_identical(second(), epoch_of(sampler, 0)[[2]])
})

test_that("An epoch that is broken off is not repeated", {
  sampler = sampler_of(columns, min_samples_per_stratum = 2, seed = 4)
  sampler$.iter()()
  expect_identical(next_epoch_of(sampler), epoch_of(sampler, 1))
})

test_that("Arguments are checked before any work", {
  worked = FALSE
  strata = function() {
    worked <<- TRUE
  }
  expect_error(batch_sampler_stratified(0, strata = strata()), "must be a positive integer")
  expect_error(batch_sampler_stratified(1, strata = strata(), num_replicas = -1), "must be a positive integer")
  expect_false(worked)
})
