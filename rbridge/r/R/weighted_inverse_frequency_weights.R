#' @title Weights by Inverse Frequency
#'
#' @description
#' Gives weights by which [batch_sampler_weighted()] draws every class equally often.
#' The weight of a row is `n / (C * n_c)`, with `n` rows, `C` classes, and `n_c` rows of the row's class.
#' The mean of all weights is 1.
#' The Python function `pystrat.inverse_frequency_weights()` gives the same weights.
#'
#' @param labels (any)\cr
#'   The class of each row: a vector or factor, as [batch_sampler_stratified()] takes it as `strata`.
#'   A data.frame or list of columns makes every combination that occurs a class.
#'
#' @return (`numeric()`)\cr
#' One weight for each row, as [batch_sampler_weighted()] takes them.
#'
#' @section Errors:
#' Labels that are no vector and no table, that hold values of another kind, or of which some are missing.
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
  name_errors("inverse_frequency_weights")
  classes = class_sizes(labels)
  weights = length(classes$codes) / (length(classes$counts) * classes$counts)
  weights[classes$codes]
}
