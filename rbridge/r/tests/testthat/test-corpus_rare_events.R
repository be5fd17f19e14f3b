# Rare events in files, drawn and read by R itself.

folder = corpus_of(fraud = 7, mon = 20, tue = 5, wed = 0, thu = 31, fri = 12)
files = file.path(folder, paste0(c("fraud", "mon", "tue", "wed", "thu", "fri"), ".txt"))

rare_events = function(...) {
  batch_sampler_rare_events(files[1], files[-1], 1.5, 6, negative_files_per_epoch = 4, seed = 1, ...)
}

test_that("a dataloader delivers lines and labels, and classes have weights", {
  sampler = rare_events()(NULL)
  dataset = sampler$dataset()
  texts = unlist(lapply(files, readLines))
  delivered = deliver(dataset, batch_sampler = sampler)
  rows = sampler$batches(0)$rows
  expect_identical(unlist(lapply(delivered, `[[`, "item")), texts[rows])
  expect_identical(unlist(lapply(delivered, `[[`, "label")), as.double(rows <= 7))
  expect_length(dataset, 75)
  expect_identical(sampler$dataset(transform = nchar)$.getbatch(c(1, 8))$item, nchar(texts[c(1, 8)]))
  expect_error(sampler$dataset(transform = 3), "must be a function, or nothing. Got 3 instead.", fixed = TRUE)
  # Weights undo the draws of rows and of files.
  n_lines = sum(lengths(lapply(sampler$negative_files(0), readLines)))
  expect_equal(sampler$class_weights(0), c(positive = 1, negative = n_lines / 11 * 5 / 4))
  expect_equal(sampler$class_weights(0, normalize = TRUE), sampler$class_weights(0) * 18 / 75)
  expect_equal(colSums(sampler$plan()), c(positive = 7, negative = 11))
})

test_that("a file that has changed is refused when an epoch draws from it, and no other is looked at", {
  copy = corpus_of(fraud = 7, mon = 20, tue = 5)
  paths = file.path(copy, paste0(c("fraud", "mon", "tue"), ".txt"))
  sampler = batch_sampler_rare_events(paths[1], paths[-1], 0.5, 20, negative_files_per_epoch = 1, seed = 1)(NULL)
  chosen = sampler$negative_files(0)
  expected = sampler$batches(0)
  unlink(setdiff(paths[-1], chosen))
  expect_identical(sampler$batches(0), expected)
  Sys.setFileTime(chosen, "2001-01-01")
  expect_error(sampler$batches(0), "has changed since its lines were found")
})
