#' @rdname inverse_frequency_weights
#' @export
temperature_weights = function(labels, temperature) {
  temperature = check_number(temperature, "temperature", minimum = 1)
  classes = class_sizes(labels)
  (classes$counts^(1 / temperature) / classes$counts)[classes$codes]
}
