# Samplers of a real Python, through reticulate. tests/bridge has more of them, from both sides.

skip_without_python()

python = reticulate::py_run_string("
import numpy as np
from pystrat import StratifiedBatchSampler, UniformBatchSampler

stratified = StratifiedBatchSampler(['yes'] * 3 + ['no'] * 9, 1, seed=1)

def asymmetric():
    yield from ([0, 6, 2], [5], [1, 3])

def failing():
    yield [0]
    raise RuntimeError('no second batch')

plain = [[3, 0], [], [2]]
single = [3, 0, 2]
of_twelve = [[11, 2, 0], [1, 3, 4, 5, 6, 7, 8, 9, 10]]
", convert = FALSE)

test_that("a sampler of pystrat becomes R's own, with the same batches", {
  generator = batch_sampler_python(python$stratified)
  expect_s3_class(generator, c("batch_sampler_stratified", "batch_sampler_generator", "torch_sampler"), exact = TRUE)
  own = sampler_of(rep(c("yes", "no"), times = c(3, 9)), 1, seed = 1)
  for (epoch in 0:2) {
    expect_identical(generator(NULL)$batches(epoch), own$batches(epoch))
  }
  expect_identical(collect_rows(generator, 12), own$batches(0))
})

test_that("a generator function and an iterable of lists are batch samplers, and rows count from 1", {
  expect_identical(
    split_batches(collect_rows(batch_sampler_python(python$asymmetric, n_batches = 3), 7)),
    list(c(1L, 7L, 3L), 6L, c(2L, 4L))
  )
  with_empty = batch_sampler_python(python$plain)
  expect_identical(as.list(collect_rows(with_empty, 4)), list(c(4L, 1L), integer(), 3L))
  expect_identical(lengths(drain(with_empty(NULL)$.iter())), c(2L, 0L, 1L))
})

test_that("samplers of pystrat refuse a dataset of more or fewer rows than theirs", {
  weighted = reticulate::py_run_string("from pystrat import WeightedBatchSampler
weighted = WeightedBatchSampler([1.0] * 12, 3, seed=1)", convert = FALSE)$weighted
  refused = c("row of the dataset, %.0f\\. Got 12 values instead\\.", "made for, 12\\. Got %.0f rows instead\\.")
  samplers = list(python$stratified, weighted)
  for (i in 1:2) {
    for (n_rows in c(11, 13)) {
      expect_error(collect_rows(batch_sampler_python(samplers[[i]]), n_rows), sprintf(refused[i], n_rows))
    }
    expect_length(collect_rows(batch_sampler_python(samplers[[i]]), 12)$rows, 12)
  }
})

test_that("a generator shows the class of its object", {
  generator = batch_sampler_python(python$plain)
  expect_output(print(generator), "<batch_sampler_python> generator\n* Class in Python: list\n* Batches: 3",
    fixed = TRUE)
})

test_that("generators of the same object have the same hash, and those of others do not", {
  skip_if_not_installed("mlr3misc")
  hash = function(...) mlr3misc::calculate_hash(batch_sampler_python(...))
  expect_identical(hash(python$asymmetric, 3), hash(python$asymmetric, 3L))
  expect_false(hash(python$failing, 3) == hash(python$asymmetric, 3))
})

test_that("what is no object of Python is refused", {
  for (sampler in list(function() list(1:3), batch_sampler_stratified(1, strata = 1:3))) {
    expect_error(batch_sampler_python(sampler, n_batches = 1), "must be a Python object.", fixed = TRUE)
  }
})

test_that("an error in Python reaches R whole", {
  expect_error(collect_rows(batch_sampler_python(python$failing, n_batches = 2), 4), "RuntimeError: no second batch",
    fixed = TRUE)
})

test_that("single rows in place of batches, and values that reticulate has converted, are refused with advice", {
  expect_error(collect_rows(batch_sampler_python(python$single), 4), paste(
    "The 'sampler' parameter must give batches of row positions. Got the item 3 instead.",
    "Wrap it in a BatchSampler, which makes batches of single positions."
  ), fixed = TRUE)
  expect_error(batch_sampler_python(reticulate::py_to_r(python$plain)), "'convert = FALSE'", fixed = TRUE)
})

test_that("a generator of a foreign sampler that was saved and loaded says that its Python is gone", {
  file = tempfile(fileext = ".rds")
  saveRDS(batch_sampler_python(python$plain), file)
  expect_error(readRDS(file)(NULL)$batches(0), "Make it again here.", fixed = TRUE)
})

test_that("a generator of a sampler of pystrat needs no Python once it is made", {
  skip_on_cran()
  generator = batch_sampler_python(python$stratified)
  file = tempfile(fileext = ".rds")
  saveRDS(generator, file)
  fresh = callr::r(
    function(file) list(batches = readRDS(file)(NULL)$batches(2), loaded = loadedNamespaces()),
    list(file),
    libpath = c(installed_library(), .libPaths())
  )
  expect_identical(fresh$batches, generator(NULL)$batches(2))
  expect_false("reticulate" %in% fresh$loaded)
})

test_that("a learner trains on the batches of Python, and the sampler keeps the order where it predicts", {
  generator = batch_sampler_python(python$of_twelve)
  task = task_of(c(31:33, 1:9))
  made = trained_with(generator, task)
  expect_identical(as.list(made[[1]]$batches(0)), list(c(12L, 3L, 1L), c(2L, 4:11)))
  for (sampler in predicted_with(generator, task)) expect_identical(sampler$batches(0)$rows, 1:12)
})
