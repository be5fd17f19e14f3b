# Finding files of text that belong together line by line, such as a text and its translation.

# -> list(
#   suffixes,
#   names = the names that rules match: those that files share, without folder and suffix, or the whole name of the
#     first file, if the files were listed,
#   labels = the names in plans, with their folders if several files have the name,
#   paths = those of all files: for each side those of all names,
#   parameters = that of each side
# )
find_files = function(source, suffixes, targets = NULL) {
  suffixes = check_suffixes(suffixes, targets)
  found = if (is.null(targets)) {
    find_by_suffix(source, suffixes)
  } else {
    source = listed_files(source, "source", "be a list of files if 'targets' is given")
    targets = listed_files(targets, "targets", "be a list of files, one for each of 'source'")
    refuse_if(length(targets) != length(source), "targets",
      sprintf("have one file for each of 'source', %d", length(source)), show_count(length(targets), "file"))
    list(names = basename(source), paths = list(source, targets), parameters = c("source", "targets"))
  }
  found$suffixes = suffixes
  several = found$names %in% found$names[duplicated(found$names)]
  found$labels = ifelse(several, paste0(dirname(found$paths[[1L]]), "/", found$names), found$names)
  found
}

# One for each side of the lines; an empty one takes files as they are.
check_suffixes = function(suffixes, targets) {
  required = "be different endings of names, such as ('.src', '.tgt')"
  refuse_if(!is.character(suffixes) || any(Encoding(suffixes) == "bytes"), "suffixes", required, show_value(suffixes))
  suffixes = unname(suffixes)
  shown = sprintf("(%s)", paste(vapply(suffixes, show_value, ""), collapse = ", "))
  refuse_if(length(suffixes) == 0L || anyDuplicated(suffixes) || anyNA(suffixes) ||
    (length(suffixes) > 1L && "" %in% suffixes), "suffixes", required, shown)
  refuse_if(!is.null(targets) && length(suffixes) != 2L, "suffixes",
    "name the two sides if 'targets' is given, such as ('.src', '.tgt')", shown)
  suffixes
}

is_path = function(value) is.character(value) && length(value) == 1L && !is.na(value) && Encoding(value) != "bytes"

find_by_suffix = function(source, suffixes) {
  required = "be a folder or a list of files"
  if (is_path(source)) {
    refuse_if(!(are_there(source) && dir.exists(source)), "source", required, show_value(source))
    files = list.files(source, all.files = TRUE, full.names = TRUE, no.. = TRUE)
    files = basename(files[!dir.exists(files)])
    names = unlist(lapply(suffixes, function(suffix) without_suffix(files, suffix)))
    names = unique(names[!is.na(names)])
    bytes = vapply(names, function(name) paste(charToRaw(name), collapse = ""), "")
    prefixes = path_of(source, names[order(bytes, method = "radix")])
  } else {
    paths = check_paths(source, "source", required)
    prefixes = without_suffix(paths, suffixes[1L])
    refuse_if(anyNA(prefixes), "source", sprintf("list files that end in %s", show_value(suffixes[1L])),
      show_value(paths[is.na(prefixes)][1L]),
      "To take files of any names, without partners, pass one empty text as 'suffixes'.")
  }
  refuse_if(length(prefixes) == 0L, "source", sprintf("have files that end in %s", show_value(suffixes[1L])), "none")
  prefixes = vapply(prefixes, absolute, "", USE.NAMES = FALSE)
  list(names = basename(prefixes), paths = lapply(suffixes, function(suffix) paste0(prefixes, suffix)),
    parameters = rep("source", length(suffixes)))
}

# The absolute paths of a list of files.
listed_files = function(paths, parameter, required) {
  paths = check_paths(paths, parameter, required)
  refuse_if(length(paths) == 0L, parameter, "list at least one file", "none")
  vapply(paths, absolute, "", USE.NAMES = FALSE)
}

# Paths as a vector.
check_paths = function(paths, parameter, required) {
  refuse_if(!is.list(paths) && !(is.character(paths) && !anyNA(paths)), parameter, required, show_value(paths))
  wrong = which(!vapply(paths, is_path, NA))
  refuse_if(length(wrong) > 0L, parameter, required, sprintf("a list with %s", show_value(paths[[wrong[1L]]])))
  as.character(paths)
}

# Names are bytes, which may not be text in any encoding, as file.path() expects.
path_of = function(folder, names) {
  if (length(names) == 0L) character() else paste0(sub("/+$", "", folder, useBytes = TRUE), "/", names)
}

absolute = function(path) {
  is_absolute = grepl("^(/|[A-Za-z]:[/\\\\])", path, useBytes = TRUE)
  if (is_absolute) path else path_of(getwd(), without(path, "^(\\./+)+"))
}

# Names without a suffix, NA for those that do not have it.
without_suffix = function(names, suffix) {
  ending = sprintf("\\Q%s\\E\\z", suffix)
  names[!grepl(ending, names, perl = TRUE, useBytes = TRUE)] = NA
  without(names, ending)
}

# sub() may mark its result as bytes.
without = function(names, pattern) {
  stripped = sub(pattern, "", names, perl = TRUE, useBytes = TRUE)
  if (length(names) > 0L) `Encoding<-`(stripped, Encoding(names)) else names
}

# The inverse of what labels_of_files() makes of paths
bytes_as_paths = function(bytes) readBin(c(bytes, as.raw(0L)), "character", sum(bytes == as.raw(0L)) + 1)

# A name as text that any output accepts: bytes that are not characters as \xe9.
shown_name = function(names) {
  known = iconv(names, "UTF-8", "UTF-8", sub = NA)
  shown = iconv(names, "UTF-8", "UTF-8", sub = "byte")
  ifelse(is.na(known), gsub("<([0-9a-f]{2})>", "\\\\x\\1", shown), enc2utf8(names))
}
