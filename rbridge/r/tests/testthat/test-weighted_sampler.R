# Weighted batches: iterators, updates in place, tensors, and predictions. The golden vectors are in
# test-weighted_golden.R, and what instances of all kinds do is in test-base_specimens.R.

n_rows = 40
start_weights = (seq_len(n_rows) * 7) %% 5

weighted_of = function(replacement = TRUE, ..., n_batches = 12, seed = 1) {
  batch_sampler_weighted(start_weights, 4, replacement, n_batches = n_batches, seed = seed, ...)(NULL)
}

# Feedback that depends on the rows that were trained on, and on when.
tell = function(sampler, rows, step) {
  sampler$update(rows, (rows * 7 + step * 3) %% 11 + 0.25)
}

train = function(sampler, n_epochs = 2) {
  trained = list()
  for (epoch in seq_len(n_epochs)) {
    next_batch = sampler$.iter()
    while (!coro::is_exhausted(rows <- next_batch())) {
      trained[[length(trained) + 1L]] = rows
      tell(sampler, rows, length(trained))
    }
  }
  trained
}

test_that("two iterators do not take each other's batches", {
  sampler = weighted_of()
  expected = list(epoch_of(sampler, 0), epoch_of(sampler, 1))
  first = sampler$.iter()
  second = sampler$.iter()
  found = replicate(12, list(first(), second()), simplify = FALSE)
  expect_identical(lapply(found, `[[`, 1L), expected[[1L]])
  expect_identical(lapply(found, `[[`, 2L), expected[[2L]])
})

test_that("an update changes the weights in place, and copies what a clone shares once", {
  sampler = weighted_of()
  expect_identical(copies_of_state(sampler, train(sampler)), 0L)
  copy = sampler$clone()
  expect_identical(copies_of_state(sampler, train(sampler)), 1L)
  expect_identical(copies_of_state(sampler, train(sampler)), 0L)
})

test_that("a dataloader delivers the batches, and a dataset of another size is refused", {
  generator = batch_sampler_weighted(start_weights, 4, n_batches = 12, seed = 1)
  dataset = dataset_of(n_rows)
  expect_identical(deliver(dataset, batch_sampler = generator(dataset)), epoch_of(generator(NULL), 0))
  expect_error(generator(dataset_of(41)), "must have as many rows as the sampler was made for, 40. Got 41 rows",
    fixed = TRUE)
})

test_that("a refused update changes nothing", {
  sampler = weighted_of()
  of = "parameter must"
  refused = function(text, ...) expect_error(sampler$update(...), text, fixed = TRUE)
  refused(paste("The 'rows'", of, "hold row positions from 1 to 40, counted from 1. Got 0 instead."), c(1, 0), c(1, 1))
  refused("Got 41 instead.", 41, 1)
  refused(paste("The 'weights'", of, "hold finite numbers, none below 0. Got -1 instead."), 1, -1)
  refused(paste("The 'weights'", of, "have one value for each row, 2. Got 1 value instead."), 1:2, 1)
  refused(paste("The 'weights'", of, "have a finite total. Got a total that overflows instead."), 1:2, c(1e308, 1e308))
  for (wrong in list(c(TRUE, TRUE), NA, factor(c("b", "a")), c("1", "2"), list(1, 2), as.Date("2020-01-01"))) {
    got = sprintf("Got a value of class '%s' instead.", class(wrong)[1L])
    expect_no_warning(refused(paste("The 'rows'", of, "hold row positions.", got), wrong, c(9, 8)))
    expect_no_warning(refused(paste("The 'weights'", of, "hold numbers.", got), 1:2, wrong))
  }
  expect_identical(sampler$weights(), start_weights)
  expect_silent(sampler$update(integer(), numeric()))
})

test_that("generators and instances show themselves", {
  generator = batch_sampler_weighted(c(1, 2.5), 2, seed = 1)
  expect_output(print(generator), paste0("<batch_sampler_weighted> generator\n* Rows: 2, drawn by weight\n",
    "* Batches: 1, of 2 rows, with replacement\n* seed: 1"), fixed = TRUE)
  expect_output(print(generator(NULL)), paste0("<batch_sampler_weighted>\n* Rows: 2, drawn by weight\n",
    "* Batches: 1, of 2 rows, with replacement\n* Total weight: 3.5\n* Order: drawn by seed 1, next epoch 0"),
    fixed = TRUE)
})

test_that("tensors are taken as vectors are", {
  skip_without_libtorch()
  sampler = batch_sampler_weighted(torch::torch_tensor(c(1, 1, 1)), 2, seed = 1)(NULL)
  sampler$update(torch::torch_tensor(c(1L, 3L), dtype = torch::torch_long()), torch::torch_tensor(c(2, 4)))
  expect_identical(sampler$weights(torch::torch_tensor(1:3)), c(2, 1, 4))
})

test_that("mlr3torch trains on the batches, and predicts in the order of the rows, where nothing can be told", {
  weights = rep(c(1, 3), times = c(30, 10))
  generators = list(
    batch_sampler_uniform(40, 8, seed = 1), batch_sampler_weighted(weights, 8, seed = 1),
    batch_sampler_prioritized(40, 8, seed = 1)
  )
  for (generator in generators) {
    trained = trained_with(generator, task_of())[[1L]]
    expect_identical(trained$batches(0), generator(NULL)$batches(0))
    for (predicted in predicted_with(generator, task_of())) {
      expect_identical(as.list(predicted$batches(0)), list(1:15, 16:30, 31:40))
      expect_identical(drain(predicted$.iter()), list(1:15, 16:30, 31:40))
      if (!is.null(predicted$update)) {
        expect_error(predicted$update(1, 1), fixed = TRUE,
          "draws nothing, since mlr3torch predicts with it. Tell the one of the train")
      }
    }
  }
})
