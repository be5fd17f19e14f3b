#' @title Plot the Rows of One Label in Every Batch
#'
#' @description
#' Plots the number of rows with one label in each batch, for several samplers side by side.
#' Top: the count in every batch, with batches without the label marked. Bottom: the number of batches with each count.
#'
#' @param tables (named `list()` of `data.frame()`)\cr
#'   The name of each sampler and its table from [batch_counts()], or from the `plan()` of a sampler.
#' @param label (`character(1)`)\cr
#'   The column to plot; `autoplot()` chooses the label with the fewest rows by default.
#' @param object (`batch_counts`)\cr
#'   One table.
#' @param name (`character(1)`)\cr
#'   The name of its sampler in the plot.
#' @param ... (any)\cr
#'   Not used.
#'
#' @return A ggplot2 plot.
#'
#' @export
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' labels = rep(c("yes", "no"), times = c(60, 1940))
#' stratified = batch_sampler_stratified(3, strata = labels, seed = 1)(NULL)
#' plain = batch_sampler_uniform(2000, batch_size = 100, seed = 1)(NULL)
#' tables = lapply(list(plain = plain, stratified = stratified), batch_counts, labels)
#' plot_batch_counts(tables, "yes")
#' ggplot2::autoplot(tables$stratified)
plot_batch_counts = function(tables, label) {
  names = names(tables)
  refuse_if(!is.list(tables) || is.object(tables) || length(names) == 0L || !all(nzchar(names)) || anyDuplicated(names),
    "tables", "be a list whose entries have names", show_value(tables))
  refuse_if(!is.character(label) || !all(vapply(tables, function(table) isTRUE(label %in% names(table)), NA)), "label",
    paste("be a column of every table, such as", show_names(names(tables[[1L]]))), show_value(label))
  counts = lapply(tables, `[[`, label)
  most = max(unlist(counts))
  each = panels_of(counts, 0L, function(count) data.frame(x = seq_along(count), y = count, without = count == 0))
  bars = panels_of(counts, length(counts), function(count) {
    data.frame(x = 0:most, y = tabulate(count + 1L, most + 1L), without = 0:most == 0)
  })
  noun = if (grepl("^[[:alpha:]]+$", label)) label else sprintf("'%s'", label)
  without = vapply(counts, function(count) sum(count == 0), 1L)
  titles = sprintf("%s: %s, %s without %s rows", names, vapply(lengths(counts), show_batches, ""),
    ifelse(without > 0L, without, "none"), noun)
  ggplot2::ggplot(each, ggplot2::aes(x = .data$x, y = .data$y, fill = .data$without)) +
    ggplot2::geom_blank(data = rbind(heights_of(each), heights_of(bars))) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$without, shape = .data$without), size = 1.3) +
    ggplot2::geom_col(data = bars, width = 0.85) +
    ggplot2::geom_text(ggplot2::aes(label = .data$y), data = bars[bars$y > 0, ], vjust = -0.4, size = small_text) +
    ggplot2::facet_wrap("panel", ncol = length(tables), scales = "free",
      labeller = ggplot2::as_labeller(stats::setNames(c(titles, names), seq_len(2L * length(counts))))) +
    ggplot2::scale_x_continuous(breaks = whole_breaks) +
    ggplot2::scale_y_continuous(breaks = whole_breaks, expand = ggplot2::expansion(mult = c(0.04, 0.12))) +
    ggplot2::scale_colour_manual(values = c(`FALSE` = "#0072b2", `TRUE` = "#d55e00"), aesthetics = c("colour", "fill"),
      guide = "none") +
    ggplot2::scale_shape_manual(values = c(`FALSE` = 16, `TRUE` = 4), guide = "none") +
    ggplot2::labs(
      x = sprintf("top: batch; bottom: %s rows per batch", noun),
      y = sprintf("bottom: number of batches; top: %s rows per batch", noun)
    ) +
    plot_style()
}

#' @rdname plot_batch_counts
#' @exportS3Method ggplot2::autoplot
autoplot.batch_counts = function(object, label = NULL, name = "sampler", ...) {
  if (is.null(label)) {
    label = names(object)[which.min(colSums(object))]
  }
  plot_batch_counts(stats::setNames(list(object), name), label)
}

# What is drawn of each table in a row of panels, which are numbered from the upper row on.
panels_of = function(counts, n_above, drawn_of) {
  parts = Map(function(count, panel) {
    data.frame(drawn_of(count), panel = factor(panel, seq_len(2L * length(counts))))
  }, counts, n_above + seq_along(counts))
  do.call(rbind, unname(parts))
}

# Invisible points that make the panels of a row equally high, from 0 on.
heights_of = function(drawn) {
  data.frame(x = 1, without = FALSE, expand.grid(y = c(0, max(drawn$y)), panel = unique(drawn$panel)))
}
