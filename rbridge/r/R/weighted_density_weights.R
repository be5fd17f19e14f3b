#' @title Weights by the Density of a Numeric Target
#'
#' @description
#' Return weights for [batch_sampler_weighted()] with which rows with a rare target are drawn more often.
#'
#' * `inverse_density_weights()`: the weight of a row is `density^-power`, divided by the mean of all weights, with the
#'   density of the row's target among all rows.
#'   With `power = 1`, all values are drawn about equally often.
#' * `density_weights()`: the weight of a row is `max(1 - alpha * density, 1e-6)`, divided by the mean of all weights.
#'   Here the density is scaled: 0 for the rarest target among the rows, 1 for the most common.
#'
#' The Python functions `pystrat.inverse_density_weights()` and `pystrat.density_weights()` return the same weights.
#'
#' @param values (`numeric()`)\cr
#'   The target of each row, such as `task$truth()`: finite numbers.
#' @param power (`numeric(1)`)\cr
#'   From 0 to 10.
#'   `0.5` takes the square root of the density, which moves less weight to the rare values; with `0`, all weights are 1.
#' @param alpha (`numeric(1)`)\cr
#'   At least 0.
#'   With 0, all weights are 1.
#'   With 1, rows with the most common target have almost no weight; above 1, this is so for more and more rows.
#' @param bandwidth (`numeric(1)` | `NULL`)\cr
#'   The standard deviation of the kernel, in units of the target, above 0.
#'   If `NULL`, Silverman's rule: `0.9 * min(s, IQR / 1.34) * n^-0.2`, with the standard deviation `s` and the
#'   interquartile range of `n` values.
#' @param n_bins (`integer(1)`)\cr
#'   The number of bins of equal width in which the rows are counted, up to 10000.
#'
#' @return (`numeric()`)\cr
#' One weight for each row, for [batch_sampler_weighted()] or for a weighted loss.
#'
#' @details
#' The counts of the bins are smoothed with a Gaussian kernel, which ends at four bandwidths.
#' All rows of a bin have the same weight.
#' If all values are equal, all weights are 1.
#'
#' @section Errors:
#' `values` is not a vector of finite numbers, or another parameter is out of range.
#'
#' @source
#' Inverse densities: Y. Yang, K. Zha, Y. Chen, H. Wang and D. Katabi, "Delving into Deep Imbalanced Regression", 2021.
#'
#' The line that falls with the density: M. Steininger, K. Kobs, P. Davidson, A. Krause and A. Hotho, "Density-Based
#' Weighting for Imbalanced Regression", 2021.
#'
#' @seealso [bin_target()] for bins with a minimum in every batch.
#'
#' @export
#' @examples
#' density_weights(c(1, 1, 1, 9), alpha = 0.5, bandwidth = 1)
#' inverse_density_weights(c(1, 1, 1, 9), bandwidth = 1)
density_weights = function(values, alpha = 1, bandwidth = NULL, n_bins = 512) {
  request = list(values = as.double(check_numbers(values)), alpha = alpha, bandwidth = bandwidth, n_bins = n_bins)
  core_call("density_weights", request)$weights
}

#' @rdname density_weights
#' @export
inverse_density_weights = function(values, power = 1, bandwidth = NULL, n_bins = 512) {
  request = list(values = as.double(check_numbers(values)), power = power, bandwidth = bandwidth, n_bins = n_bins)
  core_call("density_weights", request)$weights
}
