# The callback of mlr3torch that sets the epoch of the sampler.

skip_if_not_installed("mlr3torch")

callback = function() mlr3torch::t_clbk("rbridge.set_epoch")

# The part of mlr3torch's context that this callback reads: 0.3.3 itself always begins at epoch 1.
context_of = function(batch_sampler, epoch) {
  loader = torch::dataloader(dataset_of(40), batch_sampler = batch_sampler, collate_fn = identity)
  list2env(list(loader_train = loader, epoch = epoch))
}

begin_epoch = function(context) {
  set = callback()$generate()
  set$ctx = context
  set$on_epoch_begin()
}

test_that("it is in the dictionary of mlr3torch, whichever package is loaded first", {
  expect_true("rbridge.set_epoch" %in% mlr3torch::mlr3torch_callbacks$keys())
  skip_on_cran()
  found = callr::r(function() {
    loadNamespace("mlr3torch")
    loadNamespace("rbridge")
    mlr3torch::t_clbk("rbridge.set_epoch")$id
  }, libpath = c(installed_library(), .libPaths()))
  expect_identical(found, "rbridge.set_epoch")
})

test_that("a training that begins or is resumed has the epochs 0, 1, 2, also after one that was broken off", {
  sampler = sampler_of(survey$y, 2, seed = 1)
  sampler$.iter()()
  for (epoch in c(1, 2, 3, 8)) {
    context = context_of(sampler, epoch)
    begin_epoch(context)
    expect_identical(sampler$epoch, epoch - 1)
    expect_identical(coro::collect(context$loader_train), epoch_of(sampler_of(survey$y, 2, seed = 1), epoch - 1))
  }
})

test_that("in a training of mlr3torch it is called before the first batch", {
  seen = new.env()
  look = mlr3torch::torch_callback("look", on_epoch_begin = function() {
    seen$before = self$ctx$loader_train$batch_sampler$epoch
    self$ctx$loader_train$batch_sampler$set_epoch(5)
  })
  generator = recorded(batch_sampler_stratified(2, seed = 1))
  run_mlr3torch(learner_of(generator, callbacks = list(look, callback()))$train(task_of()))
  expect_identical(seen$before, 0)
  expect_identical(instances_of(generator)[[1]]$epoch, 1, info = "epoch 0, which has been taken, and not 5")
})

test_that("a training that goes on within an epoch asks for the length after each batch, and gets that of the rest", {
  instance = trained_with(batch_sampler_stratified(2, seed = 1), task_of())[[1L]]
  whole = instance$set_epoch(3)$.length()
  expect_identical(whole, 5L)
  following = instance$set_epoch(4, batches_done = 2)$.iter()
  for (step in 1:3) {
    expect_identical(instance$.length(), 3L)
    expect_false(coro::is_exhausted(following()))
  }
  expect_identical(instance$.length(), 3L)
  instance$.iter()
  expect_identical(instance$.length(), whole)
})

test_that("another batch sampler, and none, is a clear error", {
  other = torch::sampler("other", initialize = function(data_source) NULL, .iter = function() NULL,
    .length = function() 1L)
  expect_error(begin_epoch(context_of(other(NULL), 1)), paste(
    "The callback rbridge.set_epoch needs a batch sampler of the package rbridge.",
    "The learner has one of class 'other'. Set its 'batch_sampler', or leave the callback out."
  ), fixed = TRUE)
  none = list2env(list(loader_train = torch::dataloader(dataset_of(40), batch_size = 10), epoch = 1))
  expect_error(begin_epoch(none), "The learner has none. Set its 'batch_sampler'", fixed = TRUE)
})
