#' @title Weights by the Effective Number of Samples
#'
#' @description
#' Returns weights for [batch_sampler_weighted()] by the effective number of samples of each class.
#' The weight of a row is `(1 - beta) / (1 - beta^n_c)`, with `n_c` rows in the row's class.
#' It is between 1, for `beta = 0`, and `1 / n_c`, the limit for `beta` near 1.
#' The Python function `pystrat.effective_number_weights()` returns the same weights.
#'
#' @eval described("effective_number_weights", "beta")
#' @inheritParams inverse_frequency_weights
#' @inherit inverse_frequency_weights return
#'
#' @source
#' Y. Cui, M. Jia, T.-Y. Lin, Y. Song and S. Belongie, "Class-Balanced Loss Based on Effective Number of Samples", 2019.
#'
#' @export
#' @examples
#' effective_number_weights(c("a", "b", "b", "b"), beta = 0.5)
effective_number_weights = function(labels, beta = 0.999) {
  beta = check_number(beta, "beta")
  if (beta >= 1) {
    stop_parameter("beta", "be below 1", show_value(beta))
  }
  classes = class_sizes(labels)
  (1 / geometric_sums(classes$counts, beta))[classes$codes]
}

# 1 + beta + ... + beta^(n - 1) for each count n.
# The sum S(n) is built from the bits of n: S(2 m) = S(m) (1 + beta^m), where beta^m = 1 - (1 - beta) S(m), and
# S(m + 1) = 1 + beta S(m).
# No step enlarges a relative error of S(m); that of a power beta^m, multiplied by itself, would double in every step.
# All steps are single operations on doubles, so that Python has the same result.
geometric_sums = function(counts, beta) {
  sums = numeric(length(counts))
  for (bit in 30:0) {
    sums = sums * (2 - (1 - beta) * sums)
    sums = ifelse(counts %/% 2^bit %% 2 == 1, sums * beta + 1, sums)
  }
  sums
}
