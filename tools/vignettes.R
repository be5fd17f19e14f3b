# Renders the vignettes: vignettes/NAME.Rmd -> vignettes/NAME.md and its figures in vignettes/NAME_files/.
# Their code runs in the folder of the repository, in R and in the Python of .venv, each document in its own process,
# with as many processes as cores.
#
#   Rscript tools/vignettes.R [NAME ...]          render all, or the named ones
#   Rscript tools/vignettes.R --check [NAME ...]  write nothing; fail if a fresh text differs from the committed one
#
# Figures are not compared, because their bytes differ between machines; only their existence is checked. Line breaks
# and spaces of prose are not compared either, because they depend on the version of pandoc. LibTorch is hidden from R,
# so that the text does not depend on it: documents read the results of training.

arguments = commandArgs(trailingOnly = TRUE)
is_check = "--check" %in% arguments
wanted = setdiff(arguments, "--check")
documents = sub("\\.Rmd$", "", list.files("vignettes", pattern = "\\.Rmd$"))
unknown = setdiff(wanted, documents)
if (length(documents) == 0 || length(unknown) > 0) {
  stop("there is no vignette ", paste(unknown, collapse = ", "), "; there are ", paste(documents, collapse = ", "))
}
if (length(wanted) == 0) {
  wanted = documents
}

# Python is that of .venv unless RETICULATE_PYTHON is set.
if (!nzchar(Sys.getenv("RETICULATE_PYTHON"))) {
  Sys.setenv(RETICULATE_PYTHON = file.path(getwd(), ".venv/bin/python"))
}
Sys.setenv(MPLBACKEND = "Agg", OMP_NUM_THREADS = "1", LC_ALL = "C.UTF-8", LANGUAGE = "en", TZ = "UTC", TORCH_LOAD = "0",
  TORCH_INSTALL = "0", TORCH_HOME = tempfile("no-libtorch"))

# Renders the document inside `folder`: vignettes/, or a copy of it.
render = function(name, folder) {
  input = file.path(folder, paste0(name, ".Rmd"))
  if (folder != "vignettes") {
    file.copy(file.path("vignettes", basename(input)), input, overwrite = TRUE)
  }
  unlink(file.path(folder, paste0(name, "_files")), recursive = TRUE)
  callr::r(spinner = FALSE, show = FALSE, stderr = "2>&1", args = list(input, getwd()), function(input, root) {
    format = rmarkdown::github_document(html_preview = FALSE, fig_width = 8, fig_height = 4.5)
    chunk = list(dpi = 144, dev.args = list(type = "cairo"), comment = "#>")
    format$knitr$opts_chunk = c(format$knitr$opts_chunk, chunk)
    options(width = 85)
    rmarkdown::render(input, format, knit_root_dir = root, quiet = TRUE, envir = globalenv())
  })
  file.path(folder, paste0(name, ".md"))
}

# evaluate 1.0.4 writes the message of an error on the next line, earlier versions on the same one.
join_errors = function(lines) {
  strsplit(gsub("(#> Error[^\n]*:)\n *#> ! ", "\\1 ", paste(lines, collapse = "\n")), "\n")[[1L]]
}

# Code and its output, line by line, and prose as one line per paragraph, without what depends on pandoc.
unwrap = function(lines) {
  lines = join_errors(lines)
  is_fence = grepl("^```", lines)
  is_code = is_fence | cumsum(is_fence) %% 2 == 1 | grepl("^    #>", lines)
  is_prose = nzchar(lines) & !is_code
  continues = is_prose & c(FALSE, is_prose[-length(lines)])
  joined = vapply(split(lines, cumsum(!continues)), paste, "", collapse = " ", USE.NAMES = FALSE)
  prose = is_prose[!continues]
  joined[prose] = trimws(gsub(" +", " ", gsub("-{2,}", "--", joined[prose])))
  joined[nzchar(joined)]
}

# The first difference.
first_difference = function(old, new) {
  length(old) = length(new) = max(length(old), length(new))
  place = which(is.na(old) | is.na(new) | old != new)[1L]
  shown = function(line) if (is.na(line)) "(the end)" else line
  sprintf("\n    committed: %s\n    fresh:     %s", shown(old[place]), shown(new[place]))
}

problems_of = function(name, fresh) {
  committed = file.path("vignettes", paste0(name, ".md"))
  if (!file.exists(committed)) {
    return("has not been rendered")
  }
  text = readLines(committed, encoding = "UTF-8")
  old = unwrap(text)
  new = unwrap(readLines(fresh, encoding = "UTF-8"))
  links = unlist(regmatches(text, gregexpr(sprintf("%s_files/[^)\" ]+", name), text)))
  absent = links[!file.exists(file.path("vignettes", links))]
  c(
    if (!identical(old, new)) paste0("differs from a fresh rendering:", first_difference(old, new)),
    if (length(absent) > 0) paste("lacks", paste(absent, collapse = ", "))
  )
}

# Renders one document, and compares it if requested.
process = function(name) {
  begin = Sys.time()
  folder = if (is_check) tempfile("vignettes") else "vignettes"
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  problems = tryCatch(
    {
      fresh = render(name, folder)
      if (is_check) problems_of(name, fresh)
    },
    error = function(error) {
      output = tail(strsplit(paste(error$stdout, collapse = ""), "\n")[[1L]], 30L)
      paste(c("could not be rendered:", output, conditionMessage(error$parent)), collapse = "\n    ")
    }
  )
  list(seconds = as.numeric(difftime(Sys.time(), begin, units = "secs")), problems = problems)
}

# One document per core.
n_cores = if (.Platform$OS.type == "unix") max(1L, parallel::detectCores(), na.rm = TRUE) else 1L
results = parallel::mclapply(stats::setNames(nm = wanted), process, mc.cores = n_cores, mc.preschedule = FALSE)
failed = FALSE
for (name in wanted) {
  result = results[[name]]
  if (!is.list(result)) {
    result = list(seconds = NA_real_, problems = paste("could not be rendered:", format(result)))
  }
  cat(sprintf("vignettes: %s, %.0f s\n", name, result$seconds))
  if (length(result$problems) > 0) {
    failed = TRUE
    cat(sprintf("vignettes: %s %s\n", name, result$problems), sep = "")
  }
}
if (failed && is_check) {
  cat("vignettes: `make vignettes` renders them anew\n")
}
quit(status = as.integer(failed))
