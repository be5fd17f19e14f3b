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
