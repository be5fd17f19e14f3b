#' @title Batch Sampler With a Few Strata per Batch
#'
#' @description
#' Creates a batch sampler in which every batch holds a few of the strata, with several rows of each: P classes of m
#' rows, as for metric learning and contrastive losses.
#' \twin{StrataSubsetBatchSampler}{contrastive}
#'
#' @inheritParams batch_sampler_stratified
#' @eval described("StrataSubsetBatchSampler", "strata_per_batch", "min_samples_per_stratum", "mean_batch_size",
#'   "exact", "balance", "rare")
#' @return A generator, whose instances have the members of every [batch_sampler_instance], among them
#' `composition(epoch)`, `class_weights()`, `weights()` and `plan()`, which also has the number of `batches` that hold
#' each stratum.
#'
#' @export
#' @examples
#' labels = rep(letters[1:4], 3)
#' generator = batch_sampler_strata_subset(2, 3, strata = factor(labels), seed = 1)
#' sampler = generator(NULL)
#' sampler$plan()
#' labels[sampler$batches(0)$rows]
batch_sampler_strata_subset = function(strata_per_batch, min_samples_per_stratum = NULL, strata = NULL,
  mean_batch_size = NULL, exact = FALSE, balance = NULL, rare = "error", missing = "error", seed = NULL,
  num_replicas = NULL) {
  sampler_of("strata_subset")
}

kind_strata_subset = function() ranged_kind("strata_subset", methods = weight_methods())
