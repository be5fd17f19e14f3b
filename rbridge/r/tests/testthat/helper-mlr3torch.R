# Tasks of mlr3 and learners of mlr3torch. Training and prediction run the code of mlr3torch itself: with LibTorch to
# the end, without it up to the first tensor, after it has made its dataloaders and begun the first epoch.

survey = data.frame(
  y = factor(rep(c("no", "yes"), times = c(30, 10)), levels = c("yes", "no")),
  sex = rep(c("f", "m"), length.out = 40),
  x = seq_len(40) / 40,
  site = rep(c(1L, 2L, 1L, NA), each = 10)
)

task_of = function(rows = seq_len(40)) {
  skip_if_not_installed("mlr3")
  task = mlr3::as_task_classif(survey, target = "y", id = "simulated")
  task$filter(rows)
  # Features without missing values, in tensors
  task$set_col_roles(c("site", "sex"), roles = character())
  task
}

# The dataset that mlr3torch makes from a task.
dataset_for = function(task) {
  skip_if_not_installed("mlr3torch")
  ingress = mlr3torch::TorchIngressToken(features = "x", batchgetter = mlr3torch::batchgetter_num, shape = c(NA, 1))
  mlr3torch::task_dataset(task, list(x = ingress))
}

# A network, an optimizer and a loss without parameters, which need no tensor to be made.
constant_network = torch::nn_module("constant_network",
  initialize = function(task) NULL,
  forward = function(x) torch::torch_zeros(x$shape[1], 1, requires_grad = TRUE)
)

idle_optimizer = function() {
  generator = torch::optimizer("idle", initialize = function(params) NULL, step = function() NULL,
    zero_grad = function() NULL, state_dict = function() list())
  mlr3torch::as_torch_optimizer(generator, id = "idle")
}

mean_loss = function() {
  generator = torch::nn_module(c("mean_loss", "nn_loss"),
    initialize = function() NULL, forward = function(input, target) input$mean())
  mlr3torch::TorchLoss$new(generator, id = "mean", task_types = c("classif", "regr"))
}

# A learner of mlr3torch with that network; `dataset` replaces what mlr3torch makes of the task.
learner_of = function(batch_sampler, ..., batch_size = 15, dataset = NULL, callbacks = list()) {
  skip_if_not_installed("mlr3torch")
  class = if (is.null(dataset)) {
    mlr3torch::LearnerTorchModule
  } else {
    R6::R6Class("LearnerTorchOwnDataset", inherit = mlr3torch::LearnerTorchModule, private = list(
      .dataset = function(task, param_vals) dataset(task)
    ))
  }
  learner = class$new(
    task_type = "classif",
    module_generator = constant_network,
    ingress_tokens = list(x = mlr3torch::ingress_num()),
    optimizer = idle_optimizer(),
    loss = mean_loss(),
    callbacks = callbacks
  )
  learner$param_set$set_values(epochs = 1, batch_size = batch_size, device = "cpu", batch_sampler = batch_sampler, ...)
  learner
}

# A generator that also keeps the instances which it makes.
recorded = function(generator) {
  made = new.env()
  made$instances = list()
  record = function(data_source) {
    instance = generator(data_source)
    made$instances = c(made$instances, list(instance))
    instance
  }
  structure(record, class = class(generator), made = made)
}

instances_of = function(recorded) attr(recorded, "made")$instances

# Runs mlr3torch: what it asks LibTorch before it makes a tensor is answered, and the first tensor ends it in silence.
run_mlr3torch = function(code) {
  skip_if_not_installed("mlr3torch")
  if (torch::torch_is_installed()) {
    return(force(code))
  }
  local_mocked_bindings(
    with_torch_settings = function(seed, num_threads = 1, num_interop_threads = 1, expr) expr,
    torch_device = function(...) list(type = "cpu"),
    .package = "mlr3torch"
  )
  tryCatch(code, error = function(condition) {
    if (!grepl("Lantern is not loaded", conditionMessage(condition), fixed = TRUE)) {
      stop(condition)
    }
  })
}

# The instances that mlr3torch makes with `generator` where a learner trains on a task.
trained_with = function(generator, task, ...) {
  generator = recorded(generator)
  run_mlr3torch(learner_of(generator, ...)$train(task))
  instances_of(generator)
}

# A learner that can predict, without any training.
as_trained = function(learner, task) {
  network = constant_network(task)
  columns = c(task$feature_names, task$target_names)
  model = list(network = network, seed = 1L, epochs = 1L, callbacks = list(),
    task_col_info = data.table::copy(task$col_info[columns, c("id", "type", "levels")]))
  learner$state = list(model = structure(model, class = c("learner_torch_model", "list")), train_task = task,
    param_vals = learner$param_set$values, data_prototype = task$data(rows = integer()), task_prototype = task)
  learner
}

# The instances that mlr3torch makes with `generator` where a learner predicts.
predicted_with = function(generator, task, newdata = NULL, ...) {
  generator = recorded(generator)
  learner = as_trained(learner_of(generator, ...), task)
  run_mlr3torch(if (is.null(newdata)) learner$predict(task) else learner$predict_newdata(newdata))
  instances_of(generator)
}

# Whether the installed mlr3torch makes a sampler for validation and prediction too, as versions up to 0.3.3 do. Later
# versions use samplers in training only, and keep the order of the rows themselves.
samples_predictions = function() length(predicted_with(batch_sampler_stratified(2), task_of())) > 0L

# The rows of all batches of a training, in the order in which the network got them.
record_training = function(generator, task, epochs, callbacks = list(), ...) {
  recorder = mlr3torch::torch_callback("recorder",
    initialize = function() self$batches = list(),
    on_batch_end = function() {
      self$batches[[length(self$batches) + 1L]] = as.integer(self$ctx$batch$.index$cpu())
    },
    state_dict = function() self$batches,
    load_state_dict = function(state_dict) self$batches = state_dict
  )
  learner = mlr3::lrn("classif.mlp", epochs = epochs, batch_size = 100, device = "cpu", seed = 1, neurons = 4,
    batch_sampler = generator, callbacks = c(list(recorder), callbacks), ...)
  learner$train(task)
  learner$model$callbacks$recorder
}
