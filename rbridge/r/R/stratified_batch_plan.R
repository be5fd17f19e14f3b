#' @title Preview the Batches of a Stratified Sampler
#'
#' @description
#' Computes the batches that [batch_sampler_stratified()] would make of a task or of strata: their number and sizes, the
#' guaranteed minimum, and the rows of each stratum in each batch.
#' All of it follows from the sizes of the strata, and is the same in every epoch.
#' If a stratum has fewer rows than there are batches, each epoch shuffles the batches of the plan.
#' No row is sampled, and no random number is drawn.
#' With `strata_per_batch`, the plan is that of [batch_sampler_strata_subset()], and with `groups` or `keep` that of
#' [batch_sampler_stratified_group()]: the fewest and the most rows of each stratum in a batch, in all epochs.
#'
#' @param x (`mlr3::Task`, dataset with a task, or strata)\cr
#'   A task or a dataset with a task, whose strata are those that [batch_sampler_stratified()] would use, or the strata
#'   themselves: a vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()].
#' @param min_samples_per_stratum,...
#'   The arguments of [batch_sampler_stratified()], [batch_sampler_strata_subset()] or
#'   [batch_sampler_stratified_group()].
#' @param strata As in [batch_sampler_stratified()]; only if `x` is a task or a dataset.
#'   `NULL` (default): those of the task.
#'
#' @return An object of class `"batch_plan"`, a list with the elements
#' * `n_batches`: the number of batches;
#' * `min_samples_per_stratum`: the number of rows of every stratum that every batch is guaranteed to hold, which may be
#'   more than the requested minimum;
#' * `sizes`: the number of rows of each batch;
#' * `strata`: the names of the strata, in order of first appearance;
#' * `counts`: the number of rows of each stratum in an epoch;
#' * `available`: the number of rows of each stratum in the dataset, which differs from `counts` if an epoch repeats
#'   or omits rows;
#' * `minimums`: the number of rows of each stratum that every batch is guaranteed to hold, by name;
#' * `keep_rates`: how often an epoch takes a row of each stratum, by name; use the inverse as a weight to undo it, see
#'   [correct_probabilities()];
#' * `n_rows`: the number of rows of an epoch;
#' * `n_dropped`: the number of rows that are never sampled;
#' * `assign`: how rows are assigned to batches;
#' * `composition()`: a function that returns the rows of each stratum in each batch, a `data.frame()` with one row for
#'   each batch and one column for each stratum.
#'
#' The names are those of the Python class `pystrat.BatchPlan`.
#'
#' For [batch_sampler_strata_subset()] and [batch_sampler_stratified_group()], the result is what the `plan()` of their
#' instances returns: a `data.frame()` of class `"range_plan"` with one row for each stratum, whose attribute
#' `n_batches` is the number of batches.
#'
#' @section Types of strata:
#' Names of vectors and of columns are text.
#' A table with one row for each stratum, such as a plan of class `"range_plan"`, has the column `stratum`.
#' Its type is that of the labels: logical, integer, double, `Date`, `POSIXct`, `factor()` with all its levels, or text.
#' A missing value is `NA`, in text `"NA"`.
#' * If strata have several columns, `stratum` is the name, and further columns such as `stratum.site` have the values.
#'   The further columns are left out if a text has a comma and a space, which separate the values in a name.
#' * Numbers of the package bit64 are doubles, and times are in UTC.
#' * A column is text if its names do not give all its values exactly: numbers of more than 15 digits, parts of a second
#'   or of a day, and years that do not have four digits.
#' * Integers of Python up to `.Machine$integer.max` are integers, and other numbers are doubles.
#'   Ordered categories of text in pandas are an ordered factor of those that occur; other categories have the type of
#'   their values, and bytes are text.
#' * For [stratum_codes()], tables of counts and recipes that were saved without types, the column has names, as text.
#'   In [batch_sampler_sharded()], a column is also text if the strata of another process have other levels or names
#'   that are not values of the same type.
#'
#' @section Methods:
#' * `print()` shows the number and the sizes of the batches, the guaranteed minimum, and for each stratum its rows and
#'   its fewest and most rows in a batch.
#' * `plot()` shows the rows of each stratum in each batch, rarest stratum first.
#'   The dashed line is the guaranteed minimum.
#' * [plot_plan()] shows all strata in one plot.
#'
#' A plan of class `"range_plan"` has `print()` and [plot_plan()].
#' `plot()` shows at most 12 strata; set its argument `most` to show more or fewer.
#'
#' @section Errors:
#' As for the samplers, with the same messages.
#' `groups` or `keep` is given together with `strata_per_batch`.
#'
#' @seealso [min_samples_for_batch_size()] to choose the minimum by batch size, [bin_target()] for strata of a numeric
#'   target.
#'
#' @export
#' @examples
#' labels = rep(c("yes", "no"), times = c(600, 19400))
#' plan = batch_plan(labels, min_samples_per_stratum = 3)
#' plan
#' head(plan$composition())
#' plot(plan)
#'
#' batch_plan(rep(letters[1:4], times = c(40, 25, 12, 9)), 4, strata_per_batch = 2)
#' sites = data.frame(site = rep(1:2, 6), sex = rep(c("f", "m"), each = 6))
#' batch_plan(sites, 3, strata_per_batch = 2)
#'
#' if (requireNamespace("mlr3", quietly = TRUE)) {
#'   batch_plan(mlr3::tsk("iris"), min_samples_per_stratum = 4, assign = "even")
#' }
batch_plan = function(x, min_samples_per_stratum = NULL, ..., strata = NULL) {
  input = dry_input(x, strata)
  generator = planned_sampler(list(...))(min_samples_per_stratum = min_samples_per_stratum, ..., strata = input$strata)
  setup = dry_setup(generator, input$data_source)
  if (inherits(generator, "batch_sampler_stratified")) stratified_batch_plan(setup) else setup$plan
}

# The function that has these arguments.
planned_sampler = function(arguments) {
  of_groups = intersect(c("groups", "keep"), names(arguments))
  if (is.null(names(arguments)) || !"strata_per_batch" %in% names(arguments)) {
    return(if (length(of_groups) > 0L) batch_sampler_stratified_group else batch_sampler_stratified)
  }
  if (length(of_groups) > 0L) {
    stop_parameter(of_groups[1L], "be left out if 'strata_per_batch' is given", show_value(arguments[[of_groups[1L]]]))
  }
  batch_sampler_strata_subset
}

stratified_batch_plan = function(setup) {
  plan = setup$plan
  structure(class = "batch_plan", list(
    n_batches = as.integer(plan$n_batches),
    min_samples_per_stratum = as.integer(plan$minimum),
    minimums = stats::setNames(as.integer(plan$counts %/% plan$n_batches), plan$names),
    sizes = batch_sizes(plan),
    strata = plan$names,
    counts = as.integer(plan$counts),
    available = as.integer(plan$available),
    keep_rates = stats::setNames(plan$counts / plan$available, plan$names),
    n_rows = as.integer(sum(plan$counts)),
    n_dropped = as.integer(setup$counts[length(setup$counts)]),
    assign = plan$assign,
    composition = composition_function(plan)
  ))
}

# What an instance works with, whatever its seed.
dry_setup = function(generator, data_source) {
  recipe = attr(generator, "settings")$recipe
  recipe = ready_recipe(recipe, data_source, source_task(data_source), has_seed = FALSE)
  recipe$seed = 0
  sampler_kind(recipe$kind)$setup(recipe)
}

# A function that keeps only the plan.
composition_function = function(plan) {
  force(plan)
  function() composition_table(plan)
}

#' @export
print.batch_plan = function(x, most = 20L, ...) {
  cat(
    "<batch_plan>",
    sprintf("* Rows: %d%s", x$n_rows, if (x$n_dropped > 0L) sprintf(", and %d never sampled", x$n_dropped) else ""),
    sprintf("* Batches: %s", format_batches(x)),
    sprintf("* Assigned: %s", x$assign),
    sprintf("* Strata: %d, with the fewest and the most rows in a batch", length(x$strata)),
    sep = "\n"
  )
  table = data.frame(
    stratum = x$strata,
    rows = x$counts,
    of = x$available,
    fewest = x$counts %/% x$n_batches,
    most = divide_up(x$counts, x$n_batches)
  )
  print_ends(if (identical(x$counts, x$available)) table[names(table) != "of"] else table, most)
  invisible(x)
}

# "200, of 100 rows, each with at least 3 rows of every stratum"
format_batches = function(plan) {
  sprintf("%d, of %s, each with at least %s of every stratum", plan$n_batches, show_rows(plan$sizes),
    show_count(plan$min_samples_per_stratum, "row"))
}

#' @export
plot.batch_plan = function(x, most = 12L, ...) {
  panels = plan_panels(x, most)
  n = length(panels)
  labels = vapply(panels, `[[`, "", "label")
  margin = max(graphics::strwidth(labels, units = "inches", cex = 0.8)) + 0.5
  old = graphics::par(mai = c(0.8, margin, 0.8, 1.1), las = 1)
  on.exit(graphics::par(old))
  graphics::plot.new()
  graphics::plot.window(xlim = c(0.5, x$n_batches + 0.5), ylim = c(0, n), xaxs = "i", yaxs = "i")
  for (i in seq_along(panels)) {
    draw_panel(panels[[i]], base = n - i, x$min_samples_per_stratum)
  }
  graphics::axis(1, at = whole_breaks(c(1, x$n_batches)))
  graphics::title(main = plan_title(x), xlab = "batch")
  graphics::mtext(plan_subtitle(x, n), line = 0.3, cex = 0.8)
  graphics::mtext("in a batch", side = 4, at = n, line = 0.5, cex = 0.8, font = 3, padj = 0)
  invisible(x)
}

# One stratum: its rows in each batch, drawn from `base` up to at most 0.8 above it.
draw_panel = function(panel, base, minimum) {
  scale = 0.8 / max(panel$outline$rows)
  ends = range(panel$outline$batch)
  graphics::polygon(c(ends[1L], panel$outline$batch, ends[2L]), base + scale * c(0, panel$outline$rows, 0),
    col = panel_colour, border = NA)
  graphics::segments(ends[1L], base, ends[2L], base)
  if (minimum > 0) {
    graphics::segments(ends[1L], base + scale * minimum, ends[2L], base + scale * minimum, lty = "dashed")
  }
  graphics::mtext(panel$label, side = 2, at = base + 0.4, line = 0.5, cex = 0.8)
  graphics::mtext(panel$in_a_batch, side = 4, at = base + 0.4, line = 0.5, cex = 0.8)
}

panel_colour = "#8fbbdc"

# What is drawn of each stratum, rarest first: a list of list(label, in_a_batch, outline).
plan_panels = function(plan, most) {
  composition = plan$composition()
  lapply(utils::head(order(plan$counts), most), function(stratum) {
    rows = composition[[stratum]]
    name = plan$strata[stratum]
    list(
      label = sprintf("%s (%s)", if (nchar(name) > 30L) paste0(substr(name, 1L, 30L), "...") else name,
        show_count(plan$counts[stratum], "row")),
      in_a_batch = show_range(rows),
      outline = batch_outline(rows)
    )
  })
}

# Batch b extends from b - 0.5 to b + 0.5.
batch_outline = function(rows) {
  edges = seq(0.5, length(rows) + 0.5)
  data.frame(batch = c(edges[1L], rep(edges[c(-1L, -length(edges))], each = 2L), edges[length(edges)]),
    rows = rep(rows, each = 2L))
}

plan_title = function(plan) {
  sprintf("%s of %s", show_batches(plan$n_batches), show_rows(plan$sizes))
}

plan_subtitle = function(plan, n_panels) {
  n_strata = length(plan$strata)
  paste0(
    plan_promise(plan),
    if (plan$min_samples_per_stratum > 0L) " (dashed)",
    if (n_panels < n_strata) sprintf("; the %d rarest of %d strata", n_panels, n_strata)
  )
}

plan_promise = function(plan) {
  if (plan$min_samples_per_stratum == 0L) {
    return("not every stratum in each")
  }
  sprintf("at least %s of every stratum in each", show_count(plan$min_samples_per_stratum, "row"))
}
