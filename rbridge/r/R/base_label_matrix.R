# Labels of rows, for batch_sampler_multilabel() and repeat_factors().

# -> a logical matrix with column names; anything but 0 and 1 is refused
label_matrix = function(labels) {
  if (is.data.frame(labels)) {
    check_label_columns(labels)
  }
  if (is.data.frame(labels) || inherits(labels, "sparseMatrix")) {
    labels = as.matrix(labels)
  }
  check_label_matrix(labels)
  wrong = is.na(labels) | (labels != 0 & labels != 1)
  if (any(wrong)) {
    stop_parameter("labels", "hold 0 and 1", show_value(t(labels)[which(t(wrong))[1L]]))
  }
  names = unicode_text(colnames(labels), "labels", "name each label by a text")
  matrix(labels == 1, nrow(labels), ncol(labels),
    dimnames = list(NULL, if (is.null(names)) as.character(seq_len(ncol(labels))) else names))
}

check_label_columns = function(labels) {
  for (name in names(labels)) {
    column = labels[[name]]
    if (is.object(column) || !is.null(dim(column)) || !(is.logical(column) || is.numeric(column))) {
      stop_parameter("labels", "hold 0 and 1", sprintf("%s values in column '%s'", class(column)[1L], name))
    }
  }
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
    stop_parameter("labels", "hold 0 and 1", sprintf("%s values", typeof(labels)))
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
