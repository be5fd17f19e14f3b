#' @title Weights by the Density of a Numeric Target
#'
#' @description
#' Returns weights for [batch_sampler_weighted()] that fall in proportion to the density of a numeric target, as
#' DenseWeight does.
#' The weight of a row is `max(1 - alpha * density, 1e-6)`, divided by the mean of all weights.
#' The density of the row's target is scaled: 0 for the rarest target among the rows, 1 for the most common.
#' The Python function `pystrat.density_weights()` returns the same weights.
#'
#' @eval described("density_weights", "alpha")
#' @inheritParams inverse_density_weights
#'
#' @inherit inverse_density_weights return details
#'
#' @source
#' M. Steininger, K. Kobs, P. Davidson, A. Krause and A. Hotho, "Density-Based Weighting for Imbalanced Regression",
#' 2021.
#'
#' @seealso [inverse_density_weights()], and [bin_target()] for bins with a minimum in every batch.
#'
#' @export
#' @examples
#' density_weights(c(1, 1, 1, 9), alpha = 0.5, bandwidth = 1)
density_weights = function(values, alpha = 1, bandwidth = NULL, n_bins = 512) {
  weights_by_density(values, alpha = alpha, bandwidth = bandwidth, n_bins = n_bins)
}
