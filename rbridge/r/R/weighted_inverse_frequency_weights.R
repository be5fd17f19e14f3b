#' @title Weights by Inverse Frequency
#'
#' @description
#' Returns weights with which [batch_sampler_weighted()] draws every class equally often.
#' The weight of a row is `n / (C * n_c)`, with `n` rows, `C` classes, and `n_c` rows in the row's class.
#' The mean of all weights is 1.
#' The Python function `pystrat.inverse_frequency_weights()` returns the same weights.
#'
#' @param labels (any)\cr
#'   The class of each row: a vector or factor, in any form that [batch_sampler_stratified()] accepts as `strata`,
#'   or a task of mlr3.
#'   With a data.frame or a list of columns, each combination that occurs is a class.
#'
#' @return (`numeric()`)\cr
#' One weight for each row, for [batch_sampler_weighted()].
#'
#' @seealso [effective_number_weights()], [temperature_weights()] and [repeat_factors()] for classes that are not drawn
#'   equally often.
#'
#' @export
#' @examples
#' weights = inverse_frequency_weights(c("a", "b", "b", "b"))
#' weights
#' sampler = batch_sampler_weighted(weights, batch_size = 2, seed = 1)(NULL)
inverse_frequency_weights = function(labels) {
  classes = class_sizes(labels)
  weights = length(classes$codes) / (length(classes$counts) * classes$counts)
  weights[classes$codes]
}
