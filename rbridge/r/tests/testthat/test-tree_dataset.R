# Auxiliary values that are passed to a dataset.

images = function(n = 12) {
  torch::dataset(
    initialize = function() NULL,
    .getbatch = function(index) list(row = index, attributes = length(attributes(index))),
    .length = function() n
  )()
}

spec = list(mode = "shuffle", auxiliary = list(angle = "uniform(-10, 10)", flip = "choice([true, false])"))
generator = batch_sampler_tree(spec, 4, 12, table = list(x = 1:12), seed = 1)
with_values = function(batch, aux) c(batch, aux)

test_that("batches of a dataloader have the auxiliary values of their rows, epoch after epoch", {
  dataset = auxiliary_dataset(images(), with_values)
  expect_length(dataset, 12)
  sampler = generator(dataset)
  loader = torch::dataloader(dataset, batch_sampler = sampler, collate_fn = identity)
  for (epoch in 0:1) {
    found = coro::collect(loader)
    of_all = function(name) unlist(lapply(found, `[[`, name))
    expected = sampler$batches(epoch)
    expect_identical(of_all("row"), expected$rows)
    expect_identical(of_all("angle"), expected$aux$angle)
    expect_identical(of_all("flip"), expected$aux$flip)
    expect_identical(of_all("attributes"), c(0L, 0L, 0L))
  }
  expect_identical(auxiliary_dataset(images(), with_values)[3:4], images()[3:4]) # rows without values
})

test_that("the task of a dataset is that of the wrapper", {
  skip_if_not_installed("mlr3")
  task = mlr3::tsk("iris")
  plain = images(150)
  plain$task = task
  stratified = batch_sampler_stratified(2, seed = 1)
  of_task = stratified(list(task = task))$batches(0)
  expect_identical(stratified(auxiliary_dataset(plain, with_values))$batches(0), of_task)
  expect_error(stratified(auxiliary_dataset(images(), with_values)), "'strata'")
})

test_that("what cannot be wrapped is refused", {
  expect_error(auxiliary_dataset(1:3, with_values), "The 'dataset' parameter must be a dataset of torch, not its gen")
})

test_that("tensors of a default dataloader have them, with workers too", {
  skip_without_libtorch()
  dataset = auxiliary_dataset(
    torch::dataset(
      initialize = function() NULL, .getbatch = function(index) list(row = index), .length = function() 12
    )(),
    function(batch, aux) list(row = batch$row, angle = aux$angle)
  )
  for (workers in c(0L, 2L)) {
    sampler = generator(dataset)
    loader = torch::dataloader(dataset, batch_sampler = sampler, num_workers = workers)
    angles = numeric()
    coro::loop(for (batch in loader) angles = c(angles, as.numeric(batch$angle)))
    expect_equal(angles, sampler$batches(0)$aux$angle, tolerance = 1e-6)
  }
})
