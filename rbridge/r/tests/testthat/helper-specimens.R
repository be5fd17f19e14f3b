# Valid calls of the samplers of every kind, which tests/specimens.py of the repository declares for both languages.

# The specimens by name, each with a function and its arguments; those of files name files in a folder.
# Those whose names have "long" have vectors that are long enough for a sanitizer to guard their ends.
specimens = function(folder = tempfile("specimens"), file = file.path("golden", "specimens.json")) {
  testthat::skip_if_not_installed("jsonlite")
  table = jsonlite::fromJSON(file, simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
  write_specimen_files(table$files, folder)
  names(table$calls) = vapply(table$calls, `[[`, "", "name")
  lapply(table$calls, function(call) {
    list(name = call[["function"]], args = lapply(call$arguments, specimen_argument, folder))
  })
}

write_specimen_files = function(lines, folder) {
  dir.create(folder, showWarnings = FALSE)
  for (name in names(lines)) {
    path = file.path(folder, name)
    if (!file.exists(path)) {
      writeBin(charToRaw(strrep("line\n", lines[[name]])), path)
    }
  }
}

specimen_argument = function(value, folder) {
  if (!is.list(value)) {
    value
  } else if (identical(names(value), "factor")) {
    factor(value$factor)
  } else if (identical(names(value), c("function", "arguments"))) {
    generator_of_specimen(list(name = value[["function"]], args = lapply(value$arguments, specimen_argument, folder)))
  } else if (identical(names(value), "file")) {
    ifelse(value$file == ".", folder, file.path(folder, value$file))
  } else if (identical(names(value), c("matrix", "rows", "columns"))) {
    matrix(as.double(value$matrix), length(value$rows), dimnames = list(value$rows, value$columns))
  } else {
    lapply(value, specimen_argument, folder)
  }
}

generator_of_specimen = function(specimen) {
  do.call(getExportedValue("rbridge", specimen$name), specimen$args, quote = TRUE)
}

# The long specimens, and all of a function that has no long ones.
long_specimens = function(...) {
  all = specimens(...)
  functions = vapply(all, `[[`, "", "name")
  are_long = grepl(" long ", names(all), fixed = TRUE)
  all[are_long | !functions %in% functions[are_long]]
}

# One of each function that draws epochs to an end, and one that does not; in `make thorough`, all long specimens.
chosen_specimens = function(...) {
  long = long_specimens(...)
  of = vapply(long, function(specimen) paste(specimen$name, is.null(specimen$args$length)), "")
  if (is_thorough()) long else long[!duplicated(of)]
}

generators_of_all_kinds = function(...) lapply(specimens(...), generator_of_specimen)
