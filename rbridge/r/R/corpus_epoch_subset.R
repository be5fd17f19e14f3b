#' @title Batch Sampler of Part of the Dataset in Every Epoch
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch that visits `sample` of `n_rows`
#' examples in each epoch, at random or in turn, for datasets that are too large for whole epochs.
#' \twin{EpochSubsetBatchSampler}{corpus}
#'
#' @inheritParams batch_sampler_uniform
#' @eval described("EpochSubsetBatchSampler", "sample", "batch_size", "method")
#' @param rows (named `list()` | `integer()`)\cr
#'   The rows that epochs visit a part of, counted from 1, by the first epoch in which they apply, such as
#'   `list("0" = easy, "5" = medium, "10" = seq_len(n_rows))` for a curriculum.
#'   A vector is for all epochs.
#'   The first epoch is 0, and no row may be twice in a vector.
#'   `NULL` (default): all rows.
#'
#' @return A generator, whose instances have the members of every [batch_sampler_instance].
#'
#' @seealso [batch_sampler_perplexity()] for draws in proportion to perplexities that the training loop reports,
#'   [batch_sampler_corpus_mixture()] for several files.
#'
#' @export
#' @examples
#' sampler = batch_sampler_epoch_subset(10, sample = 4, batch_size = 2, method = "partition")(NULL)
#' sampler$batches(0)$rows
#' sampler$batches(1)$rows
batch_sampler_epoch_subset = function(n_rows = NULL, sample, batch_size, method = "uniform", rows = NULL, seed = NULL,
  num_replicas = NULL) {
  sampler_of("epoch_subset")
}

kind_epoch_subset = function() table_kind("epoch_subset", of_rows = c("n_rows", "rows"))

# Rows by the first epoch in which they apply, as the core takes them; NULL if there are none.
rows_by_epoch = function(rows) {
  if (is.null(rows)) {
    return(NULL)
  }
  is_table = is.list(rows) && !is.object(rows)
  table = if (is_table) read_epoch_table(rows, "rows", "rows", "rows") else list("0" = rows)
  stages = lapply(table, feedback_rows)
  numbers = as.double(unlist(stages, use.names = FALSE)) - 1
  numbers[!(numbers >= 0 & numbers < largest_count & numbers == floor(numbers))] = -1
  list(rows = as.integer(numbers), begins = as.double(names(table)),
    n_candidates = as.double(lengths(stages, use.names = FALSE)))
}
