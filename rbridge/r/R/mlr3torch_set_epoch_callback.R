#' @title Callback That Sets the Epoch of the Sampler
#'
#' @name rbridge.set_epoch
#'
#' @description
#' A callback for the learners of mlr3torch, `mlr3torch::t_clbk("rbridge.set_epoch")`: before each epoch, it calls
#' `set_epoch(ctx$epoch - 1)` of the batch sampler, for trainings that are resumed or leave an epoch early.
#' Without it, a sampler counts its epochs itself, from 0 in each training.
#'
#' @examplesIf requireNamespace("mlr3torch", quietly = TRUE)
#' mlr3::lrn("classif.mlp", epochs = 10, batch_size = 100,
#'   batch_sampler = batch_sampler_stratified(3),
#'   callbacks = mlr3torch::t_clbk("rbridge.set_epoch"))
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
