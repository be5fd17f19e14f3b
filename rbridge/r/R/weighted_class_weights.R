#' @title Class Weights of a Loss
#'
#' @description
#' Returns one weight per class, with which all classes count equally in a loss: `n / (C * n_c)`, with `n` rows, `C`
#' classes, and `n_c` rows of the class.
#' The Python function `pystrat.class_weights()` returns the same weights.
#'
#' @param labels (any)\cr
#'   The class of each row: a vector or factor, or a classification task of mlr3.
#'
#' @return (named `numeric()`)\cr
#' In the order of the outputs of a network: the levels of the factor, the classes of the task, or the sorted values.
#' A level without rows has weight 0.
#'
#' @seealso [rbridge.class_weights][rbridge.callbacks] for the learners of mlr3torch.
#'
#' @export
#' @examples
#' class_weights(rep(c("yes", "no"), times = c(60, 1940)))
class_weights = function(labels) {
  sizes = class_sizes(labels)
  values = if (inherits(labels, "Task")) labels$truth() else labels
  refuse_if(is.list(values), "labels", "be a vector, a factor or a task", show_value(values))
  classes = if (is.factor(values)) levels(values) else sort(unique(values), method = "radix")
  weights = weights_of_sizes(sizes$counts, length(sizes$codes))[sizes$codes[match(classes, values)]]
  stats::setNames(ifelse(is.na(weights), 0, weights), classes)
}
