#' @title Batch Sampler With a Few Strata per Batch
#'
#' @description
#' Creates a batch sampler in which every batch holds a few of the strata, with several rows of each: P classes of m
#' rows, as for metric learning and contrastive losses.
#' The Python class `pystrat.StrataSubsetBatchSampler` returns the same batches; its documentation has the guarantees.
#'
#' Guide: \guide{contrastive}.
#'
#' @inheritParams batch_sampler_stratified
#' @param strata_per_batch (`integer(1)`)\cr
#'   P, the number of strata in a batch.
#' @param min_samples_per_stratum (`integer(1)`)\cr
#'   m, the number of rows of each of its strata in a batch.
#'   Give either it or `mean_batch_size`.
#' @param mean_batch_size (`integer(1)`)\cr
#'   The mean number of rows per batch.
#'   An epoch of n rows has n / `mean_batch_size` batches, rounded half up and at least 1, and m is the largest minimum
#'   with which every batch has P strata.
#'   Batches with `exact` or `balance` have P * m rows, and take m instead.
#'   `NULL` (default): m determines the number of batches.
#' @param exact (`logical(1)`)\cr
#'   `FALSE` (default): every batch holds at least P strata and at least m rows of each of them, and an epoch visits
#'   every row once.
#'   `TRUE`: every batch holds exactly m rows of exactly P strata; surplus rows and strata are left out in turn.
#'   With `balance`, all batches are exact.
#' @param balance (`character(1)` or `integer(1)`)\cr
#'   Every stratum is in equally many batches, whatever its number of rows.
#'   The value is the number of rows of each stratum that an epoch takes, on average.
#'   `"mean"`: the mean number of rows of the strata, so that an epoch has as many rows as the dataset.
#'   `"over"`: as many as the largest stratum has.
#'   `"under"`: as many as the smallest one has.
#'   The number of batches is rounded, and is at least 1.
#'   `NULL` (default): strata come as often as their rows allow.
#' @param rare (`character(1)`)\cr
#'   What to do with strata of fewer than m rows.
#'   `"error"` (default): raise an error.
#'   `"warn"` and `"allow"`: continue, with or without a warning.
#'   All rows of such a stratum are then in one batch of the epoch, and the stratum counts as one of the P; with
#'   `exact`, they are never sampled.
#' @return A generator of class `"batch_sampler_strata_subset"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], among them `composition(epoch)`, `class_weights()`,
#' `weights()` and `plan()`, which also has the number of `batches` that hold each stratum.
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
