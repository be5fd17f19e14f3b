#' @title Weights by Temperature
#'
#' @description
#' Gives weights by which [batch_sampler_weighted()] draws a class in proportion to a root of its number of rows.
#' The weight of a row is `n_c^(1 / temperature) / n_c`, with `n_c` rows of the row's class.
#' The Python function `pystrat.temperature_weights()` gives the same weights.
#'
#' @param temperature (`numeric(1)`)\cr
#'   At least 1.
#'   With 1, all rows are drawn alike.
#'   The larger it is, the more alike the classes are drawn.
#' @inheritParams inverse_frequency_weights
#'
#' @return (`numeric()`)\cr
#' One weight for each row, as [batch_sampler_weighted()] takes them.
#'
#' @section Errors:
#' Labels that are no vector and no table, that hold values of another kind, or of which some are missing, and a
#' `temperature` below 1.
#'
#' @seealso [inverse_frequency_weights()]
#'
#' @export
#' @examples
#' temperature_weights(c("a", "b", "b", "b", "b"), temperature = 2)
temperature_weights = function(labels, temperature) {
  name_errors("temperature_weights")
  temperature = check_number(temperature, "temperature", minimum = 1)
  classes = class_sizes(labels)
  (classes$counts^(1 / temperature) / classes$counts)[classes$codes]
}
