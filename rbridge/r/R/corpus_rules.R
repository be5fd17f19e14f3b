# Rules of distribution: the share of the sample that comes from each file. One per line: a pattern, blanks, and a
# weight.

# `source` is a file of rules, or a list or several of them written out.
# -> list(weights = -1 for rules that keep all lines of a file, patterns = a list of the regular expressions of each)
read_rules = function(source) {
  bytes = text_of_rules(source)
  ends = c(which(bytes == as.raw(10L)), length(bytes) + 1L)
  begins = c(1L, ends[-length(ends)] + 1L)
  rules = list(weights = double(), patterns = list())
  for (line in seq_along(ends)) {
    of_line = bytes[seq_len(ends[line] - begins[line]) + begins[line] - 1L]
    words = words_of_rule(of_line)
    if (length(words) > 0L && of_line[1L] != charToRaw("#")) {
      rule = read_rule(words, sprintf("on line %d", line))
      rules$weights = c(rules$weights, rule$weight)
      rules$patterns = c(rules$patterns, list(rule$patterns))
    }
  }
  rules
}

text_of_rules = function(source) {
  required = "be a file of rules, or a list of rules"
  if (is.character(source) && length(source) == 1L && !is.na(source)) {
    if (!are_there(source)) {
      stop_parameter("rules", required, sprintf("%s, no file,", show_value(source)),
        "Put a rule that is written out into a list.")
    }
    check_regular_file(source, "rules")
    return(readBin(source, "raw", file.size(source)))
  }
  if (!is.list(source) && !is.character(source)) {
    stop_parameter("rules", required, show_value(source))
  }
  c(raw(), unlist(lapply(check_paths(source, "rules", required), function(rule) c(charToRaw(rule), charToRaw("\n")))))
}

# The words of a line, each as bytes, in a list.
words_of_rule = function(line) {
  while (length(line) > 0L && line[length(line)] == as.raw(13L)) {
    line = line[-length(line)]
  }
  is_blank = line == as.raw(32L) | line == as.raw(9L)
  unname(split(line[!is_blank], cumsum(is_blank)[!is_blank]))
}

read_rule = function(words, where) {
  refused = function(required, word, advice = NULL) {
    shown = sprintf("'%s' %s", shown_name(rawToChar(word[word != as.raw(0L)])), where)
    stop_parameter("rules", required, shown, advice)
  }
  if (length(words) != 2L) {
    has_third = length(words) > 2L
    refused(paste0("have a pattern and a weight on each line", if (has_third) ", and no third word"),
      words[[if (has_third) 3L else 1L]])
  }
  star = charToRaw("*")
  keeps = identical(words[[2L]], star)
  weight = if (keeps) kept_weight else decimal_of(words[[2L]])
  if (!keeps && !isTRUE(weight > 0)) {
    refused("have weights that are positive decimal numbers, or '*'", words[[2L]])
  }
  if (identical(words[[1L]], star)) {
    return(list(weight = weight, patterns = character()))
  }
  commas = c(0L, which(words[[1L]] == charToRaw(",")), length(words[[1L]]) + 1L)
  patterns = lapply(seq_along(commas)[-1L], function(comma) {
    alternative = words[[1L]][seq_len(commas[comma] - commas[comma - 1L] - 1L) + commas[comma - 1L]]
    if (length(alternative) == 0L) {
      refused("have no empty alternative between commas", words[[1L]])
    }
    found = core_call("lua_pattern", list(pattern = alternative))
    if (!is.null(found$reason)) {
      refused("have valid Lua patterns", alternative, sprintf("In this one, %s.", found$reason))
    }
    found$regex
  })
  list(weight = weight, patterns = unlist(patterns))
}

decimal_of = function(word) {
  text = rawToChar(word[word != as.raw(0L)])
  if (grepl("^([0-9]+[.]?[0-9]*|[.][0-9]+)$", text, useBytes = TRUE)) as.double(text) else NaN
}

# The number of the rule of each file, 0 for none: the first that keeps all lines and covers it, else the first that
# covers it.
rules_of_files = function(rules, names) {
  found = numeric(length(names))
  for (rule in rev(order(rules$weights != kept_weight))) {
    patterns = rules$patterns[[rule]]
    covered = Reduce(`|`, lapply(patterns, grepl, names, perl = TRUE, useBytes = TRUE), length(patterns) == 0L)
    found[rep_len(covered, length(names))] = rule
  }
  found
}

kept_weight = -1 # of files whose lines occur once in each epoch
