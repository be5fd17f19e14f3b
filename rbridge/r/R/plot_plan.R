#' @title Plot a Batch Plan
#'
#' @description
#' Plots the rows of each stratum in a batch, with one row for each stratum, smallest strata first.
#' The plan of [batch_sampler_stratified()] is the same in every epoch.
#' Its plot is a heat map with one column for each batch.
#' The heat map is white for batches without rows of the stratum, and otherwise light for its fewest rows in a batch and
#' dark for its most.
#' If there are few batches, the numbers are printed in it.
#' The batches of [batch_sampler_strata_subset()] and [batch_sampler_stratified_group()] differ between epochs.
#' The plot of their plans has a line for each stratum, from the fewest to the most rows in a batch of any epoch.
#' Call `composition(epoch)` of an instance for the numbers of an epoch.
#'
#' @param plan (`batch_plan` or `range_plan`)\cr
#'   A plan from [batch_plan()], or from the member `plan()` of an instance of [batch_sampler_strata_subset()]
#'   or [batch_sampler_stratified_group()].
#' @param most (`integer(1)`)\cr
#'   The largest number of strata to show, smallest strata first.
#'
#' @param object (`batch_plan` or `range_plan`)\cr
#'   The same plan, for [ggplot2::autoplot()].
#' @param ... (any)\cr
#'   Further arguments of `plot_plan()`.
#'
#' @return A ggplot2 plot.
#'
#' @section Errors:
#' `plan` is not a plan.
#' The package ggplot2 is not installed.
#'
#' @seealso `plot()` of a `batch_plan` shows the counts themselves, batch by batch.
#'
#' @export
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' labels = rep(c("a", "b", "c"), times = c(12, 50, 200))
#' plot_plan(batch_plan(labels, 2))
#' ggplot2::autoplot(batch_plan(labels, 2, strata_per_batch = 2))
plot_plan = function(plan, most = 40L) {
  need_ggplot2()
  if (!inherits(plan, c("batch_plan", "range_plan"))) {
    stop_parameter("plan", "be a whole plan that batch_plan() made", show_value(plan))
  }
  most = check_count(most, "most")
  if (inherits(plan, "range_plan")) plot_ranges(plan, most) else plot_heat_map(plan, most)
}

#' @rdname plot_plan
#' @exportS3Method ggplot2::autoplot
autoplot.batch_plan = function(object, ...) plot_plan(object, ...)

#' @rdname plot_plan
#' @exportS3Method ggplot2::autoplot
autoplot.range_plan = function(object, ...) plot_plan(object, ...)

plot_heat_map = function(plan, most) {
  chosen = utils::head(order(plan$counts), most)
  composition = plan$composition()[chosen]
  names = sprintf("%s: %s, %s in a batch", plan$strata[chosen], vapply(plan$counts[chosen], show_count, "", "row"),
    vapply(composition, show_range, ""))
  drawn = data.frame(
    batch = rep(seq_len(plan$n_batches), times = length(chosen)),
    stratum = rep(numbered_rows(chosen), each = plan$n_batches),
    rows = unlist(composition, use.names = FALSE),
    shade = unlist(lapply(composition, shades))
  )
  are_printed = plan$n_batches * (nchar(max(drawn$rows)) + 1L) <= 60
  printed = drawn[rep(are_printed, nrow(drawn)), ]
  ggplot2::ggplot(drawn, ggplot2::aes(x = .data$batch, y = .data$stratum, fill = .data$shade)) +
    ggplot2::geom_raster() +
    ggplot2::geom_text(ggplot2::aes(label = .data$rows), data = printed, size = small_text,
      colour = ifelse(printed$shade > 0.6, "white", "black")) +
    ggplot2::scale_fill_gradientn(colours = c("#f7fbff", "#6baed6", "#08306b"), limits = c(0, 1),
      breaks = c(0, shade_of_fewest, 1), labels = c("no rows", "fewest rows", "most rows"), name = NULL) +
    ggplot2::scale_x_continuous(breaks = function(limits) whole_breaks(pmax(limits, 1)), expand = c(0, 0)) +
    ggplot2::scale_y_discrete(labels = stats::setNames(names, seq_along(chosen)), expand = c(0, 0)) +
    ggplot2::labs(title = plan_title(plan), subtitle = plan_promise(plan), y = NULL,
      x = paste0("batch", larger_strata(length(plan$counts), most))) +
    plot_style()
}

# The shade of the fewest rows of a stratum, if other batches have more; no rows are 0, and the most are 1.
shade_of_fewest = 0.35

# The shade of each count of a stratum, from 0 to 1.
shades = function(rows) {
  most = max(rows)
  fewest = min(rows[rows > 0], most)
  steps = if (most > fewest) (rows - fewest) / (most - fewest) else 1
  ifelse(rows > 0, shade_of_fewest + (1 - shade_of_fewest) * steps, 0)
}

plot_ranges = function(plan, most) {
  chosen = utils::head(order(plan$rows), most)
  drawn = plan[chosen, ]
  names = sprintf("%s: %s", as.character(drawn$stratum), rows_in_words(drawn, attr(plan, "exact")))
  drawn$place = numbered_rows(chosen)
  color = line_colors(1L)
  ggplot2::ggplot(drawn, ggplot2::aes(y = .data$place)) +
    ggplot2::geom_segment(ggplot2::aes(x = .data$fewest, xend = .data$most, yend = .data$place), linewidth = 1.5,
      colour = color) +
    ggplot2::geom_point(ggplot2::aes(x = .data$fewest), size = 2.5, colour = color) +
    ggplot2::geom_point(ggplot2::aes(x = .data$most), size = 2.5, colour = color) +
    ggplot2::scale_x_continuous(breaks = whole_breaks, limits = c(0, 1.05 * max(drawn$most) + 0.5), expand = c(0, 0)) +
    ggplot2::scale_y_discrete(labels = stats::setNames(names, seq_along(chosen))) +
    ggplot2::labs(title = show_batches(attr(plan, "n_batches")), subtitle = attr(plan, "held"), y = NULL,
      x = paste0("rows in a batch", larger_strata(nrow(plan), most))) +
    plot_style() +
    ggplot2::theme(plot.title.position = "plot")
}

# The rows of a plot, the first one on top; numbered, because two strata may share a name.
numbered_rows = function(chosen) {
  factor(seq_along(chosen), levels = rev(seq_along(chosen)))
}

larger_strata = function(n_strata, most) {
  if (n_strata > most) sprintf(" (and %s)", show_count(n_strata - most, "larger stratum")) else ""
}
