#' @title Callbacks for Learners of mlr3torch
#'
#' @name rbridge.callbacks
#' @aliases rbridge.class_weights rbridge.set_epoch rbridge.tensor_loader
#'
#' @description
#' `mlr3torch::t_clbk()` returns them by name; they may be combined, in any order.
#' * `"rbridge.set_epoch"` calls `set_epoch(ctx$epoch - 1)` of the batch sampler before each epoch, for a training that
#'   is resumed or leaves an epoch early.
#'   Without it, a sampler counts its epochs itself, from 0 in each training.
#' * `"rbridge.class_weights"` puts class weights into the cross-entropy of each training, so that every fold of a
#'   resampling has weights of its own.
#' * `"rbridge.tensor_loader"` reads the data of the training and of the validation once, into memory.
#'   mlr3torch calls no callback for predictions after the training, and reads the task once for each `batch_size` rows:
#'   give the learner a large one for them, such as 10000.
#'   Guide: \guide{fast-epochs}.
#'
#' @section Parameters of rbridge.class_weights:
#' * `of` (`character(1)`)\cr
#'   `"task"` (default): the weights that [class_weights()] returns for the training rows.
#'   `"sampler"`: those of the method `class_weights()` of the batch sampler, which undo downsampling and oversampling.
#'
#' @section Parameters of rbridge.tensor_loader:
#' * `chunk` (`integer(1)`)\cr
#'   The number of bytes of tensors to gather at once, at most; 1048576 by default.
#' * `read` (`character(1)`)\cr
#'   `"tensors"` (default): all data become tensors, whose rows are gathered as [tensor_loader()] does.
#'   The trained weights are bitwise those of the same learner with `tensor_dataset = TRUE`; if that is `"device"`,
#'   tensors stay on the device.
#'   `"table"`: each batch is made from the rows of the table of the task as mlr3torch makes it, with augmentation,
#'   `collate_fn`, lazy tensors, an [auxiliary_dataset()] and workers (`num_workers`).
#'   The trained weights are bitwise those of the same learner without the callback.
#'
#' @examplesIf requireNamespace("mlr3torch", quietly = TRUE)
#' mlr3::lrn("classif.mlp", epochs = 10, batch_size = 100, batch_sampler = batch_sampler_stratified(3),
#'   callbacks = mlr3torch::t_clbks(c("rbridge.set_epoch", "rbridge.tensor_loader")))
NULL

register_callbacks = function() {
  mlr3torch::mlr3torch_callbacks$add("rbridge.class_weights", class_weights_callback)
  mlr3torch::mlr3torch_callbacks$add("rbridge.set_epoch", set_epoch_callback)
  mlr3torch::mlr3torch_callbacks$add("rbridge.tensor_loader", tensor_loader_callback)
}

own_callback = function(name, ...) {
  class = paste0("CallbackSetRbridge", gsub("(^|_)([a-z])", "\\U\\2", name, perl = TRUE))
  name = paste0("rbridge.", name)
  mlr3torch::torch_callback(name, classname = class, packages = "rbridge", man = paste0("rbridge::", name),
    parent_env = topenv(), ...)
}

set_epoch_callback = function() {
  own_callback("set_epoch",
    on_epoch_begin = function() { # mlr3torch counts epochs from 1
      training_sampler(self$ctx, "rbridge.set_epoch")$set_epoch(self$ctx$epoch - 1)
    },
    label = "Set Epoch of the Batch Sampler"
  )
}

# The batch sampler of the training, which a callback needs.
training_sampler = function(ctx, callback) {
  sampler = ctx$loader_train$batch_sampler
  if (!inherits(sampler, "epoch_sampler")) {
    # If none is given, torch makes its own.
    none = is.null(sampler) || inherits(sampler, "utils_sampler_batch")
    stop("The callback ", callback, " needs a batch sampler of the package rbridge. ",
      "The learner has ", if (none) "none" else sprintf("one of class '%s'", class(sampler)[1L]), ". ",
      "Set its 'batch_sampler', or leave the callback out.", call. = FALSE)
  }
  sampler
}
