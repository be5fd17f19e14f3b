# Weights that follow the epoch, by a table from first epochs to weights.

test_that("batches are those of the golden cases", {
  for (case in read_golden("weights_by_epoch.json")$cases) {
    weights = lapply(case$weights, function(of_stage) as.double(unlist(of_stage)))
    sampler = batch_sampler_weighted(weights, case$batch_size, replacement = case$replacement,
      n_batches = case$n_batches, seed = case$seed)(NULL)
    for (epoch in seq_along(case$drawn) - 1) {
      expect_identical(sampler$batches(epoch)$rows - 1L, as.integer(unlist(case$drawn[[epoch + 1]])))
    }
  }
})

table_of_weights = list("5" = 1:12, "0" = rep(c(1, 0), c(4L, 8L)), "2" = rep(c(1, 0.5, 0), each = 4L))

test_that("weights and output are those of the next epoch, and cannot be updated", {
  sampler = batch_sampler_weighted(table_of_weights, batch_size = 3, seed = 3)(NULL)
  for (epoch in c(0, 1, 2, 4, 5, 9)) {
    expected = as.double(table_of_weights[[c("0", "2", "5")[findInterval(epoch, c(0, 2, 5))]]])
    sampler$set_epoch(epoch)
    expect_identical(sampler$weights(), expected)
    expect_identical(sampler$weights(c(2, 9)), expected[c(2, 9)])
  }
  expect_error(sampler$update(1, 2), fixed = TRUE,
    "The 'weights' parameter must be the same for all epochs if they are updated. Got a table by epoch instead.")
})
