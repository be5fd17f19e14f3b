#' @title Repeat Factors
#'
#' @description
#' Returns how often to repeat each row so that rare labels occur more often, as weights for [batch_sampler_weighted()].
#' The factor of a label is `max(1, sqrt(threshold / f))`, where `f` is the share of the rows that have it.
#' The factor of a row is the largest among its labels, and 1 for a row without labels.
#' The Python function `pystrat.repeat_factors()` returns the same factors.
#'
#' @param labels (any)\cr
#'   The label of each row: a vector or factor, in any form that [batch_sampler_stratified()] accepts as `strata`,
#'   or a task of mlr3.
#'   Or, for rows with any number of labels, a matrix of several columns, sparse matrix, data.frame or list as in
#'   [batch_sampler_multilabel()], with 1 or `TRUE` if the row has the label, else 0 or `FALSE`.
#'   Every label of a matrix has at least one row.
#' @eval described("repeat_factors", "threshold")
#'
#' @return (`numeric()`)\cr
#' One factor for each row, at least 1.
#'
#' @source
#' A. Gupta, P. \enc{Dollár}{Dollar} and R. Girshick, "LVIS: A Dataset for Large Vocabulary Instance Segmentation",
#' 2019, where rows are images and labels are categories.
#'
#' @export
#' @examples
#' labels = cbind(dog = c(1, 1, 1, 0), cat = c(0, 1, 0, 0))
#' repeat_factors(labels, threshold = 1)
repeat_factors = function(labels, threshold = 0.001) {
  is_table = is.data.frame(labels) || length(dim(labels)) == 2L && dim(labels)[2L] != 1L ||
    is.list(labels) && is.null(names(labels))
  if (!is_table) {
    return(weights_by_class(labels, threshold = threshold))
  }
  labels = label_matrix(labels)
  empty = which(colSums(labels) == 0)
  refuse_if(length(empty) > 0L, "labels", "have a row of every label",
    sprintf("no row of label '%s'", colnames(labels)[empty[1L]]), "Leave the label out.")
  factors = weights_of_sizes(colSums(labels), nrow(labels), threshold = threshold)
  found = rep(1, nrow(labels))
  for (label in seq_along(factors)) {
    rows = labels[, label]
    found[rows] = pmax(found[rows], factors[[label]])
  }
  found
}
