# Labels of rows, for batch_sampler_multilabel() and repeat_factors().

label_values = "hold 0 and 1, or text"
label_advice = paste("Use 1 for rows that have the label and 0 for the others, or turn the column into text, of which",
  "each value is a label.")

# -> a logical matrix with column names; anything but 0, 1 and text is refused. Each value of text is a label.
label_matrix = function(labels) {
  if (is.list(labels) && !is.object(labels)) {
    labels = listed_labels(labels)
  }
  if (is.character(labels) && length(dim(labels)) == 2L && length(labels) > 0L) {
    names = colnames(labels)
    labels = as.data.frame(labels, stringsAsFactors = FALSE)
    names(labels) = if (is.null(names)) as.character(seq_along(labels)) else names
  }
  if (is.data.frame(labels)) {
    labels = columns_of_labels(labels)
  }
  if (inherits(labels, "sparseMatrix")) {
    labels = as.matrix(labels)
  }
  labels = exact_numbers(labels)
  check_label_matrix(labels)
  names = unicode_text(colnames(labels), "labels", "name each label by a text")
  if (is.null(names)) {
    names = as.character(seq_len(ncol(labels)))
  }
  wrong = is.na(labels) | (labels != 0 & labels != 1)
  if (any(wrong)) {
    row = which(rowSums(wrong) > 0)[1L]
    column = which(wrong[row, ])[1L]
    stop_parameter("labels", label_values,
      sprintf("%s in column '%s'", show_value(labels[[row, column]]), names[column]), label_advice)
  }
  matrix(labels == 1, nrow(labels), ncol(labels), dimnames = list(NULL, names))
}

# A data frame as a matrix: its columns of 0 and 1, and a column for each value of those of text.
columns_of_labels = function(labels) {
  parts = lapply(names(labels), function(name) {
    column = plain_value(labels[[name]])
    if (is.list(column) && (!is.object(column) || inherits(column, "AsIs"))) {
      of_lists = listed_labels(unclass(column), sprintf(" in column '%s'", name))
      colnames(of_lists) = paste(name, colnames(of_lists), sep = "=")
      return(of_lists)
    }
    if (is.factor(column) || is.character(column)) {
      return(values_as_labels(column, name))
    }
    if (is.object(column) || !is.null(dim(column)) || !(is.logical(column) || is.numeric(column))) {
      stop_parameter("labels", label_values, sprintf("%s values in column '%s'", class(column)[1L], name),
        label_advice)
    }
    matrix(column, ncol = 1L, dimnames = list(NULL, name))
  })
  if (length(parts) > 0L) do.call(cbind, parts) else as.matrix(labels)
}

values_as_labels = function(column, name) {
  place = sprintf(" in column '%s'", name)
  encoded = refuse_as("labels", encode_column(comparable_column(column, place)))
  n_missing = sum(is.na(column))
  if (n_missing > 0L) {
    stop_parameter("labels", "have no missing values",
      sprintf("%d missing of %s%s", n_missing, show_count(length(column), "row"), place))
  }
  if (!is.factor(column) && all(encoded$names %in% c("0", "1"))) { # of a file that was read as text, for example
    stop_parameter("labels", label_values, sprintf("the text '%s'%s", encoded$names[1L], place),
      "Turn the column into numbers.")
  }
  matrix(outer(encoded$codes, seq_along(encoded$names), `==`), nrow = length(column),
    dimnames = list(NULL, paste(name, encoded$names, sep = "=")))
}

# Whether each row has each of the labels that the vectors of a list name, in order of first appearance.
listed_labels = function(rows, place = "") {
  is_listed = vapply(rows, function(row) length(row) == 0L || is.character(row) || is.factor(row), NA)
  if (!all(is_listed)) {
    got = paste0(show_value(rows[[which(!is_listed)[1L]]]), place)
    stop_parameter("labels", "have a vector of text for each row", got, "Give a row without labels character().")
  }
  labels = unlist(lapply(rows, as.character))
  check_some_rows(length(rows), 0L, "labels")
  if (anyNA(labels)) {
    stop_parameter("labels", "have no missing values",
      sprintf("%d missing of %s%s", sum(is.na(labels)), show_count(length(labels), "label"), place))
  }
  labels = unicode_text(c(character(), labels), "labels", place = place)
  known = unique(labels)
  matrix = matrix(0, length(rows), length(known), dimnames = list(NULL, known))
  matrix[cbind(rep(seq_along(rows), lengths(rows)), match(labels, known))] = 1
  matrix
}

check_label_matrix = function(labels) {
  if (length(dim(labels)) != 2L || is.object(labels) || !is.atomic(labels)) {
    stop_parameter("labels", "be a matrix with one row per row of the dataset", show_shape(labels))
  }
  for (side in 1:2) {
    noun = c("row", "column")[side]
    if (dim(labels)[side] == 0L) {
      stop_parameter("labels", sprintf("have at least one %s", noun), sprintf("0 %ss", noun))
    }
  }
  if (!is.logical(labels) && !is.numeric(labels)) {
    stop_parameter("labels", label_values, sprintf("%s values", typeof(labels)), label_advice)
  }
}

# "1 dimension", "3 dimensions"; anything but a vector of several values, as a value
show_shape = function(value) {
  is_text = is.character(value) && length(value) == 1L && is.null(dim(value))
  if (is.null(value) || is.object(value) || !is.atomic(value) || is_text) {
    return(show_value(value))
  }
  show_count(max(1L, length(dim(value))), "dimension")
}

check_labels_have_rows = function(labels) {
  empty = which(colSums(labels) == 0)
  if (length(empty) > 0L) {
    stop_parameter("labels", "have a row of every label", sprintf("no row of label '%s'", colnames(labels)[empty[1L]]),
      "Leave the label out.")
  }
}
