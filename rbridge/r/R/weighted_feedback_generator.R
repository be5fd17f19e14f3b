# A Python sampler whose later batches depend on feedback, as a generator: one crossing a batch.
# `python` has the functions batches(epoch), begin(epoch), take(iteration) and call(method, arguments), each of which
# gives list(value = ) or list(error = ); rows are counted from 0 there.
# `methods` is a list of what the Python sampler names as its feedback: for each method the kinds of its arguments,
# "rows", "values" or "number", and as `return` that of its value. Each becomes a method of the instance.

feedback_generator = function(python, n_batches, python_class, identity, n_rows, methods) {
  force(python)
  force(n_rows)
  configuration = list(
    n_batches = as.double(n_batches), python_class = python_class, identity = identity, methods = methods
  )
  sampler_arguments = list(
    name = "batch_sampler_python",
    inherit = epoch_sampler(),
    .iter = function() {
      if (is.null(private$.in_order)) feedback_iterator(python, private$.begin, private$.one_based) else super$.iter()
    },
    private = list(
      .n_rows = NULL,
      .prepare = function(data_source, task) {
        private$.n_rows = source_rows_of(data_source, n_rows, of = class(self)[1L])
      },
      .n_batches = function() configuration$n_batches,
      .epoch_batches = function(epoch) {
        crossed_batches(from_python(python$batches(epoch)), private$.n_rows, of = class(self)[1L])
      },
      .one_based = function(rows) crossed_rows(rows, private$.n_rows, of = class(self)[1L]),
      .begin = function() {
        iteration = from_python(python$begin(private$.next_epoch))
        private$.next_epoch = private$.next_epoch + 1
        iteration
      },
      .describe = function() {
        c(sprintf("* Class in Python: %s", configuration$python_class),
          sprintf("* Batches: %.0f, next epoch %.0f", configuration$n_batches, private$.next_epoch),
          sprintf("* Feedback: %s", paste0(names(configuration$methods), "()", collapse = ", ")))
      }
    ),
    parent_env = environment()
  )
  of_feedback = Map(feedback_method, names(methods), methods)
  structure(settings = environment(), do.call(torch::sampler, c(sampler_arguments, of_feedback)))
}

# The epoch is begun at the first call, so that an iterator that is never asked changes nothing.
feedback_iterator = function(python, begin, one_based) {
  iteration = NULL
  ended = FALSE
  function() {
    if (is.null(iteration)) {
      iteration <<- begin()
    }
    rows = if (!ended) from_python(python$take(iteration))
    if (is.null(rows)) {
      ended <<- TRUE
      return(coro::exhausted())
    }
    one_based(rows)
  }
}

# A method with the arguments that `kinds` names, all of them optional here: what is needed Python says.
# R6 gives a method its environment, so that all it refers to stands in its body.
feedback_method = function(name, kinds) {
  arguments = setdiff(names(kinds), "return")
  method = function() NULL
  formals(method) = structure(rep(list(NULL), length(arguments)), names = arguments)
  body(method) = bquote(call_feedback(python, .(name), .(kinds), mget(.(arguments)), of = class(self)[1L]))
  method
}

call_feedback = function(python, method, kinds, arguments, of) {
  given = Filter(Negate(is.null), arguments)
  given = Map(function(value, argument) feedback_argument(value, argument, kinds[[argument]], of), given, names(given))
  value = from_python(python$call(method, given))
  if (identical(kinds$return, "rows")) value + 1L else if (is.null(value)) invisible() else value
}

# Vectors and tensors alike; rows as integers from 0, all else as doubles.
feedback_argument = function(value, argument, kind, of) {
  required = switch(kind, rows = "hold row numbers, counted from 1", number = "be one number", "hold numbers")
  plain = if (inherits(value, "torch_tensor")) torch::as_array(value) else value
  if (!is.numeric(plain)) {
    stop_parameter(argument, required, sprintf("a value of class '%s'", class(plain)[1L]), of = of)
  }
  numbers = as.double(plain)
  if (kind == "number" && length(numbers) != 1L) {
    stop_parameter(argument, required, show_count(length(numbers), "value"), of = of)
  }
  if (kind != "rows") {
    return(numbers)
  }
  wrong = which(is.na(numbers) | numbers != trunc(numbers) | numbers < 1 | numbers > .Machine$integer.max)
  if (length(wrong) > 0L) {
    stop_parameter(argument, required, show_value(numbers[wrong[1L]]), of = of)
  }
  as.integer(numbers) - 1L
}
