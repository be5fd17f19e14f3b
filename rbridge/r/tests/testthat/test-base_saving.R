# The content of generators and instances that are saved, and how mlr3 distinguishes them. test-base_specimens.R saves
# those of every kind.

size_of = function(object) length(serialize(object, NULL))

test_that("generators and instances hold their recipes, nothing of where they were made, and nothing that follows", {
  made = function(n_rows) {
    large_and_private = stats::runif(1e5)
    stratified = batch_sampler_stratified(length(large_and_private) / 1e5, strata = seq_len(n_rows) %% 2, seed = 1)
    weighted = batch_sampler_weighted(rep(length(large_and_private) / 1e5, n_rows), batch_size = 4, seed = 1)
    sampler = stratified(NULL)
    sampler$batches(0)
    vapply(list(stratified, weighted, sampler, weighted(NULL)), size_of, 1)
  }
  by_row = (made(1e5) - made(1e3)) / (1e5 - 1e3)
  # Four bytes for a code, eight for a weight; instances have their generators, too, and weights are in a tree, which
  # has eight parts to a sum.
  expect_identical(by_row < c(4.1, 8.1, 8.1, 8.1 + 9.3), rep(TRUE, 4))
})

test_that("a function as an argument is saved, and hashed by its text", {
  skip_if_not_installed("mlr3misc")
  with_beta = function(beta) batch_sampler_prioritized(20, 4, capacity = 30, beta = beta, seed = 5)
  generator = with_beta(function(batch) min(1, batch / 4))
  file = withr::local_tempfile()
  saveRDS(generator, file)
  told_weights = function(generator) {
    sampler = generator(NULL)
    sampler$update(1:20, seq_len(20) / 8)
    sampler$append(1)
    sampler$importance_weights(1:20, batch = 3)
  }
  expect_identical(told_weights(readRDS(file)), told_weights(generator))
  hash = function(of) mlr3misc::calculate_hash(with_beta(of))
  expect_identical(hash(function(batch) 0.5), hash(function(batch) 0.5))
  expect_false(hash(function(batch) 0.5) == hash(function(batch) 0.6))
  expect_false(hash(function(batch) 0.5) == hash(0.5))
})
