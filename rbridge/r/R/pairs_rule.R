# The numbers of negatives and of whom, computed by batch_sampler_pairs() before anything is drawn.

# -> list(digits, n_decimals): the ratio as the decimal number of 15 significant digits that is shown.
exact_share = function(ratio) {
  is_number = is.numeric(ratio) && !is.object(ratio) && length(ratio) == 1L && is.finite(ratio)
  if (is_number && ratio > 0 && ratio < 1) {
    decimal = strsplit(sprintf("%.14e", ratio), "e", fixed = TRUE)[[1L]]
    n_decimals = 14 - as.integer(decimal[2L])
    if (n_decimals > 14) {
      return(list(digits = as.double(sub(".", "", decimal[1L], fixed = TRUE)), n_decimals = n_decimals))
    }
  }
  stop_parameter("ratio", "be a number above 0 and below 1", show_value(ratio))
}

# The settings of the ways to draw negatives, each for the methods that it belongs to.
pairs_method = function(method, unique, reject_positives, power, full_users) {
  method = check_choice(method, "method", pairs_methods)
  unique = check_flag(unique, "unique")
  full_users = check_choice(full_users, "full_users", c("error", "skip"))
  if (unique && method == "popularity") {
    stop_parameter("unique", "be false with the method 'popularity'", show_value(unique))
  }
  if (!is.null(power) && method != "popularity") {
    stop_parameter("power", "be left out but with the method 'popularity'", show_value(power))
  }
  if (full_users == "skip" && method != "per_user") {
    stop_parameter("full_users", "be left out but with the method 'per_user'", show_value(full_users))
  }
  if (method == "popularity") {
    power = check_power(if (is.null(power)) 0.75 else power)
  }
  list(method = method, unique = unique, reject_positives = check_flag(reject_positives, "reject_positives"),
    power = power)
}

check_power = function(power) {
  is_number = is.numeric(power) && !is.object(power) && length(power) == 1L
  if (!is_number || !is.finite(power) || power < 0) {
    stop_parameter("power", "be a finite number of at least 0", show_value(power))
  }
  as.vector(power, "double")
}

# -> list(n_users, n_items, cells = (user - 1) * n_items + item - 1 of the positives, in the form of recipes,
#   user_ids, item_ids = the ids by code, NULL if codes were given)
positive_pairs = function(users, items, n_users, n_items) {
  users = pair_codes(users, n_users, "users")
  items = pair_codes(items, n_items, "items")
  if (length(users$codes) != length(items$codes)) {
    stop_parameter("items", sprintf("have one value for each user code, %d", length(users$codes)),
      show_count(length(items$codes), "value"))
  }
  check_table(users$most, items$most)
  cells = sort((users$codes - 1) * items$most + (items$codes - 1), method = "radix")
  repeated = c(FALSE, cells[-1L] == cells[-length(cells)])
  list(n_users = users$most, n_items = items$most, cells = c(cells[!repeated], cells[repeated]),
    user_ids = users$ids, item_ids = items$ids)
}

# -> list(codes = from 1, most = their limit, ids = the ids by code if these were given)
pair_codes = function(values, most, parameter) {
  if (length(dim(values)) > 1L) {
    stop_parameter(parameter, "be a vector of codes or ids", show_count(length(dim(values)), "dimension"))
  }
  if (length(values) == 0L) {
    stop_parameter(parameter, "have at least one code", "0 values")
  }
  if (!is.factor(values) && !(is.character(values) && !is.object(values))) {
    return(check_pair_codes(values, most, parameter))
  }
  numbered = number_ids(values, parameter)
  if (!is.null(most)) {
    stop_parameter(paste0("n_", parameter), sprintf("be left out if '%s' are ids", parameter), show_value(most),
      "Give codes to count those without a positive.")
  }
  numbered
}

# Ids in order of first appearance, like strata; levels that do not occur do not count.
number_ids = function(values, parameter) {
  required = "hold codes, integers from 1, or ids, text or a factor"
  text = unicode_text(if (is.factor(values)) levels(values) else values, parameter, required)
  values = if (is.factor(values)) text[as.integer(values)] else text
  first = unique(values)
  n_missing = sum(is.na(values))
  if (n_missing > 0L) {
    stop_parameter(parameter, "have no missing values",
      sprintf("%d missing of %s", n_missing, show_count(length(values), "row")), "Leave these pairs out.")
  }
  list(codes = as.double(match(values, first)), most = as.double(length(first)), ids = first)
}

check_pair_codes = function(codes, most, parameter) {
  advice = "Ids are text or a factor: factor() makes ids of numbers."
  if (!is.numeric(codes) || is.object(codes)) {
    stop_parameter(parameter, "hold codes, integers from 1", sprintf("%s values", class(codes)[1L]), advice)
  }
  codes = as.double(codes)
  broken = which(is.na(codes) | codes != trunc(codes))
  if (length(broken) > 0L) {
    stop_parameter(parameter, "hold codes, integers from 1", show_value(codes[broken[1L]]), advice)
  }
  largest = if (is.null(most)) .Machine$integer.max else check_code_count(most, paste0("n_", parameter))
  outside = which(codes < 1 | codes > largest)
  if (length(outside) > 0L) {
    stop_parameter(parameter, sprintf("hold codes from 1 to %.0f", largest), show_value(codes[outside[1L]]),
      if (is.null(most)) advice)
  }
  list(codes = codes, most = if (is.null(most)) max(codes) else largest)
}

# The name of a user in messages.
show_user = function(user, positives) {
  ids = positives$user_ids
  if (is.null(ids)) sprintf("user %d", user) else sprintf("user %s", show_value(ids[user]))
}

# The distinct cells, sorted: they come first, each larger than the one before.
distinct_cells = function(cells) {
  repeated = which(cells[-1L] <= cells[-length(cells)])
  if (length(repeated) > 0L) cells[seq_len(repeated[1L])] else cells
}

positives_of_users = function(positives, cells = positives$cells) {
  tabulate(cells %/% positives$n_items + 1, positives$n_users)
}

# The users whose positives are all items, counted from 1.
full_users_of = function(positives) {
  which(positives_of_users(positives, distinct_cells(positives$cells)) == positives$n_items)
}

# The negatives of an epoch: their number, or with "per_user" one number for each user.
negative_counts = function(positives, share, way, skip_full) {
  n_positives = length(positives$cells)
  if (way$method == "per_user") {
    return(negative_counts_of_users(positives, share, way, skip_full))
  }
  count = share_negatives(n_positives, share, n_positives)
  if (way$method == "uniform") {
    n_cells = positives$n_users * positives$n_items
    n_free = n_cells - if (way$reject_positives) length(distinct_cells(positives$cells)) else 0
    if (n_free == 0) {
      stop_parameter("items", "leave a cell that is not a positive",
        sprintf("%s, all of which are positives,", show_count(n_cells, "cell")))
    }
    if (way$unique && count > n_free) {
      stop_parameter("unique",
        sprintf("be false for more negatives than there are cells to draw from, %.0f", n_free),
        sprintf("true and %s", show_count(count, "negative")))
    }
  } else if (way$reject_positives) {
    popularity_acceptance(positives, way$power)
  }
  count
}

negative_counts_of_users = function(positives, share, way, skip_full) {
  of_user = positives_of_users(positives)
  full = if (way$reject_positives) full_users_of(positives)
  if (length(full) > 0L) {
    check_full_users(full, sum(of_user > 0L), skip_full, positives)
    of_user[full] = 0L
  }
  counts = share_negatives(of_user, share, length(positives$cells))
  if (way$unique) {
    check_limits(positives, counts, free_items(positives, way$reject_positives))
  }
  counts
}

# The number of items that can be drawn for each user.
free_items = function(positives, reject_positives = TRUE) {
  limits = rep(positives$n_items, positives$n_users)
  if (reject_positives) limits - positives_of_users(positives, distinct_cells(positives$cells)) else limits
}

# Refuses a number of different negatives of a user that exceeds the items to draw from.
check_limits = function(positives, counts, limits) {
  user = which(counts > limits)[1L]
  if (!is.na(user)) {
    stop_parameter("unique", "be false for more negatives of a user than there are items to draw from",
      sprintf("true and %s for %s, of %s,", show_count(counts[user], "negative"), show_user(user, positives),
        show_count(limits[user], "item")))
  }
}

# Refuses users without a free item, or, if these are skipped, only if all users are like that.
check_full_users = function(full, n_users, skip_full, positives) {
  if (!skip_full) {
    stop_parameter("items", "leave each user an item that is not a positive",
      sprintf("%s without one, the first of them %s,", show_count(length(full), "user"),
        show_user(full[1L], positives)),
      "Leave such users out, or set 'full_users' to 'skip'.")
  }
  if (length(full) == n_users) {
    stop_parameter("items", "leave some user an item that is not a positive",
      sprintf("%s with positives, all without one,", show_count(n_users, "user")))
  }
}

# The increments of the rounded running total of the negatives, for the counts of positives. `n_all` is the number of
# all positives.
share_negatives = function(counts, share, n_all) {
  shares = .Call(C_share_negatives, as.integer(counts), share$digits, share$n_decimals)
  total = sum(shares)
  if (is.infinite(total)) {
    total = sum(counts) * (10^share$n_decimals / share$digits - 1)
  }
  if (n_all + total > .Machine$integer.max) {
    stop_parameter("ratio", sprintf("give at most %d pairs", .Machine$integer.max),
      sprintf("%s pairs", show_value(n_all + total)))
  }
  shares
}

# The share of the draws by popularity that is kept; refused if it is too small, over all users or for one.
popularity_acceptance = function(positives, power) {
  kept = .Call(C_kept_shares, positives$cells, positives$n_users, positives$n_items, power)
  acceptance = sum(kept * positives_of_users(positives)) / length(positives$cells)
  user = which.min(kept)
  found = c(acceptance, kept[user])
  low = which(found < 1 / 100 - 1e-9)[1L] # sums of shares have a smaller rounding error
  if (!is.na(low)) {
    shown = sprintf("%.3g", round(found[low], 6) + 0)
    stop_parameter("method", "keep at least 1/100 of what is drawn",
      sprintf("'popularity', which keeps %s for %s,", shown, c("all users", show_user(user, positives))[low]),
      "Lower 'power', use another method, or set 'reject_positives' to false.")
  }
  acceptance
}

# The number of batches; refused if a batch would lack a positive or a negative.
pairs_batches = function(n_positives, n_negatives, batch_size, num_replicas) {
  replicas = if (is.null(num_replicas)) 1 else num_replicas
  fewest = min(n_positives, n_negatives)
  numbers = sprintf("of %s and %s", show_count(n_positives, "positive"), show_count(n_negatives, "negative"))
  if (n_negatives == 0) {
    stop_parameter("ratio", "leave room for a negative", paste("an epoch", numbers))
  }
  n_batches = round_to_replicas(divide_up(n_positives + n_negatives, batch_size), replicas, "up")
  if (n_batches <= fewest) {
    return(n_batches)
  }
  most = round_to_replicas(fewest, replicas, "down")
  requirement = sprintf("so that every batch has a positive and a negative %s", numbers)
  if (most == 0) {
    stop_parameter("num_replicas", sprintf("be at most %.0f, %s", fewest, requirement), show_value(replicas))
  }
  stop_parameter("batch_size",
    sprintf("be at least %.0f, %s", divide_up(n_positives + n_negatives, most), requirement), show_value(batch_size))
}
