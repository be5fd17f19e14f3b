# The arguments of batch_sampler_stratified(), checked and normalized: equal settings give equal lists (3 and 3L are the
# same), and nothing is kept that a caller could still change or that refers to the caller's environment.

sampler_configuration = function(min_samples_per_stratum, shuffle, strata, seed, mean_batch_size, shares, balance,
  drop, assign, rare, missing, num_replicas) {
  rare = check_choice(rare, "rare", c("error", "warn", "allow", "repeat"))
  ways = Filter(Negate(is.null), list(shares = shares, balance = balance, drop = drop))
  if (length(ways) > 0L) {
    check_together(ways, min_samples_per_stratum, mean_batch_size, rare)
  } else {
    check_sizes_given(min_samples_per_stratum, mean_batch_size, rare)
  }
  configuration = list(
    min_samples_per_stratum = check_minimum(min_samples_per_stratum),
    mean_batch_size = check_positive(mean_batch_size, "mean_batch_size"),
    shares = if (!is.null(shares)) check_shares(shares),
    balance = if (!is.null(balance)) check_balance(balance),
    drop = if (!is.null(drop)) check_choice(drop, "drop", "balanced"),
    shuffle = check_flag(shuffle, "shuffle"),
    seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed),
    assign = check_choice(assign, "assign", c("proportional", "even")),
    rare = rare,
    missing = check_choice(missing, "missing", c("error", "stratum", "drop")),
    num_replicas = check_positive(num_replicas, "num_replicas")
  )
  c(configuration, list(strata = if (is_deferred(strata)) {
    unicode_text(strata, "strata")
  } else {
    encode_strata(strata, configuration$missing)
  }))
}

# Ways to divide an epoch among batches of a given size; at most one of these is given.
shared_out = c("shares", "balance", "drop")

# One of the two sizes, or both if rows of rare strata are repeated.
check_sizes_given = function(min_samples_per_stratum, mean_batch_size, rare) {
  given = c(!is.null(min_samples_per_stratum), !is.null(mean_batch_size))
  got = if (all(given)) "both" else if (any(given)) "one of them" else "neither"
  if (rare == "repeat" && !all(given)) {
    stop_parameter("min_samples_per_stratum", "be given together with 'mean_batch_size' if 'rare' is 'repeat'", got)
  }
  if (rare != "repeat" && sum(given) != 1L) {
    stop_parameter("min_samples_per_stratum", "be given, or 'mean_batch_size', and not both", got,
      if (all(given)) "To have both, set 'rare' to 'repeat'.")
  }
}

# Only one of the ways to divide an epoch, and what is given with it.
check_together = function(ways, min_samples_per_stratum, mean_batch_size, rare) {
  left_out = sprintf("be left out if '%s' is given", names(ways)[1L])
  if (length(ways) > 1L) {
    stop_parameter(names(ways)[2L], left_out, show_value(ways[[2L]]))
  }
  if (is.null(mean_batch_size)) {
    stop_parameter(names(ways), "be given together with 'mean_batch_size'", show_value(ways[[1L]]),
      if (!is.null(min_samples_per_stratum)) "Leave out 'min_samples_per_stratum'.")
  }
  if (!is.null(min_samples_per_stratum)) {
    stop_parameter("min_samples_per_stratum", left_out, show_value(min_samples_per_stratum))
  }
  if (rare != "error") {
    stop_parameter("rare", left_out, show_value(rare))
  }
}

# The minimum, or the minimum of each stratum by its name.
check_minimum = function(minimum) {
  parameter = "min_samples_per_stratum"
  if (is.null(names(minimum)) && !identical(minimum, list())) {
    return(check_positive(minimum, parameter, "To choose the size of the batches instead, pass 'mean_batch_size'."))
  }
  if (length(minimum) == 0L) {
    stop_parameter(parameter, "ask for at least one row of some stratum", "no stratum")
  }
  names = check_class_names(minimum, parameter, noun = "stratum")
  quotas = vapply(unname(as.list(minimum)), check_quota, 1)
  if (all(quotas == 0)) {
    stop_parameter(parameter, "ask for at least one row of some stratum", "0 of each")
  }
  stats::setNames(quotas, names)
}

check_quota = function(value) {
  value = nearly_whole(value)
  if (!is_whole_number(value) || value < 0) {
    stop_parameter("min_samples_per_stratum", "be a non-negative integer", show_value(value))
  }
  as.double(value)
}

# The share of each stratum by its name.
check_shares = function(shares) {
  if (!(is.numeric(shares) || is.list(shares)) || is.object(shares)) {
    stop_parameter("shares", "be a named vector of numbers", show_value(shares))
  }
  if (length(shares) == 0L) {
    stop_parameter("shares", "name every stratum", "no stratum")
  }
  names = check_class_names(shares, "shares", noun = "stratum")
  stats::setNames(vapply(unname(as.list(shares)), check_number, 1, parameter = "shares", above = TRUE), names)
}

# The number of rows of every stratum in an epoch: "over", "under", or a number.
check_balance = function(balance) {
  if (!is.character(balance) || length(balance) != 1L) {
    return(check_count(balance, "balance"))
  }
  if (!balance %in% c("over", "under")) {
    stop_parameter("balance", "be 'over', 'under' or a positive integer", show_value(balance))
  }
  as.vector(balance)
}
