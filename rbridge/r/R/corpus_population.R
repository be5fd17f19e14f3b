# The lines of the files that can be drawn: those that are not too long, and that the user accepts.

check_max_length = function(max_length) {
  if (!is.null(max_length)) check_between(max_length, "max_length", 0, largest_count)
}

check_accept = function(accept) {
  if (!is.null(accept) && !is.function(accept)) {
    stop_parameter("accept", "be a function, or nothing", show_value(accept))
  }
  accept
}

# -> list(remains = for each line of all files whether it does, counts = lines of each file that remain); NULL if there
# are no limits
# `lengths` are those of all lines; needed for `max_length`.
find_population = function(files, lengths, max_length, accept) {
  if (is.null(max_length) && is.null(accept)) {
    return(NULL)
  }
  remains = if (is.null(max_length)) rep(TRUE, sum(files$lines)) else lengths <= max_length
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

# The remaining lines of a recipe: list(positions, counts); NULL if all remain.
population_of = function(parts) {
  if (is.null(parts$remaining)) {
    return(NULL)
  }
  positions = which(rawToBits(parts$remaining) == as.raw(1L))
  list(positions = positions, counts = count_by_file(positions, parts$lines))
}

# Recipes may come from files.
check_remaining = function(recipe) {
  parts = recipe$parts
  n_lines = sum(parts$lines)
  required = sprintf("have a bit for each of %s as 'remaining'", show_count(n_lines, "line"))
  if (!is.raw(parts$remaining) || length(parts$remaining) != ceiling(n_lines / 8)) {
    stop_parameter("recipe", required, show_value(parts$remaining))
  }
  last = rawToBits(parts$remaining[length(parts$remaining)])
  used = n_lines - 8 * (length(parts$remaining) - 1)
  if (any(last[seq_along(last) > used] != as.raw(0L))) {
    stop_parameter("recipe", required, "more")
  }
}

# For a dataset: the numbers of the remaining lines, NULL if there are no limits.
limited_positions = function(files, lengths, max_length, accept) {
  max_length = check_max_length(max_length)
  of_lines = if (!is.null(max_length)) line_lengths(lengths, files)
  population = find_population(files, of_lines, max_length, check_accept(accept))
  if (!is.null(population)) which(population$remains)
}
