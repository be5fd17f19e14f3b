# A data source is the argument of a sampler generator: a torch dataset, list(task = ), or anything else. It may have a
# number of rows, and a task, whose columns are values of the rows.

source_task = function(data_source) {
  if (inherits(data_source, "Task")) {
    return(data_source)
  }
  task = if (is.list(data_source) || is.environment(data_source)) .subset2(data_source, "task")
  if (inherits(task, "Task")) task
}

# The number of rows, or NULL if the source has none.
source_rows = function(data_source) {
  if (inherits(data_source, "dataset")) {
    if (is.function(.subset2(data_source, ".length"))) length(data_source)
  } else if (!is.null(source_task(data_source))) {
    source_task(data_source)$nrow
  } else if (is.data.frame(data_source) || is.atomic(data_source) && !is.null(data_source)) {
    NROW(data_source)
  }
}

# Text that may be the names of columns of a task.
is_column_names = function(value) {
  is.character(value) && !is.object(value) && is.null(dim(value)) && length(value) > 0L
}

is_column_name = function(value) is_column_names(value) && length(value) == 1L

# Without strata, the dataset supplies them, and text may be the names of its columns.
is_deferred = function(strata) is.null(strata) || is_column_names(strata)

# The strata of the rows of a source: those of its task, columns of it that are named, or given values. `task` is the
# task whose rows the source holds; some datasets of mlr3torch do not have it.
strata_of_source = function(strata, data_source, task = source_task(data_source), parameter = "strata") {
  found = if (is.null(strata)) {
    task_strata(task)
  } else if (is_column_names(strata) && names_columns(strata, task, source_rows(data_source), parameter)) {
    task_columns(task, strata)
  } else {
    check_task_order(task, parameter)
    strata
  }
  n_rows = source_rows(data_source)
  n_values = if (!is.null(n_rows)) length(if (is.list(found)) found[[1L]] else found)
  refuse_if(!is.null(n_rows) && n_rows != n_values, parameter,
    sprintf("have one value for each row of the dataset, %.0f", n_rows), show_count(n_values, "value"),
    advice = if (is.character(strata) && is.null(task)) "Names of columns need a task.")
  found
}

# Values belong to the rows of the data behind a task, while mlr3 leaves rows out, repeats and reorders them.
check_task_order = function(task, parameter) {
  rows = task$backend$rownames
  refuse_if(!is.null(task) && !identical(task$row_ids, rows) && is.unsorted(match(task$row_ids, rows), strictly = TRUE),
    parameter, "be columns of the task if its rows are repeated or in another order than its data", "values",
    advice = if (parameter == "strata") bind_strata else "Name columns of the task instead of values.")
}

bind_strata = paste(
  "Bind the values as a column, task$cbind(data.frame(group = values)),",
  "and give it the role: task$set_col_roles(\"group\", roles = \"stratum\")."
)

# The stratum role of the task comes first, because it was set on purpose; then the target of a classification task.
task_strata = function(task) {
  columns = task$col_roles$stratum
  if (length(columns) == 0L && identical(task$task_type, "classif")) {
    columns = task$target_names
  }
  is_numeric = identical(task$task_type, "regr")
  refuse_if(length(columns) == 0L, "strata", if (is_numeric) {
    "be given if the target is numeric and no column has the role stratum"
  } else {
    "be given if the dataset has no classification task"
  }, "nothing", if (!is.null(task)) paste("Of numbers bin_target() makes strata.", bind_strata))
  task_columns(task, columns)
}

# Text is the names of columns if the task has all of them, or if it cannot be one value per row.
names_columns = function(text, task, n_rows, parameter = "strata") {
  if (is.null(task)) {
    refuse_if(is.null(n_rows) && length(text) == 1L, parameter, "hold a value for each row if the dataset has no task",
      show_value(text), advice = "Names of columns need a task.")
    return(FALSE)
  }
  known = setdiff(task$backend$colnames, task$backend$primary_key)
  unknown = setdiff(text, known)
  may_be_values = length(n_rows) > 0L && length(text) > 1L && all(text %in% unknown)
  values = if (may_be_values) sprintf(", or have one value for each of its rows, %.0f", n_rows)
  refuse_if(length(unknown) > 0L && !identical(length(text), as.integer(n_rows)), parameter,
    paste0("name columns of the task", values),
    if (may_be_values) show_count(length(text), "value") else show_value(unknown[1L]),
    advice = paste0("The task has ", show_names(known), if (length(known) <= 10L) "."))
  refuse_if(length(unknown) == 0L && anyDuplicated(text), parameter, "name each column once",
    sprintf("'%s' twice", text[anyDuplicated(text)]))
  length(unknown) == 0L
}

# The columns of a task that text names.
named_columns = function(task, names, parameter) {
  refuse_if(is.null(task), parameter, "hold values if the dataset has no task", show_names(names))
  names_columns(unicode_text(names, parameter), task, NULL, parameter)
  task_columns(task, names)
}

# A batch holds positions in the task's row_ids, which need not be 1, 2, ...
task_columns = function(task, columns) {
  force(columns) # refuses a dataset without a task
  as.list(task$data(rows = task$row_ids, cols = columns))
}
