#' @rdname inverse_density_weights
#' @export
density_weights = function(values, alpha = 1, bandwidth = NULL, n_bins = 512) {
  weights_by_density(values, alpha = alpha, bandwidth = bandwidth, n_bins = n_bins)
}
