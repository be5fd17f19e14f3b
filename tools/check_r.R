# Checks the R package without running its tests: style, that no name is defined twice, that help pages and NAMESPACE
# match the comments, and that tests are skipped if a suggested package is not installed.

problems = character()
found = lintr::lint_package("rbridge/r", linters = lintr::linters_with_defaults(
  assignment_linter = NULL, # mlr3's style assigns with =
  commented_code_linter = NULL, # mistakes formulas in prose for code
  cyclocomp_linter = lintr::cyclocomp_linter(20L),
  line_length_linter = lintr::line_length_linter(120L),
  object_name_linter = NULL, # .iter and .length are torch's names
  object_usage_linter = NULL # does not know the self and private of R6
))
if (length(found) > 0) {
  print(found)
  problems = c(problems, sprintf("lintr: %d remarks", length(found)))
}

# R silently takes the last of two functions with the same name.
defined = unlist(lapply(list.files("rbridge/r/R", full.names = TRUE), function(file) {
  vapply(as.list(parse(file)), function(call) if (identical(call[[1]], quote(`=`))) deparse(call[[2]])[1] else "", "")
}))
twice = unique(defined[nzchar(defined) & duplicated(defined)])
if (length(twice) > 0) {
  problems = c(problems, paste("defined twice:", paste(twice, collapse = ", ")))
}

generated = function(folder) {
  files = c("NAMESPACE", file.path("man", list.files(file.path(folder, "man"), "[.]Rd$")))
  vapply(files, function(file) paste(readLines(file.path(folder, file)), collapse = "\n"), character(1))
}
copy = tempfile("rbridge")
dir.create(copy)
invisible(file.copy("rbridge/r", copy, recursive = TRUE))
Sys.setenv(R_MAKEVARS_USER = normalizePath("tools/Makevars")) # roxygen compiles the package, which need not be fast
suppressMessages(roxygen2::roxygenise(file.path(copy, "r")))
if (!identical(generated("rbridge/r"), generated(file.path(copy, "r")))) {
  problems = c(problems, "man/ or NAMESPACE differ from what the comments give: run `make document`")
}

# CRAN also runs the tests without the suggested packages: a file of tests names in a skip each one that it uses, or one
# that needs it. testthat itself is there.
suggested = sub("[[:space:](].*", "", trimws(strsplit(read.dcf("rbridge/r/DESCRIPTION", "Suggests"), ",")[[1]]))
needs = tools::package_dependencies(suggested, installed.packages(), recursive = TRUE)
for (file in list.files("rbridge/r/tests/testthat", pattern = "^test-", full.names = TRUE)) {
  code = paste(sub("^ *#.*", "", readLines(file)), collapse = "\n")
  used = suggested[vapply(paste0("\\b", suggested, "::"), grepl, logical(1), x = code)]
  skips = regmatches(code, gregexpr("skip_if_not_installed\\(\"[^\"]+", code))[[1]]
  named = c("testthat", sub(".*\"", "", skips), if (grepl("skip_without_python()", code, fixed = TRUE)) "reticulate")
  unnamed = setdiff(used, c(named, unlist(needs[named])))
  if (length(unnamed) > 0) {
    problems = c(problems, sprintf("%s uses %s without skip_if_not_installed()", basename(file),
      paste(unnamed, collapse = ", ")))
  }
}

if (length(problems) > 0) {
  message(paste0("check (R): ", problems, collapse = "\n"))
  quit(status = 1)
}
