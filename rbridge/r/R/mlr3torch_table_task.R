# Tasks of mlr3 that are read once. mlr3 compares the rows of each request with all rows of a task, which takes time in
# proportion to all of them; here, a request takes time in proportion to its own rows.

table_dataset = function(dataset) {
  if (inherits(dataset, "auxiliary_dataset")) {
    return(auxiliary_dataset(table_dataset(dataset$dataset), dataset$augment))
  }
  refuse_fast_epochs(inherits(dataset, "multi_tensor_dataset"), "its 'tensor_dataset' is set, so its data are tensors",
    "Set read = 'tensors', or leave")
  task = source_task(dataset)
  refuse_fast_epochs(is.null(task), "its dataset has no field 'task'", "Leave")
  copy = dataset$clone()
  copy$task = table_task(task)
  copy
}

# A task whose method data() gathers rows from a table. All else is that of the task, and so is a request for what the
# table does not have.
table_task = function(task) {
  columns = as.list(task$data())
  ids = task$row_ids
  place_of = if (max(0, ids) > 1e8) { # a vector would take more memory than a task usually does
    function(rows) match(rows, ids)
  } else {
    places = rep(NA_integer_, max(0, ids))
    places[ids] = seq_along(ids)
    function(rows) places[rows]
  }
  data = function(rows = NULL, cols = NULL, ...) {
    places = if (length(rows) > 0L && isTRUE(min(rows) >= 1)) place_of(rows)
    has_rows = !is.null(places) && isTRUE(all(ids[places] == rows))
    if (!has_rows || is.null(cols) || !all(cols %in% names(columns))) {
      return(task$data(rows, cols, ...))
    }
    gathered = lapply(columns[cols], `[`, places)
    data.table::setDT(gathered)[]
  }
  structure(list(task = task, data = data), class = c("table_task", class(task)))
}

#' @export
`$.table_task` = function(x, name) {
  if (name == "data") .subset2(x, "data") else .subset2(x, "task")[[name]]
}

#' @export
`[[.table_task` = `$.table_task` # nolint
