#' @rdname inverse_frequency_weights
#' @export
temperature_weights = function(labels, temperature) weights_by_class(labels, temperature = temperature)
