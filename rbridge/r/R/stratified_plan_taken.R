# Plans whose epochs take rows of some strata less or more often than once: shares, repeats, batches of one size.
# Each function returns a plan that has, besides its counts, the rows of the dataset as `available`.

taken_plan = function(counts, names, configuration) {
  if (!is.null(configuration$shares)) {
    return(plan_of_shares(counts, names, configuration))
  }
  if (!is.null(configuration$balance)) {
    return(plan_of_balance(counts, names, configuration))
  }
  if (!is.null(configuration$drop)) {
    return(plan_of_one_size(counts, names, configuration))
  }
  plan_of_repeats(counts, names, configuration)
}

# With weights w, their sum W and sums up to a stratum W_s, an epoch of T rows has floor(T * W_s / W) -
# floor(T * W_(s-1) / W) of stratum s.
plan_of_shares = function(counts, names, configuration) {
  weights = whole_weights(configuration$shares, names)
  size = configuration$mean_batch_size
  n_batches = mean_batches(sum(counts), configuration)
  total = n_batches * size
  if (total > largest_count) {
    stop_large_epoch("mean_batch_size", size)
  }
  if (total * sum(weights) >= largest_exact) {
    shown = if (sum(weights) < largest_exact) sprintf("%.0f", sum(weights)) else "2^53 or more"
    stop_parameter("shares", "have whole weights whose sum, times the rows of an epoch, is below 2^53",
      sprintf("a sum of %s, for %.0f rows,", shown, total), "Give small whole numbers, such as 1 and 3.")
  }
  taken = in_proportion(total, weights)
  if (any(taken == 0)) {
    stop_parameter("shares", "give each stratum at least one row of an epoch",
      sprintf("none of %.0f for '%s'", total, names[which.min(taken)]))
  }
  refuse_twice_in_a_batch("shares", taken, counts, names, n_batches)
  make_plan(taken, names, n_batches, "even", counts)
}

# The same number of rows of every stratum.
plan_of_balance = function(counts, names, configuration) {
  balance = configuration$balance
  rows = switch(as.character(balance), over = max(counts), under = min(counts), balance)
  if (rows * length(counts) > largest_count) {
    stop_large_epoch("balance", balance)
  }
  taken = rep(rows, length(counts))
  n_batches = mean_batches(sum(taken), configuration)
  refuse_twice_in_a_batch("mean_batch_size", taken, counts, names, n_batches)
  make_plan(taken, names, n_batches, "even", counts)
}

# The fewest batches that keep the minimums: an epoch takes max(rows, batches * minimum) of each stratum.
plan_of_repeats = function(counts, names, configuration) {
  minimums = quotas_of(configuration$min_samples_per_stratum, names)
  size = configuration$mean_batch_size
  refuse_beyond("min_samples_per_stratum", minimums, counts, names, "No row occurs twice in a batch.")
  asked = sum(minimums) + any(minimums == 0)
  if (size < asked) {
    stop_parameter("mean_batch_size",
      sprintf("be at least %.0f, for the rows that 'min_samples_per_stratum' asks for in a batch", asked),
      show_value(size))
  }
  n_batches = fewest_batches(counts, minimums, size, replicas_of(configuration))
  taken = pmax(counts, n_batches * minimums)
  if (sum(taken) > largest_count) {
    stop_large_epoch("mean_batch_size", size)
  }
  make_plan(taken, names, n_batches, "even", counts)
}

# Batches of one size: the surplus rows are divided in proportion to what a stratum has beyond one row per batch.
plan_of_one_size = function(counts, names, configuration) {
  size = configuration$mean_batch_size
  n_rows = sum(counts)
  if (size > n_rows) {
    stop_parameter("mean_batch_size", sprintf("be at most %.0f, the number of rows", n_rows), show_value(size))
  }
  n_batches = share_of_replicas(n_rows %/% size, configuration$num_replicas)
  over = n_rows - n_batches * size
  spare = counts - pmin(counts, n_batches)
  leaves_out = sprintf("%s, which leaves out %.0f,", show_value(size), over)
  if (over > sum(spare)) {
    stop_parameter("mean_batch_size",
      sprintf("leave out at most %.0f rows, which strata can spare", sum(spare)), leaves_out)
  }
  if (over * sum(spare) >= largest_exact) {
    stop_parameter("mean_batch_size", "leave out fewer rows, so that all products are below 2^53", leaves_out)
  }
  left_out = if (over > 0) in_proportion(over, spare) else 0 * counts
  make_plan(counts - left_out, names, n_batches, "even", counts)
}

# The weights as whole numbers without a common divisor, in the order of the strata.
whole_weights = function(shares, names) {
  codes = class_codes(names(shares), names, "shares", noun = "stratum")
  if (length(codes) < length(names)) {
    stop_parameter("shares", "name every stratum",
      sprintf("%s too few, '%s' among them,", show_count(length(names) - length(codes), "name"),
        names[!names %in% names(shares)][1L]))
  }
  decimals = lapply(shares, decimal_digits)
  last = max(vapply(decimals, function(decimal) decimal$after, 0))
  whole = vapply(decimals, function(decimal) decimal$digits * 10^(last - decimal$after), 0)
  # Beyond all exact numbers, there is no divisor to find either.
  divisor = if (sum(whole) < largest_exact) Reduce(common_divisor, whole) else 1
  weights = numeric(length(names))
  weights[codes] = whole / divisor
  weights
}

# The digits of a number, and how many of them follow the point, which may be below 0.
# A fraction, or a number from 2^53 on, has the 15 digits with which it is shown.
decimal_digits = function(value) {
  if (value == floor(value) && value < largest_exact) {
    shown = sprintf("%.0f", value)
    exponent = nchar(shown) - 1L
  } else {
    parts = strsplit(sprintf("%.14e", value), "e", fixed = TRUE)[[1L]]
    shown = sub(".", "", parts[1L], fixed = TRUE)
    exponent = as.integer(parts[2L])
  }
  digits = sub("0+$", "", shown)
  list(digits = as.double(digits), after = nchar(digits) - 1L - exponent)
}

common_divisor = function(a, b) {
  while (b > 0) {
    rest = a %% b
    a = b
    b = rest
  }
  a
}

# Divides a total by cumulative rounding: each part is its share, rounded down or up.
in_proportion = function(total, weights) {
  diff(c(0, (total * cumsum(weights)) %/% sum(weights)))
}

# The least multiple of the replicas for which the rows of an epoch fit into full batches.
fewest_batches = function(counts, minimums, size, replicas) {
  fits = function(multiples) {
    n_batches = multiples * replicas
    sum(pmax(counts, n_batches * minimums)) <= n_batches * size
  }
  most = 1
  while (!fits(most)) {
    most = 2 * most
  }
  least = most %/% 2 # does not fit, or is 0
  while (most - least > 1) {
    middle = (least + most) %/% 2
    if (fits(middle)) most = middle else least = middle
  }
  most * replicas
}

# Refuses a plan in which a batch would need more rows of a stratum than there are.
refuse_twice_in_a_batch = function(parameter, taken, counts, names, n_batches) {
  refuse_beyond(parameter, divide_up(taken, n_batches), counts, names,
    "No row occurs twice in a batch. Lower 'mean_batch_size'.")
}

refuse_beyond = function(parameter, most, counts, names, advice) {
  first = which(most > counts)[1L]
  if (!is.na(first)) {
    stop_parameter(parameter,
      sprintf("ask for at most %s of '%s' in a batch", show_count(counts[first], "row"), names[first]),
      sprintf("%.0f", most[first]), advice)
  }
}

stop_large_epoch = function(parameter, value) {
  stop_parameter(parameter, sprintf("give an epoch at most %.0f rows", largest_count), show_value(value))
}
