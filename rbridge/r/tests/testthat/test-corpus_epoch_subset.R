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
