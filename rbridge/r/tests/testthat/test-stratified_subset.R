# A few strata per batch: columns of a task, and the output of an instance.

labels = rep(letters[1:6], times = c(3, 12, 7, 4, 9, 5))

subset = function(..., strata = factor(labels), seed = 1) {
  batch_sampler_strata_subset(..., strata = strata, seed = seed)(NULL)
}

test_that("a plan shows its batches, and the composition is that of an epoch", {
  sampler = subset(3, 2)
  expect_output(print(sampler$plan()), fixed = TRUE, paste(sep = "\n",
    "<range_plan>", "* Rows: 40", "* Batches: 6, of 3 strata, with at least 2 rows of each",
    "* Strata: 6, with the fewest and the most rows in a batch", " stratum rows batches fewest most",
    "       a    3       1      3    3"))
  expect_output(print(sampler$plan(), most = 2), "... and 4 more", fixed = TRUE)
  expect_output(print(sampler$plan()[1:2, ]), "^  stratum rows batches fewest most\n1")
  expect_identical(attr(sampler$plan(), "n_batches"), 6L)
  table = sampler$composition(3)
  expect_identical(table, batch_counts(sampler$batches(3), labels))
  expect_identical(sampler$set_epoch(3)$composition(), table)
  expect_error(sampler$composition(-1), "'epoch' parameter must be", fixed = TRUE)
})
