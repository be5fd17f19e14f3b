# Uniform batches: interrupts, and output. tests/bridge compares the batches with R's own sample.int().

test_that("a lack of memory is an error, after which R goes on", {
  skip_on_os(c("windows", "mac"))
  code = paste(
    "large = rbridge::batch_sampler_uniform(2147483647, 10, n_batches = 1, seed = 1)(NULL)",
    "message = tryCatch(large$batches(0), error = conditionMessage)",
    "cat(message, rbridge::batch_sampler_uniform(10, 3, seed = 1)(NULL)$batches(0)[[1]])", sep = "; ")
  limited = paste("ulimit -v 4000000;", shQuote(file.path(R.home("bin"), "Rscript")), "-e", shQuote(code))
  expect_identical(system2("bash", c("-c", shQuote(limited)), stdout = TRUE), "cannot allocate memory 9 4 7")
})

test_that("an epoch of more rows than R can number is refused when it is drawn", {
  sampler = batch_sampler_uniform(10, 5, n_batches = 2147483647, seed = 1)(NULL)
  expect_error(sampler$batches(0), paste("The 'n_batches' parameter must be at most",
    "429496729, so that R can number the rows of an epoch. Got 2147483647 instead."), fixed = TRUE)
})
