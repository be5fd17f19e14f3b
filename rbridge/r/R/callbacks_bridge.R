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
  recipe = recipe_from_python(kind, seed, parts, state, labels)
  new_generator(recipe, functions = lapply(functions, asking_python))
}

recipe_from_python = function(kind, seed, parts, state, labels) {
  check_recipe(new_recipe(kind, seed, parts, state, labels))
}

# Wraps a function of Python as an R function.
asking_python = function(ask) {
  force(ask)
  function(...) from_python(ask(...))
}

# The generator of a sampler whose batches Python makes: one call per epoch, or one per batch if it has feedback.
# `python` has the functions batches(epoch) and, with feedback, begin(epoch), take(iteration), call(method, arguments),
# each of which returns list(value = ) or list(error = ), with rows from 0.
# `identity` is text that distinguishes samplers of Python.
# `methods` is a list of the feedback methods of the Python sampler: for each method the kinds of its arguments, "rows",
# "values" or "number", and as `return` that of its value.
callback_generator = function(python, n_batches, python_class, identity, methods = NULL) {
  parts = list(n_batches = as.double(n_batches), identity = identity)
  recipe = new_recipe(if (is.null(methods)) "python" else "python_feedback", NULL, parts,
    labels = list(python_class = python_class, methods = methods))
  new_generator(recipe, python)
}

kind_python = function() {
  list(
    class = "batch_sampler_python",
    check = function(recipe) NULL,
    n_rows = function(recipe) NULL,
    n_batches = function(recipe) recipe$parts$n_batches,
    fingerprint = function(private) private$.recipe$parts$identity,
    seeded = FALSE,
    complete = function(recipe, data_source, task) {
      recipe$parts$n_source = source_rows(data_source)
      recipe
    },
    setup = function(recipe, private) NULL,
    draw = function(private, epoch) {
      batches = from_python(private$.settings$functions$batches(epoch))
      list(rows = crossed_rows(batches[[1L]], private$.recipe$parts$n_source), offsets = batches[[2L]])
    },
    describe = function(private) {
      recipe = private$.recipe
      c(
        sprintf("* Class in Python: %s", recipe$labels$python_class),
        sprintf("* Batches: %.0f, next epoch %.0f", recipe$parts$n_batches, private$.place$epoch)
      )
    },
    settings = function(recipe) {
      c(
        sprintf("* Class in Python: %s", recipe$labels$python_class),
        sprintf("* Batches: %.0f", recipe$parts$n_batches)
      )
    }
  )
}

# Integers are row positions, which Python counts from 0.
# Doubles are numbers of another kind, such as those of pairs, and do not change.
# Python does not know the dataset in R, which has `n_rows` rows, or NULL if unknown.
crossed_rows = function(rows, n_rows) {
  if (!is.integer(rows)) {
    return(rows)
  }
  if (!is.null(n_rows) && length(rows) > 0L && max(rows) >= n_rows) {
    stop_parameter("sampler", sprintf("give rows of the dataset, of which there are %.0f", n_rows),
      sprintf("row %d, counted from 1,", max(rows) + 1L))
  }
  rows + 1L
}

# The rows that R delivers by itself from a file, with no value from Python: strata, plan and order are R's own.
collect_rows_of_file = function(file, columns, ...) {
  check_regular_file(file, "file")
  rows = utils::read.csv(file, na.strings = "")
  delivered_rows(batch_sampler_stratified(strata = rows[columns], ...), n_rows = nrow(rows))
}
