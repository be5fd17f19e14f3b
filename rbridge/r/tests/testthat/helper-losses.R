# Cases of losses.json, and the AUM loss of tensors.

# What becomes a tensor: a vector, or a matrix for a list of vectors.
loss_values = function(given) {
  rows = lapply(given, as_value)
  nested = vapply(given, function(row) is.list(row) && is.null(names(row)), logical(1L))
  if (any(nested)) do.call(rbind, rows) else as.double(unlist(rows))
}

# The loss of tensors and its gradient.
tensor_loss = function(predictions, labels, dtype = torch::torch_double()) {
  input = torch::torch_tensor(predictions, dtype = dtype, requires_grad = TRUE)
  loss = aum_loss()(input, torch::torch_tensor(labels))
  loss$backward()
  list(loss = loss$item(), gradient = torch::as_array(input$grad))
}
