#' @title Quantile Bins of a Numeric Target
#'
#' @description
#' Bins a numeric target into quantiles, to be used as strata of [batch_sampler_stratified()].
#' A regression task has no classes; with bins of its target, every batch holds small, medium and large values.
#' The Python function `pystrat.bin_target()` returns the same bins, row for row, with the same names.
#'
#' @param values (`numeric()`)\cr
#'   One number for each row, such as `task$truth()`.
#'   `NA` and `NaN` are missing.
#'   Infinite values are allowed, since only the order matters.
#' @eval described("bin_target", "n_bins")
#'
#' @return A `factor()`: the bin of each row, `NA` if the value is missing.
#' The levels are in ascending order.
#' A level is named by the smallest and the largest value in the bin, such as `[1, 2.5]`, with 15 significant digits, or
#' with 17 if two bins would otherwise share a name.
#'
#' @section The bins:
#' Let `L` of the `n` values that are not missing be less than `v`, and `U` be less than or equal to `v`.
#' Then `v` is in bin `(n_bins * (L + U)) %/% (2 * n)`, in exact integers.
#' Equal values are in one bin, and empty bins are removed.
#'
#' @section Use in mlr3:
#' If a learner is trained on parts of a task, as in resampling and tuning, bind the bins to the task as a column with
#' the role `stratum`, as in the example.
#' mlr3 then also keeps their proportions when it splits the task.
#'
#' @export
#' @examples
#' bin_target(c(2.5, 1, 40, 7, 3, 100), n_bins = 3)
#'
#' if (requireNamespace("mlr3", quietly = TRUE)) {
#'   task = mlr3::tsk("mtcars")
#'   task$cbind(data.frame(mpg_bin = bin_target(task$truth(), n_bins = 4)))
#'   task$set_col_roles("mpg_bin", roles = "stratum")
#'   batch_plan(task, min_samples_per_stratum = 2)
#' }
bin_target = function(values, n_bins = 10) {
  n_bins = check_count(n_bins, "n_bins")
  values = check_numbers(values)
  present = values[!is.na(values)]
  distinct = sort(unique(present))
  place = match(values, distinct)
  bins = bins_of_distinct(tabulate(place, length(distinct)), n_bins)
  structure(bins[place], levels = bin_names(distinct, bins), class = "factor")
}

# The bin, from 1, of each distinct value in ascending order, given the number of rows that have it.
bins_of_distinct = function(counts, n_bins) {
  n_rows = sum(as.double(counts))
  # From n_rows bins on, every distinct value has its own.
  n_bins = min(n_bins, n_rows)
  refuse_if(2 * n_bins * n_rows >= 2^53, "n_bins", "have a product with twice the rows below 2^53, to be exact",
    sprintf("%.0f and %s", n_bins, show_count(n_rows, "row")))
  # L + U, twice the middle of the rows that share a value
  middles = 2 * cumsum(as.double(counts)) - counts
  bins = (n_bins * middles) %/% (2 * n_rows)
  match(bins, unique(bins))
}

# Named by the smallest and the largest value in the bin, with as many digits as it takes to distinguish the bins.
bin_names = function(distinct, bins) {
  low = distinct[!duplicated(bins)]
  high = distinct[!duplicated(bins, fromLast = TRUE)]
  names = sprintf("[%.15g, %.15g]", low, high)
  if (anyDuplicated(names)) sprintf("[%.17g, %.17g]", low, high) else names
}
