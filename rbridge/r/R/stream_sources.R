# Sources, their names, and their rows.

# -> the names of sources that a function reads: those of the list or vector; paths without names are their own names.
source_names = function(sources, read) {
  is_text = is.character(sources) && !anyNA(sources)
  refuse_if(!(is_text || is.list(sources)) || is.object(sources) || !is.null(dim(sources)), "sources",
    "be a list of sources", show_value(sources))
  refuse_if(length(sources) == 0L, "sources", sprintf("have 1 to %.0f sources", largest_count), "0")
  named = if (is_text && is.null(names(sources))) sources else names(sources)
  refuse_if(anyNA(named) || !all(nzchar(named)), "sources", "name each source by a text that is not empty", "''")
  refuse_if(!is.function(read), "read", "be a function of a source", show_value(read))
  shown_names(unname(named), "sources", "source")
}

# -> list(rows, strata = one value a row)
read_source = function(source, name, read, stratum) {
  tryCatch({
    rows = without_factors(read(source))
    if (!is.data.frame(rows) && !(is.vector(rows) && is.null(dim(rows)))) {
      stop("The reader must return a data.frame, or a vector or list of one value a row.")
    }
    list(rows = rows, strata = strata_of_rows(rows, stratum))
  }, error = function(problem) stop_source("The source '%s' cannot be read. %s", name, conditionMessage(problem)))
}

# Factors of sources may have other levels, so they are text: rbind() would change their codes.
without_factors = function(rows) {
  if (is.data.frame(rows)) {
    is_factor = vapply(rows, is.factor, NA)
    rows[is_factor] = lapply(rows[is_factor], as.character)
  }
  if (is.factor(rows)) as.character(rows) else rows
}

# One value a row. Without rows, `stratum` is not called: sapply() and the like would return a list.
strata_of_rows = function(rows, stratum) {
  n_rows = NROW(rows)
  if (n_rows == 0L) {
    return(character())
  }
  refuse_if(!is.function(stratum) && !isTRUE(stratum %in% names(rows)), "stratum",
    "be a function of the rows, or name one of their columns", show_value(stratum))
  strata = if (is.function(stratum)) stratum(rows) else rows[[stratum]]
  if (is.list(strata)) {
    stop("The strata of its rows must be a vector or factor.") # encode_strata() would read a list as columns
  }
  if (length(strata) != n_rows) {
    stop(sprintf("It must have one stratum a row. Got %s of %s.", show_count(length(strata), "value"),
      show_count(n_rows, "row")))
  }
  strata
}

# The codes of values, from 1, by the names of the strata.
codes_of_rows = function(strata, names, source) {
  unknown = function(row, shown) {
    stop_source("The stratum of row %d of the source '%s' must be one of %s. Got %s instead.", row, source,
      show_names(names), shown)
  }
  tryCatch(match_strata(strata, names, unknown), rbridge_refusal = function(refusal) {
    stop_source("The strata of the source '%s' must %s. Got %s instead.", source, refusal$requirement, refusal$got)
  })
}

# The codes of values by the names of the strata; the first one that is none is passed to `unknown(row, shown)`.
match_strata = function(strata, names, unknown) {
  if (length(strata) == 0L) {
    return(integer())
  }
  encoded = encode_strata(strata, "stratum", exact = TRUE, are_strata = FALSE)
  codes = match(encoded$names, names)[encoded$codes]
  row = which(is.na(codes))[1L]
  if (is.na(row)) codes else unknown(row, show_text(encoded$names[encoded$codes[row]]))
}

# An error of the class "rbridge_source_error": a source cannot be read, or does not match its counts or strata.
stop_source = function(format, ...) {
  stop(structure(class = c("rbridge_source_error", "simpleError", "error", "condition"),
    list(message = sprintf(format, ...), call = NULL)))
}
