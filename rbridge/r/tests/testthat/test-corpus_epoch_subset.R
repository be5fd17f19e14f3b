# Part of the examples in every epoch, of all rows or of those of the epoch.

test_that("batches of the rows of the epoch are those of the golden cases", {
  for (case in read_golden("rows_by_epoch.json")$cases) {
    rows = lapply(case$rows, function(of_stage) as.integer(unlist(of_stage)) + 1L)
    sampler = batch_sampler_epoch_subset(case$n_rows, case$sample, 3, method = case$method, seed = case$seed,
      rows = rows)(NULL)
    for (epoch in seq_along(case$drawn) - 1) {
      expect_identical(sampler$batches(epoch)$rows - 1L, as.integer(unlist(case$drawn[[epoch + 1]])))
    }
  }
  of_all = batch_sampler_epoch_subset(12, 4, 3, rows = 3:8, seed = 1)(NULL)
  expect_identical(of_all$batches(9), batch_sampler_epoch_subset(12, 4, 3, rows = list("0" = 3:8),
    seed = 1)(NULL)$batches(9))
})

test_that("wrong rows are refused, with the numbers of R", {
  refused = function(rows, text, ...) {
    expect_error(batch_sampler_epoch_subset(10, 2, 2, rows = rows, seed = 1, ...), text, fixed = TRUE)
  }
  refused(list(), "The 'rows' parameter must have rows from epoch 0 on. Got an empty table instead.")
  refused(list(1:3), "The 'rows' parameter must be a table from epochs, integers from 0 to 6700000, to rows.")
  refused(list("0" = integer()), "The 'rows' parameter must have rows for each epoch. Got 0 values instead.")
  refused(list("0" = 1:3, "4" = c(5, 6, 5)), "The 'rows' parameter must have no row twice for an epoch. Got 5 instead.")
  refused(c(0, 1), "The 'rows' parameter must hold row positions from 1 to 10, counted from 1. Got 0 instead.")
})

test_that("a sampler shows what it draws", {
  generator = batch_sampler_epoch_subset(10, 5, 2, seed = 1)
  expect_identical(capture.output(generator), c("<batch_sampler_epoch_subset> generator",
    "* Examples: 5 of 10 in an epoch", "* Batches: 3, of at most 2 rows", "* Method: 'uniform'", "* seed: 1"))
  expect_identical(capture.output(generator(NULL)), c("<batch_sampler_epoch_subset>", "* Examples: 5 of 10 in an epoch",
    "* Batches: 3, of at most 2 rows", "* Method: 'uniform'", "* Order: drawn by seed 1, next epoch 0"))
  of_partition = batch_sampler_epoch_subset(10, 5, 2, method = "partition")(NULL)
  expect_identical(capture.output(of_partition)[5L], "* Order: next epoch 0")
})
