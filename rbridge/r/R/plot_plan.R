#' @title Plot a Batch Plan
#'
#' @description
#' Plots the rows of each stratum in a batch as a heat map, with one row for each stratum, smallest strata first: white
#' for no rows of the stratum, and otherwise light for its fewest rows in a batch and dark for its most.
#' The plan of [batch_sampler_stratified()] has one column for each batch, and others the fewest and the most rows in a
#' batch of any epoch.
#'
#' @param plan,object (`batch_plan` or `range_plan`)\cr
#'   A plan from [batch_plan()], or from the member `plan()` of an instance whose batches differ between epochs.
#' @param most (`integer(1)`)\cr
#'   The largest number of strata to show.
#' @param ... (any)\cr
#'   Further arguments of `plot_plan()`.
#'
#' @return A ggplot2 plot.
#'
#' @export
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' labels = rep(c("a", "b", "c"), times = c(12, 50, 200))
#' plot_plan(batch_plan(labels, 2))
#' ggplot2::autoplot(batch_plan(labels, 2, strata_per_batch = 2))
plot_plan = function(plan, most = 40L) {
  refuse_if(!inherits(plan, c("batch_plan", "range_plan")), "plan", "be a whole plan that batch_plan() made",
    show_value(plan))
  most = check_count(most, "most")
  is_range = inherits(plan, "range_plan")
  rows = if (is_range) plan$rows else plan$counts
  strata = if (is_range) plan$stratum else plan$strata
  chosen = utils::head(order(rows), most)
  held = if (is_range) as.list(as.data.frame(t(plan[c("fewest", "most")]))) else plan$composition()
  titles = if (is_range) {
    c(show_batches(attr(plan, "n_batches")), attr(plan, "held"))
  } else {
    least = plan$min_samples_per_stratum
    c(sprintf("%s of %s", show_batches(plan$n_batches), show_rows(plan$sizes)), if (least == 0L) {
      "not every stratum in each"
    } else {
      sprintf("at least %s of every stratum in each", show_count(least, "row"))
    })
  }
  names = sprintf("%s: %s, %s in a batch", strata[chosen], vapply(rows[chosen], show_count, "", "row"),
    vapply(held[chosen], show_range, ""))
  n_more = length(rows) - length(chosen)
  x = paste0("batch", if (n_more > 0L) sprintf(" (and %s)", show_count(n_more, "larger stratum")))
  heat_map(held[chosen], names) +
    ggplot2::labs(title = titles[1L], subtitle = titles[2L], y = NULL, x = x) +
    if (is_range) {
      ggplot2::scale_x_continuous(breaks = 1:2, labels = c("fewest", "most"), expand = c(0, 0))
    } else {
      ggplot2::scale_x_continuous(breaks = function(limits) whole_breaks(pmax(limits, 1)), expand = c(0, 0))
    }
}

#' @rdname plot_plan
#' @exportS3Method ggplot2::autoplot
autoplot.batch_plan = function(object, ...) plot_plan(object, ...)

#' @rdname plot_plan
#' @exportS3Method ggplot2::autoplot
autoplot.range_plan = autoplot.batch_plan

# `held` has a vector for each stratum; strata are numbered, because two may share a name.
heat_map = function(held, names) {
  n_columns = length(held[[1L]])
  drawn = data.frame(
    column = rep(seq_len(n_columns), times = length(held)),
    stratum = factor(rep(seq_along(held), each = n_columns), levels = rev(seq_along(held))),
    rows = unlist(held, use.names = FALSE),
    shade = unlist(lapply(held, shades), use.names = FALSE)
  )
  printed = if (n_columns * (nchar(max(drawn$rows)) + 1L) <= 60) drawn else drawn[0L, ]
  ggplot2::ggplot(drawn, ggplot2::aes(x = .data$column, y = .data$stratum, fill = .data$shade)) +
    ggplot2::geom_raster() +
    ggplot2::geom_text(ggplot2::aes(label = .data$rows), data = printed, size = small_text,
      colour = ifelse(printed$shade > 0.6, "white", "black")) +
    ggplot2::scale_fill_gradientn(colours = c("#f7fbff", "#6baed6", "#08306b"), limits = c(0, 1),
      breaks = c(0, 0.35, 1), labels = c("no rows", "fewest rows", "most rows"), name = NULL) +
    ggplot2::scale_y_discrete(labels = stats::setNames(names, seq_along(held)), expand = c(0, 0)) +
    plot_style()
}

# The shade of each count of a stratum: 0 for no rows, from 0.35 for the fewest to 1 for the most.
shades = function(rows) {
  most = max(rows)
  fewest = min(rows[rows > 0], most)
  ifelse(rows > 0, 1 - 0.65 * (most - rows) / max(most - fewest, 1), 0)
}
