#' @rdname inverse_density_weights
#' @export
density_weights = function(values, alpha = 1, bandwidth = NULL, n_bins = 512) {
  core_call("density_weights", list(values = as.double(check_numbers(values)), alpha = alpha, bandwidth = bandwidth,
    n_bins = n_bins))$weights
}
