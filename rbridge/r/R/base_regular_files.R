# Files are read only if they are regular: opening a FIFO may block forever, and a device may have no end.

# Whether there is something at each path; R opens no path that is marked as bytes.
are_there = function(paths) {
  found = Encoding(paths) != "bytes"
  found[found] = file.exists(paths[found])
  found
}

# The kind of file at a path: "regular file", "folder", "FIFO", "socket" or "device"; NA if there is nothing.
file_kinds = function(paths) {
  .Call(C_file_kinds, paths)
}

check_regular = function(paths, parameter) {
  kinds = file_kinds(paths)
  wrong = which(kinds != "regular file")
  if (length(wrong) > 0L) {
    got = sprintf("the %s %s", kinds[wrong[1L]], show_value(paths[wrong[1L]]))
    stop_parameter(parameter, "have regular files", got)
  }
}

# The path of one file.
check_regular_file = function(path, parameter) {
  if (!is.character(path) || is.object(path) || length(path) != 1L || is.na(path) || !are_there(path)) {
    stop_parameter(parameter, "be the path of a file that exists", show_value(path))
  }
  kind = file_kinds(path)
  if (kind != "regular file") {
    stop_parameter(parameter, "be a regular file", sprintf("the %s %s", kind, show_value(path)))
  }
}
