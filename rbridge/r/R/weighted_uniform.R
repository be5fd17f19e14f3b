#' @title Uniform Batch Sampler
#'
#' @description
#' Makes a batch sampler for [torch::dataloader()] and for the learners of mlr3torch that draws every batch from all
#' rows anew, without replacement or with it.
#' Batches are independent of each other; over an epoch rows occur more than once, or never.
#'
#' @param n (`integer(1)`)\cr
#'   Number of rows of the dataset, from 1 to 2147483647.
#' @param batch_size (`integer(1)`)\cr
#'   Rows of a batch; at most `n` without replacement.
#' @param replacement (`logical(1)`)\cr
#'   Whether a row may occur in a batch more than once.
#'   `FALSE` (default): it may not.
#' @param n_batches (`integer(1)`)\cr
#'   Batches of an epoch.
#'   `NULL` (default): `n %/% batch_size`.
#' @param seed (`integer(1)`)\cr
#'   Integer from 0 to 2147483646 that decides the rows of all epochs.
#'   `NULL` (default): one is drawn each time the generator is called, from the generator of torch if LibTorch is
#'   installed, so that the seed of a learner governs it, otherwise from the generator of R.
#' @param num_replicas (`integer(1)`)\cr
#'   Number of processes that share the batches of an epoch.
#'   The number of batches is rounded down to a multiple of it.
#'   All batches are given, in the order of the whole epoch.
#'   `NULL` (default): 1.
#'
#' @return A generator of class `"batch_sampler_uniform"` and `"torch_sampler"`: a function of one argument
#' `data_source`, which returns an instance of the sampler, as [batch_sampler_stratified()] explains.
#' A data source that tells its number of rows must have `n` of them.
#' The instance has the members `batches(epoch)`, `set_epoch(epoch)`, `epoch`, `seed`, `print()`, `.iter()`, `.length()`
#' and `.iter_batch(batch_size)` that are described there.
#'
#' @section Guarantees:
#' * Without replacement the rows of a batch are different.
#' * Every set of `batch_size` rows is equally likely.
#' * The batches are those of `sample.int(n, batch_size, useHash = FALSE)`, or of
#'   `sample.int(n, batch_size, replace = TRUE)`, for one batch after the other, after `set.seed(s)` with
#'   `RNGkind("Mersenne-Twister", "Inversion", "Rejection")`, where `s` is
#'   `(seed + 1327217885 * epoch) %% 2147483647`.
#'   R's own generator takes no part, except for the one number drawn if `seed` is `NULL`.
#' * The same call gives the same batches in Python with `pystrat.UniformBatchSampler`, where rows are counted from 0.
#' * A generator that was saved with [saveRDS()], or sent to another process, needs nothing else there.
#'
#' @section Errors:
#' An argument of the wrong type or out of range, a batch size above `n` without replacement, more replicas than
#' batches, a dataset with another number of rows.
#'
#' @source
#' M. Huenermann, "Sampling Algorithms", 2021, for the method, which is that of Fisher and Yates.
#'
#' @seealso [batch_sampler_weighted()] for rows that are not equally likely.
#'
#' @export
#' @examples
#' sampler = batch_sampler_uniform(10, batch_size = 3, seed = 1)(NULL)
#' sampler
#' sampler$batches(0)
#' next_batch = sampler$.iter()
#' next_batch()
batch_sampler_uniform = function(n, batch_size, replacement = FALSE, n_batches = NULL, seed = NULL,
  num_replicas = NULL) {
  name_errors("batch_sampler_uniform")
  n = check_between(n, "n", 1, largest_count)
  replacement = check_flag(replacement, "replacement")
  if (!replacement && check_count(batch_size, "batch_size") > n) {
    stop_parameter("batch_size", sprintf("be at most %.0f, the number of rows, without replacement", n),
      show_value(batch_size))
  }
  settings = fixed_size_settings(n, batch_size, n_batches, seed, num_replicas)
  new_generator(new_recipe("uniform", settings$seed, list(
    n = n,
    batch_size = settings$batch_size,
    replacement = as.integer(replacement),
    n_batches = settings$n_batches
  )))
}

kind_uniform = function() {
  list(
    class = "batch_sampler_uniform",
    check = function(recipe) {
      check_fixed_size(recipe)
      n = part_count(recipe, "n", 1, largest_count)
      if (!part_flag(recipe, "replacement")) {
        part_count(recipe, "batch_size", 1, n)
      }
    },
    n_rows = function(recipe) recipe$parts$n,
    n_batches = function(recipe) recipe$parts$n_batches,
    setup = function(recipe, private) NULL,
    draw = function(private, epoch) {
      parts = private$.recipe$parts
      list(
        rows = .Call(C_uniform_epoch, parts$n, parts$batch_size, parts$n_batches, parts$replacement == 1L,
          epoch_seed(private$.recipe$seed, epoch)),
        offsets = fixed_size_offsets(parts$batch_size, parts$n_batches)
      )
    },
    describe = function(private) {
      c(format_uniform(private$.recipe$parts), format_order(private$.recipe, private$.next_epoch))
    },
    settings = function(recipe) c(format_uniform(recipe$parts), format_seed(recipe))
  )
}

format_uniform = function(parts) {
  c(
    sprintf("* Rows: %.0f, all equally likely", parts$n),
    sprintf("%s, %s replacement", format_fixed_size(parts), if (parts$replacement == 1L) "with" else "without")
  )
}
