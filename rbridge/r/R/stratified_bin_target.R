#' @title Quantile Bins of a Numeric Target
#'
#' @description
#' Bins a numeric target into quantiles, to be used as strata of [batch_sampler_stratified()].
#' The Python function `pystrat.bin_target()` returns the same bins with the same names; its documentation has the rule.
#'
#' @param values (`numeric()`)\cr
#'   One number for each row, such as `task$truth()`.
#'   `NA` and `NaN` are missing.
#'   Infinite values are allowed.
#' @eval described("bin_target", "n_bins")
#'
#' @return A `factor()`: the bin of each row, `NA` if the value is missing.
#' The levels are in ascending order, named by the smallest and the largest value in the bin, such as `[1, 2.5]`.
#'
#' @section Use in mlr3:
#' Bind the bins to the task as a column with the role `stratum`, as in the example.
#' mlr3 then also keeps their proportions when it splits the task.
#'
#' @export
#' @examples
#' bin_target(c(2.5, 1, 40, 7, 3, 100), n_bins = 3)
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
  counts = as.double(tabulate(place, length(distinct)))
  n_rows = length(present)
  # From n_rows bins on, every distinct value has its own.
  n_bins = min(n_bins, n_rows)
  refuse_if(2 * n_bins * n_rows >= 2^53, "n_bins", "have a product with twice the rows below 2^53, to be exact",
    sprintf("%.0f and %s", n_bins, show_count(n_rows, "row")))
  # L + U, twice the middle of the rows that share a value
  middles = 2 * cumsum(counts) - counts
  bins = (n_bins * middles) %/% (2 * n_rows)
  low = distinct[!duplicated(bins)]
  high = distinct[!duplicated(bins, fromLast = TRUE)]
  names = sprintf("[%.15g, %.15g]", low, high)
  if (anyDuplicated(names)) {
    names = sprintf("[%.17g, %.17g]", low, high)
  }
  structure(match(bins, unique(bins))[place], levels = names, class = "factor")
}
