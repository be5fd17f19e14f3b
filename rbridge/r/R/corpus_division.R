# The division of an epoch among files: by rules, by a weight for each file, by a temperature, or by their lines alone.

# Groups of files with weights: a group has its share of the weights, and a file its share of the group's lines.
# -> list(
#   groups = the group of each file, 0 if nothing is drawn from it,
#   weights = the weight of each group, decimal numbers as text,
#   keeps = whether each line of a file occurs once, whatever is drawn,
#   rule = the number of the rule that covers each file, NaN without one,
#   parameter = the argument that divides the files, NULL if only their lines do
# )
# `rules` are read; at most one of the three is given.
divide_files = function(names, lines, rules = NULL, weights = NULL, temperature = NULL) {
  given = Filter(Negate(is.null), list(rules = rules, weights = weights, temperature = temperature))
  if (length(given) > 1L) {
    stop_parameter(names(given)[2L], sprintf("be left out if '%s' is given", names(given)[1L]), show_value(given[[2L]]))
  }
  if (!is.null(rules)) {
    return(divide_by_rules(rules, names))
  }
  if (!is.null(weights)) {
    return(divide_by_weights(read_weights(weights, length(names)), "weights"))
  }
  if (!is.null(temperature)) {
    temperature = check_number(temperature, "temperature", minimum = 1)
    if (temperature > 1) {
      return(divide_by_weights(powers_of_lines(lines, temperature), "temperature"))
    }
  }
  each = rep(1L, length(names))
  list(groups = each, weights = "1", keeps = each == 0L, rule = rep(NaN, length(names)), parameter = NULL)
}

divide_by_rules = function(rules, names) {
  covering = find_rules(rules, names)
  keeps = vapply(rules, function(rule) is.null(rule$weight), NA)
  is_kept = covering %in% which(keeps)
  list(
    groups = ifelse(is_kept, 0L, covering),
    weights = vapply(rules, function(rule) c(rule$weight, "0")[1L], ""),
    keeps = is_kept,
    rule = ifelse(covering > 0L, as.double(covering), NaN),
    parameter = "rules"
  )
}

# `weights` are decimal numbers as text, "*" for files that are kept; each file is its own group.
divide_by_weights = function(weights, parameter) {
  list(
    groups = ifelse(weights %in% c("0", "*"), 0L, seq_along(weights)),
    weights = weights,
    keeps = weights == "*",
    rule = rep(NaN, length(weights)),
    parameter = parameter
  )
}

# -> decimal numbers as text, and "*"
read_weights = function(weights, n_files) {
  required = "be a list with a number from 0 to 9007199254740992, or '*', for each file"
  if (is.object(weights) || !(is.numeric(weights) || is.character(weights) || is.list(weights))) {
    stop_parameter("weights", required, show_value(weights))
  }
  if (length(weights) != n_files) {
    stop_parameter("weights", sprintf("have one entry for each file, %d", n_files),
      show_count(length(weights), "value"))
  }
  entries = as.list(unname(weights))
  wrong = which(!vapply(entries, is_file_weight, NA))
  if (length(wrong) > 0L) {
    advice = if (is.character(weights)) "Numbers beside '*' are written as list(3, 1, '*')."
    stop_parameter("weights", required, sprintf("a list with %s", show_value(entries[[wrong[1L]]])), advice)
  }
  vapply(entries, function(weight) if (is.character(weight)) weight else as_decimal(weight), "")
}

is_file_weight = function(weight) {
  if (is.character(weight)) {
    return(identical(weight, "*"))
  }
  is.numeric(weight) && !is.object(weight) && length(weight) == 1L && !is.na(weight) && weight >= 0 && weight <= 2^53
}

# The shortest decimal number that represents a double from 0 on, without a positive exponent.
as_decimal = function(number) {
  if (number == floor(number)) sprintf("%.0f", number) else .Call(C_shortest_decimal, as.double(number))
}

# lines^(1 / temperature), rounded to 12 digits, which are the same on every machine.
powers_of_lines = function(lines, temperature) {
  rounded = as.double(sprintf("%.12g", lines^(1 / temperature)))
  ifelse(rounded == floor(rounded), sprintf("%.0f", rounded), sprintf("%.12g", rounded))
}
