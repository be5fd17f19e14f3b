# What mlr3torch needs from the sampler that it is making. Up to 0.3.3, it uses the batch sampler of training for
# validation and prediction too, and then expects predictions in the order of the task: any sampler that shuffles would
# give every row the prediction of another.
# The data source does not reveal its purpose, and some datasets of mlr3torch do not reveal their task. The running
# functions do, compared with mlr3torch's own; in doubt, the rows keep their order.

# -> list(
#   keeps_order = whether the rows must come in the order of the dataset,
#   batch_size = the rows of a batch in that case, NULL if unknown,
#   task = the task that mlr3torch trains on, NULL if it does not train
# )
mlr3torch_caller = function(class_name) {
  if (!isNamespaceLoaded("mlr3torch")) {
    return(list(keeps_order = FALSE))
  }
  frames = as.list(sys.frames())
  functions = lapply(seq_along(frames), sys.function)
  roles = vapply(functions, mlr3torch_role, character(1L))
  # mlr3torch also calls an argument 'sampler =', and then treats each batch as one row.
  for (frame in frames[roles == "loader"]) {
    refuse_if(inherits(frame$param_vals$sampler, class_name), "sampler", "be a sampler of single rows",
      sprintf("a generator of class '%s'", class_name), advice = "Pass it as 'batch_sampler ='.")
  }
  purpose = mlr3torch_purpose(functions, roles)
  if (purpose == "unknown") {
    warning("It cannot be told whether mlr3torch trains or predicts. ", class_name,
      " gives the rows in the order of the dataset.", call. = FALSE)
  }
  list(
    keeps_order = purpose %in% c("predict", "unknown"),
    batch_size = innermost(frames[nzchar(roles)], "param_vals")$batch_size,
    task = if (purpose == "train") innermost(frames[roles == "train"], "task")
  )
}

# The role of a function of mlr3torch, "other" if it does not matter here, and "" for functions of other packages.
mlr3torch_role = function(called) {
  namespace = asNamespace("mlr3torch")
  known = c(train = "learner_torch_train", loop = "train_loop", predict = "learner_torch_predict",
    loader = ".__LearnerTorch__.dataloader", predict = ".__LearnerTorch__.dataloader_predict")
  role = Position(function(name) identical(called, namespace[[name]]), known)
  if (!is.na(role)) {
    return(names(known)[role])
  }
  if (!is.primitive(called) && identical(topenv(environment(called)), namespace)) "other" else ""
}

# "train", "predict", "unknown", or "none" if the caller is not mlr3torch.
# The innermost function decides: a callback of a training may predict.
mlr3torch_purpose = function(functions, roles) {
  decisive = Position(function(role) role %in% c("train", "predict"), roles, right = TRUE)
  if (is.na(decisive)) {
    return(if (any(nzchar(roles))) "unknown" else "none")
  }
  if (roles[decisive] == "predict") {
    return("predict")
  }
  # The function that the training called: its dataloader, which a learner may override, a loss that a learner makes for
  # the task, or the loop, in which the sampler is that of a callback. A learner may have one function for both loaders;
  # the first call is that of the training.
  training = sys.frame(decisive)
  loaded = exists("loader_train", envir = training, inherits = FALSE)
  called = functions[[decisive + 1L]]
  if (identical(called, training$private$.loss_fn) || !loaded && identical(called, training$private$.dataloader)) {
    "train"
  } else if (roles[decisive + 1L] == "loop" && !"loader" %in% roles[-seq_len(decisive)]) {
    "none"
  } else {
    "unknown"
  }
}

# The value of a variable in the last of the frames that has it, NULL if none has.
innermost = function(frames, variable) {
  frame = Find(function(frame) exists(variable, envir = frame, inherits = FALSE), rev(frames))
  if (!is.null(frame)) get(variable, envir = frame)
}
