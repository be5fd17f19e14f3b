# Rows that only some epochs visit: a table by first epoch, as the core takes it.

# -> list(rows, begins, n_candidates), NULL if there are none
rows_by_epoch = function(rows) {
  if (is.null(rows)) {
    return(NULL)
  }
  is_table = is.list(rows) && !is.object(rows)
  table = if (is_table) read_epoch_table(rows, "rows", "rows", "rows") else list("0" = rows)
  stages = lapply(table, feedback_rows)
  if (any(lengths(stages) == 0L)) {
    stop_parameter("rows", "have rows for each epoch", "0 values")
  }
  list(rows = unlist(stages, use.names = FALSE), begins = as.double(names(table)),
    n_candidates = as.double(lengths(stages, use.names = FALSE)))
}
