# One function or class of a script in Python or R, as a block of code in a vignette: from the line that defines it to
# the last line before the next definition or comment at the margin.
show_function = function(file, name) {
  lines = readLines(file)
  begin = grep(paste0("^((def|class) )?", name, "( = function)?[(:]"), lines)[1L]
  after = lines[-seq_len(begin)]
  length = which(grepl("^[^ )}]", c(after, "end")))[1L]
  code = trimws(paste(lines[seq(begin, length.out = length)], collapse = "\n"), "right")
  language = if (endsWith(file, ".py")) "python" else "r"
  knitr::asis_output(paste(paste0("```", language), code, "```", sep = "\n"))
}
