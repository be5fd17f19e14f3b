# Finds and builds the R packages of the project that are missing or too old.
#
#   Rscript tools/r_packages.R debian LIBRARY "name>=version" ...    print Debian's packages that are new enough
#   Rscript tools/r_packages.R install LIBRARY "name>=version" ...   build the others from CRAN, into LIBRARY
#
# Exit status 0: done. 3: CRAN could not be reached, or a package did not build.

n_jobs = max(2L, parallel::detectCores(), na.rm = TRUE)

say = function(...) cat("set-up: ", ..., "\n", sep = "")

# The message of install.packages() when it installs several packages.
say_begin = function(package) cat("begin installing package '", package, "'\n", sep = "")

fail = function(...) {
  say(...)
  quit(status = 3)
}

is_at_least = function(version, least) !is.na(version) && utils::compareVersion(version, least) >= 0

installed_versions = function() {
  installed = utils::installed.packages(noCache = TRUE)
  first = installed[!duplicated(installed[, "Package"]), , drop = FALSE]
  stats::setNames(first[, "Version"], first[, "Package"])
}

available_on_cran = function() {
  if (identical(unname(getOption("repos")["CRAN"]), "@CRAN@")) {
    utils::chooseCRANmirror(graphics = FALSE, ind = 1)
  }
  available = tryCatch(suppressWarnings(utils::available.packages()), error = function(condition) NULL)
  if (is.null(available) || nrow(available) == 0) {
    fail("CRAN cannot be reached.")
  }
  available
}

# The packages that a package on CRAN depends on, each with the least version: c(rlang = "1.1.0", R6 = "0").
dependencies_of = function(package, available) {
  if (!package %in% rownames(available)) {
    return(character())
  }
  fields = available[package, c("Depends", "Imports", "LinkingTo")]
  entries = gsub("[[:space:]]", "", unlist(strsplit(fields[!is.na(fields)], ",", fixed = TRUE)))
  names = sub("\\(.*", "", entries)
  least = ifelse(grepl(">=", entries, fixed = TRUE), sub(".*>=([0-9.-]+)\\).*", "\\1", entries), "0")
  is_package = nzchar(names) & !names %in% c("R", rownames(utils::installed.packages(priority = "base")))
  stats::setNames(least[is_package], names[is_package])
}

# Where each package comes from: the first of `sources` (named vectors of versions) with a sufficient version, else
# CRAN. Only packages built from CRAN add their dependencies here; Debian's and installed ones already have theirs.
choose_sources = function(wanted, sources, available) {
  least = wanted
  chosen = character()
  waiting = names(wanted)
  while (length(waiting) > 0) {
    package = waiting[1]
    waiting = waiting[-1]
    fits = vapply(sources, function(versions) is_at_least(versions[package], least[[package]]), logical(1))
    source = c(names(sources)[fits], "cran")[1]
    if (identical(unname(chosen[package]), source)) {
      next
    }
    chosen[package] = source
    if (source == "cran") {
      needs = dependencies_of(package, available)
      is_news = vapply(names(needs), function(name) !is_at_least(least[name], needs[[name]]), logical(1))
      least[names(needs)[is_news]] = needs[is_news]
      waiting = c(waiting, names(needs)[is_news])
    }
  }
  chosen
}

# The versions that apt can install, without Debian's additions: 1:1.8.4+dfsg-1 is 1.8.4.
debian_versions = function(packages) {
  printed = system2("apt-cache", c("policy", paste0("r-cran-", tolower(packages))), stdout = TRUE, stderr = FALSE)
  names = sub(":$", "", grep("^r-cran-", printed, value = TRUE))
  candidates = trimws(sub(".*Candidate:", "", grep("Candidate:", printed, value = TRUE)))
  versions = sub("[+~].*$", "", sub("-[^-]*$", "", sub("^[0-9]+:", "", candidates)))
  stats::setNames(versions[match(paste0("r-cran-", tolower(packages)), names)], packages)
}

print_debian_packages = function(wanted) {
  available = available_on_cran()
  closure = unique(c(names(wanted), unlist(tools::package_dependencies(names(wanted), available, recursive = TRUE))))
  versions = debian_versions(closure)
  sources = list(installed = installed_versions(), debian = versions[grepl("^[0-9]", versions)])
  chosen = choose_sources(wanted, sources, available)
  cat(sprintf("r-cran-%s\n", tolower(names(chosen)[chosen == "debian"])), sep = "")
}

install_from_cran = function(packages, available, library_folder) {
  if (length(packages) == 1) {
    say_begin(packages)
  }
  if (length(packages) > 0) {
    # R compiles a function when it is called repeatedly; compiling all of them beforehand takes most of the time.
    # rlang is the exception: R 4.2 crashes when rlang's eval_bare(), not compiled, runs a loop in the global
    # environment, as coro::loop() does.
    flags = stats::setNames(rep(list(c("--no-multiarch", "--no-test-load")), length(packages)), packages)
    others = names(flags) != "rlang"
    flags[others] = lapply(flags[others], c, "--no-byte-compile")
    utils::install.packages(packages, lib = library_folder, available = available, Ncpus = n_jobs,
      INSTALL_opts = flags, keep_outputs = file.path(library_folder, "build-logs"))
  }
}

# torch takes longer than all others together: its files are compiled on all cores, in a folder that stays until they
# are done, so that an interrupted build continues where it stopped. A build that fails again starts over next time.
install_torch = function(available, library_folder) {
  say_begin("torch")
  folder = file.path(library_folder, "building", paste0("torch_", available["torch", "Version"]))
  is_resumed = dir.exists(folder)
  if (!is_resumed) {
    aside = tempfile("torch", file.path(library_folder, "building"))
    dir.create(aside, recursive = TRUE)
    archive = utils::download.packages("torch", aside, available = available, type = "source", quiet = TRUE)
    stopifnot(utils::untar(archive[1, 2], exdir = aside) == 0)
    file.rename(aside, folder)
  }
  log = file.path(library_folder, "build-logs", "torch.out")
  status = system2(file.path(R.home("bin"), "R"), stdout = log, stderr = log,
    args = c("CMD", "INSTALL", "--no-multiarch", "--no-test-load", "--no-byte-compile",
      paste0("--library=", shQuote(library_folder)), shQuote(file.path(folder, "torch"))),
    env = paste0("MAKEFLAGS=-j", n_jobs))
  if (status == 0 || is_resumed) {
    unlink(file.path(library_folder, "building"), recursive = TRUE)
  }
}

install_what_is_missing = function(wanted, library_folder) {
  chosen = choose_sources(wanted, list(installed = installed_versions()), character())
  if (!"cran" %in% chosen) {
    return(invisible())
  }
  available = available_on_cran()
  chosen = choose_sources(wanted, list(installed = installed_versions()), available)
  missing = names(chosen)[chosen == "cran"]
  # An interrupted build leaves its lock behind; packages are moved into the library when they are complete.
  unlink(list.files(library_folder, pattern = "^00LOCK", full.names = TRUE), recursive = TRUE)
  if ("torch" %in% missing) {
    needs = tools::package_dependencies(missing, available, recursive = TRUE)
    below = intersect(missing, needs[["torch"]])
    above = missing[vapply(needs, function(names) "torch" %in% names, logical(1))]
    install_from_cran(below, available, library_folder)
    building = parallel::mcparallel(install_torch(available, library_folder))
    install_from_cran(setdiff(missing, c(below, above, "torch")), available, library_folder)
    parallel::mccollect(building)
    missing = above
  }
  install_from_cran(missing, available, library_folder)
  chosen = choose_sources(wanted, list(installed = installed_versions()), available)
  if ("cran" %in% chosen) {
    fail("not built: ", paste(names(chosen)[chosen == "cran"], collapse = ", "),
      "; see the logs in ", library_folder, "/build-logs")
  }
}

main = function(command, library_folder, ...) {
  library_folder = normalizePath(library_folder)
  options(pkgType = "source") # on macOS too, the index of CRAN and the builds are those of sources
  .libPaths(c(library_folder, .libPaths()))
  wanted = do.call(rbind, strsplit(c(...), ">=", fixed = TRUE))
  wanted = stats::setNames(wanted[, 2], wanted[, 1])
  switch(command, debian = print_debian_packages(wanted), install = install_what_is_missing(wanted, library_folder))
}

if (sys.nframe() == 0L) {
  do.call(main, as.list(commandArgs(trailingOnly = TRUE)))
}
