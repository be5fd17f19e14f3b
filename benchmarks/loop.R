# Whole epochs of training a small network, by the form of the loader, over the same loop on one fixed batch: in
# mlr3torch and in a plain loop. Times are those of the processor. Needs LibTorch.

n_columns = 20L
batch_size = 100L
# Epochs of each form, and the largest number of rows that the slow forms are measured with.
rounds_of = c("20000" = 7L, "2e+05" = 3L, "1e+06" = 2L)
most_rows = c(task = 2e5, tensor_dataset = 2e5)

processor_seconds = function() sum(proc.time()[c("user.self", "sys.self")])

show_numbers = function(what, numbers, reach = NULL, digits = 3L) {
  found = stats::quantile(numbers, c(0.5, 0.25, 0.75))
  verdict = if (is.null(reach)) "" else if (found[[1L]] <= reach) "reached" else "NOT reached"
  number = sprintf("%%.%df", digits)
  limit = if (is.null(reach)) "" else format(reach)
  line = paste0("| %s | ", number, " | ", number, " to ", number, " | %s | %s |\n")
  cat(sprintf(line, what, found[[1L]], found[[2L]], found[[3L]], limit, verdict))
}

# `seconds` has a column for each form and a row for each round; `limits` are those of some forms, by name.
show_forms = function(seconds, where, setting, limits) {
  for (form in colnames(seconds)) {
    show_numbers(sprintf("R, %s, ms an epoch, %s, %s", where, form, setting), 1000 * seconds[, form], digits = 0L)
  }
  for (form in setdiff(colnames(seconds), "one fixed batch")) {
    show_numbers(sprintf("R, %s, %s over one fixed batch, %s", where, form, setting),
      seconds[, form] / seconds[, "one fixed batch"], if (form %in% names(limits)) limits[[form]])
  }
}

# A loader that yields the same batch again and again.
fixed_loader = function(loader) {
  batch = torch::dataloader_next(torch::dataloader_make_iter(loader))
  n_batches = length(loader)
  structure(list(
    .iter = function() list(.next = function() batch),
    .length = function() n_batches
  ), class = "dataloader")
}

# In one training, the epochs take turns with the forms of the loader; -> seconds.
measure_mlr3torch = function(data, generator, rounds) {
  seconds = NULL
  turns = mlr3torch::torch_callback("turns",
    on_begin = function() {
      loader = self$ctx$loader_train
      own = function(...) mlr3torch::t_clbk(...)$generate()
      fast = own("rbridge.tensor_loader")
      fast$ctx = list2env(list(loader_train = loader, learner = self$ctx$learner))
      fast$on_begin()
      stacked = loader$clone()
      stacked$dataset = utils::getFromNamespace("multi_tensor_dataset", "mlr3torch")(loader$dataset)
      self$forms = list(
        "batches from the task" = loader, "tensor_dataset = TRUE" = stacked,
        "rbridge.tensor_loader" = fast$ctx$loader_train, "one fixed batch" = fixed_loader(loader)
      )
      if (nrow(data) > most_rows[["task"]]) self$forms[[1L]] = NULL
      if (nrow(data) > most_rows[["tensor_dataset"]]) self$forms[["tensor_dataset = TRUE"]] = NULL
    },
    on_epoch_begin = function() {
      gc(full = FALSE)
      self$ctx$loader_train = self$forms[[1L + (self$ctx$epoch - 1L) %% length(self$forms)]]
      self$begin = processor_seconds()
    },
    on_epoch_end = function() {
      seconds <<- c(seconds, processor_seconds() - self$begin)
      self$ctx$total_epochs = rounds * length(self$forms)
      names = names(self$forms)
      if (length(seconds) == rounds * length(names)) {
        seconds <<- matrix(seconds, ncol = length(names), byrow = TRUE, dimnames = list(NULL, names))
      }
    }
  )
  learner = mlr3::lrn("classif.mlp", neurons = 32, p = 0, epochs = rounds, batch_size = batch_size, seed = 1,
    device = "cpu", batch_sampler = generator, callbacks = turns)
  learner$train(mlr3::as_task_classif(data, target = "y"))
  seconds
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

measure_loop = function(data, generator, rounds) {
  tensors = list(x = torch::torch_tensor(as.matrix(data[seq_len(n_columns)])), y = torch::torch_tensor(data$y == "yes",
    dtype = torch::torch_float()))
  sampler = generator(NULL)
  loader = torch::dataloader(do.call(torch::tensor_dataset, tensors), batch_sampler = sampler)
  forms = list(
    "dataloader" = loader,
    "tensor_loader" = rbridge::tensor_loader(tensors, sampler = sampler),
    "one fixed batch" = fixed_loader(loader)
  )
  if (nrow(data) > most_rows[["tensor_dataset"]]) forms[["dataloader"]] = NULL
  train_on(forms[["tensor_loader"]])
  t(vapply(seq_len(rounds), function(round) {
    vapply(forms, function(form) {
      gc(full = FALSE)
      begin = processor_seconds()
      train_on(form)
      processor_seconds() - begin
    }, numeric(1L))
  }, numeric(length(forms))))
}

measure = function(n_rows) {
  rounds = rounds_of[[format(n_rows)]]
  data = as.data.frame(matrix(stats::rnorm(n_rows * n_columns), n_rows))
  data$y = factor(ifelse(stats::runif(n_rows) < 0.03, "yes", "no"))
  generator = rbridge::batch_sampler_stratified(mean_batch_size = batch_size, strata = as.character(data$y), seed = 1)
  setting = sprintf("%s rows", format(n_rows, big.mark = ",", scientific = FALSE))
  limits = c(rbridge.tensor_loader = 1.1, tensor_loader = 1.1)
  show_forms(measure_mlr3torch(data, generator, rounds), "mlr3torch", setting, limits)
  show_forms(measure_loop(data, generator, rounds), "a plain loop", setting, limits)
}

if (!torch::torch_is_installed()) {
  cat("Not measured: training, since there is no LibTorch.\n")
} else {
  suppressMessages(loadNamespace("mlr3torch"))
  lgr::get_logger("mlr3")$set_threshold("warn")
  torch::torch_set_num_threads(1)
  cat("| what | ratio | quartiles | at most | |\n| --- | --- | --- | --- | --- |\n")
  set.seed(1)
  sizes = as.numeric(commandArgs(trailingOnly = TRUE))
  for (n_rows in if (length(sizes)) sizes else as.numeric(names(rounds_of))) {
    measure(n_rows)
  }
}
