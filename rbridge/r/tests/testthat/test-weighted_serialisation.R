# The content of samplers that are saved or sent to another process, and how mlr3 distinguishes them.

beta_of = function(batch) min(1, batch / 4)

generators = function() {
  list(
    batch_sampler_uniform(30, 4, seed = 1),
    batch_sampler_weighted((1:30) %% 4, 4, replacement = FALSE, seed = 2),
    batch_sampler_weighted((1:30) %% 4, 4, num_replicas = 3, seed = 3),
    batch_sampler_prioritized(30, 4, stratified = TRUE, seed = 4),
    batch_sampler_prioritized(20, 4, capacity = 30, beta = beta_of, seed = 5),
    batch_sampler_prioritized(20, 4, capacity = 30, method = "rank", seed = 6)
  )
}

# Rows of two epochs, with feedback if the sampler has any; also in other processes.
train_with = function(sampler) {
  trained = list()
  for (epoch in 1:2) {
    next_batch = sampler$.iter()
    while (!coro::is_exhausted(rows <- next_batch())) {
      trained[[length(trained) + 1L]] = rows
      if (!is.null(sampler$update)) sampler$update(rows, rows %% 5 + length(trained) / 8)
      if (!is.null(sampler$append)) sampler$append(1)
    }
  }
  told = if (!is.null(sampler$importance_weights)) sampler$importance_weights(1:20, batch = 3)
  list(trained, told, sampler$epoch)
}

test_that("generators that were saved give the same batches in a fresh R session, with feedback, without Python", {
  skip_on_cran()
  file = tempfile(fileext = ".rds")
  saveRDS(generators(), file)
  fresh = callr::r(
    function(file, train_with) {
      generators = readRDS(file)
      list(lapply(generators, function(generator) train_with(generator(NULL))), loadedNamespaces())
    },
    list(file, train_with),
    libpath = c(installed_library(), .libPaths())
  )
  expect_identical(fresh[[1L]], lapply(generators(), function(generator) train_with(generator(NULL))))
  expect_false("reticulate" %in% fresh[[2L]])
})

test_that("instances that were saved go on with what they were told in a fresh R session", {
  skip_on_cran()
  instances = lapply(generators(), function(generator) generator(NULL))
  lapply(instances, train_with)
  file = tempfile(fileext = ".rds")
  saveRDS(instances, file)
  fresh = callr::r(
    function(file, train_with) lapply(readRDS(file), train_with),
    list(file, train_with),
    libpath = c(installed_library(), .libPaths())
  )
  expect_identical(fresh, lapply(instances, train_with))
})

test_that("what changes an instance does not change one that was loaded from it", {
  sampler = batch_sampler_weighted(rep(1, 9), 3, seed = 1)(NULL)
  loaded = unserialize(serialize(sampler, NULL))
  sampler$update(1:3, c(5, 6, 7))
  expect_identical(loaded$weights(), rep(1, 9))
  loaded$update(1, 9)
  expect_identical(sampler$weights(1:3), c(5, 6, 7))
})

test_that("samplers work in a mirai daemon", {
  skip_on_cran()
  skip_if_not_installed("mirai")
  mirai::daemons(1L)
  on.exit(mirai::daemons(0L))
  task = mirai::mirai(
    {
      .libPaths(libraries)
      lapply(generators, function(generator) train_with(generator(NULL)))
    },
    generators = generators(), train_with = train_with, libraries = c(installed_library(), .libPaths())
  )
  expect_identical(mirai::call_mirai(task)$data, lapply(generators(), function(generator) train_with(generator(NULL))))
})

test_that("a generator holds its weights and nothing of where it was made, an instance them and its tree", {
  make = function(n_rows) {
    large_and_private = stats::runif(1e5)
    batch_sampler_weighted(rep(length(large_and_private) / 1e5, n_rows), batch_size = 4, seed = 1)
  }
  size = function(object) length(serialize(object, NULL))
  # Eight bytes per row, once.
  expect_lt(size(make(1e5)) - size(make(1e3)), 8.1 * (1e5 - 1e3))
  # The same for the tree, which has eight parts to a sum, and for the recipe of the generator.
  expect_lt(size(make(1e5)(NULL)) - size(make(1e3)(NULL)), (8.1 + 9.3) * (1e5 - 1e3))
})

test_that("a change of the arguments after the call has no influence", {
  weights = c(1, 2, 3, 4)
  generator = batch_sampler_weighted(weights, 2, seed = 1)
  weights[2] = 100
  expect_identical(generator(NULL)$weights(), c(1, 2, 3, 4))
})

test_that("different settings have different hashes, equal ones the same, also after use", {
  skip_if_not_installed("mlr3misc")
  settings = list(
    quote(batch_sampler_uniform(10, 2, seed = 1)),
    quote(batch_sampler_uniform(11, 2, n_batches = 5, seed = 1)),
    quote(batch_sampler_uniform(10, 2, seed = 2)),
    quote(batch_sampler_uniform(10, 2, replacement = TRUE, seed = 1)),
    quote(batch_sampler_uniform(10, 2, n_batches = 3, seed = 1)),
    quote(batch_sampler_weighted(1:10, 2, seed = 1)),
    quote(batch_sampler_weighted(c(1:9, 11), 2, seed = 1)),
    quote(batch_sampler_weighted(1:10, 2, num_replicas = 5, seed = 1)),
    quote(batch_sampler_prioritized(10, 2, seed = 1)),
    quote(batch_sampler_prioritized(9, 2, capacity = 10, seed = 1)),
    quote(batch_sampler_prioritized(10, 2, alpha = 0.5, seed = 1)),
    quote(batch_sampler_prioritized(10, 2, beta = 0.5, seed = 1)),
    quote(batch_sampler_prioritized(10, 2, beta = function(batch) 0.5, seed = 1)),
    quote(batch_sampler_prioritized(10, 2, beta = function(batch) 0.6, seed = 1)),
    quote(batch_sampler_prioritized(10, 2, normalize = FALSE, seed = 1)),
    quote(batch_sampler_prioritized(10, 2, method = "rank", seed = 1))
  )
  hashes = vapply(settings, function(call) mlr3misc::calculate_hash(eval(call)), "")
  expect_identical(anyDuplicated(hashes), 0L)
  generator = batch_sampler_weighted(1:10, 2L, replacement = TRUE, n_batches = 5, seed = 1L)
  expect_identical(mlr3misc::calculate_hash(generator), hashes[[6L]])
  train_with(generator(NULL))
  expect_identical(mlr3misc::calculate_hash(generator), hashes[[6L]])
})
