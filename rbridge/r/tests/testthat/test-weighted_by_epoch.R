# Weights that follow the epoch, by a table from first epochs to weights.

table_of_weights = list("5" = 1:12, "0" = rep(c(1, 0), c(4L, 8L)), "2" = rep(c(1, 0.5, 0), each = 4L))

by_epoch = function(weights = table_of_weights, ..., seed = 3) {
  batch_sampler_weighted(weights, batch_size = 3, n_batches = 4, ..., seed = seed)(NULL)
}

weights_of_epoch = function(epoch) table_of_weights[[c("0", "2", "5")[findInterval(epoch, c(0, 2, 5))]]]

test_that("an epoch is that of a sampler with its weights", {
  for (replacement in c(TRUE, FALSE)) {
    sampler = by_epoch(replacement = replacement)
    for (epoch in 0:7) {
      alone = by_epoch(weights_of_epoch(epoch), replacement = replacement)
      expected = epoch_of(alone, epoch)
      expect_identical(epoch_of(sampler, epoch), expected)
      expect_equal(sampler$weights(), weights_of_epoch(epoch))
      expect_equal(sampler$weights(c(2, 9)), weights_of_epoch(epoch)[c(2, 9)])
      expect_identical(next_epoch_of(sampler), expected)
    }
  }
})

test_that("golden vectors are drawn by R's own generator, and by the sampler", {
  for (case in read_golden("weights_by_epoch.json")$cases) {
    weights = lapply(case$weights, function(of_stage) as.double(unlist(of_stage)))
    sampler = batch_sampler_weighted(weights, case$batch_size, replacement = case$replacement,
      n_batches = case$n_batches, seed = case$seed)(NULL)
    for (epoch in seq_along(case$drawn) - 1) {
      expected = as.integer(unlist(case$drawn[[epoch + 1]]))
      expect_identical(sampler$batches(epoch)$rows - 1L, expected)
      of_stage = weights[[findInterval(epoch, as.double(names(weights)))]]
      plain = with_seed_of(list(seed = case$seed, epoch = epoch),
        replicate(case$n_batches, draw_batch(of_stage, case$batch_size, case$replacement)))
      expect_identical(as.integer(plain), expected)
    }
  }
})

test_that("a recipe has the weights of all epochs", {
  file = withr::local_tempfile(fileext = ".safetensors")
  generator = batch_sampler_weighted(table_of_weights, 3, seed = 1)
  write_batch_sampler(generator, file)
  for (epoch in c(0, 3, 9)) {
    expect_identical(read_batch_sampler(file)(NULL)$batches(epoch), generator(NULL)$batches(epoch))
  }
})

test_that("an update and wrong weights are refused", {
  expect_error(by_epoch()$update(1, 2), fixed = TRUE,
    "The 'weights' parameter must be the same for all epochs if they are updated. Got a table by epoch instead.")
  refused = function(text, weights) expect_error(batch_sampler_weighted(weights, 1, seed = 1), text, fixed = TRUE)
  refused("'weights' parameter must have weights from epoch 0 on. Got a table from epoch 1 on instead.", list("1" = 1))
  refused("The 'weights' parameter must have weights from epoch 0 on. Got an empty table instead.", list())
  refused(list(1), text = paste("The 'weights' parameter must be a table from epochs, integers from 0 to 6700000, to",
    "weights of rows. Got a list without names instead."))
  refused("must have one weight for each row in all epochs. Got 2 values for epoch 0 and 1 for epoch 3 instead.",
    list("0" = 1:2, "3" = 1))
  refused("must hold finite numbers, none below 0. Got -2 instead.", list("0" = 1:2, "3" = c(1, -2)))
  refused("must not all be 0 when rows are drawn. Got no positive weight in epoch 3 instead.",
    list("0" = 1:2, "3" = c(0, 0)))
})

test_that("a sampler shows its epochs", {
  shown = capture.output(by_epoch())
  expect_true("* Weights: from epochs 0, 2, 5" %in% shown)
  expect_true("* Total weight: 4" %in% shown)
})

test_that("a state holds the next position of its rows, however many arrays there are", {
  generator = batch_sampler_weighted(list("0" = c(1, 1, 1), "1" = c(1, 2, 1), "2" = c(1, 1, 1)), 2, seed = 1)
  sampler = generator(NULL)
  state = sampler$state_dict(0)
  state$feedback$next_position = 2
  expect_no_error(sampler$load_state_dict(state))
  state$feedback$next_position = 3
  expect_error(sampler$load_state_dict(state), "The 'next_position' parameter must be an integer from 0 to 2. Got 3",
    fixed = TRUE)
})
