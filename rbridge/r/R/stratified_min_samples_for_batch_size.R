#' @title Choose the Minimum by Batch Size
#'
#' @description
#' Returns the largest `min_samples_per_stratum` of [batch_sampler_stratified()] for which batches have at most
#' `mean_batch_size` rows on average, from 1 to the size of the smallest stratum.
#' The Python function `pystrat.min_samples_for_batch_size()` returns the same; its documentation has the rule.
#'
#' @inheritParams batch_plan
#' @eval described("min_samples_for_batch_size", "mean_batch_size")
#' @param missing,num_replicas As in [batch_sampler_stratified()].
#'
#' @return (`integer(1)`)
#'
#' @export
#' @examples
#' labels = rep(c("yes", "no"), times = c(600, 19400))
#' min_samples_for_batch_size(labels, mean_batch_size = 100)
min_samples_for_batch_size = function(x, mean_batch_size, strata = NULL, missing = "error", num_replicas = NULL) {
  request = list(mean_batch_size = mean_batch_size, missing = missing, num_replicas = num_replicas)
  core_call("min_samples_for_batch_size", request)
  strata = dry_strata(x, strata, missing)
  counts = list(counts = as.double(tabulate(strata$codes, length(strata$names))))
  as.integer(core_call("min_samples_for_batch_size", c(request, counts), strata$names)$minimum)
}

# The strata of `x`, or of `strata` if `x` is a task or a dataset, encoded.
dry_strata = function(x, strata, missing) {
  input = dry_input(x, strata)
  encode_strata(strata_of_source(input$strata, input$data_source), missing)
}

# -> list(data_source, strata), for calling a generator and for making it
dry_input = function(x, strata) {
  if (inherits(x, "Task")) {
    x = list(task = x)
  }
  is_source = inherits(x, "dataset") || !is.null(source_task(x))
  refuse_if(!is_source && (is.environment(x) || is.function(x)), "x", "be a task, a dataset with a task, or strata",
    show_value(x))
  refuse_if(!is_source && !is.null(strata), "strata", "be left out if 'x' is neither a task nor a dataset",
    show_value(strata))
  if (is_source) list(data_source = x, strata = strata) else list(data_source = NULL, strata = x)
}
