# Rules of distribution: the share of the sample that comes from each file.

# `source` is a file of rules, or a list or several of them written out.
# -> list(rule_weights, file_rules = the number of the rule of each file, 0 for none: the first that keeps all lines and
# covers it, else the first that covers it)
data_of_rules = function(source, names) {
  required = "be a file of rules, or a list of rules"
  text = if (is_path(source)) {
    refuse_if(!are_there(source), "rules", required, sprintf("%s, no file,", show_value(source)),
      "Put a rule that is written out into a list.")
    readBin(source, "raw", file.size(source))
  } else {
    charToRaw(paste(check_paths(source, "rules", required), collapse = "\n"))
  }
  found = core_call("rules", list(text = text))
  expressions = strsplit(found$expressions, "\n", fixed = TRUE)[[1L]]
  of_files = numeric(length(names))
  for (rule in rev(order(is.finite(found$weights)))) {
    of_files[grepl(expressions[rule], names, perl = TRUE, useBytes = TRUE)] = rule
  }
  list(rule_weights = found$weights, file_rules = of_files)
}
