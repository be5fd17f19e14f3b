#' @title List of Batches
#'
#' @name batch_list
#'
#' @description
#' All batches of an epoch, as the member `batches(epoch)` of a sampler and [collect_rows()] return them: a `list()`
#' with the rows of each batch, counted from 1.
#' It also has
#' * `$rows`: the rows of all batches, one batch after another;
#' * `$offsets`: the number of rows before each batch, and finally of all rows.
#'   Batch `b` is `rows[(offsets[b] + 1):offsets[b + 1]]`.
#'
#' @examples
#' labels = c("a", "a", "b", "b", "b")
#' batches = batch_sampler_stratified(1, strata = labels, seed = 1)(NULL)$batches()
#' batches
#' length(batches)
#' batches[[2]]
#' lapply(batches, function(rows) labels[rows])
#' batches$rows
#' batches$offsets
NULL

# `batches` is list(rows, offsets), and may have auxiliary values of the rows as `aux`.
batch_list = function(batches) {
  rows = batches$rows
  offsets = batches$offsets
  rows_of = function(batch) {
    places = batch_places(offsets, batch)
    if (is.null(batches$aux)) rows[places] else with_auxiliary(rows, batches$aux, places)
  }
  structure(lapply(seq_len(length(offsets) - 1L), rows_of), rows = rows, offsets = offsets, aux = batches$aux,
    class = "batch_list")
}

#' @export
`$.batch_list` = function(x, name) {
  if (name %in% c("rows", "offsets", "aux")) attr(x, name, exact = TRUE)
}

#' @export
`[[.batch_list` = function(x, i) if (is.character(i)) `$.batch_list`(x, i) else .subset2(x, i)

#' @export
print.batch_list = function(x, ..., most = 10L) {
  cat(sprintf("<batch_list>\n* Batches: %d, of %s\n", length(x), show_rows(lengths(x))))
  shown = utils::head(seq_along(x), most)
  for (batch in shown) {
    cat(sprintf("[[%d]]\n", batch))
    print(x[[batch]])
  }
  if (length(x) > length(shown)) {
    cat(sprintf("... and %s\n", show_batches(length(x) - length(shown))))
  }
  invisible(x)
}
