#' @title Probabilities of All Rows from Those of Downsampled Ones
#'
#' @description
#' Brings the probabilities of a network that was trained on downsampled rows without weights to all rows.
#' `pystrat.correct_probabilities()` in Python gives the same.
#'
#' @param probabilities (`numeric()` | `matrix()` | `data.frame()`)\cr
#'   From 0 to 1: of the minority, one for each row; or of each class, the classes in the columns, or one vector for
#'   one row.
#' @param keep_rate (`numeric()`)\cr
#'   The share of the majority's rows that the training kept, above 0 and at most 1; of every class where
#'   `probabilities` has them: `keep_rates()` of the instance of [batch_sampler_downsampled()].
#'   Classes are matched by name where both sides have names, and are otherwise in the same order.
#'
#' @return (`numeric()` | `matrix()`, as `probabilities`)\cr
#' For one class `keep_rate * p / (keep_rate * p + (1 - p))`.
#' For several `p_c / keep_rate_c`, divided by their sum, which for two classes is the same.
#'
#' @section Errors:
#' Numbers out of range, and classes that do not agree.
#'
#' @source
#' By Bayes' rule, rows of class c that were kept at the rate r_c have had their odds multiplied by r_c.
#' C. Elkan, "The foundations of cost-sensitive learning", 2001.
#' A network that fits its training rows only roughly is corrected only roughly.
#'
#' @seealso [batch_sampler_downsampled()]
#'
#' @export
#' @examples
#' correct_probabilities(c(0.5, 0.1), keep_rate = 0.05)
#' correct_probabilities(cbind(yes = c(0.5, 0.1), no = c(0.5, 0.9)), keep_rate = c(no = 0.05, yes = 1))
correct_probabilities = function(probabilities, keep_rate) {
  of = "correct_probabilities"
  if (is.data.frame(probabilities)) {
    probabilities = as.matrix(probabilities)
  }
  check_between(probabilities, "probabilities", "be from 0 to 1", function(values) values >= 0 & values <= 1, of)
  check_between(keep_rate, "keep_rate", "be above 0 and at most 1", function(values) values > 0 & values <= 1, of)
  if (length(keep_rate) == 1L) {
    kept = unname(keep_rate) * probabilities
    return(kept / (kept + (1 - probabilities)))
  }
  if (!is.matrix(probabilities)) {
    return(correct_probabilities(t(probabilities), keep_rate)[1L, ])
  }
  odds = sweep(probabilities, 2L, rates_of(colnames(probabilities), keep_rate, ncol(probabilities), of), `/`)
  sums = rowSums(odds)
  if (any(sums == 0)) {
    stop_parameter("probabilities", "have a positive sum over the classes", "0", of = of)
  }
  odds / sums
}

check_between = function(values, parameter, requirement, is_between, of) {
  if (!is.numeric(values) || is.object(values) || !isTRUE(all(is_between(values)))) {
    stop_parameter(parameter, requirement, "other values", of = of)
  }
}

# One rate for each class, in the order of the columns.
rates_of = function(classes, keep_rate, n_classes, of) {
  if (length(keep_rate) != n_classes) {
    stop_parameter("keep_rate", "have one value, or one for each class of 'probabilities'",
      sprintf("%d values for %d classes", length(keep_rate), n_classes), of = of)
  }
  if (is.null(classes) || is.null(names(keep_rate))) {
    return(unname(keep_rate))
  }
  if (!identical(sort(classes), sort(names(keep_rate)))) {
    stop_parameter("probabilities",
      sprintf("have a column for each class of 'keep_rate', %s", show_names(names(keep_rate))), show_names(classes),
      of = of)
  }
  unname(keep_rate[classes])
}
