# The content of a generator that is saved or sent to another process.

test_that("a generator that was saved gives the same batches in a fresh R session", {
  skip_on_cran()
  skip_if_not_installed("mlr3")
  explicit = batch_sampler_stratified(2, strata = rep(1:2, c(6, 14)), seed = 3)
  by_task = batch_sampler_stratified(10, seed = 4)
  file = tempfile(fileext = ".rds")
  saveRDS(list(explicit, by_task), file)
  fresh = callr::r(
    function(file) {
      generators = readRDS(file)
      list(
        loaded = loadedNamespaces(),
        explicit = generators[[1]](NULL)$batches(5),
        by_task = generators[[2]](list(task = mlr3::tsk("sonar")))$batches(5)
      )
    },
    list(file),
    libpath = c(installed_library(), .libPaths())
  )
  expect_true("rbridge" %in% fresh$loaded)
  expect_identical(fresh$explicit, explicit(NULL)$batches(5))
  expect_identical(fresh$by_task, by_task(list(task = mlr3::tsk("sonar")))$batches(5))
})

test_that("a generator holds its settings and nothing of where it was made", {
  make = function(n_rows) {
    large_and_private = stats::runif(1e5)
    strata = seq_len(n_rows) %% 2
    batch_sampler_stratified(min_samples_per_stratum = length(large_and_private) / 1e5, strata = strata)
  }
  size = function(generator) length(serialize(generator, NULL))
  # Four bytes per row, once.
  expect_lt(size(make(1e5)) - size(make(1e3)), 4.1 * (1e5 - 1e3))
})

test_that("an instance brings its strata along, and nothing that follows from them", {
  size = function(n_rows, ...) {
    strata = rep(1:2, length.out = n_rows)
    sampler = batch_sampler_stratified(2, strata = strata, seed = 1, ...)(NULL)
    sampler$batches(0)
    length(serialize(sampler, NULL))
  }
  # Four bytes per row for the instance, and four for its generator.
  expect_lt(size(1e5) - size(1e3), 8.1 * (1e5 - 1e3))
})

test_that("an instance that was saved gives the same batches, epoch after epoch", {
  sampler = sampler_of(published_labels(), 3, seed = 1)
  before = lapply(0:2, sampler$batches)
  copy = unserialize(serialize(sampler, NULL))
  expect_identical(lapply(0:2, copy$batches), before)
  expect_identical(lapply(0:2, copy$batches), before)
})

test_that("equal settings make generators that are saved equally", {
  bytes = function(...) serialize(batch_sampler_stratified(...), NULL)
  expect_identical(bytes(3, seed = 1), bytes(3L, seed = 1L))
  expect_identical(bytes(1, strata = c(5, 6)), bytes(1L, strata = c(a = 5L, b = 6L)))
  expect_identical(bytes(1, strata = "y"), bytes(1, strata = c(a = "y")))
})

test_that("a change of the arguments after the call has no influence", {
  minimum = 1
  labels = c("a", "a", "b", "b")
  generator = batch_sampler_stratified(minimum, strata = labels, seed = 1)
  expected = generator(NULL)$batches(0)
  minimum = 2
  labels = c("a", "a", "a", "b")
  expect_identical(generator(NULL)$batches(0), expected)
})
