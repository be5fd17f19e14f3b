# Part of the examples in every epoch: R's own draws, for any batches, and invalid arguments.

instance_of = function(...) batch_sampler_epoch_subset(...)(NULL)

# What R itself draws after the seed of an epoch.
drawn_by_r = function(seed, epoch, draw) {
  withr::with_seed(seed_of_epoch(seed, epoch), draw(),
    .rng_kind = "Mersenne-Twister", .rng_normal_kind = "Inversion", .rng_sample_kind = "Rejection")
}

test_that("uniform draws are those of sample.int()", {
  for (n in c(1, 2, 1000, 65536, 65537, 2147483647)) {
    sampler = instance_of(n, 1200, 100, seed = 5)
    for (epoch in c(0, 3)) {
      expect_identical(sampler$batches(epoch)$rows,
        drawn_by_r(5, epoch, function() sample.int(n, 1200, replace = TRUE)))
    }
  }
  more_than_a_step = instance_of(10, 600000, 1000, seed = 1)
  expect_identical(more_than_a_step$batches(0)$rows,
    drawn_by_r(1, 0, function() sample.int(10, 600000, replace = TRUE)))
})

test_that("draws without replacement are those of sample.int()", {
  for (n in c(1200, 65537, 600000)) {
    size = min(n, 500000)
    sampler = instance_of(n, size, 100, method = "uniform_without_replacement", seed = 5)
    for (epoch in c(0, 3)) {
      expect_identical(sampler$batches(epoch)$rows,
        drawn_by_r(5, epoch, function() sample.int(n, size, useHash = FALSE)))
    }
  }
})

test_that("wrong arguments are refused", {
  of = "parameter must"
  refused = function(message, ...) {
    arguments = utils::modifyList(list(n_rows = 10, sample = 5, batch_size = 2), list(...))
    expect_error(do.call(batch_sampler_epoch_subset, arguments), message, fixed = TRUE)
  }
  refused(paste("The 'n_rows'", of, "be an integer from 1 to 2147483647. Got 0 instead."), n_rows = 0)
  refused(paste("The 'sample'", of, "be an integer from 1 to 2147483647. Got 2.5 instead."), sample = 2.5)
  refused(paste("The 'batch_size'", of, "be a positive integer. Got 0 instead."), batch_size = 0)
  refused("must be one of 'uniform', 'uniform_without_replacement', 'partition'. Got 'random'", method = "random")
  refused("must be at most 10, the number of examples, without replacement. Got 11 instead. Set 'method' to 'uniform'.",
    sample = 11, method = "uniform_without_replacement")
  refused("must leave each batch a row: 5 are drawn for 6 batches. Got 6", num_replicas = 6)
  refused("must be an integer from 0 to 2147483646. Got -1", seed = -1)
  expect_error(batch_sampler_epoch_subset(10, 5, 2)(dataset_of(11)),
    "have as many rows as the sampler was made for, 10")
})

test_that("a sampler shows what it draws", {
  generator = batch_sampler_epoch_subset(10, 5, 2, seed = 1)
  expect_identical(capture.output(generator), c("<batch_sampler_epoch_subset> generator",
    "* Examples: 5 of 10 in an epoch", "* Batches: 3, of at most 2 rows", "* Method: 'uniform'", "* seed: 1"))
  expect_identical(capture.output(generator(NULL)), c("<batch_sampler_epoch_subset>", "* Examples: 5 of 10 in an epoch",
    "* Batches: 3, of at most 2 rows", "* Method: 'uniform'", "* Order: drawn by seed 1, next epoch 0"))
})
