#' @rdname inverse_frequency_weights
#' @export
effective_number_weights = function(labels, beta = 0.999) weights_by_class(labels, beta = beta)
