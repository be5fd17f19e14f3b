#' @title Plot Learning Curves
#'
#' @description
#' Plots a measure after each epoch, for one or more ways of training.
#' Each line is the mean over the runs; the band around it extends from the lowest run to the highest.
#'
#' @param values (named `list()` of `numeric()` or `matrix()`)\cr
#'   The name of each way of training, and the measure after each epoch.
#'   A column of a matrix is a run, such as a seed.
#' @param label (`character(1)`)\cr
#'   The name of the measure.
#'
#' @return A ggplot2 plot.
#'
#' @section Errors:
#' There is nothing to plot, or numbers are missing.
#' The package ggplot2 is not installed.
#'
#' @export
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' plot_learning_curves(list(
#'   plain = c(0.6, 0.7, 0.75),
#'   stratified = cbind(c(0.6, 0.7, 0.8), c(0.5, 0.7, 0.7))
#' ))
plot_learning_curves = function(values, label = "area under the ROC curve") {
  need_ggplot2()
  runs = check_runs(values, "values")
  drawn = do.call(rbind, Map(function(matrix, name) {
    data.frame(epoch = seq_len(nrow(matrix)), mean = rowMeans(matrix), lowest = apply(matrix, 1L, min),
      highest = apply(matrix, 1L, max), name = name, row.names = NULL)
  }, runs, names(runs)))
  drawn$name = factor(drawn$name, levels = names(runs))
  colors = line_colors(length(runs))
  ggplot2::ggplot(drawn, ggplot2::aes(x = .data$epoch, y = .data$mean, colour = .data$name,
    linetype = .data$name)) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lowest, ymax = .data$highest, fill = .data$name), alpha = 0.15,
      colour = NA) +
    ggplot2::geom_line(linewidth = 0.7) +
    ggplot2::geom_point(size = 1) +
    ggplot2::scale_x_continuous(breaks = function(limits) whole_breaks(limits)) +
    ggplot2::scale_colour_manual(values = colors, aesthetics = c("colour", "fill"), name = NULL) +
    ggplot2::scale_linetype_manual(values = line_types(length(runs)), name = NULL) +
    ggplot2::labs(x = "epoch", y = label) +
    plot_style() +
    wide_keys()
}
