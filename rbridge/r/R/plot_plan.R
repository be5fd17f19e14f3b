#' @title Plot a Batch Plan as a Heat Map
#'
#' @description
#' Plots one row for each stratum and one column for each batch.
#' The color is the number of rows of the stratum in the batch, relative to its largest count in any batch, so that rare
#' strata are visible.
#'
#' @param plan (`batch_plan`)\cr
#'   A plan from [batch_plan()].
#' @param most (`integer(1)`)\cr
#'   The largest number of strata to show, smallest strata first.
#'
#' @return A ggplot2 plot.
#'
#' @section Errors:
#' `plan` is not a plan.
#' The package ggplot2 is not installed.
#'
#' @seealso `plot()` of a plan shows the counts themselves, batch by batch.
#'
#' @export
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' plot_plan(batch_plan(rep(c("a", "b", "c"), times = c(12, 50, 200)), 2))
plot_plan = function(plan, most = 40L) {
  name_errors("plot_plan")
  need_ggplot2()
  if (!inherits(plan, "batch_plan")) {
    stop_parameter("plan", "be a plan that batch_plan() made", show_value(plan))
  }
  most = check_count(most, "most")
  chosen = utils::head(order(plan$counts), most)
  composition = plan$composition()[chosen]
  names = sprintf("%s: %s, %s in a batch", plan$strata[chosen], vapply(plan$counts[chosen], show_count, "", "row"),
    vapply(composition, show_range, ""))
  # Numbered, because two strata may share a name.
  drawn = data.frame(
    batch = rep(seq_len(plan$n_batches), times = length(chosen)),
    stratum = rep(factor(seq_along(chosen), levels = rev(seq_along(chosen))), each = plan$n_batches),
    share = unlist(lapply(composition, function(rows) rows / max(rows)))
  )
  left_out = length(plan$counts) - length(chosen)
  ggplot2::ggplot(drawn, ggplot2::aes(x = .data$batch, y = .data$stratum, fill = .data$share)) +
    ggplot2::geom_raster() +
    ggplot2::scale_fill_gradientn(colours = c("#f7fbff", "#6baed6", "#08306b"), limits = c(0, 1),
      breaks = c(0, 0.5, 1), name = "share of the\nlargest count") +
    ggplot2::scale_x_continuous(breaks = function(limits) whole_breaks(pmax(limits, 1)), expand = c(0, 0)) +
    ggplot2::scale_y_discrete(labels = stats::setNames(names, seq_along(chosen)), expand = c(0, 0)) +
    ggplot2::labs(title = plan_title(plan), subtitle = plan_promise(plan), y = NULL,
      x = paste0("batch", if (left_out > 0L) sprintf(" (and %d larger strata)", left_out))) +
    plot_style()
}
