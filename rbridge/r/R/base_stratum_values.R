# The values of strata from their names, for tables that name strata in a column of the type that the user passed.
# The labels of a recipe have, beside the `names` of strata, the labels of their values:
# * `kinds`: what each column of strata holds; "factor 3" and "ordered 3" are those of a factor with three levels;
# * `levels`: those of all factors, in order of the columns;
# * `columns`: the names of the columns, if there are several.
# One column of text has none of them. A column whose names do not give its values exactly is text.

value_label_names = c("kinds", "levels", "columns")

# `columns` are comparable ones, with titles.
value_labels = function(columns) {
  kinds = vapply(columns, value_kind, "")
  if (identical(kinds, "text")) {
    return(list())
  }
  levels = unlist(lapply(columns, `[[`, "levels"))
  list(kinds = kinds, levels = levels, columns = if (length(columns) > 1L) titles_of_columns(columns))
}

# A name that is no Unicode text is replaced by the number of its column.
titles_of_columns = function(columns) {
  titles = enc2utf8(vapply(columns, `[[`, "", "title"))
  are_text = !is.na(titles) & validUTF8(titles)
  ifelse(are_text, titles, as.character(seq_along(titles)))
}

value_kind = function(column) {
  if (!is.null(column$levels)) {
    return(sprintf("%s %d", column$type, length(column$levels)))
  }
  types = c(logical = "boolean", integer = "integer", double = "double", integer64 = "double", Date = "day",
    POSIXct = "time")
  if (!column$type %in% names(types) || !gives_values_back(column)) "text" else types[[column$type]]
}

# Whether the names of a column are its values: numbers of up to 15 digits, years of four digits, whole seconds.
gives_values_back = function(column) {
  if (is.logical(column$values) || column$type == "integer") {
    return(TRUE)
  }
  values = number_values(column$values)$values
  values = values[!is.na(values)]
  shown = column$show(values)
  identical(shown, column$identify(values)) && (column$kind == "number" || all(grepl("^[0-9]{4}-", shown)))
}

# The columns of a table that name its strata: `stratum`, and for strata of several columns also one for each of them,
# such as `stratum.site`.
stratum_columns = function(labels) {
  names = labels$names
  kinds = labels$kinds
  parts = if (length(kinds) > 1L) strsplit(paste0(names, ", "), ", ", fixed = TRUE) else as.list(names)
  # A text with the separator has more parts.
  if (length(kinds) == 0L || any(lengths(parts) != length(kinds))) {
    return(list(stratum = names))
  }
  columns = Map(values_of_names, lapply(seq_along(kinds), function(place) vapply(parts, `[[`, "", place)), kinds,
    levels_of_kinds(kinds, labels$levels))
  if (length(kinds) == 1L) {
    return(list(stratum = columns[[1L]]))
  }
  c(list(stratum = names), stats::setNames(columns, paste0("stratum.", labels$columns)))
}

# The same for the names of all processes, if the labels are those of the rows of one.
# If a name is not that of its value, the strata are text.
given_back_columns = function(labels) {
  columns = stratum_columns(labels)
  values = if (length(columns) > 1L) columns[-1L] else columns
  given_back = encode_strata(values, "stratum", exact = TRUE, are_strata = FALSE)$names
  if (identical(given_back, labels$names)) columns else list(stratum = labels$names)
}

values_of_names = function(names, kind, levels) {
  if (kind != "text") {
    names[names == "NA" & !names %in% levels] = NA
  }
  switch(sub(" .*", "", kind),
    text = names,
    boolean = as.logical(names),
    integer = suppressWarnings(as.integer(names)),
    double = suppressWarnings(as.double(names)),
    day = as.Date(names, format = "%Y-%m-%d"),
    time = as_time(names),
    factor(names, levels, ordered = startsWith(kind, "ordered"))
  )
}

# A name without a time of day is that of a midnight.
as_time = function(names) {
  as.POSIXct(paste0(names, ifelse(grepl("T", names, fixed = TRUE), "", "T00:00:00")), tz = "UTC",
    format = "%Y-%m-%dT%H:%M:%S")
}

n_levels_of_kinds = function(kinds) {
  as.double(ifelse(grepl(" ", kinds, fixed = TRUE), sub(".* ", "", kinds), "0"))
}

levels_of_kinds = function(kinds, levels) {
  ends = cumsum(n_levels_of_kinds(kinds))
  Map(function(end, count) levels[end - count + seq_len(count)], ends, n_levels_of_kinds(kinds))
}

# Refuses labels of a recipe from which stratum_columns() makes no columns.
check_value_labels = function(labels) {
  kinds = labels$kinds
  if (is.null(kinds)) {
    return(invisible())
  }
  known = "^(text|boolean|integer|double|day|time|(factor|ordered) [0-9]{1,9})$"
  if (!is.character(kinds) || !all(grepl(known, kinds))) {
    stop_parameter("recipe", "have known kinds of strata", show_value(kinds))
  }
  levels = if (is.null(labels$levels)) character() else labels$levels
  if (!is.character(levels) || sum(n_levels_of_kinds(kinds)) != length(levels) || has_repeated_levels(kinds, levels)) {
    stop_parameter("recipe", "have the levels of all factors", show_value(levels))
  }
  n_columns = if (length(kinds) > 1L) length(kinds) else 0L
  if (length(labels$columns) != n_columns || !(n_columns == 0L || is.character(labels$columns))) {
    stop_parameter("recipe", "have the names of all columns of strata", show_value(labels$columns))
  }
}

has_repeated_levels = function(kinds, levels) {
  any(vapply(levels_of_kinds(kinds, levels), anyDuplicated, 1L) > 0L)
}
