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
#' @param batch_size (`integer(1)`)\cr
#'   Draws of a batch.
#' @param length (`integer(1)` | `character(1)`)\cr
#'   Draws of an epoch, or the name of a node: then as many as it takes until every row below it has been drawn.
#' @param table (`data.frame()` | named `list()`)\cr
#'   One row for each row of the dataset, in its order.
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
#' * An error in Python is raised in R with its whole text.
#'
#' @section Errors:
#' What `TreeBatchSampler` in Python refuses: a specification that is not valid, columns that are not there, or nodes
#' without rows.
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
  parameters = list(batch_size = check_count(batch_size, "batch_size", of = tree_name), length = length,
    drop_last = drop_last, persistent = persistent)
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
tree_callback_generator = function(python_batches, n_batches, fingerprint) {
  force(python_batches)
  configuration = list(n_batches = n_batches, fingerprint = fingerprint)
  structure(settings = environment(), torch::sampler(
    name = tree_name,
    inherit = tree_sampler(),
    private = list(
      .prepare = function(data_source, task) NULL,
      .n_batches = function() configuration$n_batches,
      .epoch_batches = function(epoch) {
        batches = from_python(python_batches(epoch))
        names(batches) = c("rows", "offsets", "aux")
        one_based(batches)
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
        places = (batches$offsets[taken] + 1L):batches$offsets[taken + 1L]
        structure(rows, aux = lapply(batches$aux, function(values) values[places]))
      }
    },
    private = list(
      .describe = function() sprintf("* Batches: %.0f, next epoch %.0f", self$.length(), private$.next_epoch)
    ),
    parent_env = environment()
  )
}

one_based = function(batches) {
  found = list(rows = as.vector(batches$rows) + 1L, offsets = as.vector(batches$offsets))
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
  from_python(reticulate::py_to_r(reticulate::import("rbridge.tree", convert = FALSE)$guarded_tree(spec)))
}

tree_source = function(declared, configuration, data_source, task) {
  used = lapply(reticulate::py_to_r(declared$columns()), as.character)
  table = tree_table(configuration$table, unique(unlist(used)), task)
  n_rows = if (is.null(configuration$table)) task$nrow else NROW(configuration$table[[1L]])
  n_source = source_rows(data_source)
  if (!is.null(n_source) && n_source != n_rows) {
    stop_parameter("table", sprintf("have one row for each row of the dataset, %.0f", n_source),
      show_count(n_rows, "row"), of = tree_name)
  }
  seed = if (is.null(configuration$seed)) draw_seed() else configuration$seed
  from_python(reticulate::py_to_r(declared$guarded_source(
    n_rows,
    python_dict(Map(tree_codes, table[used$coded], used$coded)),
    python_dict(lapply(table[used$numbers], as.array)),
    c(configuration$parameters, list(seed = seed))
  )))
}

# Without elements a list would be one of Python, too.
python_dict = function(elements) {
  if (length(elements) > 0L) elements else reticulate::dict()
}

# The used columns, from the table or else from the task.
tree_table = function(table, columns, task) {
  if (is.null(table) && is.null(task)) {
    stop_parameter("table", "be given where the dataset has no task", "nothing", of = tree_name)
  }
  known = if (is.null(table)) setdiff(task$backend$colnames, task$backend$primary_key) else names(table)
  unknown = setdiff(columns, known)
  if (length(unknown) > 0L) {
    stop_parameter("table", sprintf("have one column '%s'", unknown[1L]), paste("only", show_names(known)),
      of = tree_name)
  }
  if (!is.null(table)) {
    as.list(table)[columns]
  } else if (length(columns) > 0L) {
    task_columns(task, columns)
  }
}

# A column as integer codes, counted from 0, with its distinct values in order of first appearance.
tree_codes = function(column, name) {
  if (is.factor(column)) {
    column = as.character(column)
  }
  kind = if (inherits(column, "Date")) {
    "date"
  } else if (!is.object(column) && is.logical(column)) {
    "boolean"
  } else if (!is.object(column) && is.numeric(column)) {
    "number"
  } else if (!is.object(column) && is.character(column)) {
    "text"
  } else {
    stop_parameter("table", "hold logical values, numbers, text, factors or dates",
      sprintf("a value of class '%s' in column '%s'", class(column)[1L], name), of = tree_name)
  }
  if (kind == "date") {
    column = format(column)
  } else if (kind == "text") {
    column = enc2utf8(column)
  }
  values = unique(column[!is.na(column)])
  codes = match(column, values, nomatch = 0L) - 1L
  list(codes = as.array(codes), values = if (is.character(values)) as.list(values) else as.array(values), kind = kind)
}

# As for batch_sampler_stratified(): without this method, samplers of different settings would count as the same.
#' @exportS3Method mlr3misc::hash_input
hash_input.batch_sampler_tree = function(x) { # nolint
  if (is.function(x)) list(tree_name, attr(x, "settings")$configuration) else x
}
