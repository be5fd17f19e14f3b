# The generator in the learners of mlr3torch.

skip_if_not_installed("mlr3torch")

loadNamespace("mlr3torch")

built_in = list(
  classif.mlp = list(),
  classif.tab_resnet = list(n_blocks = 1, d_block = 4, d_hidden = 4, dropout1 = 0, dropout2 = 0),
  classif.ft_transformer = list(n_blocks = 1, d_token = 8, ffn_d_hidden_multiplier = 2),
  classif.torch_featureless = list()
)

expected = function() sampler_of(survey$y[40:1], 2, seed = 1)$batches(4)

test_that("built-in learners, and those of a module, take the generator and train with it", {
  for (key in names(built_in)) {
    generator = recorded(batch_sampler_stratified(2, seed = 1))
    learner = do.call(mlr3::lrn, c(list(key, epochs = 1, batch_size = 15, device = "cpu", batch_sampler = generator),
      built_in[[key]]))
    run_mlr3torch(learner$train(task_of(40:1)))
    expect_length(instances_of(generator), 1)
    expect_identical(instances_of(generator)[[1]]$batches(4), expected(), info = key)
  }
  made = trained_with(batch_sampler_stratified(2, seed = 1), task_of(40:1))
  expect_length(made, 1)
  expect_identical(made[[1]]$epoch, 1)
  expect_identical(made[[1]]$batches(4), expected())
})

test_that("a network put together of pipe operators trains with it", {
  po = mlr3pipelines::po
  `%>>%` = mlr3pipelines::`%>>%`
  generator = recorded(batch_sampler_stratified(2, seed = 1))
  graph = po("torch_ingress_num") %>>% po("nn_head") %>>% po("torch_loss", "cross_entropy") %>>%
    po("torch_optimizer", "adam") %>>%
    po("torch_model_classif", epochs = 1, batch_size = 15, device = "cpu", batch_sampler = generator,
      predict_type = "prob")
  learner = mlr3::as_learner(graph)
  task = task_of(40:1)
  run_mlr3torch(learner$train(task))
  # Without LibTorch the network of the graph cannot be put together, so that nothing is trained.
  if (torch::torch_is_installed()) {
    expect_length(instances_of(generator), 1)
    expect_identical(instances_of(generator)[[1]]$batches(4), expected())
    one_by_one = vapply(task$row_ids, function(row) learner$predict(task, row)$prob[, "yes"], numeric(1L))
    expect_equal(unname(learner$predict(task)$prob[, "yes"]), unname(one_by_one), tolerance = 1e-5)
  }
  model = graph$pipeops$torch_model_classif
  expect_s3_class(model$param_set$values$batch_sampler, "batch_sampler_stratified")
  expect_identical(learner$param_set$values$torch_model_classif.batch_sampler, generator)
})

test_that("the seed of the learner governs the sampler where it has none of its own", {
  skip_without_libtorch()
  epochs_of = function(seed) {
    trained_with(batch_sampler_stratified(2), task_of(), seed = seed)[[1]]$batches(0)
  }
  expect_identical(epochs_of(3), epochs_of(3))
  expect_false(identical(epochs_of(3), epochs_of(4)))
})
