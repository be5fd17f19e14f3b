# The generator, the instance, and their protocols towards torch.

labels = rep(c("a", "b"), times = c(6, 14))
make = function(...) batch_sampler_stratified(min_samples_per_stratum = 2, strata = labels, seed = 1, ...)

test_that("the published example gives the published rows", {
  # T. D. Hocking, "custom torch sampler with mlr3torch" (2025): printed output with min_samples_per_stratum = 3, seed 1
  sampler = sampler_of(published_labels(), min_samples_per_stratum = 3, seed = 1)
  batches = epoch_of(sampler, 0)
  expect_identical(sampler$.length(), 200L)
  expect_identical(unique(sampler$plan()), counts_in("1" = 3L, "0" = 97L))
  negatives = Filter(function(row) row > 600L, batches[[1]])
  expect_identical(head(negatives, 5), c(17401L, 4775L, 13218L, 10539L, 8462L))
  positives = Filter(function(row) row <= 600L, unlist(batches))
  expect_identical(tail(positives, 5), c(372L, 473L, 437L, 264L, 561L))
})

test_that("the last epoch can be taken, and none after it", {
  sampler = make()(NULL)$set_epoch(6700000)
  batches = next_epoch_of(sampler)
  expect_identical(batches, epoch_of(sampler, 6700000))
  expect_type(batches[[1L]], "integer")
  expect_null(attributes(batches[[1L]]))
  expect_error(next_epoch_of(sampler), "The 'epoch' parameter must be an integer from 0 to 6700000")
})

test_that("dataloader(sampler = ) with another batch_size is refused", {
  dataset = dataset_of(20)
  loader = torch::dataloader(dataset, sampler = make()(dataset), batch_size = 100, collate_fn = identity)
  expect_identical(message_of(coro::collect(loader)), paste(
    "The 'sampler' parameter must yield single rows if 'batch_size' is given.",
    "Got a sampler that yields batches instead. Pass it as 'batch_sampler =', without 'batch_size'."
  ))
})

test_that("explicit values must be one for each row of a data source that has a number of rows", {
  without_length = torch::dataset(initialize = function() NULL, .getitem = function(index) index)()
  fitting = list(NULL, list(), list(anything = 1), new.env(), identity, without_length, dataset_of(20), 1:20,
    data.frame(x = 1:20), matrix(0, 20, 2))
  for (data_source in fitting) {
    expect_identical(make()(data_source)$.length(), 3L)
  }
  for (data_source in list(dataset_of(19), 1:19, data.frame(x = 1:19), matrix(0, 19, 2))) {
    expect_error(make()(data_source), paste(
      "The 'strata' parameter must have one value for each row of the dataset, 19.",
      "Got 20 values instead."
    ), fixed = TRUE)
  }
})

test_that("an instance prints its settings, its batches and the next epoch", {
  expect_identical(tail(capture.output(print(make()(NULL)$set_epoch(4))), 4), c(
    "* seed: 1", "* strata: 2, of 20 rows", "* batches: 3", "* next epoch: 4"))
})

test_that("a generator prints its settings", {
  expect_identical(capture.output(make()), c(
    "<batch_sampler_stratified> generator",
    "* min_samples_per_stratum: 2",
    "* shuffle: TRUE",
    "* assign: 'proportional'",
    "* rare: 'error'",
    "* missing: 'error'",
    "* seed: 1",
    "* strata: 'a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', ..."
  ))
  expect_identical(tail(capture.output(batch_sampler_stratified(2)), 1), "* strata: of the dataset")
  expect_identical(tail(capture.output(batch_sampler_stratified(1, strata = c(5, 6))), 1), "* strata: 2, of 2 rows")
})
