# Epochs that visit a part of some rows only, by a table from first epochs to rows.

subset_of = function(n_rows, rows = NULL, ..., seed = 3) {
  batch_sampler_epoch_subset(n_rows, sample = 4, batch_size = 3, rows = rows, ..., seed = seed)(NULL)
}

test_that("places among the rows of the epoch are drawn as those of a dataset of these rows", {
  rows = list("5" = 1:12, "0" = c(9, 2, 5, 7), "2" = c(4L, 12L, 1L, 3L, 8L))
  for (method in c("uniform", "uniform_without_replacement", "partition")) {
    sampler = subset_of(12, rows, method = method)
    for (epoch in 0:7) {
      begin = max(Filter(function(begin) begin <= epoch, c(0, 2, 5)))
      of_stage = rows[[as.character(begin)]]
      among = subset_of(length(of_stage), method = method)
      places = among$batches(if (method == "partition") epoch - begin else epoch)
      expect_equal(sampler$batches(epoch)$rows, of_stage[places$rows])
      expect_identical(sampler$batches(epoch)$offsets, places$offsets)
    }
    expect_identical(subset_of(12, 3:8, method = method)$batches(9), subset_of(12, list("0" = 3:8),
      method = method)$batches(9))
  }
})

test_that("golden vectors are drawn by R's own generator, and by the sampler", {
  for (case in read_golden("rows_by_epoch.json")$cases) {
    rows = lapply(case$rows, function(of_stage) as.integer(unlist(of_stage)))
    sampler = batch_sampler_epoch_subset(case$n_rows, case$sample, 3, method = case$method, seed = case$seed,
      rows = lapply(rows, `+`, 1L))(NULL)
    begins = as.double(names(rows))
    for (epoch in seq_along(case$drawn) - 1) {
      expected = as.integer(unlist(case$drawn[[epoch + 1]]))
      expect_identical(sampler$batches(epoch)$rows - 1L, expected)
      of_stage = rows[[findInterval(epoch, begins)]]
      places = with_seed_of(list(seed = case$seed, epoch = epoch), switch(case$method,
        uniform = sample.int(length(of_stage), case$sample, replace = TRUE),
        uniform_without_replacement = sample.int(length(of_stage), case$sample, useHash = FALSE)
      ))
      if (case$method != "partition") {
        expect_identical(of_stage[places], expected)
      }
    }
  }
})

test_that("wrong rows are refused, with the numbers of R", {
  refused = function(rows, text, ...) {
    expect_error(batch_sampler_epoch_subset(10, 2, 2, rows = rows, seed = 1, ...), text, fixed = TRUE)
  }
  refused(list("1" = 1), "The 'rows' parameter must have rows from epoch 0 on. Got a table from epoch 1 on instead.")
  refused(list(), "The 'rows' parameter must have rows from epoch 0 on. Got an empty table instead.")
  refused(list(1:3), "The 'rows' parameter must be a table from epochs, integers from 0 to 6700000, to rows.")
  refused(list("0" = integer()), "The 'rows' parameter must have rows for each epoch. Got 0 values instead.")
  refused(list("0" = 1:3, "4" = c(5, 6, 5)), "The 'rows' parameter must have no row twice for an epoch. Got 5 instead.")
  refused(c(0, 1), "The 'rows' parameter must hold row positions from 1 to 10, counted from 1. Got 0 instead.")
  refused(list("0" = 1:3, "4" = 5), "must be at most 1, the fewest examples of an epoch, without replacement.",
    method = "uniform_without_replacement")
})

test_that("a recipe has the rows of all epochs", {
  generator = batch_sampler_epoch_subset(10, 4, 2, rows = list("0" = 1:3, "2" = 4:9), seed = 1)
  file = withr::local_tempfile(fileext = ".safetensors")
  write_batch_sampler(generator, file)
  expect_identical(read_batch_sampler(file)(NULL)$batches(5), generator(NULL)$batches(5))
})
