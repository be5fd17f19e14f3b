# A misspelled argument of a constructor, answered with the one that was probably meant.

# What other libraries call the parameters of this one.
names_elsewhere = c(n = "n_rows", num_batches = "n_batches", num_samples = "sample", random_state = "seed",
  replace = "replacement", world_size = "num_replicas")

# Refuses the arguments of the calling function that it does not have, which are its `...`.
answer_keywords = function(...) {
  if (...length() == 0L) {
    return(invisible())
  }
  unknown = as.list(substitute(list(...)))[-1L]
  known = setdiff(names(formals(sys.function(sys.parent()))), "...")
  keyword = c(setdiff(names(unknown), ""), "")[1L]
  meant = if (keyword != "") meant_by(keyword, known)
  message = if (is.null(meant)) {
    first = unknown[max(1L, match(keyword, names(unknown), nomatch = 1L))]
    sprintf("unused argument (%s)", paste(c(setdiff(names(first), ""), deparse(first[[1L]])[1L]), collapse = " = "))
  } else {
    sprintf("got an unexpected argument '%s'. Did you mean '%s'?", keyword, meant)
  }
  stop(simpleError(message, user_call()))
}

# The name that is a keyword elsewhere, or that is most like it, if any is: at least half of the letters are the same.
meant_by = function(keyword, names) {
  if (names_elsewhere[keyword] %in% names) {
    return(names_elsewhere[[keyword]])
  }
  alike = 1 - drop(utils::adist(keyword, names)) / pmax(nchar(keyword), nchar(names))
  if (max(alike) >= 0.5) names[which.max(alike)]
}
