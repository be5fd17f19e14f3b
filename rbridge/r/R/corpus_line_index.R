# The index of a text file: where its lines begin, found once and kept in a file of 8 bytes a line, in the format and at
# the places of Python's: beside the text, else in the user's cache folder, else in memory.

index_suffix = ".pystrat-lines"
index_block = 2^22 # bytes of text that are looked through at a time

# The version of files: text that changes if a file is replaced or written to, NA if there is none.
file_versions = function(paths) {
  .Call(C_file_versions, paths)
}

stop_changed = function(path) {
  stop(shown_name(path), " has changed since its lines were found (size, time of modification or inode). ",
    "Make the sampler and the dataset anew.", call. = FALSE)
}

# Refuse files that are not those whose lines were found.
check_versions = function(paths, versions) {
  found = file_versions(paths)
  changed = which(is.na(found) | found != versions)
  if (length(changed) > 0L) {
    stop_changed(paths[changed[1L]])
  }
}

# -> list(version, index = path of the index, or the index itself as bytes, n_lines)
line_index = function(path, version = file_versions(path)) {
  places = index_places(path)
  for (place in places) {
    n_lines = lines_of_index(place, version)
    if (!is.na(n_lines)) {
      return(list(version = version, index = place, n_lines = n_lines))
    }
  }
  for (place in places) {
    if (write_index(place, path, version)) {
      check_versions(path, version)
      return(list(version = version, index = place, n_lines = lines_of_index(place, version)))
    }
  }
  index = index_in_memory(path, version)
  check_versions(path, version)
  list(version = version, index = index$bytes, n_lines = index$n_lines)
}

# Where the index of a file is looked for, and written.
index_places = function(path) {
  beside = sub("([^/]*)$", paste0(".\\1", index_suffix), path, useBytes = TRUE)
  folder = cache_folder()
  c(beside, if (!is.null(folder)) file.path(folder, paste0(.Call(C_hash_of_text, path), index_suffix)))
}

# The user's cache folder, NULL without a home.
cache_folder = function() {
  base = Sys.getenv("XDG_CACHE_HOME")
  if (base == "") {
    home = Sys.getenv("HOME")
    base = if (home != "") file.path(home, ".cache") else ""
  }
  if (is_absolute(base)) file.path(base, "pystrat", "lines")
}

is_absolute = function(path) grepl("^(/|[A-Za-z]:[/\\\\])", path)

absolute = function(path) if (is_absolute(path)) path else path_of(getwd(), sub("^(\\./+)+", "", path))

# The number of lines of an index; NA if it is missing, broken or of another version of the file.
lines_of_index = function(place, version) {
  .Call(C_lines_of_index, place, version)
}

# Write an index aside, without holding it in memory, and rename it into place; return whether that went well.
write_index = function(place, path, version) {
  folder = dirname(place)
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  aside = tempfile(".", folder, index_suffix)
  on.exit(unlink(aside))
  written = tryCatch(suppressWarnings({
    file.create(aside) && write_numbers(aside, path, version)
  }), error = function(condition) FALSE)
  written && suppressWarnings(file.rename(aside, place)) && !is.na(lines_of_index(place, version))
}

write_numbers = function(aside, path, version) {
  # As private as the text.
  Sys.chmod(aside, as.octmode(bitwAnd(as.integer(file.mode(path)), 438L)), use_umask = FALSE)
  output = file(aside, "wb")
  on.exit(close(output))
  writeBin(raw(length(.Call(C_index_head, version, 0))), output)
  n_lines = find_lines(path, function(numbers) writeBin(numbers, output))
  seek(output, 0, rw = "write")
  writeBin(.Call(C_index_head, version, n_lines), output)
  TRUE
}

index_in_memory = function(path, version) {
  blocks = list()
  n_lines = find_lines(path, function(numbers) blocks[[length(blocks) + 1L]] <<- numbers)
  list(bytes = c(.Call(C_index_head, version, n_lines), unlist(blocks)), n_lines = n_lines)
}

# Give to `take`, as bytes of an index, where each line begins and where the last one ends; return how many lines.
find_lines = function(path, take) {
  input = file(path, "rb")
  on.exit(close(input))
  tick = progress_ticker(paste("finding lines of", path), ceiling(file.size(path) / index_block))
  take(.Call(C_index_number, 0))
  n_lines = read = 0
  last = as.raw(10L)
  repeat {
    block = readBin(input, "raw", index_block)
    if (length(block) == 0L) {
      break
    }
    begins = .Call(C_line_begins, block, read)
    take(begins)
    n_lines = n_lines + length(begins) / 8
    read = read + length(block)
    last = block[length(block)]
    tick()
  }
  if (last == as.raw(10L)) {
    return(n_lines)
  }
  take(.Call(C_index_number, read))
  n_lines + 1
}
