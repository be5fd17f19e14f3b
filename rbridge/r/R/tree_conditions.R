# The columns of a table that are used, the values that meet a condition, and what the core takes of them.
# A condition is evaluated once for each distinct value of its column, not for each row.

table_rows = function(table) {
  refuse_if(length(table) == 0L, "table", "have at least one column", "0 columns")
  rows = unique(vapply(table, NROW, 0L))
  refuse_if(length(rows) > 1L, "table", "have columns of equal length",
    sprintf("lengths %d and %d", rows[1L], rows[2L]))
  rows
}

# The used columns, from the table or else from the task.
tree_table = function(table, columns, task) {
  known = if (is.null(table)) setdiff(task$backend$colnames, task$backend$primary_key) else names(table)
  lapply(stats::setNames(nm = columns), function(name) {
    found = sum(known %in% name)
    none = sprintf("no such column; it has %s,", show_names(known))
    refuse_if(found != 1L, "table", sprintf("have one column '%s'", name),
      if (found == 0L) none else sprintf("%d such columns", found))
    column = plain_value(if (is.null(table)) task_columns(task, name)[[1L]] else table[[name]])
    refuse_if(length(dim(column)) > 1L, "table", sprintf("hold a vector in column '%s'", name),
      sprintf("a value of class '%s'", class(column)[1L]))
    column
  })
}

# A column as integer codes, counted from 0 and -1 if missing, with its distinct values in order of first appearance,
# days and times in seconds.
tree_codes = function(column, name) {
  column = refuse_as("table", comparable_column(column, sprintf(" in column '%s'", name)))
  plain = switch(column$kind, text = column$show(column$values), day = 86400 * floor(column$values),
    time = round(column$values * 1e6) / 1e6, column$values)
  values = unique(plain[!is.na(plain)])
  kind = if (column$kind %in% c("day", "time")) "date" else column$kind
  list(codes = match(plain, values, nomatch = 0L) - 1L, values = values, kind = kind)
}

# Days and times in seconds since 1970, to the microsecond; text is a day, or a time in UTC if it has no zone.
moment_seconds = function(moments) {
  if (is.character(moments)) {
    is_day = nchar(moments) == 10L
    text = sub("Z$", "+0000", sub("([-+]\\d\\d):(\\d\\d)$", "\\1\\2", chartr(" ", "T", moments)))
    has_zone = grepl("[-+]\\d{4}$", text)
    format = if (is_day) "%Y-%m-%d" else paste0("%Y-%m-%dT%H:%M:%OS", if (has_zone) "%z")
    moments = as.POSIXct(text, format = format, tz = "UTC")
  }
  if (inherits(moments, "Date")) {
    return(86400 * floor(as.double(unclass(moments))))
  }
  round(as.double(as.POSIXct(moments)) * 1e6) / 1e6
}

# Weights as doubles, NaN if missing.
tree_numbers = function(column, name) {
  numbers = refuse_as(name, check_numbers(column))
  replace(numbers, is.na(numbers), NaN)
}

# Whether missing values, and then those of each code, meet the condition of a node.
taken_codes = function(node, column) {
  values = column$values
  wanted = if (node$op != "isnull") refuse_at(sprintf("of node '%s'", node$path), fitting_values(node, column))
  if (node$op == "isnull" || length(values) == 0L) {
    return(c(node$op == "isnull", logical(length(values))))
  }
  wanted = unlist(wanted)
  if (is.character(values)) { # which is ordered by code point, whatever the locale
    order = sort(unique(c(values, wanted)), method = "radix")
    values = match(values, order)
    wanted = match(wanted, order)
  }
  c(FALSE, switch(node$op,
    eq = , "in" = values %in% wanted, ne = , "not in" = !values %in% wanted,
    lt = values < wanted, le = values <= wanted, gt = values > wanted, ge = values >= wanted,
    between = values >= wanted[1L] & values <= wanted[2L]
  ))
}

# The values of a condition in the type of the column; those of another kind are refused.
fitting_values = function(node, column) {
  value = node$keys[["value"]]
  asked = list(value)
  if (node$op %in% c("in", "not in", "between")) {
    # A list, or a vector of more than one item.
    is_list = is.list(value) && !is.object(value) && is.null(names(value)) && length(value) > 0L
    asked = if (is_list) value else if (length(value) > 1L) lapply(seq_along(value), function(i) value[i])
    refuse_if(is.null(asked) || (node$op == "between" && length(asked) != 2L), "value",
      if (node$op == "between") "be a list of two values, both included" else "be a list of values", show_given(value))
  }
  refuse_if(column$kind == "boolean" && !node$op %in% c("eq", "ne", "in", "not in"), "op",
    "be one of 'eq', 'ne', 'in', 'not in', 'isnull' for a column of logical values", show_value(node$keys[["op"]]))
  if (length(column$values) == 0L) asked else lapply(asked, fitting_value, node$keys[["column"]], column$kind)
}

fitting_value = function(value, name, kind) {
  value = plain_value(if (is.factor(value)) as.character(value) else value)
  is_moment = inherits(value, c("Date", "POSIXt"))
  moment = "^\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)?)?$"
  fits = length(value) == 1L && !anyNA(value) && switch(kind,
    date = is_moment || (is_plain_text(value) && grepl(moment, value)),
    boolean = is.logical(value),
    number = is.numeric(value) && !is.object(value),
    text = is_plain_text(value)
  )
  nouns = c(boolean = "a logical value", number = "a number", text = "a text", date = "a date")
  refuse_if(!fits, "value", sprintf("be %s as column '%s' holds", nouns[[kind]], name),
    if (is_moment) paste("the date", format(value)) else show_given(value))
  switch(kind, date = moment_seconds(value), text = unicode_text(value, "value"), as.vector(value))
}

# The column whose sum is the weight of a node, or "count"; NULL if there is none.
summed_column = function(node) {
  weight = node$keys[["weight"]]
  if (is.character(weight)) trimws(substring(weight, nchar("proportional(") + 1L, nchar(weight) - 1L))
}

# The declared nodes and the columns as the core takes them.
tree_data = function(nodes, n_rows, coded, numbers) {
  place = function(name, known, none = -1) if (is.null(name)) none else match(name, known, nomatch = 0L) - 1
  numbers_of_node = function(node) {
    column = place(node$keys[["column"]], names(coded))
    sums = c(place(summed_column(node), names(numbers), none = -2), place(node$keys[["row_weight"]], names(numbers)))
    c(node$parent, node$numbers[1:4], column, node$numbers[5L], sums)
  }
  compares = Filter(function(node) node$numbers[1L] == 1, nodes)
  taken = lapply(compares, function(node) taken_codes(node, coded[[node$keys[["column"]]]]))
  list(
    nodes = as.double(unlist(lapply(nodes, numbers_of_node))),
    names = packed(vapply(nodes, `[[`, "", "name")),
    n_rows = as.double(n_rows),
    n_values = vapply(unname(coded), function(column) length(column$values), 0L),
    column_codes = as.integer(unlist(lapply(unname(coded), `[[`, "codes"))),
    taken = as.raw(unlist(taken)),
    numbers = as.double(unlist(unname(numbers)))
  )
}
