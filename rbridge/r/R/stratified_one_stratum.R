#' @title Batch Sampler With One Stratum per Batch
#'
#' @description
#' Creates a batch sampler whose every batch has rows of one stratum only, such as one source, task or language.
#' \twin{OneStratumBatchSampler}{one-stratum}
#'
#' @inheritParams batch_sampler_stratified
#' @eval described("OneStratumBatchSampler", "batch_size", "order", "shuffle")
#'
#' @return A generator, whose instances have the members of every [batch_sampler_instance], among them
#' `composition(epoch)` and `plan()`, which also has the number of `batches` of each stratum.
#'
#' @export
#' @examples
#' sources = rep(c("news", "web", "mail"), times = c(6, 3, 2))
#' generator = batch_sampler_one_stratum(
#'   2, strata = sources, order = "round_robin", seed = 1)
#' sampler = generator(NULL)
#' sampler$plan()
batch_sampler_one_stratum = function(batch_size, strata = NULL, order = "proportional", shuffle = TRUE,
  missing = "error", seed = NULL, num_replicas = NULL) {
  sampler_of("one_stratum")
}

kind_one_stratum = function() ranged_kind("one_stratum")
