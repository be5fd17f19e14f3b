#' @title Weights by the Density of a Numeric Target
#'
#' @description
#' Return weights for [batch_sampler_weighted()], or for a weighted loss, by the density of the row's target among all
#' rows, divided by the mean of all weights.
#' * `inverse_density_weights()`: `density^-power`, with which all values are drawn about equally often.
#' * `density_weights()`: `max(1 - alpha * density, 1e-6)`, as DenseWeight does, where the density is 0 for the rarest
#'   target among the rows and 1 for the most common.
#'
#' The Python functions of the same names return the same weights; their documentation has the details.
#'
#' @param values (`numeric()`)\cr
#'   The target of each row, such as `task$truth()`: finite numbers.
#' @eval described("inverse_density_weights", "power", "bandwidth", "n_bins")
#' @eval described("density_weights", "alpha")
#'
#' @return (`numeric()`)\cr
#' One weight for each row.
#'
#' @source
#' Y. Yang, K. Zha, Y. Chen, H. Wang and D. Katabi, "Delving into Deep Imbalanced Regression", 2021.
#' M. Steininger, K. Kobs, P. Davidson, A. Krause and A. Hotho, "Density-Based Weighting for Imbalanced Regression",
#' 2021.
#'
#' @seealso [bin_target()] for bins with a minimum in every batch.
#'
#' @export
#' @examples
#' inverse_density_weights(c(1, 1, 1, 9), bandwidth = 1)
#' density_weights(c(1, 1, 1, 9), alpha = 0.5, bandwidth = 1)
inverse_density_weights = function(values, power = 1, bandwidth = NULL, n_bins = 512) {
  core_call("density_weights", list(values = as.double(check_numbers(values)), power = power, bandwidth = bandwidth,
    n_bins = n_bins))$weights
}
