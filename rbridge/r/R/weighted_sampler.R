#' @title Weighted Batch Sampler
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch that draws rows by weight.
#' The weights may be changed between batches, for instance to the losses of the rows, so that hard rows occur more
#' often.
#' \twin{WeightedBatchSampler}{weighted}
#'
#' @param weights (`numeric()`, named `list()`, `character(1)` or `function`)\cr
#'   The weight of each row of the dataset, a vector or a tensor: finite, none below 0, not all 0.
#'   A list has the weights by the first epoch in which they apply, such as
#'   `list("0" = easy, "5" = medium, "10" = rep(1, n))` for a curriculum.
#'   Or, for a task that mlr3 splits or resamples: the name of its column of weights, or a function that returns the
#'   weights of the rows from their labels, such as [inverse_frequency_weights]: the columns with the role `stratum`, or
#'   else the target.
#'   `NULL` (default): the column of the task with the role `weights_learner`.
#'   mlr3 trains a learner without support for weights on such a task only if its field `use_weights` is `"ignore"`.
#' @eval described("WeightedBatchSampler", "batch_size", "replacement", "n_batches")
#' @inheritParams batch_sampler_uniform
#'
#' @eval members("WeightedBatchSampler", "update(rows, weights)", "weights(rows = NULL)", "sample(k)")
#'
#' @source
#' M. Huenermann, "Sampling Algorithms", 2021, for the tree of sums by which rows are drawn.
#'
#' @seealso [batch_sampler_prioritized()] for weights that follow from errors, with importance weights, [sum_tree()] for
#'   your own training loop.
#'
#' @export
#' @examples
#' generator = batch_sampler_weighted(rep(1, 6), batch_size = 3, n_batches = 3, seed = 1)
#' sampler = generator(NULL)
#' next_batch = sampler$.iter()
#' next_batch()
#' # from now on, only row 6 is drawn
#' sampler$update(rows = 1:5, weights = numeric(5))
#' next_batch()
batch_sampler_weighted = function(weights = NULL, batch_size, replacement = TRUE, n_batches = NULL, seed = NULL,
  num_replicas = NULL) {
  waits = dataset_arguments$weights$waits(weights)
  sampler_of("weighted", if (!waits) list(weights = weights_by_epoch(weights)))
}

# Weights of rows by first epoch: a list, of one entry for weights of all epochs.
weights_by_epoch = function(weights) {
  if (!is.list(weights) || is.object(weights)) {
    return(feedback_values(weights, "weights"))
  }
  table = lapply(read_epoch_table(weights, "weights", "weights", "weights of rows"), feedback_values, "weights")
  for (epoch in names(table)[lengths(table) != length(table[[1L]])]) {
    found = show_count(length(table[[1L]]), "value")
    stop_parameter("weights", "have one weight for each row in all epochs",
      sprintf("%s for epoch 0 and %d for epoch %s", found, length(table[[epoch]]), epoch))
  }
  table
}

kind_weighted = function() {
  feedback_kind("weighted", "weights",
    plan = function(settings) {
      weights = settings$weights
      stages = if (is.list(weights)) list(begins = as.double(names(weights)))
      data = c(list(n_rows = as.double(length(if (is.list(weights)) weights[[1L]] else weights))), stages)
      weights = as.double(unlist(weights, use.names = FALSE))
      feedback_recipe("weighted", settings[setdiff(names(settings), "weights")], data, list(weights = weights))
    },
    methods = list(
      update = function(rows, weights) {
        told = list(rows = feedback_rows(rows), weights = feedback_values(weights, "weights"))
        core_tell(private, "update", told)
        invisible(self)
      },
      weights = function(rows = NULL) {
        asked = list(epoch = private$.place$epoch, rows = if (!is.null(rows)) feedback_rows(rows))
        core_ask(private, "weights", asked)
      }
    )
  )
}
