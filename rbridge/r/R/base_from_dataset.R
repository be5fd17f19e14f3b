# Arguments that the dataset supplies when a generator is called with it, so that each fold of a resampling, and each
# training with validation, has those of its own rows. Until then, the recipe is open and holds the arguments.

# The recipe for a dataset: an open one gets what that supplies, and values of rows that users gave must be in the order
# of its data. `task` has the rows of the dataset, and is NULL if there is none.
supplied_recipe = function(recipe, data_source, task) {
  is_open = !is.null(recipe$open)
  request = if (is_open) recipe$open else recipe$parts
  waiting = if (is_open) waiting_arguments(recipe$kind, request)
  others = c(waiting, "n_rows", if (is.null(request[["rows"]])) "rows")
  for (argument in setdiff(arguments_of_rows(recipe$kind, request), others)) {
    check_task_order(task, argument)
  }
  for (argument in waiting) {
    request[[argument]] = dataset_arguments[[argument]]$supply(request[[argument]], data_source, task, argument)
  }
  if (is_open) sampler_kind(recipe$kind)$plan(request) else recipe
}

# The given arguments of a kind that may come from the dataset.
row_arguments = function(kind, request) intersect(arguments_of_rows(kind, request), names(request))

arguments_of_rows = function(kind, request) {
  of_rows = sampler_kind(kind)$of_rows
  if (is.function(of_rows)) of_rows(request) else of_rows
}

waiting_arguments = function(kind, request) {
  Filter(function(argument) dataset_arguments[[argument]]$waits(request[[argument]]), row_arguments(kind, request))
}

one_column = list(
  waits = is_column_name,
  supply = function(value, data_source, task, argument) named_columns(task, value, argument)[[1L]]
)

# The arguments, by name: list(
#   waits = whether a value is to come from the dataset,
#   supply = the value for a dataset, given what the user passed for the argument of this name,
#   encode = list(data = what the core takes for a value, labels = those of a recipe, shown = further names for
#     messages); by default, the value itself
# )
dataset_arguments = list(
  strata = list(
    waits = is_deferred,
    supply = strata_of_source,
    encode = function(value, settings) {
      strata = encode_strata(value, settings$missing)
      list(data = strata_data(strata), labels = strata["names"])
    }
  ),
  groups = list(
    waits = is_deferred,
    supply = function(value, data_source, task, argument) {
      strata_of_source(if (is.null(value)) group_role(task) else value, data_source, task, argument)
    },
    encode = function(value, settings) list(data = groups_data(value))
  ),
  keys = list(
    waits = is_column_names,
    supply = strata_of_source,
    encode = function(value, settings) value # which the kind has encoded
  ),
  n_rows = list(
    waits = is.null,
    supply = function(value, data_source, ...) {
      n_rows = source_rows(data_source)
      refuse_if(is.null(n_rows), "n_rows", "be given if the dataset has no number of rows", "nothing")
      n_rows
    }
  ),
  rows = list(
    waits = function(value) FALSE,
    encode = function(value, settings) list(data = rows_by_epoch(value))
  ),
  weights = list(
    waits = function(value) is.null(value) || is.function(value) || is_column_name(value),
    supply = function(value, data_source, task, argument) feedback_values(task_weights(value, task), argument)
  ),
  users = one_column,
  items = one_column,
  labels = list(
    waits = is_column_names,
    supply = function(value, data_source, task, argument) {
      as.data.frame(named_columns(task, value, argument), optional = TRUE)
    },
    encode = function(value, settings) {
      matrix = label_matrix(value)
      list(data = label_sets(matrix), labels = list(names = colnames(matrix)))
    }
  )
)

# The weights of the rows of a task: a column, by default that of the role weights_learner, or what a function returns
# for the labels. These are the strata of the task: its columns of the role stratum, or else its target, which may be
# numeric.
task_weights = function(weights, task) {
  if (is.character(weights)) {
    return(named_columns(task, weights, "weights")[[1L]])
  }
  columns = task$col_roles[[if (is.null(weights)) "weights_learner" else "stratum"]]
  refuse_if(length(columns) == 0L && is.null(weights), "weights",
    "be given if no column of the task has the role weights_learner", "nothing",
    advice = "For classes drawn equally often: weights = inverse_frequency_weights.")
  columns = if (length(columns) == 0L) task$target_names else columns
  refuse_if(length(columns) == 0L, "weights", "be values if the dataset has no task with a target or strata",
    "a function")
  values = task_columns(task, columns)
  values = if (length(values) == 1L) values[[1L]] else as.data.frame(values, optional = TRUE)
  if (is.null(weights)) {
    return(values)
  }
  weights = weights(values)
  refuse_if(length(weights) != task$nrow, "weights",
    sprintf("return one weight for each row of the task, %.0f", task$nrow), show_count(length(weights), "value"))
  weights
}
