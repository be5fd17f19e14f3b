# Runs the R code of a document in one session, and writes the output of each block below it, as a block of text.
#
#   Rscript tools/transcript.R docs/mlr3torch.md
#
# Blocks are fenced as `r`, or as `r libtorch` if they train, which needs LibTorch. The date and the versions are
# written to the line of the document that begins with "Printed on", which names the packages.

source("tools/libtorch.R")

# The output of the code, without the progress that mlr3 logs.
run_block = function(code, envir) {
  connection = textConnection(code)
  on.exit(close(connection))
  printed = utils::capture.output(source(connection, local = envir, echo = FALSE, print.eval = TRUE))
  trimws(printed, "right")
}

# The lines of a document with the new output of its blocks, in place of the old.
write_transcript = function(lines) {
  envir = new.env(parent = globalenv())
  written = character()
  while (length(lines) > 0) {
    end = 1L
    if (grepl("^```", lines[1])) {
      end = which(lines == "```")[1]
    }
    block = lines[seq_len(end)]
    lines = lines[-seq_len(end)]
    written = c(written, block)
    if (!grepl("^```r( libtorch)?$", block[1])) {
      next
    }
    if (identical(lines[1:2], c("", "```text"))) {
      lines = lines[-seq_len(which(lines == "```")[1])]
    }
    printed = run_block(block[-c(1L, end)], envir)
    if (length(printed) > 0) {
      written = c(written, "", "```text", printed, "```")
    }
  }
  written
}

# The packages whose versions the line names, besides R and LibTorch.
named_packages = function(line) {
  names = regmatches(line, gregexpr("[A-Za-z0-9]+(?= [0-9][0-9.-]*[,.]( |$))", line, perl = TRUE))[[1]]
  setdiff(names, c("R", "LibTorch"))
}

show_versions = function(packages) {
  versions = training_versions(packages)
  paste(names(versions), versions, collapse = ", ")
}

main = function(file) {
  options(width = 88, digits = 4)
  for (name in c("mlr3", "bbotk")) {
    lgr::get_logger(name)$set_threshold("warn")
  }
  lines = readLines(file, encoding = "UTF-8")
  trains = "```r libtorch" %in% lines
  if (trains) {
    check_libtorch()
  }
  lines = write_transcript(lines)
  if (trains) {
    printed = startsWith(lines, "Printed on ")
    lines[printed] = sprintf("Printed on %s with %s.", Sys.Date(), show_versions(named_packages(lines[printed])))
  }
  writeLines(lines, file, useBytes = TRUE)
}

main(commandArgs(trailingOnly = TRUE)[1])
