#' @title List of Batches
#'
#' @name batch_list
#'
#' @description
#' All batches of an epoch, as the member `batches(epoch)` of a sampler and [collect_rows()] return them.
#' It behaves as a list of the batches, vectors of rows counted from 1; a `for` loop needs `as.list()` of it.
#' It has the members
#' * `$rows`: the rows of all batches, one batch after another;
#' * `$offsets`: the number of rows before each batch, and finally of all rows.
#'   Batch `b` is `rows[(offsets[b] + 1):offsets[b + 1]]`.
#'
#' @examples
#' labels = c("a", "a", "b", "b", "b")
#' batches = batch_sampler_stratified(1, strata = labels, seed = 1)(NULL)$batches()
#' batches
#' batches[[2]]
#' lapply(batches, function(rows) labels[rows])
#' batches$offsets
NULL

# `batches` is list(rows, offsets), and may have auxiliary values of the rows as `aux`.
# The parts have no names, which would pass for those of batches.
batch_list = function(batches) {
  parts = list(batches$rows, batches$offsets)
  structure(if (is.null(batches$aux)) parts else c(parts, list(batches$aux)), class = "batch_list")
}

# The rows of a batch, which may be empty, with their auxiliary values, if there are any.
rows_of_batch = function(batches, batch) {
  begin = batches$offsets[batch]
  places = begin + seq_len(batches$offsets[batch + 1L] - begin)
  if (is.null(batches$aux)) batches$rows[places] else with_auxiliary(batches$rows, batches$aux, places)
}

with_auxiliary = function(rows, aux, places) {
  structure(rows[places], aux = lapply(aux, function(values) values[places]))
}

# The batches first, first + step, ..., counted from 0.
part_of_batches = function(batches, first, step) {
  if (first == 0 && step == 1) {
    return(batches)
  }
  n_batches = length(batches$offsets) - 1
  part = seq.int(first + 1, by = step, length.out = max(0, ceiling((n_batches - first) / step)))
  sizes = diff(batches$offsets)[part]
  places = sequence(sizes, batches$offsets[part] + 1)
  batches$rows = batches$rows[places]
  batches$offsets = as.integer(c(0, cumsum(sizes)))
  batches$aux = if (!is.null(batches$aux)) lapply(batches$aux, function(values) values[places])
  batches
}

#' @export
`$.batch_list` = function(x, name) {
  part = match(name, c("rows", "offsets", "aux"))
  if (!is.na(part) && part <= length(unclass(x))) .subset2(x, part)
}

#' @export
length.batch_list = function(x) length(x$offsets) - 1L

#' @export
`[[.batch_list` = function(x, i) {
  if (is.character(i)) `$.batch_list`(x, i) else rows_of_batch(x, seq_along(x)[[i]])
}

#' @export
`[.batch_list` = function(x, i) lapply(seq_along(x)[i], function(batch) x[[batch]])

#' @export
as.list.batch_list = function(x, ...) x[]

#' @exportS3Method base::unlist
unlist.batch_list = function(x, ...) x$rows

#' @export
print.batch_list = function(x, ..., most = 10L) {
  cat(sprintf("<batch_list>\n* Batches: %d, of %s\n", length(x), show_rows(lengths(x))))
  for (batch in utils::head(seq_along(x), most)) {
    cat(sprintf("[[%d]]\n", batch))
    print(x[[batch]])
  }
  if (length(x) > most) {
    cat(sprintf("... and %s\n", show_batches(length(x) - most)))
  }
  invisible(x)
}
