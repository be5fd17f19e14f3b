#' @title Repeat Factors
#'
#' @description
#' Gives how often each row is repeated so that rare labels are met more often, as weights for
#' [batch_sampler_weighted()].
#' The factor of a label is `max(1, sqrt(threshold / f))`, with `f` the share of the rows that have it.
#' The factor of a row is the largest of its labels; it is 1 for a row without labels.
#' The Python function `pystrat.repeat_factors()` gives the same factors.
#'
#' @param labels (any)\cr
#'   The label of each row: a vector or factor, as [batch_sampler_stratified()] takes it as `strata`.
#'   Or, for rows with any number of labels, a matrix, sparse matrix or data.frame as [batch_sampler_multilabel()] takes
#'   it, with 1 or `TRUE` if the row has the label, else 0 or `FALSE`.
#'   Every label of a matrix has a row.
#' @param threshold (`numeric(1)`)\cr
#'   From 0 to 1, by default 0.001.
#'   Labels that at least this share of the rows has are not repeated.
#'
#' @return (`numeric()`)\cr
#' One factor for each row, at least 1.
#'
#' @section Errors:
#' Labels that are no vector and no table, that hold values of another kind, or of which some are missing, a label of a
#' matrix without a row, and a `threshold` out of range.
#'
#' @source
#' A. Gupta, P. \enc{Dollár}{Dollar} and R. Girshick, "LVIS: A Dataset for Large Vocabulary Instance Segmentation",
#' 2019, with rows for images and labels for categories.
#'
#' @seealso [inverse_frequency_weights()]
#'
#' @export
#' @examples
#' labels = cbind(dog = c(1, 1, 1, 0), cat = c(0, 1, 0, 0))
#' repeat_factors(labels, threshold = 1)
repeat_factors = function(labels, threshold = 0.001) {
  name_errors("repeat_factors")
  threshold = check_number(threshold, "threshold")
  if (threshold > 1) {
    stop_parameter("threshold", "be at most 1", show_value(threshold))
  }
  if (!is.data.frame(labels) && length(dim(labels)) != 2L) {
    classes = class_sizes(labels)
    return(label_factors(classes$counts, length(classes$codes), threshold)[classes$codes])
  }
  labels = label_matrix(labels)
  check_labels_have_rows(labels)
  factors = label_factors(colSums(labels), nrow(labels), threshold)
  found = rep(1, nrow(labels))
  for (label in seq_along(factors)) {
    rows = labels[, label]
    found[rows] = pmax(found[rows], factors[[label]])
  }
  found
}

# The repeat factor of each label, from how many rows have it.
label_factors = function(counts, n_rows, threshold) {
  pmax(1, sqrt(threshold / (counts / n_rows)))
}
