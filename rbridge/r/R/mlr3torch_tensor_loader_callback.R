#' @title Callback That Makes an Epoch Fast
#'
#' @name rbridge.tensor_loader
#'
#' @description
#' A callback for the learners of mlr3torch: it reads the data of the training and of the validation once, and gathers
#' the rows of many batches at once, as [tensor_loader()] does.
#' The batches, and with them the trained weights, are bitwise those of the same learner with `tensor_dataset = TRUE`,
#' whether or not that is set.
#'
#' mlr3torch itself requests each batch from the task.
#' The task then compares the rows of the batch with all of its rows, so the time of an epoch grows with the square of
#' their number.
#'
#' Get it with `mlr3torch::t_clbk("rbridge.tensor_loader")`.
#' It is in the dictionary of mlr3torch as soon as both packages are loaded, in any order.
#' It may be combined with [rbridge.set_epoch], in any order.
#'
#' The data must fit into memory as tensors.
#' If the learner has `tensor_dataset = "device"`, they stay on that device.
#' Workers (`num_workers`) are not used.
#' Predictions after the training do not use callbacks; for these, set a large `batch_size` after the training.
#'
#' @section Parameters:
#' * `chunk` (`integer(1)`)\cr
#'   The number of bytes to gather at once, at most; 4194304 by default.
#'
#' @section Errors:
#' The learner has no `batch_sampler`, or one that is not of this package.
#' It has a `collate_fn`.
#' A column is a lazy tensor with augmentation, such as `augment_random_crop`, or the dataset is an
#' [auxiliary_dataset()]: data that are read once would be the same in every epoch.
#' The dataset has no method `.getbatch()`, and `tensor_dataset` is not set.
#'
#' @examples
#' if (requireNamespace("mlr3torch", quietly = TRUE)) {
#'   mlr3::lrn("classif.mlp",
#'     epochs = 10, batch_size = 100,
#'     batch_sampler = batch_sampler_stratified(min_samples_per_stratum = 3),
#'     callbacks = mlr3torch::t_clbk("rbridge.tensor_loader")
#'   )
#' }
NULL

tensor_loader_callback = function() {
  mlr3torch::torch_callback("rbridge.tensor_loader",
    classname = "CallbackSetRbridgeTensorLoader",
    initialize = function(chunk = 4194304) self$chunk = check_between(chunk, "chunk", 1, largest_exact),
    on_begin = function() use_tensor_loaders(self$ctx, self$chunk),
    label = "Fast Epochs",
    packages = "rbridge",
    man = "rbridge::rbridge.tensor_loader",
    parent_env = topenv()
  )
}

use_tensor_loaders = function(ctx, chunk) {
  name_errors("rbridge.tensor_loader")
  training_sampler(ctx, "rbridge.tensor_loader")
  if (!is.null(ctx$learner$param_set$values$collate_fn)) {
    stop_fast_epochs("it has a 'collate_fn', which would not be called")
  }
  ctx$loader_train = as_tensor_loader(ctx$loader_train, chunk)
  if (!is.null(ctx$loader_valid)) {
    ctx$loader_valid = as_tensor_loader(ctx$loader_valid, chunk)
  }
}

# The same batches as those of a dataloader, from data that are read once.
as_tensor_loader = function(loader, chunk) {
  TensorLoader$new(whole_data(loader$dataset), loader$batch_sampler, chunk = chunk)
}

whole_data = function(dataset) {
  if (inherits(dataset, "multi_tensor_dataset")) {
    return(dataset$data)
  }
  if (inherits(dataset, "auxiliary_dataset")) {
    stop_fast_epochs("its dataset is an auxiliary_dataset(), whose values differ between epochs")
  }
  augmented = augmentations_of(source_task(dataset))
  if (length(augmented) > 0L) {
    stop_fast_epochs(sprintf("it has the augmentation %s, which would be the same in every epoch",
      show_names(augmented)))
  }
  if (!is.function(.subset2(dataset, ".getbatch"))) {
    stop_fast_epochs("its dataset has no method '.getbatch'", "Set its 'tensor_dataset' to TRUE, or leave")
  }
  dataset$.getbatch(seq_len(length(dataset)))
}

# The steps of lazy tensors that mlr3torch names augmentations; it applies them in training only. Each value of such a
# column is a number and the description of its data.
augmentations_of = function(task) {
  if (is.null(task)) {
    return(character())
  }
  types = task$feature_types
  columns = task$data(rows = task$row_ids[1L], cols = types$id[types$type == "lazy_tensor"])
  steps = lapply(columns, function(column) names(column[[1L]][[2L]]$graph$pipeops))
  unique(grep("^augment_", unlist(steps), value = TRUE))
}

stop_fast_epochs = function(reason, advice = "Leave") {
  stop("The callback rbridge.tensor_loader reads the data once, so it cannot be used with this learner: ", reason, ". ",
    advice, " the callback out.", call. = FALSE)
}
