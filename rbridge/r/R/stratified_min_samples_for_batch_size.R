#' @title Choose the Promise by the Size of the Batches
#'
#' @description
#' Tells the largest `min_samples_per_stratum` of [batch_sampler_stratified()] with which batches have at most
#' `batch_size` rows on average.
#' The Python function `pystrat.min_samples_for_batch_size()` gives the same number.
#'
#' @param x (`mlr3::Task`, dataset with a task, or strata)\cr
#'   A task or a dataset with a task, of which the strata are what [batch_sampler_stratified()] takes them to be, or the
#'   strata themselves: a vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()].
#' @param batch_size (`integer(1)`)\cr
#'   The largest mean number of rows in a batch; at least 1.
#' @param strata
#'   As in [batch_sampler_stratified()], and only where `x` is a task or a dataset.
#'   `NULL` (default): the task says it.
#' @param missing,num_replicas
#'   As in [batch_sampler_stratified()].
#'
#' @return (`integer(1)`)\cr
#' From 1 to the number of rows of the smallest stratum, so that every stratum can keep the promise.
#'
#' @section The number:
#' With `n` rows, `n_min` of them in the smallest stratum, at least `B = ceiling(n / batch_size)` batches are needed, up
#' to the next multiple of `num_replicas`, and the answer is `n_min %/% B`, in exact integers.
#'
#' With `assign = "even"` no batch at all has more than `batch_size` rows.
#' With `assign = "proportional"` some may have more, each by less than the number of strata.
#'
#' @section Errors:
#' `batch_size` so small that even a promise of 1 row gives larger batches; the message names the smallest one possible.
#' Also whatever [batch_sampler_stratified()] refuses as strata.
#'
#' @seealso [batch_plan()] to see what follows from the promise.
#'
#' @export
#' @examples
#' labels = rep(c("yes", "no"), times = c(600, 19400))
#' min_samples_for_batch_size(labels, batch_size = 100)
#' if (requireNamespace("mlr3", quietly = TRUE)) {
#'   min_samples_for_batch_size(mlr3::tsk("german_credit"), batch_size = 50)
#' }
min_samples_for_batch_size = function(x, batch_size, strata = NULL, missing = "error", num_replicas = NULL) {
  name_errors("min_samples_for_batch_size")
  batch_size = check_count(batch_size, "batch_size")
  configuration = list(
    missing = check_choice(missing, "missing", c("error", "stratum", "drop")),
    num_replicas = check_positive(num_replicas, "num_replicas")
  )
  strata = dry_strata(x, strata, configuration)
  counts = stratum_counts(strata)
  smallest = smallest_stratum(counts, strata$names)
  as.integer(smallest$rows %/% batches_of_batch_size(sum(counts), smallest, batch_size, configuration))
}

# The strata of `x`, or of `strata` where `x` is a task or a dataset, encoded.
dry_strata = function(x, strata, configuration) {
  input = dry_input(x, strata)
  strata = input$strata
  if (is_deferred(strata)) {
    return(source_strata(input$data_source, c(configuration, list(strata = strata))))
  }
  strata = encode_strata(strata, configuration$missing)
  check_task_order(source_task(input$data_source))
  check_strata_rows(input$data_source, length(strata$codes))
  strata
}

# -> list(data_source, strata), as a generator is called and as it is made
dry_input = function(x, strata) {
  if (inherits(x, "Task")) {
    x = list(task = x)
  }
  is_source = inherits(x, "dataset") || !is.null(source_task(x))
  if (!is_source && (is.environment(x) || is.function(x))) {
    stop_parameter("x", "be a task, a dataset with a task, or strata", show_value(x))
  }
  if (is_source) {
    list(data_source = x, strata = strata)
  } else if (is.null(strata)) {
    list(data_source = NULL, strata = x)
  } else {
    stop_parameter("strata", "be left out where 'x' is no task and no dataset", show_value(strata))
  }
}
