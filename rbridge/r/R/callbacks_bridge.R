# What the Python package of the same name calls, and what it gives R to call.
# Errors cross the border as values, in both directions, and are raised on the other side whole: raised on this side
# they would reach Python cut short, and raised in Python they would reach R as NULL.

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

# Strata as Python numbers them, -1 where a row is never sampled.
stratum_codes_from_python = function(codes, names) {
  codes[codes < 0L] = NA_integer_
  stratum_codes(codes, names)
}

# A sampler whose batches Python makes, as a generator: one crossing an epoch.
# `python_batches(epoch)` gives list(value = list(rows, offsets)), or list(error = ).
# `identity` is text that tells samplers of Python apart, `n_rows` the number of rows of its data where it tells.
callback_generator = function(python_batches, n_batches, python_class, identity, n_rows = NULL) {
  force(python_batches)
  force(n_rows)
  configuration = list(n_batches = as.double(n_batches), python_class = python_class, identity = identity)
  structure(settings = environment(), torch::sampler(
    name = "batch_sampler_python",
    inherit = epoch_sampler(),
    private = list(
      .n_rows = NULL,
      .prepare = function(data_source, task) {
        private$.n_rows = source_rows_of(data_source, n_rows, of = class(self)[1L])
      },
      .n_batches = function() configuration$n_batches,
      .epoch_batches = function(epoch) {
        crossed_batches(from_python(python_batches(epoch)), private$.n_rows, of = class(self)[1L])
      },
      .describe = function() {
        c(sprintf("* Class in Python: %s", configuration$python_class),
          sprintf("* Batches: %.0f, next epoch %.0f", configuration$n_batches, private$.next_epoch))
      }
    ),
    parent_env = environment()
  ))
}

# The number of rows of the source, NULL where it does not tell; that of the Python sampler must be the same.
source_rows_of = function(data_source, n_rows, of) {
  found = source_rows(data_source)
  if (!is.null(found) && !is.null(n_rows) && found != n_rows) {
    stop_parameter("sampler", sprintf("be made for the rows of the dataset, of which there are %.0f", found),
      sprintf("one for %.0f", n_rows), of = of)
  }
  found
}

# Integers are row positions, which Python counts from 0.
# Doubles are numbers of another kind, such as those of pairs, and stay what they are.
crossed_batches = function(batches, n_rows, of) {
  list(rows = crossed_rows(batches[[1L]], n_rows, of), offsets = batches[[2L]])
}

# Python does not know the dataset that R has, of `n_rows` rows, or NULL where it does not tell.
crossed_rows = function(rows, n_rows, of) {
  if (!is.integer(rows)) {
    return(rows)
  }
  if (!is.null(n_rows) && length(rows) > 0L && max(rows) >= n_rows) {
    stop_parameter("sampler", sprintf("give rows of the dataset, of which there are %.0f", n_rows),
      sprintf("row %d, counted from 1,", max(rows) + 1L), of = of)
  }
  rows + 1L
}

# What R delivers by itself from a file, with no value from Python: the strata, the plan and the order are R's own.
collect_rows_of_file = function(file, columns, ...) {
  rows = utils::read.csv(file, na.strings = "")
  collect_rows(batch_sampler_stratified(strata = rows[columns], ...), n_rows = nrow(rows))
}

# Columns from Python, where what is missing is NaN.
data_frame_of_columns = function(columns) {
  columns = lapply(columns, function(column) {
    if (is.double(column)) {
      column[is.nan(column)] = NA
    }
    column
  })
  data.frame(columns, stringsAsFactors = FALSE)
}
