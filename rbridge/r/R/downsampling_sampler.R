#' @title Batch Sampler That Downsamples the Frequent Class
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch that takes, in each epoch, all
#' rows of the rare class and a new part of the frequent one.
#' Its weights correct for the rows that are left out, in expectation.
#' It preserves calibration at a fraction of the gradient steps; do not expect a better ranking (AUC).
#' \twin{DownsampledBatchSampler}{downsampling}
#' Begin with `vignette("rare-events", package = "rbridge")`.
#'
#' @inheritParams batch_sampler_stratified
#' @param multiplier (`numeric()`)\cr
#'   The number of rows of the majority to keep, as a multiple of all other rows:
#'   `k = min(majority, floor(multiplier * minority + 1/2))`, at least 1.
#'   For several classes, one multiplier for each class to downsample, as a named vector or list: a multiple of the
#'   smallest class.
#'   A multiplier is rounded to 15 significant digits, as R shows it, and is exact as such a decimal number.
#' @eval described("DownsampledBatchSampler", "batch_size", "in_turn", weights = "named `numeric()` or `list()`")
#' @param majority (label)\cr
#'   The class to downsample, against all others together.
#'   `NULL` (default): the larger of two classes of different sizes.
#'   Not allowed with a multiplier for each class.
#'   With strata of several columns, a class is named as it is shown, such as `"1, y"`, also in `multiplier` and
#'   `weights`.
#'
#' @return A generator, whose instances have the members of every [batch_sampler_instance], `plan()`, `class_weights()`
#' and `weights()` of those of [batch_sampler_stratified()], and `keep_rates()`, which returns the share of the rows of
#' each class in an epoch, for [correct_probabilities()].
#' Weights are only for training; the guide says how to pass them to the losses of mlr3torch.
#'
#' @source
#' "Sampling methods within TensorFlow input functions", Datatonic.
#'
#' @seealso [correct_probabilities()] for a network that was trained without weights, [published_class_weights()].
#'
#' @export
#' @examples
#' labels = rep(c("yes", "no"), times = c(10, 200))
#' sampler = batch_sampler_downsampled(2, batch_size = 10, strata = labels, seed = 1)(NULL)
#' sampler
#' sampler$class_weights()
#' table(labels[sampler$batches(0)$rows])
batch_sampler_downsampled = function(multiplier, batch_size, strata = NULL, majority = NULL, in_turn = FALSE,
  weights = NULL, seed = NULL, num_replicas = NULL) {
  sampler_of("downsampled", list(majority = if (!is.null(majority)) class_name(majority, "majority")))
}

kind_downsampled = function() {
  dealt_kind("downsampled", list(
    keep_rates = function() {
      plan = private$.setup$plan
      stats::setNames(plan$counts / plan$available, plan$names)
    }
  ))
}
