# Rows that only some epochs visit: a table by first epoch, as the core takes it.

# -> list(rows, begins, n_candidates), NULL if there are none
rows_by_epoch = function(rows) {
  if (is.null(rows)) {
    return(NULL)
  }
  is_table = is.list(rows) && !is.object(rows)
  table = if (is_table) read_rows_table(rows) else list("0" = rows)
  stages = lapply(table, feedback_rows)
  if (any(lengths(stages) == 0L)) {
    stop_parameter("rows", "have rows for each epoch", "0 values")
  }
  list(rows = unlist(stages, use.names = FALSE), begins = as.double(names(table)),
    n_candidates = as.double(lengths(stages, use.names = FALSE)))
}

# A list of rows by the first epoch in which they are visited, in order of the epochs.
read_rows_table = function(rows) {
  epochs = epochs_of_table(names(rows), length(rows))
  wrong = which(epochs < 0)
  if (length(wrong) > 0L) {
    stop_parameter("rows", sprintf("be a table from epochs, integers from 0 to %.0f, to rows", largest_epoch),
      sprintf("the epoch %s", show_value(names(rows)[wrong[1L]])))
  }
  if (!0 %in% epochs) {
    got = if (length(epochs) > 0L) sprintf("a table from epoch %.0f on", min(epochs)) else "an empty table"
    stop_parameter("rows", "have rows from epoch 0 on", got)
  }
  table = rows[order(epochs)]
  names(table) = sprintf("%.0f", sort(epochs))
  table
}
