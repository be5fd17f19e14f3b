# Auxiliary values: named functions of a specification, which draw a value for each row, and their form in recipes.

tree_functions = c("function", "uniform", "normal", "integers", "choice", "cycle", "counter") # the first is a user's

# list(name = text or function) -> list(name = list(name of the function, arguments or items)); nothing is evaluated
read_auxiliary = function(given) {
  refuse_if(!is.null(given) && (!is_mapping(given) || any(names(given) == "")), "auxiliary", "map names to functions",
    show_given(given))
  for (text in list(names(given), unlist(Filter(is.character, given)))) {
    unicode_text(text, "auxiliary", "map names to functions")
  }
  lapply(given, read_call)
}

# The arguments are those of a YAML list; there is no name if they do not fit.
read_call = function(given) {
  if (is.function(given)) {
    return(list(name = "function"))
  }
  call = "^\\s*(\\w+)\\(((?s).*)\\)\\s*$"
  parts = if (is_plain_text(given) && !is.na(given)) regmatches(given, regexec(call, given, perl = TRUE))[[1L]]
  if (length(parts) == 0L) {
    return(list(name = ""))
  }
  arguments = tryCatch(load_yaml(sprintf("[%s]", parts[3L]), "auxiliary"), rbridge_refusal = function(refusal) NA)
  fitting_call(parts[2L], arguments)
}

fitting_call = function(name, arguments) {
  n_arguments = if (is.list(arguments)) length(arguments) else NA
  if (name == "counter" && n_arguments %in% 0L) {
    list(name = name)
  } else if (name %in% c("choice", "cycle") && n_arguments %in% 1L && are_alike(arguments[[1L]])) {
    list(name = name, arguments = unlist(arguments[[1L]]))
  } else if (name %in% c("uniform", "normal", "integers") && n_arguments %in% 2L &&
    !any(vapply(arguments, is.logical, NA))) {
    list(name = name, arguments = suppressWarnings(as.double(unlist(arguments)))) # 1e-3 is text in YAML
  } else {
    list(name = "")
  }
}

# Items of one kind: logical values, numbers or text.
are_alike = function(items) {
  is_one = function(is_kind) all(vapply(items, is_kind, NA))
  is.list(items) && length(items) > 0L && (is_one(is.logical) || is_one(is.numeric) || is_one(is.character))
}

# The functions as the core takes them, and their text, from which items are read again.
auxiliary_data = function(auxiliary, given) {
  if (length(auxiliary) == 0L) {
    return(list())
  }
  functions = lapply(auxiliary, function(value) {
    is_of_list = value$name %in% c("choice", "cycle")
    ends = if (is_of_list) c(0, length(value$arguments)) else c(value$arguments, 0, 0)[1:2]
    c(match(value$name, tree_functions, nomatch = 0L) - 1L, ends)
  })
  texts = vapply(given, function(value) if (is_plain_text(value)) value else "function", "")
  list(auxiliary = packed(rbind(names(given), texts)), functions = unlist(functions, use.names = FALSE))
}

# Texts as bytes, with a separator between them.
packed = function(texts) charToRaw(enc2utf8(paste(texts, collapse = "\x1f")))

# The values of a user's function for the draws of an epoch from `begin` on: a vector, if all are single plain values,
# or a list.
values_of_user = function(own, epoch, begin, count) {
  values = lapply(begin + seq_len(count) - 1, function(draw) own(epoch, draw))
  is_plain = vapply(values, function(value) is.atomic(value) && !is.object(value) && length(value) == 1L, NA)
  # Values of several types keep their types: a vector would convert all of them, for example to text.
  if (all(is_plain) && length(unique(lapply(values, typeof))) <= 1L) unlist(values) else values
}

# -> list(auxiliary = the functions of a recipe with their arguments, functions = those of users, which must be there)
tree_setup = function(recipe, private) {
  packed = recipe$parts$auxiliary
  texts = if (is.null(packed)) character() else strsplit(`Encoding<-`(rawToChar(packed), "UTF-8"), "\x1f")[[1L]]
  is_name = seq_along(texts) %% 2L == 1L
  calls = stats::setNames(texts[!is_name], texts[is_name])
  own = private$.functions
  auxiliary = lapply(calls, function(call) if (call == "function") list(name = call) else read_call(call))
  refuse_if(!all(names(calls)[calls == "function"] %in% names(Filter(is.function, own))), "recipe",
    "come with the functions of its auxiliary values", "a recipe alone")
  list(auxiliary = auxiliary, functions = own)
}

# The auxiliary values of draws, the first of which has the number `begin` in its epoch; NULL if there are none.
drawn_auxiliary = function(setup, drawn, epoch, begin) {
  if (length(setup$auxiliary) == 0L) {
    return(NULL)
  }
  count = length(drawn$rows)
  end = 0
  lapply(stats::setNames(nm = names(setup$auxiliary)), function(name) {
    value = setup$auxiliary[[name]]
    if (value$name == "function") {
      return(values_of_user(setup$functions[[name]], epoch, begin, count))
    }
    numbers = if (length(drawn$values) == count) drawn$values else drawn$values[end + seq_len(count)]
    end <<- end + count
    if (value$name %in% c("choice", "cycle")) value$arguments[numbers + 1] else numbers
  })
}
