test_that("collect_rows returns what a dataloader delivers, from a generator and from an instance", {
  generator = batch_sampler_stratified(3, strata = published_labels(), seed = 1)
  sampler = generator(NULL)
  expect_identical(collect_rows(generator, 20000), sampler$batches(0))
  expect_identical(collect_rows(sampler, 20000), sampler$batches(0))
  expect_identical(collect_rows(sampler, 20000), sampler$batches(1))
  expect_identical(epoch_of(generator(NULL), 0), deliver(dataset_of(20000), batch_sampler = generator(NULL)))
})

test_that("collect_rows refuses what is no sampler and no number of rows", {
  expect_error(collect_rows(mean, 3), "'batch_sampler' .* must be a generator or an instance made by torch::sampler")
  for (n_rows in list(0, -1, 2.5, "3", NULL, c(1, 2))) {
    expect_error(collect_rows(batch_sampler_stratified(1, strata = c(1, 1, 2)), n_rows),
      "The 'n_rows' parameter must be a positive integer.")
  }
})
