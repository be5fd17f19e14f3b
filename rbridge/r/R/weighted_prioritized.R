#' @title Prioritized Batch Sampler
#'
#' @description
#' Creates a batch sampler for prioritized experience replay: row `i` is drawn with a probability proportional to
#' `(abs(priority of i) + epsilon)^alpha`; or, with `method = "rank"`, to `(rank of i)^-alpha`, where the row with the
#' largest absolute priority has rank 1.
#' The training loop sets the priority of a row, usually to its last error.
#' \twin{PrioritizedBatchSampler}{weighted}
#'
#' @eval described("PrioritizedBatchSampler", "batch_size", "alpha", "beta", "epsilon", "stratified", "normalize",
#'   "capacity", "method", "n_batches")
#' @inheritParams batch_sampler_uniform
#'
#' @eval members("PrioritizedBatchSampler", "update(rows, priorities, since = NULL)",
#'   "append(count = NULL, priorities = NULL)", "n_added()", "priorities(rows = NULL)", "sample(k)",
#'   "importance_weights(rows, batch = NULL, beta = NULL)")
#'
#' @source
#' T. Schaul, J. Quan, I. Antonoglou and D. Silver, "Prioritized Experience Replay", 2016.
#'
#' @export
#' @examples
#' generator = batch_sampler_prioritized(
#'   4, batch_size = 2, alpha = 1, beta = 1, epsilon = 0.5, seed = 1)
#' sampler = generator(NULL)
#' sampler$update(rows = 1:4, priorities = c(0, 0.5, -1.5, 3.5))
#' sampler$importance_weights(1:4)
#' sampler$.iter()()
batch_sampler_prioritized = function(n_rows = NULL, batch_size, alpha = 0.6, beta = 0.4, epsilon = NULL,
  stratified = FALSE, normalize = TRUE, capacity = NULL, n_batches = NULL, seed = NULL, num_replicas = NULL,
  method = "proportional") {
  if (!is.function(beta)) {
    return(sampler_of("prioritized"))
  }
  recipe = attr(sampler_of("prioritized", list(beta = NULL)), "settings")$recipe
  # In a recipe, a function is only text, by which samplers differ.
  recipe$labels$beta = paste(deparse(beta), collapse = "\n")
  new_generator(recipe, list(beta = beta))
}

kind_prioritized = function() {
  feedback_kind("prioritized", "n_rows",
    n_rows = function(recipe) NULL, # data may grow with the sampler
    methods = list(
      update = function(rows, priorities, since = NULL) {
        told = list(rows = feedback_rows(rows), priorities = feedback_values(priorities, "priorities"), since = since)
        core_tell(private, "update", told)
        invisible(self)
      },
      append = function(count = NULL, priorities = NULL) {
        values = if (!is.null(priorities)) feedback_values(priorities, "priorities")
        core_tell(private, "append", list(count = count, priorities = values))$rows
      },
      n_added = function() core_ask(private, "n_added"),
      priorities = function(rows = NULL) {
        core_ask(private, "priorities", list(rows = if (!is.null(rows)) feedback_rows(rows)))
      },
      importance_weights = function(rows, batch = NULL, beta = NULL) {
        beta = if (is.null(beta)) c(private$.functions, private$.recipe$labels)$beta else beta
        if (is.function(beta)) {
          refuse_if(is.null(batch), "batch", "be given if 'beta' is a function", "nothing")
          batch = plain_value(batch)
          refuse_if(!is_whole_number(batch) || batch < 0, "batch", "be a non-negative integer", show_value(batch))
          beta = beta(batch)
        }
        asked = list(rows = feedback_rows(rows), beta = beta, normalize = private$.recipe$labels$normalize == 1L)
        core_ask(private, "importance_weights", asked)
      }
    )
  )
}
