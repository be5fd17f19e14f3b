#' @title Strata That Are Already Numbered
#'
#' @description
#' Holds the number of the stratum of each row, and the names of the strata, for programs that have numbered them.
#' Pass the result to [batch_sampler_stratified()] as `strata`.
#'
#' @param codes (`integer()`)\cr
#'   The stratum of each row, numbered from 0 in order of first appearance; `NA` for a row that is never sampled.
#' @param names (`character()`)\cr
#'   The names of strata 0, 1, ..., as shown in messages and tables, which need not be unique.
#'   If they have names themselves, these are the numbers of the strata, and decide.
#'
#' @return An object of class `"stratum_codes"`, a list with the elements `codes` (`integer()`) and `names`
#'   (`character()` in UTF-8).
#'
#' @export
#' @examples
#' strata = stratum_codes(c(0, 0, 1, 0, NA, 1), names = c("no", "yes"))
#' batch_sampler_stratified(1, strata = strata, seed = 1)(NULL)$plan()
stratum_codes = function(codes, names) {
  codes = plain_value(codes)
  first = unique(codes[!is.na(codes)])
  # R's own NA is logical.
  are_codes = is.numeric(codes) || (is.logical(codes) && length(first) == 0L)
  are_codes = are_codes && !is.object(codes) && is.null(dim(codes)) && all(first == seq_along(first) - 1L)
  refuse_if(!are_codes, "codes", "be whole numbers from 0, numbered in order of first appearance",
    if (is.atomic(codes) && length(codes) > 1L) "other values" else show_value(codes))
  codes = as.integer(codes)
  n_strata = if (all(is.na(codes))) 0L else max(codes, na.rm = TRUE) + 1L
  required = sprintf("be text, one name for each of %d strata", n_strata)
  refuse_if(!is.character(names) || anyNA(names) || length(names) != n_strata, "names", required,
    if (is.character(names)) show_count(length(names), "value") else show_value(names))
  names = in_order_of(names, list(seq_len(n_strata) - 1L), "names")
  structure(list(codes = codes, names = unicode_text(names, "names", required)), class = "stratum_codes")
}

#' @export
print.stratum_codes = function(x, ...) {
  cat(sprintf("<stratum_codes> %s, %d strata: %s\n", show_count(length(x$codes), "row"), length(x$names),
    show_names(x$names)))
  invisible(x)
}
