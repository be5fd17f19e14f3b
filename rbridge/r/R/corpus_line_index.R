# The index of a text file: the beginnings of its lines, found once and stored in a file of 8 bytes per line, in the
# same format and place as in Python: beside the text, else in the user's cache folder, else in memory.

index_suffix = ".pystrat-lines"
index_block = 2^22 # bytes of text that are scanned at a time

# The version of files: text that changes if a file is replaced or written to, NA if there is none.
file_versions = function(paths) {
  .Call(C_file_versions, paths)
}

stop_changed = function(path) {
  stop(shown_name(path), " has changed since its lines were found (size, time of modification or inode). ",
    "Make the sampler and the dataset anew.", call. = FALSE)
}

# Refuses files that are not those that were indexed.
check_versions = function(paths, versions) {
  found = file_versions(paths)
  changed = which(is.na(found) | found != versions)
  if (length(changed) > 0L) {
    stop_changed(paths[changed[1L]])
  }
}

# -> list(version, index = path of the index, or the index itself as bytes, n_lines)
# It is a regular file.
line_index = function(path, version = file_versions(path)) {
  text = list(path = path, version = version, hash = .Call(C_hash_of_ends, path, version))
  if (is.null(text$hash)) {
    stop(shown_name(path), " cannot be read.", call. = FALSE)
  }
  places = index_places(path)
  for (place in places) {
    n_lines = lines_of_index(place, text)
    if (!is.na(n_lines)) {
      return(list(version = version, index = place, n_lines = n_lines))
    }
  }
  for (place in places) {
    n_lines = write_index(place, text)
    if (!is.na(n_lines)) {
      check_versions(path, version)
      return(list(version = version, index = place, n_lines = n_lines))
    }
  }
  index = index_in_memory(text)
  check_versions(path, version)
  list(version = version, index = index$bytes, n_lines = index$n_lines)
}

# The places where the index of a file is looked for, and written.
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

# Paths are matched as bytes, because they may not be valid text.
is_absolute = function(path) grepl("^(/|[A-Za-z]:[/\\\\])", path, useBytes = TRUE)

absolute = function(path) {
  if (is_absolute(path)) {
    return(path)
  }
  relative = sub("^(\\./+)+", "", path, useBytes = TRUE)
  Encoding(relative) = Encoding(path) # sub() may mark its result as bytes
  path_of(getwd(), relative)
}

# The number of lines of an index; NA if it is missing, damaged or of another text.
lines_of_index = function(place, text) {
  .Call(C_lines_of_index, place, text$version, text$hash)
}

# Writes an index to a temporary file, without holding it in memory, and renames it; returns its number of lines, NA if
# that was not possible.
write_index = function(place, text) {
  folder = dirname(place)
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  remove_abandoned(place)
  aside = tempfile(paste0(basename(place), "."), folder, index_suffix)
  lock = -1L
  on.exit({
    unlink(aside)
    .Call(C_unlock_file, lock)
  })
  failed = function(condition) FALSE
  written = tryCatch({
    created = file.create(aside)
    lock = .Call(C_lock_file, aside)
    created && write_numbers(aside, text) && .Call(C_sync_file, aside) && file.rename(aside, place)
  }, warning = failed, error = failed)
  if (written) lines_of_index(place, text) else NA_real_
}

# Deletes the temporary files of killed processes that were writing the index of `place`: those without a lock.
remove_abandoned = function(place) {
  names = list.files(dirname(place), all.files = TRUE)
  begins_so = regexpr(paste0(basename(place), "."), names, fixed = TRUE, useBytes = TRUE) == 1L
  for (name in names[begins_so & !is.na(without_suffix(names, index_suffix))]) {
    aside = path_of(dirname(place), name)
    lock = .Call(C_lock_file, aside)
    if (lock >= 0L) {
      unlink(aside)
      .Call(C_unlock_file, lock)
    }
  }
}

# Returns whether all bytes were passed to the system.
write_numbers = function(aside, text) {
  # The index is as private as the text.
  Sys.chmod(aside, as.octmode(bitwAnd(as.integer(file.mode(text$path)), 438L)), use_umask = FALSE)
  write_file(aside, function(output) {
    check = .Call(C_check_numbers, NULL, raw())
    writeBin(raw(length(.Call(C_index_head, text$version, text$hash, check))), output)
    find_lines(text$path, function(numbers) {
      check <<- .Call(C_check_numbers, check, numbers)
      writeBin(numbers, output)
    })
    seek(output, 0, rw = "write")
    writeBin(.Call(C_index_head, text$version, text$hash, check), output)
  })
}

index_in_memory = function(text) {
  blocks = list()
  n_lines = find_lines(text$path, function(numbers) blocks[[length(blocks) + 1L]] <<- numbers)
  numbers = unlist(blocks)
  check = .Call(C_check_numbers, NULL, numbers)
  list(bytes = c(.Call(C_index_head, text$version, text$hash, check), numbers), n_lines = n_lines)
}

# Passes the beginning of each line and the end of the last one to `take`, as bytes of an index; returns the number of
# lines.
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
