# The lengths of examples in tokens, for batches of examples of similar length.

lines_at_a_time = 4096 # that are read for a user's function

# For a sampler of a dataset with given lengths.
fits_lengths = function(recipe, data_source, task) {
  if (by_length(recipe$parts)) {
    check_given_values("lengths", task)
  }
}

# Numbers from the user -> integers
read_lengths = function(lengths, n) {
  required = sprintf("be %.0f whole numbers from 0 to %.0f, one for each line", n, largest_count)
  lengths = plain_value(lengths)
  if (!is.numeric(lengths) || is.object(lengths) || !is.null(dim(lengths)) || length(lengths) != n) {
    stop_parameter("lengths", required, show_value(lengths))
  }
  check_lengths(lengths, required)
}

check_lengths = function(lengths, required) {
  wrong = which(!(lengths >= 0 & lengths <= largest_count & lengths == floor(lengths)) | is.na(lengths))
  if (length(wrong) > 0L) {
    stop_parameter("lengths", required, show_value(lengths[wrong[1L]]))
  }
  as.integer(lengths)
}

# The lengths of the lines of all files: by words on the longest side, by a function of lines, or given as numbers.
line_lengths = function(lengths, files) {
  if (is.null(lengths) || identical(lengths, "words")) {
    return(unlist(lapply(seq_along(files$names), function(file) most_words(files, file))))
  }
  if (is.function(lengths)) {
    return(lengths_by(lengths, files))
  }
  if (is.character(lengths)) {
    stop_parameter("lengths", "be 'words', a function of the lines of a position, or a number for each line",
      show_value(lengths))
  }
  read_lengths(lengths, sum(files$lines))
}

most_words = function(files, file) {
  do.call(pmax.int, lapply(seq_along(files$suffixes), function(side) words_of_side(files, file, side)))
}

words_of_side = function(files, file, side) {
  count_words(files$paths[[side]][file], files$versions[[side]][file], files$lines[file])
}

# The lengths of the lines of all files, and whether each line is allowed, NULL if all are: list(of_lines, allowed)
# `max_length` is one number, one for each side, or NULL.
limited_lengths = function(lengths, files, max_length) {
  if (length(max_length) < 2L) {
    of_lines = line_lengths(lengths, files)
    return(list(of_lines = of_lines, allowed = if (!is.null(max_length)) of_lines <= max_length))
  }
  of_sides = side_lengths(lengths, files)
  list(of_lines = do.call(pmax.int, of_sides), allowed = Reduce(`&`, Map(`<=`, of_sides, max_length)))
}

# The lengths of the lines of all files, a vector for each side.
side_lengths = function(lengths, files) {
  n_sides = length(files$suffixes)
  if (is.null(lengths) || identical(lengths, "words")) {
    return(lapply(seq_len(n_sides), function(side) {
      unlist(lapply(seq_along(files$names), function(file) words_of_side(files, file, side)))
    }))
  }
  n = sum(files$lines)
  required = sprintf("be 'words', or whole numbers of shape (%.0f, %d), if 'max_length' has a limit for each side", n,
    n_sides)
  lengths = exact_numbers(lengths)
  if (!is.numeric(lengths) || is.object(lengths) || !identical(as.double(dim(lengths)), c(n, n_sides))) {
    stop_parameter("lengths", required, show_value(lengths))
  }
  check_lengths(as.vector(lengths), required)
  lapply(seq_len(n_sides), function(side) as.integer(lengths[, side]))
}

# The number of words, separated by ASCII whitespace, in each line of a file of `n_lines` lines.
count_words = function(path, version, n_lines) {
  input = file(path, "rb")
  on.exit(close(input))
  tick = progress_ticker(paste("counting words of", path), ceiling(file.size(path) / index_block))
  counts = list()
  line = NULL
  repeat {
    block = readBin(input, "raw", index_block)
    if (length(block) == 0L) {
      break
    }
    found = .Call(C_count_words, block, line)
    counts[[length(counts) + 1L]] = found$counts
    line = found$line
    tick()
  }
  rest = if (!is.null(line) && line[3L] == 1L) line[1L]
  counts = c(integer(), unlist(counts), rest)
  check_versions(path, version)
  if (length(counts) != n_lines) { # the file was written to while it was read
    stop_changed(path)
  }
  counts
}

lengths_by = function(lengths, files) {
  required = sprintf("return a whole number from 0 to %.0f for each position", largest_count)
  found = over_lines(files, seq_len(sum(files$lines)), "finding the lengths of lines", function(lines, n_positions) {
    returned = plain_value(lengths(lines))
    if (!is.numeric(returned) || is.object(returned) || length(returned) != n_positions) {
      stop_parameter("lengths", required, show_value(returned))
    }
    check_lengths(as.vector(returned), required)
  })
  as.integer(unlist(found))
}

# The values of a function of the lines at many places, given as numbers over all files, and their number: a list.
over_lines = function(files, places, description, ask) {
  dataset = files_dataset(files, NULL)
  begins = seq_len(ceiling(length(places) / lines_at_a_time)) * lines_at_a_time - lines_at_a_time
  tick = progress_ticker(description, length(begins))
  lapply(begins, function(begin) {
    some = places[begin + seq_len(min(lines_at_a_time, length(places) - begin))]
    answer = ask(dataset$lines(some), length(some))
    tick()
    answer
  })
}
