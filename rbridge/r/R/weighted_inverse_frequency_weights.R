#' @title Weights by Class
#'
#' @description
#' Return weights for [batch_sampler_weighted()] by the number of rows `n_c` of each row's class.
#' * `inverse_frequency_weights()`: `n / (C * n_c)`, with `n` rows and `C` classes, draws every class equally often; the
#'   mean of all weights is 1.
#' * `effective_number_weights()`: `(1 - beta) / (1 - beta^n_c)`, by the effective number of samples, is between 1, for
#'   `beta = 0`, and `1 / n_c`, the limit for `beta` near 1.
#' * `temperature_weights()`: `n_c^(1 / temperature) / n_c` draws a class in proportion to a root of its number of rows.
#'
#' The Python functions of the same names return the same weights.
#'
#' @param labels (any)\cr
#'   The class of each row: a vector or factor, in any form that [batch_sampler_stratified()] accepts as `strata`,
#'   or a task of mlr3.
#'   With a data.frame or a list of columns, each combination that occurs is a class.
#' @eval described("effective_number_weights", "beta")
#' @eval described("temperature_weights", "temperature")
#'
#' @return (`numeric()`)\cr
#' One weight for each row.
#'
#' @source
#' Y. Cui, M. Jia, T.-Y. Lin, Y. Song and S. Belongie, "Class-Balanced Loss Based on Effective Number of Samples", 2019.
#'
#' @seealso [repeat_factors()] for rows with any number of labels.
#'
#' @export
#' @examples
#' inverse_frequency_weights(c("a", "b", "b", "b"))
#' effective_number_weights(c("a", "b", "b", "b"), beta = 0.5)
#' temperature_weights(c("a", "b", "b", "b", "b"), temperature = 2)
inverse_frequency_weights = function(labels) weights_by_class(labels)
