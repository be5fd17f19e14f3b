# The numbers of classes, and the training weights.

show_by_class = function(values) {
  numbers = vapply(unname(values), show_value, "")
  paste(if (is.null(names(values))) numbers else sprintf("'%s': %s", names(values), numbers), collapse = ", ")
}

# The training weight of each class, by name. `given` has the weights of all classes if the user gave any.
downsampled_weights = function(setup, given, normalize) {
  kept = setup$plan$counts
  weights = stats::setNames(if (is.null(given)) setup$rows / kept else given, setup$plan$names)
  if (!normalize) {
    return(weights)
  }
  if (is.null(given)) {
    return(weights * (sum(kept) / sum(setup$rows)))
  }
  relative = weights / max(weights)
  relative / Reduce(`+`, relative * (kept / sum(kept))) # sum() has other last digits than Python
}

downsampled_keep_rates = function(setup) {
  stats::setNames(setup$plan$counts / setup$rows, setup$plan$names)
}

# Rows of the dataset, as numbers from 1 to n.
check_row_positions = function(rows, n) {
  if (!is.numeric(rows) || is.object(rows)) {
    stop_parameter("rows", "hold row positions", sprintf("%s values", class(rows)[1L]))
  }
  wrong = which(is.na(rows) | rows < 1 | rows > n | rows != trunc(rows))
  if (length(wrong) > 0L) {
    stop_parameter("rows", sprintf("hold row positions from 1 to %.0f", n), show_value(rows[wrong[1L]]))
  }
  rows
}
