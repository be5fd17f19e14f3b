#' @title Plots of Batches
#'
#' @description
#' `plot_plan()` plots the rows of each stratum in a batch as a heat map, with one row for each stratum, smallest strata
#' first: white for no rows of the stratum, and otherwise light for its fewest rows in a batch and dark for its most.
#' The plan of [batch_sampler_stratified()] has one column for each batch, and others the fewest and the most rows in a
#' batch of any epoch.
#'
#' `plot_batch_counts()` plots the number of rows with one label in each batch, for several samplers side by side.
#' Top: the count in every batch, with batches without the label marked. Bottom: the number of batches with each count.
#'
#' @param plan (`batch_plan` or `range_plan`)\cr
#'   A plan from [batch_plan()], or from the member `plan()` of an instance whose batches differ between epochs.
#' @param most (`integer(1)`)\cr
#'   The largest number of strata to show.
#' @param tables (named `list()` of `data.frame()`)\cr
#'   The name of each sampler and its table from [batch_counts()], or from the `plan()` of a sampler.
#' @param label (`character(1)`)\cr
#'   The column to plot; `autoplot()` chooses the label with the fewest rows by default.
#' @param object (`batch_plan`, `range_plan` or `batch_counts`)\cr
#'   A plan, or one table.
#' @param name (`character(1)`)\cr
#'   The name of the sampler of the table in the plot.
#' @param ... (any)\cr
#'   Further arguments of `plot_plan()`.
#'
#' @return A ggplot2 plot.
#'
#' @export
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' labels = rep(c("yes", "no"), times = c(60, 1940))
#' plot_plan(batch_plan(labels, 20))
#' stratified = batch_sampler_stratified(3, strata = labels, seed = 1)(NULL)
#' plain = batch_sampler_uniform(2000, batch_size = 100, seed = 1)(NULL)
#' tables = lapply(list(plain = plain, stratified = stratified), batch_counts, labels)
#' plot_batch_counts(tables, "yes")
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
    least = show_count(plan$min_samples_per_stratum, "row")
    c(sprintf("%s of %s", show_batches(plan$n_batches), show_rows(plan$sizes)),
      sprintf("%s stratum in each", if (least == "0 rows") "not every" else paste("at least", least, "of every")))
  }
  names = sprintf("%s: %s, %s in a batch", strata[chosen], vapply(rows[chosen], show_count, "", "row"),
    vapply(held[chosen], show_range, ""))
  n_more = length(rows) - length(chosen)
  x = paste0("batch", if (n_more > 0L) sprintf(" (and %s)", show_count(n_more, "larger stratum")))
  heat_map(held[chosen], names) +
    ggplot2::labs(title = titles[1L], subtitle = titles[2L], y = NULL, x = x) +
    ggplot2::scale_x_continuous(expand = c(0, 0),
      breaks = if (is_range) 1:2 else function(limits) whole_breaks(pmax(limits, 1)),
      labels = if (is_range) c("fewest", "most") else ggplot2::waiver())
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
