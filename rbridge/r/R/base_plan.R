# The batch plan: what follows from the sizes of the strata alone, before any row or random number.
# Counts and batch numbers are integers stored as doubles, exact below 2^53.

# -> list(
#   counts = the rows of each stratum in an epoch, names, n_batches,
#   minimum = the rows of every stratum that each batch is guaranteed to hold, assign, available = the rows in the
#   dataset
# )
stratified_plan = function(strata, configuration) {
  counts = stratum_counts(strata)
  if (configuration$rare == "repeat" || !all(vapply(configuration[shared_out], is.null, NA))) {
    return(taken_plan(counts, strata$names, configuration))
  }
  if (!is.null(names(configuration$min_samples_per_stratum))) {
    return(plan_of_quotas(counts, strata$names, configuration))
  }
  smallest = smallest_stratum(counts, strata$names)
  if (is.null(configuration$mean_batch_size)) {
    n_batches = batches_of_minimum(smallest, configuration)
    assign = configuration$assign
  } else {
    n_batches = batches_of_mean(sum(counts), smallest, configuration)
    # Proportional batches could be empty if there are more batches than rows of every stratum.
    assign = if (n_batches > smallest$rows) "even" else configuration$assign
  }
  make_plan(counts, strata$names, n_batches, assign)
}

stratum_counts = function(strata) {
  as.double(tabulate(strata$codes, length(strata$names)))
}

# If a 'multiplier' keeps `counts` of the `available` rows, `kept_of` is the number it keeps them of, and NULL for a
# whole stratum.
# Among strata of the same size, choose one that is whole: keeping more rows of the others would not help.
smallest_stratum = function(counts, names, available = counts) {
  smallest = order(counts, counts < available)[1L]
  kept_of = if (counts[smallest] < available[smallest]) available[smallest]
  list(rows = counts[smallest], name = names[smallest], kept_of = kept_of)
}

make_plan = function(counts, names, n_batches, assign, available = counts) {
  list(counts = counts, names = names, n_batches = n_batches, minimum = min(counts) %/% n_batches, assign = assign,
    available = available)
}

# Whether an epoch takes the rows of some stratum less or more often than once.
takes_again = function(plan) {
  any(plan$counts != plan$available)
}

# The minimum of each stratum: the same for all, or those that are named and 0.
quotas_of = function(minimum, names) {
  if (is.null(names(minimum))) {
    return(rep(minimum, length(names)))
  }
  replace(numeric(length(names)), class_codes(names(minimum), names, "min_samples_per_stratum", noun = "stratum"),
    unname(minimum))
}

# The largest number of batches that keeps a minimum for each stratum.
plan_of_quotas = function(counts, names, configuration) {
  quotas = quotas_of(configuration$min_samples_per_stratum, names)
  promised = which(quotas > 0)
  tightest = promised[which.min(counts[promised] %/% quotas[promised])]
  n_rows = counts[tightest]
  quota = quotas[tightest]
  replicas = replicas_of(configuration)
  most = n_rows %/% replicas
  if (quota > n_rows && configuration$rare == "error" && most > 0) {
    stop_parameter("min_samples_per_stratum",
      sprintf("ask for at most %s of '%s', which has %.0f", show_count(most, "row"), names[tightest], n_rows),
      show_value(quota), "Lower it, or set 'rare' to 'warn' or 'allow'.")
  }
  n_batches = max(1, n_rows %/% quota)
  if (n_batches < replicas) {
    stop_replicas(n_batches, replicas, if (most > 0) {
      sprintf("Lower the number of '%s' in 'min_samples_per_stratum' to at most %.0f.", names[tightest], most)
    } else {
      sprintf("'%s' has %s.", names[tightest], show_count(n_rows, "row"))
    })
  }
  short = which(quotas > counts)[1L]
  if (!is.na(short) && configuration$rare == "warn") {
    warning(sprintf(
      "The stratum '%s' has %s, and the 'min_samples_per_stratum' parameter asks for %s: all rows are in one batch.",
      names[short], show_count(counts[short], "row"), show_value(quotas[short])), call. = FALSE)
  }
  n_batches = round_to_replicas(n_batches, replicas, "down")
  make_plan(counts, names, n_batches, if (n_batches > min(counts)) "even" else configuration$assign)
}

batches_of_minimum = function(smallest, configuration) {
  minimum = configuration$min_samples_per_stratum
  replicas = replicas_of(configuration)
  largest = smallest$rows %/% replicas
  if (minimum > smallest$rows && configuration$rare == "error" && largest > 0) {
    stop_parameter("min_samples_per_stratum",
      sprintf("be at most %.0f: %s", largest, show_smallest(smallest)), show_value(minimum),
      advice = "Lower it, or set 'rare' to 'warn' or 'allow'.")
  }
  n_batches = max(1, smallest$rows %/% minimum)
  if (n_batches < replicas) {
    stop_replicas(n_batches, replicas, advice = if (largest > 0) {
      sprintf("Lower 'min_samples_per_stratum' to at most %.0f.", largest)
    } else {
      capitalise(paste0(show_smallest(smallest), "."))
    })
  }
  if (minimum > smallest$rows && configuration$rare == "warn") {
    warning(sprintf("%s, and the 'min_samples_per_stratum' parameter is %s: all rows are in one batch.",
      capitalise(show_smallest(smallest)), show_value(minimum)), call. = FALSE)
  }
  round_to_replicas(n_batches, replicas, "down")
}

# The number of batches of the mean size, rounded down to a multiple of the replicas.
mean_batches = function(n_rows, configuration) {
  mean = configuration$mean_batch_size
  replicas = replicas_of(configuration)
  # n_rows / mean, rounded half up in integers
  n_batches = max(1, (2 * n_rows + mean) %/% (2 * mean))
  if (n_batches < replicas) {
    largest = (2 * n_rows) %/% (2 * replicas - 1)
    stop_replicas(n_batches, replicas, advice = if (largest > 0) {
      sprintf("Lower 'mean_batch_size' to at most %.0f.", largest)
    })
  }
  round_to_replicas(n_batches, replicas, "down")
}

batches_of_mean = function(n_rows, smallest, configuration) {
  mean = configuration$mean_batch_size
  replicas = replicas_of(configuration)
  n_batches = mean_batches(n_rows, configuration)
  if (n_batches > smallest$rows && configuration$rare == "error") {
    stop_mean(n_rows, smallest, n_batches, mean, replicas)
  }
  if (n_batches > smallest$rows && configuration$rare == "warn") {
    warning(sprintf("%s, and the 'mean_batch_size' parameter makes %.0f batches: some batches hold no row of it.",
      capitalise(show_smallest(smallest)), n_batches), call. = FALSE)
  }
  n_batches
}

# The fewest batches of at most `batch_size` rows, each with at least one row of every stratum.
batches_of_batch_size = function(n_rows, smallest, batch_size, configuration) {
  replicas = replicas_of(configuration)
  n_batches = round_to_replicas(divide_up(n_rows, batch_size), replicas, "up")
  if (n_batches <= smallest$rows) {
    return(n_batches)
  }
  most = round_to_replicas(smallest$rows, replicas, "down")
  if (most == 0) {
    stop_parameter("num_replicas", sprintf("be at most %.0f: %s", smallest$rows, show_smallest(smallest)),
      show_value(replicas), advice = if (is.null(smallest$kept_of)) "Lower it." else "Lower it, or raise 'multiplier'.")
  }
  stop_parameter("batch_size",
    sprintf("be at least %.0f, for at most %s: %s", divide_up(n_rows, most), show_batches(most),
      show_smallest(smallest)),
    sprintf("%s, for %s,", show_value(batch_size), show_batches(n_batches)),
    advice = if (is.null(smallest$kept_of)) "Raise it." else "Raise it, or 'multiplier'.")
}

stop_mean = function(n_rows, smallest, n_batches, mean, replicas) {
  advice = "it, or set 'rare' to 'warn' or 'allow'."
  most = round_to_replicas(smallest$rows, replicas, "down")
  if (most == 0) {
    stop_parameter("num_replicas", sprintf("be at most %.0f: %s", smallest$rows, show_smallest(smallest)),
      show_value(replicas), advice = paste("Lower", advice))
  }
  # The smallest size for which rounding half up, then down to a multiple of the replicas, gives at most `most` batches.
  least = (2 * n_rows) %/% (2 * (most + replicas - 1) + 1) + 1
  stop_parameter("mean_batch_size",
    sprintf("be at least %.0f, for at most %s: %s", least, show_batches(most), show_smallest(smallest)),
    sprintf("%s, for %s,", show_value(mean), show_batches(n_batches)), advice = paste("Raise", advice))
}

replicas_of = function(configuration) {
  if (is.null(configuration$num_replicas)) 1 else configuration$num_replicas
}

show_smallest = function(smallest) {
  has = if (is.null(smallest$kept_of)) {
    sprintf("has %s", show_count(smallest$rows, "row"))
  } else {
    sprintf("keeps %.0f of %s", smallest$rows, show_count(smallest$kept_of, "row"))
  }
  sprintf("the smallest stratum, '%s', %s", smallest$name, has)
}

show_batches = function(n_batches) {
  if (n_batches == 1) "1 batch" else sprintf("%.0f batches", n_batches)
}

capitalise = function(text) {
  paste0(toupper(substr(text, 1L, 1L)), substr(text, 2L, nchar(text)))
}

# The number of rows before each batch, and finally of all rows: integers, one more than there are batches.
batch_offsets = function(plan) {
  .Call(C_batch_offsets, plan$counts, plan$n_batches, plan$assign == "even")
}

batch_sizes = function(plan) {
  diff(batch_offsets(plan))
}

# Rows of each stratum in each batch: a matrix of integers, one row per batch, one column per stratum.
batch_composition = function(plan) {
  .Call(C_batch_composition, plan$counts, plan$n_batches, plan$assign == "even")
}

# The same as a data.frame, whose columns have the exact names of the strata.
composition_table = function(plan) {
  structure(as.data.frame(batch_composition(plan)), names = plan$names)
}
