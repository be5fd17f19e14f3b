# The cases that the tests of all languages read, from tests/golden of the repository.

read_golden = function(file) {
  skip_if_not_installed("jsonlite")
  jsonlite::fromJSON(test_path("golden", file), simplifyVector = FALSE)
}

as_value = function(value) {
  if (identical(names(value), "special")) {
    list("NaN" = NaN, "Inf" = Inf, "-Inf" = -Inf, "NA" = NA)[[value$special]]
  } else if (is.list(value)) {
    unlist(value)
  } else {
    value
  }
}

# null is a missing value; values that are not scalars make a column of lists.
as_column = function(values) {
  if (any(vapply(values, is.list, logical(1L)))) {
    return(values)
  }
  unlist(lapply(values, function(value) if (is.null(value)) NA else value))
}

as_strata = function(strata) {
  if (!is.null(names(strata))) {
    lapply(strata, as_column)
  } else if (length(strata) == 0L) {
    character()
  } else {
    as_column(strata)
  }
}

# What a case's strata stand for: columns, or one number a row for strata of the given sizes.
strata_of_case = function(strata) {
  if (!is.null(strata$columns)) {
    return(as_strata(strata$columns))
  }
  sizes = unlist(strata$sizes)
  stratum = rep(seq_along(sizes) - 1L, times = sizes)
  if (strata$arrangement == "dealt") stratum[order(sequence(sizes), stratum)] else stratum
}

# Lists of more than 2000 numbers are held as head, tail and checksum.
cut_list = function(values) {
  if (length(values) <= 2000L) {
    return(as.list(values))
  }
  list(
    length = length(values),
    head = as.list(head(values, 10L)),
    tail = as.list(tail(values, 10L)),
    checksum = sum((values * as.double(seq_along(values))) %% 2147483647) %% 2147483647
  )
}

# -> list(strata, groups) of a case with groups
labels_of_groups = function(rows) {
  if (!is.null(rows$groups)) {
    return(lapply(rows[c("strata", "groups")], function(values) {
      values = as_column(values)
      if (is.character(values)) factor(values) else values
    }))
  }
  groups = ((seq_len(rows$length) - 1) * rows$multiplier) %% rows$modulus
  by = if (is.null(rows$divisor)) groups else (seq_len(rows$length) - 1) %/% rows$divisor
  list(strata = by %% rows$n_strata, groups = groups)
}

# Each part of a result is that of a case. Parts are compared as vectors: comparing long lists takes seconds.
expect_parts = function(found, expected, ..., tolerance = 0) {
  expect_equal(lapply(found, unlist), lapply(expected, unlist), ..., tolerance = tolerance)
}
