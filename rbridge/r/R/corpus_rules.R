# Rules of distribution: the share of the sample that comes from each file. One per line: a pattern, blanks, and a
# weight.

# -> a list of rules, list(
#   text = the pattern as it was written,
#   weight = a decimal number as text, NULL if all lines of the files are kept,
#   patterns = Lua patterns that were read, one of which is found in the name of each file of the rule; none: all
#     files
# )
# `source` is a file of rules, or a list or several of them written out.
read_rules = function(source) {
  lines = rule_lines(source)
  rules = list()
  for (place in seq_along(lines)) {
    line = sub("\r+$", "", lines[place], useBytes = TRUE)
    words = strsplit(line, "[ \t]+", useBytes = TRUE)[[1L]]
    words = words[words != ""]
    if (length(words) > 0L && !startsWith(line, "#")) {
      rules[[length(rules) + 1L]] = read_rule(words, place)
    }
  }
  rules
}

rule_lines = function(source) {
  required = "be a file of rules, or a list of rules"
  if (is.character(source) && length(source) == 1L && !is.na(source)) {
    if (!are_there(source)) {
      stop_parameter("rules", required, sprintf("%s, no file,", show_value(source)),
        "Put a rule that is written out into a list.")
    }
    check_regular_file(source, "rules")
    bytes = readBin(source, "raw", file.size(source))
    return(strsplit(rawToChar(bytes[bytes != as.raw(0L)]), "\n", fixed = TRUE, useBytes = TRUE)[[1L]])
  }
  if (!is.list(source) && !is.character(source)) {
    stop_parameter("rules", required, show_value(source))
  }
  wrong = which(!vapply(source, function(rule) is.character(rule) && length(rule) == 1L && !is.na(rule), NA))
  if (length(wrong) > 0L) {
    stop_parameter("rules", required, sprintf("a list with %s", show_value(source[[wrong[1L]]])))
  }
  as.character(source)
}

longest_weight = 4300L # the digits that Python converts to an integer

read_rule = function(words, place) {
  refuse = function(requirement, got, advice = NULL) {
    stop_parameter("rules", requirement, sprintf("'%s' on line %d", shown_name(got), place), advice)
  }
  if (length(words) > 2L) {
    refuse("have a pattern and a weight on each line, and no third word", words[3L])
  }
  if (length(words) < 2L) {
    refuse("have a pattern and a weight on each line", words[1L])
  }
  pattern = words[1L]
  weight = words[2L]
  if (nchar(weight, "bytes") > longest_weight) {
    stop_parameter("rules", sprintf("have weights of at most %d digits", longest_weight),
      sprintf("%d on line %d", nchar(weight, "bytes"), place))
  }
  is_number = grepl("^([0-9]+([.][0-9]*)?|[.][0-9]+)$", weight, useBytes = TRUE)
  if (weight != "*" && (!is_number || !grepl("[1-9]", weight))) {
    refuse("have weights that are positive decimal numbers, or '*'", weight)
  }
  alternatives = if (pattern == "*") character() else split_at_commas(pattern)
  if ("" %in% alternatives) {
    refuse("have no empty alternative between commas", pattern)
  }
  patterns = lapply(alternatives, function(alternative) {
    tryCatch(read_lua_pattern(alternative), malformed_pattern = function(condition) {
      refuse("have valid Lua patterns", alternative, sprintf("In this one, %s.", conditionMessage(condition)))
    })
  })
  list(text = pattern, weight = if (weight != "*") weight, patterns = patterns)
}

# The last comma is for strsplit(), which drops an empty string at the end.
split_at_commas = function(pattern) {
  strsplit(paste0(pattern, ","), ",", fixed = TRUE, useBytes = TRUE)[[1L]]
}

# The number of the rule that covers each file, 0 without one: the first that keeps all its lines, else the first that
# has a weight.
find_rules = function(rules, names) {
  keeps = vapply(rules, function(rule) is.null(rule$weight), NA)
  numbers = c(which(keeps), which(!keeps))
  vapply(names, function(name) {
    covers = function(number) covers_name(rules[[number]], name)
    c(Find(covers, numbers), 0L)[1L]
  }, 1L, USE.NAMES = FALSE)
}

covers_name = function(rule, name) {
  tryCatch(
    length(rule$patterns) == 0L || !is.null(Find(function(pattern) is_lua_match(pattern, name), rule$patterns)),
    too_many_steps = function(condition) {
      stop_parameter("rules", sprintf("have patterns that take at most %d steps for a name", most_lua_steps),
        sprintf("'%s' for '%s'", shown_name(rule$text), shown_name(name)), "Use fewer captures that are referred to.")
    }
  )
}
