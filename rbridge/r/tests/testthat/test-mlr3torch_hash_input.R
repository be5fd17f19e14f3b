# mlr3 distinguishes learners by hashes: equal settings must give equal hashes in every session. test-base_specimens.R
# compares those of all kinds.

skip_if_not_installed("mlr3torch")

hash_of = function(arguments) mlr3misc::calculate_hash(do.call(batch_sampler_stratified, arguments))

test_that("hashes do not differ by how settings are written, or by use", {
  generator = batch_sampler_stratified(2, seed = 1)
  before = mlr3misc::calculate_hash(generator)
  expect_identical(before, hash_of(list(2L, seed = 1L, strata = NULL)))
  next_epoch_of(generator(list(task = task_of())))
  run_mlr3torch(learner_of(generator)$train(task_of()))
  expect_identical(mlr3misc::calculate_hash(generator), before)
  latin1 = iconv("\u00e9t\u00e9", "UTF-8", "latin1")
  expect_identical(hash_of(list(1, strata = latin1, seed = 1)), hash_of(list(1, strata = "\u00e9t\u00e9", seed = 1)))
})

# Learners whose hash is the same in every session without a sampler; that of classif.mlp is not, by its activation.
stable_hashes = function(arguments) {
  loadNamespace("mlr3torch")
  generator = do.call(rbridge::batch_sampler_stratified, arguments)
  network = function(task) stop("never trained")
  environment(network) = globalenv()
  learners = list(
    mlr3::lrn("classif.tab_resnet", epochs = 1, batch_size = 10, batch_sampler = generator),
    mlr3::lrn("classif.module", epochs = 1, batch_size = 10, batch_sampler = generator, module_generator = network,
      ingress_tokens = list(x = mlr3torch::ingress_num()))
  )
  c(mlr3misc::calculate_hash(generator), vapply(learners, function(learner) learner$hash, ""))
}

test_that("hashes of generators and of learners with them are the same in every session", {
  skip_on_cran()
  chosen = list(list(2, seed = 1), list(3, seed = 1), list(1, seed = 1, strata = c(1, 2)))
  fresh = callr::r(function(chosen, of) lapply(chosen, of), list(chosen, stable_hashes),
    libpath = c(installed_library(), .libPaths()))
  expect_identical(fresh, lapply(chosen, stable_hashes))
  expect_identical(anyDuplicated(unlist(fresh)), 0L)
})
