# Rules of distribution: the share of the sample that comes from each file.

# `source` is a file of rules, or a list or several of them written out.
# -> list(weights, expressions = regular expressions that find the names of the files), one of each for a rule
read_rules = function(source) {
  found = core_call("rules", list(text = text_of_rules(source)))
  list(weights = found$weights, expressions = strsplit(found$expressions, "\n", fixed = TRUE)[[1L]])
}

text_of_rules = function(source) {
  required = "be a file of rules, or a list of rules"
  if (is_path(source)) {
    if (!are_there(source)) {
      stop_parameter("rules", required, sprintf("%s, no file,", show_value(source)),
        "Put a rule that is written out into a list.")
    }
    check_regular_file(source, "rules")
    return(readBin(source, "raw", file.size(source)))
  }
  charToRaw(paste(check_paths(source, "rules", required), collapse = "\n"))
}

# The number of the rule of each file, 0 for none: the first that keeps all lines and covers it, else the first that
# covers it.
rules_of_files = function(rules, names) {
  found = numeric(length(names))
  for (rule in rev(order(rules$weights != kept_weight))) {
    found[grepl(rules$expressions[rule], names, perl = TRUE, useBytes = TRUE)] = rule
  }
  found
}

kept_weight = -1 # of files whose lines occur once in each epoch
