#' @title Split Rows Into Parts With Their Share of Every Stratum
#'
#' @description
#' Divides rows into parts, such as training, validation and test, each with its share of every stratum.
#' The Python function `pystrat.stratified_split()` returns the same rows, counted from 0; its documentation has the
#' guarantees.
#' In mlr3, use the resampling [rbridge.stratified_split].
#' Guide: \guide{splits}.
#'
#' @inheritParams batch_sampler_stratified
#' @param strata (vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The stratum of each row, as in [batch_sampler_stratified()]; or a task of mlr3.
#' @eval described("stratified_split", sizes = "`numeric()` or `list()`, which may have names",
#'   groups = "in the form of `strata`")
#' @param missing
#'   As in [batch_sampler_stratified()]; rows that are dropped are in no part.
#' @return A `list()` of `integer()`: the rows of each part in ascending order, with the names of `sizes`.
#'
#' @export
#' @examples
#' labels = rep(c("yes", "no"), times = c(4, 8))
#' parts = stratified_split(labels, c(train = 0.5, valid = 0.25, test = 0.25), seed = 1)
#' parts
#' sapply(parts, function(rows) table(labels[rows]))
stratified_split = function(strata, sizes, groups = NULL, missing = "error", seed = NULL) {
  request = list(sizes = named_sizes(sizes), missing = missing, seed = seed)
  core_call("stratified_split", request)
  strata = encode_strata(strata, missing)
  data = c(strata_data(strata), if (!is.null(groups)) groups_data(groups))
  request$seed = if (is.null(seed)) draw_seed() else seed
  request = c(request, data)
  found = core_call("stratified_split", request, function(what, code) show_text(strata$names[code + 1]))
  ends = found$offsets[-1L]
  parts = Map(function(begin, end) found$rows[begin + seq_len(end - begin)], ends - diff(found$offsets), ends)
  stats::setNames(parts, names(sizes))
}

# The core reads sizes by name.
named_sizes = function(sizes) {
  sizes = plain_value(sizes)
  is_vector = (is.atomic(sizes) || is.list(sizes)) && !is.object(sizes) && is.null(dim(sizes))
  refuse_if(!is_vector, "sizes", "be shares that add up to 1, or numbers of rows", show_value(sizes))
  given = names(sizes)
  if (length(given) > 0L) {
    required = "have one name for each part, all different"
    unicode_text(given, "sizes", required)
    twice = anyDuplicated(given)
    refuse_if(twice > 0L, "sizes", required, sprintf("%s twice", show_text(given[twice])))
  }
  if (is.null(sizes)) NULL else stats::setNames(sizes, seq_along(sizes))
}
