# The lengths of lines in tokens, and the lines that limits leave.

# The length of each line: its words on the longest side, or by a function of its sides.
line_lengths = function(by, table) {
  if (identical(by, "words")) {
    return(do.call(pmax.int, word_counts(table)))
  }
  refuse_if(!is.function(by), "by", "be 'words', or a function of lines", show_value(by))
  lines = seq_len(sum(table$lines))
  unlist(over_lines(table, lines, "finding the lengths of lines", function(lines, n_positions) {
    found = by(lines)
    refuse_if(length(found) != n_positions, "by", "return a number for each position", show_value(found))
    found
  }))
}

# The lines that are neither too long nor rejected; NULL if there are no limits.
remaining_lines = function(table, max_length, accept) {
  check_function(accept, "accept")
  if (is.null(max_length) && is.null(accept)) {
    return(NULL)
  }
  remains = rep(TRUE, sum(table$lines))
  if (!is.null(max_length)) {
    limits = plain_value(max_length)
    n_sides = length(table$suffixes)
    limits = if (is.numeric(limits) && length(limits) > 1L) as.list(limits) else rep(list(limits), n_sides)
    refuse_if(length(limits) != n_sides, "max_length",
      sprintf("have one number for each side, %d, or be one number", n_sides), show_value(max_length))
    limits = in_order_of(limits, list(table$suffixes), "max_length")
    limits = lapply(limits, check_between, "max_length", 0, largest_count)
    remains = Reduce(`&`, Map(`<=`, word_counts(table), limits))
  }
  if (!is.null(accept)) {
    lines = which(remains)
    remains[lines] = unlist(over_lines(table, lines, "asking which lines to accept", function(lines, n_positions) {
      accepted = accept(lines)
      refuse_if(!is.logical(accepted) || is.object(accepted) || length(accepted) != n_positions || anyNA(accepted),
        "accept", "return true or false for each position", show_value(accepted))
      as.vector(accepted)
    }))
  }
  which(remains)
}

# A function of lines, or NULL.
check_function = function(value, name) {
  refuse_if(!is.null(value) && !is.function(value), name, "be a function, or nothing", show_value(value))
  value
}
