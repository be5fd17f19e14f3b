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
  given = unicode_text(colnames(labels), "labels", "name each label by a text")
  names = if (is.null(given)) as.character(seq_len(ncol(labels))) else given
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
  is_listed = is.list(column) && (!is.object(column) || inherits(column, "AsIs"))
  if (is_listed || is.factor(column) || is.character(column)) {
    matrix = if (is_listed) {
      listed_labels(unclass(column), place)
    } else {
      text_labels(as.character(column), seq_along(column), length(column), "row", place, is.factor(column))
    }
    colnames(matrix) = sprintf("%s=%s", name, colnames(matrix))
    return(matrix)
  }
  refuse_if(is.object(column) || !is.null(dim(column)) || !(is.logical(column) || is.numeric(column)), "labels",
    label_values, sprintf("%s values%s", class(column)[1L], place), label_advice)
  matrix(column, ncol = 1L, dimnames = list(NULL, name))
}

# Whether each row has each of the labels that the vectors of a list name.
listed_labels = function(rows, place = "") {
  is_listed = vapply(rows, function(row) length(row) == 0L || is.character(row) || is.factor(row), NA)
  refuse_if(!all(is_listed), "labels", "have a vector of text for each row",
    paste0(show_value(rows[[which(!is_listed)[1L]]]), place), "Give a row without labels character().")
  check_some_rows(length(rows), 0L, "labels")
  labels = c(character(), unlist(lapply(rows, as.character)))
  text_labels(labels, rep(seq_along(rows), lengths(rows)), length(rows), "label", place)
}

# The matrix of labels, in order of first appearance, and the row of each. Text of a file may be digits by mistake.
text_labels = function(labels, rows, n_rows, noun, place, may_be_digits = TRUE) {
  n_missing = sum(is.na(labels))
  refuse_if(n_missing > 0L, "labels", "have no missing values",
    sprintf("%d missing of %s%s", n_missing, show_count(length(labels), noun), place))
  labels = unicode_text(labels, "labels", place = place)
  known = unique(labels)
  refuse_if(!may_be_digits && length(known) > 0L && all(known %in% c("0", "1")), "labels", label_values,
    sprintf("the text '%s'%s", known[1L], place), "Turn the column into numbers.")
  matrix = matrix(FALSE, n_rows, length(known), dimnames = list(NULL, known))
  matrix[cbind(rows, match(labels, known))] = TRUE
  matrix
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
