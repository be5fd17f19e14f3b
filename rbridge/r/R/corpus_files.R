# Files of text that belong together line by line, such as a text and its translation.

# -> list(
#   suffixes,
#   names = the names that rules match: those that files share, without folder and suffix; or the whole name of the
#   first
#     file, if the files were listed,
#   labels = the names in plans, see label_files(),
#   paths, versions, indices = those of all files: for each suffix those of all names,
#   lines = the lines of each name
# )
open_files = function(source, suffixes, targets = NULL) {
  suffixes = check_suffixes(suffixes, source, targets)
  found = if (is.null(targets)) find_by_suffix(source, suffixes) else find_pairs(source, targets, suffixes)
  given = found$paths
  for (side in seq_along(given)) {
    check_regular(given[[side]], found$parameters[side])
  }
  paths = lapply(given, function(of_suffix) vapply(of_suffix, absolute, "", USE.NAMES = FALSE))
  indexed = lapply(paths, lapply, line_index)
  lines = lapply(indexed, vapply, function(found) found$n_lines, 0)
  check_equal_lines(lines, given[[1L]], paths, found$parameters)
  list(
    suffixes = suffixes,
    names = found$names,
    labels = label_files(found$names, paths[[1L]]),
    paths = paths,
    versions = lapply(indexed, vapply, function(found) found$version, ""),
    indices = lapply(indexed, lapply, function(found) found$index),
    lines = lines[[1L]]
  )
}

# One for each side of the lines; an empty one takes listed files as they are.
check_suffixes = function(suffixes, source, targets) {
  required = "be different endings of names, such as ('.src', '.tgt')"
  if (!is.character(suffixes)) {
    stop_parameter("suffixes", required, show_value(suffixes))
  }
  if (identical(unname(suffixes), "") && are_listed(source, targets)) {
    return("")
  }
  if (length(suffixes) == 0L || anyNA(suffixes) || anyDuplicated(suffixes) || any(suffixes == "")) {
    stop_parameter("suffixes", required, show_all(suffixes))
  }
  unname(suffixes)
}

are_listed = function(source, targets) is.null(targets) && !(is.character(source) && length(source) == 1L)

show_all = function(texts) sprintf("(%s)", paste(vapply(texts, show_value, ""), collapse = ", "))

# -> list(names, paths = those of all files: for each suffix those of all names, parameters = that of each side)
find_by_suffix = function(source, suffixes) {
  found = find_source(source, suffixes)
  if (length(found$names) == 0L) {
    stop_parameter("source", sprintf("have files that end in %s", show_value(suffixes[1L])), "none")
  }
  paths = lapply(suffixes, function(suffix) paste0(found$prefixes, suffix))
  for (file in seq_along(found$names)) {
    check_all_there(vapply(paths, `[`, "", file))
  }
  list(names = found$names, paths = paths, parameters = rep("source", length(suffixes)))
}

# The same for two lists of files.
find_pairs = function(source, targets, suffixes) {
  source = check_listed(source, "source", "be a list of files if 'targets' is given")
  targets = check_listed(targets, "targets", "be a list of files, one for each of 'source'")
  if (length(targets) != length(source)) {
    stop_parameter("targets", sprintf("have one file for each of 'source', %d", length(source)),
      show_count(length(targets), "file"))
  }
  if (length(suffixes) != 2L) {
    stop_parameter("suffixes", "name the two sides if 'targets' is given, such as ('.src', '.tgt')", show_all(suffixes))
  }
  check_file_pairs(source, targets)
  list(names = basename(source), paths = list(source, targets), parameters = c("source", "targets"))
}

# Paths, where a single one is a file, not a folder.
check_listed = function(paths, parameter, required) {
  if (!is.list(paths) && !is.character(paths)) {
    stop_parameter(parameter, required, show_value(paths))
  }
  paths = check_paths(as.list(paths), parameter, required)
  if (length(paths) == 0L) {
    stop_parameter(parameter, "list at least one file", "none")
  }
  missing = which(!are_there(paths))
  if (length(missing) > 0L) {
    stop_parameter(parameter, "list files that exist", sprintf("no file %s", show_value(paths[missing[1L]])))
  }
  paths
}

check_file_pairs = function(source, targets) {
  real = cbind(normalizePath(source), normalizePath(targets))
  for (pair in seq_along(source)) {
    if (real[pair, 1L] == real[pair, 2L]) {
      got = sprintf("%s for itself", show_value(targets[pair]))
      stop_parameter("targets", "be other files than those of 'source'", got)
    }
    before = which(real[seq_len(pair - 1L), 1L] == real[pair, 1L] & real[seq_len(pair - 1L), 2L] == real[pair, 2L])
    if (length(before) > 0L) {
      stop_parameter("targets", "make each pair once",
        sprintf("%s with %s as pairs %d and %d", show_value(source[pair]), show_value(targets[pair]), before[1L], pair))
    }
  }
}

# Names of files; equal names are preceded by as many folders as distinguish their paths.
# If a path occurs more than once, the second occurrence is followed by " (2)", and so on.
label_files = function(names, paths) {
  labels = names
  for (places in split(seq_along(names), match(names, names))) {
    if (length(places) > 1L) {
      tails = telling_folders(paths[places])
      shown = path_of_folders(tails, names[places])
      nth = vapply(seq_along(shown), function(place) sum(shown[seq_len(place)] == shown[place]), 0)
      labels[places] = ifelse(nth == 1, shown, sprintf("%s (%.0f)", shown, nth))
    }
  }
  labels
}

# The innermost folders of absolute paths, as many as it takes to distinguish different paths: a list of character().
telling_folders = function(paths) {
  folders = lapply(dirname(paths), function(folder) {
    parts = strsplit(folder, "/+", useBytes = TRUE)[[1L]]
    Encoding(parts) = Encoding(folder)
    parts[parts != "."]
  })
  tails = rep(list(character()), length(folders))
  depth = 0L
  while (length(unique(tails)) < length(unique(folders))) {
    depth = depth + 1L
    tails = lapply(folders, utils::tail, depth)
  }
  tails
}

path_of_folders = function(folders, names) {
  vapply(seq_along(names), function(place) paste(c(folders[[place]], names[place]), collapse = "/"), "")
}

# -> list(names, prefixes = their paths without suffix): those of a folder in byte order, or the given
# files, in the given order.
find_source = function(source, suffixes) {
  required = "be a folder or a list of files"
  if (is.list(source)) {
    source = check_paths(source, "source", required)
  } else if (!is.character(source) || anyNA(source)) {
    stop_parameter("source", required, show_value(source))
  } else if (length(source) == 1L) {
    return(find_in_folder(source, suffixes, required))
  }
  prefixes = without_suffix(source, suffixes[1L])
  if (anyNA(prefixes)) {
    stop_parameter("source", sprintf("list files that end in %s", show_value(suffixes[1L])),
      show_value(source[is.na(prefixes)][1L]),
      "To take files of any names, without partners, pass one empty text as 'suffixes'.")
  }
  list(names = basename(prefixes), prefixes = prefixes)
}

# A list of paths, as a vector.
check_paths = function(paths, parameter, required) {
  wrong = which(!vapply(paths, function(path) is.character(path) && length(path) == 1L && !is.na(path), NA))
  if (length(wrong) > 0L) {
    stop_parameter(parameter, required, sprintf("a list with %s", show_value(paths[[wrong[1L]]])))
  }
  as.character(paths)
}

find_in_folder = function(folder, suffixes, required) {
  if (!(are_there(folder) && dir.exists(folder))) {
    stop_parameter("source", required, show_value(folder))
  }
  files = list.files(folder, all.files = TRUE, no.. = TRUE)
  files = files[is.na(without_suffix(files, index_suffix))]
  files = files[!dir.exists(path_of(folder, files))]
  names = unlist(lapply(suffixes, function(suffix) without_suffix(files, suffix)))
  names = sort_by_bytes(unique(names[!is.na(names)]))
  list(names = names, prefixes = path_of(folder, names))
}

# Names are bytes, which may not be text in any encoding, as file.path() expects.

path_of = function(folder, names) {
  if (length(names) == 0L) character() else paste0(sub("/+$", "", folder, useBytes = TRUE), "/", names)
}

# Names without a suffix, NA for those that do not have it.
without_suffix = function(names, suffix) {
  if (length(names) == 0L) {
    return(character())
  }
  ending = charToRaw(suffix)
  stripped = vapply(names, function(name) {
    bytes = charToRaw(name)
    size = length(bytes) - length(ending)
    ends_so = size >= 0L && identical(bytes[size + seq_along(ending)], ending)
    if (ends_so) rawToChar(bytes[seq_len(size)]) else NA_character_
  }, "", USE.NAMES = FALSE)
  Encoding(stripped) = Encoding(names)
  stripped
}

sort_by_bytes = function(names) {
  as_text = vapply(names, function(name) paste(sprintf("%02x", as.integer(charToRaw(name))), collapse = ""), "")
  names[order(as_text, method = "radix")]
}

check_all_there = function(paths) {
  there = are_there(paths) & !dir.exists(paths)
  if (all(there)) {
    return(invisible())
  }
  found = if (any(there)) sprintf("%s without", show_text(paths[there][1L])) else "no file"
  stop_parameter("source", "have a file of each suffix", paste(found, show_text(paths[!there][1L])))
}

check_equal_lines = function(lines, given, paths, parameters) {
  for (side in seq_along(lines)[-1L]) {
    wrong = which(lines[[side]] != lines[[1L]])
    if (length(wrong) > 0L) {
      file = wrong[1L]
      stop_parameter(parameters[side], "have parallel files with the same number of lines",
        sprintf("%s in '%s' and %s in '%s'", show_count(lines[[1L]][file], "line"), given[file],
          show_count(lines[[side]][file], "line"), paths[[side]][file]))
    }
  }
}

# Paths as bytes, separated by zero bytes: a recipe holds plain vectors, and a path may not be text in any encoding.
paths_as_bytes = function(paths) {
  bytes = unlist(lapply(paths, function(path) c(charToRaw(path), as.raw(0L))))
  bytes[-length(bytes)]
}

bytes_as_paths = function(bytes) {
  ends = c(which(bytes == as.raw(0L)), length(bytes) + 1L)
  begins = c(1L, ends[-length(ends)] + 1L)
  mapply(function(begin, end) rawToChar(bytes[seq_len(end - begin) + begin - 1L]), begins, ends)
}

# A name as text that any output accepts: bytes that are not characters as \xe9.
shown_name = function(names) {
  known = iconv(names, "UTF-8", "UTF-8", sub = NA)
  shown = iconv(names, "UTF-8", "UTF-8", sub = "byte")
  ifelse(is.na(known), gsub("<([0-9a-f]{2})>", "\\\\x\\1", shown), enc2utf8(names))
}
