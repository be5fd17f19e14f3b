#' @title Recommend a Sampler
#'
#' @description
#' Recommends a sampler for batches of a given size, from the counts of the strata alone.
#' The Python function `pystrat.advise()` returns the same; its documentation has the rule.
#'
#' @inheritParams batch_plan
#' @eval described("advise", "batch_size", "min_samples_per_stratum")
#' @param missing As in [batch_sampler_stratified()].
#'
#' @return An object of class `"batch_advice"`, whose `print()` shows everything: a list with the elements
#' * `batch_size`, `min_samples_per_stratum`: as they were given;
#' * `n_rows`: the number of rows that have a stratum;
#' * `strata`: a `data.frame()` with a row for each `stratum`: its `rows` in the dataset; the `mean` and the `variance`
#'   of its rows in a plain batch; the share of plain batches with `too_few` of them;
#' * `minimums`: a `data.frame()` with the `n_batches` of an epoch and the `mean_batch_size` by
#'   `min_samples_per_stratum`: 1, 2, 5, 10 and so on;
#' * `largest_minimum`: the largest one in batches of at most `batch_size` rows on average;
#' * `sampler`, `reason`: the batches that fit, `"plain"`, `"stratified"`, `"repeated"`, `"some strata"` or
#'   `"weighted"`, and why;
#' * `python`, `r`: the line of code that makes the sampler.
#'
#' @export
#' @examples
#' labels = rep(c("yes", "no"), times = c(600, 19400))
#' advise(labels, batch_size = 128)
advise = function(x, batch_size, min_samples_per_stratum = 1, strata = NULL, missing = "error") {
  request = list(batch_size = batch_size, min_samples_per_stratum = min_samples_per_stratum, missing = missing)
  core_call("advice", request)
  columns = strata
  strata = dry_strata(x, strata, missing)
  counts = tabulate(strata$codes, length(strata$names))
  found = core_call("advice", c(request, list(counts = as.double(counts))), strata$names)
  structure(class = "batch_advice", list(
    batch_size = as.integer(batch_size),
    min_samples_per_stratum = as.integer(min_samples_per_stratum),
    n_rows = sum(counts),
    strata = data.frame(stratum = strata$names, rows = counts, found[c("mean", "variance", "too_few")]),
    minimums = data.frame(
      min_samples_per_stratum = as.integer(found$minimums),
      n_batches = as.integer(found$batches),
      mean_batch_size = found$mean_batch_sizes
    ),
    largest_minimum = as.integer(found$largest_minimum),
    sampler = found$sampler,
    reason = found$reason,
    python = found$python,
    r = if (is.null(source_task(x))) found$r else code_of_task(found$r, columns)
  ))
}

# The code for the strata of a task, or for columns of it.
code_of_task = function(code, columns) {
  strata = if (is.null(columns)) "" else paste(", strata =", deparse1(columns))
  sub("(labels)", "(task)", sub(", strata = labels", strata, code, fixed = TRUE), fixed = TRUE)
}

#' @export
print.batch_advice = function(x, ...) {
  most = 10L # strata
  n_strata = nrow(x$strata)
  size = show_count(x$batch_size, "row")
  strata = utils::head(x$strata[order(x$strata$rows), ], most)
  strata[c("mean", "variance")] = lapply(strata[c("mean", "variance")], sprintf, fmt = "%.2f")
  share = strata$too_few
  strata$too_few = ifelse(share > 0 & share < 1e-4, "<0.0001", sprintf("%.4g", share)) # which is as good as 0
  minimums = x$minimums
  minimums$mean_batch_size = sprintf("%.2f", minimums$mean_batch_size)
  cat(sprintf("<batch_advice> %s, %s, batches of %s\n\n", show_count(x$n_rows, "row"), show_count(n_strata, "stratum"),
    size))
  cat(sprintf("Rows in a plain batch, and the share of plain batches with fewer than %s:\n",
    show_count(x$min_samples_per_stratum, "row")))
  print(strata, row.names = FALSE)
  if (n_strata > most) {
    cat(sprintf("... and %s with as many rows or more\n", show_count(n_strata - most, "stratum")))
  }
  cat("\nWhat a minimum in every batch costs, if an epoch visits every row once:\n")
  print(minimums, row.names = FALSE)
  cat(sprintf("The largest minimum in batches of %s on average: %s.\n\n", size,
    if (x$largest_minimum > 0L) show_count(x$largest_minimum, "row") else "none"))
  cat(x$reason, paste("Python:", x$python), paste("R:     ", x$r), sep = "\n")
  invisible(x)
}
