# The number of kept rows of each class, in exact decimals, and the plan and the weights that follow.

# -> the batch plan of the kept rows, dealt evenly
downsampled_plan = function(strata, configuration) {
  counts = stratum_counts(strata)
  kept = kept_rows(counts, strata$names, configuration)
  smallest = smallest_stratum(kept, strata$names, available = counts)
  n_batches = batches_of_batch_size(sum(kept), smallest, configuration$batch_size, configuration)
  make_plan(kept, strata$names, n_batches, "even", counts)
}

kept_rows = function(counts, names, configuration) {
  if (length(counts) < 2L) {
    stop_parameter("strata", "have at least two classes", "1 class")
  }
  multiplier = configuration$multiplier
  if (!is.null(names(multiplier))) {
    if (!is.null(configuration$majority)) {
      stop_parameter("majority", "be left out if 'multiplier' names the classes", show_value(configuration$majority))
    }
    codes = class_codes(names(multiplier), names, "multiplier")
    minority = min(counts)
  } else {
    codes = majority_code(counts, names, configuration$majority)
    minority = sum(counts) - counts[codes]
  }
  kept = vapply(multiplier, kept_count, 1, minority = minority)
  replace(counts, codes, pmin(counts[codes], kept))
}

majority_code = function(counts, names, majority) {
  if (!is.null(majority)) {
    return(class_codes(majority, names, "majority"))
  }
  if (length(counts) != 2L || counts[1L] == counts[2L]) {
    same = if (length(counts) == 2L) sprintf(", both of %s", show_count(counts[1L], "row")) else ""
    stop_parameter("majority",
      sprintf("be given if there are not two classes of different sizes: there are %d%s", length(counts), same),
      "nothing")
  }
  which.max(counts)
}

# One number, or one for each class, with their names.
check_multiplier = function(multiplier) {
  if (is.null(names(multiplier)) && (!is.list(multiplier) || is.object(multiplier))) {
    return(check_positive_number(multiplier, "multiplier"))
  }
  check_by_class(multiplier, "multiplier")
}

# The given weights of classes, with their names.
check_weights = function(weights) {
  if (is.null(names(weights)) && !identical(weights, list())) {
    stop_parameter("weights", "name the classes", show_value(weights))
  }
  check_by_class(weights, "weights")
}

check_by_class = function(values, parameter) {
  if (length(values) == 0L) {
    stop_parameter(parameter, "name at least one class", "0 values")
  }
  names = check_class_names(values, parameter)
  values = vapply(unname(as.list(values)), check_positive_number, 1, parameter = parameter)
  stats::setNames(values, names)
}

show_by_class = function(values) {
  numbers = vapply(unname(values), show_value, "")
  paste(if (is.null(names(values))) numbers else sprintf("'%s': %s", names(values), numbers), collapse = ", ")
}

# The weights of all classes if some were given, else NULL.
weights_of_classes = function(strata, plan, given) {
  if (!is.null(given)) {
    replace(stratum_counts(strata) / plan$counts, class_codes(names(given), strata$names, "weights"), unname(given))
  }
}

# The training weight of each class, by name. `given` has the weights of all classes if the user gave any.
downsampled_weights = function(setup, given, normalise) {
  kept = setup$plan$counts
  weights = stats::setNames(if (is.null(given)) setup$rows / kept else given, setup$plan$names)
  if (!normalise) {
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
