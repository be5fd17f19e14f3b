# Arguments that the dataset supplies when a generator is called with it, so that each fold of a resampling, and each
# training with validation, has those of its own rows.
# A kind with such arguments has plan(request), which returns the recipe for complete arguments. Until there is a
# dataset, the recipe is open and holds the request.

# The recipe of an open one for a dataset. `task` has the rows of the dataset, and is NULL if there is none.
supplied_recipe = function(recipe, data_source, task) {
  request = recipe$open
  waiting = waiting_arguments(recipe$kind, request)
  for (argument in setdiff(per_row(recipe$kind, request), waiting)) {
    check_given_values(argument, task)
  }
  for (argument in waiting) {
    request[[argument]] = dataset_arguments[[argument]]$supply(request[[argument]], data_source, task)
  }
  sampler_kind(recipe$kind)$plan(request)
}

# The arguments of a kind that may come from the dataset.
row_arguments = function(kind, request) {
  of_rows = arguments_of_rows(kind, request)
  intersect(if (is.null(of_rows)) names(dataset_arguments) else of_rows, names(request))
}

arguments_of_rows = function(kind, request) {
  of_rows = sampler_kind(kind)$of_rows
  if (is.function(of_rows)) of_rows(request) else of_rows
}

waiting_arguments = function(kind, request) {
  Filter(function(argument) dataset_arguments[[argument]]$waits(request[[argument]]), row_arguments(kind, request))
}

# The given arguments with a value for each row.
per_row = function(kind, request) {
  Filter(function(argument) !is.null(request[[argument]]), setdiff(row_arguments(kind, request), "n_rows"))
}

is_column_name = function(value) is_column_names(value) && length(value) == 1L

is_column_names = function(value) {
  is.character(value) && !is.object(value) && is.null(dim(value)) && length(value) > 0L
}

# Users or items of observed pairs.
observed_argument = function(parameter) {
  force(parameter)
  list(
    waits = is_column_name,
    supply = function(value, data_source, task) named_column(task, value, parameter)
  )
}

# The arguments, by name: list(
#   waits = whether a value is to come from the dataset,
#   supply = the value for a dataset, given what the user passed,
#   encode = list(data = what the core takes for a value, labels = those of a recipe, shown = further names for
#     messages), for kinds of the core in C++; by default, the value itself
# )
dataset_arguments = list(
  strata = list(
    waits = function(value) is_deferred(value),
    supply = function(value, data_source, task) strata_of_source(value, data_source, task),
    encode = function(value, settings) {
      strata = encode_strata(value, settings$missing)
      list(data = strata_data(strata), labels = strata["names"])
    }
  ),
  groups = list(
    waits = function(value) is_deferred(value),
    supply = function(value, data_source, task) {
      if (is.null(value)) {
        return(task_columns(task, group_role(task)))
      }
      refuse_as("groups", strata_of_source(value, data_source, task))
    },
    encode = function(value, settings) list(data = groups_data(encode_groups(value)))
  ),
  keys = list(
    waits = function(value) is_column_names(value),
    supply = function(value, data_source, task) refuse_as("keys", strata_of_source(value, data_source, task)),
    encode = function(value, settings) value # which the kind has encoded
  ),
  n_rows = list(
    waits = is.null,
    supply = function(value, data_source, task) {
      n_rows = source_rows(data_source)
      if (is.null(n_rows)) {
        stop_parameter("n_rows", "be given if the dataset has no number of rows", "nothing")
      }
      n_rows
    }
  ),
  rows = list(
    waits = function(value) FALSE,
    encode = function(value, settings) list(data = rows_by_epoch(value))
  ),
  weights = list(
    waits = function(value) is.null(value) || is.function(value) || is_column_name(value),
    supply = function(value, data_source, task) task_weights(value, task)
  ),
  users = observed_argument("users"),
  items = observed_argument("items"),
  labels = list(
    waits = function(value) is_column_names(value),
    supply = function(value, data_source, task) as.data.frame(named_columns(task, value, "labels"), optional = TRUE),
    encode = function(value, settings) {
      matrix = label_matrix(value)
      list(data = label_sets(matrix), labels = list(names = colnames(matrix)))
    }
  )
)

# The columns of a task that `names` names, with the rows of the task.
named_columns = function(task, names, parameter) {
  if (is.null(task)) {
    stop_parameter(parameter, "hold values if the dataset has no task", show_names(names))
  }
  # With no number of rows, text can only be names.
  refuse_as(parameter, names_columns(unicode_text(names, parameter), task, -1L))
  task_columns(task, names)
}

named_column = function(task, name, parameter) named_columns(task, name, parameter)[[1L]]

# The weights of the rows of a task: a column, by default that of the role weights_learner, or a function of the labels.
task_weights = function(weights, task) {
  if (is.character(weights)) {
    return(feedback_values(named_column(task, weights, "weights"), "weights"))
  }
  if (is.function(weights)) {
    return(weights_by(weights, task))
  }
  column = task$col_roles$weights_learner
  if (length(column) == 0L) {
    stop_parameter("weights", "be given if no column of the task has the role weights_learner", "nothing",
      advice = "For classes drawn equally often: weights = inverse_frequency_weights.")
  }
  feedback_values(task_columns(task, column)[[1L]], "weights")
}

# The labels are the strata of the task: its columns of the role stratum, or else its target, which may be numeric.
weights_by = function(weights_of, task) {
  columns = if (length(task$col_roles$stratum) > 0L) task$col_roles$stratum else task$target_names
  if (length(columns) == 0L) {
    stop_parameter("weights", "be values if the dataset has no task with a target or strata", "a function")
  }
  labels = task_columns(task, columns)
  found = weights_of(if (length(labels) == 1L) labels[[1L]] else as.data.frame(labels, optional = TRUE))
  weights = feedback_values(found, "weights")
  if (length(weights) != task$nrow) {
    stop_parameter("weights", sprintf("return one weight for each row of the task, %.0f", task$nrow),
      show_count(length(weights), "value"))
  }
  weights
}

# Values that were given with a generator belong to the rows of a dataset in the order of its data.
check_given_values = function(parameter, task) {
  refuse_as(parameter, check_task_order(task, advice = "Name columns of the task instead of values."))
}

# Values of rows that a recipe has belong to the rows of a dataset.
check_given_rows = function(recipe, data_source, task) {
  for (argument in setdiff(arguments_of_rows(recipe$kind, recipe$parts), "n_rows")) {
    if (argument == "strata") {
      check_given_strata(recipe, data_source, task)
    } else {
      check_given_values(argument, task)
    }
  }
}

# The arguments of an open request, as a generator shows them.
format_request = function(kind, request) {
  waiting = waiting_arguments(kind, request)
  shown = lapply(names(request), function(argument) {
    value = request[[argument]]
    if (is.function(value)) {
      "a function"
    } else if (argument %in% waiting) {
      if (is.null(value)) "of the dataset" else show_names(value)
    } else if (!is.null(value)) {
      show_value(value)
    }
  })
  names(shown) = names(request)
  format_labels(Filter(Negate(is.null), shown))
}
