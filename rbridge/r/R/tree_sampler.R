#' @title Batch Sampler Declared as a Tree
#'
#' @description
#' Draws rows of a table as a tree declares it: by class, by family, by source, in pairs, with auxiliary values for
#' augmentation.
#' The tree is built and drawn in Python, reached through reticulate, which is asked once an epoch.
#'
#' @param spec (`list()` | `character(1)`)\cr
#'   The root node: a named list, YAML text, or the name of a YAML file.
#'   The keys are told in `docs/tree.md` of the Python package; `children` is a list of named lists, and a list of one
#'   value is written `list("a")`.
#'   `repeat` is a reserved word of R, and needs backticks: `` list(`repeat` = 2) ``.
#'   An empty list is a root without keys.
#' @param batch_size (`integer(1)`)\cr
#'   Draws of a batch.
#' @param length (`integer(1)` | `character(1)`)\cr
#'   Draws of an epoch, or the name of a node: then as many as it takes until every row below it has been drawn.
#' @param table (`data.frame()` | named `list()`)\cr
#'   One row for each row of the dataset, in its order.
#'   Columns hold logical values, numbers, text, factors, dates (`Date`) or times (`POSIXct`).
#'   A time is compared in UTC, to the microsecond, and a date counts as the beginning of its day.
#'   `NULL` (default): the columns of the task.
#' @param drop_last (`logical(1)`)\cr
#'   Whether a last batch with fewer draws is left out.
#' @param persistent (`logical(1)`)\cr
#'   Whether all epochs are one endless sequence of draws.
#' @param seed (`integer(1)`)\cr
#'   From 0 to 2147483646.
#'   `NULL` (default): one is drawn when the generator is called.
#'
#' @return A generator of class `"batch_sampler_tree"` and `"torch_sampler"`, to be used like that of
#' [batch_sampler_stratified()].
#' The instance has the members `batches(epoch)`, `set_epoch(epoch)`, `epoch`, `print()`, `.iter()`, `.iter_batch()` and
#' `.length()` that are documented there.
#' Where the specification names auxiliary values, `batches(epoch)` also has the element `aux`, a list with one vector
#' for each, and a batch has them as the attribute `"aux"`, which the `.getbatch()` of a dataset receives with it.
#' The instance works in this process only, as long as its Python runs.
#'
#' @section Guarantees:
#' * The same table, specification, seed and epoch give the same rows and auxiliary values as in Python.
#' * Of the table only the named columns cross to Python: as integer codes with their distinct values, or as doubles
#'   where they are weights.
#' * An error in Python is raised in R with its whole text, and so is a warning, such as that of a weight without
#'   effect.
#'
#' @section Errors:
#' What `TreeBatchSampler` in Python refuses: a specification that is not valid, columns that are not there, or nodes
#' without rows.
#' Also missing values, repeated names and values of other classes than `Date`, `POSIXct`, `POSIXlt` and `factor` in a
#' specification, which would cross to Python as something else.
#' Also a used column that the table has twice, or that is a matrix.
#' Also where the package reticulate, or the Python package `rbridge` in the Python that reticulate uses, is missing.
#'
#' @export
#' @examples
#' if (requireNamespace("reticulate", quietly = TRUE) && reticulate::py_module_available("rbridge")) {
#'   table = data.frame(label = rep(c("active", "inactive"), times = c(3, 9)))
#'   generator = batch_sampler_tree(
#'     list(children = list(
#'       list(name = "active", column = "label", value = "active", weight = 0.3),
#'       list(name = "inactive", column = "label", value = "inactive", weight = 0.7)
#'     )),
#'     batch_size = 4,
#'     length = 12,
#'     table = table,
#'     seed = 1
#'   )
#'   collect_rows(generator, n_rows = 12)
#' }
batch_sampler_tree = function(spec, batch_size, length, table = NULL, drop_last = FALSE, persistent = FALSE,
  seed = NULL) {
  if (!requireNamespace("reticulate", quietly = TRUE)) {
    stop("batch_sampler_tree() needs the R package reticulate: install.packages(\"reticulate\").", call. = FALSE)
  }
  if (!is.null(table) && !is.list(table)) {
    stop_parameter("table", "be a data frame or a list of columns", show_value(table), of = tree_name)
  }
  parameters = list(
    batch_size = check_count(batch_size, "batch_size", of = tree_name),
    length = if (is.character(length)) length else check_count(length, "length", of = tree_name),
    drop_last = check_flag(drop_last, "drop_last", of = tree_name),
    persistent = check_flag(persistent, "persistent", of = tree_name)
  )
  tree_from_r(list(spec = spec, table = table, parameters = parameters,
    seed = if (!is.null(seed)) check_range(seed, "seed", 2147483646, of = tree_name)))
}

tree_name = "batch_sampler_tree"

# The specification is read here, so that a mistake in it is told at once, and the table when the dataset is there.
tree_from_r = function(configuration) {
  declared = declared_tree(configuration$spec)
  structure(settings = environment(), torch::sampler(
    name = tree_name,
    inherit = tree_sampler(),
    private = list(
      .source = NULL,
      .prepare = function(data_source, task) {
        private$.source = tree_source(declared, configuration, data_source, task)
      },
      .n_batches = function() reticulate::py_to_r(private$.source$n_batches),
      .epoch_batches = function(epoch) one_based(from_python(reticulate::py_to_r(private$.source$guarded(epoch))))
    ),
    parent_env = environment()
  ))
}

# The same for a sampler that Python holds: `python_batches(epoch)` gives rows from 0, offsets and auxiliary values.
tree_callback_generator = function(python_batches, n_batches, fingerprint, n_rows = NULL) {
  force(python_batches)
  force(n_rows)
  configuration = list(n_batches = n_batches, fingerprint = fingerprint)
  structure(settings = environment(), torch::sampler(
    name = tree_name,
    inherit = tree_sampler(),
    private = list(
      .n_rows = NULL,
      .prepare = function(data_source, task) {
        private$.n_rows = source_rows_of(data_source, n_rows, of = class(self)[1L])
      },
      .n_batches = function() configuration$n_batches,
      .epoch_batches = function(epoch) {
        batches = from_python(python_batches(epoch))
        names(batches) = c("rows", "offsets", "aux")
        one_based(batches, private$.n_rows)
      }
    ),
    parent_env = environment()
  ))
}

# A batch carries its part of the auxiliary values.
tree_sampler = function() {
  torch::sampler(
    name = "tree_sampler",
    inherit = epoch_sampler(),
    .iter = function() {
      batches = NULL
      taken = 0L
      following = batch_iterator(function() {
        batches <<- private$.take_epoch()
        batches
      })
      function() {
        rows = following()
        if (coro::is_exhausted(rows) || length(batches$aux) == 0L) {
          return(rows)
        }
        taken <<- taken + 1L
        places = batch_places(batches$offsets, taken)
        structure(rows, aux = lapply(batches$aux, function(values) values[places]))
      }
    },
    private = list(
      .describe = function() sprintf("* Batches: %.0f, next epoch %.0f", self$.length(), private$.next_epoch)
    ),
    parent_env = environment()
  )
}

one_based = function(batches, n_rows = NULL) {
  rows = crossed_rows(as.vector(batches$rows), n_rows, of = tree_name)
  found = list(rows = rows, offsets = as.vector(batches$offsets))
  if (length(batches$aux) > 0L) {
    found$aux = lapply(batches$aux, as.vector)
  }
  found
}

declared_tree = function(spec) {
  if (!reticulate::py_module_available("rbridge")) {
    stop("batch_sampler_tree() needs the Python package rbridge in the Python that reticulate uses, ",
      reticulate::py_config()$python, ". RETICULATE_PYTHON names another one.", call. = FALSE)
  }
  module = reticulate::import("rbridge.tree", convert = FALSE)
  from_python(reticulate::py_to_r(module$guarded_tree(root_for_python(spec, module$time_of))))
}

# An empty list would cross as a list of Python, which is no root and no mapping of auxiliary values. NULL is none of
# them: it may come of a misspelt element of a list.
root_for_python = function(spec, time_of) {
  if (!is.list(spec) && length(spec) == 0L) {
    stop_parameter("spec", "be a mapping: the root node", show_value(spec), of = tree_name)
  }
  spec = keys_for_python(spec, "spec", time_of)
  if (is.list(spec) && !is.null(spec[["auxiliary"]])) {
    spec$auxiliary = python_dict(spec$auxiliary)
  }
  python_dict(spec)
}

# What crosses as it is meant: NA would become TRUE or the text "NA", of repeated names the last would count, times
# would become another type in each time zone, and other classes bare numbers. `key` is where `spec` stands.
keys_for_python = function(spec, key, time_of) {
  if (is.object(spec) || !is.list(spec)) {
    return(value_for_python(spec, key, time_of))
  }
  keys = names(spec)
  if (anyDuplicated(keys) > 0L) {
    stop_parameter("spec", "have every key once", sprintf("'%s' again", keys[anyDuplicated(keys)]), of = tree_name)
  }
  places = if (is.null(keys)) rep(key, length(spec)) else keys
  structure(Map(keys_for_python, unname(spec), places, MoreArgs = list(time_of = time_of)), names = keys)
}

value_for_python = function(value, key, time_of) {
  if (is.object(value) && !inherits(value, c("Date", "POSIXt", "factor"))) {
    stop_parameter("spec", tree_kinds, sprintf("%s in '%s'", show_class(value), key), of = tree_name)
  }
  is_time = inherits(value, "POSIXt")
  if ((is_time || is.atomic(value)) && anyNA(value)) {
    stop_parameter("spec", "have no missing values", sprintf("NA in '%s'", key),
      advice = "Missing values are found by 'op: isnull'.", of = tree_name)
  }
  if (!is_time) {
    return(value)
  }
  times = lapply(plain_times(value, "spec", key), time_of)
  if (length(times) == 1L) times[[1L]] else times
}

tree_source = function(declared, configuration, data_source, task) {
  used = lapply(reticulate::py_to_r(declared$columns()), as.character)
  table = tree_table(configuration$table, unique(unlist(used)), task)
  n_rows = if (is.null(configuration$table)) task$nrow else table_rows(configuration$table)
  n_source = source_rows(data_source)
  if (!is.null(n_source) && n_source != n_rows) {
    stop_parameter("table", sprintf("have one row for each row of the dataset, %.0f", n_source),
      show_count(n_rows, "row"), of = tree_name)
  }
  seed = if (is.null(configuration$seed)) draw_seed() else configuration$seed
  found = reticulate::py_to_r(declared$guarded_source(
    n_rows,
    python_dict(Map(tree_codes, table[used$coded], used$coded)),
    python_dict(lapply(table[used$numbers], tree_numbers)),
    c(configuration$parameters, list(seed = seed))
  ))
  for (text in found$warnings) {
    warning(text, call. = FALSE)
  }
  from_python(found)
}

# Without elements a list would be one of Python, too.
python_dict = function(elements) {
  if (length(elements) > 0L) elements else reticulate::dict()
}

table_rows = function(table) {
  if (is.data.frame(table)) {
    return(nrow(table))
  }
  if (length(table) == 0L) {
    stop_parameter("table", "have at least one column", "0 columns", of = tree_name)
  }
  rows = unique(lengths(table, use.names = FALSE))
  if (length(rows) > 1L) {
    stop_parameter("table", "have columns of equal length", sprintf("lengths %d and %d", rows[1L], rows[2L]),
      of = tree_name)
  }
  rows
}

# The used columns, from the table or else from the task.
tree_table = function(table, columns, task) {
  if (is.null(table) && is.null(task)) {
    stop_parameter("table", "be given where the dataset has no task", "nothing", of = tree_name)
  }
  known = if (is.null(table)) setdiff(task$backend$colnames, task$backend$primary_key) else names(table)
  for (name in columns) {
    found = sum(known %in% name)
    if (found != 1L) {
      stop_parameter("table", sprintf("have one column '%s'", name),
        if (found == 0L) paste("only", show_names(known)) else sprintf("%d such columns", found), of = tree_name)
    }
  }
  if (is.null(table)) {
    return(if (length(columns) > 0L) task_columns(task, columns))
  }
  taken = as.list(table)[columns]
  for (name in columns) {
    if (length(dim(taken[[name]])) > 1L) {
      stop_parameter("table", sprintf("hold a vector in column '%s'", name), show_class(taken[[name]]), of = tree_name)
    }
  }
  taken
}

tree_kinds = "hold logical values, numbers, text, factors, dates or times"

show_class = function(value) sprintf("a value of class '%s'", class(value)[1L])

# A column as integer codes, counted from 0, with its distinct values in order of first appearance.
tree_codes = function(column, name) {
  if (is.factor(column)) {
    column = as.character(column)
  }
  kind = if (inherits(column, "Date")) {
    "date"
  } else if (inherits(column, "POSIXt")) {
    "time"
  } else if (!is.object(column) && is.logical(column)) {
    "boolean"
  } else if (!is.object(column) && is.numeric(column)) {
    "number"
  } else if (!is.object(column) && is.character(column)) {
    "text"
  } else {
    stop_parameter("table", tree_kinds, sprintf("%s in column '%s'", show_class(column), name), of = tree_name)
  }
  column = switch(kind,
    date = floor(as.double(unclass(column))),
    time = plain_times(column, "table", name),
    text = enc2utf8(column),
    column
  )
  values = unique(column[!is.na(column)])
  codes = match(column, values, nomatch = 0L) - 1L
  list(codes = as.array(codes), values = if (is.character(values)) as.list(values) else as.array(values), kind = kind)
}

# Seconds since 1970, to the microsecond, which is what Python's times hold, in the years of its calendar.
plain_times = function(times, parameter, name) {
  seconds = round(as.double(as.POSIXct(times)) * 1e6) / 1e6
  if (any(seconds < -62135596800 | seconds >= 253402300800, na.rm = TRUE)) {
    stop_parameter(parameter, sprintf("hold times of the years 1 to 9999 in '%s'", name), "another year",
      of = tree_name)
  }
  seconds
}

# Weights as doubles: of integers, NA would cross as a number. What is no number Python refuses.
tree_numbers = function(column) {
  as.array(if (is.numeric(column) && !is.object(column)) as.double(column) else column)
}

#' @export
print.batch_sampler_tree = function(x, ...) {
  if (!is.function(x)) {
    return(x$print(...))
  }
  cat(sprintf("<%s> generator", tree_name), format_tree_generator(attr(x, "settings")$configuration), sep = "\n")
  invisible(x)
}

# Declared in R, or held by Python.
format_tree_generator = function(configuration) {
  settings = Filter(Negate(is.null), c(configuration$parameters, configuration["seed"]))
  c(
    if (!is.null(configuration$n_batches)) sprintf("* Batches: %.0f", configuration$n_batches),
    sprintf("* %s: %s", names(settings), vapply(settings, show_value, character(1L)))
  )
}

# As for batch_sampler_stratified(): without this method, samplers of different settings would count as the same.
#' @exportS3Method mlr3misc::hash_input
hash_input.batch_sampler_tree = function(x) { # nolint
  if (is.function(x)) list(tree_name, attr(x, "settings")$configuration) else x
}
