#' @title Labels of Every Batch, Counted
#'
#' @description
#' Counts the labels of the rows in every batch, for any batches: what a dataloader delivered, or what a sampler plans.
#'
#' @param batches (`list()`)\cr
#'   The elements `rows` and `offsets`, as [collect_rows()] and the method `batches()` of a sampler return them.
#' @param labels (vector, `factor()`, `data.frame()` or `list()` of columns)\cr
#'   One label for each row of the dataset, in any form that [batch_sampler_stratified()] takes as strata.
#'   Missing labels are counted as `NA`.
#'
#' @return A `data.frame()` of integers with one row for each batch and one column for each label, in order of first
#'   appearance in `labels`.
#'
#' @section Errors:
#' Batches that are no such list, and rows for which there is no label.
#'
#' @seealso [plot_batch_counts()] for a picture.
#'
#' @export
#' @examples
#' labels = rep(c("yes", "no"), times = c(2, 5))
#' sampler = batch_sampler_stratified(1, strata = labels, seed = 1)(NULL)
#' batch_counts(sampler$batches(0), labels)
batch_counts = function(batches, labels) {
  name_errors("batch_counts")
  if (!is.list(batches) || is.null(batches$rows) || is.null(batches$offsets)) {
    stop_parameter("batches", "be a list of rows and offsets", show_value(batches))
  }
  strata = encode_strata(labels, missing = "stratum")
  rows = batches$rows
  n_rows = length(strata$codes)
  if (length(rows) > 0L && (min(rows) < 1 || max(rows) > n_rows)) {
    got = sprintf("%s and row %.0f", show_count(n_rows, "value"), if (min(rows) < 1) min(rows) else max(rows))
    stop_parameter("labels", "have one value for each row of the dataset", got)
  }
  n_batches = length(batches$offsets) - 1L
  batch = rep(seq_len(n_batches), times = diff(batches$offsets))
  place = (strata$codes[rows] - 1L) * n_batches + batch
  counts = matrix(tabulate(place, n_batches * length(strata$names)), nrow = n_batches)
  table = as.data.frame(counts)
  names(table) = strata$names
  table
}
