# The functions that the Python package of the same name calls, and the functions of Python that R calls.
# Errors cross between the languages as values, in both directions, and are raised in full on the other side. If R
# raised them, they would reach Python truncated; if Python raised them, they would reach R as NULL.

# -> list(value, warnings) or, after an error, list(error = its text, class = its classes)
guarded_call = function(what, ...) {
  warnings = character()
  collect = function(condition) {
    warnings <<- c(warnings, conditionMessage(condition))
    tryInvokeRestart("muffleWarning")
  }
  tryCatch(
    list(value = withCallingHandlers(what(...), warning = collect), warnings = warnings),
    error = function(condition) list(error = conditionMessage(condition), class = class(condition))
  )
}

# The same in the other direction: the value of a Python function, or its error, raised here.
from_python = function(result) {
  if (!is.null(result$error)) {
    stop(result$error, call. = FALSE)
  }
  result$value
}

# The generator of a recipe that Python made; `functions` are functions of Python, by name.
generator_from_python = function(kind, seed, parts, state, labels, functions = NULL) {
  asking = lapply(functions, function(ask) {
    force(ask)
    function(...) from_python(ask(...))
  })
  new_generator(new_recipe(kind, seed, parts, state, labels), asking)
}

# The generator of a sampler whose batches Python makes, in one call per epoch.
# `batches(epoch)` returns list(value = ) or list(error = ), with rows from 0.
# `identity` is text that distinguishes samplers of Python.
callback_generator = function(batches, n_batches, python_class, identity) {
  parts = list(n_batches = as.double(n_batches), identity = identity)
  new_generator(new_recipe("python", NULL, parts, labels = list(python_class = python_class)), list(batches = batches))
}

kind_python = function() {
  table_kind("python",
    n_rows = function(recipe) NULL,
    count_batches = function(private, epoch) private$.recipe$parts$n_batches,
    fingerprint = function(private) private$.recipe$parts$identity,
    seeded = FALSE,
    complete = function(recipe, data_source, task) {
      recipe$parts$n_source = source_rows(data_source)
      recipe
    },
    draw = function(private, epoch) {
      batches = from_python(private$.functions$batches(epoch))
      rows = batches[[1L]]
      n_rows = private$.recipe$parts$n_source # NULL if unknown
      if (is.integer(rows)) { # positions, from 0; doubles are numbers of another kind, such as those of pairs
        refuse_if(!is.null(n_rows) && length(rows) > 0L && max(rows) >= n_rows, "sampler",
          sprintf("give rows of the dataset, of which there are %.0f", n_rows),
          sprintf("row %d, counted from 1,", max(rows) + 1L))
        rows = rows + 1L
      }
      list(rows = rows, offsets = batches[[2L]])
    },
    settings = function(recipe) sprintf("* class in Python: %s", recipe$labels$python_class)
  )
}
