# What samplers share that are told something between batches: arguments, and batches drawn one after another.

# Vectors and tensors alike.
vector_or_tensor = function(value, parameter, required, of) {
  plain = if (inherits(value, "torch_tensor")) torch::as_array(value) else value
  if (!is.numeric(plain)) {
    stop_parameter(parameter, required, sprintf("a value of class '%s'", class(plain)[1L]), of = of)
  }
  if (is.object(plain)) as.double(plain) else plain
}

# Positions of rows from 1 to n, as integers.
row_positions = function(rows, n, parameter, of) {
  .Call(C_row_positions, vector_or_tensor(rows, parameter, "hold row positions", of), n, parameter, of)
}

# One double for each row, or any number of doubles.
feedback_values = function(values, parameter, of, n_rows = NULL) {
  values = as.double(vector_or_tensor(values, parameter, "hold numbers", of))
  if (!is.null(n_rows) && length(values) != n_rows) {
    stop_parameter(parameter, sprintf("have one value for each row, %.0f", n_rows), show_count(length(values), "value"),
      of = of)
  }
  values
}

# The state of a random number generator after set.seed(seed): integers, as many as .Random.seed has without its kind.
new_stream = function(seed) {
  .Call(C_new_stream, seed)
}
