# Batches of one stratum each: what plans and instances show. tests/bridge compares the batches with Python's.

test_that("an instance shows its plan", {
  labels = rep(c("news", "web", "mail"), times = c(6, 3, 2))
  generator = batch_sampler_one_stratum(4, strata = labels, seed = 1)
  plan = generator(NULL)$plan()
  expect_identical(plan$batches, c(2L, 1L, 1L))
  expect_identical(plan$most, c(3L, 3L, 2L))
  expect_output(print(plan), "* Batches: 4, of one stratum each", fixed = TRUE)
  expect_identical(generator(NULL)$composition(2), batch_counts(generator(NULL)$batches(2), labels))
})
