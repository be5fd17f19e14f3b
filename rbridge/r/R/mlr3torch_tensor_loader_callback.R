#' @title Callback That Makes an Epoch Fast
#'
#' @name rbridge.tensor_loader
#'
#' @description
#' A callback for the learners of mlr3torch, `mlr3torch::t_clbk("rbridge.tensor_loader")`: it reads the data of the
#' training and of the validation once, into memory.
#' Guide: \guide{fast-epochs}.
#'
#' With `read = "tensors"`, all data become tensors, whose rows are gathered as [tensor_loader()] does.
#' The trained weights are bitwise those of the same learner with `tensor_dataset = TRUE`; if that is `"device"`,
#' tensors stay on the device.
#'
#' With `read = "table"`, the table of the task is read, and each batch is made from its rows as mlr3torch makes it:
#' with augmentation, `collate_fn`, lazy tensors, an [auxiliary_dataset()] and workers (`num_workers`).
#' The trained weights are bitwise those of the same learner without the callback.
#'
#' @section Parameters:
#' * `chunk` (`integer(1)`)\cr
#'   The number of bytes of tensors to gather at once, at most; 1048576 by default.
#' * `read` (`character(1)`)\cr
#'   `"tensors"` (default) or `"table"`.
#'
#' @section Predictions:
#' mlr3torch calls no callback for predictions after the training, and reads the task once for each `batch_size` rows,
#' which the training does not use: give the learner a large one, such as 10000.
#'
#' @examplesIf requireNamespace("mlr3torch", quietly = TRUE)
#' mlr3::lrn("classif.mlp", epochs = 10, batch_size = 100,
#'   batch_sampler = batch_sampler_stratified(3),
#'   callbacks = mlr3torch::t_clbk("rbridge.tensor_loader"))
NULL

tensor_loader_callback = function() {
  own_callback("tensor_loader",
    param_set = paradox::ps(chunk = paradox::p_dbl(1), read = paradox::p_fct(c("tensors", "table"))),
    initialize = function(chunk = 1048576, read = "tensors") {
      self$chunk = chunk
      self$read = read
    },
    on_begin = function() read_once(self$ctx, self$chunk, self$read),
    label = "Fast Epochs"
  )
}

read_once = function(ctx, chunk, read) {
  training_sampler(ctx, "rbridge.tensor_loader")
  refuse_fast_epochs(read == "tensors" && !is.null(ctx$learner$param_set$values$collate_fn),
    "it has a 'collate_fn', which would not be called")
  # The same batches, from data that are read once.
  as_read = function(loader) {
    if (read == "tensors") {
      return(TensorLoader$new(whole_data(loader$dataset), loader$batch_sampler, chunk = chunk))
    }
    copy = loader$clone()
    copy$dataset = table_dataset(loader$dataset)
    copy
  }
  ctx$loader_train = as_read(ctx$loader_train)
  ctx$loader_valid = if (!is.null(ctx$loader_valid)) as_read(ctx$loader_valid)
}

whole_data = function(dataset) {
  if (inherits(dataset, "multi_tensor_dataset")) {
    return(dataset$data)
  }
  refuse_fast_epochs(inherits(dataset, "auxiliary_dataset"),
    "its dataset is an auxiliary_dataset(), whose values differ between epochs")
  # The steps of lazy tensors that mlr3torch names augmentations; it applies them in training only. Each value of such a
  # column is a number and the description of its data.
  task = source_task(dataset)
  types = task$feature_types
  lazy = if (!is.null(task)) task$data(rows = task$row_ids[1L], cols = types$id[types$type == "lazy_tensor"])
  steps = lapply(lazy, function(column) names(column[[1L]][[2L]]$graph$pipeops))
  augmented = unique(grep("^augment_", unlist(steps), value = TRUE))
  refuse_fast_epochs(length(augmented) > 0L,
    sprintf("it has the augmentation %s, which would be the same in every epoch", show_names(augmented)))
  refuse_fast_epochs(!is.function(.subset2(dataset, ".getbatch")), "its dataset has no method '.getbatch'",
    "Set 'tensor_dataset' of the learner to TRUE, or leave")
  dataset$.getbatch(seq_len(length(dataset)))
}

# What tensors that are read once do not allow, a table often does.
refuse_fast_epochs = function(condition, reason, advice = "Set read = 'table', or leave") {
  if (condition) {
    stop("The callback rbridge.tensor_loader reads the data once, so it cannot be used with this learner: ", reason,
      ". ", advice, " the callback out.", call. = FALSE)
  }
}
