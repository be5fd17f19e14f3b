# Files of text as one numbering of lines, with random access to any of them.
#
# Only a newline ends a line; one `\r` before it is dropped; a last line without a newline counts.
# A read opens the files that it needs, and ends with a check: if the size or the time of modification of a file differs
# from that at the beginning, an error names it, and none of its lines is returned.

text_block = 2^22 # bytes of text that are read at a time

is_blank = replace(logical(256L), c(9:13, 32L) + 1L, TRUE)

# `found` has the `paths`, for each side those of all files, and the `parameters` of the sides, as find_files() returns
# them -> the same with `versions` and `offsets` of all paths, `lines` of each file, and `ends`, the number of the last
# line of each.
line_table = function(found) {
  found$versions = lapply(found$paths, file_versions)
  offsets_of = function(paths, parameters) unname(Map(line_offsets, paths, parameters))
  found$offsets = Map(offsets_of, found$paths, found$parameters)
  check_line_table(found)
  counts = lapply(found$offsets, function(of_side) lengths(of_side) - 1)
  for (side in seq_along(counts)) {
    wrong = which(counts[[side]] != counts[[1L]])[1L]
    refuse_if(!is.na(wrong), found$parameters[[side]], "have parallel files with the same number of lines",
      sprintf("%s in '%s' and %s in '%s'", show_count(counts[[1L]][wrong], "line"), found$paths[[1L]][wrong],
      show_count(counts[[side]][wrong], "line"), found$paths[[side]][wrong]))
  }
  found$lines = counts[[1L]]
  found$ends = cumsum(found$lines)
  found
}

# The size and the time of modification of files, as text that Python has too.
file_versions = function(paths) {
  found = file.info(paths, extra_cols = FALSE)
  sprintf("%.0f %.6f", found$size, as.double(found$mtime))
}

check_versions = function(paths, versions) {
  changed = which(file_versions(paths) != versions)
  if (length(changed) > 0L) {
    stop(shown_name(paths[changed[1L]]), " has changed since its lines were found (size or time of modification). ",
      "Make the sampler and the dataset anew.", call. = FALSE)
  }
}

check_line_table = function(table) check_versions(unlist(table$paths), unlist(table$versions))

# What a recipe says of files: their paths as bytes, separated by zero bytes, because a path may not be text in any
# encoding, and their versions.
labels_of_files = function(table) {
  paths = writeBin(unlist(table$paths), raw(), useBytes = TRUE)
  list(paths = utils::head(paths, -1L), versions = unlist(table$versions, use.names = FALSE))
}

# Refuses that files of a recipe, by default all, have changed.
check_recipe_files = function(recipe, files = TRUE) {
  check_versions(bytes_as_paths(recipe$labels$paths)[files], recipe$labels$versions[files])
}

# The lines of the files of a recipe.
table_of_recipe = function(recipe) {
  check_recipe_files(recipe)
  labels = recipe$labels
  paths = bytes_as_paths(labels$paths)
  n_sides = length(paths) / length(labels$names)
  sides = split(paths, rep(seq_len(n_sides), each = length(labels$names)))
  line_table(list(paths = unname(sides), parameters = rep("recipe", n_sides), suffixes = labels$suffixes))
}

# The beginnings of the lines of a file, and the end of the last one.
line_offsets = function(path, parameter) {
  kind = if (!are_there(path)) "no file" else if (dir.exists(path)) "the folder"
  refuse_if(!is.null(kind), parameter, "have regular files", sprintf("%s '%s'", kind, shown_name(path)))
  input = file(path, "rb", raw = TRUE)
  on.exit(close(input))
  tick = progress_ticker(paste("finding lines of", shown_name(path)), ceiling(file.size(path) / text_block))
  parts = list(0)
  end = 0
  last = as.raw(10L)
  while (length(block <- readBin(input, "raw", text_block)) > 0L) {
    refuse_if(end == 0 && is_no_text(block), parameter, "have files of text in UTF-8",
      sprintf("the compressed or UTF-16 file '%s'", shown_name(path)), "Convert it to plain text.")
    parts[[length(parts) + 1L]] = end + grepRaw(as.raw(10L), block, fixed = TRUE, all = TRUE)
    end = end + length(block)
    last = block[length(block)]
    tick()
  }
  c(unlist(parts), if (last != as.raw(10L)) end)
}

# Whether bytes begin like a file that is compressed or in UTF-16.
is_no_text = function(block) {
  beginnings = c("1f8b", "425a68", "fd377a585a", "28b52ffd", "504b0304", "fffe", "feff")
  any(startsWith(paste(utils::head(block, 5L), collapse = ""), beginnings))
}

# The text of lines, counted from 1 over all files: a list with a vector for each side.
read_lines = function(table, lines) {
  file = findInterval(lines - 1, table$ends) + 1L
  lapply(seq_along(table$paths), function(side) {
    texts = character(length(lines))
    for (one in unique(file)) {
      places = which(file == one)
      texts[places] = read_side(table, side, one, lines[places] - c(0, table$ends)[one])
    }
    texts
  })
}

read_side = function(table, side, file, numbers) {
  path = table$paths[[side]][file]
  offsets = table$offsets[[side]][[file]]
  check_versions(path, table$versions[[side]][file])
  input = file(path, "rb", raw = TRUE)
  on.exit(close(input))
  runs = split(numbers, cumsum(c(TRUE, diff(numbers) != 1))) # of lines one after another, which are read at once
  parts = lapply(unname(runs), function(run) {
    begin = offsets[run[1L]]
    seek(input, begin)
    bytes = readBin(input, "raw", offsets[run[length(run)] + 1] - begin)
    zero = match(as.raw(0L), bytes)
    if (!is.na(zero)) {
      stop(sprintf("%s, line %.0f, has a zero byte, which text in R cannot have.", shown_name(path),
        findInterval(begin + zero - 1, offsets)), call. = FALSE)
    }
    strsplit(gsub("\r\n", "\n", rawToChar(bytes), fixed = TRUE, useBytes = TRUE), "\n", fixed = TRUE, useBytes = TRUE)
  })
  check_versions(path, table$versions[[side]][file]) # what was read after a change is refused
  texts = unlist(parts)
  Encoding(texts) = rep_len("UTF-8", length(texts))
  wrong = which(!validUTF8(texts))[1L]
  if (!is.na(wrong)) {
    stop(sprintf("%s, line %.0f, is not UTF-8.", shown_name(path), numbers[wrong]), call. = FALSE)
  }
  texts
}

# The values of a function of lines, a list named by their sides, for many lines: a list of its answers.
over_lines = function(table, lines, description, ask) {
  parts = unname(split(lines, (seq_along(lines) - 1) %/% 4096))
  tick = progress_ticker(description, length(parts))
  lapply(parts, function(some) {
    answer = ask(named_sides(table, read_lines(table, some)), length(some))
    tick()
    answer
  })
}

named_sides = function(table, sides) {
  is_plain = is.null(table$suffixes) || identical(table$suffixes, "")
  stats::setNames(sides, if (is_plain) "line" else sub("^[.]", "", table$suffixes))
}

# The number of words, separated by ASCII whitespace, of all lines: a list with a vector for each side.
word_counts = function(table) {
  of_files = function(paths, offsets) unlist(Map(count_words, paths, offsets), use.names = FALSE)
  counts = Map(of_files, table$paths, table$offsets)
  check_line_table(table)
  counts
}

count_words = function(path, offsets) {
  input = file(path, "rb", raw = TRUE)
  on.exit(close(input))
  n_lines = length(offsets) - 1L
  counts = list(integer())
  begin = 1L
  while (begin <= n_lines) {
    end = min(max(begin + 1L, findInterval(offsets[begin] + text_block, offsets)), n_lines + 1L)
    blank = is_blank[as.integer(readBin(input, "raw", offsets[end] - offsets[begin])) + 1L]
    words = which(!blank & c(TRUE, blank[-length(blank)]))
    counts[[length(counts) + 1L]] = diff(findInterval(offsets[begin:end] - offsets[begin], words))
    begin = end
  }
  unlist(counts)
}
