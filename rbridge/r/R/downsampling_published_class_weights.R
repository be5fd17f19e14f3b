#' @title Published Form of the Class Weights
#'
#' @description
#' Returns `round(c(1, weight) / (1 + weight), 4)`, the weights of "Sampling methods within TensorFlow input functions"
#' (Datatonic), which add up to 1.
#' The Python function `pystrat.published_class_weights()` returns the same.
#'
#' @eval described("published_class_weights", "weight")
#'
#' @return (named `numeric(2)`)\cr
#' The weights of the `minority` and of the `majority`.
#'
#' @seealso [batch_sampler_downsampled()]
#'
#' @export
#' @examples
#' published_class_weights(20)
published_class_weights = function(weight) {
  weight = plain_value(weight)
  is_number = is.numeric(weight) && !is.object(weight) && length(weight) == 1L && is.finite(weight)
  refuse_if(!is_number || weight <= 0, "weight", "be a finite number above 0", show_value(weight))
  # round() differs before R 4.0.
  weights = as.double(sprintf("%.4f", c(minority = 1 / (1 + weight), majority = weight / (1 + weight))))
  refuse_if(any(weights == 0), "weight", "give two weights above 0",
    sprintf("%s, which gives %s and %s,", show_value(weight), show_value(weights[1L]), show_value(weights[2L])))
  stats::setNames(weights, c("minority", "majority"))
}
