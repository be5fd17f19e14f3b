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

# The path of one file.
check_regular_file = function(path, parameter) {
  refuse_if(!is.character(path) || is.object(path) || length(path) != 1L || is.na(path) || !are_there(path), parameter,
    "be the path of a file that exists", show_value(path))
  refuse_irregular(path, parameter)
}

# Refuses a path of something else than a regular file; there may be nothing.
refuse_irregular = function(path, parameter) {
  kind = file_kinds(path.expand(path))
  refuse_if(!kind %in% c("regular file", NA), parameter, "be a regular file",
    sprintf("the %s %s", kind, show_value(path)))
}
