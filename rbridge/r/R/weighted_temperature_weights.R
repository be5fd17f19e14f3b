#' @title Weights by Temperature
#'
#' @description
#' Returns weights with which [batch_sampler_weighted()] draws a class in proportion to a root of its number of rows.
#' The weight of a row is `n_c^(1 / temperature) / n_c`, with `n_c` rows in the row's class.
#' The Python function `pystrat.temperature_weights()` returns the same weights.
#'
#' @eval described("temperature_weights", "temperature")
#' @inheritParams inverse_frequency_weights
#' @inherit inverse_frequency_weights return
#'
#' @export
#' @examples
#' temperature_weights(c("a", "b", "b", "b", "b"), temperature = 2)
temperature_weights = function(labels, temperature) {
  temperature = check_number(temperature, "temperature", minimum = 1)
  classes = class_sizes(labels)
  (classes$counts^(1 / temperature) / classes$counts)[classes$codes]
}
