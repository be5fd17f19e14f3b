# Weighted batches: a function of weights, seed, epoch, updates, and the batches drawn before each update.

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

test_that("without updates an epoch is what sum_tree() draws", {
  for (replacement in c(TRUE, FALSE)) {
    sampler = weighted_of(replacement)
    for (epoch in c(0, 1, 5)) {
      tree = sum_tree(start_weights, seed = epoch_seed(1, epoch))
      expected = lapply(1:12, function(batch) tree$sample(4, replacement = replacement))
      expect_identical(epoch_of(sampler, epoch), expected)
      sampler$set_epoch(epoch)
      expect_identical(next_epoch_of(sampler), expected)
    }
  }
})

test_that("the epoch is taken when its first batch is asked for, and an iterator ends once and for all", {
  sampler = weighted_of(n_batches = 2)
  iterator = sampler$.iter()
  expect_identical(sampler$epoch, 0)
  expect_identical(iterator(), epoch_of(sampler, 0)[[1L]])
  expect_identical(sampler$epoch, 1)
  iterator()
  expect_true(coro::is_exhausted(iterator()))
  expect_true(coro::is_exhausted(iterator()))
  expect_identical(sampler$epoch, 1)
})

test_that("two iterators do not take each other's batches", {
  sampler = weighted_of()
  expected = list(epoch_of(sampler, 0), epoch_of(sampler, 1))
  first = sampler$.iter()
  second = sampler$.iter()
  found = replicate(12, list(first(), second()), simplify = FALSE)
  expect_identical(lapply(found, `[[`, 1L), expected[[1L]])
  expect_identical(lapply(found, `[[`, 2L), expected[[2L]])
})

test_that("an update affects the batches that are not yet drawn, and later epochs", {
  for (replacement in c(TRUE, FALSE)) {
    sampler = weighted_of(replacement)
    next_batch = sampler$.iter()
    begun = replicate(3, next_batch(), simplify = FALSE)
    expect_identical(begun, epoch_of(weighted_of(replacement), 0)[1:3])
    kept = c(3L, 4L, 6L, 8L)
    expect_invisible(sampler$update(seq_len(n_rows), as.numeric(seq_len(n_rows) %in% kept)))
    expect_true(all(unlist(c(drain(next_batch), next_epoch_of(sampler))) %in% kept))
    expect_identical(sampler$weights(3:5), c(1, 1, 0))
  }
})

test_that("batches() tells what the epoch would be, and changes nothing", {
  sampler = weighted_of()
  next_batch = sampler$.iter()
  tell(sampler, next_batch(), 1)
  told = epoch_of(sampler, 1)
  expect_identical(epoch_of(sampler, 1), told)
  rest = drain(next_batch)
  expect_identical(next_epoch_of(sampler), told)
  twin = weighted_of()
  next_batch = twin$.iter()
  tell(twin, next_batch(), 1)
  expect_identical(drain(next_batch), rest)
})

test_that("the same training gives the same batches, another seed others", {
  expect_identical(train(weighted_of()), train(weighted_of()))
  expect_false(identical(train(weighted_of()), train(weighted_of(seed = 2))))
})

test_that("batches that replicas are trained on at the same time are drawn together", {
  sampler = weighted_of(num_replicas = 3)
  next_batch = sampler$.iter()
  expected = epoch_of(sampler, 0)
  rows = next_batch()
  sampler$update(seq_len(n_rows), as.numeric(seq_len(n_rows) == 7))
  expect_identical(list(rows, next_batch(), next_batch()), expected[1:3])
  expect_true(all(unlist(drain(next_batch)) == 7L))
})

test_that("a batch that cannot be drawn is an error, and the epoch goes on", {
  sampler = weighted_of(FALSE)
  next_batch = sampler$.iter()
  next_batch()
  sampler$update(seq_len(n_rows), numeric(n_rows))
  expect_error(next_batch(), paste("The 'weights' parameter must not all be 0 when rows are",
    "drawn. Got no positive weight instead."), fixed = TRUE)
  sampler$update(1:3, c(1, 1, 1))
  expect_error(next_batch(), paste("The 'batch_size' parameter must be at most 3, the number",
    "of positive weights, without replacement. Got 4 instead."), fixed = TRUE)
  sampler$update(seq_len(n_rows), start_weights)
  expect_identical(drain(next_batch), epoch_of(weighted_of(FALSE), 0)[-1L])
})

test_that("instances and copies have weights of their own", {
  generator = batch_sampler_weighted(start_weights, 4, n_batches = 12, seed = 1)
  first = generator(NULL)
  second = generator(NULL)
  copy = first$clone()
  tell(first, 1:9, 1)
  expect_identical(second$weights(), start_weights)
  expect_identical(copy$weights(), start_weights)
  of_first = first$weights()
  tell(copy, 1:9, 2)
  expect_identical(first$weights(), of_first)
  expect_identical(generator(NULL)$weights(), start_weights)
  expect_identical(train(second), train(generator(NULL)))
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

test_that("arguments are refused in one grammar", {
  of = "parameter must"
  refused = function(text, ...) expect_error(batch_sampler_weighted(...), text, fixed = TRUE)
  refused(paste("The 'weights'", of, "have from 1 to 2147483647 values. Got 0 values instead."), numeric(), 1)
  refused(paste("The 'weights'", of, "not all be 0 when rows are drawn. Got no positive weight instead."), c(0, 0), 1)
  refused(paste("The 'weights'", of, "hold finite numbers, none below 0. Got NA instead."), c(1, NA), 1)
  refused(paste("The 'weights'", of, "hold numbers. Got a value of class 'character' instead."), c("a", "b"), 1)
  refused(paste("The 'batch_size'", of, "be an integer from 1 to 2147483647. Got nothing instead."), 1, NULL)
  for (batch_size in c(3, 5)) {
    refused(sprintf(paste("The 'batch_size' %s be at most 2, the number of positive weights, without replacement.",
      "Got %d instead."), of, batch_size), c(1, 0, 2, 0), batch_size, FALSE)
  }
  refused(paste("The 'n_batches'", of, "be given if the batch size exceeds the number of rows, 2. Got nothing"),
    c(1, 2), 3)
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

test_that("a sample is drawn by the weights as they are now, without replacement if the batches are", {
  for (replacement in c(TRUE, FALSE)) {
    sampler = batch_sampler_weighted(c(1, 0, 4, 5), 2, replacement = replacement, seed = 1)(NULL)
    tree = sum_tree(c(1, 0, 4, 5), seed = epoch_seed(1, 6700001))
    expect_identical(sampler$sample(3), tree$sample(3, replacement = replacement))
    sampler$update(2, 9)
    tree$update(2, 9)
    expect_identical(sampler$sample(4), tree$sample(4, replacement = replacement))
  }
  expect_error(sampler$sample(5), paste("The 'k' parameter must be at most 4, the number of",
    "positive weights, without replacement. Got 5 instead."), fixed = TRUE)
})
