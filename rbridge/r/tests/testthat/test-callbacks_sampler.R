# Samplers of a real Python, through reticulate. tests/bridge has more of them, from both sides.

skip_without_python()

python = reticulate::py_run_string("
from pystrat import StratifiedBatchSampler

stratified = StratifiedBatchSampler(['yes'] * 3 + ['no'] * 9, 1, seed=1)

class InTwo:
    def __len__(self):
        return 2

    def batches(self, epoch):
        if epoch == 3:
            raise ValueError('no epoch 3')
        return [[4 + epoch, epoch], [1 + epoch, 3 + epoch, 2 + epoch]]

in_two = InTwo()

def asymmetric():
    yield from ([0, 6, 2], [5], [1, 3])

def with_gap(place):
    batches = [[4, 0], [2]]
    batches.insert(int(place), [])
    return batches

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

test_that("a sampler whose batches Python makes keeps the contract of a torch sampler", {
  generator = batch_sampler_python(python$in_two)
  expect_s3_class(generator, c("batch_sampler_python", "batch_sampler_generator", "torch_sampler"), exact = TRUE)
  expect_output(print(generator), "<batch_sampler_python> generator\n* class in Python: InTwo", fixed = TRUE)
  instance = generator(NULL)
  expect_identical(instance$.length(), 2L)
  expect_identical(next_epoch_of(instance), list(c(5L, 1L), c(2L, 4L, 3L)))
  expect_identical(instance$epoch, 1)
  iterator = instance$.iter()
  instance$set_epoch(2L)
  expect_identical(iterator(), c(7L, 3L), info = "the epoch is taken when the first batch is asked for")
  expect_identical(iterator(), c(4L, 6L, 5L))
  expect_true(coro::is_exhausted(iterator()))
  expect_true(coro::is_exhausted(iterator()))
  expect_error(instance$.iter()(), "^ValueError: no epoch 3$")
  expect_identical(instance$epoch, 3, info = "an epoch that failed was not taken")
  expect_output(print(instance), "* batches: 2\n* next epoch: 3", fixed = TRUE)
  expect_error(instance$set_epoch(-1), "must be an integer from 0 to 6700000. Got -1 instead.", fixed = TRUE)
})

test_that("a generator function and lists are batch samplers, also with empty batches, and rows count from 1", {
  collected = collect_rows(batch_sampler_python(python$asymmetric, n_batches = 3), 7)
  expect_identical(as.list(collected), list(c(1L, 7L, 3L), 6L, c(2L, 4L)))
  for (place in 0:2) {
    generator = batch_sampler_python(python$with_gap(place))
    batches = append(list(c(5L, 1L), 3L), list(integer()), after = place)
    expect_identical(as.list(collect_rows(generator, 5)), batches)
    expect_identical(drain(generator(NULL)$.iter()), batches)
  }
})

test_that("a sampler that was saved and loaded says that its Python is gone", {
  file = tempfile(fileext = ".rds")
  saveRDS(batch_sampler_python(python$of_twelve), file)
  expect_error(readRDS(file)(NULL)$batches(0), "Make it again here.", fixed = TRUE)
})

test_that("a learner trains on the batches of Python, and the sampler keeps the order where it predicts", {
  generator = batch_sampler_python(python$of_twelve)
  task = task_of(c(31:33, 1:9))
  made = trained_with(generator, task)
  expect_identical(as.list(made[[1]]$batches(0)), list(c(12L, 3L, 1L), c(2L, 4:11)))
  for (sampler in predicted_with(generator, task)) expect_identical(sampler$batches(0)$rows, 1:12)
})
