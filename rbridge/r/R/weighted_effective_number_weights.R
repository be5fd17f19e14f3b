#' @rdname inverse_frequency_weights
#' @export
effective_number_weights = function(labels, beta = 0.999) {
  beta = check_number(beta, "beta")
  refuse_if(beta >= 1, "beta", "be below 1", show_value(beta))
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
