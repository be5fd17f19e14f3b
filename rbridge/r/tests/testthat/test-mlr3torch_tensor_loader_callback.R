# The callback of mlr3torch that reads the data once and gathers the rows of many batches at once.

skip_if_not_installed("mlr3torch")

callback = function(...) mlr3torch::t_clbk("rbridge.tensor_loader", ...)

# A learner that trains; all that its network has learned.
trained = function(..., task = task_of(), batch_sampler = batch_sampler_stratified(2, seed = 1)) {
  learner = mlr3::lrn("classif.mlp", epochs = 3, batch_size = 15, device = "cpu", seed = 1, neurons = 4, p = 0.2,
    batch_sampler = batch_sampler, ...)
  learner$train(task)
}
weights = function(learner) lapply(learner$model$network$parameters, as.numeric)

begin = function(..., read = "tensors") {
  made = callback(read = read)$generate()
  made$ctx = list2env(list(...))
  made$on_begin()
  made$ctx
}

no_learner = list(param_set = list(values = list()))

loader_for = function(dataset, batch_sampler = sampler_of(survey$y, 2, seed = 1)) {
  torch::dataloader(dataset, batch_sampler = batch_sampler)
}

test_that("it is in the dictionary of mlr3torch", {
  expect_true("rbridge.tensor_loader" %in% mlr3torch::mlr3torch_callbacks$keys())
  expect_identical(callback()$id, "rbridge.tensor_loader")
  expect_equal(callback(chunk = 100)$generate()$chunk, 100)
  expect_error(callback(chunk = 0), "chunk: Element 1 is not >= 1", fixed = TRUE)
  expect_error(callback(read = "rows"), "read: Must be element of set {'tensors','table'}", fixed = TRUE)
})

test_that("the trained weights are bitwise those of a learner without it", {
  skip_without_libtorch()
  expected = weights(trained(tensor_dataset = TRUE))
  expect_identical(weights(trained()), expected)
  expect_identical(weights(trained(callbacks = callback(chunk = 200))), expected)
  expect_identical(weights(trained(callbacks = callback(), tensor_dataset = TRUE)), expected)
})

test_that("together with the callback that sets the epoch, in any order, the batches are those of the epochs", {
  skip_without_libtorch()
  sampler = sampler_of(survey$y, 2, seed = 1)
  expected = do.call(c, lapply(0:2, function(epoch) epoch_of(sampler, epoch)))
  both = list(callback(), mlr3torch::t_clbk("rbridge.set_epoch"))
  for (callbacks in list(both, rev(both))) {
    found = record_training(batch_sampler_stratified(2, seed = 1), task_of(), epochs = 3, callbacks = callbacks)
    expect_identical(found, expected)
  }
})

test_that("validation has all rows in order, and the same scores", {
  skip_without_libtorch()
  scores = lapply(list(list(), callback()), function(callbacks) {
    task = task_of(c(1:20, 31:36))
    task$internal_valid_task = task_of(c(21:30, 37:40))
    learner = mlr3::lrn("classif.mlp", epochs = 2, batch_size = 5, device = "cpu", seed = 1, neurons = 4,
      predict_type = "prob", measures_valid = mlr3::msr("classif.logloss"), callbacks = callbacks,
      batch_sampler = batch_sampler_stratified(2, seed = 1))
    mlr3::set_validate(learner, "predefined")
    learner$train(task)
    learner$internal_valid_scores
  })
  expect_identical(scores[[1]], scores[[2]])
})

test_that("lazy tensors are read once; those with augmentation need a table, which augments anew in each epoch", {
  skip_without_libtorch()
  skip_if_not_installed("mlr3pipelines")
  images = torch::torch_randn(40, 1, 4, 4)
  seen = list()
  noise = function(x) {
    x = x + torch::torch_randn_like(x)
    seen[[length(seen) + 1L]] <<- as.numeric(x)
    x
  }
  train = function(callbacks, ...) {
    seen <<- list()
    task = mlr3::as_task_classif(data.frame(y = survey$y), target = "y", id = "images")
    task$cbind(data.table::data.table(image = mlr3torch::as_lazy_tensor(images)))
    learner = mlr3::lrn("classif.mlp", epochs = 2, batch_size = 15, device = "cpu", seed = 1, neurons = 4,
      shape = c(NA, 16), batch_sampler = batch_sampler_stratified(2, seed = 1), callbacks = callbacks)
    steps = list(..., mlr3pipelines::po("trafo_reshape", shape = c(-1, 16)), learner)
    mlr3::as_learner(Reduce(mlr3pipelines::`%>>%`, steps))$train(task)
    seen
  }
  expect_no_error(train(list(callback())))
  # mlr3torch's own augmentations need torchvision.
  augment = function() mlr3torch::PipeOpTaskPreprocTorch$new(noise, id = "augment_noise", stages_init = "train")
  expect_error(train(list(callback()), augment()), paste(
    "The callback rbridge.tensor_loader reads the data once, so it cannot be used with this learner:",
    "it has the augmentation 'augment_noise.image', which would be the same in every epoch.",
    "Set read = 'table', or leave the callback out."
  ), fixed = TRUE)
  plain = train(list(), augment())
  expect_identical(train(list(callback(read = "table")), augment()), plain)
  expect_length(unique(plain), length(plain))
})

test_that("with a table, the trained weights are bitwise those of a learner without the callback", {
  skip_without_libtorch()
  table = callback(read = "table")
  expect_identical(weights(trained(callbacks = table)), weights(trained()))
  both = list(table, mlr3torch::t_clbk("rbridge.set_epoch"))
  expect_identical(weights(trained(callbacks = both)), weights(trained()))
  shuffled = function(batch) lapply(batch, function(leaf) if (is.list(leaf)) lapply(leaf, function(x) x * 2) else leaf)
  expect_identical(weights(trained(callbacks = table, collate_fn = shuffled)), weights(trained(collate_fn = shuffled)))
  expect_false(identical(weights(trained(collate_fn = shuffled)), weights(trained())))
})

test_that("with a table, auxiliary values come with their rows", {
  skip_without_libtorch()
  skip_if_not_installed("yaml")
  spec = list(mode = "shuffle", auxiliary = list(angle = "uniform(-10, 10)"))
  train = function(callbacks) {
    angles = list()
    dataset = function(task) {
      auxiliary_dataset(dataset_for(task), function(batch, aux) {
        angles[[length(angles) + 1L]] <<- aux$angle
        c(batch, list(y = torch::torch_ones(length(aux$angle))))
      })
    }
    learner_of(batch_sampler_tree(spec, batch_size = 6, length = 50, seed = 1), dataset = dataset,
      callbacks = callbacks)$train(task_of())
    angles
  }
  expect_length(train(list()), 9)
  expect_identical(train(callback(read = "table")), train(list()))
})

test_that("what it would change is refused, and so is another batch sampler", {
  plain = dataset_of(40)
  whole = torch::dataset("multi_tensor_dataset", initialize = function() NULL, .length = function() 40)()
  expect_error(begin(loader_train = loader_for(plain), learner = no_learner, read = "table"),
    "its dataset has no field 'task'. Leave the callback out.", fixed = TRUE)
  expect_error(begin(loader_train = loader_for(whole), learner = no_learner, read = "table"),
    "its 'tensor_dataset' is set, so its data are tensors. Set read = 'tensors', or leave the callback out.",
    fixed = TRUE)
  for (case in list(
    list(auxiliary_dataset(plain, function(batch, aux) batch), NULL, "its dataset is an auxiliary_dataset(), whose"),
    list(plain, identity, "it has a 'collate_fn', which would not be called."),
    list(torch::dataset(initialize = function() NULL, .getitem = function(i) i, .length = function() 40)(), NULL,
      "its dataset has no method '.getbatch'. Set 'tensor_dataset' of the learner to TRUE, or leave the callback out.")
  )) {
    learner = list(param_set = list(values = list(collate_fn = case[[2]])))
    expect_error(begin(loader_train = loader_for(case[[1]]), learner = learner), case[[3]], fixed = TRUE)
  }
  other = torch::dataloader(plain, batch_size = 10)
  expect_error(begin(loader_train = other, learner = no_learner),
    "rbridge.tensor_loader needs a batch sampler of the package rbridge. The learner has none.", fixed = TRUE)
})
