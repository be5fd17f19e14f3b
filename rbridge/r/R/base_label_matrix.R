# Labels of rows, for batch_sampler_multilabel(), batch_sampler_per_label() and repeat_factors().

label_values = "hold 0 and 1, or text"
label_advice = paste("Use 1 for rows that have the label and 0 for the others, or turn the column into text, of which",
  "each value is a label.")

# -> a logical matrix with column names; anything but 0, 1 and text is refused. Each value of text is a label.
label_matrix = function(labels) {
  if (is.list(labels) && !is.object(labels)) {
    labels = listed_labels(labels)
  }
  if (is.character(labels) && length(dim(labels)) == 2L) {
    labels = as.data.frame(labels)
  }
  if (is.data.frame(labels)) {
    columns = Map(column_of_labels, labels, names(labels))
    labels = if (length(columns) > 0L) do.call(cbind, unname(columns)) else matrix(0, nrow(labels), 0L)
  }
  labels = exact_numbers(if (inherits(labels, "sparseMatrix")) as.matrix(labels) else labels)
  is_array = is.atomic(labels) && !is.object(labels) && length(labels) > 1L
  refuse_if(length(dim(labels)) != 2L || is.object(labels), "labels", "be a matrix with one row per row of the dataset",
    if (is_array) show_count(max(1L, length(dim(labels))), "dimension") else show_value(labels))
  empty = c("row", "column")[dim(labels) == 0L]
  refuse_if(length(empty) > 0L, "labels", sprintf("have at least one %s", empty[1L]), sprintf("0 %ss", empty[1L]))
  refuse_if(!is.logical(labels) && !is.numeric(labels), "labels", label_values, sprintf("%s values", typeof(labels)),
    label_advice)
  names = unicode_text(colnames(labels), "labels", "name each label by a text")
  if (is.null(names)) {
    names = as.character(seq_len(ncol(labels)))
  }
  has = labels == 1
  wrong = which(t(is.na(has) | !has & labels != 0), arr.ind = TRUE)
  refuse_if(length(wrong) > 0L, "labels", label_values,
    sprintf("%s in column '%s'", show_value(labels[[wrong[1L, 2L], wrong[1L, 1L]]]), names[wrong[1L, 1L]]),
    label_advice)
  dimnames(has) = list(NULL, names)
  has
}

# A column of a data frame as a matrix: its numbers, or a column for each value of text.
column_of_labels = function(column, name) {
  column = plain_value(column)
  place = sprintf(" in column '%s'", name)
  if (is.list(column) && (!is.object(column) || inherits(column, "AsIs"))) {
    matrix = listed_labels(unclass(column), place)
    colnames(matrix) = paste(name, colnames(matrix), sep = "=")
    return(matrix)
  }
  if (is.factor(column) || is.character(column)) {
    encoded = refuse_as("labels", encode_column(comparable_column(column, place)))
    check_named_labels(encoded$names, column, "row", place, is.factor(column))
    return(matrix(outer(encoded$codes, seq_along(encoded$names), `==`), nrow = length(column),
      dimnames = list(NULL, paste(name, encoded$names, sep = "="))))
  }
  refuse_if(is.object(column) || !is.null(dim(column)) || !(is.logical(column) || is.numeric(column)), "labels",
    label_values, sprintf("%s values%s", class(column)[1L], place), label_advice)
  matrix(column, ncol = 1L, dimnames = list(NULL, name))
}

# Whether each row has each of the labels that the vectors of a list name, in order of first appearance.
listed_labels = function(rows, place = "") {
  is_listed = vapply(rows, function(row) length(row) == 0L || is.character(row) || is.factor(row), NA)
  refuse_if(!all(is_listed), "labels", "have a vector of text for each row",
    paste0(show_value(rows[[which(!is_listed)[1L]]]), place), "Give a row without labels character().")
  check_some_rows(length(rows), 0L, "labels")
  labels = unlist(lapply(rows, as.character))
  check_named_labels(NULL, labels, "label", place)
  labels = unicode_text(c(character(), labels), "labels", place = place)
  known = unique(labels)
  matrix = matrix(0, length(rows), length(known), dimnames = list(NULL, known))
  matrix[cbind(rep(seq_along(rows), lengths(rows)), match(labels, known))] = 1
  matrix
}

# Refuses missing values, and digits, which a file that was read as text has, for example.
check_named_labels = function(names, values, noun, place, may_be_digits = FALSE) {
  n_missing = sum(is.na(values))
  refuse_if(n_missing > 0L, "labels", "have no missing values",
    sprintf("%d missing of %s%s", n_missing, show_count(length(values), noun), place))
  refuse_if(!may_be_digits && length(names) > 0L && all(names %in% c("0", "1")), "labels", label_values,
    sprintf("the text '%s'%s", names[1L], place), "Turn the column into numbers.")
}

check_labels_have_rows = function(labels) {
  empty = which(colSums(labels) == 0)
  refuse_if(length(empty) > 0L, "labels", "have a row of every label",
    sprintf("no row of label '%s'", colnames(labels)[empty[1L]]), "Leave the label out.")
}

# What the core takes: the number of the label set of each row, in order of first appearance, and the labels of each.
label_sets = function(matrix) {
  codes = numeric(nrow(matrix))
  for (begin in seq(1L, ncol(matrix), by = 22L)) { # below 2^53, with the codes before
    block = matrix[, begin:min(begin + 21L, ncol(matrix)), drop = FALSE]
    words = codes * 2^22 + drop(block %*% 2^(seq_len(ncol(block)) - 1))
    codes = match(words, unique(words))
  }
  sets = matrix[!duplicated(codes), , drop = FALSE]
  c(strata_data(list(codes = codes, names = seq_len(nrow(sets)))), list(sets = as.raw(t(sets))))
}
