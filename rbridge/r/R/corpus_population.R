# The lines of the files that can be drawn: those that are not too long, and that the user accepts.

check_accept = function(accept) {
  if (!is.null(accept) && !is.function(accept)) {
    stop_parameter("accept", "be a function, or nothing", show_value(accept))
  }
  accept
}

# -> list(remains = for each line of all files whether it does, counts = lines of each file that remain); NULL if there
# are no limits
# `allowed`: whether each line is not too long, NULL if there is no such limit
find_population = function(files, allowed, accept) {
  if (is.null(allowed) && is.null(accept)) {
    return(NULL)
  }
  remains = if (is.null(allowed)) rep(TRUE, sum(files$lines)) else allowed
  if (!is.null(accept)) {
    places = which(remains)
    remains[places] = accepted_lines(files, places, accept)
  }
  list(remains = remains, counts = count_by_file(which(remains), files$lines))
}

accepted_lines = function(files, places, accept) {
  unlist(over_lines(files, places, "asking which lines to accept", function(lines, n_positions) {
    accepted = accept(lines)
    if (!is.logical(accepted) || is.object(accepted) || length(accepted) != n_positions || anyNA(accepted)) {
      stop_parameter("accept", "return true or false for each position", show_value(accepted))
    }
    as.vector(accepted)
  }))
}

# The number of places, ascending numbers over all lines, in each file.
count_by_file = function(places, lines) {
  as.double(diff(c(0, findInterval(cumsum(lines), places))))
}

# The remaining lines in the form of a recipe: one bit for each, lowest first.
population_bits = function(remains) {
  padding = -length(remains) %% 8
  packBits(c(remains, rep(FALSE, padding)))
}

# The number of lines of each file that remain, for a recipe with limits.
remaining_lines = function(parts) {
  count_by_file(which(rawToBits(parts$remaining) == as.raw(1L)), parts$lines)
}

# For a dataset: the numbers of the remaining lines, NULL if there are no limits.
limited_positions = function(files, lengths, max_length, accept) {
  max_length = check_max_length(max_length, files$suffixes)
  allowed = if (!is.null(max_length)) limited_lengths(lengths, files, max_length)$allowed
  population = find_population(files, allowed, check_accept(accept))
  if (!is.null(population)) which(population$remains)
}

# A number of tokens, or one for each side, whose suffixes may be the names, or NULL.
check_max_length = function(max_length, suffixes) {
  n_sides = length(suffixes)
  max_length = plain_value(max_length)
  if (!is.numeric(max_length) || length(max_length) < 2L) {
    return(if (!is.null(max_length)) check_between(max_length, "max_length", 0, largest_count))
  }
  if (length(max_length) != n_sides) {
    stop_parameter("max_length", sprintf("have one number for each side, %d, or be one number", n_sides),
      show_value(max_length))
  }
  limits = as.vector(in_order_of(max_length, list(suffixes), "max_length"))
  vapply(limits, check_between, numeric(1L), "max_length", 0, largest_count)
}
