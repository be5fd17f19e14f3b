#' @title Weights by the Inverse Density of a Numeric Target
#'
#' @description
#' Returns weights for [batch_sampler_weighted()] with which all values of a numeric target are drawn about equally
#' often.
#' The weight of a row is `density^-power`, divided by the mean of all weights, with the density of the row's target
#' among all rows.
#' The Python function `pystrat.inverse_density_weights()` returns the same weights.
#'
#' @param values (`numeric()`)\cr
#'   The target of each row, such as `task$truth()`: finite numbers.
#' @eval described("inverse_density_weights", "power", "bandwidth", "n_bins")
#'
#' @return (`numeric()`)\cr
#' One weight for each row, for [batch_sampler_weighted()] or for a weighted loss.
#'
#' @details
#' The counts of the bins are smoothed with a Gaussian kernel, which ends at four bandwidths.
#' All rows of a bin have the same weight.
#' If all values are equal, all weights are 1.
#'
#' @source
#' Y. Yang, K. Zha, Y. Chen, H. Wang and D. Katabi, "Delving into Deep Imbalanced Regression", 2021.
#'
#' @seealso [density_weights()], and [bin_target()] for bins with a minimum in every batch.
#'
#' @export
#' @examples
#' inverse_density_weights(c(1, 1, 1, 9), bandwidth = 1)
inverse_density_weights = function(values, power = 1, bandwidth = NULL, n_bins = 512) {
  weights_by_density(values, power = power, bandwidth = bandwidth, n_bins = n_bins)
}

# The weights by the rule whose parameter is given, `power` or `alpha`.
weights_by_density = function(values, ...) {
  core_call("density_weights", list(values = as.double(check_numbers(values)), ...))$weights
}
