#' @title Plot ROC Curves
#'
#' @description
#' Plots the ROC curves of one or more models on the same rows.
#' Each run is a line, in the color and style of its model.
#'
#' @param scores (named `list()` of `numeric()` or `matrix()`)\cr
#'   The name of each model and its predictions, larger for positive rows.
#'   A column of a matrix is a run.
#' @param labels (`numeric()` or `logical()`)\cr
#'   1 or `TRUE` for positive rows, 0 or `FALSE` for negative rows.
#' @param weights (`numeric()`)\cr
#'   The weight of each row, such as a survey weight, not negative.
#'   `NULL` (default): all 1.
#'
#' @return A ggplot2 plot; the legend shows the mean area under the curve.
#'
#' @section Ties:
#' Rows with equal scores are one step of the curve, so that the area counts a tie of a positive and a negative row as
#' one half.
#'
#' @section Errors:
#' There is no model, labels are not 0 and 1 or all the same, numbers are missing, weights are negative, or lengths
#' differ.
#' The package ggplot2 is not installed.
#'
#' @export
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' scores = list(good = c(4, 3, 2, 1), chance = c(1, 1, 1, 1))
#' plot_roc_curves(scores, labels = c(1, 1, 0, 0))
plot_roc_curves = function(scores, labels, weights = NULL) {
  need_ggplot2()
  if (is.null(weights)) {
    weights = rep(1, length(labels))
  }
  labels = plain_value(labels)
  weights = plain_value(weights)
  check_roc_rows(labels, weights)
  runs = check_runs(scores, "scores", n_rows = length(labels))
  positive = as.logical(labels)
  curves = lapply(runs, function(matrix) {
    lapply(seq_len(ncol(matrix)), function(run) roc_curve(matrix[, run], positive, weights))
  })
  areas = vapply(curves, function(of_model) mean(vapply(of_model, area_under, 1)), 1)
  legend = "model (area under the curve)"
  drawn = joined_runs(curves, sprintf("%s (%.3f)", names(runs), areas))
  ggplot2::ggplot(drawn, ggplot2::aes(x = .data$false_positive_rate, y = .data$true_positive_rate,
    colour = .data$name, linetype = .data$name, group = .data$run)) +
    ggplot2::geom_abline(slope = 1, intercept = 0, linetype = "dotted", colour = "#999999") +
    ggplot2::geom_path(linewidth = 0.7) +
    ggplot2::coord_equal() +
    ggplot2::scale_colour_manual(values = line_colors(length(runs)), name = legend) +
    ggplot2::scale_linetype_manual(values = line_types(length(runs)), name = legend) +
    ggplot2::labs(x = "false positive rate", y = "true positive rate") +
    plot_style() +
    wide_keys()
}

# From (0, 0) to (1, 1), one point for each distinct score.
roc_curve = function(scores, positive, weights) {
  order = order(-scores)
  is_last_of_ties = c(diff(scores[order]) != 0, TRUE)
  rate = function(weights) {
    total = cumsum(weights[order])
    c(0, total[is_last_of_ties] / total[length(total)])
  }
  data.frame(false_positive_rate = rate(weights * !positive), true_positive_rate = rate(weights * positive))
}

area_under = function(curve) {
  height = curve$true_positive_rate
  sum(diff(curve$false_positive_rate) * (height[-1L] + height[-length(height)]) / 2)
}

# The data frames of all runs, with the name to show and a number for each run.
joined_runs = function(runs, names) {
  number = 0L
  parts = Map(function(of_name, name) {
    do.call(rbind, lapply(of_name, function(run) {
      number <<- number + 1L
      data.frame(run, name = name, run = number)
    }))
  }, runs, names)
  drawn = do.call(rbind, unname(parts))
  drawn$name = factor(drawn$name, levels = names)
  drawn
}

check_roc_rows = function(labels, weights) {
  if (!is.atomic(labels)) {
    stop_parameter("labels", "hold numbers", show_value(labels))
  }
  if (!(is.numeric(weights) || is.logical(weights))) {
    stop_parameter("weights", "hold numbers", show_value(weights))
  }
  wrong = labels[!labels %in% c(0, 1)]
  if (length(wrong) > 0L) {
    stop_parameter("labels", "hold 0 and 1 only", show_value(wrong[1L]))
  }
  if (length(weights) != length(labels) || !all(is.finite(weights) & weights >= 0)) {
    stop_parameter("weights", "have a finite number, not negative, for each label",
      show_count(length(weights), "value"))
  }
  if (!(sum(weights[labels == 1]) > 0 && sum(weights[labels == 0]) > 0)) {
    stop_parameter("labels", "hold both 0 and 1", sprintf("%d of 1", sum(labels == 1)))
  }
}

# -> a list of matrices with a column for each run
check_runs = function(values, parameter, n_rows = NULL) {
  check_named_list(values, parameter)
  Map(function(value, name) check_run(value, name, parameter, n_rows), values, names(values))
}

# -> the matrix of one entry
check_run = function(value, name, parameter, n_rows) {
  if (is.null(value) || !(is.atomic(value) || is.data.frame(value))) {
    stop_parameter(parameter, "hold finite numbers", sprintf("others for '%s'", name))
  }
  matrix = as.matrix(exact_numbers(value))
  if (length(matrix) == 0L || !(is.null(n_rows) || nrow(matrix) == n_rows)) {
    required = if (is.null(n_rows)) "be vectors or matrices" else sprintf("have %s a run", show_count(n_rows, "value"))
    stop_parameter(parameter, required, sprintf("%s for '%s'", show_count(nrow(matrix), "value"), name))
  }
  if (!is.numeric(matrix) || !all(is.finite(matrix))) {
    stop_parameter(parameter, "hold finite numbers", sprintf("others for '%s'", name))
  }
  matrix
}
