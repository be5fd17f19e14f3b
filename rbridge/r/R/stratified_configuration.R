# The arguments of batch_sampler_stratified(), checked and normalised: equal settings give equal lists (3 and 3L are
# one), and nothing that a caller could still change or that refers to the caller's environment is kept.

sampler_configuration = function(min_samples_per_stratum, shuffle, strata, seed, mean_batch_size, assign, rare, missing,
  num_replicas) {
  check_one_given(min_samples_per_stratum, mean_batch_size)
  configuration = list(
    min_samples_per_stratum = check_positive(min_samples_per_stratum, "min_samples_per_stratum",
      "To choose the size of the batches instead, pass 'mean_batch_size'."),
    mean_batch_size = check_positive(mean_batch_size, "mean_batch_size"),
    shuffle = check_flag(shuffle, "shuffle"),
    seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed),
    assign = check_choice(assign, "assign", c("proportional", "even")),
    rare = check_choice(rare, "rare", c("error", "warn", "allow")),
    missing = check_choice(missing, "missing", c("error", "stratum", "drop")),
    num_replicas = check_positive(num_replicas, "num_replicas")
  )
  c(configuration, list(strata = if (is_deferred(strata)) {
    if (!is.null(strata)) enc2utf8(as.vector(strata))
  } else {
    encode_strata(strata, configuration$missing)
  }))
}

# Without strata the dataset says what they are, and text may be the names of its columns.
is_deferred = function(strata) {
  is.null(strata) || (is.character(strata) && !is.object(strata) && is.null(dim(strata)) && length(strata) > 0L)
}

check_one_given = function(min_samples_per_stratum, mean_batch_size) {
  given = c(!is.null(min_samples_per_stratum), !is.null(mean_batch_size))
  if (sum(given) != 1L) {
    stop_parameter("min_samples_per_stratum", "be given, or 'mean_batch_size', and not both",
      got = if (any(given)) "both" else "neither")
  }
}

is_whole_number = function(value) {
  is.numeric(value) && !is.object(value) && length(value) == 1L && is.finite(value) && value == floor(value)
}

# `advice` is for a number that is not whole.
check_positive = function(value, parameter, advice = NULL) {
  if (is.null(value)) {
    return(NULL)
  }
  value = nearly_whole(value)
  if (!is_whole_number(value) || value < 1) {
    is_fraction = is.numeric(value) && !is.object(value) && length(value) == 1L && is.finite(value) &&
      value != floor(value)
    stop_parameter(parameter, "be a positive integer", show_value(value), if (is_fraction) advice)
  }
  as.double(value)
}

# One that must be given.
check_count = function(value, parameter) {
  if (is.null(value)) {
    stop_parameter(parameter, "be a positive integer", "nothing")
  }
  check_positive(value, parameter)
}

check_range = function(value, parameter, largest) {
  check_between(value, parameter, 0, largest)
}

check_flag = function(value, parameter) {
  if (!is.logical(value) || length(value) != 1L || is.na(value)) {
    stop_parameter(parameter, "be true or false", show_value(value))
  }
  as.vector(value)
}

check_choice = function(value, parameter, choices) {
  if (!is.character(value) || length(value) != 1L || !value %in% choices) {
    stop_parameter(parameter, paste("be one of", show_names(choices)), show_value(value))
  }
  as.vector(value)
}
