# Auxiliary values: named functions of a specification, which draw a value for each row, and their form in recipes.

# The name in recipes of a user's function, which they do not hold.
user_function = "function"

# list(name = text or function) -> the vectors of a request: names, functions, kinds of arguments and whether they are
# whole numbers, how they are written, numbers of arguments, and all arguments, concatenated: numbers, with logical
# values as 0 or 1, and separately text. NULL if there are none.
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
  calls = lapply(unname(given), read_auxiliary)
  kinds = vapply(calls, `[[`, "", "kind")
  arguments = lapply(calls, `[[`, "arguments")
  list(
    auxiliary = names(given),
    functions = vapply(calls, `[[`, "", "name"),
    kinds = ifelse(kinds == "whole", "number", kinds),
    are_whole = as.raw(kinds == "whole"),
    written = as.raw(vapply(calls, `[[`, 0, "written")),
    n_arguments = lengths(arguments),
    arguments = as.double(unlist(arguments[kinds != "text"])),
    texts = as.character(unlist(arguments[kinds == "text"]))
  )
}

# How the arguments of a function are written, as in tree_values.h.
written_as_values = 0
written_as_list = 1
not_as_call = 2
not_as_text = 3

# -> list(name, written, kind, arguments = one vector)
read_auxiliary = function(text) {
  read = function(written, name = "", kind = "number", arguments = numeric()) {
    list(name = name, written = written, kind = kind, arguments = arguments)
  }
  if (is.function(text)) {
    return(read(written_as_values, user_function))
  }
  if (!is.character(text) || length(text) != 1L) {
    return(read(not_as_text))
  }
  call = if (is_unicode(text)) read_call(enc2utf8(text))
  if (is.null(call) || call$name == user_function) {
    return(read(not_as_call))
  }
  items = call$arguments
  is_list = length(items) == 1L && items[[1L]]$kind == "list"
  if (is_list) {
    items = items[[1L]]$value
  }
  kinds = unique(c(vapply(items, `[[`, "", "kind"), if (length(items) == 0L) "number"))
  kind = if (length(kinds) == 1L) kinds else if (all(kinds %in% c("whole", "number"))) "number" else "list"
  if (kind == "list") {
    return(read(not_as_call))
  }
  read(if (is_list) written_as_list else written_as_values, call$name, kind, unlist(lapply(items, `[[`, "value")))
}

# The value of a function that is refused.
show_auxiliary = function(value) {
  if (is.character(value) && !is_unicode(value)) "text that is not Unicode" else show_given(value)
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
