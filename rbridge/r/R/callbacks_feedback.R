# Samplers in Python that receive feedback, or are queried, between batches: one call per batch.

kind_python_feedback = function() {
  utils::modifyList(kind_python(), list(
    fingerprint = function(private) {
      stop("The state of a sampler that stays in Python is that of its object there: save that one.", call. = FALSE)
    },
    iterate = function(private, place) {
      iteration = from_python(private$.settings$functions$begin(place$epoch))
      following = function() {
        rows = from_python(private$.settings$functions$take(iteration))
        if (!is.null(rows)) crossed_rows(rows, private$.recipe$parts$n_source)
      }
      for (done in seq_len(place$batch)) following()
      following
    },
    describe = function(private) {
      c(
        kind_python()$describe(private),
        sprintf("* Feedback: %s", paste0(names(private$.recipe$labels$methods), "()", collapse = ", "))
      )
    },
    methods = function(recipe) Map(feedback_method, names(recipe$labels$methods), recipe$labels$methods)
  ))
}

# A method with the arguments that `kinds` names, all of them optional here: Python checks which are required.
# R6 sets the environment of a method, so everything it refers to is inserted into its body.
feedback_method = function(name, kinds) {
  arguments = setdiff(names(kinds), "return")
  method = function() NULL
  formals(method) = structure(rep(list(NULL), length(arguments)), names = arguments)
  body(method) = bquote(
    call_feedback(private$.settings$functions, .(name), .(kinds), mget(.(arguments)))
  )
  method
}

call_feedback = function(python, method, kinds, arguments) {
  given = Filter(Negate(is.null), arguments)
  given = Map(function(value, argument) feedback_argument(value, argument, kinds[[argument]]), given, names(given))
  value = from_python(python$call(method, given))
  if (identical(kinds$return, "rows")) value + 1L else if (is.null(value)) invisible() else value
}

# Accepts vectors and tensors; rows become integers from 0, everything else doubles.
feedback_argument = function(value, argument, kind) {
  required = switch(kind, rows = "hold row numbers, counted from 1", number = "be one number", "hold numbers")
  numbers = as.double(vector_or_tensor(value, argument, required))
  if (kind == "number" && length(numbers) != 1L) {
    stop_parameter(argument, required, show_count(length(numbers), "value"))
  }
  if (kind != "rows") {
    return(numbers)
  }
  wrong = which(is.na(numbers) | numbers != trunc(numbers) | numbers < 1 | numbers > .Machine$integer.max)
  if (length(wrong) > 0L) {
    stop_parameter(argument, required, show_value(numbers[wrong[1L]]))
  }
  as.integer(numbers) - 1L
}
