# Auxiliary values: named functions of a specification, which draw a value for each row, and their form in recipes.

tree_largest_number = 1e300 # so that differences and quantiles are finite

# The name in recipes of a user's function, which they do not hold.
user_function = "function"

# list(name = text or function) -> the vectors of a recipe: names, functions, kinds of values, numbers of arguments, and
# all arguments, concatenated: numbers, with logical values as 0 or 1, and separately text. NULL if there are none.
parse_auxiliary = function(given) {
  if (is.null(given)) {
    return(NULL)
  }
  is_empty = is.list(given) && length(given) == 0L
  if (!is_empty && (!is.list(given) || is.null(names(given)) || any(names(given) == ""))) {
    stop_parameter("auxiliary", "map names to functions", show_given(given))
  }
  if (is_empty) {
    return(NULL)
  }
  calls = refuse_at("of 'auxiliary'", Map(read_auxiliary, given, names(given)))
  arguments = lapply(unname(calls), `[[`, "arguments")
  is_text = vapply(arguments, function(values) is.character(values), logical(1L))
  list(
    auxiliary = names(given),
    functions = vapply(unname(calls), `[[`, character(1L), "name"),
    kinds = vapply(arguments, auxiliary_kind, character(1L)),
    n_arguments = lengths(arguments),
    numbers = as.double(unlist(arguments[!is_text])),
    texts = as.character(unlist(arguments[is_text]))
  )
}

auxiliary_kind = function(arguments) {
  if (is.character(arguments)) "text" else if (is.logical(arguments)) "logical" else "number"
}

# -> list(name, arguments = one vector), or the error
read_auxiliary = function(text, name) {
  if (is.function(text)) {
    return(list(name = user_function, arguments = numeric()))
  }
  required = sprintf(paste(
    "be uniform(a, b), normal(m, s), integers(a, b), choice([...]), cycle([...]) or counter(), with a < b, s > 0,",
    "values of one kind and no number beyond %g"), tree_largest_number)
  call = if (is.character(text) && length(text) == 1L) read_call(unicode_text(text, name, required))
  if (is.null(call) || call$name == user_function || !auxiliary_fits(call$name, call$arguments)) {
    stop_parameter(name, required, show_given(text))
  }
  arguments = call$arguments
  if (call$name %in% c("choice", "cycle")) {
    arguments = arguments[[1L]]$value
  }
  list(name = call$name, arguments = unlist(lapply(arguments, `[[`, "value")))
}

auxiliary_fits = function(name, arguments) {
  kinds = vapply(arguments, `[[`, character(1L), "kind")
  if (name %in% c("counter", user_function)) {
    return(length(arguments) == 0L)
  }
  if (name %in% c("choice", "cycle")) {
    return(identical(kinds, "list") && is_list_of_one_kind(arguments[[1L]]))
  }
  if (!name %in% c("uniform", "normal", "integers") || length(arguments) != 2L || any(kinds == "list")) {
    return(FALSE)
  }
  if (!all(vapply(arguments, is_auxiliary_number, logical(1L)))) {
    return(FALSE)
  }
  are_whole = all(kinds == "whole")
  switch(name,
    normal = arguments[[2L]]$value > 0,
    uniform = arguments[[1L]]$value < arguments[[2L]]$value,
    integers = are_whole && is_exact_range(arguments[[1L]]$value, arguments[[2L]]$value)
  )
}

# Whether the whole numbers from the first to the last, and their number, are exact in doubles.
is_exact_range = function(first, last) {
  all(-2^53 < first, first <= last, last < 2^53, last - first < 2^53)
}

is_auxiliary_number = function(item) {
  item$kind %in% c("whole", "number") && abs(item$value) <= tree_largest_number
}

is_list_of_one_kind = function(items) {
  items = items$value
  kinds = unique(vapply(items, `[[`, character(1L), "kind"))
  if (length(kinds) == 1L && kinds %in% c("logical", "text")) {
    return(TRUE)
  }
  length(items) > 0L && all(kinds %in% c("whole", "number")) &&
    all(abs(vapply(items, `[[`, double(1L), "value")) <= 2^53)
}

# A call in Python's syntax, whose arguments are literals and lists of them -> list(name, arguments), or NULL.
# A literal is list(kind, value). Nothing is evaluated.
read_call = function(text) {
  tokens = call_tokens(text)
  n_tokens = length(tokens)
  if (n_tokens < 3L || !grepl("^[A-Za-z_]\\w*$", tokens[1L]) || tokens[2L] != "(" || tokens[n_tokens] != ")") {
    return(NULL)
  }
  arguments = read_items(tokens[-c(1L, 2L, n_tokens)])
  if (!is.null(arguments)) list(name = tokens[1L], arguments = arguments)
}

# NA if the text contains anything else.
call_tokens = function(text) {
  digits = "[0-9](?:_?[0-9])*"
  forms = c(
    "'(?:[^'\\\\\\n]|\\\\.)*'", "\"(?:[^\"\\\\\\n]|\\\\.)*\"", "[A-Za-z_]\\w*", "[-+]",
    sprintf("(?:%1$s(?:\\.(?:%1$s)?)?|\\.%1$s)(?:[eE][-+]?%1$s)?", digits), "[][(),]"
  )
  text = trimws(text)
  # \G: each match begins where the one before ends.
  found = gregexpr(sprintf("\\G(%s)\\s*", paste(forms, collapse = "|")), text, perl = TRUE, useBytes = TRUE)[[1L]]
  if (sum(attr(found, "match.length")) != nchar(text, "bytes")) {
    return(NA_character_)
  }
  bytes = charToRaw(text)
  tokens = mapply(function(begin, length) rawToChar(bytes[begin - 1L + seq_len(length)]),
    attr(found, "capture.start"), attr(found, "capture.length"))
  Encoding(tokens) = "UTF-8"
  tokens
}

# Items separated by commas, possibly with one at the end; NULL if invalid.
read_items = function(tokens) {
  if (length(tokens) == 0L) {
    return(list())
  }
  is_comma = tokens == "," & cumsum((tokens == "[") - (tokens == "]")) == 0L # outside of lists
  n_items = sum(is_comma) + !is_comma[length(tokens)]
  items = lapply(split(tokens[!is_comma], cumsum(is_comma)[!is_comma]), read_item)
  if (length(items) == n_items && !any(vapply(items, is.null, NA))) unname(items)
}

# The item of some tokens, or NULL.
read_item = function(tokens) {
  n_tokens = length(tokens)
  if (tokens[1L] == "[") {
    is_list = tokens[n_tokens] == "]" && !"[" %in% tokens[-1L] # of literals
    items = if (is_list) read_items(tokens[-c(1L, n_tokens)])
    return(if (!is.null(items)) list(kind = "list", value = items))
  }
  sign = c("+" = 1, "-" = -1)[tokens[1L]]
  if (!is.na(sign)) {
    tokens = tokens[-1L]
  }
  if (length(tokens) != 1L || (!is.na(sign) && !grepl("^[0-9.]", tokens))) {
    return(NULL)
  }
  item = read_literal(tokens)
  if (!is.null(item) && !is.na(sign)) {
    item$value = sign[[1L]] * item$value
  }
  item
}

read_literal = function(token) {
  if (token %in% c("true", "True", "false", "False")) {
    list(kind = "logical", value = tolower(token) == "true")
  } else if (grepl("^['\"]", token)) {
    read_text_literal(token)
  } else if (grepl("^[0-9]+(_[0-9]+)*$", token)) {
    value = as.double(gsub("_", "", token, fixed = TRUE))
    # In Python, whole numbers do not begin with 0, except 0 itself.
    if (!startsWith(token, "0") || value == 0) list(kind = "whole", value = value)
  } else if (grepl("^[0-9.]", token)) {
    list(kind = "number", value = as.double(gsub("_", "", token, fixed = TRUE)))
  }
}

# The escapes of Python's text that R also has; others are refused rather than misread.
read_text_literal = function(token) {
  inside = substring(token, 2L, nchar(token) - 1L)
  if (grepl("\\\\[^nrt'\"\\\\]", gsub("\\\\\\\\", "", inside))) {
    return(NULL)
  }
  parts = strsplit(inside, "\\\\", fixed = TRUE)[[1L]]
  escapes = c("\\n" = "\n", "\\r" = "\r", "\\t" = "\t", "\\'" = "'", "\\\"" = "\"")
  for (escape in names(escapes)) {
    parts = gsub(escape, escapes[[escape]], parts, fixed = TRUE)
  }
  list(kind = "text", value = enc2utf8(paste(parts, collapse = "\\")))
}

# What each function draws besides the rows: 0 for uniform numbers, else indices below the limit; NA for nothing.
auxiliary_limits = function(auxiliary) {
  as.double(vapply(auxiliary, function(value) {
    switch(value$name,
      uniform = ,
      normal = 0,
      integers = value$arguments[2L] - value$arguments[1L] + 1,
      choice = length(value$arguments),
      NA_real_
    )
  }, double(1L)))
}

# The values of the draws from `begin` on, computed from the numbers drawn for them.
# `user` has the values of a user's function: it is called with the numbers of these draws in their epoch.
auxiliary_values = function(value, numbers, begin, count, user) {
  arguments = value$arguments
  switch(value$name,
    "function" = user(),
    uniform = arguments[1L] + (arguments[2L] - arguments[1L]) * numbers,
    normal = .Call(C_make_normal, numbers, arguments[1L], arguments[2L]),
    integers = arguments[1L] + numbers,
    choice = arguments[numbers + 1],
    cycle = arguments[(begin + seq_len(count) - 1) %% length(arguments) + 1],
    counter = begin + seq_len(count) - 1
  )
}

# The values of a user's function for the draws of an epoch from `begin` on: a vector, if all are single plain values,
# or a list.
values_of_user = function(own, epoch, begin, count) {
  values = lapply(begin + seq_len(count) - 1, function(draw) own(epoch, draw))
  is_plain = vapply(values, function(value) is.atomic(value) && !is.object(value) && length(value) == 1L, logical(1L))
  # Values of several types keep their types: a vector would convert all of them, for example to text.
  has_one_type = length(unique(vapply(values, typeof, ""))) <= 1L
  if (all(is_plain) && has_one_type) unlist(values) else values
}

# The user's functions in a recipe must be available.
check_user_functions = function(auxiliary, functions) {
  of_user = names(Filter(function(value) value$name == user_function, auxiliary))
  if (!all(vapply(functions[of_user], is.function, logical(1L))) || !all(of_user %in% names(functions))) {
    stop_parameter("recipe", "come with the functions of its auxiliary values", "a recipe alone")
  }
}

# The functions of a recipe, each with its arguments -> list(name = list(name, arguments)).
recipe_auxiliary = function(parts) {
  if (is.null(parts$auxiliary)) {
    return(list())
  }
  ends = list(numbers = 0, texts = 0)
  found = list()
  for (i in seq_along(parts$auxiliary)) {
    from = if (parts$kinds[i] == "text") "texts" else "numbers"
    arguments = parts[[from]][ends[[from]] + seq_len(parts$n_arguments[i])]
    ends[[from]] = ends[[from]] + parts$n_arguments[i]
    if (parts$kinds[i] == "logical") {
      arguments = arguments == 1
    }
    found[[i]] = list(name = parts$functions[i], arguments = arguments)
  }
  stats::setNames(found, parts$auxiliary)
}

check_recipe_auxiliary = function(parts) {
  if (is.null(parts$auxiliary)) {
    return(invisible())
  }
  if (!auxiliary_types_fit(parts) || !auxiliary_lengths_fit(parts)) {
    stop_parameter("recipe", "have a function and its arguments for each of 'auxiliary'", "others")
  }
  for (value in recipe_auxiliary(parts)) {
    if (!recipe_function_fits(value)) {
      stop_parameter("recipe", sprintf("have arguments that fit '%s'", value$name), "others")
    }
  }
}

auxiliary_types_fit = function(parts) {
  types = c(auxiliary = "character", functions = "character", kinds = "character", n_arguments = "integer",
    numbers = "double", texts = "character")
  all(vapply(names(types), function(name) typeof(parts[[name]]) == types[[name]], logical(1L))) &&
    !anyNA(unlist(parts[setdiff(names(types), "numbers")]))
}

auxiliary_lengths_fit = function(parts) {
  n = lengths(parts[c("auxiliary", "functions", "kinds", "n_arguments")])
  of_text = parts$kinds == "text"
  n_arguments = as.double(parts$n_arguments)
  all(n == n[1L], parts$kinds %in% c("text", "logical", "number"), n_arguments >= 0) &&
    sum(n_arguments[!of_text]) == length(parts$numbers) && sum(n_arguments[of_text]) == length(parts$texts)
}

# As for the functions of a specification.
recipe_function_fits = function(value) {
  as_item = function(item) {
    kind = switch(typeof(item), character = "text", logical = "logical", "number")
    whole = kind == "number" && is_whole_number(item)
    list(kind = if (whole) "whole" else kind, value = item)
  }
  items = lapply(value$arguments, as_item)
  if (value$name %in% c("choice", "cycle")) {
    items = list(list(kind = "list", value = items))
  }
  isTRUE(auxiliary_fits(value$name, items))
}
