# Uniform batches: those of R's own sample.int(), and interrupts.

# All rows of an epoch, by R itself.
sampled_by_r = function(n, batch_size, n_batches, replacement, seed) {
  batch = function(number) {
    if (replacement) {
      sample.int(n, batch_size, replace = TRUE)
    } else {
      sample.int(n, batch_size, useHash = FALSE)
    }
  }
  with_seed(seed, unlist(lapply(seq_len(n_batches), batch)))
}

test_that("batches are those of R's own sample.int()", {
  settings = list(c(1, 1), c(2, 1), c(10, 3), c(10, 10), c(700, 256), c(65535, 9), c(65536, 9), c(65537, 9),
    c(70000, 300), c(70000, 70000), c(300000, 290000), c(2e7, 5))
  for (setting in settings) {
    for (replacement in c(FALSE, TRUE)) {
      generator = batch_sampler_uniform(setting[1L], setting[2L], replacement = replacement, n_batches = 3, seed = 9)
      sampler = generator(NULL)
      for (epoch in c(0, 2)) {
        batches = sampler$batches(epoch)
        expected = sampled_by_r(setting[1L], setting[2L], 3, replacement, seed_of_epoch(9, epoch))
        expect_identical(batches$rows, expected)
        expect_identical(batches$offsets, as.integer(setting[2L] * 0:3))
      }
    }
  }
})

test_that("a dataloader delivers the batches, and a dataset of another size is refused", {
  generator = batch_sampler_uniform(20, 4, n_batches = 3, seed = 2)
  dataset = dataset_of(20)
  expect_identical(deliver(dataset, batch_sampler = generator(dataset)), epoch_of(generator(NULL), 0))
  expect_error(generator(dataset_of(21)),
    "must have as many rows as the sampler was made for, 20. Got 21 rows instead.", fixed = TRUE)
})

test_that("a draw can be interrupted, and the next one gives the same as ever", {
  sampler = batch_sampler_uniform(2e6, 1e6, n_batches = 40, seed = 1)(NULL)
  first = sampler$batches(0)$rows[1:10]
  # A limit of time is seen where an interrupt is.
  expect_error(
    {
      on.exit(setTimeLimit(elapsed = Inf))
      setTimeLimit(elapsed = 0.1, transient = TRUE)
      sampler$batches(1)
    },
    "reached elapsed time limit"
  )
  setTimeLimit(elapsed = Inf)
  expect_identical(sampler$batches(0)$rows[1:10], first)
})

test_that("an epoch of more rows than R can number is refused when it is drawn", {
  sampler = batch_sampler_uniform(10, 5, n_batches = 2147483647, seed = 1)(NULL)
  expect_error(sampler$batches(0), paste("The 'n_batches' parameter must be at most",
    "429496729, so that R can number the rows of an epoch. Got 2147483647 instead."), fixed = TRUE)
})

test_that("generators and instances show themselves", {
  generator = batch_sampler_uniform(10, 3, seed = 1)
  expect_output(print(generator), paste0("<batch_sampler_uniform> generator\n* Rows: 10, all equally likely\n",
    "* Batches: 3, of 3 rows, without replacement\n* seed: 1"), fixed = TRUE)
  expect_output(print(generator(NULL)), paste0("<batch_sampler_uniform>\n* Rows: 10, all equally likely\n",
    "* Batches: 3, of 3 rows, without replacement\n* Order: drawn by seed 1, next epoch 0"), fixed = TRUE)
})
