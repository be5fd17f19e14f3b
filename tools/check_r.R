# Checks the R package without running its tests: style, that no name is defined twice, and that help pages and
# NAMESPACE are those of the comments.

problems = character()
found = lintr::lint_package("rbridge/r", linters = lintr::linters_with_defaults(
  assignment_linter = NULL, # mlr3's style assigns by =
  commented_code_linter = NULL, # takes formulas in prose for code
  cyclocomp_linter = lintr::cyclocomp_linter(20L),
  line_length_linter = lintr::line_length_linter(120L),
  object_name_linter = NULL, # .iter and .length are torch's names
  object_usage_linter = NULL # does not know the self and private of R6
))
if (length(found) > 0) {
  print(found)
  problems = c(problems, sprintf("lintr: %d remarks", length(found)))
}

# R takes the last of two functions with one name, and says nothing.
defined = unlist(lapply(list.files("rbridge/r/R", full.names = TRUE), function(file) {
  vapply(as.list(parse(file)), function(call) if (identical(call[[1]], quote(`=`))) deparse(call[[2]])[1] else "", "")
}))
twice = unique(defined[nzchar(defined) & duplicated(defined)])
if (length(twice) > 0) {
  problems = c(problems, paste("defined twice:", paste(twice, collapse = ", ")))
}

generated = function(folder) {
  files = c("NAMESPACE", file.path("man", list.files(file.path(folder, "man"))))
  vapply(files, function(file) paste(readLines(file.path(folder, file)), collapse = "\n"), character(1))
}
copy = tempfile("rbridge")
dir.create(copy)
invisible(file.copy("rbridge/r", copy, recursive = TRUE))
suppressMessages(roxygen2::roxygenise(file.path(copy, "r")))
if (!identical(generated("rbridge/r"), generated(file.path(copy, "r")))) {
  problems = c(problems, "man/ or NAMESPACE differ from what the comments give: run `make document`")
}

if (length(problems) > 0) {
  message(paste0("check (R): ", problems, collapse = "\n"))
  quit(status = 1)
}
