# Arguments in R's own types: one place decides what else is read as a vector of numbers, wherever there may be one.

# Arrays of one dimension, such as table(x)[x] or what reticulate returns, and matrices of one column become vectors,
# and numbers of 64 bits become doubles. Anything else stays as it is.
plain_value = function(value) {
  value = exact_numbers(value)
  dims = dim(value)
  if (!is.atomic(value) || !(length(dims) == 1L || length(dims) == 2L && dims[2L] == 1L)) {
    return(value)
  }
  names = dimnames(value)[[1L]]
  dim(value) = NULL
  class(value) = setdiff(oldClass(value), c("xtabs", "table"))
  names(value) = names
  value
}

# Numbers of 64 bits, those of the package bit64, as doubles of the same shape. If no double holds one of them exactly,
# such as 2^53 + 1, all stay as they are, so that the caller refuses them.
exact_numbers = function(value) {
  if (!inherits(value, "integer64")) {
    return(value)
  }
  numbers = suppressWarnings(bit64::as.double.integer64(value)) # of digits that are lost
  if (!identical(as.vector(unclass(bit64::as.integer64(numbers))), as.vector(unclass(value)))) {
    return(value)
  }
  attributes(numbers) = attributes(value)
  class(numbers) = setdiff(oldClass(value), "integer64")
  numbers
}

# Values or rows of values of known things, such as users, in the order of these: names of values decide, and are left
# out. They are one of `known`, vectors of as many things.
in_order_of = function(values, known, parameter) {
  given = if (is.null(dim(values))) names(values) else rownames(values)
  if (is.null(given)) {
    return(values)
  }
  given = unicode_text(given, parameter, "have names in Unicode")
  for (labels in known) {
    places = places_among(given, labels)
    if (!is.null(places) && is.null(dim(values))) {
      return(unname(values[places]))
    }
    if (!is.null(places)) {
      columns = if (!is.null(colnames(values))) list(NULL, colnames(values))
      return(structure(values[places, , drop = FALSE], dimnames = columns))
    }
  }
  expected = as.character(known[[1L]])
  wrong = which(duplicated(given) | !given %in% expected)[1L]
  stop_parameter(parameter, sprintf("name each of %s once if it has names", show_names(expected)),
    if (is.na(wrong)) show_count(length(given), "name") else show_value(given[wrong]),
    "To match by position, give unname() of it.")
}

# The places of labels among names, NULL unless each is one of them and each name is one of the labels.
places_among = function(given, labels) {
  places = match(labels, if (is.numeric(labels)) suppressWarnings(as.double(given)) else given)
  if (length(labels) == length(given) && !anyNA(places) && !anyDuplicated(places)) places
}
