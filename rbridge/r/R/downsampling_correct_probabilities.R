#' @title Correct Predicted Probabilities for Downsampling
#'
#' @description
#' Corrects the probabilities of a network that was trained without weights on other shares of the classes than those of
#' the dataset.
#' The Python function `pystrat.correct_probabilities()` returns the same.
#'
#' @eval described("correct_probabilities", probabilities = "`numeric()`, `matrix()` or `data.frame()`")
#' @param keep_rate (`numeric()`)\cr
#'   How often an epoch of the training took a row of the majority, finite and above 0: below 1 if rows were left out,
#'   above 1 if they were repeated.
#'   For a table, the rate of each class, such as `keep_rates()` of an instance of [batch_sampler_downsampled()], or
#'   `keep_rates` of a [batch_plan()].
#'   If it has names, the table must have column names, and classes are matched by name.
#'   Without names, as `unname(sampler$keep_rates())`, it has the order of the columns.
#'
#' @return (`numeric()` | `matrix()`, as `probabilities`)\cr
#' For one rate, `keep_rate * p / (keep_rate * p + (1 - p))`.
#' For several, `p_c / keep_rate_c` divided by their sum, which is the same for two classes.
#'
#' @source
#' By Bayes' rule, training on rows of class c at the rate r_c multiplies the odds of that class by r_c.
#' C. Elkan, "The foundations of cost-sensitive learning", 2001.
#' If a network fits its training rows only roughly, so does the correction.
#'
#' @seealso [batch_sampler_downsampled()]
#'
#' @export
#' @examples
#' correct_probabilities(c(0.5, 0.1), keep_rate = 0.05)
#' probabilities = cbind(yes = c(0.5, 0.1), no = c(0.5, 0.9))
#' correct_probabilities(probabilities, keep_rate = c(no = 0.05, yes = 1))
correct_probabilities = function(probabilities, keep_rate) {
  if (is.data.frame(probabilities)) {
    probabilities = as.matrix(probabilities)
  }
  keep_rate = plain_value(keep_rate)
  refuse_if(!is.numeric(probabilities) || is.object(probabilities), "probabilities", "hold numbers", "other values")
  refuse_if(!is.numeric(keep_rate) || is.object(keep_rate), "keep_rate", "hold numbers", "other values")
  refuse_if(length(dim(probabilities)) > 2L, "probabilities", "be a vector or a table",
    sprintf("%d dimensions", length(dim(probabilities))))
  n_classes = if (is.matrix(probabilities)) ncol(probabilities) else 1
  if (!is.null(names(keep_rate)) && n_classes > 1 && length(keep_rate) == n_classes) {
    columns = colnames(probabilities)
    classes = names(keep_rate)
    refuse_if(is.null(columns), "probabilities", "have named columns if 'keep_rate' has names", "columns without names",
      "To match classes by position, give 'keep_rate' without names.")
    refuse_if(anyDuplicated(classes), "keep_rate", "name each class once",
      sprintf("'%s' twice", classes[anyDuplicated(classes)]))
    refuse_if(!identical(sort(columns), sort(classes)), "probabilities",
      sprintf("have a column for each class of 'keep_rate', %s", show_names(classes)), show_names(columns))
    keep_rate = keep_rate[match(columns, classes)]
  }
  data = list(probabilities = as.double(probabilities), keep_rate = as.double(keep_rate),
    n_classes = as.double(n_classes))
  probabilities[] = core_call("correct_probabilities", data)$corrected
  probabilities
}
