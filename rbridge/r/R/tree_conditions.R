# The columns of a table that are used, and the values that meet a condition.
# A condition is evaluated once for each distinct value of its column, not for each row.

tree_kinds = "hold logical values, numbers, text, factors, dates or times"

show_class = function(value) sprintf("a value of class '%s'", class(value)[1L])

table_rows = function(table) {
  if (is.data.frame(table)) {
    return(nrow(table))
  }
  if (length(table) == 0L) {
    stop_parameter("table", "have at least one column", "0 columns")
  }
  rows = unique(vapply(table, function(column) NROW(column), integer(1L)))
  if (length(rows) > 1L) {
    stop_parameter("table", "have columns of equal length", sprintf("lengths %d and %d", rows[1L], rows[2L]))
  }
  rows
}

# The used columns, from the table or else from the task.
tree_table = function(table, columns, task) {
  known = if (is.null(table)) setdiff(task$backend$colnames, task$backend$primary_key) else names(table)
  for (name in columns) {
    found = sum(known %in% name)
    if (found != 1L) {
      none = sprintf("no such column; it has %s,", show_names(known))
      got = if (found == 0L) none else sprintf("%d such columns", found)
      stop_parameter("table", sprintf("have one column '%s'", name), got)
    }
  }
  if (is.null(table)) {
    return(if (length(columns) > 0L) lapply(task_columns(task, columns), plain_value))
  }
  taken = lapply(as.list(table)[columns], plain_value)
  for (name in columns) {
    if (length(dim(taken[[name]])) > 1L) {
      stop_parameter("table", sprintf("hold a vector in column '%s'", name), show_class(taken[[name]]))
    }
  }
  taken
}

# A column as integer codes, counted from 0 and -1 if missing, with its distinct values in order of first appearance,
# days and times in seconds.
tree_codes = function(column, name) {
  if (is.factor(column)) {
    column = unicode_text(levels(column), "table", place = sprintf(" in column '%s'", name))[as.integer(column)]
  }
  if (inherits(column, c("Date", "POSIXt"))) {
    plain = moment_seconds(column, "table", name)
    made = list(kind = "date", show = show_times)
  } else if (!is.object(column) && is.logical(column)) {
    plain = as.vector(column)
    made = list(kind = "boolean", show = as.character)
  } else if (!is.object(column) && is.numeric(column)) {
    plain = as.double(column)
    made = list(kind = "number", show = function(x) sprintf("%.15g", x + 0))
  } else if (!is.object(column) && is.character(column)) {
    plain = unicode_text(column, "table", place = sprintf(" in column '%s'", name))
    made = list(kind = "text", show = identity)
  } else {
    stop_parameter("table", tree_kinds, sprintf("%s in column '%s'", show_class(column), name))
  }
  values = unique(plain[!is.na(plain)])
  c(list(codes = match(plain, values, nomatch = 0L) - 1L, values = values), made)
}

# A day counts as its beginning.
moment_seconds = function(moments, parameter, name) {
  if (inherits(moments, "Date")) 86400 * floor(as.double(unclass(moments))) else plain_times(moments, parameter, name)
}

# Seconds since 1970, to the microsecond, in the years of Python's calendar.
plain_times = function(times, parameter, name) {
  seconds = round(as.double(as.POSIXct(times)) * 1e6) / 1e6
  if (any(seconds < -62135596800 | seconds >= 253402300800, na.rm = TRUE)) {
    stop_parameter(parameter, sprintf("hold times of the years 1 to 9999 in '%s'", name), "another year")
  }
  seconds
}

# Weights as doubles, NaN if missing.
tree_numbers = function(column, name) {
  check_some_rows(length(column), sum(is.na(column)), name)
  if (!is.numeric(column) || is.object(column)) {
    got = if (is.logical(column)) "logical values" else if (is.character(column)) "text" else show_class(column)
    stop_parameter(name, "be a vector of numbers", got)
  }
  column = as.double(column)
  column[is.na(column)] = NaN
  column
}

# Whether missing values, and then those of each code, meet the condition of a node.
taken_codes = function(node, column) {
  if (node$operator == "isnull") {
    return(as.raw(c(TRUE, rep(FALSE, length(column$values)))))
  }
  wanted = refuse_at(of_node(node$path), lapply(node$value, fitting_value, node = node, column = column))
  values = column$values
  first = wanted[[1L]]
  # If the kinds do not match here, the column has no values.
  found = if (length(values) == 0L) logical() else switch(node$operator,
    eq = ,
    "in" = values %in% unlist(wanted),
    ne = ,
    "not in" = !values %in% unlist(wanted),
    lt = is_before(values, first),
    le = !is_before(first, values),
    gt = is_before(first, values),
    ge = !is_before(values, first),
    between = !is_before(values, first) & !is_before(wanted[[2L]], values)
  )
  as.raw(c(FALSE, found))
}

# Text is ordered by code point, whatever the locale, which is the order of its bytes in UTF-8.
is_before = function(left, right) {
  if (!is.character(left)) {
    return(left < right)
  }
  all = unique(c(left, right))
  order = sort(all, method = "radix")
  match(left, order) < match(right, order)
}

# The value of a condition in the type of the column; one of another kind is refused.
fitting_value = function(value, node, column) {
  kind = column$kind
  given = c("date", "boolean", "text", "number")[
    c(inherits(value, c("Date", "POSIXt")), is.logical(value), is.character(value), TRUE)
  ][1L]
  if (node$operator %in% c("lt", "le", "gt", "ge", "between") && kind == "boolean") {
    stop_parameter("op", "be one of 'eq', 'ne', 'in', 'not in', 'isnull' for a column of logical values",
      show_value(node$operator))
  }
  if (given != kind && length(column$values) > 0L) {
    nouns = c(boolean = "a logical value", number = "a number", text = "a text", date = "a date")
    stop_parameter("value", sprintf("be %s as column '%s' holds", nouns[[kind]], node$column),
      if (given == "date") paste("the date", format(value)) else show_value(value))
  }
  switch(given,
    date = moment_seconds(value, "spec", "value"),
    text = unicode_text(value, "value", sprintf("be a text as column '%s' holds", node$column)),
    as.vector(value)
  )
}
