#' @title Batch Sampler by Perplexity
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] that draws the examples of high perplexity more often.
#' The training loop reports losses to the sampler with `report()`.
#' Draws are uniform, with replacement, until the mean perplexity of all examples is below `initial`, and then in
#' proportion to perplexity.
#' \twin{PerplexityBatchSampler}{corpus}
#'
#' @eval described("PerplexityBatchSampler", "batch_size", "initial", "maximum", "clip")
#' @inheritParams batch_sampler_uniform
#'
#' @eval members("PerplexityBatchSampler", "report(rows, nll)", "perplexities()", "started()", "share_above_maximum()",
#'   "sample(k)")
#'
#' @seealso [batch_sampler_epoch_subset()] for draws without feedback, [batch_sampler_weighted()] for weights that the
#'   training loop sets.
#'
#' @export
#' @examples
#' sampler = batch_sampler_perplexity(4, batch_size = 500, n_batches = 2, seed = 1)(NULL)
#' sampler$report(rows = 1:3, nll = log(c(1, 2, 4)))
#' tabulate(sampler$batches(0)$rows)
batch_sampler_perplexity = function(n_rows = NULL, batch_size, initial = 15, maximum = NULL, clip = FALSE,
  n_batches = NULL, seed = NULL, num_replicas = NULL) {
  sampler_of("perplexity")
}

kind_perplexity = function() {
  feedback_kind("perplexity", "n_rows",
    iterate = function(private, place) {
      told = core_tell(private, "begin", list(epoch = place$epoch))
      if (!is.null(told$warning)) {
        warning(told$warning, call. = FALSE)
      }
      feedback_batches(private, place)
    },
    methods = list(
      report = function(rows, nll) {
        core_tell(private, "report", list(rows = feedback_rows(rows), nll = feedback_values(nll, "nll")))
        invisible(self)
      },
      perplexities = function() core_ask(private, "perplexities"),
      started = function() core_ask(private, "started") == 1,
      share_above_maximum = function() core_ask(private, "share_above_maximum")
    )
  )
}
