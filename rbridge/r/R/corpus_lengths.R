# The lengths of lines in tokens, and the lines that limits leave.

# The length of each line: its words, by a function of its sides, or as given.
# -> a list with a vector for each side, or with one for all
line_lengths = function(lengths, table) {
  n = sum(table$lines)
  n_sides = length(table$paths)
  if (is.null(lengths) || identical(lengths, "words")) {
    return(word_counts(table))
  }
  if (is.function(lengths)) {
    return(list(lengths_by(lengths, table)))
  }
  required = sprintf("be 'words', a function of the lines of a position, or whole numbers from 0 to %.0f, %.0f of them",
    largest_count, n)
  lengths = exact_numbers(lengths)
  is_matrix = !is.null(dim(lengths))
  fits = if (is_matrix) identical(as.double(dim(lengths)), c(n, n_sides)) else length(lengths) == n
  if (!is.numeric(lengths) || is.object(lengths) || !fits) {
    stop_parameter("lengths", required, show_value(lengths))
  }
  check_lengths(as.vector(lengths), required)
  if (is_matrix) lapply(seq_len(n_sides), function(side) as.integer(lengths[, side])) else list(as.integer(lengths))
}

lengths_by = function(lengths, table) {
  required = sprintf("return a whole number from 0 to %.0f for each position", largest_count)
  found = over_lines(table, seq_len(sum(table$lines)), "finding the lengths of lines", function(lines, n_positions) {
    returned = plain_value(lengths(lines))
    if (!is.numeric(returned) || is.object(returned) || length(returned) != n_positions) {
      stop_parameter("lengths", required, show_value(returned))
    }
    check_lengths(as.vector(returned), required)
  })
  as.integer(unlist(found))
}

check_lengths = function(lengths, required) {
  wrong = which(!(lengths >= 0 & lengths <= largest_count & lengths == floor(lengths)) | is.na(lengths))
  if (length(wrong) > 0L) {
    stop_parameter("lengths", required, show_value(lengths[wrong[1L]]))
  }
  as.integer(lengths)
}

# Whether each line is neither too long nor rejected; NULL if there are no limits.
remaining_lines = function(table, lengths, max_length, accept) {
  if (!is.null(lengths) && is.null(max_length)) {
    stop_parameter("lengths", "be given together with 'max_length'", show_value(lengths))
  }
  if (is.null(max_length) && is.null(accept)) {
    return(NULL)
  }
  limits = check_max_length(max_length, table$suffixes)
  remains = rep(TRUE, sum(table$lines))
  if (!is.null(limits)) {
    found = line_lengths(lengths, table)
    if (length(limits) > length(found)) {
      stop_parameter("lengths", "be 'words' or have a column for each side if 'max_length' does", show_value(lengths))
    }
    remains = Reduce(`&`, Map(`<=`, found, limits))
  }
  if (!is.null(accept)) {
    lines = which(remains)
    remains[lines] = unlist(over_lines(table, lines, "asking which lines to accept", function(lines, n_positions) {
      check_accepted(accept(lines), n_positions)
    }))
  }
  remains
}

check_accepted = function(accepted, n_positions) {
  if (!is.logical(accepted) || is.object(accepted) || length(accepted) != n_positions || anyNA(accepted)) {
    stop_parameter("accept", "return true or false for each position", show_value(accepted))
  }
  as.vector(accepted)
}

# A number of tokens, or one for each side, whose suffixes may be the names, or NULL.
check_max_length = function(max_length, suffixes) {
  max_length = plain_value(max_length)
  if (!is.numeric(max_length) || length(max_length) < 2L) {
    return(if (!is.null(max_length)) check_between(max_length, "max_length", 0, largest_count))
  }
  if (length(max_length) != length(suffixes)) {
    stop_parameter("max_length", sprintf("have one number for each side, %d, or be one number", length(suffixes)),
      show_value(max_length))
  }
  limits = as.vector(in_order_of(max_length, list(suffixes), "max_length"))
  vapply(limits, check_between, numeric(1L), "max_length", 0, largest_count)
}

# A function of lines, or NULL.
check_function = function(value, name) {
  if (!is.null(value) && !is.function(value)) {
    stop_parameter(name, "be a function, or nothing", show_value(value))
  }
  value
}

# The remaining lines in the form of a recipe: one bit for each, lowest first.
population_bits = function(remains) packBits(c(remains, rep(FALSE, -length(remains) %% 8)))

# The number of places, ascending numbers over all lines, in each file.
count_by_file = function(places, lines) as.double(diff(c(0, findInterval(cumsum(lines), places))))

# The number of lines of each file that remain, for a recipe with limits.
remaining_counts = function(parts) {
  count_by_file(which(rawToBits(parts$remaining) == as.raw(1L)), parts$lines)
}
