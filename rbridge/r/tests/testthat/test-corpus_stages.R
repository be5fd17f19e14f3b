# Weights that change by epoch.

folder = corpus_of(f0 = 30, f1 = 60, f2 = 5)
table_of_weights = list("5" = list(3, 1, "*"), "0" = c(1, 1, 1), "9" = c(0, 1, 0))
weights_in_steps = function(epoch) if (epoch < 5) c(1, 1, 1) else if (epoch < 9) list(3, 1, "*") else c(0, 1, 0)

staged_mixture = function(weights, ..., epoch_end = "all_exhausted") {
  batch_sampler_corpus_mixture(folder, 8, suffixes = ".txt", weights = weights, epoch_end = epoch_end, seed = 1, ...)
}

test_that("weights hold from their epoch on", {
  generator = staged_mixture(table_of_weights)
  mixture = generator(NULL)
  for (epoch in c(0, 4, 5, 8, 9, 6700000)) {
    plain = staged_mixture(weights_in_steps(epoch))
    expect_identical(mixture$batches(epoch), plain(NULL)$batches(epoch))
    for (plan in list(mixture$plan(epoch), corpus_plan(generator, epoch), corpus_plan(mixture, epoch))) {
      expect_identical(plan, corpus_plan(plain))
    }
  }
  expect_identical(corpus_plan(generator)$drawn, c(60, 60, 60))
})

test_that("the length and the plan are those of the epoch that comes next", {
  sampler = staged_mixture(table_of_weights)(NULL)
  lengths = vapply(0:10, function(epoch) {
    expect_identical(sampler$plan(), sampler$plan(epoch))
    length = sampler$.length()
    expect_length(next_epoch_of(sampler), length)
    length
  }, 0L)
  expect_identical(lengths, rep(c(23L, 31L, 8L), c(5, 4, 2)))
  shown = capture.output(print(sampler$set_epoch(5)))
  expect_match(shown, "240 drawn without replacement and 5 kept in epoch 5", fixed = TRUE, all = FALSE)
})

test_that("wrong tables are refused", {
  refused = function(weights, message) {
    expect_error(staged_mixture(weights), paste("The 'weights' parameter must", message), fixed = TRUE)
  }
  for (epoch in c("6700001", "a", "00", "-1")) {
    refused(stats::setNames(list(c(1, 1, 1), c(1, 1, 1)), c("0", epoch)), sprintf(
      "be a table from epochs, integers from 0 to 6700000, to lists of weights. Got the epoch '%s' instead.", epoch))
  }
  refused(list("3" = c(1, 1, 1)), "have weights from epoch 0 on. Got a table from epoch 3 on instead.")
  refused(list("0" = c(1, 1, 1), "4" = NULL), "have a list of weights for each epoch of the table. Got nothing")
  refused(list("0" = c(1, 1, 1), "4" = c(1, 1)), "have one entry for each file, 3. Got 2 values instead.")
})
