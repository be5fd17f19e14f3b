# Strata from values: numbered 1, 2, ... in order of first appearance, with the names shown in messages and tables.
# Nothing here sorts, or depends on the locale or on factor levels, so that every language gets the same numbers.

# -> list(codes = integer, NA if the row is never sampled, names = character)
# `missing` is NULL for a sampler without this choice, which refuses missing values.
# No rows have no strata; they are refused unless `may_be_empty`.
# `exact` names are those of tables of names: different values of the same kinds have different ones. The result then
# also has the `kinds`, those of the columns.
# `are_strata` is FALSE for other values that are numbered alike: labels and groups.
encode_strata = function(strata, missing, may_be_empty = FALSE, exact = FALSE, are_strata = TRUE) {
  if (inherits(strata, "stratum_codes")) {
    if (!may_be_empty || length(strata$codes) > 0L) {
      check_some_rows(length(strata$codes), sum(is.na(strata$codes)), "strata")
    }
    return(list(codes = strata$codes + 1L, names = strata$names))
  }
  columns = strata_columns(if (inherits(strata, "Task")) task_strata(strata) else strata)
  n_rows = length(columns[[1L]]$values)
  if (n_rows == 0L && may_be_empty) {
    return(list(codes = integer(), names = character()))
  }
  check_some_rows(n_rows, 0L, "strata")
  encoded = lapply(columns, encode_column, exact = exact, is_quoted = exact && length(columns) > 1L)
  if (are_strata) {
    Map(warn_of_measurements, columns, encoded)
  }
  is_missing = missing_rows(columns)
  check_missing(is_missing, missing)
  combined = Reduce(combine_codes, encoded)
  if (exact) {
    combined$kinds = vapply(columns, `[[`, "", "kind")
  }
  if (identical(missing, "drop")) {
    # The remaining rows are numbered again, because a dropped row may have been the first of its stratum.
    first = unique(combined$codes[!is_missing])
    combined$codes = match(replace(combined$codes, is_missing, NA), first)
    combined$names = combined$names[first]
  }
  combined
}

# Warns of a column of numbers that are not whole, if nearly each of them is a stratum.
warn_of_measurements = function(column, encoded) {
  n_rows = length(column$values)
  n_values = length(encoded$names) - anyNA(encoded$codes)
  is_nearly_each = column$kind == "number" && n_values >= max(20, n_rows / 10)
  if (is_nearly_each && any(column$values != floor(column$values), na.rm = TRUE)) {
    warning(sprintf("The 'strata' parameter has %d different numbers in %s, and each is a stratum. ", n_values,
      show_count(n_rows, "row")), "Of numbers bin_target() makes strata.", call. = FALSE)
  }
}

# One vector is one column; every column is converted for exact comparison, or refused.
strata_columns = function(strata) {
  if (is.data.frame(strata) || (is.list(strata) && !is.object(strata))) {
    columns = as.list(strata)
    titles = if (is.null(names(columns))) as.character(seq_along(columns)) else names(columns)
    places = paste(" in column", vapply(titles, show_value, ""))
  } else {
    columns = list(strata)
    titles = places = ""
  }
  refuse_if(length(columns) == 0L, "strata", "have at least one column", "0 columns")
  columns = unname(Map(function(column, place, title) {
    c(comparable_column(column, place), list(title = title))
  }, columns, places, titles))
  rows = unique(vapply(columns, function(column) length(column$values), 1L))
  refuse_if(length(rows) > 1L, "strata", "have columns of equal length",
    sprintf("lengths %d and %d", rows[1L], rows[2L]))
  columns
}

column_kinds = "hold logical values, numbers, text or dates, one kind per column"

# -> list(
#   values = a plain vector in which equal means the same stratum and NA means missing, kind,
#   show = function(values, exact = FALSE): text, which no other value of the kind has if it is to be exact
# )
comparable_column = function(column, place) {
  column = plain_value(column)
  if (inherits(column, "POSIXlt")) {
    column = as.POSIXct(column)
  }
  type = column_kind(column)
  switch(type,
    # A level that is NA is a missing value; levels that do not occur are not strata.
    factor = numbered_column(as.integer(column), unicode_text(levels(column), "strata", place = place)),
    Date = new_column("day", floor(plain_numbers(column)), function(x, exact = FALSE) show_dates(as.POSIXlt(.Date(x)))),
    POSIXct = new_column("time", plain_numbers(column), show_times),
    character = {
      text = unicode_text(column, "strata", place = place)
      numbered_column(match(text, unique(text)), unique(text))
    },
    integer = ,
    double = new_column("number", plain_numbers(column), show_numbers),
    logical = new_column("boolean", as.vector(column), function(x, exact = FALSE) as.character(x)),
    integer64 = stop_parameter("strata", column_kinds, paste0("an integer that no double holds exactly", place),
      "Pass such numbers as text."),
    stop_parameter("strata", column_kinds, sprintf("%s values%s", type, place))
  )
}

new_column = function(kind, values, show) list(kind = kind, values = values, show = show)

column_kind = function(column) {
  known = c("data.frame", "factor", "Date", "POSIXct", "integer64")
  if (!is.null(dim(column)) && !is.data.frame(column)) {
    "matrix"
  } else if (is.object(column)) {
    c(known[inherits(column, known, which = TRUE) > 0L], class(column))[1L]
  } else if (is.atomic(column)) {
    typeof(column)
  } else {
    class(column)[1L]
  }
}

# Values that are numbers into distinct labels.
numbered_column = function(values, labels) {
  values[is.na(labels)[values]] = NA_integer_
  new_column("text", values, function(x, exact = FALSE) labels[x])
}

# NaN and NA become one missing value, and -0 becomes 0.
plain_numbers = function(numbers) {
  numbers = as.double(unclass(numbers))
  numbers[is.na(numbers)] = NA_real_
  numbers + 0
}

# ISO 8601 in UTC; of midnight, the date. Exact times have the fraction of a second: microseconds if they are all of it,
# else all digits.
show_times = function(seconds, exact = FALSE) {
  whole = floor(seconds)
  fraction = if (exact) seconds - whole else 0 * seconds
  micro = round(fraction * 1e6)
  digits = ifelse(whole + micro / 1e6 == seconds, sprintf(".%06.0f", micro),
    sub("^0([.][0-9]*[1-9])0*$", "\\1", sprintf("%.60f", fraction)))
  parts = as.POSIXlt(.POSIXct(whole, "UTC"))
  times = sprintf("%sT%02d:%02d:%02d", show_dates(parts), parts$hour, parts$min, as.integer(parts$sec))
  ifelse(seconds %% 86400 == 0, show_dates(parts), ifelse(fraction == 0, times, paste0(times, digits)))
}

# With 17 digits if exact numbers of 15 are those of another double.
show_numbers = function(numbers, exact = FALSE) {
  shown = sprintf("%.15g", numbers)
  others = which(exact & is.finite(numbers))
  others = others[as.double(shown[others]) != numbers[others]]
  replace(shown, others, sprintf("%.17g", numbers[others]))
}

# format() writes years before 1000 with fewer than four digits.
show_dates = function(parts) {
  sprintf("%04d-%02d-%02d", as.integer(parts$year + 1900), parts$mon + 1L, parts$mday)
}

# Of several columns, names that have their separator are in double quotes if they must be exact.
encode_column = function(column, exact = FALSE, is_quoted = FALSE) {
  numbered = number_values(column$values)
  names = column$show(numbered$values, exact)
  names[is.na(numbered$values)] = "NA"
  quoted = is_quoted & (grepl(", ", names, fixed = TRUE) | startsWith(names, '"'))
  names[quoted] = sprintf('"%s"', gsub('"', '""', names[quoted], fixed = TRUE))
  list(codes = numbered$codes, names = names)
}

# -> list(codes, from 1 in order of first appearance, values, the distinct ones)
# Doubles are numbered by their bits, in a time that does not depend on the values, unlike unique() and match().
number_values = function(values) {
  if (is.double(values)) {
    return(core_call("number_values", list(values = values)))
  }
  first = unique(values)
  list(codes = match(values, first), values = first)
}

# Pairs of codes become one number each, exact in a double, and are numbered by first appearance again.
combine_codes = function(left, right) {
  n_left = length(left$names)
  refuse_if(n_left * as.double(length(right$names)) >= 2^53, "strata",
    "have fewer than 2^53 pairs of values in two columns, to be exact", "more")
  numbered = number_values(left$codes + n_left * (right$codes - 1))
  first = numbered$values
  list(
    codes = numbered$codes,
    names = paste(left$names[(first - 1) %% n_left + 1], right$names[(first - 1) %/% n_left + 1], sep = ", ")
  )
}

missing_rows = function(columns) {
  Reduce(`|`, lapply(columns, function(column) is.na(column$values)))
}

check_missing = function(is_missing, missing) {
  refuse_if((is.null(missing) || missing == "error") && any(is_missing), "strata", "have no missing values",
    sprintf("%d missing of %s", sum(is_missing), show_count(length(is_missing), "row")),
    if (is.null(missing)) "Leave these rows out of the dataset." else "Set 'missing' to 'stratum' or 'drop'.")
  if (identical(missing, "drop")) {
    check_some_rows(length(is_missing), sum(is_missing), "strata")
  }
}

check_some_rows = function(n_rows, n_missing, parameter) {
  refuse_if(n_rows == 0L, parameter, "have at least one row", "0 rows")
  refuse_if(n_missing == n_rows, parameter, "have at least one row without missing values",
    sprintf("%d missing of %s", n_missing, show_count(n_rows, "row")))
}

# A vector of numbers, of which some are not missing.
check_numbers = function(values) {
  values = plain_value(if (inherits(values, "Task")) values$truth() else values)
  kinds = c(character = "text", logical = "logical values", Date = "dates", POSIXct = "dates", "NULL" = "nothing")
  # R's own NA is logical.
  if (is.logical(values) && !is.object(values) && length(values) > 0L && all(is.na(values))) {
    values = as.double(values)
  }
  kind = column_kind(values)
  refuse_if(!kind %in% c("integer", "double"), "values", "be a vector of numbers",
    if (kind %in% names(kinds)) kinds[[kind]] else paste(kind, "values"))
  check_some_rows(length(values), sum(is.na(values)), "values")
  plain_numbers(values)
}
