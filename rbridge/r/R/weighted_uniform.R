#' @title Uniform Batch Sampler
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch that draws every batch from all
#' rows, with or without replacement.
#' Batches are independent; over an epoch, a row may occur several times, or never.
#' \twin{UniformBatchSampler}{weighted}
#'
#' @inheritParams batch_sampler_stratified
#' @param n_rows (`integer(1)`)\cr
#'   The number of rows of the dataset, from 1 to 2147483647.
#'   `NULL` (default): that of the dataset with which the generator is called, such as a fold of a resampling.
#' @eval described("UniformBatchSampler", "batch_size", "replacement", "n_batches")
#'
#' @return A generator, whose instances have the members of every [batch_sampler_instance].
#'
#' @source
#' M. Huenermann, "Sampling Algorithms", 2021; the method is the Fisher-Yates shuffle.
#'
#' @seealso [batch_sampler_weighted()] for rows that are not equally likely.
#'
#' @export
#' @examples
#' sampler = batch_sampler_uniform(10, batch_size = 3, seed = 1)(NULL)
#' sampler
#' sampler$batches(0)
batch_sampler_uniform = function(n_rows = NULL, batch_size, replacement = FALSE, n_batches = NULL, seed = NULL,
  num_replicas = NULL) {
  sampler_of("uniform")
}

kind_uniform = function() table_kind("uniform", of_rows = "n_rows")
