# The AUM loss of tensors.
# Checks and slopes are plain R, which needs no LibTorch; autograd needs only one sum of tensors.

aum_of_tensors = function(input, target) {
  refuse_if(!is_tensor(input), "input", loss_shapes, show_value(input))
  refuse_if(!is_tensor(target), "target", loss_shapes, show_value(target))
  refuse_if(!input$is_floating_point(), "input", "hold floating point numbers",
    sprintf("%s values", input$dtype$.type()))
  predictions = check_predictions(as.integer(input$shape), tensor_values(input))
  positive = check_labels(as.integer(target$shape), tensor_values(target), n_rows = length(predictions))

  parts = aum_parts(predictions, positive)
  dtype = torch::torch_promote_types(input$dtype, torch::torch_float())
  slopes = torch::torch_tensor(parts$slopes[parts$rows], dtype = dtype, device = input$device)
  sum((input$flatten()$to(dtype = dtype)[parts$rows] - parts$origin) * slopes)
}

# The slopes, and the rows that count, at least one: for the others, the distance from the origin may overflow. The
# slopes add up to 0, so any origin gives the same sum, and an actual prediction gives the least rounding.
aum_parts = function(predictions, positive) {
  slopes = aum_slopes(predictions, positive)
  largest = which.max(abs(slopes))
  list(slopes = slopes, rows = sort(union(largest, which(slopes != 0))), origin = predictions[largest])
}

# The AUM of numbers.
aum_of_numbers = function(predictions, positive) {
  parts = aum_parts(predictions, positive)
  sum((predictions[parts$rows] - parts$origin) * parts$slopes[parts$rows])
}

# The derivative of the loss with respect to each prediction.
aum_slopes = function(predictions, positive) {
  distinct = sort(unique(predictions))
  threshold = match(predictions, distinct)
  # Rows of each class that are tied at each threshold, in ascending order.
  negatives = as.double(tabulate(threshold[!positive], length(distinct)))
  positives = as.double(tabulate(threshold[positive], length(distinct)))
  n_negatives = sum(negatives)
  n_positives = sum(positives)
  # Errors if the threshold is just above and just below the tied rows, each times the number of rows of the other
  # class: so the minimum of the two rates is an integer.
  misses_above = cumsum(positives) * n_negatives
  misses_below = misses_above - positives * n_negatives
  alarms_above = (n_negatives - cumsum(negatives)) * n_positives
  alarms_below = alarms_above + negatives * n_positives
  # What the rows of both classes together add to the minimum, and the excess of the worst ranking over the best.
  step = pmin(alarms_below, misses_below) - pmin(alarms_above, misses_above)
  spread = pmin(alarms_below, misses_above) - pmin(alarms_above, misses_below)
  twice_the_total = ifelse(positive, (step - spread)[threshold], (step + spread)[threshold])
  sharers = ifelse(positive, positives[threshold], negatives[threshold])
  twice_the_total / max(n_negatives * n_positives, 1) / (2 * sharers)
}

# Doubles hold the values of all types exactly.
tensor_values = function(tensor) {
  as.double(torch::as_array(tensor$detach()$cpu()$to(dtype = torch::torch_double())))
}

check_predictions = function(shape, values) {
  check_loss_shape(shape, "input")
  refuse_if(length(values) == 0L, "input", "have at least one value", "0 values")
  wrong = values[!is.finite(values)]
  refuse_if(length(wrong) > 0L, "input", "hold finite numbers", show_value(wrong[1L]))
  values
}

# -> a logical vector, TRUE for positive rows
check_labels = function(shape, values, n_rows) {
  check_loss_shape(shape, "target")
  refuse_if(length(values) != n_rows, "target", sprintf("have one value for each prediction, %d", n_rows),
    show_count(length(values), "value"))
  wrong = values[!values %in% c(0, 1)]
  refuse_if(length(wrong) > 0L, "target", "hold 1 for positive and 0 for negative rows", show_value(wrong[1L]))
  values == 1
}

loss_shapes = "be a tensor of shape (n) or (n, 1)"

check_loss_shape = function(shape, name) {
  refuse_if(!(length(shape) == 1L || (length(shape) == 2L && shape[2L] == 1L)), name, loss_shapes,
    sprintf("a tensor of shape (%s)", paste(shape, collapse = ", ")))
}
