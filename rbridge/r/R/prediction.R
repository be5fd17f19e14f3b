# mlr3torch up to 0.3.3 uses the batch sampler of training for validation and prediction too, and then takes the
# predictions to be in the order of the task: any sampler that shuffles would give every row the prediction of another.
# Later versions leave samplers to training.
# The data source does not say what it is for, so that the calls under way must.

# The learner's batch size where mlr3torch is making the dataloader of a prediction, otherwise NULL.
prediction_batch_size = function() {
  makes_predictions = function(call) {
    head = call[[1L]]
    is.call(head) && identical(head[[1L]], quote(`$`)) && identical(head[[3L]], quote(.dataloader_predict))
  }
  frame = Position(makes_predictions, sys.calls(), right = TRUE)
  if (!is.na(frame)) sys.frame(frame)$param_vals$batch_size
}

# All rows in the order of the dataset, in consecutive batches of at most `batch_size` rows.
prediction_setup = function(n_rows, batch_size) {
  plan = make_plan(as.double(n_rows), "all rows", ceiling(n_rows / batch_size), "proportional")
  list(codes = rep(1L, n_rows), plan = plan, layout = batch_layout(plan), shuffle = FALSE, seed = 0)
}
