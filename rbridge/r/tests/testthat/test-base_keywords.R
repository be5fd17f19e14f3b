test_that("an unknown argument is answered with the one that was probably meant", {
  answers = function(code, meant) {
    expect_error(code, sprintf("got an unexpected argument .* Did you mean '%s'", meant))
  }
  answers(batch_sampler_stratified(batch_size = 64), "mean_batch_size")
  answers(batch_sampler_stratified(2, sede = 1), "seed")
  answers(batch_sampler_epoch_subset(9, 3, 3, random_state = 1), "seed")
  answers(batch_sampler_weighted(1:3, 2, num_batch = 3), "n_batches")
  answers(batch_sampler_epoch_subset(num_samples = 3), "sample")
  answers(stratified_stream("a", 2, identity, "key", buffersize = 3), "buffer_size")
  error = expect_error(batch_sampler_stratified(batch_size = 64))
  expect_identical(as.character(conditionCall(error)[[1L]]), "batch_sampler_stratified")
  exported = grep("^batch_sampler_", getNamespaceExports("rbridge"), value = TRUE)
  for (name in setdiff(exported, c("batch_sampler_python", "batch_sampler_instance"))) {
    expect_error(getExportedValue("rbridge", name)(num_replica = 2, sed = 1), "Did you mean|unused argument")
  }
})

test_that("n is the number of rows", {
  for (sampler in list(batch_sampler_prioritized, batch_sampler_epoch_subset, batch_sampler_perplexity)) {
    arguments = list(9, batch_size = 3, seed = 1, sample = if ("sample" %in% names(formals(sampler))) 6)
    arguments = Filter(Negate(is.null), arguments)
    expect_identical(do.call(sampler, c(n = arguments[[1L]], arguments[-1L]))(NULL)$batches(0),
      do.call(sampler, arguments)(NULL)$batches(0))
  }
})

test_that("an argument that is like no other is an error as well", {
  expect_error(batch_sampler_weighted(1:9, 3, TRUE, NULL, NULL, NULL, 2 + 3), "unused argument (2 + 3)", fixed = TRUE)
  expect_error(batch_sampler_stratified(2, zzz = stop("is not evaluated")), "unused argument (zzz = ", fixed = TRUE)
})
