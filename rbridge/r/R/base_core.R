# Shared by the kinds of samplers whose rule is in the C core: it plans, checks and draws, and R holds the arguments and
# the recipe.

# -> the parts of a recipe, or, if codes and the like are still missing, the checked arguments
# The request is a list of arguments, and of vectors made of some of them.
# `names` are those of the strata, for messages; or a function that returns what the kind lets messages name.
core_plan = function(kind, request, names = NULL) {
  request = lapply(request, plain_value)
  core_results(.Call(C_plan, kind, request), request, names)
}

# -> the results of a function of the core
core_call = function(name, request, names = NULL) {
  request = lapply(request, plain_value)
  core_results(.Call(C_call, name, request), request, names)
}

# What the core answers; what it refuses is an error, which may show a value of `given`.
core_results = function(answer, given, names = NULL) {
  refusal = answer$refusal
  if (is.null(refusal) && is.null(answer$warning) && is.null(answer$warnings)) {
    return(answer$results)
  }
  named = function(text) {
    if (is.null(text)) {
      NULL
    } else if (is.function(names)) {
      fill_in_all(gsub("'{stratum}'", sprintf("{stratum %.0f}", answer$stratum - 1), text, fixed = TRUE), names)
    } else {
      fill_in("{stratum}", names[answer$stratum], text)
    }
  }
  if (!is.null(refusal)) {
    got = if (is.null(refusal$shown)) {
      fill_in("{name}", refused_name(refusal, names), named(refusal$got))
    } else {
      refused_value(refusal, given)
    }
    stop_parameter(refusal$parameter, named(refusal$requirement), got, named(refusal$advice), named(refusal$where))
  }
  told = unlist(strsplit(as.character(c(answer$warnings, answer$warning)), "\n", fixed = TRUE))
  for (text in told) {
    warning(named(text), call. = FALSE)
  }
  answer$results
}

# The value that is refused, an element of it, or what a name in a text of the core stands for.
refused_value = function(refusal, given) {
  value = given[[refusal$shown]]
  if (is.null(refusal$place)) {
    return(show_value(value))
  }
  # The core sees the elements of a list, whatever its class makes of them.
  show_value((if (is.list(value)) unclass(value) else value)[[refusal$place]])
}

refused_name = function(refusal, names) {
  if (is.null(names) || is.function(names)) sprintf("%.0f", refusal$stratum) else show_value(names[refusal$stratum])
}

# The text with what stands in braces in place of names: a word, and numbers.
fill_in_all = function(text, name_of) {
  found = gregexpr("\\{[^}]*\\}", text)
  regmatches(text, found) = lapply(regmatches(text, found), vapply, FUN.VALUE = "", function(place) {
    parts = strsplit(substring(place, 2L, nchar(place) - 1L), " ", fixed = TRUE)[[1L]]
    name_of(parts[1L], as.double(parts[-1L]))
  })
  text
}

fill_in = function(place, name, text) {
  if (length(name) == 1L) gsub(place, name, text, fixed = TRUE) else text
}

# A kind of samplers of the core: a list as in R/base_generator.R, of which the core does the rest.
core_kind = function(...) {
  shared = list(
    is_core = TRUE,
    check = function(recipe) NULL,
    n_rows = function(recipe) if (!is.null(recipe$parts$codes)) length(recipe$parts$codes),
    setup = function(recipe, private) NULL,
    draw = core_batches,
    n_batches = function(recipe) recipe$parts$n_batches,
    fingerprint = core_fingerprint,
    private = list(.instance = NULL)
  )
  utils::modifyList(shared, list(...))
}

# The arguments of the calling function, except those of rows.
given_arguments = function(without = NULL, frame = parent.frame()) {
  names = setdiff(names(formals(sys.function(sys.parent()))), c("...", without))
  sapply(names, get, envir = frame, simplify = FALSE)
}

# A kind of the core in C++, which checks all parts of recipes; a recipe is a request.
table_kind = function(kind, ...) {
  shared = list(
    plan = function(request) new_recipe(kind, request$seed, core_plan(kind, request)),
    vectors = list(parts = NA), # which the core checks
    count_batches = core_count,
    bytes = function(recipe) core_described(recipe)$bytes
  )
  utils::modifyList(utils::modifyList(core_kind(), shared), list(...))
}

# What follows from a recipe.
core_described = function(recipe) {
  core_results(.Call(C_describe, core_instance(new_memory(), recipe)), recipe$parts)
}

# What draws the epochs of a recipe, as long as its key, an environment, lives.
core_instance = function(key, recipe) {
  seed = if (is.null(recipe$seed)) 0 else recipe$seed
  core_results(.Call(C_prepare, key, recipe$kind, recipe$parts, seed), recipe$parts)
}

# Refuses the parts of a recipe, and its state if the kind has one.
core_check = function(recipe) {
  if (is.null(sampler_kind(recipe$kind)$load_feedback)) {
    core_instance(new_memory(), recipe)
  } else {
    core_check_state(recipe)
  }
}

# Returns the result of `ask`. It is NULL if the instance belongs to another sampler, such as the original of a copy
# that was cloned or saved: then it makes an instance, and asks again.
with_instance = function(private, ask) {
  answer = ask()
  if (is.null(answer)) {
    private$.instance = core_instance(private, private$.recipe)
    answer = ask()
  }
  answer
}

core_batches = function(private, epoch) {
  answer = with_instance(private, function() .Call(C_draw, private$.instance, private, epoch))
  core_results(answer, private$.recipe$parts)
}

# The number of batches of an epoch, 0 if it is known only after the draw.
core_count = function(private, epoch) {
  with_instance(private, function() .Call(C_count_batches, private$.instance, private, epoch))
}

# The same for a recipe.
count_of_recipe = function(recipe, epoch) {
  key = new_memory()
  .Call(C_count_batches, core_instance(key, recipe), key, epoch)
}

# Kinds with feedback: `private` has, besides the instance, the vectors of the state as .state, which the core changes
# in place. A call that fails changes nothing. Only the core refers to them, and a copy of the sampler, which may share
# them: the first of both that changes copies them.

# Makes the state of a recipe, or of what core_plan() has returned.
core_begin = function(private, given, is_recipe = TRUE) {
  private$.instance = core_instance(private, private$.recipe)
  core_results(.Call(C_begin_state, private$.instance, private, given, is_recipe), given)
}

# Refuses the state of a recipe.
core_check_state = function(recipe) {
  key = new_memory()
  core_results(.Call(C_check_state, core_instance(key, recipe), key, recipe$state), recipe$state)
}

# -> list(rows, stream), of the next draws from a stream, and the stream after them, which may be the same vector
core_draw_more = function(private, stream, wanted) {
  wanted = lapply(wanted, plain_value)
  drawn = with_instance(private, function() {
    .Call(C_draw_more, private$.instance, private, private$.state, stream, wanted)
  })
  if (is.integer(drawn)) {
    list(rows = drawn, stream = stream)
  } else if (is.null(drawn$rows)) {
    core_results(drawn, wanted)
  } else {
    drawn
  }
}

core_tell = function(private, method, told) {
  told = lapply(told, plain_value)
  answer = with_instance(private, function() {
    .Call(C_tell, private$.instance, private, private$.state, method, told)
  })
  core_results(answer, told)
}

# The value of this name; or several, such as the "state" of a recipe.
core_ask = function(private, name, asked = list()) {
  asked = lapply(asked, plain_value)
  answer = with_instance(private, function() {
    .Call(C_ask, private$.instance, private, private$.state, name, asked)
  })
  found = core_results(answer, asked)
  if (name %in% names(found)) found[[name]] else found
}
