class_weights_callback = function() {
  own_callback("class_weights",
    param_set = paradox::ps(of = paradox::p_fct(c("task", "sampler"))),
    initialize = function(of = "task") self$of = of,
    on_begin = function() weight_loss(self$ctx, self$of),
    label = "Class Weights"
  )
}

weight_loss = function(ctx, of) {
  if (!inherits(ctx$loss_fn, c("nn_bce_with_logits_loss", "nn_cross_entropy_loss"))) {
    stop("The callback rbridge.class_weights needs the loss cross-entropy. Got one of class '", class(ctx$loss_fn)[1L],
      "' instead.", call. = FALSE)
  }
  weights = torch::torch_tensor(loss_weights(ctx, of))
  ctx$loss_fn = mlr3torch::t_loss("cross_entropy", class_weight = weights)$generate(ctx$task_train)
  ctx$loss_fn$to(device = ctx$device)
}

# As mlr3torch's cross-entropy takes them: with two classes, the weight of the positive one if the other has 1.
loss_weights = function(ctx, of) {
  task = ctx$task_train
  if (of == "task") {
    weights = class_weights(task)
  } else {
    sampler = training_sampler(ctx, "rbridge.class_weights")
    if (is.null(sampler$class_weights)) {
      stop("The callback rbridge.class_weights needs a batch sampler with class weights. That of class '",
        class(sampler)[1L], "' has none.", call. = FALSE)
    }
    weights = sampler$class_weights()[task$class_names]
  }
  if (length(weights) == 2L) weights[[1L]] / weights[[2L]] else unname(weights)
}
