# Installs the CRAN packages of the project into one library, only those that are missing or too old.
# Call: Rscript install_r_packages.R LIBRARY "package version" ...
# Exit status 0: every package is there. 3: CRAN could not be reached or a package did not build.

arguments = commandArgs(trailingOnly = TRUE)
library_folder = normalizePath(arguments[1])
wanted = do.call(rbind, strsplit(arguments[-1], " ", fixed = TRUE))
.libPaths(c(library_folder, .libPaths()))

too_old_or_missing = function() {
  installed = utils::installed.packages(noCache = TRUE)
  first = installed[!duplicated(installed[, "Package"]), , drop = FALSE]
  version = stats::setNames(first[, "Version"], first[, "Package"])
  satisfied = vapply(seq_len(nrow(wanted)), function(i) {
    have = version[wanted[i, 1]]
    !is.na(have) && utils::compareVersion(have, wanted[i, 2]) >= 0
  }, logical(1))
  wanted[!satisfied, 1]
}

fail = function(...) {
  message("set-up (R): ", ...)
  quit(status = 3)
}

missing_packages = too_old_or_missing()
if (length(missing_packages) == 0) {
  quit(status = 0)
}

if (identical(unname(getOption("repos")["CRAN"]), "@CRAN@")) {
  utils::chooseCRANmirror(graphics = FALSE, ind = 1)
}
available = tryCatch(
  suppressWarnings(utils::available.packages()),
  error = function(condition) NULL
)
if (is.null(available) || nrow(available) == 0) {
  fail("CRAN cannot be reached; missing: ", paste(missing_packages, collapse = ", "))
}
message(
  "set-up (R): building ", paste(missing_packages, collapse = ", "), " and what they need.\n",
  "set-up (R): a fresh library is some 65 packages and takes 10 to 15 minutes on 2 cores; each is named as it begins."
)
# A build that was interrupted leaves its lock behind; staged installation keeps half-built packages out of the library.
unlink(list.files(library_folder, pattern = "^00LOCK", full.names = TRUE), recursive = TRUE)
utils::install.packages(
  missing_packages,
  lib = library_folder,
  available = available,
  Ncpus = max(1L, parallel::detectCores(), na.rm = TRUE),
  INSTALL_opts = "--no-multiarch",
  keep_outputs = file.path(library_folder, "build-logs")
)
still_missing = too_old_or_missing()
if (length(still_missing) > 0) {
  fail("not built: ", paste(still_missing, collapse = ", "), "; the logs are in ", library_folder, "/build-logs")
}
