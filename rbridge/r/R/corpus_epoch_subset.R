#' @title Batch Sampler of Part of the Dataset in Every Epoch
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch that visits `sample` of `n_rows`
#' examples in each epoch, at random or in turn.
#' Use it for datasets that are too large for whole epochs.
#'
#' Guide: \guide{corpus}.
#'
#' @param n_rows (`integer(1)`)\cr
#'   The number of examples of the dataset, from 1 to 2147483647.
#'   `NULL` (default): that of the dataset with which the generator is called, such as a fold of a resampling.
#' @param sample (`integer(1)`)\cr
#'   The number of examples in an epoch, from 1 to 2147483647.
#'   It may exceed `n_rows`, except without replacement.
#' @param batch_size (`integer(1)`)\cr
#'   The number of examples per batch, at least 1.
#'   The last batch may be smaller.
#' @param method (`character(1)`)\cr
#'   How the examples of an epoch are chosen.
#'   `"uniform"` (default): independent draws with replacement.
#'   `"uniform_without_replacement"`: no example twice in an epoch.
#'   `"partition"`: not random; over the epochs, every example is visited equally often.
#' @param rows (named `list()` | `integer()`)\cr
#'   The rows that epochs visit a part of, counted from 1, by the first epoch in which they apply, such as
#'   `list("0" = easy, "5" = medium, "10" = seq_len(n_rows))` for a curriculum.
#'   A vector is for all epochs.
#'   The first epoch is 0, and no row may be twice in a vector.
#'   `NULL` (default): all rows.
#' @param seed (`integer(1)`)\cr
#'   The seed of all epochs, an integer from 0 to 2147483646; `"partition"` does not use it.
#'   `NULL` (default): a seed is drawn, see [batch_sampler_instance].
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch.
#'   The number of batches is rounded up to a multiple of it, and their sizes differ by at most 1.
#'   `NULL` (default): batches are not adapted to processes.
#'
#' @return A generator of class `"batch_sampler_epoch_subset"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance].
#'
#' @section Guarantees:
#' * An epoch visits exactly `sample` examples.
#' * `"uniform"` draws `sample.int(n_rows, sample, replace = TRUE)`, and `"uniform_without_replacement"` draws
#'   `sample.int(n_rows, sample, useHash = FALSE)`, with the seed of the epoch, see [batch_sampler_instance].
#' * `"partition"` takes every step-th example, where step is `max(1, n_rows %/% sample)`, beginning with the first,
#'   then with the second, and so on; an epoch continues where the last one ended.
#'   Any `n_rows` consecutive draws, over all epochs, visit each example once.
#' * With `rows`, `n_rows` is the number of rows of the epoch in all of this: places among them are drawn, in the order
#'   in which they were given.
#'   Rows that are taken in turn begin anew in the first epoch of a vector.
#' * The same call returns the same batches in Python with `pystrat.EpochSubsetBatchSampler`, where rows are counted
#'   from 0.
#'
#' @section Errors:
#' An argument has the wrong type or is out of range, there are too few examples without replacement or more batches
#' than examples, or the dataset has another number of rows.
#'
#' @source
#' OpenNMT's memory sampling, options `-sample` and `-sample_type`.
#'
#' @seealso [batch_sampler_perplexity()] for draws in proportion to perplexities that the training loop reports,
#'   [batch_sampler_corpus_mixture()] for several files.
#'
#' @export
#' @examples
#' generator = batch_sampler_epoch_subset(
#'   10, sample = 4, batch_size = 2, method = "partition")
#' sampler = generator(NULL)
#' sampler
#' sampler$batches(0)$rows
#' sampler$batches(1)$rows
batch_sampler_epoch_subset = function(n_rows = NULL, sample, batch_size, method = "uniform", seed = NULL,
  num_replicas = NULL, rows = NULL) {
  request = list(n_rows = n_rows, sample = sample, batch_size = batch_size, method = method, seed = seed,
    num_replicas = num_replicas)
  request_generator("epoch_subset", c(request, rows_by_epoch(rows)))
}

plan_epoch_subset = function(request) {
  new_recipe("epoch_subset", request$seed, core_plan("epoch_subset", request))
}

kind_epoch_subset = function() {
  cutting_kind(
    class = "batch_sampler_epoch_subset",
    plan = plan_epoch_subset,
    fits = function(recipe, data_source, task) {
      if (!is.null(recipe$parts$rows)) {
        check_given_values("rows", task)
      }
    },
    vectors = list(
      parts = c("n_rows", "sample", "batch_size", "num_replicas", "method", "rows", "begins", "n_candidates")
    ),
    bytes = function(recipe) {
      pool = if (recipe$parts$method == "uniform_without_replacement") recipe$parts$n_rows else 0
      4 * pool + 64 * length(recipe$parts$rows) + cutting_bytes(recipe, recipe$parts$sample)
    },
    n_rows = function(recipe) recipe$parts$n_rows,
    describe = function(private) {
      recipe = private$.recipe
      order = if (recipe$parts$method == "partition") {
        sprintf("* Order: next epoch %.0f", private$.place$epoch)
      } else {
        format_order(recipe, private$.place$epoch)
      }
      c(format_epoch_subset(recipe), order)
    },
    settings = function(recipe) c(format_epoch_subset(recipe), format_seed(recipe))
  )
}

format_epoch_subset = function(recipe) c(format_drawn(recipe), sprintf("* Method: '%s'", recipe$parts$method))
