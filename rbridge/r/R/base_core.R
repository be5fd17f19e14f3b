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
  named = function(text) {
    if (is.null(text) || is.null(names)) {
      text
    } else if (is.function(names)) {
      fill_in(gsub("{stratum}", sprintf("{stratum %.0f}", answer$stratum - 1), text, fixed = TRUE), names)
    } else {
      gsub("{stratum}", names[answer$stratum], text, fixed = TRUE)
    }
  }
  refusal = answer$refusal
  if (!is.null(refusal)) {
    got = if (is.null(refusal$shown)) named(refusal$got) else refused_value(refusal, given)
    stop_parameter(refusal$parameter, named(refusal$requirement), got, named(refusal$advice))
  }
  for (text in unlist(strsplit(as.character(answer$warning), "\n", fixed = TRUE))) {
    warning(named(text), call. = FALSE)
  }
  answer$results
}

# How a message shows the refused value, or the refused element of it.
refused_value = function(refusal, given) {
  value = given[[refusal$shown]]
  if (is.null(refusal$place)) {
    # Numbers with names are those of strata, also if there is one.
    return(if (is.null(names(value))) show_value(value) else show_count(length(value), "value"))
  }
  # The core sees the elements of a list, whatever its class makes of them.
  show_value((if (is.list(value)) unclass(value) else value)[[refusal$place]])
}

# The text with names in place of what is in braces: a word, and numbers.
fill_in = function(text, name_of) {
  found = gregexpr("\\{[^}]*\\}", text)
  regmatches(text, found) = lapply(regmatches(text, found), vapply, FUN.VALUE = "", function(place) {
    parts = strsplit(substring(place, 2L, nchar(place) - 1L), " ", fixed = TRUE)[[1L]]
    name_of(parts[1L], as.double(parts[-1L]))
  })
  text
}

# A kind of samplers of the core: a list as in R/base_generator.R.
table_kind = function(kind, ...) {
  utils::modifyList(list(
    class = paste0("batch_sampler_", kind),
    of_rows = "strata",
    plan = function(settings) table_recipe(kind, settings),
    n_rows = function(recipe) if (is.null(recipe$parts$codes)) recipe$parts$n_rows else length(recipe$parts$codes),
    setup = function(recipe, private) NULL,
    draw = core_batches,
    count_batches = core_count,
    fingerprint = core_fingerprint,
    settings = function(recipe) format_arguments(recipe),
    private = list(.instance = NULL)
  ), list(...))
}

# The generator of a kind for the arguments of the calling function, its constructor, of which `changed` are in a form
# that the core knows. What a dataset supplies may be missing (R/base_from_dataset.R).
sampler_of = function(kind, changed = list()) {
  request = mget(setdiff(names(formals(sys.function(sys.parent()))), "..."), parent.frame())
  request[names(changed)] = changed
  of_rows = row_arguments(kind, request)
  others = lapply(request[setdiff(names(request), of_rows)], plain_value) # 1 and 1L are the same
  for (argument in names(Filter(function(value) is.numeric(value) || is.list(value), others))) {
    if (length(others[[argument]]) > 0L && !is.null(names(others[[argument]]))) {
      names(others[[argument]]) = check_class_names(others[[argument]], argument, noun_of_strata(kind))
    }
  }
  settings = as_settings(core_plan(kind, others))
  for (argument in names(settings)) {
    names(settings[[argument]]) = names(others[[argument]])
  }
  settings$seed = if (!is.null(request$seed)) as.double(request$seed)
  settings$majority = others$majority
  for (argument in of_rows) {
    value = request[[argument]]
    # The entry exists even if it is NULL; otherwise, $strata would match a longer name.
    settings[argument] = list(if (is_column_names(value)) unicode_text(value, argument) else value)
  }
  waits = length(waiting_arguments(kind, settings)) > 0L
  new_generator(if (waits) open_recipe(kind, settings$seed, settings) else sampler_kind(kind)$plan(settings))
}

# Parts of a recipe as arguments: integers are flags.
as_settings = function(parts) lapply(parts, function(value) if (is.integer(value)) value == 1L else value)

# The recipe of complete arguments: they, what they say of rows, and the numbers of the strata that some of them name.
table_recipe = function(kind, settings) {
  of_rows = row_arguments(kind, settings)
  arguments = settings[setdiff(names(settings), c(of_rows, "seed"))]
  rows = lapply(of_rows, function(argument) {
    encode = dataset_arguments[[argument]]$encode
    value = settings[[argument]]
    own = list(data = stats::setNames(list(if (is.integer(value)) as.double(value) else value), argument))
    if (is.null(encode)) own else encode(value, settings)
  })
  data = do.call(c, lapply(rows, `[[`, "data"))
  labels = c(list(), do.call(c, lapply(rows, `[[`, "labels")))
  noun = noun_of_strata(kind)
  if (!is.null(arguments$majority)) {
    data$majority_strata = class_codes(arguments$majority, labels$names, "majority", noun) - 1
  }
  for (argument in names(Filter(function(value) !is.null(names(value)), arguments))) {
    data[[paste0(argument, "_strata")]] = class_codes(names(arguments[[argument]]), labels$names, argument, noun) - 1
  }
  parts = core_plan(kind, c(arguments, data), c(labels$names, unlist(lapply(rows, `[[`, "shown"))))
  parts = c(parts, data[setdiff(names(data), names(parts))])
  parts = parts[order(names(parts) == "found")] # what a search has found is the last part
  new_recipe(kind, settings$seed, parts, labels = labels)
}

# What messages call the strata.
noun_of_strata = function(kind) if (kind == "downsampled") "class" else "stratum"

# What follows from a recipe.
core_described = function(recipe) core_results(.Call(C_describe, core_instance(recipe)), recipe$parts)

# What draws the epochs of a recipe, and needs at most this many bytes.
core_instance = function(recipe, max_bytes = Inf) {
  parts = own_parts(recipe)
  core_results(.Call(C_prepare, recipe$kind, parts, if (is.null(recipe$seed)) 0 else recipe$seed, max_bytes), parts)
}

# The parts of a recipe without those of a sampler inside.
own_parts = function(recipe) recipe$parts[grep("^sampler(_|$)", names(recipe$parts), invert = TRUE)]

# Returns the result of `ask`. It is NULL if there is no instance, because the sampler is new or was saved: then it
# makes one, and asks again.
with_instance = function(private, ask) {
  answer = ask()
  if (is.null(answer)) {
    private$.instance = core_instance(private$.recipe)
    answer = ask()
  }
  answer
}

# The results of an instance for what is given.
answered = function(private, given, ask) {
  given = lapply(given, plain_value)
  core_results(with_instance(private, function() ask(given)), given)
}

core_batches = function(private, epoch) {
  answer = with_instance(private, function() .Call(C_draw, private$.instance, epoch))
  core_results(answer, private$.recipe$parts)
}

# The number of batches of an epoch, 0 if it is known only after the draw.
core_count = function(private, epoch) {
  with_instance(private, function() .Call(C_count_batches, private$.instance, epoch))
}

# Kinds with feedback: `private` has, besides the instance, the vectors of the state as .state, which the core changes
# in place. A call that fails changes nothing. A copy of the sampler may share them: the first of both that changes
# copies them.

# Makes the state of a recipe, or of what core_plan() has returned.
core_begin = function(private, given) {
  private$.instance = core_instance(private$.recipe)
  core_results(.Call(C_begin_state, private$.instance, private, given), given)
}

# -> list(rows, stream), of the next draws from a stream, and the stream after them
core_draw_more = function(private, stream, wanted) {
  answered(private, wanted, function(given) .Call(C_draw_more, private$.instance, private$.state, stream, given))
}

core_tell = function(private, method, told) {
  answered(private, told, function(given) .Call(C_tell, private$.instance, private, private$.state, method, given))
}

# The value of this name; or several, such as the "state" of a recipe.
core_ask = function(private, name, asked = list()) {
  found = answered(private, asked, function(given) .Call(C_ask, private$.instance, private$.state, name, given))
  if (name %in% names(found)) found[[name]] else found
}
