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
