# Whole epochs of training a small network, by the form of the loader, over the same loop on one fixed batch: in
# mlr3torch and in a plain loop. Needs LibTorch.
#
# Arguments: the number of rows, and "mlr3torch" or "plain", to measure these alone.

source(file.path(rbridge::script_folder(), "rounds.R"))

n_columns = 20L
batch_size = 100L
# Epochs of each form after one to warm up, and the largest number of rows that slow forms are measured with: an epoch
# of batches from the task takes time in proportion to the square of the rows.
rounds_of = c("20000" = 7L, "2e+05" = 3L, "1e+06" = 2L)
most_rows = c(task = 2e5, workers = 2e4)
limits = c(rbridge.tensor_loader = 1.1, tensor_loader = 1.1)

now = function() proc.time()[["elapsed"]]

# `seconds` has a column for each form and a row for each round, of which the first one warms up.
show_forms = function(seconds, where, setting) {
  seconds = seconds[-1L, , drop = FALSE]
  floor = seconds[, "one fixed batch"]
  for (form in colnames(seconds)) {
    show_numbers(sprintf("R, %s, ms an epoch, %s, %s", where, form, setting), 1000 * seconds[, form], digits = 0L)
  }
  for (form in setdiff(colnames(seconds), "one fixed batch")) {
    limit = if (form %in% names(limits)) limits[[form]]
    show_numbers(sprintf("R, %s, %s over one fixed batch, %s", where, form, setting), seconds[, form] / floor, limit)
  }
}

show_progress = function(where, form, seconds) message(sprintf("%s, %s: %.2f s", where, form, seconds))

# A loader that yields the same batch again and again.
fixed_loader = function(loader) {
  batch = torch::dataloader_next(torch::dataloader_make_iter(loader))
  n_batches = length(loader)
  structure(list(
    .iter = function() list(.next = function() batch),
    .length = function() n_batches
  ), class = "dataloader")
}

shuffling = function(dataset) torch::dataloader(dataset, batch_size = batch_size, shuffle = TRUE)

# The loader of a training as the callback replaces it.
read_once = function(ctx, ...) {
  callback = mlr3torch::t_clbk("rbridge.tensor_loader", ...)$generate()
  callback$ctx = list2env(list(loader_train = ctx$loader_train, learner = ctx$learner))
  callback$on_begin()
  callback$ctx$loader_train
}

forms_of_mlr3torch = function(ctx, n_rows) {
  loader = ctx$loader_train
  stacked = loader$clone()
  stacked$dataset = utils::getFromNamespace("multi_tensor_dataset", "mlr3torch")(loader$dataset)
  with_workers = loader$clone()
  with_workers$num_workers = 2L
  forms = list(
    "batches from the task, torch's shuffle" = shuffling(loader$dataset),
    "batches from the task" = loader,
    "batches from the task, 2 workers" = with_workers,
    "tensor_dataset = TRUE, torch's shuffle" = shuffling(stacked$dataset),
    "tensor_dataset = TRUE" = stacked,
    "read = table" = read_once(ctx, read = "table"),
    "rbridge.tensor_loader" = read_once(ctx),
    "one fixed batch" = fixed_loader(loader)
  )
  forms[c(rep(n_rows <= most_rows[["task"]], 2L), n_rows <= most_rows[["workers"]], rep(TRUE, 5L))]
}

# In one training, the epochs take turns with the forms of the loader; -> seconds.
measure_mlr3torch = function(data, generator, rounds) {
  seconds = names = NULL
  turns = mlr3torch::torch_callback("turns",
    on_begin = function() {
      self$forms = forms_of_mlr3torch(self$ctx, nrow(data))
      names <<- names(self$forms)
      self$ctx$total_epochs = rounds * length(self$forms)
    },
    on_epoch_begin = function() {
      gc(full = FALSE)
      self$place = 1L + (self$ctx$epoch - 1L) %% length(self$forms)
      self$ctx$loader_train = self$forms[[self$place]]
      self$begin = now()
    },
    on_epoch_end = function() {
      seconds <<- c(seconds, now() - self$begin)
      show_progress("mlr3torch", names[self$place], seconds[length(seconds)])
    }
  )
  learner = mlr3::lrn("classif.mlp", neurons = 32, p = 0, epochs = 1, batch_size = batch_size, seed = 1,
    device = "cpu", batch_sampler = generator, callbacks = turns)
  learner$train(mlr3::as_task_classif(data, target = "y"))
  matrix(seconds, ncol = length(names), byrow = TRUE, dimnames = list(NULL, names))
}

train_on = function(loader) {
  torch::torch_manual_seed(1)
  module = torch::nn_sequential(torch::nn_linear(n_columns, 32), torch::nn_relu(), torch::nn_linear(32, 1))
  optimizer = torch::optim_sgd(module$parameters, lr = 0.01)
  batches = torch::dataloader_make_iter(loader)
  for (step in seq_len(length(loader))) {
    batch = torch::dataloader_next(batches)
    optimizer$zero_grad()
    torch::nnf_binary_cross_entropy_with_logits(module(batch$x)$squeeze(2), batch$y)$backward()
    optimizer$step()
  }
}

# All batches of an epoch of a sampler, one by one.
draw_from = function(sampler) {
  following = sampler$.iter()
  while (!coro::is_exhausted(following())) NULL
}

# Data in R, which a worker gets a copy of: a tensor cannot be sent to another process.
in_r = torch::dataset("in_r",
  initialize = function(x, y) {
    self$x = x
    self$y = y
  },
  .getbatch = function(rows) {
    list(x = torch::torch_tensor(self$x[rows, , drop = FALSE]), y = torch::torch_tensor(self$y[rows]))
  },
  .length = function() length(self$y)
)

forms_of_loop = function(data, generator) {
  arrays = list(x = as.matrix(data[seq_len(n_columns)]), y = as.numeric(data$y == "yes"))
  tensors = lapply(arrays, torch::torch_tensor)
  dataset = do.call(torch::tensor_dataset, tensors)
  sampler = generator(NULL)
  loader = torch::dataloader(dataset, batch_sampler = sampler)
  loaders = list(
    "dataloader, torch's shuffle" = shuffling(dataset),
    "dataloader" = loader,
    "dataloader, 2 workers" = if (nrow(data) <= most_rows[["workers"]]) {
      torch::dataloader(do.call(in_r, arrays), batch_sampler = sampler, num_workers = 2)
    },
    "tensor_loader" = rbridge::tensor_loader(tensors, sampler = sampler),
    "one fixed batch" = fixed_loader(loader)
  )
  forms = lapply(Filter(Negate(is.null), loaders), function(loader) function() train_on(loader))
  c(forms, "the sampler alone" = function() draw_from(sampler))
}

measure_loop = function(data, generator, rounds) {
  forms = forms_of_loop(data, generator)
  do.call(rbind, lapply(seq_len(rounds), function(round) {
    vapply(names(forms), function(name) {
      seconds = seconds_of(forms[[name]])
      show_progress("plain loop", name, seconds)
      seconds
    }, numeric(1L))
  }))
}

measure = function(n_rows, parts) {
  rounds = 1L + rounds_of[[format(n_rows)]]
  data = as.data.frame(matrix(stats::rnorm(n_rows * n_columns), n_rows))
  data$y = factor(ifelse(stats::runif(n_rows) < 0.03, "yes", "no"))
  generator = rbridge::batch_sampler_stratified(mean_batch_size = batch_size, strata = as.character(data$y), seed = 1)
  setting = sprintf("%s rows", format(n_rows, big.mark = ",", scientific = FALSE))
  if ("mlr3torch" %in% parts) {
    show_forms(measure_mlr3torch(data, generator, rounds), "mlr3torch", setting)
  }
  if ("plain" %in% parts) {
    show_forms(measure_loop(data, generator, rounds), "a plain loop", setting)
  }
}

if (!torch::torch_is_installed()) {
  cat("Not measured: training, since there is no LibTorch.\n")
} else {
  suppressMessages(loadNamespace("mlr3torch"))
  lgr::get_logger("mlr3")$set_threshold("warn")
  torch::torch_set_num_threads(1)
  show_versions("torch", "mlr3torch")
  show_head()
  set.seed(1)
  given = commandArgs(trailingOnly = TRUE)
  sizes = if (length(given) > 0L) as.numeric(given[1L]) else as.numeric(names(rounds_of))
  for (n_rows in sizes) {
    measure(n_rows, if (length(given) > 1L) given[2L] else c("mlr3torch", "plain"))
  }
}
