# Whether there is something at each path; R opens no path that is marked as bytes.
are_there = function(paths) {
  found = Encoding(paths) != "bytes"
  found[found] = file.exists(paths[found])
  found
}

# The path of one file.
check_regular_file = function(path, parameter) {
  refuse_if(!is_path(path) || is.object(path) || !are_there(path), parameter, "be the path of a file that exists",
    show_value(path))
  refuse_if(dir.exists(path), parameter, "be a regular file", paste("the folder", show_value(path)))
}
